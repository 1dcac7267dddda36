//! Identity of a process that tunes the machine, or of its guardian, by which the process is found again.

use std::time::Duration;

use fauxplat_procfs::task::TaskStat;
use fauxplat_procfs::{cgroup, keyed};
use fauxplat_sys::{clock, process, signal};
use serde::{Deserialize, Serialize};

/// Identity of a process of fauxplat: one that tunes the machine, or its guardian, which outlives it where the machine
/// stays tuned until a time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keeper {
    pub(crate) pid: i32,
    /// Start time in clock ticks since boot, which distinguishes the process from a later one with the same id.
    pub(crate) start_ticks: u64,
}

/// Nanoseconds for which a process may make no progress, or be stopped, before it counts as hanging.
const STANDSTILL_NS: u64 = 1_000_000_000;
/// Nanoseconds for which a process may make no progress in an uninterruptible wait, for a disk or for a CPU that
/// changes its state, before it counts as hanging.
const DISK_NS: u64 = 10_000_000_000;
/// Nanoseconds after which even a busy process counts as hanging: longer than restoring a machine of hundreds of CPUs
/// takes.
const PATIENCE_NS: u64 = 60_000_000_000;
const LOOK_EVERY: Duration = Duration::from_millis(10);

impl Keeper {
    /// Returns the identity of the process with this id; `None` if there is no such process.
    pub(crate) fn of(pid: i32) -> Option<Keeper> {
        Some(Keeper { pid, start_ticks: process::start_ticks(pid as u32)? })
    }

    pub(crate) fn is_there(self) -> bool {
        Keeper::of(self.pid) == Some(self)
    }

    /// Waits while `is_at_work` returns true. Returns true as soon as the process counts as hanging, and false when its
    /// work is over.
    pub(crate) fn hangs_while(self, is_at_work: impl Fn() -> bool) -> bool {
        let begun_ns = clock::monotonic_ns();
        let (mut steps, mut stepped_ns) = (None, begun_ns);
        while is_at_work() {
            let (seen, state, now_ns) = (self.steps(), self.state(), clock::monotonic_ns());
            // A process that is runnable but gets no CPU does not hang.
            if seen != steps || state == Some('R') {
                (steps, stepped_ns) = (seen, now_ns);
            }
            let limit_ns = if state == Some('D') { DISK_NS } else { STANDSTILL_NS };
            if now_ns - stepped_ns > limit_ns || now_ns - begun_ns > PATIENCE_NS {
                return true;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        false
    }

    /// Returns the number of voluntary context switches of the process's first thread, which does the tuning, as a
    /// measure of progress: a thread that writes to files of the kernel waits again and again.
    fn steps(self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        keyed::number(&text, "voluntary_ctxt_switches")
    }

    /// Returns the state of the process as a letter, see `proc_pid_stat(5)`.
    fn state(self) -> Option<char> {
        let line = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        TaskStat::parse(&line)?.state()
    }

    /// Kills the process, unless it is this one: the guardian of a machine that is restored, or a tuner that hangs. A
    /// later process with the same id is not touched.
    pub(crate) fn end(self) {
        if self.is_there() && self.pid != std::process::id() as i32 {
            signal::send(self.pid, signal::SIGKILL);
        }
    }
}

/// Returns a warning if a guardian that outlives this process would be killed with something else: with the container
/// whose first process this is, or with the systemd service to which this process belongs. `None` otherwise.
pub fn ends_with() -> Option<String> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let whom = of_whom(std::process::id(), &groups)?;
    Some(format!(
        "the guardian of --max ends with {whom}: if that comes before the time is over, run `fauxplat restore`"
    ))
}

/// Names the process or service with whose end the process `pid` is killed; `None` if there is none. The kernel ends
/// all processes of a container with its first process; systemd ends all processes of a service with the service, see
/// `systemd.kill(5)`.
fn of_whom(pid: u32, groups: &str) -> Option<String> {
    if pid == 1 {
        return Some("the first process of this container".to_owned());
    }
    let of_systemd = cgroup::memberships(groups)
        .filter(|group| group.controllers.is_empty() || group.controllers == "name=systemd");
    // The innermost unit counts: a desktop terminal has a scope unit of its own below the service of its user.
    let mut units = of_systemd.filter_map(|group| {
        group.path.rsplit('/').find(|name| name.ends_with(".service") || name.ends_with(".scope"))
    });
    let service = units.find(|unit| unit.ends_with(".service"))?;
    Some(format!("the service {service}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guardian_ends_with_its_container_or_service() {
        let first = of_whom(1, "0::/\n").unwrap();
        assert!(first.contains("container"), "{first}");
        let service = Some("the service bench.service".to_owned());
        assert_eq!(of_whom(7, "0::/system.slice/bench.service\n"), service);
        assert_eq!(
            of_whom(7, "4:memory:/x\n1:name=systemd:/system.slice/bench.service/part\n0::/\n"),
            service
        );
        for groups in [
            "",
            "0::/\n",
            "0::/user.slice/user-1000.slice/session-3.scope\n",
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/terminal.scope\n",
            "4:memory:/some.service\n0::/\n",
        ] {
            assert_eq!(of_whom(7, groups), None, "{groups}");
        }
    }

    #[test]
    fn a_process_that_is_dead_keeps_nothing() {
        let us = Keeper::of(std::process::id() as i32).unwrap();
        assert!(us.is_there());
        assert!(!Keeper { start_ticks: us.start_ticks + 1, ..us }.is_there(), "another of the same number");
    }

    /// Starts a process that holds a lock on a journal, as a tuner does. Returns whether the process hangs, and how it
    /// ended.
    #[expect(clippy::disallowed_methods, reason = "a test starts processes")]
    fn hangs(line: &str) -> (bool, std::process::ExitStatus) {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        let line = format!("exec 9> \"$0\"; flock 9 || exit; {line}");
        let mut child = std::process::Command::new("sh").arg("-c").arg(line).arg(&journal).spawn().unwrap();
        let is_held = || std::fs::File::open(&journal).is_ok_and(|file| file.try_lock().is_err());
        while !is_held() {
            assert_eq!(child.try_wait().unwrap(), None, "it has no lock");
            std::thread::sleep(LOOK_EVERY);
        }
        let keeper = Keeper::of(child.id() as i32).unwrap();
        let hangs = keeper.hangs_while(is_held);
        keeper.end();
        (hangs, child.wait().unwrap())
    }

    #[test]
    fn who_works_is_waited_for_and_who_hangs_is_not() {
        // Only builtins of the shell are used, so that the shell process itself does the work.
        let now = "read now rest < /proc/uptime; now=${now%.*}";
        let work = format!("{now}; end=$((now + 3)); while [ $now -lt $end ]; do {now}; done");
        let (is_hung, status) = hangs(&format!("{work}; exec 9>&-; exec sleep 60"));
        assert!(!is_hung && !status.success(), "it worked for three seconds, and was ended when it was done");
        let (is_hung, _) = hangs("kill -STOP $$");
        assert!(is_hung);
    }
}
