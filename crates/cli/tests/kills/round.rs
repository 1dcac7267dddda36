//! A round: a tuner is killed at one of its system calls.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use fauxplat_sys::trace::{self, Event};
use fauxplat_sys::{clock, signal};

use crate::traced;

/// Interval between two readings of a journal while its restoration is waited for.
const LOOK: Duration = Duration::from_micros(200);

/// The processes that are killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Whom {
    Tuner,
    /// The tuner's process group, as a terminal or a shell signals it.
    Group,
    /// The tuner and its guardian, as at the end of a container; the next fauxplat then has to restore the machine.
    Everybody,
}

impl Whom {
    pub(crate) const ALL: [Whom; 3] = [Whom::Tuner, Whom::Group, Whom::Everybody];
}

/// A tuning of a machine that is begun and killed in many rounds.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Words after `fauxplat tune`.
    pub(crate) words: Vec<String>,
    pub(crate) journal: PathBuf,
    /// The root of the machine's files, for `restore`.
    pub(crate) sysroot: PathBuf,
    /// Whether the tuner first records all tasks of the machine, and afterwards restores their affinity.
    pub(crate) notes_tasks: bool,
}

/// The outcome of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Time from the signal until the machine is restored, as the guardian records it; `None` when the journal had
    /// announced no change.
    pub(crate) restored_ns: Option<u64>,
    /// Number of system calls of a tuner that ended before it was to be killed; `None` for one that was killed.
    pub(crate) calls: Option<u32>,
}

impl Outcome {
    /// The outcome as text, for the file of a campaign.
    pub(crate) fn words(&self) -> String {
        let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
        format!("{} {}", number(self.restored_ns), number(self.calls.map(u64::from)))
    }

    /// Parses the output of [`Outcome::words`].
    pub(crate) fn of_words(text: &str) -> Option<Self> {
        let (restored_ns, calls) = text.split_once(' ')?;
        let number = |word: &str| if word == "-" { Some(None) } else { word.parse::<u64>().ok().map(Some) };
        let calls = number(calls)?.and_then(|calls| u32::try_from(calls).ok());
        Some(Outcome { restored_ns: number(restored_ns)?, calls })
    }
}

impl Scenario {
    pub(crate) fn tuner(&self) -> Command {
        let mut command = Command::new(super::fauxplat());
        command.arg("tune").arg("--journal").arg(&self.journal).arg("--wait");
        command.arg("--sysroot").arg(&self.sysroot).args(&self.words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0);
        command
    }

    /// The scenario with these words in place of `--for` and the command.
    pub(crate) fn with_end(&self, end: &[&str]) -> Self {
        let mut words: Vec<String> = self.words.iter().take_while(|word| *word != "--for").cloned().collect();
        words.extend(end.iter().map(|&word| word.to_owned()));
        Scenario { words, ..self.clone() }
    }

    /// Runs the tuner and kills it after this many stops at the beginning and the end of system calls.
    pub(crate) fn kill_after(&self, stops: u32, whom: Whom) -> Outcome {
        let pid = traced::begin(&mut self.tuner(), 0);
        trace::resume_to_call(pid, 0);
        for stop in 0.. {
            match trace::next_event() {
                Ok((_, Event::Ended(_))) => return Outcome { calls: Some(stop / 2), ..Outcome::default() },
                Ok((_, _)) if stop == stops => break,
                Ok((_, Event::Signal(signal))) if signal != trace::SIGTRAP => {
                    trace::resume_to_call(pid, signal);
                }
                Ok(_) => trace::resume_to_call(pid, 0),
                Err(why) => panic!("the tuner is nobody's child: {why:?}"),
            }
        }
        let announced = self.announced();
        let guardian = guardian_of(pid);
        let killed_ns = clock::monotonic_ns();
        self.kill(pid, guardian, whom);
        self.wait_until_put_back();
        let restored_ns = clock::monotonic_ns() - killed_ns;
        self.wait_until_free();
        if whom == Whom::Everybody {
            self.restore();
        }
        Outcome { restored_ns: (announced && whom != Whom::Everybody).then_some(restored_ns), calls: None }
    }

    /// Kills the tuner while its command runs, and restores the machine if no guardian is left.
    pub(crate) fn kill_while_held(&self, whom: Whom) {
        self.end_while_held(whom);
        if whom == Whom::Everybody {
            self.restore();
        }
    }

