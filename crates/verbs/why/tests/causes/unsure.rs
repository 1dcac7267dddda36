//! Evidence that is unknown, not certain, or about something else, from which no cause may follow.

use std::collections::BTreeMap;

use fauxplat_why::analysis::{explain, explain_until};
use fauxplat_why::evidence::{
    Amount, CallSum, Elsewhere, Evidence, Held, Quota, Sampled, SampledFunction, SimulatedFunction, Start,
    Wait,
};
use fauxplat_why::findings::{Account, Kind};
use fauxplat_why::question::Question;

use crate::made::{MS, count, evidence, first, sampled, simulated, waited};

/// A function that changes a condition of a process.
type Change = fn(&mut Held);

fn has(evidence: &Evidence, kind: Kind) -> bool {
    explain(evidence).causes.iter().any(|cause| cause.kind == kind)
}

#[test]
fn a_condition_that_could_not_be_read_differs_from_nothing() {
    let known = evidence([0.0, 0.0, 5.0, 0.0]);
    let traces = known.traced.clone().unwrap();
    let full = &traces[0].held;
    let bare: [Change; 8] = [
        |held| *held = Held::default(),
        |held| (held.cpus, held.cpu_count) = (None, None),
        |held| held.nice = None,
        |held| held.policy = None,
        |held| held.quota = None,
        |held| held.environment = None,
        |held| held.is_aslr_off = None,
        |held| held.are_huge_pages_off = None,
    ];
    for (number, forget) in bare.iter().enumerate() {
        for side in [0, 1] {
            let mut unknown = known.clone();
            let traces = unknown.traced.as_mut().unwrap();
            // The known side has a condition of each kind that could be a cause.
            traces[1 - side].held = Held {
                nice: Some(10),
                policy: Some(3),
                quota: Some(Quota::MilliCpus(300)),
                cpus: Some("0".to_owned()),
                cpu_count: Some(1),
                is_aslr_off: Some(true),
                are_huge_pages_off: Some(true),
                environment: Some(BTreeMap::from([("LC_ALL".to_owned(), "C".to_owned())])),
                ..full.clone()
            };
            traces[side].held = traces[1 - side].held.clone();
            forget(&mut traces[side].held);
            let chain = explain(&unknown);
            assert!(chain.causes.is_empty() && chain.conditions.is_empty(), "{number}, {side}: {chain:?}");
        }
    }
}

#[test]
fn a_condition_of_cpus_explains_the_wait_for_a_cpu_and_no_sleep() {
    let make: [(Kind, Change); 3] = [
        (Kind::Priority, |held| held.nice = Some(5)),
        (Kind::Affinity, |held| (held.cpus, held.cpu_count) = (Some("0".to_owned()), Some(1))),
        (Kind::Quota, |held| held.quota = Some(Quota::MilliCpus(300))),
    ];
    for (kind, change) in make {
        let asleep = |more: [f64; 4], wait: Wait| {
            let mut evidence = evidence(more);
            let traces = evidence.traced.as_mut().unwrap();
            traces[1].waits = BTreeMap::from([(wait, more[3] * MS)]);
            traces[1].idle_ns = traces[1].waits.clone();
            traces[1].waited_in = waited(wait, "x", 1.0, more[3] * MS);
            change(&mut traces[1].held);
            explain(&evidence)
        };
        for (wait, meant) in [(Wait::Sleep, Kind::Sleep), (Wait::Sync, Kind::Sync), (Wait::Pipe, Kind::Pipe)]
        {
            let chain = asleep([0.2, 0.2, 0.4, 20.0], wait);
            assert_eq!(first(&chain).kind, meant, "{chain:?}");
            assert!(chain.causes.iter().all(|it| it.kind != kind), "{chain:?}");
        }
        let chain = asleep([0.0, 0.0, 9.0, 3.0], Wait::Sleep);
        assert_eq!((first(&chain).kind, first(&chain).account), (kind, Account::RunQueue), "{chain:?}");
        assert!(first(&chain).share < 0.8 && chain.causes[1].kind == Kind::Sleep, "{chain:?}");
    }
    // Threads that a quota stops are not ready to run, and count as waiting for something else.
    let mut stopped = evidence([0.0, 0.0, 2.0, 6.0]);
    stopped.traced.as_mut().unwrap()[1].held.quota = Some(Quota::MilliCpus(300));
    assert!(first(&explain(&stopped)).kind == Kind::Quota && first(&explain(&stopped)).share > 0.95);
}

