//! Hazards of the group *kernel*: build options, instrumentation, and signs of trouble.

use std::collections::BTreeSet;

use fauxplat_procfs::cpuinfo;

use crate::finding::{HazardGroup, Severity};
use crate::groups::interrupts::mask_hits;
use crate::groups::scheduling::switch;
use crate::hazard::{Hazard, Judged, Neutralised, Verdict};
use crate::read::{klog, word};
use crate::tree::Missing;
use crate::view::View;

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "clocksource",
        title: "source of the time",
        group: HazardGroup::Kernel,
        reads: "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        cost: "A clock that cannot be read without a system call took 487 ns a reading instead of 18 (an XCP-ng \
               guest).",
        levels: "high: a clock that needs a system call, because whatever measures short times then measures the \
                 clock; none: a clock that a program reads without one.",
        in_vm: None,
        neutralised: Neutralised::Partly("the clock is read twice a run, outside of the program"),
        knob: None,
        advice: "Boot with tsc=reliable where the hardware allows, or ask the host for a better clock.",
        judge: clocksource,
    },
    Hazard {
        name: "debug-kernel",
        title: "a kernel built for debugging",
        group: HazardGroup::Kernel,
        reads: "/proc/config.gz or /boot/config-*, /sys/kernel/debug/kmemleak",
        cost: "Checks of every lock and every access take a multiple of the time in the kernel. No published figure \
               for the usual mixture was found.",
        levels: "high: one of the options that check locks, objects or accesses is built in and on; none: none is.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Boot the distribution's usual kernel.",
        judge: debug_kernel,
    },
    Hazard {
        name: "cpu-mitigations",
        title: "mitigations of flaws of the CPU",
        group: HazardGroup::Kernel,
        reads: "/sys/devices/system/cpu/vulnerabilities/*, mitigations= in /proc/cmdline",
        cost: "Every entry into the kernel takes longer, by CPU and flaw; programs without system calls feel little. \
               No single published figure holds for all.",
        levels: "medium: page tables are isolated, or returns are guarded at every entry into the kernel; low: others \
                 are on; none: none is.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Leave the mitigations on, and say so beside the figures; compare only with machines that have the \
                 same.",
        judge: mitigations,
    },
    Hazard {
        name: "microcode",
        title: "revision of the microcode",
        group: HazardGroup::Kernel,
        reads: "/proc/cpuinfo, /sys/devices/system/cpu/cpu*/microcode/version",
        cost: "Recorded for comparisons: revisions change the speed of mitigations and of instructions. No single \
               published figure holds for all.",
        levels: "medium: CPUs of one machine differ; none: they are alike.",
        in_vm: Some("the host shows its guests what it likes"),
        neutralised: Neutralised::No,
        knob: None,
        advice: "Load the same revision on every CPU, and compare it when two machines differ.",
        judge: microcode,
    },
    Hazard {
        name: "kernel-taint",
        title: "what the kernel itself complains of",
        group: HazardGroup::Kernel,
        reads: "/proc/sys/kernel/tainted",
        cost: "A kernel that warned, locked up or saw a machine check may be slow in ways that nobody predicts.",
        levels: "high: a machine check, since the hardware is not well; medium: a lock-up, or an oops; low: a warning, \
                 or modules from elsewhere; none: nothing.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Read the kernel's log, and restart the machine before you measure.",
        judge: taint,
    },
    Hazard {
        name: "kernel-log",
        title: "troubles in the kernel's log",
        group: HazardGroup::Kernel,
        reads: "/dev/kmsg (root, unless kernel.dmesg_restrict is 0)",
        cost: "Throttled real-time tasks, unstable clocks, slow interrupts and killed processes explain many a figure. \
               Krun compares the log after every run.",
        levels: "medium: heat, machine checks, lock-ups, an unstable clock or a want of memory are in it; low: \
                 throttled real-time tasks, interrupts that took too long, or tasks that lost their CPU; none: none of \
                 these.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Read the log (dmesg) and mend what it names.",
        judge: kernel_log,
    },
    Hazard {
        name: "tracing",
        title: "tracing of the kernel",
        group: HazardGroup::Kernel,
        reads: "/sys/kernel/tracing/{current_tracer,tracing_on,set_event,kprobe_events,uprobe_events} (root)",
        cost: "Each traced function or event costs at every pass. No single published figure holds for all.",
        levels: "high: a tracer of functions is at work, since it is met at every call; medium: events or probes are \
                 on; none: nothing is traced.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "End whoever traces; write nop to current_tracer.",
        judge: tracing,
    },
    Hazard {
        name: "split-locks",
        title: "programs slowed down for locks across two cache lines",
        group: HazardGroup::Kernel,
        reads: "/proc/sys/kernel/split_lock_mitigate, split_lock_detect in the flags of /proc/cpuinfo and in \
                /proc/cmdline",
        cost: "A locked access to two cache lines takes 1000 cycles more than one to a single line; where the CPU \
               traps such an access, the program also sleeps for 10 ms and waits for all others that do the same (the \
               kernel's buslock.rst; split_lock_warn in bus_lock.c). Programs without such accesses are not affected.",
        levels: "low: the CPU traps, and the kernel makes such programs wait, or ends them; none: it does neither.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Look for `split_lock` in the kernel's log; if it names your program, align what it locks, or write 0 \
                 to split_lock_mitigate.",
        judge: split_locks,
    },
    Hazard {
        name: "perf-sampling",
        title: "performance counters that others hold",
        group: HazardGroup::Kernel,
        reads: "/proc/*/fd (root), /proc/sys/kernel/{perf_event_max_sample_rate,perf_event_paranoid}",
        cost: "Sampling interrupts the program some hundred to some thousand times a second, and counters are shared \
               by turns. No published figure of the usual loss was found.",
        levels: "medium: some process holds events; none: nobody does.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "End the profiler or the agent of the monitoring while you measure.",
        judge: sampling,
    },
    Hazard {
        name: "bpf-statistics",
        title: "statistics of BPF programs",
        group: HazardGroup::Kernel,
        reads: "/proc/sys/kernel/bpf_stats_enabled",
        cost: "Every run of a BPF program reads the clock twice. No published figure was found.",
        levels: "low: on; none: off.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Write 0 to bpf_stats_enabled.",
        judge: |view| switch(view, "proc/sys/kernel/bpf_stats_enabled", Severity::Low),
    },
    Hazard {
        name: "workqueues",
        title: "work of the kernel on the CPUs looked at",
        group: HazardGroup::Kernel,
        reads: "/sys/devices/virtual/workqueue/cpumask",
        cost: "Work that belongs to no CPU may be done on the measured one. No published figure was found.",
        levels: "low: work may come to these CPUs; none: it may not. Only CPUs that were chosen with --cpu can be free \
                 of it.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Write the mask of the other CPUs to this file; the mask stays through hotplug.",
        judge: workqueues,
    },
    Hazard {
        name: "security-hooks",
        title: "checks at system calls",
        group: HazardGroup::Kernel,
        reads: "/sys/kernel/security/lsm, Seccomp of /proc/self/status, audit= in /proc/cmdline, a process auditd",
        cost: "Filters of seccomp run at every system call, as in most containers; auditing makes every one slower. No \
               single published figure holds for all.",
        levels: "medium: a filter of seccomp holds for this process, since the machine outside has none; low: a module \
                 that checks every open file, or auditing; none: neither.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Measure programs that make many system calls with the filters that they have in production.",
        judge: hooks,
    },
];

