//! Hazards of the group *interrupts*: interrupts that take time from a program.

use fauxplat_procfs::per_cpu;
use fauxplat_topology::parse::{self, Said};
use fauxplat_units::{Cpu, CpuSet};

use crate::finding::{HazardGroup, Severity};
use crate::groups::scheduling::switch;
use crate::hazard::{Hazard, Judged, Neutralised, Verdict, grade, per_second};
use crate::read::counters::{Counters, Read};
use crate::read::table::{Table, TableLine};
use crate::tree::Missing;
use crate::view::View;

const RATES: &str = "by the busiest CPU that is looked at: low from 100 a second on; medium from 5000 on, which is one \
                     per cent of its time at an assumed 2 µs each; high from 25,000 on, which is five per cent.";

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "device-interrupts",
        title: "interrupts of devices",
        group: HazardGroup::Interrupts,
        reads: "/proc/interrupts, rows with a number, twice",
        cost: "Each interrupt takes some microseconds and a part of the caches. No published figure of the usual cost \
               was found.",
        levels: RATES,
        in_vm: None,
        neutralised: Neutralised::Partly("runs take turns, so that a steady rate falls on all alike"),
        knob: Some("irq-affinity=away:CPUS"),
        advice: "Measure on other CPUs, or move the interrupts to CPUs on which you do not measure; some belong to a \
                 CPU and cannot be moved.",
        judge: |view| rates(view, |counters| &counters.interrupts, is_device),
    },
    Hazard {
        name: "cross-cpu-interrupts",
        title: "interrupts between CPUs",
        group: HazardGroup::Interrupts,
        reads: "/proc/interrupts, rows RES, CAL, TLB and IPI*, twice",
        cost: "Other CPUs ask for wake-ups, function calls and the end of stale address translations; in a guest each \
               may cause an exit to the host. No published figure was found.",
        levels: RATES,
        in_vm: None,
        neutralised: Neutralised::Partly("runs take turns, so that a steady rate falls on all alike"),
        knob: None,
        advice: "Find out which neighbours share memory or wake each other across CPUs, and keep them elsewhere.",
        judge: |view| rates(view, |counters| &counters.interrupts, is_from_a_cpu),
    },
    Hazard {
        name: "softirqs",
        title: "deferred work of interrupts",
        group: HazardGroup::Interrupts,
        reads: "/proc/softirqs, all rows but TIMER, SCHED, HRTIMER and RCU, twice",
        cost: "Packets and finished disk requests are worked off on the CPU that was interrupted, at the cost of what \
               ran there. No published figure was found.",
        levels: RATES,
        in_vm: None,
        neutralised: Neutralised::Partly("runs take turns, so that a steady rate falls on all alike"),
        knob: None,
        advice: "Move the devices' interrupts, or stop what sends and reads while you measure.",
        judge: |view| rates(view, |counters| &counters.softirqs, is_deferred),
    },
    Hazard {
        name: "interrupt-affinity",
        title: "interrupts that may come to the CPUs looked at",
        group: HazardGroup::Interrupts,
        reads: "/proc/irq/*/{effective_affinity_list,smp_affinity_list}",
        cost: "Each interrupt takes some microseconds and a part of the caches, as soon as its device becomes active.",
        levels: "low: some interrupt may come to these CPUs; none: none may. Only CPUs that were chosen with --cpu can \
                 be free of them.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("irq-affinity=away:CPUS"),
        advice: "Move the interrupts to the other CPUs.",
        judge: affinity,
    },
    Hazard {
        name: "irqbalance",
        title: "a daemon that moves interrupts",
        group: HazardGroup::Interrupts,
        reads: "/proc/*/stat (a process of this name)",
        cost: "The daemon looks every ten seconds and may move an interrupt to the measured CPU during a run. No \
               published figure was found.",
        levels: "low: the daemon runs; none: it does not.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Stop the daemon while you measure, and start it again; it also undoes what you moved by hand.",
        judge: irqbalance,
    },
    Hazard {
        name: "packet-steering",
        title: "packets worked off on other CPUs",
        group: HazardGroup::Interrupts,
        reads: "/sys/class/net/*/queues/rx-*/rps_cpus",
        cost: "Packets are handed to CPUs that no interrupt of the device reaches. No published figure was found.",
        levels: "low: some queue hands its packets to one of the CPUs looked at; none: none does.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Take the CPUs that you measure on out of rps_cpus.",
        judge: steering,
    },
    Hazard {
        name: "nmi-watchdog",
        title: "watchdog by performance counter",
        group: HazardGroup::Interrupts,
        reads: "/proc/sys/kernel/nmi_watchdog",
        cost: "This watchdog takes one hardware counter away from those who measure, and interrupts busy CPUs every \
               some seconds. No published figure was found.",
        levels: "low: on, since its interrupts are rare; none: off.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("nmi-watchdog=off"),
        advice: "Switch the watchdog off while you measure with hardware counters.",
        judge: |view| switch(view, "proc/sys/kernel/nmi_watchdog", Severity::Low),
    },
    Hazard {
        name: "soft-watchdog",
        title: "watchdog by timer",
        group: HazardGroup::Interrupts,
        reads: "/proc/sys/kernel/{soft_watchdog,watchdog_thresh,watchdog_cpumask}",
        cost: "A thread of the highest priority runs on every CPU several times in ten seconds. No published figure \
               was found.",
        levels: "low: the watchdog watches some of the CPUs looked at; none: it does not.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("soft-watchdog=off"),
        advice: "Write the other CPUs to watchdog_cpumask, or 0 to soft_watchdog.",
        judge: soft_watchdog,
    },
    Hazard {
        name: "machine-checks",
        title: "errors and heat that the hardware reports",
        group: HazardGroup::Interrupts,
        reads: "/proc/interrupts, rows MCE, TRM, THR, DFR and ERR, twice",
        cost: "Corrected errors of memory and events of heat stop CPUs for unknown times. No published figure was \
               found.",
        levels: "high: some came during the interval; low: some since boot; none: never.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Read the kernel's log; replace what reports errors before you believe its figures.",
        judge: machine_checks,
    },
    Hazard {
        name: "management-interrupts",
        title: "interrupts of the firmware (SMI)",
        group: HazardGroup::Interrupts,
        reads: "/dev/cpu/N/msr, register 0x34 of Intel, twice (root, module msr)",
        cost: "All CPUs stop while the firmware works, and no counter of the kernel shows it. No published figure of \
               the usual length was found.",
        levels: "high: some came during the interval; none: none came. The count since boot says nothing, since most \
                 come while starting.",
        in_vm: Some("a guest cannot see the firmware's interrupts of its host"),
        neutralised: Neutralised::No,
        knob: None,
        advice: "Switch power management and legacy USB off in the firmware.",
        judge: management,
    },
];

