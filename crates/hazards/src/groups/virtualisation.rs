//! Hazards of the group *virtualisation*: effects of the host that a guest cannot control.

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict, grade, percent};
use crate::read::stat::{Ticks, USER_HZ};
use crate::view::View;

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "virtual-machine",
        title: "a virtual machine",
        group: HazardGroup::Virtualisation,
        reads: "/proc/cpuinfo, /sys/class/dmi/id, clock sources, the device tree",
        cost: "Neighbours on the host are invisible: figures of one guest drifted by 30 to 50 % between minutes, and \
               the same pair of loops took 1.0 and 2.7 to 3.0 times their time a minute apart (measured on a KVM guest \
               with two CPUs, Linux 6.18).",
        levels: "medium: in a guest, because what the host does cannot be read here; none: on the machine itself.",
        in_vm: None,
        neutralised: Neutralised::Partly(
            "commands run in turns in random order, so that drift falls on all alike",
        ),
        knob: None,
        advice: "Compare within one session only, and look at `fauxplat aa`; for absolute figures take a machine.",
        judge: virtual_machine,
    },
    Hazard {
        name: "steal",
        title: "time that the hypervisor takes",
        group: HazardGroup::Virtualisation,
        reads: "/proc/stat, column steal, twice and since boot",
        cost: "The share of time that the CPUs were wanted and not given: it is the loss itself, in bursts.",
        levels: "low from 0.1 %, medium from 1 %, high from 5 % on, of the interval or since boot, whichever is more; \
                 less than two ticks of 10 ms within the interval do not count.",
        in_vm: None,
        neutralised: Neutralised::Partly(
            "steal is recorded for each run, and pairs with far more than usual are dropped",
        ),
        knob: None,
        advice: "Take a guest with CPUs of its own, or measure at another hour; `--metric cpu` suffers less.",
        judge: steal,
    },
    Hazard {
        name: "steal-accounting",
        title: "whether CPU time excludes steal",
        group: HazardGroup::Virtualisation,
        reads: "CONFIG_PARAVIRT_TIME_ACCOUNTING in /proc/config.gz or /boot/config-*",
        cost: "Without this option a program's CPU time contains time that the hypervisor took.",
        levels: "low: in a guest without the option, since CPU time is then as noisy as wall time; none: with it, or \
                 not in a guest.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Decide by wall time and look at steal, or take a kernel that is built with the option.",
        judge: accounting,
    },
];

fn virtual_machine(view: &View<'_>) -> Verdict {
    Ok(match &view.hypervisor {
        Some(name) if name == "unknown" => Judged::medium("a hypervisor without a name"),
        Some(name) => Judged::medium(name.clone()),
        None => {
            view.is_bare()?;
            Judged::none("no")
        }
    })
}

/// Number of stolen ticks between two readings from which on they count: a single tick may only show at which moment
/// the kernel accounts for steal.
const TICKS_MIN: u64 = 2;

fn steal(view: &View<'_>) -> Verdict {
    let now = view.now.stat.as_ref().map_err(Clone::clone)?;
    let before = view.before.and_then(|before| before.stat.as_ref().ok());
    let ours = now.iter().filter(|(cpu, _)| view.cpus.contains(**cpu));
    let (mut boot, mut recent, mut cpus) = (Ticks::default(), Ticks::default(), Vec::new());
    for (cpu, ticks) in ours {
        let new = before.and_then(|before| before.get(cpu)).map_or(Ticks::default(), |old| ticks.since(*old));
        boot = boot.plus(*ticks);
        recent = recent.plus(new);
        let share = if new.steal < TICKS_MIN { 0.0 } else { new.share(new.steal) };
        cpus.push((*cpu, level(share), format!("{} just now", percent(share))));
    }
    let just_now = if recent.steal < TICKS_MIN { 0.0 } else { recent.share(recent.steal) };
    let since_boot = boot.share(boot.steal);
    let shown = match view.before {
        Some(_) => {
            format!("{} just now, {} since boot", percent(recent.share(recent.steal)), percent(since_boot))
        }
        None => format!("{} since boot", percent(since_boot)),
    };
    if boot.steal == 0 && view.is_bare()? {
        return Ok(Judged::not_applicable(shown, "there is no hypervisor that could take time"));
    }
    // The steal since boot counts only after a minute of CPU time: a guest that has just started has too short a
    // history.
    let history = if boot.total as f64 > 60.0 * USER_HZ { since_boot } else { 0.0 };
    Ok(Judged::new(level(just_now.max(history)), shown).on(cpus))
}

fn level(share: f64) -> Severity {
    grade(share, 0.001, 0.01, 0.05)
}

fn accounting(view: &View<'_>) -> Verdict {
    if view.is_bare()? {
        return Ok(Judged::not_applicable("", "there is no hypervisor that could take time"));
    }
    let excluded = view.config()?.has("PARAVIRT_TIME_ACCOUNTING");
    Ok(Judged::either(
        !excluded,
        Severity::Low,
        if excluded { "steal is excluded" } else { "steal is included" },
    ))
}
