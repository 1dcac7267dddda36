//! Kinds of causes: evidence for each alone leads to that cause.

use std::collections::BTreeMap;

use fauxplat_why::analysis::explain;
use fauxplat_why::evidence::{
    Amount, CallSum, Elsewhere, Evidence, Quota, Readdressed, Sampled, Start, Wait, Written,
};
use fauxplat_why::findings::{Account, Excluded, Kind};

use crate::made::{MS, count, evidence, first, sampled, simulated, waited};

#[test]
fn a_wait_is_named_by_its_call() {
    for (wait, kind, call) in [
        (Wait::Sleep, Kind::Sleep, "nanosleep"),
        (Wait::Sync, Kind::Sync, "fsync"),
        (Wait::Lock, Kind::Lock, "futex"),
        (Wait::Pipe, Kind::Pipe, "read"),
        (Wait::Sleep, Kind::Sleep, "read"),
        (Wait::Signal, Kind::Signal, "rt_sigsuspend"),
        (Wait::Other, Kind::Calls, "ioctl"),
    ] {
        let mut evidence = evidence([0.0, 0.0, 0.0, 5.0]);
        let traces = evidence.traced.as_mut().unwrap();
        traces[1].waits = BTreeMap::from([(wait, 5.0 * MS), (Wait::Tasks, 9.0 * MS)]);
        traces[1].idle_ns = BTreeMap::from([(wait, 5.0 * MS)]);
        traces[1].waited_in = waited(wait, call, 3.0, 5.0 * MS);
        let chain = explain(&evidence);
        assert_eq!(first(&chain).kind, kind);
        assert!(first(&chain).what.contains(call) && chain.unexplained < 0.05, "{chain:?}");
        assert!(first(&chain).because[1].contains("3 calls that waited against 0"), "{chain:?}");
        assert!(chain.excluded.iter().any(|it| it.what == "time in user mode"));
    }
}

#[test]
fn more_instructions_are_more_work_and_as_many_are_slower_work() {
    let mut more = evidence([5.0, 0.0, 0.0, 0.0]);
    more.simulated = Some(simulated(&[("instructions", 1e7, 1.5e7)]));
    more.on_cpu = Some(sampled("walk", "/bin/p", 5.0, &[]));
    let chain = explain(&more);
    assert_eq!(first(&chain).kind, Kind::MoreWork);
    assert_eq!(first(&chain).place.as_deref(), Some("walk called by sum"));

    for (count, rise, kind) in
        [("llc-misses", 60_000.0, Kind::Caches), ("branch-misses", 1e6, Kind::Branches)]
    {
        let mut evidence = more.clone();
        evidence.simulated = Some(simulated(&[("instructions", 1e7, 1e7), (count, 10.0, rise)]));
        let chain = explain(&evidence);
        assert_eq!(first(&chain).kind, kind, "{chain:?}");
        assert!(chain.excluded.iter().any(|it| it.what == "more instructions"));
    }
}

#[test]
fn instructions_tell_what_no_count_does() {
    for (instructions, kind) in [
        (&["div %rcx", "xor %rax,%rdi"][..], Kind::SlowInstructions),
        (&["addsd %xmm0,%xmm1"][..], Kind::SlowNumbers),
        (&["mov (%rax),%rbx"][..], Kind::Place),
        (&["pause"][..], Kind::BusyWait),
    ] {
        let mut evidence = evidence([5.0, 0.0, 0.0, 0.0]);
        evidence.simulated = Some(simulated(&[("instructions", 1e7, 1e7)]));
        evidence.on_cpu = Some(sampled("walk", "/bin/p", 5.0, instructions));
        assert_eq!(first(&explain(&evidence)).kind, kind, "{instructions:?}");
    }
    let mut shared = evidence([5.0, 0.0, 0.0, 0.0]);
    shared.simulated = Some(simulated(&[("instructions", 1e7, 1e7)]));
    shared.on_one_cpu = Some(Elsewhere {
        more_cpu_ns: Amount { value: 0.1 * MS, low: -MS, high: MS },
        ..Elsewhere::default()
    });
    assert_eq!(first(&explain(&shared)).kind, Kind::SharedLine);
}

