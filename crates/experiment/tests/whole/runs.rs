//! `run`: the findings agree with the described programs, and all failures of runs are reported.

use fauxplat_experiment::Kind;
use fauxplat_launch::RunEnd;
use fauxplat_launch::simulated::{Behaviour, Failure, Machine, Times, When};
use fauxplat_model::document::Findings;
use fauxplat_model::{
    Condition, Definition, IgnoredFailures, Metric, Order, Outcome, Phase, Placement, Rule, RunFindings,
    Runs, Source, Sources, Verdict,
};
use fauxplat_report::Format;
use fauxplat_store::State;
use fauxplat_sys::process::Exit;

use crate::support::{Laboratory, MS, free, noisy, report};

fn times(runs: u32) -> Definition {
    Definition { runs: Runs::Count(runs), ..free() }
}

fn found(finished: &fauxplat_experiment::Finished) -> Vec<RunFindings> {
    let Findings::Run(found) = finished.record().findings else { panic!("no findings of runs") };
    found.clone()
}

fn median(found: &RunFindings, metric: Metric) -> Option<f64> {
    found.summaries.iter().find(|summary| summary.metric == metric).map(|summary| summary.median)
}

fn failing(when: When, end: RunEnd) -> Behaviour {
    Behaviour { failures: vec![Failure { when, end }], ..noisy("a", 5.0 * MS) }
}

#[test]
fn what_was_described_is_what_is_found() {
    let laboratory = Laboratory::new();
    let waits = Behaviour { cpu: Some(Times::constant(MS)), ..noisy("b", 8.0 * MS) };
    let definition = Definition { warmup: 2, ..times(40) };
    let finished = laboratory.run(definition, Machine::quiet(1, vec![noisy("a", 5.0 * MS), waits]));
    laboratory.is_sound(&finished, State::Finished);
    let found = found(&finished);
    let near = |command: usize, metric, ns: f64| {
        let ratio = median(&found[command], metric).unwrap() / ns;
        assert!((ratio - 1.0).abs() < 0.01, "{metric:?} of {command}: {ratio}");
    };
    near(0, Metric::WALL, 5.0 * MS);
    near(1, Metric::WALL, 8.0 * MS);
    near(0, Metric::CPU, 5.0 * MS);
    near(1, Metric::CPU, MS);
    let samples = finished.record().samples;
    let of = |phase| samples.iter().filter(|sample| sample.phase == phase).count();
    assert_eq!((of(Phase::Warmup), of(Phase::Measured)), (4, 80));
    assert!(samples.is_sorted_by_key(|sample| sample.started_ns));
    assert!(report(&finished, Format::HyperfineJson).is_some() && finished.failed.is_none());
}

#[test]
fn a_precision_that_is_reached_ends_it() {
    let laboratory = Laboratory::new();
    let until = |ratio| Definition { runs: Runs::Until(ratio), ..free() };
    let finished = laboratory.run(until(0.01), Machine::quiet(1, vec![noisy("a", 5.0 * MS)]));
    laboratory.is_sound(&finished, State::Finished);
    let loose = finished.record().samples.len();
    let finished = Laboratory::new().run(until(0.001), Machine::quiet(1, vec![noisy("a", 5.0 * MS)]));
    let strict = finished.record().samples.len();
    // The width of the median's interval is proportional to one over the square root of the number of runs.
    assert!(loose < 60 && strict > 10 * loose, "{loose} {strict}");
}

#[test]
fn without_orders_long_runs_are_few_and_short_ones_take_their_time() {
    let runs = |median_ns| {
        let machine = Machine::quiet(1, vec![noisy("a", median_ns)]);
        Laboratory::new().run(free(), machine).record().samples.len()
    };
    assert_eq!(runs(2000.0 * MS), 10);
    assert!((280..=310).contains(&runs(10.0 * MS)), "three seconds of ten milliseconds");
}

#[test]
fn a_command_of_one_thread_stays_on_an_idle_cpu() {
    let laboratory = Laboratory::new();
    let definition = Definition { condition: Condition::default(), ..times(5) };
    let finished = laboratory.run(definition, Machine::quiet(1, vec![noisy("a", MS)]));
    laboratory.is_sound(&finished, State::Finished);
    let allowed = "0-1".parse().unwrap();
    assert_eq!(finished.record().header.condition.cpu, Placement::IdleOf(allowed));
}

#[test]
fn the_first_failed_run_ends_it_and_is_in_the_record() {
    for (end, outcome, words) in [
        (RunEnd::Ended(Exit::Status(3)), Outcome::Exited(3), "status 3"),
        (RunEnd::Ended(Exit::Signal(11)), Outcome::Signaled(11), "signal 11 (SIGSEGV)"),
        (RunEnd::TimedOut, Outcome::TimedOut, "longer than --timeout"),
    ] {
        let laboratory = Laboratory::new();
        let condition = Condition { timeout: Some("1s".parse().unwrap()), ..free().condition };
        let definition = Definition { condition, ..times(20) };
        let finished = laboratory.run(definition, Machine::quiet(1, vec![failing(When::Every(3), end)]));
        laboratory.is_sound(&finished, State::Failed);
        let failure = finished.failed.as_ref().unwrap();
        assert_eq!(failure.kind(), Kind::Command);
        let line = failure.to_string();
        assert!(line.contains("`a`") && line.contains(words) && line.contains("run 3"), "{line}");
        assert_eq!(finished.record().header.warnings, [line]);
        let outcomes: Vec<Outcome> = finished.record().samples.iter().map(|sample| sample.outcome).collect();
        assert_eq!(outcomes, [Outcome::Exited(0), Outcome::Exited(0), outcome]);
        assert!(finished.has_measured());
    }
}

