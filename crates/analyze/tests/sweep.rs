//! Tests of the judge of a sweep with synthetic samples: the levels that it requests, the runs that it leaves out, and
//! its answers from few runs.

#[path = "support/jitter.rs"]
mod jitter;
mod support;

use fauxplat_analyze::{Decision, SweepJudge, SweepJudged, SweepLevel, SweepSubject};
use fauxplat_model::{Metric, Outcome, Rule, Sample, StoppedBy, SweepAnswer};
use jitter::jitter;
use support::run;

fn subject(factors: &[&str]) -> SweepSubject {
    SweepSubject { factors: factors.iter().map(|&name| name.to_owned()).collect(), unit: None }
}

fn named(names: &[&str]) -> Vec<SweepLevel> {
    names.iter().map(|&name| SweepLevel { name: name.to_owned(), ..SweepLevel::default() }).collect()
}

/// A block of the levels that the judge requests, in a pseudo-random order. `wall` returns the time in microseconds, or
/// `None` for a crash.
fn block(judge: &SweepJudge, number: u32, wall: &dyn Fn(u16) -> Option<f64>) -> Vec<Sample> {
    let mut order = judge.wanted();
    order.sort_by(|&a, &b| jitter(number, a.into()).total_cmp(&jitter(number, b.into())));
    let visit = |(position, command): (usize, u16)| {
        let noise = 1.0 + 0.002 * jitter(number * 1000 + u32::from(command), 77);
        let time = wall(command).unwrap_or(50.0) * 1000.0 * noise;
        let mut sample = run(number, command, position as u16, &[(Metric::WALL, time as u64)]);
        if wall(command).is_none() {
            sample.outcome = Outcome::Signaled(11);
        }
        sample
    };
    order.into_iter().enumerate().map(visit).collect()
}

fn sweep(mut judge: SweepJudge, wall: &dyn Fn(u16) -> Option<f64>) -> (SweepJudged, Vec<Sample>) {
    let mut samples = Vec::new();
    for number in 0.. {
        let block = block(&judge, number, wall);
        samples.extend_from_slice(&block);
        if judge.block(&block) == Decision::Stop {
            break;
        }
    }
    (judge.findings(&samples, judge.stopped_by()), samples)
}

#[test]
fn a_level_at_which_the_subject_crashes_is_a_finding() {
    let levels = named(&["a", "b", "c", "d", "e", "f", "g", "h"]);
    let judge = SweepJudge::new(&Rule::default(), subject(&["letter"]), levels, 1);
    let (judged, samples) = sweep(judge, &|level| (level != 5).then_some(900.0));
    let finding = judged.findings.finding;
    assert_eq!(finding.answer, SweepAnswer::NoEffect);
    assert_eq!(finding.failing.len(), 1);
    let failing = &finding.failing[0];
    assert_eq!((failing.level.as_str(), failing.exit_status, failing.failures), ("f", 139, 3));
    // A level at which all runs fail is not visited any more, and has no time.
    assert_eq!(samples.iter().filter(|sample| sample.command == 5).count(), 3);
    let level = &judged.findings.levels[5];
    assert_eq!((level.runs, level.failures, level.median_ns, level.ratio), (3, 3, None, None));
    assert!(judged.findings.levels[0].median_ns.is_some_and(|median| (median - 900e3).abs() < 5e3));
}

#[test]
fn when_everything_fails_it_stops() {
    let judge = SweepJudge::new(&Rule::default(), subject(&["letter"]), named(&["a", "b"]), 1);
    let (judged, samples) = sweep(judge, &|_| None);
    assert_eq!(judged.findings.finding.answer, SweepAnswer::Undecided);
    assert!(samples.len() <= 16, "{}", samples.len());
    assert!(judged.warnings.iter().any(|warning| warning.contains("failed")), "{:?}", judged.warnings);
}

