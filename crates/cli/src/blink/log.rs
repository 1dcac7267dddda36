//! Sends messages to the system's log, as datagrams to `/dev/log` in the format that syslog(3) uses and journald
//! accepts.

use std::io::{self, Write};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

use fauxplat_report::error_lines;

use crate::args::LogTo;

/// Priority of a message, with the numbers of syslog(3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// `LOG_ERR`: the program has failed.
    Error = 3,
    /// `LOG_WARNING`: something was lost, and the program continues.
    Warning = 4,
    /// `LOG_INFO`: the start, a press or the end.
    Info = 6,
}

/// `LOG_DAEMON` of syslog(3): the facility of all messages.
const FACILITY: u32 = 3;

#[derive(Debug)]
pub(crate) struct Log {
    to: LogTo,
    path: PathBuf,
    socket: Option<UnixDatagram>,
}

impl Log {
    /// Opens the log for messages; that of the system is `dev/log` below the folder `root`.
    pub(crate) fn open(to: LogTo, root: &Path) -> Self {
        let mut log = Log { to, path: root.join("dev/log"), socket: None };
        if to == LogTo::System {
            log.socket = log.connected();
        }
        log
    }

    /// Connects a socket to the system's log; `None` where there is none. The socket does not block, since a light must
    /// not wait for a log that is stuck.
    fn connected(&self) -> Option<UnixDatagram> {
        let socket = UnixDatagram::unbound().ok()?;
        socket.connect(&self.path).ok()?;
        socket.set_nonblocking(true).ok()?;
        Some(socket)
    }

    /// Writes a message where the options want it; to standard error where the system's log does not accept it.
    pub(crate) fn say(&mut self, urgency: Urgency, text: &str) {
        let to = self.to;
        match to {
            LogTo::Nowhere => {}
            LogTo::System if self.sent(urgency, text) => {}
            LogTo::System | LogTo::Stderr => tell_stderr(text),
        }
    }

    /// Writes a message that standard error has already to the system's log, if the options want it there.
    pub(crate) fn say_elsewhere(&mut self, urgency: Urgency, text: &str) {
        if self.to == LogTo::System {
            self.sent(urgency, text);
        }
    }

    fn sent(&mut self, urgency: Urgency, text: &str) -> bool {
        let priority = FACILITY << 3 | urgency as u32;
        let line = format!("<{priority}>fauxplat-blink[{}]: {text}", std::process::id());
        let send = |socket: &Option<UnixDatagram>| {
            socket.as_ref().is_some_and(|socket| socket.send(line.as_bytes()).is_ok())
        };
        if send(&self.socket) {
            return true;
        }
        // The daemon may have restarted, so the socket is connected anew.
        self.socket = self.connected();
        send(&self.socket)
    }
}

/// Writes a line to standard error, which may be closed.
pub(crate) fn tell_stderr(text: &str) {
    let _ = io::stderr().write_all(error_lines(&format!("fauxplat-blink: {text}")).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_also_after_the_log_was_started_anew() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("dev")).unwrap();
        let path = root.path().join("dev/log");
        let mut log = Log::open(LogTo::System, root.path());
        assert!(!log.sent(Urgency::Info, "nobody listens"));
        for round in 0..2 {
            let listener = UnixDatagram::bind(&path).unwrap();
            assert!(log.sent(Urgency::Warning, &format!("round {round}")));
            let mut buffer = [0; 200];
            let read = listener.recv(&mut buffer).unwrap();
            let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
            assert_eq!(text, format!("<28>fauxplat-blink[{}]: round {round}", std::process::id()));
            std::fs::remove_file(&path).unwrap();
        }
        assert!(!log.sent(Urgency::Error, "and is gone"));
    }
}
