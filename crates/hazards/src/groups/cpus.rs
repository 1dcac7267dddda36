//! Hazards of the group *CPUs*: existing CPUs, shared resources, and other users of the CPUs.

use std::collections::BTreeMap;

use fauxplat_units::{Cpu, CpuSet};

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict, percent};
use crate::read::word;
use crate::tree::Missing;
use crate::view::View;

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "smt",
        title: "hardware threads that share a core",
        group: HazardGroup::Cpus,
        reads: "/sys/devices/system/cpu/cpu*/topology/thread_siblings_list, /proc/stat twice",
        cost: "A program beside a busy sibling lost 20 to 45 % against one that had the core to itself (two fuzzers on \
               an i7-7700HQ, winafl pull request 92).",
        levels: "medium: a sibling is online, since anybody may start work there; high: a sibling is busy for more \
                 than a fifth of the interval; none: every CPU has its core to itself.",
        in_vm: None,
        neutralised: Neutralised::Partly(
            "runs take turns, and pairs that others kept waiting are dropped as pairs",
        ),
        knob: Some("smt-sibling-of:N=offline"),
        advice: "Measure on CPUs whose siblings stay empty; taking the sibling offline is the last resort.",
        judge: smt,
    },
    Hazard {
        name: "offline-cpus",
        title: "CPUs that are off",
        group: HazardGroup::Cpus,
        reads: "/sys/devices/system/cpu/{online,present}",
        cost: "The other CPUs have more cache, power and memory bandwidth than in daily life, and programs that \
               count CPUs start fewer threads. No published figure was found.",
        levels: "medium: some CPU that is present is off; none: all are on.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Put these CPUs online, unless you took them offline yourself; then say so beside the figures.",
        judge: offline,
    },
    Hazard {
        name: "isolation",
        title: "CPUs kept free of others",
        group: HazardGroup::Cpus,
        reads: "/sys/devices/system/cpu/{isolated,nohz_full}, /proc/cmdline",
        cost: "On isolated CPUs the kernel does not balance: a program of several threads stays on one of them (Krun \
               refuses such machines). Without isolation anybody may be scheduled beside the program.",
        levels: "medium: several of the CPUs looked at are isolated; low: none of them is; none: one is, or all that \
                 are looked at were isolated by a cpuset partition, which balances.",
        in_vm: None,
        neutralised: Neutralised::Partly(
            "commands of one thread stay on a CPU that is idle when their block begins",
        ),
        knob: Some("shield=CPUS"),
        advice: "Shield the CPUs that you measure on; do not measure programs of several threads on isolcpus.",
        judge: isolation,
    },
    Hazard {
        name: "hybrid-cores",
        title: "cores of different kinds",
        group: HazardGroup::Cpus,
        reads: "/sys/devices/cpu_{core,atom,lowpower}/cpus, /sys/devices/system/cpu/cpu*/cpu_capacity",
        cost: "A run on a small core takes a multiple of the time on a large one; BenchmarkDotNet (issue 2557) and \
               benchexec (issue 850) keep to one kind. The ratio is that of the two kinds on this machine.",
        levels: "high: the CPUs looked at are of several kinds; none: of one.",
        in_vm: None,
        neutralised: Neutralised::Partly("both commands of a block share one CPU, if they are of one thread"),
        knob: None,
        advice: "Name CPUs of one kind with --cpu.",
        judge: hybrid,
    },
    Hazard {
        name: "cache-partition",
        title: "partitions of cache and memory bandwidth",
        group: HazardGroup::Cpus,
        reads: "/sys/fs/resctrl/{schemata,info/L3/cbm_mask}",
        cost: "A program that may use half of the last cache misses more often; how much depends on the program. A \
               partition can also be what keeps neighbours away.",
        levels: "medium: the default group may not use the whole cache; none: it may.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Give the default group all ways, or put the program into a group of its own; removing it reverts.",
        judge: cache_partition,
    },
];

/// Share of the time above which another hardware thread of the same core counts as busy: two of the ten ticks of an
/// interval of 100 ms.
const BUSY_SHARE: f64 = 0.2;

fn smt(view: &View<'_>) -> Verdict {
    let list = |cpu: Cpu| format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    if !view.cpus.iter().any(|cpu| view.tree.has(&list(cpu))) {
        return Err(Missing::Absent("sys/devices/system/cpu/cpu*/topology/thread_siblings_list".to_owned()));
    }
    let shared = view.cpus.iter().map(|cpu| (cpu, view.siblings(cpu)));
    let shared: Vec<(Cpu, CpuSet)> = shared.filter(|(_, siblings)| !siblings.is_empty()).collect();
    if shared.is_empty() {
        return Ok(Judged::none("every CPU has its core to itself"));
    }
    let rows: Vec<_> = shared.iter().map(|(cpu, siblings)| beside(view, *cpu, siblings)).collect();
    let worst = rows.iter().map(|(_, severity, _)| *severity).min().unwrap_or(Severity::Medium);
    let value = format!("{} of {} CPUs have a sibling that is online", shared.len(), view.cpus.len());
    let busy = rows.into_iter().filter(|(_, severity, _)| *severity == Severity::High);
    Ok(Judged::new(worst, value).on(busy))
}

