//! Commands that are not measured and whose output is wanted: builds, and programs that are asked for their answer.

#![expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]

mod stream;

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use fauxplat_model::{EnvBase, Outcome};
use fauxplat_sys::files::open_at_once;
use fauxplat_sys::{clock, process, signal};

use crate::{LaunchError, procfs};
use stream::Stream;
pub use stream::Written;

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
    /// Whether it is left alone when the user has asked fauxplat to stop: what puts things back has to come to its end. Asking
    /// once more, while it runs, ends it too.
    pub is_spared: bool,
    /// Whether what it left behind in its process group is ended when it has ended by itself. A build may leave the daemon of
    /// a compiler, which others use.
    pub ends_group: bool,
    /// How long it may take; then it is asked to end as if the user had interrupted it.
    pub limit: Option<Duration>,
}

/// What such a command left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// How it ended. [`Outcome::TimedOut`] says that fauxplat ended the command: the user
    /// interrupted, or its time was over.
    pub outcome: Outcome,
    /// What it wrote.
    pub output: Written,
    /// What it wrote to standard error, where that is kept apart.
    pub errors: Written,
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

    /// Runs it to its end. It never waits for a reader, however much it writes, and of that a bounded part is kept.
    ///
    /// # Errors
    /// A file cannot be opened, or the command cannot be started.
    pub fn run(&self) -> Result<Captured, LaunchError> {
        let stdin = match &self.stdin {
            None => Stdio::null(),
            Some(path) => open_at_once(path, false).map_err(fail(path))?.into(),
        };
        let mut done = self.follow(stdin).map_err(fail(&self.program))?;
        if self.with_stderr {
            done.errors = Written::default();
        }
        Ok(done)
    }

    fn follow(&self, stdin: Stdio) -> io::Result<Captured> {
        let (mut output, out_end) = Stream::new()?;
        let (mut errors, err_end) = Stream::new()?;
        let err_end = if self.with_stderr { out_end.try_clone()? } else { err_end };
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(stdin).stdout(out_end).stderr(err_end);
        if self.env == EnvBase::Clean {
            command.env_clear();
        }
        command.envs(self.env_set.iter().map(|(name, value)| (name, value)));
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        // A group of its own, so that an interruption reaches what the command started, too.
        let mut child = Running::new(command.process_group(0).spawn()?, self);
        // Our copies of the writing ends go, so that the end of the last writer is seen.
        drop(command);
        while !child.is_over()? {
            let read = output.take()? | errors.take()?;
            if !read {
                output.wait(NAP_MS)?;
            }
        }
        // What it left behind may hold the pipes open for ever; what was in them when it ended is all that is waited for.
        output.finish()?;
        errors.finish()?;
        child.leaves_nobody(self.ends_group);
        let outcome = if child.was_ended() { Outcome::TimedOut } else { child.outcome() };
        Ok(Captured { outcome, output: output.into_written(), errors: errors.into_written() })
    }
}

fn fail(path: &std::path::Path) -> impl FnOnce(io::Error) -> LaunchError {
    let path = path.to_owned();
    move |source| LaunchError::File { path, source }
}

/// How long to wait for output before the child is looked at again: builds take longer.
const NAP_MS: i32 = 1;

/// How long a command that was asked to end has for it.
const GRACE_NS: u64 = 2_000_000_000;

/// A command under way.
struct Running {
    child: Child,
    /// How often the user may have asked to stop without its being meant.
    stops_before: u32,
    /// When its time is over.
    end_ns: Option<u64>,
    /// When it was asked to end.
    asked_ns: Option<u64>,
    /// Whether its time for that is over.
    is_enforced: bool,
    /// How it ended.
    status: Option<ExitStatus>,
    /// The signal that stopped it for ever, if one did.
    stopped_by: Option<i32>,
}