#[test]
fn work_of_a_library_is_named_by_what_it_is_for() {
    for (function, kind) in [
        ("_int_malloc", Kind::Allocation),
        ("_Unwind_RaiseException", Kind::Exceptions),
        ("re_compile_internal", Kind::Patterns),
        ("__vdso_clock_gettime", Kind::BusyWait),
        ("allocate_seats", Kind::MoreWork),
    ] {
        let mut evidence = evidence([5.0, 0.0, 0.0, 0.0]);
        evidence.simulated = Some(simulated(&[("instructions", 1e7, 1.5e7)]));
        let kinds = if kind == Kind::MoreWork { Vec::new() } else { vec![(kind, 4.0 * MS)] };
        evidence.on_cpu = Some(Sampled { kinds, ..sampled(function, "/lib/libc.so.6", 5.0, &[]) });
        assert_eq!(first(&explain(&evidence)).kind, kind, "{function}");
    }
}

#[test]
fn a_function_without_a_known_file_is_named_and_not_annotated() {
    let mut clock = evidence([5.0, 0.0, 0.0, 0.0]);
    clock.simulated = Some(simulated(&[("instructions", 1e7, 1.5e7)]));
    for (function, object, look) in [
        ("clock_gettime", "", "--callers-of clock_gettime"),
        ("clock_gettime", "[vdso]", "--callers-of clock_gettime"),
        ("clock_gettime", "/lib/libc.so.6", "--annotate clock_gettime"),
    ] {
        let kinds = vec![(Kind::BusyWait, 4.0 * MS)];
        clock.on_cpu = Some(Sampled { kinds, ..sampled(function, object, 5.0, &[]) });
        let chain = explain(&clock);
        assert!(
            first(&chain).because[0].ends_with("in such functions, the most in clock_gettime"),
            "{chain:?}"
        );
        assert_eq!(first(&chain).next, format!("fauxplat profile {look} --runs 63 './p slow'"));
    }
    let kinds = vec![(Kind::BusyWait, 4.0 * MS)];
    clock.on_cpu = Some(Sampled { kinds, ..sampled("walk", "/bin/p", 5.0, &[]) });
    let chain = explain(&clock);
    assert!(first(&chain).because[0].ends_with("more in such functions"), "no function is known: {chain:?}");
}

#[test]
fn a_suggested_profile_has_enough_runs_for_samples() {
    let next = |[user_ms, wall_ms]: [f64; 2]| {
        let mut more = evidence([5.0, 0.0, 0.0, 0.0]);
        for pair in &mut more.pairs {
            pair.wall_ns = [0.5 * wall_ms * MS, wall_ms * MS];
            pair.user_ns = [0.0, user_ms * MS];
            pair.system_ns = [0.0; 2];
        }
        more.on_cpu = Some(sampled("walk", "/bin/p", user_ms, &[]));
        more.simulated = Some(simulated(&[("instructions", 1e7, 2e7)]));
        first(&explain(&more)).next.clone()
    };
    // A second of CPU time has enough samples, and ten seconds are long enough.
    assert_eq!(next([0.5, 0.6]), "fauxplat profile --annotate walk --runs 1000 './p slow'");
    assert_eq!(next([100.0, 100.0]), "fauxplat profile --annotate walk --runs 10 './p slow'");
    assert_eq!(next([600.0, 1000.0]), "fauxplat profile --annotate walk --runs 2 './p slow'");
    assert_eq!(next([1200.0, 1200.0]), "fauxplat profile --annotate walk './p slow'");
}