fn is_device(row: &TableLine) -> bool {
    row.name.parse::<u32>().is_ok() && !row.label.contains("timer")
}

fn is_from_a_cpu(row: &TableLine) -> bool {
    ["RES", "CAL", "TLB"].contains(&row.name.as_str()) || row.name.starts_with("IPI")
}

fn is_deferred(row: &TableLine) -> bool {
    !["TIMER", "SCHED", "HRTIMER", "RCU"].contains(&row.name.as_str())
}

/// Judges how often a CPU in view is interrupted, by the rows of a table of interrupts that `wanted` selects: the
/// busiest CPU decides, and each CPU is shown with its busiest row.
fn rates(
    view: &View<'_>,
    get: impl Fn(&Counters) -> &Read<Table>,
    wanted: impl Fn(&TableLine) -> bool,
) -> Verdict {
    let table = view.counted(get)?;
    let ours = table.sums(&wanted).into_iter().filter(|(cpu, _)| view.cpus.contains(*cpu));
    let rates: Vec<(Cpu, f64)> = ours.map(|(cpu, count)| (cpu, per_second(count, view.seconds))).collect();
    let level = |rate: f64| grade(rate, 100.0, 5000.0, 25_000.0);
    let worst = rates.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((busiest, worst)) = worst else { return Ok(Judged::none("none")) };
    let source = |cpu: Cpu| {
        let row = table.busiest(cpu, &wanted);
        row.map_or(String::new(), |row| format!(", most by {}", per_cpu::source(&row.name, &row.label)))
    };
    let value = format!("{worst:.0} a second on CPU {busiest}{}", source(busiest));
    let cpus =
        rates.iter().map(|(cpu, rate)| (*cpu, level(*rate), format!("{rate:.0} a second{}", source(*cpu))));
    Ok(Judged::new(level(worst), value).on(cpus.collect::<Vec<_>>()))
}

