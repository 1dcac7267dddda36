//! Edge cases of machines and programs: times without noise, zero times, many commands, equal names, and metrics that
//! the machine does not provide.

use fauxplat_experiment::Finished;
use fauxplat_launch::RunEnd;
use fauxplat_launch::simulated::{Behaviour, Failure, Machine, Times, When};
use fauxplat_model::document::Findings;
use fauxplat_model::{CompareFindings, Condition, Definition, Metric, Phase, Rule, Runs, StoppedBy, Verdict};
use fauxplat_report::Format;
use fauxplat_store::State;
use fauxplat_sys::process::Exit;

use crate::explanation::explained_on;
use crate::support::{Laboratory, MS, free, noisy, report, verdict};
use crate::sweeping::swept_on;

fn found(finished: &Finished) -> &CompareFindings {
    let Findings::Compare(found) = finished.record().findings else { panic!("{:?}", finished.failed) };
    found
}

fn constant(times_ns: &[f64]) -> Vec<Behaviour> {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    names.iter().zip(times_ns).map(|(name, &ns)| Behaviour::new(name, Times::constant(ns))).collect()
}

#[test]
fn times_without_noise_are_compared_for_what_they_are() {
    // A difference in every pair is significant, however small; the margin decides whether it matters.
    for (second_ns, expected, beyond) in [
        (5.0, Verdict::Equivalent, None),
        (5.001, Verdict::Different, Some(false)),
        (5.5, Verdict::Different, Some(true)),
    ] {
        let laboratory = Laboratory::new();
        let finished = laboratory.compare(free(), Machine::quiet(1, constant(&[5.0 * MS, second_ns * MS])));
        laboratory.is_sound(&finished, State::Finished);
        let (verdict, ratio) = verdict(&finished);
        assert_eq!(verdict, expected, "{second_ns}");
        let beyond_margin = found(&finished).comparisons[0].beyond_margin;
        assert!(expected == Verdict::Equivalent || beyond_margin == beyond, "{second_ns}: {beyond_margin:?}");
        assert!((ratio / (second_ns / 5.0) - 1.0).abs() < 1e-6, "{second_ns}: {ratio}");
    }
}

/// Two times of zero are not different, zero and a positive time are not equivalent, and no report shows an infinity.
#[test]
fn times_of_nothing_are_no_ratio() {
    for times in [[0.0, 0.0], [0.0, MS], [MS, 0.0]] {
        let laboratory = Laboratory::new();
        let definition = Definition { rule: Rule { max_pairs: 16, ..Rule::default() }, ..free() };
        let finished = laboratory.compare(definition, Machine::quiet(1, constant(&times)));
        laboratory.is_sound(&finished, State::Finished);
        let wrong = if times[0] == times[1] { Verdict::Different } else { Verdict::Equivalent };
        assert_ne!(verdict(&finished).0, wrong, "{times:?}");
        for format in [Format::Text, Format::Markdown] {
            let text = report(&finished, format).unwrap();
            assert!(!text.contains("NaN") && !text.contains("inf"), "{times:?}: {text}");
        }
    }
}

#[test]
fn any_number_of_commands_is_compared_with_the_first() {
    for count in [2, 3, 5, 9] {
        let laboratory = Laboratory::new();
        let times: Vec<f64> = (0..count).map(|index| (5.0 + 0.5 * index as f64) * MS).collect();
        let finished = laboratory.compare(free(), Machine::quiet(1, constant(&times)));
        laboratory.is_sound(&finished, State::Finished);
        let found = found(&finished);
        assert_eq!(found.commands.len(), count);
        let against: Vec<&str> =
            found.comparisons.iter().filter(|one| one.a == "a").map(|one| one.b.as_str()).collect();
        assert_eq!(against, ["b", "c", "d", "e", "f", "g", "h", "i"][..count - 1]);
        assert!(found.comparisons.iter().all(|one| one.verdict == Verdict::Different), "{count}");
        assert_eq!(found.winner, Some(0), "{count}");
        // Every block of single runs has one run of each command.
        let samples = finished.record().samples;
        let measured: Vec<_> =
            samples.iter().filter(|one| one.phase == fauxplat_model::Phase::Measured).collect();
        for block in
            measured.chunk_by(|one, next| one.block == next.block).filter(|block| block.len() == count)
        {
            let mut commands: Vec<u16> = block.iter().map(|one| one.command).collect();
            commands.sort_unstable();
            assert_eq!(commands, (0..count as u16).collect::<Vec<_>>(), "block {}", block[0].block);
        }
    }
}

