//! Runs commands that are not measured and whose output is needed: builds, and programs whose answers are compared.

#![expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]

mod stream;

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use fauxplat_model::{EnvBase, Outcome};
use fauxplat_sys::files::open_at_once;
use fauxplat_sys::process::Exit;
use fauxplat_sys::supervisor::{self, Leftovers, Report, Supervised, Terms};
use fauxplat_sys::{clock, signal};

use crate::{LaunchError, procfs};
use stream::Stream;
pub use stream::Written;

#[derive(Clone, Debug, Default)]
pub struct Capture {
    pub program: PathBuf,
    /// Arguments of the program, without argument 0.
    pub arguments: Vec<String>,
    pub env: EnvBase,
    pub env_set: Vec<(String, String)>,
    /// Working directory; fauxplat's own when absent.
    pub cwd: Option<PathBuf>,
    /// Standard input; `/dev/null` when absent.
    pub stdin: Option<PathBuf>,
    /// Whether standard error is merged into `output`, in the order of writing; otherwise it is kept in `errors`.
    pub with_stderr: bool,
    /// Whether the command continues when the user first asks fauxplat to stop, or when fauxplat is killed: a command
    /// that restores something must finish. A second request while the command runs ends it.
    pub is_spared: bool,
    /// Whether processes that the command has left behind are ended when the command ends, also those that have left its
    /// process group. False for a command that may leave a server for the runs.
    pub ends_leftovers: bool,
    /// Time limit, after which the command is asked to end as if the user had interrupted it.
    pub limit: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Outcome of the command. [`Outcome::TimedOut`] means that fauxplat ended the command at its time limit.
    pub outcome: Outcome,
    /// Standard output; standard error is included if [`Capture::with_stderr`] is set.
    pub output: Written,
    /// Standard error; empty if [`Capture::with_stderr`] is set.
    pub errors: Written,
    /// Processes that the command left behind; none unless [`Capture::ends_leftovers`] is set.
    pub leftovers: Leftovers,
}

/// Words about processes that commands left behind, as a part of a sentence whose subject is the commands; `None` where
/// there are none.
pub fn left_behind(leftovers: Leftovers) -> Option<String> {
    match leftovers {
        Leftovers { ended: 0, some_live: false } => None,
        Leftovers { ended, some_live: false } => {
            let processes = if ended == 1 { "process" } else { "processes" };
            Some(format!("left {ended} {processes} behind, ended so as not to run beside the measurement"))
        }
        Leftovers { some_live: true, .. } => Some(
            "left processes behind that could not be found or ended, and may run beside the measurement"
                .to_owned(),
        ),
    }
}