#[test]
fn the_kernels_part_is_told_by_faults_and_calls() {
    let mut faults = evidence([0.0, 5.0, 0.0, 0.0]);
    faults.counts = vec![count("minor-faults", [100.0, 7000.0]), count("peak-memory", [1e6, 3e7])];
    assert_eq!(first(&explain(&faults)).kind, Kind::PageFaults);
    faults.counts = vec![count("minor-faults", [100.0, 7000.0]), count("peak-memory", [3e7, 3e7])];
    assert_eq!(first(&explain(&faults)).kind, Kind::PageFaults, "nothing says that either had huge pages");
    let huge = |faults: &mut Evidence, bytes: [Option<u64>; 2]| {
        let traces = faults.traced.as_mut().unwrap();
        (traces[0].huge_bytes, traces[1].huge_bytes) = (bytes[0], bytes[1]);
        first(&explain(faults)).kind
    };
    assert_eq!(huge(&mut faults, [Some(28 << 20), Some(0)]), Kind::HugePages);
    assert_eq!(huge(&mut faults, [Some(0), Some(0)]), Kind::PageFaults);
    assert_eq!(huge(&mut faults, [Some(28 << 20), None]), Kind::PageFaults);
    assert_eq!(huge(&mut faults, [Some(2 << 20), Some(0)]), Kind::PageFaults, "512 faults of 6900");

    let write =
        |calls: f64| BTreeMap::from([("write".to_owned(), CallSum { count: calls, ns: MS, cpu_ns: 0.0 })]);
    let mut writes = evidence([0.0, 5.0, 0.0, 0.0]);
    let traces = writes.traced.as_mut().unwrap();
    (traces[0].calls, traces[1].calls) = (write(10.0), write(20_000.0));
    let to = |calls, bytes| BTreeMap::from([("/tmp/x".to_owned(), Written { calls, bytes })]);
    (traces[0].written, traces[1].written) = (to(10, 100_000), to(20_000, 100_000));
    assert_eq!(first(&explain(&writes)).kind, Kind::SmallWrites);
    let traces = writes.traced.as_mut().unwrap();
    (traces[0].written, traces[1].written) = (BTreeMap::new(), to(20_000, 100_000));
    let chain = explain(&writes);
    assert_eq!((first(&chain).kind, first(&chain).place.as_deref()), (Kind::Logging, Some("/tmp/x")));
}

/// Handing bytes over costs time in the kernel and time of waiting; with little waiting, the calls come first.
#[test]
fn more_writes_to_a_pipe_are_more_messages() {
    let write =
        |calls: f64| BTreeMap::from([("write".to_owned(), CallSum { count: calls, ns: MS, cpu_ns: 0.0 })]);
    let to = |place: &str, calls| BTreeMap::from([(place.to_owned(), Written { calls, bytes: calls })]);
    for (place, kind) in [
        ("pipe:[17]", Kind::Pipe),
        ("socket:[4]", Kind::Pipe),
        ("/dev/null", Kind::Calls),
        ("/tmp/x", Kind::Logging),
    ] {
        let mut writes = evidence([0.0, 5.0, 0.0, 0.0]);
        let traces = writes.traced.as_mut().unwrap();
        (traces[0].calls, traces[1].calls) = (write(10.0), write(20_000.0));
        (traces[0].written, traces[1].written) = (to(place, 10), to(place, 20_000));
        assert_eq!(first(&explain(&writes)).kind, kind, "{place}");
    }
}

#[test]
fn a_condition_that_alone_differs_is_the_cause_whatever_it_acts_by() {
    let same = || {
        let mut evidence = evidence([0.0, 0.0, 3.0, 2.0]);
        evidence.traced.as_mut().unwrap()[1].held.arguments = Some(Vec::new());
        evidence
    };
    let mut quota = same();
    quota.traced.as_mut().unwrap()[1].held.quota = Some(Quota::MilliCpus(300));
    assert_eq!(first(&explain(&quota)).kind, Kind::Quota);
    let mut nice = same();
    nice.traced.as_mut().unwrap()[1].held.nice = Some(19);
    assert_eq!(first(&explain(&nice)).kind, Kind::Priority);
    let mut locale = same();
    locale.traced.as_mut().unwrap()[1]
        .held
        .environment
        .as_mut()
        .unwrap()
        .insert("LC_ALL".to_owned(), "de_DE".to_owned());
    let chain = explain(&locale);
    assert_eq!(first(&chain).kind, Kind::Locale);
    assert_eq!(chain.conditions[0].slow, "de_DE");
    let mut secret = same();
    secret.traced.as_mut().unwrap()[1]
        .held
        .environment
        .as_mut()
        .unwrap()
        .insert("TOKEN".to_owned(), "hunter2".to_owned());
    let chain = explain(&secret);
    assert_eq!(first(&chain).kind, Kind::Environment);
    assert!(!format!("{chain:?}").contains("hunter2"), "values that may be private are not shown");
    let mut better = same();
    better.traced.as_mut().unwrap()[0].held.quota = Some(Quota::MilliCpus(300));
    assert!(
        explain(&better).causes.iter().all(|cause| cause.kind != Kind::Quota),
        "the faster one has the quota"
    );
}

