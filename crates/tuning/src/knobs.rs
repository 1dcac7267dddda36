//! Table of all knobs. For a knob whose setting is in a file, an entry in this table is all that is needed.

use crate::knob::{Form, Group, Knob, KnobLocation, Own, Values};

const ON_OFF: Values = Values::Words(&["on", "off"]);
/// Values of most switches of the kernel for the words of the user.
const ONE_ZERO: &[(&str, &str)] = &[("on", "1"), ("off", "0")];
/// Values of inverted switches, whose files are named after what they disable.
const ZERO_ONE: &[(&str, &str)] = &[("on", "0"), ("off", "1")];

const fn plain(pattern: &'static str, words: &'static [(&'static str, &'static str)]) -> KnobLocation {
    KnobLocation { pattern, form: Form::Plain, words }
}

const fn choice(pattern: &'static str) -> KnobLocation {
    KnobLocation { pattern, form: Form::Choice, words: &[] }
}

const fn knob(
    name: &'static str,
    group: Group,
    values: Values,
    places: &'static [KnobLocation],
    purpose: &'static str,
) -> Knob {
    Knob { name, group, purpose, values, places, own: None }
}

/// All knobs. Those of the same group are applied in this order.
///
/// `Documentation/admin-guide/pm` of the kernel describes the frequency group; `proc_sys_kernel(5)`, `proc_sys_vm(5)`,
/// `cpuset(7)` and `Documentation/admin-guide/sysctl` describe the rest.
pub(crate) const KNOBS: &[Knob] = &[
    Knob {
        name: "timer-slack",
        group: Group::Process,
        purpose: "how late timers of ordinary tasks may fire, in nanoseconds (50,000 unless set)",
        values: Values::Number(&[], 1, 1_000_000_000),
        places: &[],
        own: Some((Own::TimerSlack, "")),
    },
    Knob {
        name: "dma-latency",
        group: Group::Process,
        purpose: "idle CPUs may sleep only so deeply that they wake within so many microseconds",
        values: Values::Number(&[], 0, 2_000_000_000),
        places: &[],
        own: Some((Own::DmaLatency, "")),
    },
    // The governor is the first of its group: writing it resets turbo, and `performance` locks the energy preference.
    knob(
        "governor",
        Group::Frequency,
        Values::Driver,
        &[plain("sys/devices/system/cpu/cpufreq/policy*/scaling_governor", &[])],
        "how the frequency follows the load; performance does not follow it",
    ),
    knob(
        "min-freq",
        Group::Frequency,
        Values::Frequency,
        &[plain("sys/devices/system/cpu/cpufreq/policy*/scaling_min_freq", &[])],
        "lowest frequency",
    ),
    knob(
        "max-freq",
        Group::Frequency,
        Values::Frequency,
        &[plain("sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq", &[])],
        "highest frequency",
    ),
    knob(
        "turbo",
        Group::Frequency,
        ON_OFF,
        &[
            plain("sys/devices/system/cpu/intel_pstate/no_turbo", ZERO_ONE),
            plain("sys/devices/system/cpu/cpufreq/boost", ONE_ZERO),
            plain("sys/devices/system/cpu/cpufreq/policy*/boost", ONE_ZERO),
        ],
        "frequencies above the nominal one, which depend on heat and on the other cores",
    ),
    knob(
        "epp",
        Group::Frequency,
        Values::Driver,
        &[plain("sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference", &[])],
        "whether the hardware prefers speed or energy saving",
    ),
    knob(
        "epb",
        Group::Frequency,
        Values::Number(&["performance", "balance-performance", "normal", "balance-power", "power"], 0, 15),
        &[plain(
            "sys/devices/system/cpu/cpu*/power/energy_perf_bias",
            &[
                ("performance", "0"),
                ("balance-performance", "4"),
                ("normal", "6"),
                ("balance-power", "8"),
                ("power", "15"),
            ],
        )],
        "preference between speed and energy saving on older Intel CPUs",
    ),
    Knob {
        name: "thp",
        group: Group::Memory,
        purpose: "transparent huge pages",
        values: Values::Words(&["always", "madvise", "never"]),
        places: &[choice("sys/kernel/mm/transparent_hugepage/enabled")],
        own: Some((Own::HugePages, "never")),
    },
    knob(
        "thp-defrag",
        Group::Memory,
        Values::Words(&["always", "defer", "defer+madvise", "madvise", "never"]),
        &[choice("sys/kernel/mm/transparent_hugepage/defrag")],
        "whether a page fault waits until a huge page has been made",
    ),
    knob(
        "khugepaged",
        Group::Memory,
        Values::Number(&["off"], 0, 4_294_967_295),
        &[plain("sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs", &[("off", "3600000")])],
        "milliseconds between two scans for pages to join to huge ones; off: one scan an hour",
    ),
    knob(
        "ksm",
        Group::Memory,
        ON_OFF,
        &[plain("sys/kernel/mm/ksm/run", ONE_ZERO)],
        "the scan for equal pages of memory, which merges them (KSM)",
    ),
    knob(
        "numa-balancing",
        Group::Memory,
        ON_OFF,
        &[plain("proc/sys/kernel/numa_balancing", ONE_ZERO)],
        "page faults that the kernel provokes to find out who uses which memory",
    ),
    knob(
        "compaction",
        Group::Memory,
        Values::Number(&["off"], 0, 100),
        &[plain("proc/sys/vm/compaction_proactiveness", &[("off", "0")])],
        "how eagerly memory is compacted in the background",
    ),
    knob(
        "stat-interval",
        Group::Memory,
        Values::Number(&[], 1, 86_400),
        &[plain("proc/sys/vm/stat_interval", &[])],
        "seconds between two updates of memory statistics, which visit every CPU",
    ),
    knob(
        "writeback",
        Group::Memory,
        Values::Number(&["off"], 0, 360_000),
        &[plain("proc/sys/vm/dirty_writeback_centisecs", &[("off", "0")])],
        "hundredths of a second between two rounds of writing dirty pages; off: no such rounds",
    ),
    knob(
        "swappiness",
        Group::Memory,
        Values::Number(&[], 0, 200),
        &[plain("proc/sys/vm/swappiness", &[])],
        "how readily anonymous memory is swapped out",
    ),
    Knob {
        name: "aslr",
        group: Group::Scheduler,
        purpose: "address space layout randomisation",
        values: ON_OFF,
        places: &[plain("proc/sys/kernel/randomize_va_space", &[("on", "2"), ("off", "0")])],
        own: Some((Own::Aslr, "off")),
    },
    knob(
        "rt-throttle",
        Group::Scheduler,
        Values::Number(&["off"], -1, 1_000_000),
        &[plain("proc/sys/kernel/sched_rt_runtime_us", &[("off", "-1")])],
        "microseconds of each second that real-time tasks may have; a task that spins is stopped for the rest",
    ),
    knob(
        "timer-migration",
        Group::Scheduler,
        ON_OFF,
        &[plain("proc/sys/kernel/timer_migration", ONE_ZERO)],
        "timers of idle CPUs move to busy ones",
    ),
    knob(
        "autogroup",
        Group::Scheduler,
        ON_OFF,
        &[plain("proc/sys/kernel/sched_autogroup_enabled", ONE_ZERO)],
        "each terminal session gets the same share, however many tasks it has",
    ),
    knob(
        "perf-sample-rate",
        Group::Scheduler,
        Values::Number(&[], 1, 1_000_000),
        &[plain("proc/sys/kernel/perf_event_max_sample_rate", &[])],
        "samples a second that profilers may take on each CPU",
    ),
    knob(
        "nmi-watchdog",
        Group::Watchdogs,
        ON_OFF,
        &[plain("proc/sys/kernel/nmi_watchdog", ONE_ZERO)],
        "the hard-lockup watchdog; it also takes a hardware counter",
    ),
    knob(
        "soft-watchdog",
        Group::Watchdogs,
        ON_OFF,
        &[plain("proc/sys/kernel/soft_watchdog", ONE_ZERO)],
        "the soft-lockup watchdog, a real-time task that wakes up on each CPU",
    ),
    knob(
        "irq-affinity",
        Group::Interrupts,
        Values::Away,
        &[],
        "CPUs that get no interrupts of devices, as far as the devices allow",
    ),
    knob(
        "shield",
        Group::Tasks,
        Values::Cpus,
        &[],
        "CPUs that all other tasks leave, so that the command has them to itself",
    ),
    knob(
        "smt",
        Group::Tasks,
        Values::Words(&["off"]),
        &[plain("sys/devices/system/cpu/smt/control", &[])],
        "take the second hardware thread of every core offline",
    ),
    knob(
        "smt-sibling-of:",
        Group::Tasks,
        Values::Words(&["offline"]),
        &[],
        "take the hardware threads that share a core with this CPU offline",
    ),
    knob("cpu:", Group::Tasks, Values::Words(&["offline"]), &[], "take this CPU offline"),
];