#[test]
fn the_timed_start_wins_over_functions_of_the_loader() {
    for function in ["_dl_allocate_tls", "_dl_relocate_object", "_dl_start", "dl_main"] {
        let mut evidence = evidence([1.0, 7.0, 0.0, 0.0]);
        evidence.on_cpu = Some(sampled(function, "/lib/ld-linux-x86-64.so.2", 2.0, &[]));
        evidence.start = Some(Start {
            medians_ns: [MS, MS],
            more_ns: Amount { value: 0.0, low: -0.1 * MS, high: 0.07 * MS },
        });
        assert!(!has(&evidence, Kind::Loading), "{function}");
        evidence.start = None;
        let is_of_start = function == "_dl_start" || function == "dl_main";
        assert_eq!(has(&evidence, Kind::Loading), is_of_start, "{function}");
    }
}

#[test]
fn the_timed_start_is_said_to_be_that_of_the_first_program() {
    let mut forks = evidence([1.0, 7.0, 0.0, 0.0]);
    let more_ns = Amount { value: 0.0, low: -0.1 * MS, high: 0.05 * MS };
    forks.start = Some(Start { medians_ns: [MS, MS], more_ns });
    let said = |evidence: &Evidence| {
        let excluded = explain(evidence).excluded;
        excluded.into_iter().map(|it| it.what).find(|what| what.starts_with("loading and linking")).unwrap()
    };
    assert_eq!(said(&forks), "loading and linking");
    let mut executes = forks.clone();
    forks.traced.as_mut().unwrap()[1].processes = 40;
    assert!(said(&forks).contains("of the first program"));
    let calls = &mut executes.traced.as_mut().unwrap()[1].calls;
    calls.insert("execve".to_owned(), CallSum { count: 2.0, ..CallSum::default() });
    assert!(
        said(&executes).contains("of the first program"),
        "a program that takes the place of the first one"
    );
}

#[test]
fn huge_pages_are_told_by_memory_that_was_seen_in_them() {
    // A small buffer that is released and then touched again.
    let mut churn = evidence([0.0, 5.0, 0.0, 0.0]);
    churn.counts = vec![count("minor-faults", [4300.0, 28_000.0]), count("peak-memory", [1.8e7, 1.8e7])];
    assert_eq!(first(&explain(&churn)).kind, Kind::PageFaults);
    let traces = churn.traced.as_mut().unwrap();
    (traces[0].huge_bytes, traces[1].huge_bytes) = (Some(4 << 20), Some(2 << 20));
    assert_eq!(first(&explain(&churn)).kind, Kind::PageFaults);
}

#[test]
fn a_whole_that_is_not_shown_has_no_cause() {
    let mut loud = evidence([5.0, 0.0, 0.0, 0.0]);
    loud.simulated = Some(simulated(&[("instructions", 1e7, 1.5e7)]));
    assert!(has(&loud, Kind::MoreWork));
    for (number, pair) in loud.pairs.iter_mut().enumerate() {
        let noise = if number % 2 == 0 { 60.0 * MS } else { -52.0 * MS };
        pair.wall_ns[1] += noise;
        pair.user_ns[1] += noise;
    }
    let chain = explain(&loud);
    assert!(chain.causes.is_empty() && chain.difference.unwrap().whole.value > 0.0);
}

#[test]
fn an_account_that_is_not_shown_carries_a_certain_count_only() {
    // The whole difference is certain, but not that of user or system time alone: timer ticks put the time of each pair
    // into the one account or the other.
    let mut ticks = evidence([0.0, 5.0, 0.0, 0.0]);
    for (number, pair) in ticks.pairs.iter_mut().enumerate() {
        let moved = if number % 2 == 0 { 8.0 * MS } else { -8.0 * MS };
        pair.user_ns[1] += moved + 2.0 * MS;
        pair.system_ns[1] -= moved + 2.0 * MS;
    }
    let mut by_time = ticks.clone();
    by_time.simulated = None;
    assert!(!has(&by_time, Kind::MoreWork), "no count and no function says so");
    let mut by_count = ticks.clone();
    by_count.simulated = Some(simulated(&[("instructions", 1e7, 1.3e7)]));
    assert!(has(&by_count, Kind::MoreWork));
    by_count.simulated.as_mut().unwrap().repeats_within = Some(0.4);
    assert!(!has(&by_count, Kind::MoreWork), "the count differs as much from run to run");
    ticks.counts = vec![count("minor-faults", [100.0, 7000.0])];
    assert!(has(&ticks, Kind::PageFaults));
}

