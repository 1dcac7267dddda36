//! The kernel's controllers, which limit or count the resources of a group. Names differ between versions 1 and 2.

use fauxplat_model::Limit;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Controller {
    /// Quota and weight of CPU time.
    Cpu,
    /// The account of used CPU time.
    CpuAccount,
    /// CPUs and memory nodes.
    Cpuset,
    /// Memory and swap.
    Memory,
    /// Number of processes and threads.
    Pids,
    /// Traffic with block devices.
    Io,
    /// Pressure: the time for which tasks waited for resources; only version 2 counts it.
    Pressure,
}

impl Controller {
    pub(crate) const ALL: [Controller; 7] = [
        Controller::Cpu,
        Controller::CpuAccount,
        Controller::Cpuset,
        Controller::Memory,
        Controller::Pids,
        Controller::Io,
        Controller::Pressure,
    ];

    /// Controllers that count usage. A watched group uses them where they are available, beside the controllers that
    /// its limit needs.
    pub(crate) const ACCOUNTS: [Controller; 4] =
        [Controller::CpuAccount, Controller::Memory, Controller::Pids, Controller::Pressure];

    /// Name of the controller in messages.
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

    /// Name in version 1; `None` where version 1 has no such controller.
    pub(crate) fn in_v1(self) -> Option<&'static str> {
        match self {
            Controller::Io => Some("blkio"),
            Controller::Pressure => None,
            other => Some(other.name()),
        }
    }

    /// Name by which a group of version 2 enables the controller for its children; `None` for the account of CPU time
    /// and for pressure, which every group has without a controller.
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