    /// Ends the tuner while its command runs, without tracing it: beside tasks that occupy the CPUs, each stop of a
    /// traced tuner takes long.
    pub(crate) fn end_while_held(&self, whom: Whom) {
        let mark = self.journal.with_extension("mark");
        let _left_behind = std::fs::remove_file(&mark);
        let hold = format!("echo $$ > {0}.new; mv {0}.new {0}; exec sleep 1000", mark.display());
        let mut tuner = self.with_end(&["--for", "sh", "-c", &hold]).tuner().spawn().expect("the tuner");
        while !mark.exists() {
            assert!(tuner.try_wait().expect("a child of our own").is_none(), "{}: it ended", self.name);
            std::thread::sleep(Duration::from_millis(5));
        }
        let pid = tuner.id() as i32;
        if let Some(guardian) = guardian_of(pid).filter(|_| whom == Whom::Everybody) {
            signal::send(guardian, signal::SIGKILL);
        }
        match whom {
            Whom::Tuner => signal::send(pid, signal::SIGKILL),
            Whom::Group | Whom::Everybody => signal::send_to_group(pid, signal::SIGKILL),
        }
        let _killed = tuner.wait();
        self.wait_until_free();
        // The command outlives a tuner that was ended alone, as any child does.
        let command = std::fs::read_to_string(&mark).unwrap_or_default();
        signal::send(command.trim().parse().unwrap_or(0), signal::SIGKILL);
    }

    fn kill(&self, pid: i32, guardian: Option<i32>, whom: Whom) {
        if let Some(guardian) = guardian.filter(|_| whom == Whom::Everybody) {
            signal::send(guardian, signal::SIGKILL);
        }
        match whom {
            Whom::Tuner => signal::send(pid, signal::SIGKILL),
            Whom::Group | Whom::Everybody => signal::send_to_group(pid, signal::SIGKILL),
        }
        while !matches!(trace::next_event(), Ok((_, Event::Ended(_))) | Err(_)) {}
    }

    /// Whether the journal announces any change of the machine, so that there may be something to restore.
    fn announced(&self) -> bool {
        std::fs::read_to_string(&self.journal).is_ok_and(|text| text.contains("\"change\""))
    }

    /// Waits until the journal reports a complete restoration or is gone, or no process is left that could restore.
    fn wait_until_put_back(&self) {
        let open = || {
            std::fs::read_to_string(&self.journal).is_ok_and(|text| !text.contains("\"record\":\"settled\""))
        };
        while open() && self.lock().is_some_and(|lock| lock.try_lock_shared().is_err()) {
            std::thread::sleep(LOOK);
        }
    }

    /// The lock that protects the journal; for a made-up machine it is beside the journal. The real machine has a
    /// single lock, wherever its journal is.
    fn lock(&self) -> Option<File> {
        let beside = |journal: &Path| {
            let mut name = journal.to_owned().into_os_string();
            name.push(".lock");
            File::open(name).ok()
        };
        match self.sysroot == Path::new("/") {
            true => ["/run/fauxplat/journal", "/var/lib/fauxplat/journal"]
                .map(Path::new)
                .into_iter()
                .find_map(beside),
            false => beside(&self.journal),
        }
    }

    /// Waits for the guardian, which holds the lock until it has checked tasks a second time.
    pub(crate) fn wait_until_free(&self) {
        if let Some(file) = self.lock() {
            file.lock_shared().expect("a lock of our own");
        }
    }

    /// Runs `restore`, as a user does when even the guardian is gone.
    pub(crate) fn restore(&self) {
        let done = self.restoring().stderr(Stdio::piped()).output().expect("fauxplat restore");
        assert!(done.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&done.stderr));
    }

    pub(crate) fn restoring(&self) -> Command {
        let mut command = Command::new(super::fauxplat());
        command.arg("restore").arg("--journal").arg(&self.journal).arg("--sysroot").arg(&self.sysroot);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// Runs the tuner to its end without killing it.
    pub(crate) fn run(&self) {
        let status = self.tuner().status().expect("the tuner");
        assert!(status.success(), "{}: {status}", self.name);
    }

    /// Checks that the journal is gone, which means that no change is left to revert.
    pub(crate) fn assert_done(&self) {
        assert!(!self.journal.exists(), "{}: the journal is still there", self.name);
    }
}

/// The process id of the guardian that a tuner started; `None` if there is none.
fn guardian_of(tuner: i32) -> Option<i32> {
    let children = std::fs::read_to_string(format!("/proc/{tuner}/task/{tuner}/children")).ok()?;
    fauxplat_procfs::task::children(&children).find(|pid| is_guardian(*pid))
}

/// Whether a process is a guardian, by the hidden verb on its command line.
pub(crate) fn is_guardian(pid: i32) -> bool {
    let line = std::fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline"));
    line.is_ok_and(|line| line.split(|&byte| byte == 0).any(|word| word == b"__guardian"))
}