/// Clocks that a program reads without a system call: x86, KVM, Hyper-V, arm64, POWER, s390, RISC-V, MIPS, LoongArch.
const CLOCKS: [&str; 10] = [
    "tsc",
    "tsc-early",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "arch_sys_counter",
    "timebase",
    "tod",
    "riscv_clocksource",
    "MIPS",
    "Constant",
];

fn clocksource(view: &View<'_>) -> Verdict {
    let clock = view.tree.word("sys/devices/system/clocksource/clocksource0/current_clocksource")?;
    Ok(Judged::either(!CLOCKS.contains(&clock.as_str()), Severity::High, clock))
}

/// Build options for checks of the kernel that are on whenever they are built in.
const CHECKS: [&str; 9] = [
    "KASAN",
    "KCSAN",
    "KMSAN",
    "LOCKDEP",
    "PROVE_LOCKING",
    "DEBUG_OBJECTS_ENABLE_DEFAULT",
    "SLUB_DEBUG_ON",
    "DEBUG_PAGEALLOC_ENABLE_DEFAULT",
    "DEBUG_VM_PGFLAGS",
];

fn debug_kernel(view: &View<'_>) -> Verdict {
    let is_leak_checked = view.tree.has("sys/kernel/debug/kmemleak");
    let config = view.config()?;
    let mut found: Vec<&str> = CHECKS.into_iter().filter(|option| config.has(option)).collect();
    found.extend(is_leak_checked.then_some("kmemleak"));
    Ok(if found.is_empty() { Judged::none("no") } else { Judged::high(found.join(", ")) })
}