/// Returns the knob with this name, and the number of the CPU that the name contains, if any.
pub(crate) fn find(name: &str) -> Option<(&'static Knob, Option<&str>)> {
    let same = |knob: &&Knob| knob.name == name && !name.ends_with(':');
    if let Some(knob) = KNOBS.iter().find(same) {
        return Some((knob, None));
    }
    let of_cpu = |knob: &'static Knob| {
        let cpu = knob.name.ends_with(':').then(|| name.strip_prefix(knob.name))??;
        Some((knob, Some(cpu)))
    };
    KNOBS.iter().find_map(of_cpu)
}

/// Files that are written without belonging to a knob in the table: each interrupt and each CPU has a file, the control
/// groups of a shield need one, and a restoration sets `rcu_expedited`.
const BESIDES: &[KnobLocation] = &[
    plain("proc/irq/*/smp_affinity_list", &[]),
    plain("sys/devices/system/cpu/cpu*/online", &[]),
    KnobLocation { pattern: "sys/fs/cgroup/cgroup.subtree_control", form: Form::Controllers, words: &[] },
    plain(HURRY, &[]),
];

/// Switch that expedites RCU grace periods.
pub(crate) const HURRY: &str = "sys/kernel/rcu_expedited";

/// Returns whether fauxplat may write this file, and reads it in this form.
pub(crate) fn leads_to(file: &str, form: Form) -> bool {
    let places = KNOBS.iter().flat_map(|knob| knob.places).chain(BESIDES);
    places.into_iter().any(|place| place.form == form && matches(place.pattern, file))
}

