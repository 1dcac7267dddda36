//! Detached processes that may outlive fauxplat. They write to files, where a later fauxplat process finds their
//! output.

#![expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use fauxplat_model::Outcome;
use fauxplat_sys::process::start_ticks;
use fauxplat_sys::signal;

use crate::LaunchError;

#[derive(Clone, Debug, Default)]
pub struct Errand {
    pub program: PathBuf,
    /// Arguments of the program, without argument 0.
    pub arguments: Vec<String>,
    pub env_set: Vec<(String, String)>,
    /// File for standard output, which is truncated first.
    pub output: PathBuf,
    /// File to which standard error is appended.
    pub errors: PathBuf,
}

/// Identity of a process, which need not be a child of this one: process id and start time, so that a later process
/// with the same id is not mistaken for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Process id, which is also the id of its process group.
    pub pid: u32,
    /// Start time in clock ticks since boot.
    pub ticks: u64,
}

impl Trace {
    pub fn is_there(self) -> bool {
        start_ticks(self.pid) == Some(self.ticks)
    }

    /// Asks the process group to end, by SIGTERM.
    pub fn end(self) {
        if self.is_there() {
            signal::send_group(self.pid as i32, signal::SIGTERM);
        }
    }
}

#[derive(Debug)]
pub struct Sent {
    child: Child,
    pub trace: Trace,
}

impl Errand {
    /// Starts the command in a process group of its own, which a key pressed at the terminal of fauxplat does not
    /// reach.
    ///
    /// # Errors
    /// Fails where a file cannot be opened, or the command cannot be started.
    pub fn send(&self) -> Result<Sent, LaunchError> {
        let fail = |path: &PathBuf| {
            let path = path.clone();
            move |source| LaunchError::File { path, source }
        };
        let output = File::create(&self.output).map_err(fail(&self.output))?;
        let errors = File::options().create(true).append(true).open(&self.errors);
        let errors = errors.map_err(fail(&self.errors))?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(output).stderr(errors).process_group(0);
        command.envs(self.env_set.iter().map(|(name, value)| (name, value)));
        let child = command.spawn().map_err(fail(&self.program))?;
        let pid = child.id();
        // The child's entry in `/proc` exists until the child is reaped, so its start time can be read.
        Ok(Sent { child, trace: Trace { pid, ticks: start_ticks(pid).unwrap_or_default() } })
    }
}

impl Sent {
    /// Outcome of the process; `None` while the process runs.
    pub fn ended(&mut self) -> Option<Outcome> {
        let status = self.child.try_wait().ok()??;
        Some(match (status.code(), status.signal()) {
            (Some(code), _) => Outcome::Exited(code as u8),
            (None, signal) => Outcome::Signaled(signal.unwrap_or(0) as u8),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errand(folder: &std::path::Path, line: &str) -> Errand {
        Errand {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), line.into()],
            env_set: vec![("WHO".into(), "n1".into())],
            output: folder.join("out"),
            errors: folder.join("err"),
        }
    }

    fn wait(sent: &mut Sent) -> Outcome {
        loop {
            if let Some(outcome) = sent.ended() {
                return outcome;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_it_says_is_in_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("out"), "of an earlier try, which was longer\n").unwrap();
        let mut sent = errand(folder.path(), "echo $WHO; echo no >&2; exit 3").send().unwrap();
        assert_eq!(wait(&mut sent), Outcome::Exited(3));
        let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read("out"), read("err")), ("n1\n".into(), "no\n".into()));
        assert!(!sent.trace.is_there());
    }

    #[test]
    fn one_that_goes_on_is_found_again_and_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let mut sent = errand(folder.path(), "sleep 1000 & sleep 1000; true").send().unwrap();
        assert!(sent.trace.is_there());
        assert!(
            !Trace { ticks: sent.trace.ticks + 1, ..sent.trace }.is_there(),
            "another that got its number"
        );
        sent.trace.end();
        assert_eq!(wait(&mut sent), Outcome::Signaled(15));
        let missing = Errand { program: "/no/such".into(), ..errand(folder.path(), "") };
        assert!(missing.send().unwrap_err().to_string().contains("/no/such"));
    }
}
