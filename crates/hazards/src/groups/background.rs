//! Hazards of the group *background*: other processes that use the CPUs.

use fauxplat_units::Cpu;

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict, counted, grade, percent};
use crate::read::counters::{Counters, Pressure, Read};
use crate::read::stat::{Ticks, USER_HZ};
use crate::read::tasks;
use crate::tree::Missing;
use crate::view::View;

const TURNS: Neutralised = Neutralised::Partly(
    "runs take turns, and pairs that others kept waiting are dropped as pairs, and counted",
);

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "load",
        title: "load average",
        group: HazardGroup::Background,
        reads: "/proc/loadavg",
        cost: "Two loops on two CPUs took 1.0 and 2.7 to 3.0 times their time a minute apart, by what else ran \
               (measured on a KVM guest, Linux 6.18).",
        levels: "high: more tasks than CPUs want to run, so that somebody waits; medium: from half of the CPUs on; \
                 low: from a tenth on; over the last minute, of the CPUs that are online.",
        in_vm: None,
        neutralised: TURNS,
        knob: None,
        advice: "Wait until the machine is quiet, or end what runs.",
        judge: load,
    },
    Hazard {
        name: "busy-cpus",
        title: "CPUs that work for others",
        group: HazardGroup::Background,
        reads: "/proc/stat and /proc/*/stat, twice",
        cost: "What runs on the measured CPU takes its time, what runs beside it takes cache, memory and frequency: \
               wall time between 1.0 and 3.0 times (measured on a KVM guest, Linux 6.18).",
        levels: "by the mean over the CPUs looked at: low from 5 %, medium from 20 %, high from 50 % on, where every \
                 second run meets another program.",
        in_vm: None,
        neutralised: TURNS,
        knob: Some("shield=CPUS"),
        advice: "End what runs, keep it away from the CPUs by a shield, or name quiet CPUs with --cpu.",
        judge: busy,
    },
    Hazard {
        name: "cpu-pressure",
        title: "programs that wait for a CPU",
        group: HazardGroup::Background,
        reads: "/proc/pressure/cpu twice",
        cost: "The share of time in which some program waited for a CPU, which is the loss itself if the program is \
               yours.",
        levels: "low from 1 %, medium from 5 %, high from 20 % of the time on; where the interval shows less, the last \
                 ten seconds count half.",
        in_vm: None,
        neutralised: TURNS,
        knob: None,
        advice: "End what runs, or measure at another hour.",
        judge: |view| pressure(view, |counters| &counters.cpu_pressure),
    },
    Hazard {
        name: "pinned-tasks",
        title: "programs that are held on the CPUs looked at",
        group: HazardGroup::Background,
        reads: "Cpus_allowed_list of /proc/*/task/*/status",
        cost: "Such programs cannot move away when the measured program needs the CPU. Asleep, they cost nothing.",
        levels: "low: some thread may use only some of the CPUs that are looked at; none: all may go elsewhere. \
                 Whether they work shows in busy-cpus.",
        in_vm: None,
        neutralised: TURNS,
        knob: None,
        advice: "Measure on a CPU to which no program is bound.",
        judge: pinned,
    },
    Hazard {
        name: "real-time-tasks",
        title: "programs with real-time priority",
        group: HazardGroup::Background,
        reads: "/proc/*/stat, scheduling policy",
        cost: "Such programs run before every ordinary one, as long as they like. Asleep, they cost nothing.",
        levels: "medium: some program that is no thread of the kernel has such a policy; none: none has.",
        in_vm: None,
        neutralised: TURNS,
        knob: None,
        advice: "Find out what these programs do, or end them while you measure.",
        judge: real_time,
    },
    Hazard {
        name: "tuning-daemons",
        title: "daemons that change settings",
        group: HazardGroup::Background,
        reads: "/proc/*/stat (processes of known names)",
        cost: "Such daemons move frequencies, priorities and power limits while you measure, or undo what you set. No \
               published figure was found.",
        levels: "low: such a daemon runs; none: none does.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Stop these daemons while you measure, and start them again.",
        judge: |view| named_processes(view, &DAEMONS, Severity::Low),
    },
    Hazard {
        name: "other-measurements",
        title: "others who measure",
        group: HazardGroup::Background,
        reads: "/proc/*/stat (processes of known names)",
        cost: "Two measurements at the same time disturb each other.",
        levels: "medium: a benchmark, a profiler or a load generator runs; none: none does.",
        in_vm: None,
        neutralised: TURNS,
        knob: None,
        advice: "Take turns with whoever measures.",
        judge: |view| named_processes(view, &MEASURERS, Severity::Medium),
    },
    Hazard {
        name: "periodic-jobs",
        title: "jobs that start by the clock",
        group: HazardGroup::Background,
        reads: "timers.target.wants of systemd, /etc/cron*, /var/spool/cron",
        cost: "An update or an index of all files takes a CPU and the disk for minutes. No published figure was found.",
        levels: "low: some job is set up, since it may start in the middle; none: none is.",
        in_vm: None,
        neutralised: Neutralised::Partly(
            "commands run in turns, so that a job of some minutes falls on all alike",
        ),
        knob: None,
        advice: "Look when the jobs are due (systemctl list-timers), and stop those due while you measure.",
        judge: jobs,
    },
];

