//! A real terminal, made by `script(1)`; the kernel turns keys that are pressed on it into signals.

use std::fs;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};

use fauxplat_procfs::task::TaskStat;
use fauxplat_sys::signal;

use crate::common::{HEARING, Lab, SIGKILL, eventually};

pub(crate) const CTRL_C: u8 = 3;
pub(crate) const CTRL_Z: u8 = 26;

/// A terminal with a shell that has job control, like that of a user.
pub(crate) struct Terminal {
    script: Child,
    keys: ChildStdin,
}

impl Terminal {
    /// Runs a line on a new terminal. `fauxplat` is the fauxplat of the laboratory there, with its store. The shell
    /// survives the signals of all keys, but not the end of the terminal, and writes the exit code of the line to the
    /// file `code`.
    pub(crate) fn new(lab: &Lab, line: &str) -> Self {
        let fauxplat = lab.starter().join(" ");
        let store = lab.file("store.sqlite");
        lab.write("preamble.sh", &format!("fauxplat() {{ {fauxplat} \"$@\" --store '{store}'; }}\n"));
        let line = format!("{line}\necho $? > told; mv told code\n");
        lab.write("line.sh", &format!("set -m\ntrap : INT TSTP\n. ./preamble.sh\n{line}"));
        let mut command = Command::new(HEARING[0]);
        command.args(&HEARING[1..]).args(["script", "-q", "-e", "-f", "-c", "sh line.sh", &lab.file("said")]);
        lab.settle(&mut command);
        command.env("SHELL", "/bin/sh").env("TERM", "xterm");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut script = command.spawn().expect("script(1), of bsdutils");
        let keys = script.stdin.take().unwrap();
        Terminal { script, keys }
    }

    pub(crate) fn press(&mut self, key: u8) {
        self.keys.write_all(&[key]).and_then(|()| self.keys.flush()).unwrap();
    }

    /// Ends the terminal, as closing its window does.
    pub(crate) fn hang_up(&mut self) {
        signal::send(self.script.id() as i32, SIGKILL);
        self.script.wait().unwrap();
    }

    /// Waits for the end of the command line on the terminal, and returns its exit code as text.
    pub(crate) fn code(mut self, lab: &Lab) -> String {
        // `script` reads the last output before it ends.
        let ended = eventually(|| lab.path("code").exists())
            && eventually(|| self.script.try_wait().unwrap().is_some());
        let _gone = (self.script.kill(), self.script.wait());
        assert!(ended, "the line did not end: {}", said(lab));
        lab.read("code").trim().to_owned()
    }
}

/// The text that was written to the terminal.
pub(crate) fn said(lab: &Lab) -> String {
    String::from_utf8_lossy(&fs::read(lab.path("said")).unwrap_or_default()).into_owned()
}

/// The state of a process, as `proc_pid_stat(5)` has it: `T` is stopped. `None` for a process that is gone, or a
/// zombie.
pub(crate) fn state(pid: i32) -> Option<char> {
    of_process(pid, |task| (!task.is_dead()).then(|| task.state())?)
}

pub(crate) fn parent(pid: i32) -> Option<i32> {
    of_process(pid, |task| task.parent())
}

fn of_process<T>(pid: i32, read: impl Fn(&TaskStat<'_>) -> Option<T>) -> Option<T> {
    read(&TaskStat::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?)
}