#[test]
fn a_variable_is_looked_at_by_the_command_without_it() {
    let next = |commands: [&str; 2], has: usize| {
        let mut evidence = evidence([5.0, 0.0, 0.0, 0.0]);
        evidence.commands = commands.map(str::to_owned);
        let traces = evidence.traced.as_mut().unwrap();
        traces[1].held.arguments = Some(Vec::new());
        traces[has].held.environment =
            Some(BTreeMap::from([("LD_PRELOAD".to_owned(), "/lib/x.so".to_owned())]));
        let chain = explain(&evidence);
        assert_eq!(first(&chain).kind, Kind::Environment, "{chain:?}");
        first(&chain).next.clone()
    };
    for (commands, has, wanted) in [
        (["./p", "./p"], 1, "fauxplat compare 'env -u LD_PRELOAD ./p' ./p"),
        (["./fast 1", "./p"], 0, "fauxplat compare 'env -u LD_PRELOAD ./fast 1' './fast 1'"),
        (
            ["./p", "env A=1 LD_PRELOAD=/lib/x.so ./p"],
            1,
            "fauxplat compare 'env A=1 ./p' 'env A=1 LD_PRELOAD=/lib/x.so ./p'",
        ),
        // A shell that sets the variable sets it whatever its own environment is.
        (
            ["./p", "sh x LD_PRELOAD=/lib/x.so"],
            1,
            "fauxplat compare --profile ./p 'sh x LD_PRELOAD=/lib/x.so'",
        ),
    ] {
        assert_eq!(next(commands, has), wanted);
    }
}

#[test]
fn addresses_are_a_cause_where_the_difference_goes_with_them() {
    let at = |value: f64, low: f64, high: f64| {
        let more = Amount { value: value * MS, low: low * MS, high: high * MS };
        let more = Elsewhere { more_cpu_ns: more, more_wall_ns: more };
        Some(Readdressed { is_random: true, more })
    };
    let mut evidence = evidence([5.0, 0.0, 0.0, 0.0]);
    evidence.simulated = Some(simulated(&[]));
    evidence.on_cpu = Some(sampled("walk", "/bin/p", 5.0, &["vmovups (%rdi),%ymm0"]));
    evidence.readdressed = at(0.1, -0.3, 0.5);
    let chain = explain(&evidence);
    assert_eq!(first(&chain).kind, Kind::Place, "{chain:?}");
    let told = &first(&chain).because[0];
    assert!(told.contains("with random addresses the difference is") && told.contains('−'), "{told}");
    let is_of_addresses = |it: &Excluded| it.what.starts_with("addresses");
    assert!(!chain.excluded.iter().any(is_of_addresses));
    evidence.readdressed = at(4.6, 4.0, 5.2);
    let chain = explain(&evidence);
    assert!(chain.excluded.iter().any(is_of_addresses), "{chain:?}");
    assert!(chain.causes.iter().all(|cause| cause.account != Account::Whole));
    evidence.readdressed = at(2.0, -1.0, 5.0);
    let chain = explain(&evidence);
    assert!(!chain.excluded.iter().any(is_of_addresses), "neither shown: {chain:?}");
    assert!(chain.causes.iter().all(|cause| cause.account != Account::Whole));
    let back = explain(&evidence.clone().turned().turned());
    assert_eq!(back.causes, chain.causes);
}