/// Judges one CPU by its busiest sibling: returns the CPU, the severity, and the share of the interval in which that
/// sibling was busy, as text.
fn beside(view: &View<'_>, cpu: Cpu, siblings: &CpuSet) -> (Cpu, Severity, String) {
    let busy = view.pair(|counters| &counters.stat).map_or(0.0, |(before, now)| {
        let share = |sibling: Cpu| match (before.get(&sibling), now.get(&sibling)) {
            (Some(before), Some(now)) => now.since(*before).share(now.since(*before).busy),
            _ => 0.0,
        };
        siblings.iter().map(share).fold(0.0, f64::max)
    });
    let severity = if busy > BUSY_SHARE { Severity::High } else { Severity::Medium };
    (cpu, severity, format!("CPU {siblings} on its core is {} busy", percent(busy)))
}

fn offline(view: &View<'_>) -> Verdict {
    let list = |name: &str| view.tree.parse::<CpuSet>(&format!("sys/devices/system/cpu/{name}"));
    let off = list("present")?.without(&list("online")?);
    Ok(match off.is_empty() {
        true => Judged::none("all on"),
        false => Judged::medium(format!("CPU {off} off")),
    })
}

fn isolation(view: &View<'_>) -> Verdict {
    let isolated = list_or_empty(view, "sys/devices/system/cpu/isolated")?;
    let ours = isolated.intersection(&view.cpus);
    let line = view.tree.text("proc/cmdline").unwrap_or_default();
    let by_boot = word(&line, "isolcpus").is_some();
    let quiet = list_or_empty(view, "sys/devices/system/cpu/nohz_full").unwrap_or_default();
    let mut value =
        if isolated.is_empty() { "none isolated".to_owned() } else { format!("CPU {isolated} isolated") };
    if !quiet.is_empty() {
        value += &format!(", CPU {quiet} without ticks");
    }
    Ok(match ours.len() {
        0 => Judged::low(value),
        1 => Judged::none(value),
        _ if !by_boot && ours == view.cpus => Judged::none(value),
        _ => Judged::medium(value),
    })
}

/// Parses a CPU list, which the kernel leaves empty or writes as `(null)` where the list has no CPU.
fn list_or_empty(view: &View<'_>, path: &str) -> Result<CpuSet, Missing> {
    let text = view.tree.text_or_empty(path)?;
    let list = if text == "(null)" { "" } else { text.as_str() };
    list.parse().map_err(|_| crate::tree::not_understood(path, list))
}

fn hybrid(view: &View<'_>) -> Verdict {
    let mut kinds: BTreeMap<String, CpuSet> = BTreeMap::new();
    for kind in ["core", "atom", "lowpower"] {
        if let Ok(cpus) = view.tree.parse::<CpuSet>(&format!("sys/devices/cpu_{kind}/cpus")) {
            kinds.insert(format!("cpu_{kind}"), cpus.intersection(&view.cpus));
        }
    }
    if kinds.is_empty() {
        for cpu in view.cpus.iter() {
            let capacity =
                view.tree.parse::<u32>(&format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity"))?;
            kinds.entry(format!("capacity {capacity}")).or_default().insert(cpu);
        }
    }
    kinds.retain(|_, cpus| !cpus.is_empty());
    let listed: Vec<String> = kinds.iter().map(|(kind, cpus)| format!("{kind}: CPU {cpus}")).collect();
    Ok(match kinds.len() {
        0 => return Err(Missing::Absent("sys/devices/system/cpu/cpu*/cpu_capacity".to_owned())),
        1 => Judged::none("one kind"),
        _ => Judged::high(listed.join("; ")),
    })
}

fn cache_partition(view: &View<'_>) -> Verdict {
    let schemata = view.tree.text("sys/fs/resctrl/schemata")?;
    let file = "sys/fs/resctrl/info/L3/cbm_mask";
    let mask = |text: &str| u64::from_str_radix(text.trim(), 16).ok();
    let whole = mask(&view.tree.text(file)?).ok_or_else(|| Missing::garbage(file, "the file is no mask"))?;
    let line = schemata.lines().find_map(|line| line.trim().strip_prefix("L3:")).unwrap_or_default();
    let given = line.split(';').filter_map(|domain| mask(domain.split_once('=')?.1));
    let part = given.filter(|ways| *ways != whole).min_by_key(|ways| ways.count_ones());
    Ok(match part {
        None => Judged::none("the whole cache"),
        Some(ways) => Judged::medium(format!("{} of {} ways", ways.count_ones(), whole.count_ones())),
    })
}
