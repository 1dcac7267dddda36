//! Controllers of the kernel, by which it limits or counts a group: their names differ between the two versions.

use fauxplat_model::Limit;

/// A controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Controller {
    /// Quota and weight of CPU time.
    Cpu,
    /// The account of CPU time.
    CpuAccount,
    /// CPUs and memory nodes.
    Cpuset,
    /// Memory and swap.
    Memory,
    /// Number of processes and threads.
    Pids,
    /// Traffic with devices.
    Io,
    /// Pressure, how long tasks waited for resources; in the hierarchy of version 2 alone.
    Pressure,
}

impl Controller {
    /// Every controller.
    pub(crate) const ALL: [Controller; 7] = [
        Controller::Cpu,
        Controller::CpuAccount,
        Controller::Cpuset,
        Controller::Memory,
        Controller::Pids,
        Controller::Io,
        Controller::Pressure,
    ];

    /// Controllers that count, and are used besides those that limit wherever they are available.
    pub(crate) const ACCOUNTS: [Controller; 4] =
        [Controller::CpuAccount, Controller::Memory, Controller::Pids, Controller::Pressure];

    /// Name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Controller::Cpu => "cpu",
            Controller::CpuAccount => "cpuacct",
            Controller::Cpuset => "cpuset",
            Controller::Memory => "memory",
            Controller::Pids => "pids",
            Controller::Io => "io",
            Controller::Pressure => "pressure",
        }
    }

    /// Name in version 1; `None` where that has no such controller.
    pub(crate) fn in_v1(self) -> Option<&'static str> {
        match self {
            Controller::Io => Some("blkio"),
            Controller::Pressure => None,
            other => Some(other.name()),
        }
    }

    /// Name to enable in version 2; `None` for accounts that every group has.
    pub(crate) fn in_v2(self) -> Option<&'static str> {
        match self {
            Controller::CpuAccount | Controller::Pressure => None,
            other => Some(other.name()),
        }
    }

    /// The controllers that a limit needs.
    pub(crate) fn needed(limit: &Limit) -> Vec<Controller> {
        let needed = [
            (Controller::Cpu, limit.cpu_percent.is_some() || limit.weight.is_some()),
            (Controller::Cpuset, limit.cpus.is_some() || limit.mems.is_some()),
            (Controller::Memory, limit.memory.is_some() || limit.swap.is_some()),
            (Controller::Pids, limit.pids.is_some()),
            (Controller::Io, !limit.io.is_empty()),
        ];
        needed.into_iter().filter_map(|(controller, is_needed)| is_needed.then_some(controller)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_needs_its_controllers_and_no_others() {
        let needed = |text: &str| Controller::needed(&text.parse().unwrap());
        assert_eq!(needed("none"), []);
        assert_eq!(needed("weight:50"), [Controller::Cpu]);
        assert_eq!(needed("mems:0+swap:0"), [Controller::Cpuset, Controller::Memory]);
        assert_eq!(
            needed("cpu:1%+pids:3+io:8:0:rbps=1"),
            [Controller::Cpu, Controller::Pids, Controller::Io]
        );
    }

    #[test]
    fn each_has_a_name_where_it_is() {
        for controller in Controller::ALL {
            assert!(
                controller.in_v1().is_some()
                    || controller.in_v2().is_some()
                    || controller == Controller::Pressure
            );
        }
        assert_eq!((Controller::Io.in_v1(), Controller::Io.in_v2()), (Some("blkio"), Some("io")));
    }
}
