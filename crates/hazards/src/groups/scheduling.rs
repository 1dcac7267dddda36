//! Hazards of the group *scheduling*: how the kernel divides time.

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict, grade, per_second};
use crate::read::cgroup;
use crate::read::table::TableLine;
use crate::tree::Missing;
use crate::view::View;

const NO_FIGURE: &str = "No published figure was found.";

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "rt-throttling",
        title: "throttling of real-time programs",
        group: HazardGroup::Scheduling,
        reads: "/proc/sys/kernel/sched_rt_{runtime,period}_us, cpu.rt_runtime_us of the own group",
        cost: "A program under SCHED_FIFO that never sleeps lost 52 ms once a second, alone on its CPU (measured on \
               Linux 6.18). Ordinary policies are not touched.",
        levels: "low: throttling is on, since only real-time measurements feel it; medium: the own control group has \
                 no real-time budget, so that real-time policies are refused; none: it is off.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("rt-throttle=off"),
        advice: "Switch the throttling off for real-time measurements that are busy for longer than 950 ms at a time.",
        judge: rt_throttling,
    },
    Hazard {
        name: "fair-server",
        title: "time reserved from real-time programs",
        group: HazardGroup::Scheduling,
        reads: "/sys/kernel/debug/sched/fair_server/cpu*/{runtime,period} (root)",
        cost: "Since Linux 6.12 the scheduler gives ordinary tasks 50 ms of every second even under a real-time hog.",
        levels: "low: a budget is set, since only real-time measurements feel it; none: it is zero.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Write 0 to the runtime of the CPUs on which real-time programs are measured.",
        judge: fair_server,
    },
    Hazard {
        name: "autogroup",
        title: "automatic groups of a terminal",
        group: HazardGroup::Scheduling,
        reads: "/proc/sys/kernel/sched_autogroup_enabled",
        cost: "Sessions share the CPU as groups, so that nice values count within one terminal alone. No published \
               figure was found.",
        levels: "low: on, since it matters only beside load of other sessions; none: off.",
        in_vm: None,
        neutralised: Neutralised::Partly("commands run in turns within one session"),
        knob: Some("autogroup=off"),
        advice: "Write 0 to sched_autogroup_enabled, if nice values are part of what you measure.",
        judge: |view| switch(view, "proc/sys/kernel/sched_autogroup_enabled", Severity::Low),
    },
    Hazard {
        name: "time-slice",
        title: "slice of the scheduler",
        group: HazardGroup::Scheduling,
        reads: "/sys/kernel/debug/sched/base_slice_ns (root)",
        cost: "Recorded for comparisons: how long a neighbour runs before the measured program gets its turn. No \
               published figure was found.",
        levels: "low: above 10 ms, since one turn of a neighbour is then longer than many runs; none: at most that.",
        in_vm: None,
        neutralised: Neutralised::Partly("pairs that others kept waiting are dropped as pairs"),
        knob: None,
        advice: "Compare latencies only between machines with the same slice.",
        judge: slice,
    },
    Hazard {
        name: "timer-migration",
        title: "timers that move to busy CPUs",
        group: HazardGroup::Scheduling,
        reads: "/proc/sys/kernel/timer_migration",
        cost: NO_FIGURE,
        levels: "low: on, the usual setting, by which timers of idle CPUs fire on the busy one; none: off.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("timer-migration=off"),
        advice: "Write 0 to timer_migration for latency, as the profile network-latency of tuned does.",
        judge: |view| switch(view, "proc/sys/kernel/timer_migration", Severity::Low),
    },
    Hazard {
        name: "ticks",
        title: "timer interrupts",
        group: HazardGroup::Scheduling,
        reads: "/proc/interrupts, rows of local and architected timers, twice",
        cost: "No published figure of the usual cost was found. At an assumed 2 µs each, 250 a second cost 0.05 % and \
               a thousand 0.2 %.",
        levels: "low: from 100 a second on, the slowest tick that kernels have; medium: from 5000 on (one per cent at \
                 2 µs each), which is somebody's timer; high: from 25,000 on (five per cent).",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Boot with nohz_full for the CPUs that you measure on, if ticks matter; find out whose timers these \
                 are.",
        judge: ticks,
    },
    Hazard {
        name: "preemption",
        title: "preemption of the kernel",
        group: HazardGroup::Scheduling,
        reads: "/sys/kernel/debug/sched/preempt (root), /proc/version, /sys/kernel/realtime",
        cost: "Recorded for comparisons: full and real-time preemption trade throughput for latency. No published \
               figure was found.",
        levels: "low: a real-time kernel, since its throughput is not that of others; none: every other kernel.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Compare figures only between kernels with the same preemption model.",
        judge: preemption,
    },
    Hazard {
        name: "rcu",
        title: "callbacks of read-copy-update",
        group: HazardGroup::Scheduling,
        reads: "/sys/kernel/rcu_{normal,expedited}, rcu_nocbs in /proc/cmdline",
        cost: "Expedited grace periods interrupt every CPU. No published figure was found.",
        levels: "low: expedited; none: as usual.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Write 0 to /sys/kernel/rcu_expedited; on isolated CPUs boot with rcu_nocbs.",
        judge: rcu,
    },
    Hazard {
        name: "scheduler-statistics",
        title: "statistics of the scheduler",
        group: HazardGroup::Scheduling,
        reads: "/proc/sys/kernel/sched_schedstats",
        cost: "Every context switch is recorded in more detail, which takes time. No published figure was found.",
        levels: "low: on; none: off.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Write 0 to sched_schedstats, unless you read these statistics.",
        judge: |view| switch(view, "proc/sys/kernel/sched_schedstats", Severity::Low),
    },
];

