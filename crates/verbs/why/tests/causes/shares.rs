//! Shares of causes: time is counted once, even if several causes could explain it.

use std::collections::BTreeMap;

use fauxplat_why::analysis::{Chain, explain};
use fauxplat_why::evidence::{CallSum, Evidence, Sampled, Wait};
use fauxplat_why::findings::{Account, Kind};

use crate::made::{MS, count, evidence, first, sampled, simulated, waited};

/// Explains the evidence, and checks properties of every explanation: shares fall, and sum to no more than is
/// explained.
fn checked(evidence: &Evidence) -> Chain {
    let chain = explain(evidence);
    let apart: Vec<f64> = chain.causes.iter().filter(|it| !it.is_part).map(|it| it.share).collect();
    assert!(apart.is_sorted_by(|a, b| a >= b), "{chain:?}");
    let sum: f64 = apart.iter().sum();
    assert!((sum + chain.unexplained - 1.0).abs() < 1e-6, "{sum}: {chain:?}");
    chain
}

fn waits(evidence: &mut Evidence, all: &[(Wait, &str, f64)]) {
    let slow = &mut evidence.traced.as_mut().unwrap()[1];
    slow.waits = all.iter().map(|&(wait, _, ms)| (wait, ms * MS)).collect();
    slow.idle_ns = slow.waits.clone();
    for &(wait, name, ms) in all {
        slow.waited_in.extend(waited(wait, name, 9.0, ms * MS));
    }
}

#[test]
fn waits_at_the_same_time_share_their_account_as_they_were_measured() {
    let mut runtime = evidence([11.7, 0.8, 3.7, 5.8]);
    runtime.simulated = Some(simulated(&[("instructions", 1e7, 2.2e7)]));
    let all =
        [(Wait::Sleep, "nanosleep", 33.1), (Wait::Lock, "futex", 80.2), (Wait::Pipe, "epoll_pwait", 27.0)];
    waits(&mut runtime, &all);
    let traces = runtime.traced.as_mut().unwrap();
    (traces[0].tasks, traces[1].tasks) = (5, 5);
    let chain = checked(&runtime);
    let blocked: f64 =
        chain.causes.iter().filter(|it| it.account == Account::Blocked).map(|it| it.share).sum();
    assert!(blocked <= 5.8 / 22.0 + 0.01, "{chain:?}");
    let lock = chain.causes.iter().find(|it| it.kind == Kind::Lock).unwrap();
    assert!((lock.share - 80.2 / 140.3 * 5.8 / 22.0).abs() < 0.01, "{chain:?}");
    assert!(lock.because.iter().any(|it| it.contains("at the same time")), "{lock:?}");
    assert!(lock.because[0].contains("of all threads together"), "{lock:?}");
}

/// The threads of either program sleep for as long together, but in the slower one under a lock, one after another.
#[test]
fn sleeps_that_a_lock_puts_in_a_row_are_a_wait_for_the_lock() {
    let mut locked = evidence([0.0, 0.0, 0.0, 60.0]);
    let traces = locked.traced.as_mut().unwrap();
    traces[0].waits = BTreeMap::from([(Wait::Sleep, 120.0 * MS)]);
    traces[0].idle_ns = BTreeMap::from([(Wait::Sleep, 60.0 * MS)]);
    traces[1].waits = BTreeMap::from([(Wait::Sleep, 120.1 * MS), (Wait::Lock, 115.0 * MS)]);
    traces[1].idle_ns = BTreeMap::from([(Wait::Sleep, 119.0 * MS)]);
    traces[1].waited_in = waited(Wait::Lock, "futex", 40.0, 115.0 * MS);
    let chain = checked(&locked);
    assert_eq!((first(&chain).kind, chain.causes.len()), (Kind::Lock, 1), "{chain:?}");
    assert!(first(&chain).share > 0.9, "{chain:?}");
}

/// Tracing ended after a tenth of the slower run, whose calls then share the additional system time.
#[test]
fn calls_of_a_run_that_was_traced_in_part_share_its_system_time() {
    let mut many = evidence([0.0, 50.0, 0.0, 0.0]);
    let slow = &mut many.traced.as_mut().unwrap()[1];
    slow.is_partial = true;
    let call = |count: f64, cpu_ms: f64| CallSum { count, ns: 20.0 * MS, cpu_ns: cpu_ms * MS };
    slow.calls = [("mprotect", call(1000.0, 4.0)), ("brk", call(500.0, 1.0))]
        .map(|(name, sum)| (name.to_owned(), sum))
        .into();
    let chain = checked(&many);
    assert!(first(&chain).kind == Kind::Calls && first(&chain).what.contains("mprotect"), "{chain:?}");
    assert!((first(&chain).share - 0.8).abs() < 0.01, "{chain:?}");
    assert!(first(&chain).because.iter().any(|it| it.contains("at least")), "{chain:?}");
}

#[test]
fn a_single_thread_that_waits_as_long_as_it_takes_more_is_told_plainly() {
    let mut plain = evidence([0.0, 0.0, 0.0, 5.0]);
    waits(&mut plain, &[(Wait::Lock, "flock", 5.0)]);
    let chain = checked(&plain);
    assert!(first(&chain).share > 0.95 && !chain.causes[0].because[0].contains("threads"), "{chain:?}");
    waits(&mut plain, &[(Wait::Other, "rt_sigtimedwait", 5.0)]);
    assert!(first(&checked(&plain)).what.contains("rt_sigtimedwait"), "a call without a kind is named");
}

