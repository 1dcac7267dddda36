//! Hazards of the group *process*: state that a measured program inherits from this process.

use fauxplat_units::Bytes;

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict};
use crate::read::tasks;
use crate::tree::Missing;
use crate::view::View;

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "aslr",
        title: "random places in memory",
        group: HazardGroup::Process,
        reads: "/proc/sys/kernel/randomize_va_space, /proc/self/personality",
        cost: "Without random places every run has the same layout, lucky or not, and two programs differ by their \
               layouts (Mytkowicz 2009 found up to what an optimisation level is worth). With them layouts differ from \
               run to run, and the spread is wider.",
        levels: "low: in both settings, since off samples a single layout, and on moves programs only by whole pages; \
                 none: never.",
        in_vm: None,
        neutralised: Neutralised::Yes(
            "compare and aa displace the stack within its page by padding the environment, anew for each block and \
             alike for all commands; --aslr and --heap set the rest for each command",
        ),
        knob: Some("aslr=off"),
        advice: "Leave randomisation on, and let fauxplat draw the layout; switching it off, for a command by --aslr off or \
                 for the machine, is for repeating one layout.",
        judge: aslr,
    },
    Hazard {
        name: "environment-size",
        title: "size of the environment",
        group: HazardGroup::Process,
        reads: "/proc/self/environ",
        cost: "The environment displaces the stack: between two sizes the time of a program can differ by more than \
               between -O2 and -O3 (Mytkowicz 2009).",
        levels: "low: the environment is not empty, and its size is an accident of the login; none: it is empty.",
        in_vm: None,
        neutralised: Neutralised::Yes(
            "compare and aa draw its padding anew for each block, and give all commands of a block the same total",
        ),
        knob: None,
        advice: "With other tools, measure under several sizes; `--env clean` starts from nothing.",
        judge: environment,
    },
    Hazard {
        name: "preloaded-libraries",
        title: "libraries and options in the environment",
        group: HazardGroup::Process,
        reads: "/proc/self/environ: LD_PRELOAD, LD_LIBRARY_PATH, LD_BIND_NOW, GLIBC_TUNABLES, MALLOC_*",
        cost: "Such variables change the loader or the allocator of every program that is measured. No single \
               published figure holds for all.",
        levels: "medium: such a variable is set; none: none is.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Unset these variables, or use `--env clean`.",
        judge: preloaded,
    },
    Hazard {
        name: "timer-slack",
        title: "slack of timers",
        group: HazardGroup::Process,
        reads: "/proc/self/timerslack_ns",
        cost: "A sleep under the ordinary policy ends later by up to the slack: a median of 60.6 µs became 5.7 µs with \
               a slack of 1 ns (measured on Linux 6.18).",
        levels: "medium: more than the usual 50 µs; low: more than 1 µs, which shows in latencies alone; none: less. \
                 Real-time policies have none.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("timer-slack=1"),
        advice: "Set the slack with prctl(PR_SET_TIMERSLACK) in whatever measures latency.",
        judge: slack,
    },
    Hazard {
        name: "inherited-policy",
        title: "priority of this process",
        group: HazardGroup::Process,
        reads: "/proc/self/stat, nice value and scheduling policy",
        cost: "A program with a higher nice value than others gets less of a busy CPU, one with a real-time policy all \
               of it. On an idle machine neither matters.",
        levels: "medium: a real-time policy, or SCHED_IDLE or SCHED_BATCH; low: a nice value other than 0; none: as \
                 usual.",
        in_vm: None,
        neutralised: Neutralised::Partly("--policy and --nice set both for each command"),
        knob: None,
        advice: "Start fauxplat without nice and chrt, and give --nice and --policy instead.",
        judge: policy,
    },
    Hazard {
        name: "traced",
        title: "a debugger or strace that traces this process",
        group: HazardGroup::Process,
        reads: "TracerPid of /proc/self/status",
        cost: "At each system call, signal or start of a program the process stops for the tracer. No single published \
               figure holds for all.",
        levels: "high: a debugger or strace is attached, since it follows what is started; none: nobody is.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Start fauxplat outside of the debugger.",
        judge: traced,
    },
    Hazard {
        name: "resource-limits",
        title: "limits that programs inherit",
        group: HazardGroup::Process,
        reads: "/proc/self/limits: CPU time, address space, data, resident set, file size",
        cost: "A program that reaches a limit fails, or behaves otherwise than elsewhere. Below a limit nothing \
               changes.",
        levels: "low: one of these limits is set; none: all are unlimited.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Raise the limits with ulimit before you start fauxplat.",
        judge: limits,
    },
];