/// Judges a setting that is a hazard unless it is 0.
pub(super) fn switch(view: &View<'_>, path: &str, severity: Severity) -> Verdict {
    let number: i64 = view.tree.parse(path)?;
    Ok(Judged::either(number != 0, severity, if number != 0 { "on" } else { "off" }))
}

fn rt_throttling(view: &View<'_>) -> Verdict {
    let number = |name: &str| view.tree.parse::<i64>(&format!("proc/sys/kernel/sched_rt_{name}_us"));
    let (runtime, period) = (number("runtime")?, number("period")?);
    let value = format!("{runtime} of {period} µs");
    let budget = cgroup::groups(view.tree, "cpu").ok().and_then(|groups| {
        let own = groups.folders.first()?;
        view.tree.parse::<i64>(&format!("{own}/cpu.rt_runtime_us")).ok()
    });
    let is_on = runtime >= 0 && runtime < period;
    Ok(match budget {
        // Some kernels report 0 for the root group as well, whose budget is that of the sysctl.
        Some(0) if !in_root_group(view) => {
            Judged::medium(format!("{value}, and no budget for the own group"))
        }
        _ => Judged::either(is_on, Severity::Low, if is_on { value } else { "off".to_owned() }),
    })
}

fn in_root_group(view: &View<'_>) -> bool {
    cgroup::groups(view.tree, "cpu").is_ok_and(|groups| groups.folders.len() == 1)
}

fn fair_server(view: &View<'_>) -> Verdict {
    let base = "sys/kernel/debug/sched/fair_server";
    view.tree.names(base)?;
    let runtime = |cpu| view.tree.parse::<u64>(&format!("{base}/cpu{cpu}/runtime"));
    let longest = view.cpus.iter().filter_map(|cpu| runtime(cpu).ok()).max();
    let ns = longest.ok_or_else(|| Missing::Absent(format!("{base}/cpu*/runtime")))?;
    Ok(Judged::either(ns > 0, Severity::Low, format!("{} ms of each period", ns / 1_000_000)))
}

fn slice(view: &View<'_>) -> Verdict {
    let base = "sys/kernel/debug/sched";
    let ns = match view.tree.parse::<u64>(&format!("{base}/base_slice_ns")) {
        // Before Linux 6.6 the file was called `min_granularity_ns`.
        Err(missing) => view.tree.parse::<u64>(&format!("{base}/min_granularity_ns")).map_err(|_| missing)?,
        Ok(ns) => ns,
    };
    Ok(Judged::either(ns > 10_000_000, Severity::Low, format!("{:.1} ms", ns as f64 / 1e6)))
}

/// Returns whether a row counts timer interrupts: local timers of x86, architected timers of arm64, and the rows of
/// s390 and POWER.
fn is_timer(row: &TableLine) -> bool {
    ["LOC", "CLK", "TMI"].contains(&row.name.as_str()) || row.label.contains("arch_timer")
}

fn ticks(view: &View<'_>) -> Verdict {
    let table = view.counted(|counters| &counters.interrupts)?;
    if !table.rows.iter().any(is_timer) {
        return Err(Missing::garbage("proc/interrupts", "it has no row of timers"));
    }
    let rates: Vec<_> = table
        .sums(is_timer)
        .into_iter()
        .filter(|(cpu, _)| view.cpus.contains(*cpu))
        .map(|(cpu, count)| (cpu, per_second(count, view.seconds)))
        .collect();
    let level = |rate: f64| grade(rate, 100.0, 5000.0, 25_000.0);
    let worst = rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let several = rates.len() > 1;
    let cpus = rates
        .iter()
        .filter(|_| several)
        .map(|(cpu, rate)| (*cpu, level(*rate), format!("{rate:.0} a second")));
    Ok(Judged::new(level(worst), format!("{worst:.0} a second")).on(cpus.collect::<Vec<_>>()))
}

fn preemption(view: &View<'_>) -> Verdict {
    if view.tree.text("sys/kernel/realtime").is_ok_and(|text| text == "1") {
        return Ok(Judged::low("real-time kernel"));
    }
    if let Ok(text) = view.tree.text("sys/kernel/debug/sched/preempt") {
        let inside = text.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
        return Ok(Judged::none(inside.map_or(text.as_str(), |(model, _)| model)));
    }
    let version = view.tree.text("proc/version")?;
    let model =
        ["PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"].into_iter().find(|model| version.contains(model));
    let severity = if model == Some("PREEMPT_RT") { Severity::Low } else { Severity::None };
    Ok(Judged::new(severity, model.unwrap_or("voluntary or none").to_owned()))
}

fn rcu(view: &View<'_>) -> Verdict {
    let expedited: i64 = view.tree.parse("sys/kernel/rcu_expedited")?;
    let line = view.tree.text("proc/cmdline").unwrap_or_default();
    let offloaded = crate::read::word(&line, "rcu_nocbs")
        .map_or(String::new(), |list| format!(", offloaded from CPU {list}"));
    let value = format!("{}{offloaded}", if expedited != 0 { "expedited" } else { "normal" });
    Ok(Judged::either(expedited != 0, Severity::Low, value))
}