#[test]
fn counts_of_the_same_work_share_user_time() {
    let mut fill = evidence([2.0, 0.7, 0.13, 0.0]);
    fill.simulated = Some(simulated(&[("instructions", 3.6e7, 14.1e7), ("l1d-misses", 1527.0, 1.64e6)]));
    fill.counts = vec![count("minor-faults", [50.0, 800.0])];
    let chain = checked(&fill);
    assert_eq!(first(&chain).kind, Kind::MoreWork, "{chain:?}");
    let mut items = evidence([8.3, 1.7, 0.0, 0.0]);
    items.simulated = Some(simulated(&[("instructions", 1e7, 4e7)]));
    items.on_cpu = Some(Sampled {
        kinds: vec![(Kind::Allocation, 4.3 * MS)],
        ..sampled("_int_malloc", "/lib/libc.so.6", 4.3, &[])
    });
    let chain = checked(&items);
    assert_eq!(first(&chain).kind, Kind::Allocation, "{chain:?}");
    assert!((chain.causes[1].share - 0.40).abs() < 0.01, "{chain:?}");
}

#[test]
fn what_a_condition_acts_by_is_a_part_of_it() {
    let mut locale = evidence([5.0, 0.0, 0.0, 0.0]);
    locale.simulated = Some(simulated(&[("instructions", 1e7, 1.5e7)]));
    let traces = locale.traced.as_mut().unwrap();
    traces[1].held.arguments = Some(Vec::new());
    traces[1].held.environment = Some(BTreeMap::from([("LC_ALL".to_owned(), "de_DE".to_owned())]));
    let chain = checked(&locale);
    assert_eq!(first(&chain).kind, Kind::Locale);
    assert!(!first(&chain).is_part && chain.causes[1].is_part, "{chain:?}");
    assert!(chain.unexplained < 0.01);
    // Equal busiest processes do not suffice, since the same program may start different processes.
    locale.traced.as_mut().unwrap()[1].processes = 3;
    assert_ne!(first(&explain(&locale)).kind, Kind::Locale);
}

/// Adds further processes to the trace of the slower program: their number and, in milliseconds, the sums of their
/// lifetimes, of their CPU times up to what a start takes, and of the waits for them.
fn further(evidence: &mut Evidence, number: u32, [lived, started, waited]: [f64; 3]) {
    let slow = &mut evidence.traced.as_mut().unwrap()[1];
    (slow.processes, slow.tasks) = (1 + number, 1 + number);
    (slow.children_ns, slow.starting_ns) = (lived * MS, started * MS);
    slow.waits.insert(Wait::Tasks, waited * MS);
}

#[test]
fn processes_are_the_cause_of_what_starting_them_takes() {
    // A helper process that sleeps while its parent works.
    let mut helper = evidence([16.0, 0.1, 0.0, 0.0]);
    helper.simulated = Some(simulated(&[("instructions", 1e7, 3e7)]));
    further(&mut helper, 1, [20.0, 0.1, 0.2]);
    let chain = checked(&helper);
    assert_eq!((first(&chain).kind, chain.causes.len()), (Kind::MoreWork, 1), "{chain:?}");
    // A child process that computes, while its parent waits for it.
    let mut pipeline = evidence([40.0, 1.0, 0.0, 1.5]);
    pipeline.simulated = Some(simulated(&[("instructions", 1e7, 8e7)]));
    further(&mut pipeline, 1, [99.0, 2.0, 45.0]);
    let chain = checked(&pipeline);
    assert_eq!(first(&chain).kind, Kind::MoreWork, "{chain:?}");
    // A child process that sleeps, while its parent waits for it.
    let mut sleeper = evidence([0.3, 0.6, 0.0, 30.0]);
    waits(&mut sleeper, &[(Wait::Sleep, "clock_nanosleep", 30.0)]);
    further(&mut sleeper, 1, [31.0, 0.8, 31.0]);
    let chain = checked(&sleeper);
    assert_eq!(first(&chain).kind, Kind::Sleep, "{chain:?}");
    // Child processes that only begin and end.
    let mut children = evidence([2.0, 6.0, 0.5, 1.0]);
    children.counts = vec![count("minor-faults", [100.0, 4000.0])];
    further(&mut children, 11, [12.0, 8.0, 11.0]);
    let chain = checked(&children);
    assert_eq!(first(&chain).kind, Kind::Processes, "{chain:?}");
    assert!(first(&chain).share <= 1.0);
}

#[test]
fn threads_are_a_cause_and_no_processes() {
    let mut threads = evidence([0.3, 7.1, 1.3, 0.0]);
    threads.traced.as_mut().unwrap()[1].tasks = 201;
    let chain = checked(&threads);
    assert_eq!(first(&chain).kind, Kind::Threads, "{chain:?}");
    assert!(first(&chain).because[0].contains("200 further threads against 0"), "{chain:?}");
    threads.traced.as_mut().unwrap()[1].tasks = 5;
    assert!(explain(&threads).causes.is_empty(), "four threads take no seven milliseconds");
    // A trace that ended early may not have seen all threads of the faster program.
    let traces = threads.traced.as_mut().unwrap();
    (traces[0].is_partial, traces[1].tasks) = (true, 201);
    assert!(explain(&threads).causes.is_empty());
}