fn load(view: &View<'_>) -> Verdict {
    let text = view.tree.text("proc/loadavg")?;
    let minute =
        text.split(' ').next().and_then(|word| word.parse::<f64>().ok()).filter(|load| load.is_finite());
    let minute = minute.ok_or_else(|| crate::tree::not_understood("proc/loadavg", &text))?;
    if view.online.is_empty() {
        return Err(crate::no_cpu());
    }
    let cpus = view.online.len();
    let per_cpu = minute / cpus as f64;
    // A load of exactly one per CPU means that every CPU has one task, so only a higher load is high.
    let severity = if per_cpu > 1.0 { Severity::High } else { grade(per_cpu, 0.1, 0.5, f64::INFINITY) };
    Ok(Judged::new(severity, format!("{minute:.2} on {}", counted(cpus, "CPU"))))
}

fn busy(view: &View<'_>) -> Verdict {
    let (before, now) = view.pair(|counters| &counters.stat)?;
    let level = |share: f64| grade(share, 0.05, 0.2, 0.5);
    let (mut sum, mut cpus) = (Ticks::default(), Vec::new());
    for (cpu, ticks) in now.iter().filter(|(cpu, _)| view.cpus.contains(**cpu)) {
        let Some(old) = before.get(cpu) else { continue };
        let new = ticks.since(*old);
        sum = sum.plus(new);
        cpus.push((*cpu, level(new.share(new.busy)), format!("{} busy", percent(new.share(new.busy)))));
    }
    let mean = sum.share(sum.busy);
    let value = format!("{} busy on average{}", percent(mean), culprits(view));
    let single = cpus.len() == 1;
    let judged = Judged::new(level(mean), value);
    Ok(if single { judged } else { judged.on(cpus) })
}

/// Names the processes that used most CPU time between the two readings.
fn culprits(view: &View<'_>) -> String {
    let Ok((before, now)) = view.pair(|counters| &counters.processes) else { return String::new() };
    // A process that a complete first reading lacks was created after it, and used no CPU time before. If the first
    // reading was cut short, that CPU time is unknown.
    let since = |pid: &u32| match before.tasks.get(pid) {
        Some(task) => task.cpu_ticks,
        None if before.is_cut => u64::MAX,
        None => 0,
    };
    let most = (view.seconds * USER_HZ * view.online.len().max(1) as f64).ceil() as u64;
    let used = |pid: &u32| now.tasks[pid].cpu_ticks.saturating_sub(since(pid)).min(most);
    let mut users: Vec<(u64, &str)> = now
        .tasks
        .keys()
        .filter(|pid| **pid != std::process::id())
        .map(|pid| (used(pid), now.tasks[pid].name.as_str()))
        .filter(|(ticks, _)| *ticks > 0)
        .collect();
    users.sort_by(|a, b| b.cmp(a));
    let share = |ticks: u64| percent(ticks as f64 / USER_HZ / view.seconds.max(f64::EPSILON));
    let named: Vec<String> =
        users.iter().take(3).map(|(ticks, name)| format!("{name} {}", share(*ticks))).collect();
    if named.is_empty() { String::new() } else { format!(": {}", named.join(", ")) }
}

/// Judges the share of the interval in which at least one task waited for a resource (PSI `some`); `get` selects the
/// resource.
pub(super) fn pressure(view: &View<'_>, get: impl Fn(&Counters) -> &Read<Pressure>) -> Verdict {
    let (before, now) = view.pair(get)?;
    let waited_us = now.total_us.saturating_sub(before.total_us) as f64;
    let just_now = if view.seconds > 0.0 { (waited_us / 1e6 / view.seconds).min(1.0) } else { 0.0 };
    let recent = (now.avg10_percent / 100.0).clamp(0.0, 1.0);
    let severity = grade(just_now.max(recent / 2.0), 0.01, 0.05, 0.2);
    Ok(Judged::new(severity, format!("{} just now, {} over 10 s", percent(just_now), percent(recent))))
}

/// Time limit, in nanoseconds, for reading the affinity of every thread.
const PINNED_NS_MAX: u64 = 30_000_000;