impl Running {
    fn new(child: Child, capture: &Capture) -> Self {
        let nanos = |limit: Duration| u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        let end_ns = capture.limit.map(|limit| clock::monotonic_ns().saturating_add(nanos(limit)));
        let stops_before = if capture.is_spared { signal::stops() } else { 0 };
        Running {
            child,
            stops_before,
            end_ns,
            asked_ns: None,
            is_enforced: false,
            status: None,
            stopped_by: None,
        }
    }

    /// Whether the user wants it to end, or its time is over.
    fn has_to_end(&self) -> bool {
        let is_late = self.end_ns.is_some_and(|end_ns| clock::monotonic_ns() >= end_ns);
        is_late || signal::stops() > self.stops_before
    }

    /// Whether nothing more is waited for. The user's wish to stop is passed on, and enforced after a while: whoever ignores
    /// it, or is stopped itself, would be waited for without end. Of one that was asked to end the whole group is waited for: a
    /// shell is gone at once, and the compiler that it started still has its files to remove. What has become another user's,
    /// as what sudo starts does, is out of reach: it goes on, and nobody waits for it.
    fn is_over(&mut self) -> io::Result<bool> {
        if self.status.is_none() {
            self.status = self.child.try_wait()?;
        }
        let group = self.child.id() as i32;
        let is_over = || self.asked_ns.is_none() || self.is_enforced || !procfs::group_lives(group);
        if self.status.is_some() && is_over() {
            return Ok(true);
        }
        let mut is_in_reach = true;
        match self.asked_ns {
            None if self.has_to_end() => {
                signal::send_group(group, signal::SIGTERM);
                self.asked_ns = Some(clock::monotonic_ns());
            }
            Some(asked_ns) if clock::monotonic_ns() - asked_ns > GRACE_NS => {
                is_in_reach = signal::send_group(group, signal::SIGKILL);
                self.is_enforced = true;
            }
            // It wanted the terminal, which it cannot have in the background, and nobody would continue it.
            _ => {
                let for_terminal = |signal: &i32| [signal::SIGTTIN, signal::SIGTTOU].contains(signal);
                if let Some(signal) = process::stopped_by(group).filter(for_terminal) {
                    is_in_reach = signal::send_group(group, signal::SIGKILL);
                    self.stopped_by = Some(signal);
                }
            }
        }
        Ok(!is_in_reach)
    }

    /// Ends what the command left behind, if that is wanted.
    fn leaves_nobody(&self, ends_group: bool) {
        let group = self.child.id() as i32;
        if ends_group && procfs::group_lives(group) {
            signal::send_group(group, signal::SIGKILL);
        }
    }

    /// Whether it was ended by us, or by the very key that the user pressed for us: the terminal's signal reaches a child that
    /// has not left our process group yet.
    fn was_ended(&self) -> bool {
        let by_the_key =
            matches!(self.outcome(), Outcome::Signaled(signal) if i32::from(signal) == signal::SIGINT);
        self.asked_ns.is_some() || by_the_key && signal::stops() > self.stops_before
    }

    fn outcome(&self) -> Outcome {
        outcome(self.status, self.stopped_by)
    }
}