#[test]
fn a_product_is_taken_apart() {
    let cell = |index: u16| SweepLevel {
        name: format!("{} {}", index / 4, index % 4),
        cell: Some((index / 4, index % 4)),
        ..SweepLevel::default()
    };
    let judge = SweepJudge::new(&Rule::default(), subject(&["aslr", "size"]), (0..8).map(cell).collect(), 3);
    let (judged, _) = sweep(judge, &|index| Some(1000.0 + 100.0 * f64::from(index / 4)));
    assert_eq!(judged.findings.factor, "aslr x size");
    let parts = judged.findings.finding.parts;
    let names: Vec<&str> = parts.iter().map(|part| part.factor.as_str()).collect();
    assert_eq!(names, ["aslr", "size", "aslr x size"]);
    assert!(parts[0].variance_share_low > 0.9, "{parts:?}");
    assert!(parts[1].variance_share < 0.01 && parts[2].variance_share < 0.01, "{parts:?}");
}

#[test]
fn equal_levels_are_run_once_unless_all_are_asked_for() {
    let level = |bytes: u32| SweepLevel {
        name: bytes.to_string(),
        number: Some(bytes.into()),
        same: Some(bytes / 16),
        cell: None,
    };
    let judge =
        || SweepJudge::new(&Rule::default(), subject(&["env-size"]), (0..128).map(level).collect(), 5);
    assert_eq!(judge().wanted().len(), 8);
    let rule = Rule { max_pairs: 6, ..Rule::default() };
    let all =
        SweepJudge::new(&rule, subject(&["env-size"]), (0..128).map(level).collect(), 5).exhaustive(true);
    let (judged, samples) = sweep(all, &|_| Some(700.0));
    assert_eq!((samples.len(), judged.findings.runs_exhaustive), (768, 12_800));
    let (judged, _) = sweep(judge(), &|_| Some(700.0));
    assert!(judged.findings.levels.iter().all(|level| level.stands_for == 16));
    assert_eq!((judged.findings.levels_asked, judged.findings.levels_distinct), (128, 8));
}

#[test]
fn what_was_interrupted_is_judged_by_what_there_is() {
    let mut judge = SweepJudge::new(&Rule::default(), subject(&["letter"]), named(&["a", "b", "c"]), 2);
    let none = judge.findings(&[], StoppedBy::Interrupt).findings;
    assert_eq!((none.finding.answer, none.runs_done), (SweepAnswer::Undecided, 0));
    // A ratio of nearly a million stands for the lack of a bound, since JSON has no infinity.
    let is_open = |finding: &fauxplat_model::SweepFinding| {
        let ends = [finding.difference_high_ratio, finding.largest_excluded_ratio];
        ends.iter().all(|ratio| ratio.is_finite() && *ratio > 9e5)
    };
    assert!(is_open(&none.finding), "{:?}", none.finding);
    // From a single block the noise cannot be estimated.
    let mut short = judge.clone();
    let one = block(&short, 0, &|_| Some(1000.0));
    short.block(&one);
    assert!(is_open(&short.findings(&one, StoppedBy::Interrupt).findings.finding));
    let mut samples = Vec::new();
    // Only one level of three differs: at an error level of 1 %, seven blocks can show that, and five cannot.
    for number in 0..7 {
        let block = block(&judge, number, &|level| Some(if level == 1 { 1100.0 } else { 1000.0 }));
        judge.block(&block);
        samples.extend(block);
    }
    let some = judge.findings(&samples, StoppedBy::Interrupt).findings;
    assert_eq!(some.stopped_by, StoppedBy::Interrupt);
    assert_eq!(some.finding.answer, SweepAnswer::Effect);
    let ratio = some.levels[1].ratio.unwrap();
    assert!((ratio - 1.1).abs() < 0.005, "{ratio}");
    assert_eq!(some.finding.peaks[0].level, "b");
}