#[test]
fn failed_runs_are_kept_where_they_are_asked_for() {
    let end = RunEnd::Ended(Exit::Status(1));
    for (when, failures) in [(When::Every(1), 12), (When::Every(3), 4)] {
        let laboratory = Laboratory::new();
        let condition = Condition { ignore_failure: IgnoredFailures::All, ..free().condition };
        let definition = Definition { condition, ..times(12) };
        let finished = laboratory.run(definition, Machine::quiet(1, vec![failing(when, end)]));
        laboratory.is_sound(&finished, State::Finished);
        let found = found(&finished);
        assert_eq!(found[0].failures, failures);
        assert!(median(&found[0], Metric::WALL).is_some());
        let text = report(&finished, Format::Text).unwrap();
        assert!(text.contains("fail"), "{text}");
    }
}

#[test]
fn what_is_left_behind_is_counted_and_told() {
    let laboratory = Laboratory::new();
    let messy = Behaviour { left_behind: 2, ..noisy("a", MS) };
    let finished = laboratory.run(times(6), Machine::quiet(1, vec![messy, noisy("b", MS)]));
    laboratory.is_sound(&finished, State::Finished);
    let found = found(&finished);
    assert_eq!([&found[0], &found[1]].map(|one| one.runs_with_left_behind), [6, 0]);
    let told = "12 processes outlived their command and were ended (--keep-background lets them go on)";
    assert_eq!(finished.record().header.warnings, [told]);
}

#[test]
fn a_metric_that_the_machine_does_not_give_is_absent_and_never_zero() {
    let laboratory = Laboratory::new();
    let sources = Sources {
        run_delay: Source::FirstThread,
        migrations: Source::FirstThread,
        ..Machine::quiet(1, Vec::new()).sources
    };
    let absent = vec![Metric::RUN_DELAY, Metric::MIGRATIONS];
    let machine = Machine { absent, sources, ..Machine::quiet(1, vec![noisy("a", MS)]) };
    let finished = laboratory.run(times(10), machine);
    laboratory.is_sound(&finished, State::Finished);
    let found = found(&finished);
    assert!(median(&found[0], Metric::CPU).is_some());
    for metric in [Metric::RUN_DELAY, Metric::MIGRATIONS] {
        assert_eq!(median(&found[0], metric), None);
        assert!(laboratory.stored().samples.iter().all(|sample| sample.get(metric).is_none()));
    }
    let named = finished.record().header.not_measured.join("\n");
    assert!(named.contains("run-queue wait") && named.contains("migrations"), "{named}");
}

/// Two commands, of which the first slows the next run down by a twentieth.
fn dirty_and_clean() -> Machine {
    let dirty = Behaviour { carry_over: 0.05, ..noisy("dirty", 5.0 * MS) };
    Machine::quiet(5, vec![dirty, noisy("clean", 5.0 * MS)])
}

#[test]
fn of_several_commands_what_one_leaves_to_the_next_turns_no_sign_and_is_named() {
    let automatic = Definition { runs: Runs::Auto, ..free() };
    for definition in [times(60), times(61), automatic] {
        let laboratory = Laboratory::new();
        let finished = laboratory.run(definition, dirty_and_clean());
        laboratory.is_sound(&finished, State::Finished);
        let found = found(&finished);
        let against = found[1].against_first.as_ref().expect("there are runs enough");
        // In runs after a run of the same command, the dirty command takes 5 % longer than the clean one; the clean
        // command is slow only after the dirty one.
        assert_eq!(against.verdict, Verdict::Different);
        assert!((against.effect_ratio * 1.05 - 1.0).abs() < 0.01, "{}", against.effect_ratio);
        let carried = against.carry_over.expect("each command ran twice in a row");
        assert!(carried.is_shown && carried.decides, "{carried:?}");
        let text = report(&finished, Format::Text).unwrap();
        assert!(text.contains("A command affects the run after it"), "{text}");
    }
}

#[test]
fn a_number_of_runs_is_met_whether_it_is_odd_or_even() {
    for (runs, in_a_row) in [(19, false), (20, true), (21, true)] {
        let finished = Laboratory::new().run(times(runs), dirty_and_clean());
        let samples = finished.record().samples;
        for command in 0..2 {
            let own = samples.iter().filter(|sample| sample.command == command).count();
            assert_eq!(own, runs as usize);
        }
        let last = samples.last().unwrap().block;
        let of_last = samples.iter().filter(|sample| sample.block == last).count();
        assert_eq!(of_last == 4, in_a_row, "{runs}");
        let found = found(&finished);
        let carried = found[1].against_first.as_ref().and_then(|it| it.carry_over);
        assert_eq!(carried.is_some(), in_a_row, "{runs}");
    }
}

#[test]
fn runs_too_long_to_be_had_in_twos_come_once_in_a_round() {
    let machine = Machine::quiet(5, vec![noisy("a", 2000.0 * MS), noisy("b", 2000.0 * MS)]);
    let finished = Laboratory::new().run(free(), machine);
    let samples = finished.record().samples;
    assert_eq!(samples.len(), 20);
    assert!(samples.chunk_by(|one, next| one.block == next.block).all(|round| round.len() == 2));
}

/// With `--order ab`, the definition asks for single runs in a round, which do not show carry-over.
#[test]
fn single_runs_in_a_round_can_be_asked_for() {
    let rule = Rule { order: Order::Ab, ..Rule::default() };
    let finished = Laboratory::new().run(Definition { rule, ..times(60) }, dirty_and_clean());
    let found = found(&finished);
    let against = found[1].against_first.as_ref().expect("there are runs enough");
    assert!(against.effect_ratio > 1.0 && against.carry_over.is_none());
}
