//! The name of a tuner or of a guardian that stays, by which it is found again.

use std::time::Duration;

use fauxplat_procfs::task::TaskStat;
use fauxplat_procfs::{cgroup, keyed};
use fauxplat_sys::{clock, process, signal};
use serde::{Deserialize, Serialize};

/// A process of ours: the tuner, or a guardian that stays when the tuner has ended, until its limit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keeper {
    pub(crate) pid: i32,
    /// Start time, which tells it from a later process of the same number.
    pub(crate) start_ticks: u64,
}

/// Who has waited for one and the same thing so long, or is stopped, hangs.
const STANDSTILL_NS: u64 = 1_000_000_000;
/// The same for a disk, or for what the kernel does with a CPU, neither of which can be interrupted.
const DISK_NS: u64 = 10_000_000_000;
/// Longer than a machine of hundreds of CPUs takes to be put back.
const PATIENCE_NS: u64 = 60_000_000_000;
const LOOK_EVERY: Duration = Duration::from_millis(10);

impl Keeper {
    /// The process of this number, if it is there.
    pub(crate) fn of(pid: i32) -> Option<Keeper> {
        Some(Keeper { pid, start_ticks: process::start_ticks(pid as u32)? })
    }

    /// Whether it still is.
    pub(crate) fn is_there(self) -> bool {
        Keeper::of(self.pid) == Some(self)
    }

    /// Waits as long as it is at work; whether it hangs meanwhile.
    pub(crate) fn hangs_while(self, is_at_work: impl Fn() -> bool) -> bool {
        let begun_ns = clock::monotonic_ns();
        let (mut steps, mut stepped_ns) = (None, begun_ns);
        while is_at_work() {
            let (seen, state, now_ns) = (self.steps(), self.state(), clock::monotonic_ns());
            // Who wants a CPU and has none does not hang.
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

    /// How often its first thread, which is the one that tunes, has waited for something: whoever writes to files of the
    /// kernel does so again and again.
    fn steps(self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        keyed::number(&text, "voluntary_ctxt_switches")
    }

    /// What it does, as a letter of `proc_pid_stat(5)`.
    fn state(self) -> Option<char> {
        let line = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        TaskStat::parse(&line)?.state()
    }

    /// Ends it: a guardian that has nothing left to guard, which holds no state and asleep would be no more than a puzzle;
    /// a tuner that hangs. A later process of the same number is left alone.
    pub(crate) fn end(self) {
        if self.is_there() && self.pid != std::process::id() as i32 {
            signal::send(self.pid, signal::SIGKILL);
        }
    }
}

/// What a reader must know where a guardian that outlives this process ends with somebody else: the container of which
/// this is the first process, or the service of systemd that it belongs to.
pub fn ends_with() -> Option<String> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let whom = of_whom(std::process::id(), &groups)?;
    Some(format!(
        "--max ends with {whom}, which ends its guardian too; run `fauxplat restore` where that comes first"
    ))
}

/// The kernel ends all of a container with its first process; systemd ends all of a service with that, see
/// `systemd.kill(5)`.
fn of_whom(pid: u32, groups: &str) -> Option<String> {
    if pid == 1 {
        return Some("the first process of this container".to_owned());
    }
    let of_systemd = cgroup::memberships(groups)
        .filter(|group| group.controllers.is_empty() || group.controllers == "name=systemd");
    // The innermost unit: a terminal of a desktop has a scope unit of its own below the service of its user.
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

    /// A tuner at work, as far as its guardian can see: a process that holds its journal.
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
        // In words of the shell alone, so that it is this process that works.
        let now = "read now rest < /proc/uptime; now=${now%.*}";
        let work = format!("{now}; end=$((now + 3)); while [ $now -lt $end ]; do {now}; done");
        let (is_hung, status) = hangs(&format!("{work}; exec 9>&-; exec sleep 60"));
        assert!(!is_hung && !status.success(), "it worked for three seconds, and was ended when it was done");
        let (is_hung, _) = hangs("kill -STOP $$");
        assert!(is_hung);
    }
}
