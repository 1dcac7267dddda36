//! Errors on the way from a command line to a running process.

use std::io::Read;
use std::path::{Path, PathBuf};

use fauxplat_sys::SysError;
use fauxplat_sys::files::open_regular;
use fauxplat_sys::spawn::Stage;

#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The command line cannot be split into words.
    #[error("`{command}`: {reason}")]
    Words { command: String, reason: String },
    #[error("`{program}`: no such program{hint}")]
    NotFound {
        program: String,
        /// Advice that names the folders that were searched; empty for a program that was given by its path.
        hint: String,
    },
    #[error("`{}`: {}", path.display(), why_not(path))]
    NotExecutable { path: PathBuf },
    /// The program exists, but its interpreter or dynamic loader does not.
    #[error("`{program}`: cannot be executed: the file is there, and {missing}")]
    NoInterpreter { program: String, missing: String },
    #[error("{}", refused(program, *stage, source))]
    Refused { program: String, stage: Stage, source: std::io::Error },
    /// The spawner read more values in a run than the table of programs makes room for.
    #[error(
        "`{program}`: the spawner sent {found} readings of a run where {announced} were announced, so none of them is used; this is a bug in fauxplat"
    )]
    TooManyReadings { program: String, found: u32, announced: usize },
    #[error("{}: {source}{}", path.display(), limit_of(source))]
    File { path: PathBuf, source: std::io::Error },
    /// A system call that does not depend on the command failed.
    #[error(transparent)]
    Sys(#[from] SysError),
    #[error("a helper process of fauxplat cannot be started: {source}{}", why_no_process(source))]
    Helper { source: std::io::Error },
    /// The spawner ended because the kernel refused a call or file that it needs. The spawner has printed the reason
    /// itself.
    #[error(
        "the process that runs the commands cannot work here, since the kernel refuses what the line above names"
    )]
    SpawnerRefused,
    #[error("the process that runs the commands has not answered an earlier request")]
    Unanswered,
    #[error("the spawner process ended unexpectedly ({0})")]
    SpawnerDied(String),
    #[error(
        "the process that runs the commands was killed ({0}) while one of them ran: a command that signals its whole process group does that (`kill -9 0`), or the kernel for want of memory; with --timeout TIME commands are watched from another group, and with setsid one has a group of its own"
    )]
    SpawnerKilled(String),
    #[error(
        "/proc shows no processes by the numbers that they have here (it is missing, or of another pid namespace), so that readings of a run would be those of other processes or of none: mount a fitting one with `mount -t proc proc /proc` or `unshare --mount-proc`"
    )]
    OtherNumbers,
    #[error("interrupted while `{command}` ran")]
    Interrupted { command: String },
    #[error("the run was stopped before it began")]
    Stopped,
    #[error("`{0}` holds a null byte")]
    NullByte(String),
}

/// Exit code of a spawner that ends because the kernel refused a call or file that it needs.
pub const SPAWNER_REFUSED: u8 = 3;

/// Names the limit or filter that keeps a process from being created, with a way to change it; empty where the error
/// does not show it.
fn why_no_process(source: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match source.kind() {
        PermissionDenied | Unsupported | InvalidInput => {
            " (a filter of system calls or a security module refuses it)"
        }
        _ => limit_of(source),
    }
}

/// Names the limit that was reached, with a way to change it; empty where the error shows none.
fn limit_of(source: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{OutOfMemory, WouldBlock};
    match source.kind() {
        WouldBlock => " (a limit of processes is reached: ulimit -u, or pids.max of a control group)",
        OutOfMemory => " (memory is short)",
        _ if source.raw_os_error() == Some(EMFILE) => " (a limit of open files is reached: ulimit -n)",
        _ => "",
    }
}

impl LaunchError {
    /// Whether this error of a spawner means that the kernel refused a call or a file without which the spawner cannot
    /// work.
    pub fn is_refusal(&self) -> bool {
        matches!(self, LaunchError::Sys(_) | LaunchError::File { .. } | LaunchError::Refused { .. })
    }

