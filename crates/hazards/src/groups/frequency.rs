//! Hazards of the group *frequency*: the speed of the CPUs.

use fauxplat_units::CpuSet;

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict};
use crate::tree::{Missing, Tree};
use crate::view::View;

const HOST_DECIDES: &str = "the host decides how fast its CPUs run, and does not tell its guests";

const TURNS: Neutralised = Neutralised::Partly(
    "commands run in turns, so that a slow change of frequency falls on all alike; the spread remains",
);

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "governor",
        title: "frequency governor",
        group: HazardGroup::Frequency,
        reads: "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
        cost: "With a governor that scales on demand and turbo, a sum over 4 MB on a Ryzen 5950X varied by 9.3 to \
               14 % (coefficient of variation; twigslot, 2026).",
        levels: "none: performance, or userspace, which keeps the frequency that was set; high: every governor that \
                 moves the frequency by load, because the published spread is several per cent.",
        in_vm: Some(HOST_DECIDES),
        neutralised: TURNS,
        knob: Some("governor=performance"),
        advice: "Use the governor `performance` while you measure.",
        judge: governor,
    },
    Hazard {
        name: "frequency-limits",
        title: "limits of the frequency",
        group: HazardGroup::Frequency,
        reads: "/sys/devices/system/cpu/cpufreq/policy*/{scaling,cpuinfo}_{min,max}_freq",
        cost: "A limit below the CPU's own makes figures that no other machine repeats; a range leaves room to move. \
               No published figure of the range alone was found.",
        levels: "medium: a maximum below the CPU's own; low: a range within which the frequency may move; none: fixed.",
        in_vm: Some(HOST_DECIDES),
        neutralised: TURNS,
        knob: Some("min-freq=max"),
        advice: "Raise scaling_max_freq to cpuinfo_max_freq; for the least spread set scaling_min_freq to the same.",
        judge: limits,
    },
    Hazard {
        name: "turbo",
        title: "turbo, or boost",
        group: HazardGroup::Frequency,
        reads: "/sys/devices/system/cpu/intel_pstate/no_turbo, /sys/devices/system/cpu/cpufreq/boost, policy*/boost",
        cost: "Turbo lasts while heat and neighbours allow it: a frequency that changed during a run halved its time \
               from 20.3 to 11.0 ms (Stinner, 2017).",
        levels: "high: on, because the speed then depends on how many other CPUs are busy and how warm they are.",
        in_vm: Some(HOST_DECIDES),
        neutralised: TURNS,
        knob: Some("turbo=off"),
        advice: "Switch turbo off for comparisons; where the kernel refuses, the firmware decides.",
        judge: turbo,
    },
    Hazard {
        name: "energy-preference",
        title: "preference between energy and speed",
        group: HazardGroup::Frequency,
        reads: "/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference",
        cost: "The preference says how eagerly the hardware raises the frequency. No published figure was found.",
        levels: "none: performance; low: balance_performance; medium: every other preference, since short programs may \
                 end before the frequency has risen.",
        in_vm: Some(HOST_DECIDES),
        neutralised: TURNS,
        knob: Some("epp=performance"),
        advice: "Use the preference `performance` while you measure.",
        judge: energy_preference,
    },
    Hazard {
        name: "energy-bias",
        title: "energy bias of each CPU",
        group: HazardGroup::Frequency,
        reads: "/sys/devices/system/cpu/cpu*/power/energy_perf_bias",
        cost: "A hint from 0 (speed) to 15 (energy) to the hardware. No published figure was found.",
        levels: "none: 0; low: up to 6, the usual setting; medium: above it.",
        in_vm: Some(HOST_DECIDES),
        neutralised: TURNS,
        knob: Some("epb=performance"),
        advice: "Write 0 to energy_perf_bias of the CPUs that you measure on.",
        judge: energy_bias,
    },
    Hazard {
        name: "uncore-frequency",
        title: "frequency of what lies outside the cores",
        group: HazardGroup::Frequency,
        reads: "/sys/devices/system/cpu/intel_uncore_frequency/*/{min,max}_freq_khz",
        cost: "Caches and memory of a package follow the load of all its cores. No published figure was found.",
        levels: "medium: it may move, since whatever misses the second cache feels it; none: fixed.",
        in_vm: Some(HOST_DECIDES),
        neutralised: TURNS,
        knob: None,
        advice: "Set min_freq_khz to max_freq_khz while you measure what works on much memory.",
        judge: uncore,
    },
];