/// `ADDR_NO_RANDOMIZE` of `personality(2)`.
const ADDR_NO_RANDOMIZE: u64 = 0x0004_0000;

fn aslr(view: &View<'_>) -> Verdict {
    let mode: u8 = view.tree.parse("proc/sys/kernel/randomize_va_space")?;
    let own = view.tree.text("proc/self/personality").ok();
    let is_off_here = own
        .and_then(|text| u64::from_str_radix(&text, 16).ok())
        .is_some_and(|bits| bits & ADDR_NO_RANDOMIZE != 0);
    Ok(Judged::low(match (mode, is_off_here) {
        (0, _) => "off",
        (_, true) => "off for this process",
        (1, _) => "on, without the heap",
        _ => "on",
    }))
}

/// Returns the names of environment variables, and their sizes in bytes with value and final zero. Values are omitted,
/// since they may be secret.
fn variables(view: &View<'_>) -> Result<Vec<(String, usize)>, Missing> {
    let bytes = view.tree.bytes("proc/self/environ")?;
    let variables = bytes.split(|byte| *byte == 0).filter(|variable| !variable.is_empty());
    let name = |variable: &[u8]| {
        let end = variable.iter().position(|byte| *byte == b'=').unwrap_or(variable.len());
        String::from_utf8_lossy(&variable[..end]).into_owned()
    };
    Ok(variables.map(|variable| (name(variable), variable.len() + 1)).collect())
}

fn environment(view: &View<'_>) -> Verdict {
    let variables = variables(view)?;
    let bytes: usize = variables.iter().map(|(_, bytes)| bytes).sum();
    let value = format!("{} variables, {}", variables.len(), Bytes(bytes as u64));
    Ok(Judged::either(bytes > 0, Severity::Low, value))
}

fn preloaded(view: &View<'_>) -> Verdict {
    let listed = ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_BIND_NOW", "LD_AUDIT", "GLIBC_TUNABLES"];
    let variables = variables(view)?;
    let mut found: Vec<&str> = variables
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| listed.contains(name) || name.starts_with("MALLOC_"))
        .collect();
    found.sort_unstable();
    Ok(if found.is_empty() { Judged::none("none") } else { Judged::medium(found.join(", ")) })
}

fn slack(view: &View<'_>) -> Verdict {
    let ns: u64 = view.tree.parse("proc/self/timerslack_ns")?;
    let severity = match ns {
        0..=1_000 => Severity::None,
        1_001..=50_000 => Severity::Low,
        _ => Severity::Medium,
    };
    Ok(Judged::new(severity, format!("{:.1} µs", ns as f64 / 1000.0)))
}

fn policy(view: &View<'_>) -> Verdict {
    let path = "proc/self/stat";
    let task =
        tasks::parse(&view.tree.text(path)?).ok_or_else(|| Missing::garbage(path, "it is not understood"))?;
    Ok(match (task.policy, task.nice) {
        (0, 0) => Judged::none("as usual"),
        (0, nice) => Judged::low(format!("nice {nice}")),
        (policy, _) => Judged::medium(match policy {
            1 => "SCHED_FIFO".to_owned(),
            2 => "SCHED_RR".to_owned(),
            3 => "SCHED_BATCH".to_owned(),
            5 => "SCHED_IDLE".to_owned(),
            6 => "SCHED_DEADLINE".to_owned(),
            other => format!("policy {other}"),
        }),
    })
}

fn traced(view: &View<'_>) -> Verdict {
    let tracer = view.status("TracerPid")?;
    Ok(match tracer.as_str() {
        "0" => Judged::none("no"),
        pid => Judged::high(format!("by process {pid}")),
    })
}

/// Lines of `/proc/self/limits` whose limits change how a program runs; all others only restrict how much it may open
/// and start.
const LIMITS: [&str; 5] =
    ["Max cpu time", "Max address space", "Max data size", "Max resident set", "Max file size"];

fn limits(view: &View<'_>) -> Verdict {
    let path = "proc/self/limits";
    let text = view.tree.text(path)?;
    let soft = |name: &&str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        rest.split_whitespace().next().map(str::to_owned)
    };
    let known: Vec<(&str, String)> = LIMITS.iter().filter_map(|name| Some((*name, soft(name)?))).collect();
    if known.is_empty() {
        return Err(Missing::garbage(path, "it lists no limit"));
    }
    let set: Vec<String> = known
        .iter()
        .filter(|(_, soft)| soft != "unlimited")
        .map(|(name, soft)| format!("{} {soft}", name.trim_start_matches("Max ")))
        .collect();
    Ok(if set.is_empty() { Judged::none("none") } else { Judged::low(set.join(", ")) })
}