fn affinity(view: &View<'_>) -> Verdict {
    let names = view.tree.names("proc/irq")?;
    if view.cpus == view.allowed {
        return Ok(Judged::not_applicable(
            "",
            "all CPUs are looked at: some must take the interrupts (say --cpu)",
        ));
    }
    let list = |irq: &str, file: &str| view.tree.parse::<CpuSet>(&format!("proc/irq/{irq}/{file}"));
    let may_come = |irq: &&String| {
        irq.parse::<u32>().is_ok()
            && list(irq, "effective_affinity_list")
                .or_else(|_| list(irq, "smp_affinity_list"))
                .is_ok_and(|cpus| !cpus.intersection(&view.cpus).is_empty())
    };
    let count = names.iter().filter(may_come).count();
    let value = if count == 1 { "1 interrupt may".to_owned() } else { format!("{count} interrupts may") };
    Ok(Judged::either(count > 0, Severity::Low, value))
}

fn irqbalance(view: &View<'_>) -> Verdict {
    let processes = view.now.processes.as_ref().map_err(Clone::clone)?;
    let runs = processes.tasks.values().any(|task| task.name == "irqbalance");
    Ok(Judged::either(runs, Severity::Low, if runs { "running" } else { "not running" }))
}

fn steering(view: &View<'_>) -> Verdict {
    let base = "sys/class/net";
    let mut queues = Vec::new();
    for device in view.tree.names(base)? {
        for queue in view.tree.names(&format!("{base}/{device}/queues")).unwrap_or_default() {
            let mask =
                view.tree.text(&format!("{base}/{device}/queues/{queue}/rps_cpus")).unwrap_or_default();
            if queue.starts_with("rx-") && mask_hits(&mask, &view.cpus) {
                queues.push(format!("{device} {queue}"));
            }
        }
    }
    let value = if queues.is_empty() { "none".to_owned() } else { queues.join(", ") };
    Ok(Judged::either(!queues.is_empty(), Severity::Low, value))
}

/// Returns whether a mask such as `00000000,0000000f` includes one of these CPUs; the last word of the mask is that of
/// CPUs 0 to 31.
pub(super) fn mask_hits(mask: &str, cpus: &CpuSet) -> bool {
    matches!(parse::mask(mask.trim()), Said::Value(masked) if masked.overlaps(cpus))
}

fn soft_watchdog(view: &View<'_>) -> Verdict {
    let is_on = view.tree.parse::<i64>("proc/sys/kernel/soft_watchdog")? != 0;
    let watched = match view.tree.parse::<CpuSet>("proc/sys/kernel/watchdog_cpumask") {
        Ok(cpus) => cpus.intersection(&view.cpus),
        Err(_) => view.cpus.clone(),
    };
    let thresh = view.tree.parse::<u64>("proc/sys/kernel/watchdog_thresh").unwrap_or(10);
    Ok(match is_on && !watched.is_empty() {
        true => Judged::low(format!("on CPU {watched}, threshold {thresh} s")),
        false => Judged::none("off"),
    })
}

fn machine_checks(view: &View<'_>) -> Verdict {
    let is_error = |row: &TableLine| ["MCE", "TRM", "THR", "DFR", "ERR"].contains(&row.name.as_str());
    let sum = |table: &Table| {
        let counts = table.rows.iter().filter(|row| is_error(row)).flat_map(|row| &row.counts);
        counts.fold(0_u64, |sum, count| sum.saturating_add(*count))
    };
    let now = view.now.interrupts.as_ref().map_err(Clone::clone)?;
    if !now.rows.iter().any(is_error) {
        return Err(Missing::Absent("proc/interrupts (MCE)".to_owned()));
    }
    let total = sum(now);
    let before = view.before.and_then(|before| before.interrupts.as_ref().ok()).map_or(total, sum);
    Ok(match (total.saturating_sub(before), total) {
        (0, 0) => Judged::none("none since boot"),
        (0, total) => Judged::low(format!("{total} since boot")),
        (new, _) => Judged::high(format!("{new} just now")),
    })
}

fn management(view: &View<'_>) -> Verdict {
    let (before, now) = view.pair(|counters| &counters.smi)?;
    let sum = |counts: &[(Cpu, u64)]| counts.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    let new = sum(now).saturating_sub(sum(before));
    Ok(Judged::either(new > 0, Severity::High, format!("{new} just now, {} since boot", sum(now))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_read_from_their_end() {
        let cpus = |list: &str| list.parse::<CpuSet>().unwrap();
        assert!(mask_hits("00000000,0000000f", &cpus("3")));
        assert!(!mask_hits("00000000,0000000f", &cpus("4,35")));
        assert!(mask_hits("8,0", &cpus("35")));
        assert!(!mask_hits("zz", &cpus("0")) && !mask_hits("", &cpus("0")));
    }
}