#[test]
fn commands_of_one_name_are_two_commands() {
    let laboratory = Laboratory::new();
    let twins = vec![noisy("a", 5.0 * MS), noisy("a", 5.0 * MS)];
    let finished = laboratory.compare(free(), Machine::quiet(1, twins));
    laboratory.is_sound(&finished, State::Finished);
    assert_eq!((found(&finished).commands.len(), verdict(&finished).0), (2, Verdict::Equivalent));
}

/// A metric that the machine does not provide gets neither the verdict *different* nor *equivalent*.
#[test]
fn a_metric_that_is_not_measured_gives_no_verdict() {
    let rule = Rule { metric: Metric::MIGRATIONS, max_pairs: 16, ..Rule::default() };
    let laboratory = Laboratory::new();
    let machine = Machine {
        absent: vec![Metric::MIGRATIONS],
        ..Machine::quiet(1, vec![noisy("a", 5.0 * MS), noisy("b", 9.0 * MS)])
    };
    let finished = laboratory.compare(Definition { rule, ..free() }, machine);
    if finished.failed.is_none() {
        assert_eq!(verdict(&finished).0, Verdict::Inconclusive);
        let text = report(&finished, Format::Text).unwrap();
        assert!(text.contains("not measured") || text.contains("no pair"), "{text}");
    }
}

/// CPU time and wall time give different verdicts: the program that waits is slower and uses less CPU time.
#[test]
fn the_metric_that_was_asked_for_decides() {
    let waits = Behaviour { cpu: Some(Times::noisy(2.0 * MS, 0.01)), ..noisy("b", 8.0 * MS) };
    for (metric, more) in [(Metric::WALL, true), (Metric::CPU, false)] {
        let laboratory = Laboratory::new();
        let rule = Rule { metric, ..Rule::default() };
        let machine = Machine::quiet(1, vec![noisy("a", 5.0 * MS), waits.clone()]);
        let finished = laboratory.compare(Definition { rule, ..free() }, machine);
        laboratory.is_sound(&finished, State::Finished);
        let (verdict, ratio) = verdict(&finished);
        assert_eq!((verdict, ratio > 1.0), (Verdict::Different, more), "{metric:?}");
        assert_eq!(found(&finished).winner, Some(if more { 0 } else { 1 }), "{metric:?}");
    }
}

#[test]
fn failures_that_are_kept_do_not_keep_a_comparison_from_its_answer() {
    let failures = vec![Failure { when: When::Every(2), end: RunEnd::Ended(Exit::Status(3)) }];
    let half = Behaviour { failures, ..noisy("b", 6.0 * MS) };
    let laboratory = Laboratory::new();
    let condition = Condition { ignore_failure: fauxplat_model::IgnoredFailures::All, ..free().condition };
    let machine = Machine::quiet(1, vec![noisy("a", 5.0 * MS), half]);
    let finished = laboratory.compare(Definition { condition, ..free() }, machine);
    laboratory.is_sound(&finished, State::Finished);
    assert_eq!(verdict(&finished).0, Verdict::Different);
    assert!(found(&finished).commands[1].failures > 3);
}

#[test]
fn a_single_run_is_a_run() {
    let laboratory = Laboratory::new();
    let definition = Definition { runs: Runs::Count(1), ..free() };
    let finished = laboratory.run(definition, Machine::quiet(1, constant(&[MS, 2.0 * MS, 3.0 * MS])));
    laboratory.is_sound(&finished, State::Finished);
    assert_eq!(finished.record().samples.len(), 3);
    let Findings::Run(found) = finished.record().findings else { unreachable!("it was a run") };
    let medians: Vec<f64> = found.iter().map(|one| one.summaries[0].median).collect();
    assert_eq!(medians, [MS, 2.0 * MS, 3.0 * MS]);
}