#[test]
fn a_function_is_named_by_the_count_that_differs() {
    let mut misses = evidence([5.0, 0.0, 0.0, 0.0]);
    let mut counts = simulated(&[("llc-misses", 27_000.0, 511_000.0), ("l1d-misses", 540_773.0, 540_774.0)]);
    let of = |name: &str, l1d: [f64; 2], llc: [f64; 2]| SimulatedFunction {
        name: name.to_owned(),
        counts: [0, 1].map(|side| vec![1000.0, 0.0, l1d[side], llc[side], 0.0]),
        ..SimulatedFunction::default()
    };
    counts.functions = vec![
        of("main", [20_000.0, 20_001.0], [9000.0, 9001.0]),
        of("visit", [520_000.0, 520_000.0], [8000.0, 488_000.0]),
    ];
    misses.simulated = Some(counts.clone());
    let chain = explain(&misses);
    assert_eq!(
        (first(&chain).kind, first(&chain).place.as_deref()),
        (Kind::Caches, Some("visit")),
        "{chain:?}"
    );
    let many = (0..9).map(|number| of(&format!("part{number}"), [0.0; 2], [0.0, 50_000.0])).collect();
    misses.simulated = Some(fauxplat_why::evidence::Simulated { functions: many, ..counts });
    assert_eq!(first(&explain(&misses)).place, None, "no function has a large part");
}

#[test]
fn a_small_function_that_is_not_sure_is_no_place() {
    let mut small = evidence([5.0, 0.0, 0.0, 0.0]);
    let function = |name: &str, value: f64, low: f64| SampledFunction {
        name: name.to_owned(),
        object: "/bin/p".to_owned(),
        own_ns: Amount { value: value * MS, low: low * MS, high: 2.0 * value * MS },
        ..SampledFunction::default()
    };
    let all_ns = Amount { value: 5.0 * MS, low: 4.0 * MS, high: 6.0 * MS };
    let with = |function| Sampled { functions: vec![function], all_ns, pairs: 10, ..Sampled::default() };
    small.on_cpu = Some(with(function("freeres", 0.2, -0.1)));
    assert_eq!(first(&explain(&small)).place, None);
    small.on_cpu = Some(with(function("walk", 0.4, 0.3)));
    assert_eq!(first(&explain(&small)).place.as_deref(), Some("walk"));
}

#[test]
fn threads_with_unequal_work_share_no_cache_line() {
    let mut unequal = evidence([0.0; 4]);
    // Equal CPU times of the two programs, the faster one on two threads, and the slower one on little more than one.
    for pair in &mut unequal.pairs {
        pair.wall_ns[0] = 5.0 * MS + 0.5 * (pair.user_ns[0] - 10.0 * MS);
        pair.wall_ns[1] = 10.0 * MS;
        (pair.system_ns, pair.delay_ns) = ([0.0; 2], [0.0; 2]);
    }
    let traces = unequal.traced.as_mut().unwrap();
    (traces[0].tasks, traces[1].tasks) = (3, 3);
    (traces[0].lanes, traces[1].lanes) = (2.0, 1.05);
    unequal.simulated = Some(simulated(&[("instructions", 1e7, 1e7)]));
    unequal.on_one_cpu = Some(Elsewhere {
        more_cpu_ns: Amount { value: 0.1 * MS, low: -MS, high: MS },
        ..Elsewhere::default()
    });
    let chain = explain(&unequal);
    assert_eq!(first(&chain).kind, Kind::Imbalance, "{chain:?}");
    assert!(!has(&unequal, Kind::SharedLine));
}

#[test]
fn a_cause_that_an_interrupted_experiment_could_refute_is_left_out() {
    let mut more = evidence([5.0, 0.0, 0.0, 0.0]);
    assert_eq!(first(&explain_until(&more, &[Question::Again])).kind, Kind::MoreWork);
    let chain = explain_until(&more, &[Question::Counts, Question::Again]);
    assert!(chain.causes.is_empty() && chain.unexplained > 0.99 && chain.difference.is_some(), "{chain:?}");
    more.simulated = Some(simulated(&[("instructions", 1e7, 1.5e7)]));
    let chain = explain_until(&more, &[Question::Functions, Question::Addresses]);
    assert_eq!(first(&chain).kind, Kind::MoreWork, "counts alone show more work: {chain:?}");
    assert!(explain_until(&more, &[Question::Calls]).causes.is_empty(), "a condition may be behind it");

    let mut slower = evidence([5.0, 0.0, 0.0, 0.0]);
    slower.simulated = Some(simulated(&[("instructions", 1e7, 1e7)]));
    slower.on_cpu = Some(sampled("walk", "/bin/p", 5.0, &["mov (%rax),%rbx"]));
    assert_eq!(first(&explain(&slower)).kind, Kind::Place);
    assert!(explain_until(&slower, &[Question::Addresses]).causes.is_empty());
}
