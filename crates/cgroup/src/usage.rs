//! Resource usage of a group, and how often it reached its limits.

use std::path::Path;

use fauxplat_model::GroupUsage;
use fauxplat_procfs::{cgroup, keyed, number, pressure};

use crate::group::GroupFolders;
use crate::hierarchy::{Version, read};
use crate::{Controller, Group};

impl Group {
    /// Present usage of the group, and totals since it was made.
    pub fn usage(&self) -> GroupUsage {
        let mut usage = GroupUsage::default();
        if let Some(place) = self.place(Controller::Memory) {
            add_memory(&mut usage, place);
        }
        if let Some(place) = self.place(Controller::CpuAccount).or(self.place(Controller::Cpu)) {
            usage.cpu_ns = match place.version {
                Version::One => counted(place.folder, "cpuacct.usage"),
                Version::Two => keyed::number(&read(&place.folder.join("cpu.stat")), "usage_usec")
                    .and_then(|us| us.checked_mul(1000)),
            };
        }
        if let Some(place) = self.place(Controller::Cpu) {
            let stat = read(&place.folder.join("cpu.stat"));
            usage.periods = cgroup::periods(&stat);
            usage.throttled_periods = cgroup::throttled_periods(&stat);
            usage.throttled_ns = cgroup::throttled_ns(&stat);
        }
        if let Some(place) = self.place(Controller::Pids) {
            usage.pids = counted(place.folder, "pids.current");
            usage.pids_refused = keyed::number(&read(&place.folder.join("pids.events")), "max");
        }
        if let Some(place) = self.place(Controller::Pressure) {
            let of =
                |file: &str| pressure::some(&read(&place.folder.join(file))).and_then(|line| line.total_us);
            usage.cpu_pressure_us = of("cpu.pressure");
            usage.memory_pressure_us = of("memory.pressure");
            usage.io_pressure_us = of("io.pressure");
        }
        usage
    }

    /// Peak memory since the group was made. In version 2 the kernel counts the peak since Linux 5.19; `None` before.
    pub fn peak_memory_bytes(&self) -> Option<u64> {
        let place = self.place(Controller::Memory)?;
        match place.version {
            Version::One => counted(place.folder, "memory.max_usage_in_bytes"),
            Version::Two => counted(place.folder, "memory.peak"),
        }
    }
}

fn add_memory(usage: &mut GroupUsage, GroupFolders { version, folder, .. }: GroupFolders<'_>) {
    match version {
        Version::One => {
            let control = read(&folder.join("memory.oom_control"));
            usage.memory_bytes = counted(folder, "memory.usage_in_bytes");
            usage.swap_bytes = counted(folder, "memory.memsw.usage_in_bytes")
                .zip(usage.memory_bytes)
                .map(|(sum, memory)| sum.saturating_sub(memory));
            // A group without swap meets the limit of memory and swap together before the equal limit of memory, so
            // both counts are added.
            let met = ["memory.failcnt", "memory.memsw.failcnt"].map(|file| counted(folder, file));
            usage.max = met[0].map(|times| times.saturating_add(met[1].unwrap_or(0)));
            usage.oom_kills = cgroup::oom_kills(&control);
            usage.is_paused =
                cgroup::is_under_oom(&control) && keyed::number(&control, "oom_kill_disable") == Some(1);
        }
        Version::Two => {
            let events = read(&folder.join("memory.events"));
            usage.memory_bytes = counted(folder, "memory.current");
            usage.swap_bytes = counted(folder, "memory.swap.current");
            usage.high = keyed::number(&events, "high");
            usage.max = keyed::number(&events, "max");
            usage.oom_kills = cgroup::oom_kills(&events);
            usage.is_paused = keyed::number(&read(&folder.join("cgroup.events")), "frozen") == Some(1);
        }
    }
}

fn counted(folder: &Path, file: &str) -> Option<u64> {
    number(read(&folder.join(file)).trim())
}
