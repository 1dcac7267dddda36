//! Hazards of the group *limits*: resources that this process may use, and settings that it may change.

use fauxplat_procfs::cgroup::{Ancestry, Quota};
use fauxplat_procfs::status;
use fauxplat_units::Bytes;

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict, grade, percent};
use crate::read::cgroup;
use crate::tree::Missing;
use crate::view::View;

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "cpu-quota",
        title: "quota of CPU time",
        group: HazardGroup::Limits,
        reads: "/sys/fs/cgroup: cpu.max or cpu.cfs_{quota,period}_us of the own control group and all above it, \
                cpu.stat twice",
        cost: "A group that has used its quota stands still to the end of the period, usually up to 100 ms: the \
               program waits, whatever it does.",
        levels: "high: the group was stopped during the interval, or in at least 1 % of its periods so far; medium: a \
                 quota below the number of CPUs is set; low: a larger quota is set; none: no quota.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Measure outside of the limit, or with a quota of whole CPUs above what the program uses.",
        judge: quota,
    },
    Hazard {
        name: "memory-limit",
        title: "limit of memory",
        group: HazardGroup::Limits,
        reads: "/sys/fs/cgroup: memory.{max,high,current} or memory.{limit,usage}_in_bytes of the own control group \
                and all above it",
        cost: "Close to the limit the group's own pages are reclaimed at every allocation. No published figure was \
               found.",
        levels: "high: more than 95 % of a limit are used; medium: more than 80 %; low: a limit below the memory of \
                 the machine is set; none: no limit. Caches count as used, so that the last parts fill by themselves.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Raise the limit, or measure with smaller data.",
        judge: memory_limit,
    },
    Hazard {
        name: "cpu-weight",
        title: "weight against other groups",
        group: HazardGroup::Limits,
        reads: "/sys/fs/cgroup: cpu.weight or cpu.shares of the own control group and all above it",
        cost: "Beside busy groups a group gets only the share of its weight. On an idle machine the weight costs \
               nothing.",
        levels: "low: below the usual weight; none: at it or above.",
        in_vm: None,
        neutralised: Neutralised::Partly("pairs that others kept waiting are dropped as pairs"),
        knob: None,
        advice: "Give the group the usual weight (100, or 1024 shares).",
        judge: weight,
    },
    Hazard {
        name: "allowed-cpus",
        title: "CPUs that this process may use",
        group: HazardGroup::Limits,
        reads: "Cpus_allowed_list of /proc/self/status, /sys/devices/system/cpu/online",
        cost: "Programs that count the machine's CPUs start more threads than may run. No published figure was found.",
        levels: "low: a part of the CPUs that are online; none: all.",
        in_vm: None,
        neutralised: Neutralised::Partly("placements are drawn from the CPUs that are allowed"),
        knob: None,
        advice: "Tell the program how many threads to start.",
        judge: allowed,
    },
    Hazard {
        name: "container",
        title: "a container",
        group: HazardGroup::Limits,
        reads: "/.dockerenv, /run/.containerenv, /run/systemd/container, /proc/1/environ (root), /proc/1/sched",
        cost: "The same kernel, with filters at system calls, a layered file system and neighbours that cannot be \
               seen. No single published figure holds for all.",
        levels: "medium: in a container, because processes outside of it cannot be seen; none: no sign of one.",
        in_vm: None,
        neutralised: Neutralised::Partly(
            "commands run in turns, so that unseen neighbours fall on all alike",
        ),
        knob: None,
        advice: "Run doctor on the host as well, and keep data on a volume rather than on the layered file system.",
        judge: container,
    },
    Hazard {
        name: "restrictions",
        title: "what cannot be changed from here",
        group: HazardGroup::Limits,
        reads: "/proc/self/mountinfo, CapEff of /proc/self/status, /sys/kernel/security/lockdown",
        cost: "This spoils no measurement: it says why settings of this machine cannot be changed from here.",
        levels: "low: settings are mounted read-only, or the kernel is locked down, or the right to administer is \
                 missing; none: nothing stands in the way.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Run as root, with /sys writable, or change the settings on the host.",
        judge: restrictions,
    },
];

fn quota(view: &View<'_>) -> Verdict {
    let groups = cgroup::groups(view.tree, "cpu")?;
    let tightest = groups.folders.iter().filter_map(|folder| cpus_of_quota(view, &groups, folder));
    let tightest = tightest.min_by(f64::total_cmp);
    let (new, share) = throttled(view);
    let Some(cpus) = tightest else {
        return Ok(Judged::none("none"));
    };
    let value = format!("{cpus:.2} CPUs, stopped in {} of its periods, {new} times just now", percent(share));
    Ok(match (new > 0 || share >= 0.01, cpus < view.online.len() as f64) {
        (true, _) => Judged::high(value),
        (false, true) => Judged::medium(value),
        (false, false) => Judged::low(value),
    })
}

/// Returns the CPU quota of one control group as a number of CPUs; `None` without a quota.
fn cpus_of_quota(view: &View<'_>, groups: &Ancestry, folder: &str) -> Option<f64> {
    let read = |name: &str| view.tree.text(&format!("{folder}/cpu.{name}")).ok();
    let quota = match groups.is_v2 {
        true => Quota::of_v2(&read("max")?),
        false => Quota::of_v1(&read("cfs_quota_us")?, &read("cfs_period_us")?),
    };
    quota.map(|quota| quota.cpus())
}

