//! Commands that are not measured and whose output is wanted: builds, and programs that are asked for their answer.

#![expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use fauxplat_model::{EnvBase, Outcome};
use fauxplat_sys::shared::memory_file;
use fauxplat_sys::signal;

use crate::LaunchError;

/// A command whose output is kept.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments, argument 0 not included.
    pub arguments: Vec<String>,
    /// What its environment starts from.
    pub env: EnvBase,
    /// Variables that are added.
    pub env_set: Vec<(String, String)>,
    /// Working directory; fauxplat's own when absent.
    pub cwd: Option<PathBuf>,
    /// Standard input; `/dev/null` when absent.
    pub stdin: Option<PathBuf>,
    /// Whether standard error is kept among the output, in the order in which it came; else it is kept apart.
    pub with_stderr: bool,
    /// Whether it is left alone when the user stops fauxplat: what puts things back has to come to its end.
    pub is_spared: bool,
}

/// What such a command left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// How it ended. [`Outcome::TimedOut`] says that the user interrupted fauxplat, which ended the command.
    pub outcome: Outcome,
    /// What it wrote.
    pub output: Vec<u8>,
    /// What it wrote to standard error, where that is kept apart.
    pub errors: Vec<u8>,
}

impl Capture {
    /// A line for the shell.
    pub fn shell(line: &str) -> Self {
        Capture {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), line.into()],
            with_stderr: true,
            ..Capture::default()
        }
    }

    /// Runs it to its end. The output goes through memory, not through a pipe: a command that writes much never waits
    /// for a reader.
    ///
    /// # Errors
    /// A file cannot be opened, or the command cannot be started.
    pub fn run(&self) -> Result<Captured, LaunchError> {
        let (mut output, mut errors) = (memory_file(0)?, memory_file(0)?);
        let fail = |path: &PathBuf| {
            let path = path.clone();
            move |source| LaunchError::File { path, source }
        };
        let stdin = match &self.stdin {
            None => Stdio::null(),
            Some(path) => File::open(path).map_err(fail(path))?.into(),
        };
        let clone = |file: &File| file.try_clone().map_err(fail(&self.program));
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(stdin).stdout(clone(&output)?);
        command.stderr(clone(if self.with_stderr { &output } else { &errors })?);
        if self.env == EnvBase::Clean {
            command.env_clear();
        }
        command.envs(self.env_set.iter().map(|(name, value)| (name, value)));
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        // A group of its own, so that an interruption reaches what the command started, too.
        let mut child = command.process_group(0).spawn().map_err(fail(&self.program))?;
        let status = wait(&mut child, self.is_spared).map_err(fail(&self.program))?;
        let whole = |file: &mut File| {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(0)).map_err(fail(&self.program))?;
            file.read_to_end(&mut bytes).map_err(fail(&self.program))?;
            Ok::<_, LaunchError>(bytes)
        };
        let (output, errors) = (whole(&mut output)?, whole(&mut errors)?);
        Ok(Captured { outcome: outcome(status), output, errors })
    }
}

/// How long to sleep between two looks: builds take longer, and an interrupted wait would lose a stop.
const NAP: Duration = Duration::from_millis(1);

/// Waits for the end; `None` when the user stopped fauxplat.
fn wait(child: &mut Child, is_spared: bool) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if signal::stop_requested() && !is_spared {
            signal::send_group(child.id() as i32, signal::SIGTERM);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(NAP);
    }
}

fn outcome(status: Option<ExitStatus>) -> Outcome {
    match status.map(|status| (status.code(), status.signal())) {
        None => Outcome::TimedOut,
        Some((Some(code), _)) => Outcome::Exited(code as u8),
        Some((None, signal)) => Outcome::Signaled(signal.unwrap_or(0) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_both_outputs_in_their_order() {
        let done = Capture::shell("echo out; echo err >&2; echo more; exit 3").run().unwrap();
        assert_eq!(done.outcome, Outcome::Exited(3));
        assert_eq!(done.output, b"out\nerr\nmore\n");
    }

    #[test]
    fn keeps_them_apart_where_the_output_is_an_answer() {
        let line = Capture::shell("echo out; echo err >&2; echo more");
        let done = Capture { with_stderr: false, ..line }.run().unwrap();
        assert_eq!((done.output.as_slice(), done.errors.as_slice()), (&b"out\nmore\n"[..], &b"err\n"[..]));
    }

    #[test]
    fn keeps_more_than_a_pipe_holds() {
        let done = Capture::shell("head -c 300000 /dev/zero").run().unwrap();
        assert_eq!(done.output.len(), 300_000);
    }

    #[test]
    fn states_the_environment() {
        let capture = Capture {
            env: EnvBase::Clean,
            env_set: vec![("A".into(), "1".into())],
            ..Capture::shell("echo $A$HOME")
        };
        assert_eq!(capture.run().unwrap().output, b"1\n");
    }
}