fn outcome(status: Option<ExitStatus>, stopped_by: Option<i32>) -> Outcome {
    // What ended it after that was we.
    if let Some(signal) = stopped_by {
        return Outcome::Signaled(signal as u8);
    }
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
        assert_eq!(done.output.text(), "out\nerr\nmore\n");
    }

    #[test]
    fn keeps_them_apart_where_the_output_is_an_answer() {
        let line = Capture::shell("echo out; echo err >&2; echo more");
        let done = Capture { with_stderr: false, ..line }.run().unwrap();
        assert_eq!((&*done.output.text(), &*done.errors.text()), ("out\nmore\n", "err\n"));
    }

    #[test]
    fn keeps_more_than_a_pipe_holds() {
        let done = Capture::shell("head -c 300000 /dev/zero").run().unwrap();
        assert_eq!(done.output.whole().map(<[u8]>::len), Some(300_000));
    }

    /// What is left behind may hold the pipe open, and write for ever.
    #[test]
    fn waits_for_nobody_but_the_command() {
        let done = Capture::shell("(sleep 20; echo late) & echo early; exit 3").run().unwrap();
        assert_eq!((done.outcome, &*done.output.text()), (Outcome::Exited(3), "early\n"));
        // It ends when nobody reads any more.
        let done = Capture::shell("yes & exit 3").run().unwrap();
        assert_eq!(done.outcome, Outcome::Exited(3));
    }

    /// Neither one that ignores the request to end nor what it started is waited for.
    #[test]
    fn ends_with_its_time() {
        let line = Capture::shell("trap '' TERM; echo begun; sleep 1000; sleep 1000");
        let begun_ns = clock::monotonic_ns();
        // A slow machine has not begun to print by then; it is given more.
        let limits = [200, 2_000, 20_000, 200_000].map(Duration::from_millis);
        let within = |limit| Capture { limit: Some(limit), ..line.clone() }.run().unwrap();
        let has_begun = limits.into_iter().map(within).any(|done| {
            assert_eq!(done.outcome, Outcome::TimedOut);
            done.output.text() == "begun\n"
        });
        assert!(has_begun);
        assert!(clock::monotonic_ns() - begun_ns < 500_000_000_000);
        let quick = Capture { limit: Some(Duration::MAX), ..Capture::shell("exit 3") };
        assert_eq!(quick.run().unwrap().outcome, Outcome::Exited(3));
    }

    /// The shell is gone at once, and what it started takes its time; not the time of other programs' starts, which slow
    /// machines do not find within the grace.
    #[test]
    fn one_that_was_asked_to_end_has_tidied_up_when_it_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let tidying = "i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done; : > tidied; exit";
        let line = format!("(trap '{tidying}' TERM; echo begun; sleep 1000 & wait) & wait");
        let line = Capture { cwd: Some(folder.path().to_owned()), ..Capture::shell(&line) };
        let limits = [200, 2_000, 20_000, 200_000].map(Duration::from_millis);
        let within = |limit| Capture { limit: Some(limit), ..line.clone() }.run().unwrap();
        let has_begun = limits.into_iter().map(within).any(|done| done.output.text().starts_with("begun\n"));
        assert!(has_begun && folder.path().join("tidied").exists());
    }

    /// What a shell leaves behind is dead for whoever waits, though nobody has reaped it yet.
    #[test]
    fn the_dead_are_not_waited_for() {
        process::become_subreaper().unwrap();
        let line = Capture::shell("sleep 1000 & sleep 1000 & touch begun; wait");
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(&line.program);
        command.args(&line.arguments).current_dir(folder.path()).process_group(0);
        let mut running = Running::new(command.spawn().unwrap(), &line);
        let group = running.child.id() as i32;
        eventually(|| folder.path().join("begun").exists());
        signal::send_group(group, signal::SIGTERM);
        running.asked_ns = Some(clock::monotonic_ns());
        running.status = Some(running.child.wait().unwrap());
        eventually(|| !procfs::group_lives(group));
        assert!(signal::group_exists(group), "the two are there, and have ended");
        assert!(running.is_over().unwrap() && !running.is_enforced);
    }

    /// Waits for a sign; a machine that does not give it within minutes never does.
    fn eventually(mut holds: impl FnMut() -> bool) {
        let step = Duration::from_millis(5);
        assert!((0..60_000).any(|_| holds() || (std::thread::sleep(step), false).1));
    }

    #[test]
    fn states_the_environment() {
        let capture = Capture {
            env: EnvBase::Clean,
            env_set: vec![("A".into(), "1".into())],
            ..Capture::shell("echo $A$HOME")
        };
        assert_eq!(capture.run().unwrap().output.text(), "1\n");
    }
}