#[test]
fn pages_of_files_are_a_cause_where_the_difference_goes_with_copies() {
    let mut evidence = evidence([5.0, 0.0, 0.0, 0.0]);
    evidence.simulated = Some(simulated(&[]));
    evidence.on_cpu = Some(sampled("walk", "/bin/p", 5.0, &["vmovups (%rdi),%ymm0"]));
    let at = |value: f64, low: f64, high: f64| {
        let more = Amount { value: value * MS, low: low * MS, high: high * MS };
        Some(Elsewhere { more_cpu_ns: more, more_wall_ns: more })
    };
    evidence.copied = at(0.1, -0.3, 0.5);
    let chain = explain(&evidence);
    assert_eq!(first(&chain).kind, Kind::Place, "{chain:?}");
    assert!(first(&chain).because[0].contains("with fresh copies of both files"), "{chain:?}");
    evidence.copied = at(4.6, 4.0, 5.2);
    let chain = explain(&evidence);
    assert!(chain.excluded.iter().any(|it| it.what.starts_with("the pages")), "{chain:?}");
    assert!(chain.causes.iter().all(|cause| cause.account != Account::Whole));
    assert_eq!(explain(&evidence.clone().turned().turned()).excluded, chain.excluded);
}

#[test]
fn the_same_code_at_another_place_of_a_line_is_told() {
    let mut evidence = evidence([5.0, 0.0, 0.0, 0.0]);
    evidence.simulated = Some(simulated(&[]));
    let mut samples = sampled("walk", "/bin/p", 5.0, &["jne 401150"]);
    samples.functions[0].begins = Some([0x1140, 0x11b0]);
    evidence.on_cpu = Some(samples.clone());
    let chain = explain(&evidence);
    assert_eq!(first(&chain).kind, Kind::Place, "{chain:?}");
    assert!(first(&chain).because.iter().any(|it| it.contains("48 bytes into a cache line instead of 0")));
    samples.functions[0].begins = Some([0x1140, 0x2140]);
    evidence.on_cpu = Some(samples);
    let chain = explain(&evidence);
    assert!(chain.excluded.iter().any(|it| it.what == "place of code"), "{chain:?}");
}

#[test]
fn further_processes_are_the_cause_of_what_they_take() {
    let mut evidence = evidence([2.0, 2.0, 0.0, 1.0]);
    let traces = evidence.traced.as_mut().unwrap();
    (traces[1].processes, traces[1].tasks, traces[1].children_ns) = (9, 9, 7.5 * MS);
    (traces[1].wall_ns, traces[1].starting_ns) = (20.0 * MS, 4.9 * MS);
    traces[1].waits.insert(Wait::Tasks, 7.0 * MS);
    let chain = explain(&evidence);
    assert_eq!(first(&chain).kind, Kind::Processes, "{chain:?}");
    assert!(first(&chain).share > 0.9 && first(&chain).share <= 1.0);
}

#[test]
fn a_start_is_told_from_the_work_after_it() {
    let mut evidence = evidence([1.5, 1.0, 0.0, 0.0]);
    evidence.start = Some(Start {
        medians_ns: [MS, 3.4 * MS],
        more_ns: Amount { value: 2.4 * MS, low: 2.2 * MS, high: 2.6 * MS },
    });
    let chain = explain(&evidence);
    assert_eq!(first(&chain).kind, Kind::Loading);
    assert_eq!(first(&chain).next, "LD_DEBUG=statistics ./p slow", "the command with its arguments");
    let traces = evidence.traced.as_mut().unwrap();
    traces[1].libraries.insert("/lib/libmany.so".to_owned());
    let chain = explain(&evidence);
    assert_eq!((first(&chain).kind, first(&chain).place.as_deref()), (Kind::Libraries, Some("libmany.so")));
}

#[test]
fn the_other_order_of_the_programs_gives_the_same_causes() {
    let mut evidence = evidence([5.0, 0.0, 0.0, 0.0]);
    evidence.simulated = Some(simulated(&[("instructions", 1e7, 1.5e7)]));
    evidence.on_cpu = Some(sampled("walk", "/bin/p", 5.0, &[]));
    let there = explain(&evidence);
    let back = explain(&evidence.clone().turned().oriented(0));
    assert_eq!(there.causes, back.causes);
    assert_eq!(there.difference, back.difference);
}

