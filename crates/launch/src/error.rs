//! What can go wrong between a command line and a running process.

use std::path::PathBuf;

use fauxplat_sys::SysError;
use fauxplat_sys::spawn::Stage;

/// Why a command could not be launched.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The words of a command line cannot be split.
    #[error("`{command}`: {reason}")]
    Words {
        /// The command line.
        command: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The program was not found.
    #[error("`{program}`: no such program{hint}")]
    NotFound {
        /// The first word of the command.
        program: String,
        /// Where it was looked for.
        hint: String,
    },
    /// The program is there but may not be executed.
    #[error("`{}`: not executable (a program needs execute permission: chmod +x)", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The kernel refused a step of the start.
    #[error("{}", refused(program, *stage, source))]
    Refused {
        /// The program that was to be started.
        program: String,
        /// The step.
        stage: Stage,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// The spawner read more of a run than the table of programs announced.
    #[error(
        "`{program}`: the spawner sent {found} readings of a run where {announced} were announced, so none of them is used; this is a bug in fauxplat"
    )]
    TooManyReadings {
        /// The program that was run.
        program: String,
        /// How many there were.
        found: u32,
        /// How many were announced.
        announced: usize,
    },
    /// A file that the condition names cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A kernel call that has nothing to do with the command failed.
    #[error(transparent)]
    Sys(#[from] SysError),
    /// The spawner ended without being told to.
    #[error("the spawner process ended unexpectedly ({0})")]
    SpawnerDied(String),
    /// The user stopped before the program had begun.
    #[error("the run was stopped before it began")]
    Stopped,
    /// A string with a null byte cannot be passed to a program.
    #[error("`{0}` holds a null byte")]
    NullByte(String),
}

impl LaunchError {
    /// Whether the arguments and the environment are more than the kernel takes.
    pub fn is_too_big(&self) -> bool {
        matches!(self, LaunchError::Refused { source, .. } if source.raw_os_error() == Some(E2BIG))
    }

    /// Whether a missing permission is the reason.
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

/// Says which step failed, and what to do about it where that is known.
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
        Stage::Affinity => "cannot run on the CPUs that were asked for",
        Stage::Group if denied => {
            "no permission to enter the control group (run as root, or in a delegated one)"
        }
        Stage::Group => "cannot enter the control group",
        Stage::HugePages => "cannot be kept from huge pages",
        Stage::StackLimit => {
            "cannot have that limit of the stack (the hard one is lower, see `ulimit -H -s`, or execute it as root)"
        }
        Stage::Inherited => "cannot keep a descriptor open",
        Stage::Hold => "was not let go",
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

/// `ENOEXEC`, see `errno(3)`.
const ENOEXEC: i32 = 8;
/// `E2BIG`, likewise.
const E2BIG: i32 = 7;