/// At this small error level the test of all levels together cannot decide at the first look at the data, although a
/// single level stands out.
#[test]
fn a_level_that_stands_out_is_never_said_to_be_no_effect() {
    let names: Vec<String> = (0..64).map(|number| number.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rule = Rule { level: 0.001, max_pairs: 24, ..Rule::default() };
    let wall = |level: u16| Some(if level == 7 { 1015.0 } else { 1000.0 });
    let mut judge = SweepJudge::new(&rule, subject(&["number"]), named(&names), 1);
    let mut samples = Vec::new();
    let mut blocks = 0;
    while judge.decision() == Decision::GoOn {
        let block = block(&judge, blocks, &wall);
        samples.extend_from_slice(&block);
        judge.block(&block);
        blocks += 1;
    }
    assert!(blocks > 6 && blocks <= 24, "it goes on, and it ends: {blocks}");
    let finding = judge.findings(&samples, judge.stopped_by()).findings.finding;
    assert!(finding.difference_high_ratio < 1.01, "what levels typically differ by is within the margin");
    assert_eq!((finding.answer, finding.peaks_total), (SweepAnswer::Effect, 1), "{finding:?}");
    assert_eq!(finding.peaks[0].level, "7");
}

#[test]
fn a_level_that_was_asked_for_twice_in_a_block_counts_once() {
    let mut judge = SweepJudge::new(&Rule::default(), subject(&["letter"]), named(&["a", "b"]), 2);
    let wall = |us: u64| [(Metric::WALL, us * 1000)];
    let block: Vec<Sample> =
        [(0, 500), (1, 500), (0, 900)].iter().map(|&(level, us)| run(0, level, 0, &wall(us))).collect();
    judge.block(&block);
    let findings = judge.findings(&block, StoppedBy::Interrupt).findings;
    assert_eq!(findings.levels[0].median_ns.map(f64::round), Some(500_000.0));
}

#[test]
fn a_period_is_found_whichever_of_equal_levels_was_drawn() {
    // Each sixteen successive sizes give the stack the same place. One place in four crosses a cache line, and a single
    // one crosses a page.
    let place = |bytes: u16| (bytes + 8) / 16;
    let level = |bytes: u16| SweepLevel {
        name: bytes.to_string(),
        number: Some(bytes.into()),
        same: (bytes > 0).then(|| place(bytes).into()),
        cell: None,
    };
    let wall = |bytes: u16| match place(bytes) {
        41 => 3000.0,
        place if place % 4 == 1 => 1400.0,
        place => 1000.0 + f64::from(place % 3),
    };
    for seed in 1..=10 {
        let subject = SweepSubject { unit: Some("bytes".to_owned()), ..subject(&["env-size"]) };
        let judge = SweepJudge::new(&Rule::default(), subject, (0..=1024).map(level).collect(), seed);
        let (judged, _) = sweep(judge, &|bytes| Some(wall(bytes)));
        let period = judged.findings.finding.period.expect("one in four places is slow");
        assert!(period.low <= 64.0 && period.high >= 64.0 && period.high < 70.0, "seed {seed}: {period:?}");
        assert_eq!(period.likely_cause.as_deref(), Some("cache line (64 bytes)"));
    }
}

/// At one of three levels every seventh run takes ten times as long, which leaves the median of the level unchanged.
#[test]
fn slow_runs_of_a_level_are_named_beside_medians_that_do_not_show_them() {
    let visits = std::cell::Cell::new(0_u32);
    let wall = |level: u16| {
        visits.set(visits.get() + 1);
        let is_slow = level == 1 && (visits.get() / 3).is_multiple_of(7);
        // With less noise the sweep would end before slow runs occur.
        let usual = 900.0 * (0.1 * jitter(visits.get(), level.into())).exp();
        Some(if is_slow { 9000.0 } else { usual })
    };
    let rule = Rule { margin: 0.05, ..Rule::default() };
    let judge = SweepJudge::new(&rule, subject(&["letter"]), named(&["a", "b", "c"]), 1).blocks_max(120);
    let (judged, _) = sweep(judge, &wall);
    let slow = &judged.findings.finding.slow;
    assert_eq!(slow.iter().map(|it| it.level.as_str()).collect::<Vec<_>>(), ["b"], "{judged:?}");
    assert!(slow[0].slow_runs >= 3 && slow[0].ratio > 8.0 && slow[0].p_adjusted < 0.01, "{slow:?}");
    let alike = SweepJudge::new(&rule, subject(&["letter"]), named(&["a", "b", "c"]), 1);
    let (judged, _) = sweep(alike, &|level| Some(900.0 + 100.0 * f64::from(level)));
    assert!(judged.findings.finding.slow.is_empty(), "{judged:?}");
}
