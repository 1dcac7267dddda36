//! The name of a tuner or of a guardian that stays, by which it is found again.

use fauxplat_procfs::cgroup;
use fauxplat_sys::{process, signal};
use serde::{Deserialize, Serialize};

/// A process of ours: the tuner, or a guardian that stays when the tuner has ended, until its limit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keeper {
    pub(crate) pid: i32,
    /// Start time, which tells it from a later process of the same number.
    pub(crate) start_ticks: u64,
}

impl Keeper {
    /// The process of this number, if it is there.
    pub(crate) fn of(pid: i32) -> Option<Keeper> {
        Some(Keeper { pid, start_ticks: process::start_ticks(pid as u32)? })
    }

    /// Whether it still is.
    pub(crate) fn is_there(self) -> bool {
        Keeper::of(self.pid) == Some(self)
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
    // The innermost unit: a terminal of a desktop has a scope of its own below the service of its user.
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
}