fn mitigations(view: &View<'_>) -> Verdict {
    let base = "sys/devices/system/cpu/vulnerabilities";
    let said = |name: &String| Some((name.clone(), view.tree.text(&format!("{base}/{name}")).ok()?));
    let said: Vec<(String, String)> = view.tree.names(base)?.iter().filter_map(said).collect();
    let on: Vec<&str> = said
        .iter()
        .filter(|(_, text)| text.starts_with("Mitigation"))
        .map(|(name, _)| name.as_str())
        .collect();
    let is_costly = |(name, text): &&(String, String)| {
        (name == "meltdown" && text.contains("PTI"))
            || (["retbleed", "spec_rstack_overflow"].contains(&name.as_str())
                && text.starts_with("Mitigation"))
    };
    Ok(match (said.iter().find(is_costly), on.is_empty()) {
        (_, true) => Judged::none("none on"),
        (Some((name, _)), _) => Judged::medium(format!("{} on, among them {name}", on.len())),
        (None, false) => Judged::low(format!("{} on: {}", on.len(), on.join(", "))),
    })
}

fn microcode(view: &View<'_>) -> Verdict {
    let file = |cpu| format!("sys/devices/system/cpu/cpu{cpu}/microcode/version");
    let mut revisions: BTreeSet<String> =
        view.online.iter().filter_map(|cpu| view.tree.text(&file(cpu)).ok()).collect();
    if revisions.is_empty() {
        let text = view.tree.long("proc/cpuinfo")?;
        let lines = cpuinfo::lines(&text).filter(|(key, _)| *key == "microcode");
        revisions = lines.map(|(_, revision)| revision.to_owned()).collect();
    }
    let listed = revisions.iter().cloned().collect::<Vec<_>>().join(", ");
    match revisions.len() {
        0 => Err(Missing::Absent("proc/cpuinfo (microcode)".to_owned())),
        1 => Ok(Judged::none(listed)),
        _ => Ok(Judged::medium(format!("CPUs differ: {listed}"))),
    }
}

/// Bits of the kernel's taint mask (see its `Documentation/admin-guide/tainted-kernels.rst`), each with a name and a
/// severity, in the order in which the hazard's value names them.
const TAINTS: [(u32, &str, Severity); 8] = [
    (4, "machine check", Severity::High),
    (14, "lock-up", Severity::Medium),
    (7, "oops", Severity::Medium),
    (9, "warning", Severity::Low),
    (5, "bad page", Severity::Medium),
    (2, "out-of-specification system", Severity::Low),
    (12, "module from outside", Severity::Low),
    (0, "proprietary module", Severity::Low),
];