#[test]
fn a_wait_that_could_not_be_traced_is_named_by_samples() {
    let mut evidence = Evidence { traced: None, ..evidence([0.0, 0.0, 0.0, 5.0]) };
    evidence.off_cpu =
        Some(Sampled { kinds: vec![(Kind::Lock, 0.1 * MS), (Kind::Sleep, 5.0 * MS)], ..Sampled::default() });
    let chain = explain(&evidence);
    assert_eq!(first(&chain).kind, Kind::Sleep);
    assert_eq!(chain.causes.len(), 1, "{chain:?}");
}

#[test]
fn without_any_experiment_the_account_alone_speaks() {
    let bare = Evidence { traced: None, ..evidence([0.0, 0.0, 0.0, 5.0]) };
    let chain = explain(&bare);
    assert!(chain.causes.is_empty() && chain.unexplained > 0.9, "{chain:?}");
    let user = Evidence { traced: None, ..evidence([5.0, 0.0, 0.0, 0.0]) };
    assert_eq!(first(&explain(&user)).kind, Kind::MoreWork);
}

#[test]
fn a_wait_for_a_cpu_that_has_gone_is_no_matter_of_addresses() {
    // Fixed addresses were tried when nothing else ran, so that only the CPU time of the difference was left.
    let of = |value: f64| Amount { value: value * MS, low: 0.9 * value * MS, high: 1.1 * value * MS };
    let mut forks = evidence([10.0, 0.0, 40.0, 0.0]);
    forks.simulated = Some(simulated(&[]));
    let more = Elsewhere { more_cpu_ns: of(10.0), more_wall_ns: of(10.0) };
    forks.readdressed = Some(Readdressed { is_random: false, more });
    forks.copied = Some(more);
    let chain = explain(&forks);
    assert!(chain.causes.iter().all(|cause| cause.account != Account::Whole), "{chain:?}");
    let gone = Elsewhere { more_cpu_ns: Amount::exact(0.1 * MS), more_wall_ns: Amount::exact(0.1 * MS) };
    forks.readdressed = Some(Readdressed { is_random: false, more: gone });
    let chain = explain(&forks);
    let place = first(&chain);
    assert!(place.kind == Kind::Place && place.share < 0.21, "the wait is none of addresses: {chain:?}");
    let parts = chain.causes.iter().filter(|cause| cause.is_part).map(|cause| cause.share);
    assert!(parts.sum::<f64>() <= place.share + 1e-9, "{chain:?}");
}

#[test]
fn shares_with_waits_for_a_cpu_sum_to_no_more_than_the_whole() {
    let mut forks = evidence([4.0, 4.0, 20.0, 0.0]);
    forks.simulated = Some(simulated(&[("instructions", 1e7, 1.5e7)]));
    let traces = forks.traced.as_mut().unwrap();
    (traces[0].processes, traces[0].tasks) = (11, 11);
    (traces[1].processes, traces[1].tasks) = (51, 51);
    (traces[0].starting_ns, traces[1].starting_ns) = (MS, 24.0 * MS);
    traces[1].waits.insert(Wait::Tasks, 30.0 * MS);
    let chain = explain(&forks);
    let shares = chain.causes.iter().filter(|cause| !cause.is_part).map(|cause| cause.share);
    assert!(shares.sum::<f64>() <= 1.0 + 1e-9, "{chain:?}");
}

#[test]
fn a_program_that_runs_first_is_the_cause_and_not_the_condition_that_it_sets() {
    let mut wrapped = evidence([0.1, 0.3, 0.0, 0.6]);
    let traces = wrapped.traced.as_mut().unwrap();
    traces[1].held.arguments = traces[0].held.arguments.clone();
    traces[1].held.nice = Some(1);
    assert_eq!(first(&explain(&wrapped)).kind, Kind::Priority, "nothing else differs");
    let traces = wrapped.traced.as_mut().unwrap();
    (traces[1].programs_before, traces[1].before_ns) = (1, 0.9 * MS);
    let chain = explain(&wrapped);
    assert_eq!(first(&chain).kind, Kind::Processes, "{chain:?}");
    assert!(first(&chain).because[0].starts_with("1 program executed"), "{chain:?}");
    assert!(chain.causes.iter().all(|it| it.kind != Kind::Priority || it.share < 0.5), "{chain:?}");
}