    /// Whether a limit of this process or of the machine was reached (open files, processes, memory, disk space), so
    /// that neither the file nor the command line is at fault.
    pub fn is_limit(&self) -> bool {
        use std::io::ErrorKind::{OutOfMemory, StorageFull, WouldBlock};
        let LaunchError::File { source, .. } = self else { return false };
        matches!(source.kind(), OutOfMemory | StorageFull | WouldBlock)
            || source.raw_os_error() == Some(EMFILE)
    }

    pub fn is_too_big(&self) -> bool {
        matches!(self, LaunchError::Refused { source, .. } if source.raw_os_error() == Some(E2BIG))
    }

    pub fn is_permission(&self) -> bool {
        match self {
            LaunchError::Refused { stage, source, .. } => {
                *stage != Stage::Exec && source.kind() == std::io::ErrorKind::PermissionDenied
            }
            LaunchError::Sys(error) => error.is_permission(),
            _ => false,
        }
    }
}

fn why_not(path: &Path) -> &'static str {
    match path.is_dir() {
        true => "this is a folder, and no program",
        false => "not executable (a program needs execute permission: chmod +x)",
    }
}

/// Describes the missing interpreter or dynamic loader of an existing program, as far as the beginning of the file
/// shows it; `None` where nothing is missing or the file cannot be read.
pub(crate) fn missing_interpreter(path: &Path) -> Option<String> {
    let mut begin = [0; 256];
    let got = open_regular(path).and_then(|mut file| file.read(&mut begin)).ok()?;
    let begin = &begin[..got];
    if begin.starts_with(b"\x7fELF") {
        let why = "the dynamic loader that it names is not there (readelf -l shows which): it was built for another C \
                   library or another machine";
        return Some(why.to_owned());
    }
    let line = begin.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let name = line.trim_end_matches('\r').split_whitespace().next()?.to_owned();
    Some(match line.ends_with('\r') {
        true => format!(
            "its first line ends with CRLF, so that it names `{name}\\r`: sed -i 's/\\r$//' takes that away"
        ),
        false => format!("its interpreter {name}, which its first line names, is not there"),
    })
}

/// Describes the step at which starting a program failed, and a remedy where one is known.
fn refused(program: &str, stage: Stage, source: &std::io::Error) -> String {
    let denied = source.kind() == std::io::ErrorKind::PermissionDenied;
    let step = match stage {
        Stage::Create => "cannot create a process",
        Stage::Policy if denied => {
            "no permission for a real-time policy (needs CAP_SYS_NICE: run as root, or raise RLIMIT_RTPRIO with `ulimit -r`)"
        }
        Stage::Policy => "cannot set the scheduling policy",
        Stage::Nice if denied => {
            "no permission for a lower nice value (needs CAP_SYS_NICE: run as root, or raise RLIMIT_NICE with `ulimit -e`)"
        }
        Stage::Nice => "cannot set the nice value",
        Stage::Personality => "cannot switch address space randomisation off",
        Stage::WorkingDirectory => "cannot enter the working directory",
        Stage::Stdio => "cannot set up standard input and output",
        Stage::Trace => "cannot trace the command (is ptrace forbidden here, see kernel.yama.ptrace_scope?)",
        Stage::Exec => "cannot be executed",
        Stage::Wait => {
            "cannot be waited for (a filter of system calls refuses wait4 and waitid: measure outside that container or sandbox)"
        }
        Stage::Affinity => "cannot run on the CPUs that were asked for",
        Stage::Group if denied => {
            "no permission to enter the control group (run as root, or in a delegated one)"
        }
        Stage::Group => "cannot enter the control group",
        Stage::HugePages => "cannot be kept from huge pages",
        Stage::StackLimit => {
            "cannot have that limit of the stack (the hard one is lower, see `ulimit -H -s`, or execute it as root)"
        }
        Stage::MemoryPolicy if source.raw_os_error() == Some(EINVAL) => {
            "cannot have memory from these nodes (none of them is allowed: see Mems_allowed_list in /proc/self/status)"
        }
        Stage::MemoryPolicy => {
            "cannot have a memory policy (the kernel knows none, or set_mempolicy(2) is forbidden here)"
        }
        Stage::Thread => "a thread cannot run on the CPU that --pin-threads names for it",
        Stage::Inherited => "cannot keep a descriptor open",
        Stage::Hold => "could not be let go after it was held",
    };
    let hint = match source.raw_os_error() {
        Some(ENOEXEC) => " (a script needs a first line such as #!/bin/sh)",
        Some(E2BIG) => {
            " (arguments and environment together are limited to a quarter of `ulimit -s`, and each string of them to 128 KiB)"
        }
        _ => "",
    };
    format!("`{program}`: {step}: {source}{hint}")
}