/// Returns the content of `file` for each frequency policy that applies to CPUs in view, with these CPUs.
fn by_policy(view: &View<'_>, file: &str) -> Result<Vec<(CpuSet, String)>, Missing> {
    let base = "sys/devices/system/cpu/cpufreq";
    let policies = view.tree.numbered(base, "policy").unwrap_or_default();
    let mut found = Vec::new();
    let mut missing = Missing::Absent(format!("{base}/policy*/{file}"));
    for policy in policies {
        let cpus = members(view.tree, &format!("{base}/{policy}")).intersection(&view.cpus);
        if !cpus.is_empty() {
            match view.tree.word(&format!("{base}/{policy}/{file}")) {
                Ok(value) => found.push((cpus, value)),
                Err(why) => missing = why,
            }
        }
    }
    // Old kernels have no folders of policies, but a folder `cpufreq` in that of each CPU.
    for cpu in
        view.cpus.iter().filter(|cpu| !found.iter().any(|(cpus, _)| cpus.contains(*cpu))).collect::<Vec<_>>()
    {
        let file = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/{file}");
        match view.tree.word(&file) {
            Ok(value) => found.push((CpuSet::from_iter([cpu]), value)),
            Err(Missing::Absent(_)) => {}
            Err(why) => missing = why,
        }
    }
    if found.is_empty() { Err(missing) } else { Ok(found) }
}

/// Returns the CPUs of a frequency policy, which the kernel lists with blanks between them.
fn members(tree: &Tree, policy: &str) -> CpuSet {
    let listed = tree.text(&format!("{policy}/affected_cpus")).unwrap_or_default();
    listed
        .split_whitespace()
        .filter_map(|cpu| cpu.parse::<CpuSet>().ok())
        .flat_map(|one| one.iter().collect::<Vec<_>>())
        .collect()
}

/// Judges a setting that may differ between CPUs: lists each distinct value with its CPUs, and takes the worst
/// severity.
fn summed(view: &View<'_>, found: Vec<(CpuSet, String)>, level: impl Fn(&str) -> Severity) -> Judged {
    let mut kinds: Vec<(String, CpuSet)> = Vec::new();
    for (cpus, value) in found {
        match kinds.iter_mut().find(|(kind, _)| *kind == value) {
            Some((_, all)) => *all = all.iter().chain(cpus.iter()).collect(),
            None => kinds.push((value, cpus)),
        }
    }
    let worst = kinds.iter().map(|(kind, _)| level(kind)).min().unwrap_or(Severity::None);
    let value = match kinds.as_slice() {
        [(kind, cpus)] if cpus == &view.cpus => kind.clone(),
        _ => kinds.iter().map(|(kind, cpus)| format!("{kind} on CPU {cpus}")).collect::<Vec<_>>().join(", "),
    };
    let several = if kinds.len() > 1 { &kinds[..] } else { &[] };
    let of_each =
        several.iter().flat_map(|(kind, cpus)| cpus.iter().map(|cpu| (cpu, level(kind), kind.clone())));
    Judged::new(worst, value).on(of_each.collect::<Vec<_>>())
}

fn governor(view: &View<'_>) -> Verdict {
    let found = by_policy(view, "scaling_governor")?;
    Ok(summed(view, found, |name| match name {
        "performance" | "userspace" => Severity::None,
        _ => Severity::High,
    }))
}