#[test]
fn a_count_that_would_take_far_longer_than_the_difference_gets_what_instructions_leave() {
    let of = |instructions: f64, misses: f64| {
        let mut predicted = evidence([5.0, 0.0, 0.0, 0.0]);
        let counts = [("instructions", 1e7, instructions), ("branch-misses", 1e3, misses)];
        predicted.simulated = Some(simulated(&counts));
        let found = explain(&predicted).causes;
        found.into_iter().find(|it| it.kind == Kind::Branches).map_or(0.0, |it| it.share)
    };
    assert!(of(1.1e7, 0.9e6) > 0.5, "4.5 ms of 5 ms");
    assert!(of(1.5e7, 8e6) < 0.01, "40 ms of 5 ms, which the instructions explain");
    assert!(of(1e7, 8e6) > 0.9, "the simulated machine mispredicts more, but nothing else differs");
}

#[test]
fn waits_that_traced_runs_do_not_show_are_told_by_samples() {
    let mut shy = evidence([0.0, 0.0, 0.0, 20.0]);
    let traces = shy.traced.as_mut().unwrap();
    traces[1].waits = BTreeMap::from([(Wait::Lock, 0.2 * MS)]);
    traces[1].idle_ns = traces[1].waits.clone();
    let asleep = vec![(Kind::Sleep, 19.0 * MS)];
    shy.off_cpu = Some(Sampled { kinds: asleep, ..Sampled::default() });
    let chain = explain(&shy);
    assert_eq!(first(&chain).kind, Kind::Sleep, "{chain:?}");
    assert!(first(&chain).because[0].starts_with("sampled"), "{chain:?}");
}

#[test]
fn a_call_in_which_one_run_lost_its_cpu_is_no_wait() {
    let mut preempted = evidence([0.0, 0.0, 0.0, 20.0]);
    let traces = preempted.traced.as_mut().unwrap();
    traces[1].waits = BTreeMap::from([(Wait::Sleep, 14.0 * MS), (Wait::Other, 6.0 * MS)]);
    traces[1].idle_ns = traces[1].waits.clone();
    traces[1].waited_in = waited(Wait::Other, "mmap", 1.0, 0.1 * MS);
    let chain = explain(&preempted);
    assert_eq!(first(&chain).kind, Kind::Sleep);
    assert!(chain.causes.iter().all(|it| it.kind != Kind::Calls), "{chain:?}");
}

#[test]
fn a_function_of_the_kernel_is_the_cause_of_what_as_many_calls_take_longer() {
    let mut reads = evidence([0.0, 6.0, 0.0, 0.0]);
    reads.on_cpu = Some(sampled("read_zero", "[kernel]", 5.8, &[]));
    let traces = reads.traced.as_mut().unwrap();
    (traces[0].read_bytes, traces[1].read_bytes) = (1 << 20, 60 << 20);
    let chain = explain(&reads);
    assert_eq!((first(&chain).kind, first(&chain).account), (Kind::Calls, Account::System), "{chain:?}");
    assert_eq!(first(&chain).place.as_deref(), Some("read_zero called by sum"));
    assert!(first(&chain).because[1].contains("bytes read and written"), "{chain:?}");
    reads.counts = vec![count("voluntary-switches", [10.0, 5000.0])];
    assert!(explain(&reads).causes.is_empty(), "the time is that of waits");
}

#[test]
fn the_cpu_time_of_writing_to_a_disk_has_the_same_cause_as_the_wait_for_it() {
    let mut synced = evidence([0.0, 0.5, 0.0, 0.3]);
    let traces = synced.traced.as_mut().unwrap();
    traces[1].calls =
        BTreeMap::from([("fsync".to_owned(), CallSum { count: 6.0, ns: MS, cpu_ns: 0.5 * MS })]);
    traces[1].waits = BTreeMap::from([(Wait::Sync, 0.3 * MS)]);
    traces[1].idle_ns = traces[1].waits.clone();
    let chain = explain(&synced);
    assert!(chain.causes.len() == 2 && chain.causes.iter().all(|it| it.kind == Kind::Sync), "{chain:?}");
}