fn taint(view: &View<'_>) -> Verdict {
    let bits: u64 = view.tree.parse("proc/sys/kernel/tainted")?;
    let found: Vec<_> = TAINTS.iter().filter(|(bit, ..)| bits >> bit & 1 == 1).collect();
    let names: Vec<&str> = found.iter().map(|(_, name, _)| *name).collect();
    let worst = found.iter().map(|(.., severity)| *severity).min().unwrap_or(Severity::None);
    Ok(Judged::new(worst, if names.is_empty() { format!("flags {bits}") } else { names.join(", ") }))
}

/// Texts in messages of the kernel's log, in lower case, with their meaning and severity.
const TROUBLES: [(&str, &str, Severity); 13] = [
    ("temperature above threshold", "heat", Severity::Medium),
    ("cpu clock throttled", "heat", Severity::Medium),
    ("machine check", "machine check", Severity::Medium),
    ("hardware error", "machine check", Severity::Medium),
    ("soft lockup", "lock-up", Severity::Medium),
    ("hard lockup", "lock-up", Severity::Medium),
    ("blocked for more than", "a task that hung", Severity::Medium),
    ("clocksource: timekeeping watchdog", "unstable clock", Severity::Medium),
    ("out of memory: killed", "want of memory", Severity::Medium),
    ("rt throttling activated", "throttled real-time tasks", Severity::Low),
    ("perf: interrupt took too long", "slow interrupts", Severity::Low),
    ("no longer affine to cpu", "tasks that lost their CPU", Severity::Low),
    ("i/o error", "errors of a disk", Severity::Medium),
];

fn kernel_log(view: &View<'_>) -> Verdict {
    let messages = klog::messages(view.tree)?;
    let mut found: BTreeSet<(Severity, &str)> = BTreeSet::new();
    for message in &messages {
        let message = message.to_lowercase();
        found.extend(
            TROUBLES.iter().filter(|(words, ..)| message.contains(words)).map(|(_, name, how)| (*how, *name)),
        );
    }
    let names: Vec<&str> = found.iter().map(|(_, name)| *name).collect();
    let worst = found.first().map_or(Severity::None, |(severity, _)| *severity);
    Ok(Judged::new(worst, if names.is_empty() { "nothing of note".to_owned() } else { names.join(", ") }))
}

fn tracing(view: &View<'_>) -> Verdict {
    let base = match view.tree.names("sys/kernel/tracing") {
        // An empty folder is the mount point of tracefs without tracefs: tracing cannot be on.
        Ok(names) if names.is_empty() => {
            return Err(Missing::Absent("sys/kernel/tracing/current_tracer".to_owned()));
        }
        Ok(_) | Err(Missing::Denied(_)) => "sys/kernel/tracing",
        Err(_) => "sys/kernel/debug/tracing",
    };
    let tracer = view.tree.word(&format!("{base}/current_tracer"))?;
    let is_on = view.tree.text(&format!("{base}/tracing_on")).is_ok_and(|on| on == "1");
    let listed =
        |file: &str| view.tree.text_or_empty(&format!("{base}/{file}")).is_ok_and(|text| !text.is_empty());
    let events: Vec<&str> =
        ["set_event", "kprobe_events", "uprobe_events"].into_iter().filter(|file| listed(file)).collect();
    Ok(match (tracer.as_str(), events.is_empty()) {
        ("nop", true) => Judged::none("nothing"),
        ("nop", false) => Judged::either(is_on, Severity::Medium, events.join(", ")),
        (tracer, _) => Judged::either(is_on, Severity::High, tracer.to_owned()),
    })
}

