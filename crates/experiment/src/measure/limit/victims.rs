//! Finds the processes that the kernel killed for lack of memory, in the kernel's log.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

use fauxplat_model::Victim;
use fauxplat_procfs::oom;
use fauxplat_sys::klog;

/// The kernel's log from the moment on at which it was opened.
pub(super) struct Log {
    file: Result<RefCell<File>, String>,
    messages: RefCell<Vec<String>>,
}

impl Log {
    pub(super) fn open(root: &Path) -> Log {
        let at_end = |mut file: File| file.seek(SeekFrom::End(0)).map(|_| RefCell::new(file));
        let file = klog::open(root).and_then(at_end).map_err(|error| error.to_string());
        Log { file, messages: RefCell::default() }
    }

    /// Reason why it is not known which processes were killed.
    pub(super) fn why(&self) -> String {
        match &self.file {
            Ok(_) => "the kernel's log does not name them".to_owned(),
            Err(error) => {
                format!("the kernel's log, which names them, cannot be read ({error}); run as root")
            }
        }
    }

    /// Processes that were killed for lack of memory because of the limit of the control group with this path. `pids`
    /// has ids of processes in the group, which identify a victim whose group the log does not name.
    pub(super) fn victims(&self, group: Option<&str>, pids: &[i32]) -> Vec<Victim> {
        let Ok(file) = &self.file else { return Vec::new() };
        let fresh = klog::records(&mut *file.borrow_mut());
        let mut messages = self.messages.borrow_mut();
        messages.extend(fresh.into_iter().map(|record| record.message));
        victims_of(&messages.iter().map(String::as_str).collect::<Vec<_>>(), group, pids)
    }
}

/// Killed processes of a group in these messages. The kernel may omit the line with the group's name when there are
/// many messages; a known process id suffices without it.
fn victims_of(messages: &[&str], group: Option<&str>, pids: &[i32]) -> Vec<Victim> {
    let chosen = |pid: u32| {
        let mut latest_first = messages.iter().rev().filter_map(|message| oom::choice(message));
        latest_first.find(|choice| choice.pid == pid).map(|choice| choice.group)
    };
    let is_ours = |pid: u32| match (chosen(pid), group) {
        (Some(theirs), Some(ours)) => theirs == ours,
        _ => i32::try_from(pid).is_ok_and(|pid| pids.contains(&pid)),
    };
    let kills = messages.iter().filter_map(|message| oom::kill(message));
    kills
        .filter(|kill| is_ours(kill.pid))
        .map(|kill| Victim {
            pid: kill.pid,
            name: kill.name.to_owned(),
            anonymous_bytes: kill.anonymous_bytes,
            virtual_bytes: kill.virtual_bytes,
        })
        .collect()
}

/// The victim of a group in which one process was killed, if the log does not name it: a command that ended by SIGKILL.
pub(super) fn by_its_end(pid: i32, name: &str) -> Victim {
    Victim { pid: pid.cast_unsigned(), name: name.to_owned(), ..Victim::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: [&str; 4] = [
        "oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/a,task_memcg=/a,task=x,pid=7,uid=0",
        "Memory cgroup out of memory: Killed process 7 (x) total-vm:8kB, anon-rss:4kB, file-rss:0kB",
        "usb 1-1: new device",
        "Memory cgroup out of memory: Killed process 8 (y) total-vm:8kB, anon-rss:4kB, file-rss:0kB",
    ];

    #[test]
    fn a_victim_is_known_by_its_group_or_its_number() {
        let pids = |group, pids: &[i32]| -> Vec<u32> {
            victims_of(&MESSAGES, group, pids).iter().map(|victim| victim.pid).collect()
        };
        assert_eq!(pids(Some("/a"), &[]), [7]);
        assert_eq!(pids(Some("/b"), &[7]), [0; 0], "the number is used again elsewhere, in another group");
        assert_eq!(pids(Some("/b"), &[8]), [8], "its other line was left out");
        assert_eq!(pids(None, &[7, 8]), [7, 8]);
        assert_eq!(victims_of(&MESSAGES, Some("/a"), &[])[0].anonymous_bytes, Some(4096));
    }

    #[test]
    fn a_log_that_cannot_be_read_says_so() {
        let empty = tempfile::tempdir().unwrap();
        let log = Log::open(empty.path());
        assert!(log.victims(Some("/a"), &[7]).is_empty() && log.why().contains("cannot be read"));
    }
}