/// Returns the largest number of periods in which a control group above this process was throttled during the interval,
/// and the largest share of throttled periods of a group since it was made.
fn throttled(view: &View<'_>) -> (u64, f64) {
    let Ok(now) = &view.now.throttle else { return (0, 0.0) };
    let before = view.before.and_then(|before| before.throttle.as_ref().ok());
    let mut worst = (0, 0.0_f64);
    for group in now {
        let old = before.and_then(|all| all.iter().find(|old| old.folder == group.folder)).unwrap_or(group);
        let share = if group.periods == 0 { 0.0 } else { group.throttled as f64 / group.periods as f64 };
        worst = (worst.0.max(group.throttled.saturating_sub(old.throttled)), worst.1.max(share.min(1.0)));
    }
    worst
}

fn memory_limit(view: &View<'_>) -> Verdict {
    let groups = cgroup::groups(view.tree, "memory")?;
    let total = super::memory::memory(view, "MemTotal")?;
    let limits: &[&str] =
        if groups.is_v2 { &["memory.max", "memory.high"] } else { &["memory.limit_in_bytes"] };
    let usage = if groups.is_v2 { "memory.current" } else { "memory.usage_in_bytes" };
    let mut tightest: Option<(f64, u64)> = None;
    for folder in &groups.folders {
        // Without a limit, version 2 has the word `max`, which is no number, and version 1 a number beyond any memory.
        let limit = limits.iter().filter_map(|file| view.tree.parse::<u64>(&format!("{folder}/{file}")).ok());
        let Some(limit) = limit.filter(|limit| *limit < total).min() else { continue };
        let used = view.tree.parse::<u64>(&format!("{folder}/{usage}")).unwrap_or(0);
        let share = if limit == 0 { 1.0 } else { used as f64 / limit as f64 };
        if tightest.is_none_or(|(worst, _)| share > worst) {
            tightest = Some((share, limit));
        }
    }
    Ok(match tightest {
        None => Judged::none("none"),
        Some((share, limit)) => {
            Judged::new(grade(share, 0.0, 0.8, 0.95), format!("{} of {} used", percent(share), Bytes(limit)))
        }
    })
}

fn weight(view: &View<'_>) -> Verdict {
    let groups = cgroup::groups(view.tree, "cpu")?;
    let (file, usual) = if groups.is_v2 { ("cpu.weight", 100) } else { ("cpu.shares", 1024) };
    let weights =
        groups.folders.iter().filter_map(|folder| view.tree.parse::<u64>(&format!("{folder}/{file}")).ok());
    Ok(match weights.min() {
        Some(weight) => Judged::either(weight < usual, Severity::Low, format!("{weight} of {usual}")),
        None => Judged::none("the root group"),
    })
}

fn allowed(view: &View<'_>) -> Verdict {
    view.status("Cpus_allowed_list")?;
    let part = view.allowed != view.online;
    Ok(Judged::either(part, Severity::Low, format!("CPU {} of {}", view.allowed, view.online)))
}

fn container(view: &View<'_>) -> Verdict {
    let marks = [(".dockerenv", "Docker"), ("run/.containerenv", "Podman")];
    let marked = marks.iter().find(|(file, _)| view.tree.has(file)).map(|(_, name)| (*name).to_owned());
    let told = || view.tree.text("run/systemd/container").ok();
    let environment = || {
        let variables = view.tree.long("proc/1/environ").ok()?;
        variables.split('\0').find_map(|variable| variable.strip_prefix("container=").map(str::to_owned))
    };
    // The first line of `/proc/PID/sched` contains the id of the process in the initial namespace, that of the host.
    let renumbered = || {
        let first = view.tree.long("proc/1/sched").ok()?;
        let number =
            first.lines().next()?.split_once('(')?.1.split([',', ')']).next()?.parse::<u32>().ok()?;
        (number != 1).then(|| "processes of its own".to_owned())
    };
    if !view.tree.has("proc/1") && marked.is_none() {
        return Err(Missing::Absent("proc/1".to_owned()));
    }
    Ok(match marked.or_else(told).or_else(environment).or_else(renumbered) {
        Some(name) => Judged::medium(name),
        None => Judged::none("no sign of one"),
    })
}

/// `CAP_SYS_ADMIN` of `capabilities(7)`.
const CAP_SYS_ADMIN: u32 = 21;

fn restrictions(view: &View<'_>) -> Verdict {
    let mask = status::effective_capabilities(&view.tree.long("proc/self/status")?);
    let mask = mask.ok_or_else(|| Missing::Absent("proc/self/status (CapEff)".to_owned()))?;
    let has_right = mask >> CAP_SYS_ADMIN & 1 == 1;
    let lockdown = view.tree.chosen("sys/kernel/security/lockdown").ok().filter(|mode| mode != "none");
    let mut found = Vec::new();
    found.extend((!has_right).then(|| "no right to administer".to_owned()));
    found.extend(view.locked().iter().map(|point| format!("{point} is read-only")));
    found.extend(lockdown.map(|mode| format!("locked down for {mode}")));
    Ok(match found.is_empty() {
        true => Judged::none("none"),
        false => Judged::low(found.join(", ")),
    })
}