/// Judges the trap for split locks, which the CPU may lack and the kernel's command line may turn off, see
/// `Documentation/arch/x86/buslock.rst`.
fn split_locks(view: &View<'_>) -> Verdict {
    const TRAP: &str = "split_lock_detect";
    let is_mitigated = view.tree.word("proc/sys/kernel/split_lock_mitigate")? != "0";
    let cpus = view.tree.long("proc/cpuinfo")?;
    let has_trap = |(key, flags): (&str, &str)| key == "flags" && flags.split(' ').any(|flag| flag == TRAP);
    let line = view.tree.text("proc/cmdline").unwrap_or_default();
    let mode = word(&line, TRAP).unwrap_or("warn");
    Ok(match cpuinfo::lines(&cpus).any(has_trap) {
        false => Judged::none("this CPU does not trap them"),
        true if mode == "off" => Judged::none("the trap is off"),
        true if mode == "fatal" => Judged::low("such programs are ended"),
        true => Judged::either(
            is_mitigated,
            Severity::Low,
            if is_mitigated { "such programs wait" } else { "reported" },
        ),
    })
}

/// Maximum number of file descriptors that are read, in some milliseconds; some hundred processes have as many.
const DESCRIPTORS_MAX: usize = 4000;

fn sampling(view: &View<'_>) -> Verdict {
    let rate = view.tree.text("proc/sys/kernel/perf_event_max_sample_rate")?;
    let paranoid = view.tree.text("proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    let processes = view.now.processes.as_ref().map_err(Clone::clone)?;
    let (mut holders, mut left, mut is_denied) = (BTreeSet::new(), DESCRIPTORS_MAX, false);
    for (pid, task) in
        processes.tasks.iter().filter(|(pid, task)| !task.is_kernel && **pid != std::process::id())
    {
        match view.tree.links(&format!("proc/{pid}/fd"), &mut left) {
            Ok(targets) if targets.iter().any(|target| target.contains("[perf_event]")) => {
                holders.insert(task.name.clone());
            }
            Err(Missing::Denied(_)) => is_denied = true,
            _ => {}
        }
    }
    let setting = format!("at most {rate} samples a second, paranoid {paranoid}");
    match (holders.is_empty(), is_denied) {
        (false, _) => {
            Ok(Judged::medium(format!("held by {}", holders.into_iter().collect::<Vec<_>>().join(", "))))
        }
        (true, true) => Err(Missing::Denied("proc/*/fd".to_owned())),
        (true, false) => Ok(Judged::none(setting)),
    }
}

fn workqueues(view: &View<'_>) -> Verdict {
    let mask = view.tree.text("sys/devices/virtual/workqueue/cpumask")?;
    if view.cpus == view.allowed {
        return Ok(Judged::not_applicable(mask, "all CPUs are looked at: some must do the work (say --cpu)"));
    }
    Ok(Judged::either(mask_hits(&mask, &view.cpus), Severity::Low, format!("mask {mask}")))
}

fn hooks(view: &View<'_>) -> Verdict {
    let filters = view.status("Seccomp")?;
    let modules = view.tree.text("sys/kernel/security/lsm").unwrap_or_default();
    let heavy: Vec<&str> =
        modules.split(',').filter(|name| ["selinux", "apparmor", "smack", "tomoyo"].contains(name)).collect();
    let line = view.tree.text("proc/cmdline").unwrap_or_default();
    let has_auditd = view.runs(&["auditd"]);
    let mut found: Vec<String> = heavy.iter().map(|name| (*name).to_owned()).collect();
    found.extend((has_auditd == Ok(true) || word(&line, "audit") == Some("1")).then(|| "audit".to_owned()));
    let value = |found: &[String]| if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    Ok(match filters.as_str() {
        "0" if found.is_empty() => has_auditd.map(|_| Judged::none("none"))?,
        "0" => Judged::low(value(&found)),
        mode => {
            found.insert(0, if mode == "2" { "seccomp filter".to_owned() } else { "seccomp".to_owned() });
            Judged::medium(value(&found))
        }
    })
}