#[test]
fn a_precision_is_reached_at_once_where_nothing_varies() {
    let laboratory = Laboratory::new();
    let definition = Definition { runs: Runs::Until(1e-9), ..free() };
    let finished = laboratory.run(definition, Machine::quiet(1, constant(&[MS, 7.0 * MS])));
    laboratory.is_sound(&finished, State::Finished);
    assert!(finished.record().samples.len() < 100, "{}", finished.record().samples.len());
}

#[test]
fn a_time_limit_that_is_over_at_once_leaves_a_comparison_open() {
    let laboratory = Laboratory::new();
    let rule = Rule { max_time_s: Some(0.0), ..Rule::default() };
    let finished =
        laboratory.compare(Definition { rule, ..free() }, Machine::quiet(1, constant(&[MS, 2.0 * MS])));
    laboratory.is_sound(&finished, State::Finished);
    let comparison = &found(&finished).comparisons[0];
    assert_eq!((comparison.pairs, comparison.stopped_by), (0, StoppedBy::MaxTime));
    assert_eq!(comparison.verdict, Verdict::Inconclusive);
}

/// After the time limit, a block of many slow commands is ended after one run of each command, and `run` after its
/// first round.
#[test]
fn a_time_limit_does_not_wait_for_a_long_block() {
    let slow = || constant(&[1e9; 9]);
    let rule = Rule { max_time_s: Some(1.0), ..Rule::default() };
    let compared =
        Laboratory::new().compare(Definition { rule: rule.clone(), ..free() }, Machine::quiet(1, slow()));
    let ran = Laboratory::new().run(Definition { rule, ..free() }, Machine::quiet(1, slow()));
    assert!(found(&compared).comparisons.iter().all(|it| it.stopped_by == StoppedBy::MaxTime));
    for finished in [compared, ran] {
        let samples = &finished.record().samples;
        let measured =
            |command| samples.iter().filter(move |it| it.command == command && it.phase == Phase::Measured);
        assert!((0..9).all(|command| measured(command).count() > 0));
        assert!((0..9).map(|command| measured(command).count()).sum::<usize>() < 18, "{}", samples.len());
    }
}

#[test]
fn sweeps_of_few_and_of_many_levels_find_the_one_that_is_slower() {
    for levels in [2, 3, 33] {
        let laboratory = Laboratory::new();
        let slow = |level| noisy("", if level + 1 == levels { 7.0 * MS } else { 5.0 * MS });
        let finished = swept_on(&laboratory, levels, slow, &|machine| machine.drift_per_s = 0.0);
        laboratory.is_sound(&finished, State::Finished);
        let Findings::Sweep(found) = finished.record().findings else { panic!("{:?}", finished.failed) };
        assert_eq!(found.finding.answer, fauxplat_model::SweepAnswer::Effect, "{levels}");
        assert_eq!(found.levels.len(), levels as usize);
        let slowest =
            found.levels.iter().max_by(|a, b| a.ratio.unwrap_or(0.0).total_cmp(&b.ratio.unwrap_or(0.0)));
        assert_eq!(slowest.unwrap().level, (levels - 1).to_string(), "{levels}");
    }
}

#[test]
fn an_explanation_of_what_never_varies_has_no_points_to_share() {
    let laboratory = Laboratory::new();
    let finished = explained_on(&laboratory, Machine::quiet(5, constant(&[5.0 * MS, 5.0 * MS])));
    laboratory.is_sound(&finished, State::Finished);
    let Findings::Explain(found) = finished.record().findings else { panic!("{:?}", finished.failed) };
    assert!(found.components.iter().all(|one| one.points_percent.abs() < 1e-6), "{:?}", found.components);
    assert!(found.components.iter().all(|one| one.variance_share.is_finite()), "{:?}", found.components);
}