impl Capture {
    pub fn shell(line: &str) -> Self {
        Capture {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), line.into()],
            with_stderr: true,
            ..Capture::default()
        }
    }

    /// Runs the command to its end. Its output is read all the time, so that the command never blocks on a full pipe,
    /// and a bounded part of it is kept.
    ///
    /// # Errors
    /// Fails where a file cannot be opened, the command cannot be started, or the user interrupted it.
    pub fn run(&self) -> Result<Captured, LaunchError> {
        let stdin = match &self.stdin {
            None => Stdio::null(),
            Some(path) => open_at_once(path, false).map_err(fail(path))?.into(),
        };
        let followed = self.follow(stdin).map_err(fail(&self.program))?;
        let mut done = followed.ok_or_else(|| LaunchError::Interrupted { command: self.words() })?;
        if self.with_stderr {
            done.errors = Written::default();
        }
        Ok(done)
    }

    /// The command as messages show it: the line that a shell was given by `-c`, or the program with its arguments.
    fn words(&self) -> String {
        match self.arguments.as_slice() {
            [.., option, line] if option == "-c" => line.clone(),
            words => {
                let program = self.program.display().to_string();
                std::iter::once(program).chain(words.iter().cloned()).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Starts the command, waits for its end and collects its output; `None` if the user interrupted it.
    fn follow(&self, stdin: Stdio) -> io::Result<Option<Captured>> {
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
        // The command gets a process group of its own, so that an interruption also reaches the processes that it
        // started. A command that restores something finishes also without fauxplat.
        let terms = Terms { ends_with_us: !self.is_spared, ends_leftovers: self.ends_leftovers };
        let mut child = Running::new(supervisor::start(&mut command, terms)?, self);
        // `command` holds copies of the pipes' write ends. While those are open, the end of the output is not seen.
        drop(command);
        while !child.is_over()? {
            let read = output.take()? | errors.take()?;
            if !read {
                output.wait(NAP_MS)?;
            }
        }
        // Processes left behind may hold the pipes open for ever, so only the present content of the pipes is read.
        output.finish()?;
        errors.finish()?;
        let outcome = match child.ended_by() {
            Some(EndedBy::User) => return Ok(None),
            Some(EndedBy::Limit) => Outcome::TimedOut,
            None => child.outcome(),
        };
        let leftovers = child.command.leftovers();
        let (output, errors) = (output.into_written(), errors.into_written());
        Ok(Some(Captured { outcome, output, errors, leftovers }))
    }
}

fn fail(path: &std::path::Path) -> impl FnOnce(io::Error) -> LaunchError {
    let path = path.to_owned();
    move |source| LaunchError::File { path, source }
}

/// Longest wait for output before the child is checked again, in milliseconds: short beside the time of a build.
const NAP_MS: i32 = 1;

/// Time that a command may stay stopped, in which a process that it started may continue it. Beyond it nobody would: the
/// user's terminal does not know the command as a job.
const STOPPED_NS: u64 = 10_000_000_000;

/// Time that a command has to end after it was asked to by SIGTERM, until it is killed.
const GRACE_NS: u64 = 2_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndedBy {
    /// The user asked fauxplat to stop.
    User,
    /// The time limit passed.
    Limit,
}

struct Running {
    command: Supervised,
    /// The command is asked to end once the user has made more requests to stop than this number; 0 unless the command
    /// is spared.
    stops_before: u32,
    end_ns: Option<u64>,
    /// Time by `CLOCK_MONOTONIC` at which the command was asked to end, and the reason; `None` before.
    asked: Option<(u64, EndedBy)>,
    /// Whether the command has been killed because the grace period after the request to end was over.
    is_enforced: bool,
    end: Option<Exit>,
    /// The signal that stopped the command, after which fauxplat killed it.
    stopped_by: Option<i32>,
    /// The signal that stopped the command last, and the time by `CLOCK_MONOTONIC` at which that was seen.
    stop: Option<(i32, u64)>,
}

impl Running {
    fn new(command: Supervised, capture: &Capture) -> Self {
        let nanos = |limit: Duration| u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        let end_ns = capture.limit.map(|limit| clock::monotonic_ns().saturating_add(nanos(limit)));
        // A spared command, such as one that restores a setting after a measurement, continues after the first request
        // to stop, which is meant for the measurement. Requests from before the start of the command do not count.
        let stops_before = if capture.is_spared { signal::stops().max(1) } else { 0 };
        Running {
            command,
            stops_before,
            end_ns,
            asked: None,
            is_enforced: false,
            end: None,
            stopped_by: None,
            stop: None,
        }
    }

    /// The reason for which the command has to end; `None` where it may continue.
    fn has_to_end(&self) -> Option<EndedBy> {
        let is_late = self.end_ns.is_some_and(|end_ns| clock::monotonic_ns() >= end_ns);
        let is_stopped = signal::stops() > self.stops_before;
        is_stopped.then_some(EndedBy::User).or(is_late.then_some(EndedBy::Limit))
    }

    /// Returns whether to wait no longer for the command, and ends a command that has to end.
    ///
    /// The process group of the command gets SIGTERM, and SIGKILL after `GRACE_NS`, because a command that ignores
    /// SIGTERM or is stopped would be waited for without end. The whole group is waited for: a shell ends at once,
    /// while the compiler that it started still has files to remove. A process that now belongs to another user, such
    /// as one started by sudo, cannot be signalled and is not waited for.
    fn is_over(&mut self) -> io::Result<bool> {
        let group = self.command.pid();
        let mut is_in_reach = true;
        match self.command.look()? {
            Some(Report::Ended(end)) => self.end = Some(end),
            // The supervisor, the command's parent, was killed, usually by the command itself. The command was then
            // killed, too.
            Some(Report::Lost) => self.end = Some(Exit::Signal(signal::SIGKILL as u8)),
            // SIGTTIN and SIGTTOU stop a command that uses the terminal from the background. No shell would continue
            // the command, so it is killed.
            Some(Report::Stopped(signal)) if [signal::SIGTTIN, signal::SIGTTOU].contains(&signal) => {
                is_in_reach = signal::send_group(group, signal::SIGKILL);
                self.stopped_by = Some(signal);
            }
            Some(Report::Stopped(signal)) => self.stop = Some((signal, clock::monotonic_ns())),
            None => {}
        }
        if let Some(signal) = self.stays_stopped_by() {
            is_in_reach = signal::send_group(group, signal::SIGKILL);
            self.stopped_by = Some(signal);
        }
        let is_over = || self.asked.is_none() || self.is_enforced || !procfs::group_lives(group);
        if self.end.is_some() && is_over() {
            return Ok(true);
        }
        match (self.asked, self.has_to_end()) {
            (None, Some(reason)) => {
                self.command.ask_to_end();
                self.asked = Some((clock::monotonic_ns(), reason));
            }
            (Some((asked_ns, _)), _) if clock::monotonic_ns() - asked_ns > GRACE_NS => {
                is_in_reach = signal::send_group(group, signal::SIGKILL);
                self.is_enforced = true;
            }
            _ => {}
        }
        Ok(!is_in_reach)
    }

    /// The signal that stopped the command long ago, so that nobody will continue it; `None` where it runs. A command
    /// that has to end is left to the grace period.
    fn stays_stopped_by(&mut self) -> Option<i32> {
        let (signal, since_ns) = self.stop.filter(|_| self.asked.is_none())?;
        if clock::monotonic_ns().saturating_sub(since_ns) < STOPPED_NS {
            return None;
        }
        self.stop = None;
        procfs::is_stopped(self.command.pid()).then_some(signal)
    }

    /// Why fauxplat ended the command, if it did. A command that ended by SIGINT counts as ended by the user if the
    /// user interrupted fauxplat: the terminal's signal also reaches a child that has not left this process group yet.
    fn ended_by(&self) -> Option<EndedBy> {
        let by_the_key =
            matches!(self.outcome(), Outcome::Signaled(signal) if i32::from(signal) == signal::SIGINT);
        let pressed = by_the_key && signal::stops() > self.stops_before;
        self.asked.map(|(_, reason)| reason).or(pressed.then_some(EndedBy::User))
    }

    fn outcome(&self) -> Outcome {
        outcome(self.end, self.stopped_by)
    }
}

fn outcome(end: Option<Exit>, stopped_by: Option<i32>) -> Outcome {
    // fauxplat killed a command that was stopped, so the reported signal is the one that stopped the command.
    if let Some(signal) = stopped_by {
        return Outcome::Signaled(signal as u8);
    }
    match end {
        None => Outcome::TimedOut,
        Some(Exit::Status(code)) => Outcome::Exited(code),
        Some(Exit::Signal(signal)) => Outcome::Signaled(signal),
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

    /// Processes that a command leaves behind may hold the pipe open and write for ever, so only the command itself is
    /// waited for.
    #[test]
    fn waits_for_nobody_but_the_command() {
        let done = Capture::shell("(sleep 20; echo late) & echo early; exit 3").run().unwrap();
        assert_eq!((done.outcome, &*done.output.text()), (Outcome::Exited(3), "early\n"));
        // `yes` ends when the pipe has no reader any more.
        let done = Capture::shell("yes & exit 3").run().unwrap();
        assert_eq!(done.outcome, Outcome::Exited(3));
    }

    #[test]
    fn ends_and_counts_what_a_command_leaves_behind() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let line = format!(
            "setsid sh -c 'echo $$ > {0}; sleep 1000' & sleep 1000 & until [ -s {0} ]; do :; done",
            file.display()
        );
        let done = Capture { ends_leftovers: true, ..Capture::shell(&line) }.run().unwrap();
        assert_eq!(done.outcome, Outcome::Exited(0));
        assert!(done.leftovers.ended >= 2 && !done.leftovers.some_live, "{:?}", done.leftovers);
        let pid = std::fs::read_to_string(&file).unwrap();
        assert!(!std::path::Path::new("/proc").join(pid.trim()).exists());
        let none = Capture { ends_leftovers: true, ..Capture::shell("sleep 0") }.run().unwrap();
        assert_eq!(left_behind(none.leftovers), None);
        let said = |ended, some_live| left_behind(Leftovers { ended, some_live }).unwrap();
        assert!(
            said(1, false).starts_with("left 1 process behind") && said(2, false).contains("2 processes")
        );
        assert!(said(0, true).contains("may run beside"));
    }

    /// The command and its child ignore the request to end, and the capture must not wait for them.
    #[test]
    fn ends_with_its_time() {
        let line = Capture::shell("trap '' TERM; echo begun; sleep 1000; sleep 1000");
        let begun_ns = clock::monotonic_ns();
        // On a slow machine the command may not have printed within the first limits, and is given longer ones.
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

    /// The shell ends at once, and its child takes longer. The handler of the child starts no other program, since slow
    /// machines do not manage that within the grace period.
    #[test]
    fn one_that_was_asked_to_end_has_tidied_up_when_it_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let tidying = "i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done; : > tidied; exit";
        let line = format!("(trap '{tidying}' TERM; echo begun; sleep 1000 & wait) & wait");
        let line = Capture { cwd: Some(folder.path().to_owned()), ..Capture::shell(&line) };
        let limits = [200, 2_000, 20_000, 200_000].map(Duration::from_millis);
        let within = |limit| Capture { limit: Some(limit), ..line.clone() }.run().unwrap();
        // A machine that keeps the child from running for the whole grace period leaves it no time to tidy up, so that
        // another attempt is made then, too.
        let is_tidied = limits
            .into_iter()
            .map(within)
            .any(|done| done.output.text().starts_with("begun\n") && folder.path().join("tidied").exists());
        assert!(is_tidied);
    }

    fn eventually(mut holds: impl FnMut() -> bool) {
        let step = Duration::from_millis(5);
        assert!((0..60_000).any(|_| holds() || (std::thread::sleep(step), false).1));
    }

    /// The child of the ended shell is a zombie until its new parent has reaped it; a zombie counts as ended. On a busy
    /// machine a killed process may not end within the grace period, so three attempts are made.
    #[test]
    fn the_dead_are_not_waited_for() {
        assert!((0..3).any(|_| ends_without_force()));
    }

    /// Asks a command with two children to end; returns whether it was over before it was killed for being late.
    fn ends_without_force() -> bool {
        let line = Capture::shell("sleep 1000 & sleep 1000 & touch begun; wait");
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(&line.program);
        command.args(&line.arguments).current_dir(folder.path());
        let mut running = Running::new(supervisor::start(&mut command, Terms::default()).unwrap(), &line);
        eventually(|| folder.path().join("begun").exists());
        running.command.ask_to_end();
        running.asked = Some((clock::monotonic_ns(), EndedBy::User));
        eventually(|| running.is_over().unwrap());
        !running.is_enforced
    }

    /// The parent of the command is the supervisor and not fauxplat, so that a command that stops or kills its parent
    /// neither stops nor kills fauxplat.
    #[test]
    fn a_command_that_stops_or_kills_its_parent_reaches_fauxplat_in_no_way() {
        let stopper = Capture::shell("kill -STOP $PPID; echo on; exit 3").run().unwrap();
        assert_eq!((stopper.outcome, &*stopper.output.text()), (Outcome::Exited(3), "on\n"));
        let killer = Capture::shell("kill -9 $PPID; sleep 1000").run().unwrap();
        assert_eq!(killer.outcome, Outcome::Signaled(9));
        let limit = Some(Duration::from_millis(300));
        let hangs = Capture { limit, ..Capture::shell("kill -STOP $PPID; kill -STOP 0; true") };
        assert_eq!(hangs.run().unwrap().outcome, Outcome::TimedOut);
    }

    #[test]
    fn a_command_that_stops_itself_is_not_waited_for_without_end() {
        for line in ["kill -STOP $$; exit 3", "kill -STOP 0; exit 3"] {
            let done = Capture::shell(line).run().unwrap();
            assert_eq!(done.outcome, Outcome::Signaled(19), "{line}");
        }
        let stopped = "grep -q '^State:.T' /proc/$$/status";
        let line = format!("(until {stopped}; do sleep 0.01; done; kill -CONT $$) & kill -STOP $$; exit 3");
        assert_eq!(Capture::shell(&line).run().unwrap().outcome, Outcome::Exited(3));
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
