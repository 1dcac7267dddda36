//! Scheduling attributes of this process.

use fauxplat_sys::{process, sched, timer};
use fauxplat_units::{Cpu, CpuSet};

use crate::child::told_by;
use crate::{Case, stat_field, value};

pub(crate) const CASES: &[Case] = &[
    ("affinity_is_what_the_kernel_lists", affinity_is_what_the_kernel_lists),
    ("nice_values_are_kept_within_bounds", nice_values_are_kept_within_bounds),
    ("a_policy_is_taken_or_refused_by_name", a_policy_is_taken_or_refused_by_name),
    ("the_slack_and_the_pages_are_inherited", the_slack_and_the_pages_are_inherited),
    ("waiting_is_counted_upwards", waiting_is_counted_upwards),
];

fn stat() -> String {
    std::fs::read_to_string("/proc/thread-self/stat").unwrap()
}

fn affinity_is_what_the_kernel_lists() {
    let listed =
        || value("/proc/thread-self/status", "Cpus_allowed_list").unwrap().parse::<CpuSet>().unwrap();
    let before = sched::affinity(0).unwrap();
    assert_eq!(before, listed());
    for cpu in before.iter() {
        let one: CpuSet = [cpu].into_iter().collect();
        sched::set_affinity(0, &one).unwrap();
        assert_eq!((sched::affinity(0).unwrap(), listed()), (one.clone(), one));
        assert_eq!(sched::current_cpu(), Some(cpu));
    }
    // CPUs that do not exist are ignored, as long as one CPU of the set exists.
    let more: CpuSet = before.iter().chain([Cpu(100_000)]).collect();
    sched::set_affinity(0, &more).unwrap();
    assert_eq!(sched::affinity(0).unwrap(), before);
    for (error, call) in [
        (sched::set_affinity(0, &CpuSet::new()).unwrap_err(), "sched_setaffinity"),
        (sched::set_affinity(0, &[Cpu(100_000)].into_iter().collect()).unwrap_err(), "CPUs 100000"),
        (sched::set_affinity(i32::MAX, &before).unwrap_err(), "sched_setaffinity"),
        (sched::affinity(i32::MAX).unwrap_err(), "sched_getaffinity"),
    ] {
        assert!(error.to_string().contains(call) && !error.is_permission(), "{error}");
    }
    assert_eq!(listed(), before, "what was refused changed nothing");
}

fn nice_values_are_kept_within_bounds() {
    for (asked, held) in [(5, 5), (19, 19), (100, 19)] {
        sched::set_nice(asked).unwrap();
        assert_eq!((i64::from(sched::nice()), stat_field(&stat(), 19)), (held, held), "asked for {asked}");
    }
    match sched::may_raise_priority() {
        true => {
            sched::set_nice(-3).unwrap();
            assert_eq!(stat_field(&stat(), 19), -3);
        }
        false => assert!(sched::nice() == 19, "nobody raised it"),
    }
}

fn a_policy_is_taken_or_refused_by_name() {
    let held = || (stat_field(&stat(), 41), stat_field(&stat(), 40));
    let too_much = sched::set_policy(0, sched::FIFO, 100).unwrap_err();
    assert!(too_much.to_string().starts_with("sched_setscheduler: "), "{too_much}");
    assert!(sched::set_policy(0, sched::OTHER, 1).is_err() && sched::set_policy(0, 99, 0).is_err());
    for (policy, priority) in [(sched::FIFO, 1), (sched::ROUND_ROBIN, 2)] {
        match sched::set_policy(0, policy, priority) {
            Ok(()) => assert_eq!(held(), (policy.into(), priority.into())),
            Err(error) => return println!("not tested, for want of the right to it: {error}"),
        }
    }
    sched::set_policy(0, sched::OTHER, 0).unwrap();
    assert_eq!(held(), (0, 0));
}

fn the_slack_and_the_pages_are_inherited() {
    timer::set_slack_ns(12_345).unwrap();
    assert_eq!(told_by("cat /proc/self/timerslack_ns"), "12345");
    let Some(before) = value("/proc/self/status", "THP_enabled") else {
        return println!("not tested: this kernel does not tell of huge pages");
    };
    process::disable_huge_pages(true).unwrap();
    assert_eq!(value("/proc/self/status", "THP_enabled").as_deref(), Some("0"));
    assert_eq!(told_by("grep THP_enabled: /proc/self/status | tr -dc 0-9"), "0");
    process::disable_huge_pages(false).unwrap();
    assert_eq!(value("/proc/self/status", "THP_enabled"), Some(before));
}

fn waiting_is_counted_upwards() {
    let clock = sched::WaitClock::open();
    let told = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    let (Some(before), Some(between), Some(after)) = (told(), clock.run_delay_ns(), told()) else {
        return assert_eq!(clock.run_delay_ns(), None, "where the kernel does not tell, nobody does");
    };
    assert!(before <= between && between <= after, "{before} {between} {after}");
}