/// Judges the range of each policy separately, since the cores of a hybrid machine do not reach the same frequency.
fn limits(view: &View<'_>) -> Verdict {
    let (low, high) = (by_policy(view, "scaling_min_freq")?, by_policy(view, "scaling_max_freq")?);
    let own = by_policy(view, "cpuinfo_max_freq").unwrap_or_default();
    let of = |limits: &[(CpuSet, String)], cpus: &CpuSet| -> Option<u64> {
        limits.iter().find(|(others, _)| others == cpus)?.1.parse().ok()
    };
    let judge = |(cpus, _): &(CpuSet, String)| {
        let (low, high) = (of(&low, cpus)?, of(&high, cpus)?);
        let value = format!("{} to {} MHz", low / 1000, high / 1000);
        let (level, value) = match of(&own, cpus).filter(|own| high < *own) {
            Some(own) => (Severity::Medium, format!("{value}, of {} MHz", own / 1000)),
            None => (if low < high { Severity::Low } else { Severity::None }, value),
        };
        Some((cpus.clone(), value, level))
    };
    let judged: Vec<(CpuSet, String, Severity)> = high.iter().filter_map(judge).collect();
    let Some(worst) = judged.iter().map(|(.., level)| *level).min() else {
        return Err(Missing::garbage("sys/devices/system/cpu/cpufreq", "a limit is not a number"));
    };
    let level_of = |value: &str| {
        judged.iter().find(|(_, known, _)| known == value).map_or(Severity::None, |(.., level)| *level)
    };
    let found = judged.iter().map(|(cpus, value, _)| (cpus.clone(), value.clone())).collect();
    let summed = summed(view, found, level_of);
    Ok(if worst == Severity::Medium { summed.by_knob("max-freq=max".to_owned()) } else { summed })
}

fn turbo(view: &View<'_>) -> Verdict {
    let base = "sys/devices/system/cpu";
    let is_on = match view.tree.parse::<u8>(&format!("{base}/intel_pstate/no_turbo")) {
        Ok(off) => off == 0,
        Err(missing @ Missing::Garbage { .. }) => return Err(missing),
        Err(_) => match view.tree.parse::<u8>(&format!("{base}/cpufreq/boost")) {
            Ok(on) => on != 0,
            Err(missing @ Missing::Garbage { .. }) => return Err(missing),
            Err(_) => by_policy(view, "boost")?.iter().any(|(_, on)| on != "0"),
        },
    };
    Ok(Judged::either(is_on, Severity::High, if is_on { "on" } else { "off" }))
}

fn energy_preference(view: &View<'_>) -> Verdict {
    let found = by_policy(view, "energy_performance_preference")?;
    Ok(summed(view, found, |name| match name {
        "performance" | "0" => Severity::None,
        "balance_performance" => Severity::Low,
        _ => Severity::Medium,
    }))
}

fn energy_bias(view: &View<'_>) -> Verdict {
    let file = |cpu| format!("sys/devices/system/cpu/cpu{cpu}/power/energy_perf_bias");
    let first = view.cpus.first().ok_or_else(|| Missing::Absent(file(fauxplat_units::Cpu(0))))?;
    view.tree.parse::<u8>(&file(first))?;
    let one = |cpu| Some((CpuSet::from_iter([cpu]), view.tree.parse::<u8>(&file(cpu)).ok()?.to_string()));
    Ok(summed(view, view.cpus.iter().filter_map(one).collect(), |text| match text.parse::<u8>() {
        Ok(0) => Severity::None,
        Ok(1..=6) => Severity::Low,
        _ => Severity::Medium,
    }))
}

fn uncore(view: &View<'_>) -> Verdict {
    let base = "sys/devices/system/cpu/intel_uncore_frequency";
    let packages = view.tree.names(base)?;
    let range = |name: &String| {
        let limit = |kind: &str| view.tree.parse::<u64>(&format!("{base}/{name}/{kind}_freq_khz"));
        Ok((limit("min")?, limit("max")?))
    };
    let ranges = packages.iter().map(range).collect::<Result<Vec<_>, Missing>>()?;
    let Some((low, high)) = ranges.iter().max_by_key(|(low, high)| high.saturating_sub(*low)) else {
        return Err(Missing::Absent(base.to_owned()));
    };
    Ok(Judged::either(low < high, Severity::Medium, format!("{} to {} MHz", low / 1000, high / 1000)))
}