fn pinned(view: &View<'_>) -> Verdict {
    let processes = view.now.processes.as_ref().map_err(Clone::clone)?;
    let (pinned, is_whole) = tasks::pinned(view.tree, processes, &view.online, PINNED_NS_MAX);
    let counts = tasks::by_cpu(&pinned, &view.cpus);
    let ours = pinned.iter().filter(|task| !task.cpus.intersection(&view.cpus).is_empty());
    let mut names: Vec<&str> = ours.clone().map(|task| task.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let more = if names.len() > 3 { ", …" } else { "" };
    let who = if names.is_empty() {
        String::new()
    } else {
        format!(": {}{more}", names[..names.len().min(3)].join(", "))
    };
    let value = format!("{}{who}", counted(ours.count(), "thread"));
    let rows = counts.into_iter().map(|(cpu, count): (Cpu, usize)| {
        (cpu, if count > 0 { Severity::Low } else { Severity::None }, counted(count, "thread"))
    });
    let judged = Judged::either(!names.is_empty(), Severity::Low, value).on(rows);
    Ok(if is_whole {
        judged
    } else {
        judged.because("there are too many threads to read all of them in time")
    })
}

fn real_time(view: &View<'_>) -> Verdict {
    let processes = view.now.processes.as_ref().map_err(Clone::clone)?;
    let own = std::process::id();
    let ours =
        processes.tasks.values().filter(|task| !task.is_kernel && task.is_real_time() && task.id != own);
    let names: Vec<&str> = ours.map(|task| task.name.as_str()).take(5).collect();
    Ok(if names.is_empty() { Judged::none("none") } else { Judged::medium(names.join(", ")) })
}

/// Names of daemons that change settings of the machine, cut to the fifteen bytes that the kernel keeps.
const DAEMONS: [&str; 10] = [
    "tuned",
    "tuned-ppd",
    "power-profiles-",
    "thermald",
    "tlp",
    "auto-cpufreq",
    "ananicy-cpp",
    "ananicy",
    "gamemoded",
    "uresourced",
];

const MEASURERS: [&str; 11] = [
    "fauxplat",
    "hyperfine",
    "perf",
    "poop",
    "pyperf",
    "stress-ng",
    "stress",
    "fio",
    "sysbench",
    "cyclictest",
    "oslat",
];

fn named_processes(view: &View<'_>, names: &[&str], severity: Severity) -> Verdict {
    let processes = view.now.processes.as_ref().map_err(Clone::clone)?;
    let own = std::process::id();
    let others = processes.tasks.values().filter(|task| task.id != own);
    let mut found: Vec<&str> =
        others.map(|task| task.name.as_str()).filter(|name| names.contains(name)).collect();
    found.sort_unstable();
    found.dedup();
    let value = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    Ok(Judged::either(!found.is_empty(), severity, value))
}

/// Folders with enabled timers of systemd, and folders with tables of cron.
const TIMERS: [&str; 2] =
    ["etc/systemd/system/timers.target.wants", "usr/lib/systemd/system/timers.target.wants"];
const TABLES: [&str; 6] = [
    "etc/cron.d",
    "etc/cron.hourly",
    "etc/cron.daily",
    "etc/cron.weekly",
    "var/spool/cron",
    "var/spool/cron/crontabs",
];

fn jobs(view: &View<'_>) -> Verdict {
    let names = |folder: &&str| view.tree.names(folder).unwrap_or_default();
    let mut timers: Vec<String> =
        TIMERS.iter().flat_map(names).filter(|name| name.ends_with(".timer")).collect();
    timers.sort();
    timers.dedup();
    let is_table = |name: &String| !name.starts_with('.') && name != "crontabs";
    let tables = TABLES.iter().flat_map(names).filter(is_table).count();
    if !TIMERS.iter().chain(&TABLES).any(|folder| view.tree.has(folder)) {
        return Err(Missing::Absent(TABLES[0].to_owned()));
    }
    // Timers and tables are files, which start nothing without a daemon that reads them.
    let runners = ["systemd", "cron", "crond"];
    let short: Vec<&str> = timers.iter().map(|name| name.trim_end_matches(".timer")).collect();
    let value = match (short.is_empty(), tables) {
        (true, 0) => return Ok(Judged::none("none")),
        (true, tables) => format!("{} of cron", counted(tables, "file")),
        (false, 0) => short.join(", "),
        (false, tables) => format!("{}; {} of cron", short.join(", "), counted(tables, "file")),
    };
    Ok(match view.runs(&runners)? {
        true => Judged::low(value),
        false => Judged::none(format!("{value}, and no service that starts them")),
    })
}