/// Returns whether a pattern matches a path. A star stands for alphanumeric characters of one path component.
fn matches(pattern: &str, file: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == file };
    let star = file.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    star.is_some_and(|star| !star.is_empty() && star.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knobs_are_found_by_name_and_those_of_a_cpu_with_its_number() {
        assert_eq!(find("turbo").unwrap().0.name, "turbo");
        let (knob, cpu) = find("smt-sibling-of:3").unwrap();
        assert_eq!((knob.name, cpu), ("smt-sibling-of:", Some("3")));
        assert!(find("warp").is_none() && find("cpu").is_none() && find("").is_none());
    }

    #[test]
    fn only_what_a_knob_writes_is_a_place() {
        for file in [
            "proc/sys/vm/swappiness",
            "sys/devices/system/cpu/cpufreq/policy12/scaling_governor",
            "proc/irq/7/smp_affinity_list",
            "sys/devices/system/cpu/cpu3/online",
            "sys/kernel/rcu_expedited",
        ] {
            assert!(leads_to(file, Form::Plain), "{file}");
        }
        assert!(leads_to("sys/kernel/mm/transparent_hugepage/enabled", Form::Choice));
        for file in [
            "proc/sys/kernel/core_pattern",
            "proc/self/root/etc/passwd",
            "proc/irq/../../etc/smp_affinity_list",
            "proc/irq/7/8/smp_affinity_list",
            "proc/irq//smp_affinity_list",
            "sys/devices/system/cpu/cpu./online",
            "sys/devices/system/cpu/cpufreq/policy0/../../cpu1/online",
            "/proc/sys/vm/swappiness",
            "proc/sys/vm/swappiness ",
            "sys/kernel/mm/transparent_hugepage/enabled",
            "sys/fs/cgroup/cgroup.subtree_control",
        ] {
            assert!(!leads_to(file, Form::Plain), "{file}");
        }
    }

    #[test]
    fn names_are_given_once_and_words_are_values() {
        for (index, knob) in KNOBS.iter().enumerate() {
            assert!(KNOBS[..index].iter().all(|other| other.name != knob.name), "{}", knob.name);
            for (word, _) in knob.places.iter().flat_map(|place| place.words) {
                assert_eq!(knob.objection(word), None, "{}", knob.name);
            }
            assert!(
                knob.objection("").is_some() && knob.objection("nonsense; rm").is_some(),
                "{}",
                knob.name
            );
        }
    }
}