const ENOEXEC: i32 = 8;
const EINVAL: i32 = 22;
const EMFILE: i32 = 24;
const E2BIG: i32 = 7;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const EPERM: i32 = 1;
    const ENOENT: i32 = 2;
    const EACCES: i32 = 13;

    fn error(stage: Stage, errno: i32) -> LaunchError {
        let source = std::io::Error::from_raw_os_error(errno);
        LaunchError::Refused { program: "make".into(), stage, source }
    }

    #[test]
    fn every_step_has_words_of_its_own_in_one_line() {
        let stages: Vec<Stage> = (1..).map_while(Stage::from_number).collect();
        assert_eq!(stages.len(), 17);
        let told: BTreeSet<String> = stages.iter().map(|&stage| error(stage, ENOENT).to_string()).collect();
        assert_eq!(told.len(), stages.len());
        for text in told {
            assert!(
                text.starts_with("`make`: ") && text.contains("No such file") && !text.contains('\n'),
                "{text}"
            );
        }
    }

    #[test]
    fn what_was_denied_says_how_it_would_be_allowed() {
        for (stage, cure) in [
            (Stage::Policy, "ulimit -r"),
            (Stage::Nice, "ulimit -e"),
            (Stage::Group, "run as root"),
            (Stage::Trace, "ptrace_scope"),
            (Stage::StackLimit, "as root"),
        ] {
            assert!(error(stage, EPERM).to_string().contains(cure), "{}", error(stage, EPERM));
            assert!(error(stage, EPERM).is_permission());
        }
        // A file without execute permission is not a missing permission of this process.
        assert!(!error(Stage::Exec, EACCES).is_permission() && !error(Stage::Nice, ENOENT).is_permission());
        let sys = SysError { call: "clone".into(), source: std::io::Error::from_raw_os_error(EPERM) };
        assert!(LaunchError::Sys(sys).is_permission() && !LaunchError::Stopped.is_permission());
    }

    #[test]
    fn a_limit_that_is_reached_is_named() {
        let of = |number| LaunchError::File {
            path: "git".into(),
            source: std::io::Error::from_raw_os_error(number),
        };
        for (number, limit) in [(EMFILE, "ulimit -n"), (11, "ulimit -u")] {
            let error = of(number);
            assert!(error.is_limit() && error.to_string().contains(limit), "{error}");
        }
        assert!(!of(ENOENT).is_limit());
    }

    #[test]
    fn what_the_kernel_means_by_a_number_is_said() {
        let too_big = error(Stage::Exec, E2BIG);
        assert!(too_big.is_too_big() && too_big.to_string().contains("ulimit -s"), "{too_big}");
        let no_format = error(Stage::Exec, ENOEXEC);
        assert!(!no_format.is_too_big() && no_format.to_string().contains("#!/bin/sh"), "{no_format}");
        assert!(!LaunchError::NullByte("a".into()).is_too_big());
    }
}
