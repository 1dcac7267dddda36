//! Interrupts and ticks of each CPU since boot.

use std::path::Path;

use fauxplat_procfs::per_cpu::Table;
use fauxplat_procfs::stat::{self, Kind};
use fauxplat_units::Cpu;

use crate::parse::CPU_LIMIT;
use crate::read;

/// Interrupts, softirqs and ticks since boot, indexed by CPU number.
#[derive(Debug, Default)]
pub(super) struct Counters {
    interrupts: Vec<u64>,
    softirqs: Vec<u64>,
    /// For each CPU: idle ticks, ticks that the hypervisor took, and all ticks.
    ticks: Vec<[u64; 3]>,
}

impl Counters {
    pub(super) fn read(root: &Path) -> Self {
        let text = |path| read::table(root, path).unwrap_or_default();
        Counters {
            interrupts: per_cpu(&text("proc/interrupts")),
            softirqs: per_cpu(&text("proc/softirqs")),
            ticks: ticks(&text("proc/stat")),
        }
    }

    pub(super) fn interrupts(&self, cpu: Cpu) -> u64 {
        self.interrupts.get(cpu.0 as usize).copied().unwrap_or(0)
    }

    pub(super) fn softirqs(&self, cpu: Cpu) -> u64 {
        self.softirqs.get(cpu.0 as usize).copied().unwrap_or(0)
    }

    /// Busy share of a CPU's time since an earlier reading, and the share that the hypervisor took; zeros where no time
    /// has passed.
    pub(super) fn shares(&self, before: &Counters, cpu: Cpu) -> (f64, f64) {
        let ticks = |counters: &Counters| counters.ticks.get(cpu.0 as usize).copied().unwrap_or_default();
        let (now, then) = (ticks(self), ticks(before));
        let [idle, stolen, all] = std::array::from_fn(|place| now[place].saturating_sub(then[place]) as f64);
        match all > 0.0 {
            true => (((all - idle - stolen) / all).clamp(0.0, 1.0), (stolen / all).clamp(0.0, 1.0)),
            false => (0.0, 0.0),
        }
    }
}

/// Sum of each CPU's column in a table such as `/proc/interrupts`, indexed by CPU number. Rows with fewer numbers than
/// CPUs, such as `ERR: 0`, describe the whole machine and are left out.
fn per_cpu(text: &str) -> Vec<u64> {
    let Some(table) = Table::parse(text) else { return Vec::new() };
    let cpus: Vec<usize> = table.cpus().map(|cpu| cpu as usize).collect();
    let known = |cpu: &usize| *cpu < CPU_LIMIT as usize;
    let mut sums = vec![0u64; cpus.iter().copied().filter(known).max().map_or(0, |last| last + 1)];
    for row in table.rows().filter(|row| row.is_per_cpu) {
        for (cpu, count) in cpus.iter().zip(row.counts()).filter(|(cpu, _)| known(cpu)) {
            sums[*cpu] = sums[*cpu].saturating_add(count.unwrap_or(0));
        }
    }
    sums
}

/// Returns for each CPU the idle ticks, the ticks that the hypervisor took, and all ticks, from the text of
/// `/proc/stat`.
fn ticks(text: &str) -> Vec<[u64; 3]> {
    let mut all = Vec::new();
    for (cpu, ticks) in stat::cpus(text).filter(|(cpu, _)| *cpu < CPU_LIMIT) {
        if all.len() <= cpu as usize {
            all.resize(cpu as usize + 1, [0; 3]);
        }
        all[cpu as usize] =
            [ticks.idle(), ticks.of(Kind::Steal), ticks.total()].map(Option::unwrap_or_default);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_belong_to_the_cpus_of_the_heading() {
        let text = "           CPU0       CPU2\n 24:          1          7  IO-APIC   5-edge      ACPI:Ged\n\
                    LOC:        10         20   Local timer interrupts\nERR:          3\n";
        assert_eq!(per_cpu(text), [11, 0, 27]);
        assert!(per_cpu("").is_empty() && per_cpu("nonsense\n1 2 3").is_empty());
        assert!(per_cpu("CPU4000000000\n 1: 2").is_empty());
    }

    #[test]
    fn shares_are_of_the_time_between() {
        let before =
            Counters { ticks: ticks("cpu 1 1\ncpu1 100 0 50 800 10 0 0 40 9 9\n"), ..Counters::default() };
        let after = Counters { ticks: ticks("cpu1 140 0 60 830 20 0 0 50 9 9\n"), ..Counters::default() };
        let (busy, steal) = after.shares(&before, Cpu(1));
        assert!((busy - 0.5).abs() < 1e-9 && (steal - 0.1).abs() < 1e-9, "{busy} {steal}");
        assert_eq!(after.shares(&after, Cpu(1)), (0.0, 0.0));
        assert_eq!(after.shares(&before, Cpu(7)), (0.0, 0.0));
    }
}
