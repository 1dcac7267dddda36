//! Tests of the judge with synthetic blocks: verdicts, guards, several commands, counts, limits.
//!
//! Length: the tests share the builders of blocks.

#[path = "judge/counted.rs"]
mod counted;
#[path = "support/jitter.rs"]
mod jitter;
#[path = "judge/levels.rs"]
mod levels;
#[path = "support/rule.rs"]
mod rule;
#[path = "judge/sessions.rs"]
mod sessions;
#[path = "judge/slow.rs"]
mod slow;
#[path = "support/mod.rs"]
mod support;
#[path = "judge/winner.rs"]
mod winner;

use fauxplat_analyze::{Decision, Judge, Judged};
use fauxplat_model::{
    DifferenceIn, DroppedReason, Extent, GateQuestion, GateState, Grade, Metric, Outcome, Phase, Rule,
    Sample, StoppedBy, Verdict,
};
use jitter::jitter;
use rule::rule;
use support::run;

fn names(count: usize) -> Vec<String> {
    ["old", "new", "third", "fourth"][..count].iter().map(|&name| name.to_owned()).collect()
}

/// Wall time of a run in nanoseconds: 5 ms with a little noise, times a factor.
fn wall(block: u32, command: u16, factor: f64) -> u64 {
    (5e6 * factor * (0.003 * jitter(block, command.into())).exp()) as u64
}

/// A block with one run of each command, in the order of the commands in even blocks and in the reverse order in odd
/// ones.
fn block(number: u32, factors: &[f64]) -> Vec<Sample> {
    let last = factors.len() as u16 - 1;
    let place = |command: u16| if number.is_multiple_of(2) { command } else { last - command };
    let one = |command: u16| {
        let wall = wall(number, command, factors[usize::from(command)]);
        run(number, command, place(command), &[(Metric::WALL, wall)])
    };
    (0..=last).map(one).collect()
}

/// Adds blocks, which `next` makes, until the judge stops, and returns the findings and the judge.
fn judge(mut judge: Judge, commands: usize, mut next: impl FnMut(u32) -> Vec<Sample>) -> (Judged, Judge) {
    let mut samples = Vec::new();
    for number in 0.. {
        let block = next(number);
        samples.extend_from_slice(&block);
        if judge.block(&block) == Decision::Stop {
            break;
        }
    }
    (judge.findings(&samples, &names(commands), judge.stopped_by()), judge)
}

#[test]
fn a_clear_difference_is_found_early_and_has_the_right_sign() {
    let (judged, _) = judge(Judge::new(&rule(), 2, 1), 2, |n| block(n, &[1.0, 1.05]));
    let shown = &judged.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.stopped_by, shown.pairs), (Verdict::Different, StoppedBy::Verdict, 10));
    assert!(shown.ci_low_ratio < 1.05 && 1.05 < shown.ci_high_ratio);
    assert!(shown.ci_low_ratio > 1.04 && shown.ci_high_ratio < 1.06);
    assert!(shown.bootstrap_low_ratio > 1.04 && shown.bootstrap_high_ratio < 1.06);
    assert!(shown.p_value <= 0.01);
    assert_eq!(judged.findings.winner, Some(0));
    assert_eq!((shown.a.as_str(), shown.b.as_str()), ("old", "new"));
    assert!(judged.warnings.is_empty(), "{:?}", judged.warnings);
}

#[test]
fn early_intervals_are_bounded_and_contain_the_truth() {
    // The commands differ by a factor of two, with noise of up to 35 % between pairs. At an error level of 1 %, 2 of
    // 200 intervals are expected to miss the factor; four standard errors are 5.6.
    let mut missed = 0;
    for seed in 0..200 {
        let noisy = |n: u32| (0.3 * jitter(n, 7 + seed)).exp();
        let (judged, _) = judge(Judge::new(&rule(), 2, seed.into()), 2, |n| block(n, &[1.0, 2.0 * noisy(n)]));
        let shown = &judged.findings.comparisons[0];
        assert_eq!(shown.verdict, Verdict::Different);
        assert!(shown.ci_low_ratio > 1.0 && shown.ci_high_ratio < 8.0, "{shown:?}");
        missed += u32::from(!(shown.ci_low_ratio..shown.ci_high_ratio).contains(&2.0));
    }
    assert!(missed <= 7, "{missed}");
}

#[test]
fn swapping_a_and_b_inverts_the_findings() {
    let (here, _) = judge(Judge::new(&rule(), 2, 1), 2, |n| block(n, &[1.0, 1.01]));
    let (there, _) = judge(Judge::new(&rule(), 2, 1), 2, |n| {
        let mut swapped = block(n, &[1.0, 1.01]);
        swapped.iter_mut().for_each(|run| run.command = 1 - run.command);
        swapped
    });
    let (here, there) = (&here.findings.comparisons[0], &there.findings.comparisons[0]);
    assert_eq!((here.verdict, here.pairs), (there.verdict, there.pairs));
    let product = here.effect_ratio * there.effect_ratio;
    assert!((product - 1.0).abs() < 1e-9, "{here:?}\n{there:?}");
    assert!((here.ci_low_ratio * there.ci_high_ratio - 1.0).abs() < 1e-9);
}

#[test]
fn equal_programs_are_equivalent_and_nobody_wins() {
    let (judged, _) = judge(Judge::new(&rule(), 2, 1), 2, |n| block(n, &[1.0, 1.0]));
    let shown = &judged.findings.comparisons[0];
    assert_eq!(shown.verdict, Verdict::Equivalent);
    assert!(shown.ci_low_ratio > 0.99 && shown.ci_high_ratio < 1.01);
    assert_eq!(judged.findings.winner, None);
    assert_eq!(shown.grade, Grade::WithinSession);
}

#[test]
fn counts_that_never_vary_give_plain_answers() {
    let counts = |a: u64, b: u64| {
        let rule = Rule { metric: Metric::MINOR_FAULTS, ..rule() };
        let make = move |n: u32| {
            let faults = |command, value| run(n, command, command, &[(Metric::MINOR_FAULTS, value)]);
            vec![faults(0, a), faults(1, b)]
        };
        judge(Judge::new(&rule, 2, 1), 2, make).0.findings.comparisons.swap_remove(0)
    };
    let equal = counts(120, 120);
    // All counts are equal, but from 128 pairs it cannot be excluded that one pair in forty differs.
    assert_eq!((equal.verdict, equal.extent, equal.pairs), (Verdict::Equivalent, Some(Extent::Typical), 128));
    assert_eq!(
        (equal.effect_ratio, equal.ci_low_ratio, equal.ci_high_ratio, equal.p_value),
        (1.0, 1.0, 1.0, 1.0)
    );
    let zeros = counts(0, 0);
    assert_eq!((zeros.verdict, zeros.effect_ratio), (Verdict::Equivalent, 1.0));
    let more = counts(120, 132);
    assert_eq!((more.verdict, more.pairs), (Verdict::Different, 10));
    assert!((more.effect_ratio - 1.1).abs() < 1e-9);
    let from_nothing = counts(0, 7);
    assert_eq!(from_nothing.verdict, Verdict::Different);
    assert!((from_nothing.effect_ratio - 15.0).abs() < 1e-9);
}

#[test]
fn every_guard_drops_its_pairs_and_counts_them() {
    let spoil = |n: u32| {
        let mut runs = block(n, &[1.0, 1.0]);
        for run in &mut runs {
            run.readings.set(Metric::STEAL, Some(0));
            run.readings.set(Metric::MIGRATIONS, Some(1));
        }
        match n {
            3 => runs[1].outcome = Outcome::Exited(1),
            4 => runs[0].readings.set(Metric::STEAL, Some(90_000_000)),
            // A single tick of steal, 10 ms, must not drop a pair of 5 ms runs.
            5 => runs[0].readings.set(Metric::STEAL, Some(10_000_000)),
            7 => runs[1].readings.set(Metric::MIGRATIONS, Some(40)),
            _ => {}
        }
        runs
    };
    let rule = Rule { margin: 0.0, max_pairs: 20, ..rule() };
    let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, spoil);
    let shown = &judged.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.stopped_by), (Verdict::Inconclusive, StoppedBy::MaxPairs));
    assert_eq!((shown.pairs, shown.dropped_pairs), (17, 3));
    let reasons: Vec<DroppedReason> = shown.dropped.iter().map(|dropped| dropped.reason).collect();
    assert_eq!(reasons, [DroppedReason::FailedRun, DroppedReason::HeavySteal, DroppedReason::MigrationStorm]);
    assert_eq!(judged.findings.commands[1].failures, 1);
}

#[test]
fn a_machine_that_is_always_stolen_from_is_not_dropped_empty() {
    let stolen = |n: u32| {
        let mut runs = block(n, &[1.0, 1.05]);
        runs.iter_mut().for_each(|run| run.readings.set(Metric::STEAL, Some(30_000_000)));
        runs
    };
    let (judged, _) = judge(Judge::new(&rule(), 2, 1), 2, stolen);
    let shown = &judged.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.dropped_pairs), (Verdict::Different, 0));
}

#[test]
fn throttled_blocks_and_unmeasured_runs_do_not_count() {
    let mut judge = Judge::new(&rule(), 2, 1);
    judge.throttled_block(&block(0, &[1.0, 1.0]));
    let mut warm = block(1, &[1.0, 9.0]);
    warm.extend(block(1, &[1.0, 1.0]));
    warm[..2].iter_mut().for_each(|run| run.phase = Phase::Warmup);
    judge.block(&warm);
    let mut samples = block(0, &[1.0, 1.0]);
    samples.extend(warm);
    let judged = judge.findings(&samples, &names(2), StoppedBy::Interrupt);
    let shown = &judged.findings.comparisons[0];
    assert_eq!((shown.pairs, shown.dropped_pairs, shown.stopped_by), (1, 1, StoppedBy::Interrupt));
    assert_eq!(shown.dropped[0].reason, DroppedReason::Throttled);
    assert!((shown.effect_ratio - 1.0).abs() < 0.01);
}

#[test]
fn where_no_pair_counts_there_is_no_ratio() {
    let mut judge = Judge::new(&rule(), 2, 1);
    let samples = block(0, &[1.0, 1.3]);
    judge.throttled_block(&samples);
    let judged = judge.findings(&samples, &names(2), StoppedBy::MaxTime);
    let shown = &judged.findings.comparisons[0];
    assert_eq!((shown.pairs, shown.dropped_pairs, shown.verdict), (0, 1, Verdict::Inconclusive));
    assert!(shown.effect_ratio.is_nan(), "{}", shown.effect_ratio);
}

#[test]
fn failed_runs_count_when_failures_are_ignored() {
    let failing = |n: u32| {
        let mut runs = block(n, &[1.0, 1.05]);
        runs.iter_mut().for_each(|run| run.outcome = Outcome::Exited(3));
        runs
    };
    let (judged, _) = judge(Judge::new(&rule(), 2, 1).ignore_failure(true), 2, failing);
    assert_eq!(judged.findings.comparisons[0].verdict, Verdict::Different);
    let rule = Rule { max_pairs: 8, ..rule() };
    let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, failing);
    let shown = &judged.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.pairs, shown.dropped_pairs), (Verdict::Inconclusive, 0, 8));
    assert_eq!(judged.findings.winner, None);
}

#[test]
fn abba_blocks_count_two_pairs_and_one_cluster() {
    let abba = |n: u32| {
        let mut runs = block(n, &[1.0, 1.02]);
        let mut again = block(n + 7000, &[1.0, 1.02]);
        again.reverse();
        runs.extend(again);
        runs.iter_mut().zip(0..).for_each(|(run, position)| (run.block, run.position) = (n, position));
        runs
    };
    let (judged, judge) = judge(Judge::new(&rule(), 2, 1), 2, abba);
    let shown = &judged.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.pairs), (Verdict::Different, 20));
    assert!(shown.variance.process.is_some());
    assert_eq!(judge.progress().pairs_max, 128);
}

/// More is better for a rate: if the same figures were wall times, the other command would win.
#[test]
fn the_highest_rate_wins() {
    let rule = Rule { metric: Metric::RATE, ..rule() };
    let rates = |n: u32, factors: &[f64]| -> Vec<Sample> {
        let one = |(wall, run): (u64, Sample)| Sample {
            readings: support::run(0, 0, 0, &[(Metric::RATE, wall), (Metric::WALL, 5_000_000)]).readings,
            ..run
        };
        let wall = |run: Sample| (run.get(Metric::WALL).unwrap_or(0), run);
        block(n, factors).into_iter().map(wall).map(one).collect()
    };
    let winner = |factors: &[f64]| {
        let make = |n: u32| rates(n, factors);
        judge(Judge::new(&rule, factors.len(), 1), factors.len(), make).0.findings.winner
    };
    assert_eq!(winner(&[1.0, 1.05]), Some(1));
    assert_eq!(winner(&[1.05, 1.0]), Some(0));
    assert_eq!(winner(&[1.0, 0.97, 0.9]), Some(0));
    assert_eq!(winner(&[0.9, 0.97, 1.05]), Some(2));
    // A counter that stays at zero in only one of the commands has a finite ratio, since half an event is added to each
    // run.
    let stuck = |n: u32| rates(n, &[1.0, 0.0]);
    let shown = judge(Judge::new(&rule, 2, 1), 2, stuck).0.findings.comparisons.swap_remove(0);
    assert!(shown.verdict == Verdict::Different && shown.effect_ratio > 0.0 && !shown.b_is_better());
}

#[test]
fn a_decided_command_waits_for_the_others_with_its_figures_as_they_were() {
    let (judged, judge) = judge(Judge::new(&rule(), 3, 1), 3, |n| block(n, &[1.0, 1.2, 1.0015]));
    let [clear, close] = &judged.findings.comparisons[..] else { panic!("two comparisons") };
    // With two comparisons, each has half of the error level, for which ten pairs of the same sign (1 in 1024) do not
    // suffice.
    assert_eq!((clear.verdict, clear.pairs), (Verdict::Different, 12));
    // The third command is slower by 0.15 %, which is found while pairs are still needed for the test of rare slow
    // runs.
    assert_eq!((close.verdict, close.beyond_margin), (Verdict::Different, Some(false)));
    assert!(close.pairs > 12 && !close.is_different_beyond_margin() && clear.is_different_beyond_margin());
    assert_eq!(judge.progress().decided, 2);
}

#[test]
fn limits_and_interrupts_end_as_inconclusive_with_a_hint() {
    let noisy = |n: u32| {
        let factor = |salt| (0.1 * jitter(n, salt)).exp();
        block(n, &[factor(11), 1.004 * factor(12)])
    };
    let rule = Rule { max_pairs: 40, ..rule() };
    let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, noisy);
    let shown = &judged.findings.comparisons[0];
    assert_eq!(
        (shown.verdict, shown.stopped_by, shown.pairs),
        (Verdict::Inconclusive, StoppedBy::MaxPairs, 40)
    );
    assert!(shown.pairs_needed.is_some_and(|pairs| pairs > 40), "{:?}", shown.pairs_needed);
    let nothing = Judge::new(&rule, 2, 1).findings(&[], &names(2), StoppedBy::Interrupt);
    let shown = &nothing.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.pairs, shown.pairs_needed), (Verdict::Inconclusive, 0, None));
    assert!(shown.ci_high_ratio.is_finite() && shown.ci_low_ratio > 0.0);
}

#[test]
fn anytime_decides_by_evidence() {
    let rule = Rule { anytime: true, ..rule() };
    let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, |n| block(n, &[1.0, 1.02]));
    let shown = &judged.findings.comparisons[0];
    assert!(shown.anytime && shown.p_value <= 0.01 && shown.ci_low_ratio > 1.0);
    assert_eq!(shown.verdict, Verdict::Different);
    let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, |n| block(n, &[1.0, 1.0]));
    assert_eq!(judged.findings.comparisons[0].verdict, Verdict::Equivalent);
}

/// An interval without zero and a p-value above the level would contradict each other, and so would a gate and its
/// verdict.
#[test]
fn an_anytime_interval_excludes_zero_only_with_its_test() {
    for margin in [0.001, 0.01, 0.1] {
        for effect in [1.004, 1.03, 1.27, 2.0] {
            let gate = Some(GateQuestion::Slower);
            let rule = Rule { anytime: true, margin, gate, ..rule() };
            let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, |n| block(n, &[1.0, effect]));
            let shown = &judged.findings.comparisons[0];
            let excludes = shown.ci_low_ratio > 1.0 || shown.ci_high_ratio < 1.0;
            assert!(!excludes || shown.p_value <= 0.01, "{effect} beside {margin}: {shown:?}");
            let is_beyond = shown.gate.as_ref().is_some_and(|gate| gate.state == GateState::Beyond);
            assert!(!is_beyond || shown.verdict == Verdict::Different, "{effect} beside {margin}: {shown:?}");
            assert!(
                effect < 1.2 || shown.verdict == Verdict::Different,
                "{effect} beside {margin}: {shown:?}"
            );
        }
    }
}

#[test]
fn neighbours_that_are_alike_are_said_and_widen_the_interval() {
    // The effect itself changes slowly: B is slower in long stretches, and faster in others.
    let wander = |n: u32| block(n, &[1.0, 1.0 + 0.04 * (f64::from(n) / 1.5).sin()]);
    let (judged, _) = judge(Judge::new(&Rule { max_pairs: 64, ..rule() }, 2, 1), 2, wander);
    let shown = &judged.findings.comparisons[0];
    assert!(shown.variance.autocorrelation > 0.5);
    assert_ne!(shown.verdict, Verdict::Different);
    assert!(judged.warnings.iter().any(|warning| warning.contains("alike")), "{:?}", judged.warnings);
}

#[test]
fn secondary_metrics_are_adjusted_and_useless_ones_left_out() {
    let rich = |n: u32| {
        let mut runs = block(n, &[1.0, 1.0]);
        for run in &mut runs {
            let command = u64::from(run.command);
            run.readings.set(Metric::PEAK_MEMORY, Some(1_000_000 + 100_000 * command));
            run.readings.set(Metric::MAJOR_FAULTS, Some(0));
            run.readings.set(Metric::STEAL, Some(10_000_000));
            run.readings.set(Metric::CPU, Some(wall(n, run.command + 5, 0.9)));
        }
        runs
    };
    let (judged, _) = judge(Judge::new(&Rule { margin: 0.002, ..rule() }, 2, 1), 2, rich);
    let secondary = &judged.findings.comparisons[0].secondary;
    let metrics: Vec<Metric> = secondary.iter().map(|row| row.metric).collect();
    assert_eq!(metrics, [Metric::CPU, Metric::PEAK_MEMORY]);
    assert!(!secondary[0].different && secondary[1].different, "{secondary:?}");
    assert!((secondary[1].effect_ratio - 1.1).abs() < 1e-9);
}

#[test]
fn the_budget_sees_the_position() {
    // The second run of each block is 2 % slower.
    let second = |n: u32| {
        let mut runs = block(n, &[1.0, 1.0]);
        for run in &mut runs {
            let slower = wall(n, run.command, if run.position == 1 { 1.02 } else { 1.0 });
            run.readings.set(Metric::WALL, Some(slower));
        }
        runs
    };
    let (judged, _) = judge(Judge::new(&Rule { max_pairs: 64, ..rule() }, 2, 1), 2, second);
    let variance = &judged.findings.comparisons[0].variance;
    assert!(variance.position_low_ratio > 1.01 && variance.position_high_ratio < 1.03, "{variance:?}");
    assert!(variance.order > 0.8 && variance.residual < 0.2, "{variance:?}");
    let parts = variance.order + variance.residual + variance.layout.unwrap_or(0.0);
    assert!((parts - 1.0).abs() < 1e-9, "{variance:?}");
}

/// Blocks of two equal commands. In every fourth block a run waited 4 ms for its CPU: one of A and one of B by turns.
fn preempted(number: u32) -> Vec<Sample> {
    let mut samples = block(number, &[1.0, 1.0]);
    let hit = number.is_multiple_of(4).then_some(usize::from(number.is_multiple_of(8)));
    for (index, sample) in samples.iter_mut().enumerate() {
        let wait_ns = if Some(index) == hit { 4_000_000 } else { 10_000 };
        let wall_ns = sample.get(Metric::WALL).unwrap_or(0);
        sample.readings.set(Metric::WALL, Some(wall_ns + wait_ns));
        sample.readings.set(Metric::RUN_DELAY, Some(wait_ns));
    }
    samples
}

#[test]
fn pairs_that_others_preempted_are_dropped_for_single_tasks_only() {
    let (judged, _) = judge(Judge::new(&rule(), 2, 1).single_task(true), 2, preempted);
    let alone = &judged.findings.comparisons[0];
    assert_eq!(alone.verdict, Verdict::Equivalent);
    assert_eq!(alone.dropped.iter().map(|one| one.reason).collect::<Vec<_>>(), [DroppedReason::Preempted]);
    assert!(
        (2..=4).contains(&(alone.pairs / alone.dropped_pairs)),
        "{} of {}",
        alone.dropped_pairs,
        alone.pairs
    );
    // A command of several tasks may wait for its own tasks, which is a property of the command.
    let (judged, _) = judge(Judge::new(&rule(), 2, 1), 2, preempted);
    assert_eq!(judged.findings.comparisons[0].dropped_pairs, 0);
    // The guard against waiting is for wall time alone.
    let rule = Rule { metric: Metric::RUN_DELAY, ..rule() };
    let (judged, _) = judge(Judge::new(&rule, 2, 1).single_task(true), 2, preempted);
    assert_eq!(judged.findings.comparisons[0].dropped_pairs, 0);
}

/// If every run waits, as on a busy machine, the first pair must not be dropped: a slow program may have time for only
/// one block.
#[test]
fn a_first_pair_that_waited_is_all_that_is_known_and_stays() {
    let busy = |number: u32| {
        let mut samples = preempted(0);
        samples.iter_mut().for_each(|sample| sample.block = number);
        samples
    };
    let few = Rule { max_pairs: 1, ..rule() };
    let (judged, _) = judge(Judge::new(&few, 2, 1).single_task(true), 2, busy);
    let first = &judged.findings.comparisons[0];
    assert_eq!((first.pairs, first.dropped_pairs), (1, 0));
}

#[test]
fn a_quota_of_their_own_is_no_other_program() {
    let (judged, _) = judge(Judge::new(&rule(), 2, 1).single_task(true).quota(true), 2, preempted);
    assert_eq!(judged.findings.comparisons[0].dropped_pairs, 0);
}

/// A block in which B takes twice as long in one of `every` blocks.
fn now_and_then(number: u32, every: u32) -> Vec<Sample> {
    let slow = if (number * 7 + 3).is_multiple_of(every) { 2.0 } else { 1.0 };
    block(number, &[1.0, slow])
}

#[test]
fn equivalence_of_the_whole_needs_rare_slow_runs_excluded() {
    let rule = Rule { max_pairs: 1024, ..rule() };
    let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, |n| block(n, &[1.0, 1.0]));
    let shown = &judged.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.extent), (Verdict::Equivalent, Some(Extent::Whole)));
    // The test of the mean needs the most pairs: with fewer, the effect of one slow run in a hundred could not be
    // bounded.
    assert!(shown.pairs >= 500 && shown.pairs <= 1024, "{}", shown.pairs);
    assert!(shown.tail.is_some_and(|tail| tail.excess_excluded <= 0.03 && tail.share_b == 0.0));
    // B takes twice as long in one of twenty runs: typical runs are equal, the programs as a whole are not.
    let (judged, _) = judge(Judge::new(&rule, 2, 1), 2, |n| now_and_then(n, 20));
    let shown = &judged.findings.comparisons[0];
    assert_eq!(shown.verdict, Verdict::Different);
    assert_eq!(shown.difference_in[0], DifferenceIn::Tail);
    assert!(shown.is_different_beyond_margin() && !shown.b_is_better());
    assert!((shown.effect_ratio - 1.0).abs() < 0.005, "{}", shown.effect_ratio);
    assert!(shown.mean.is_some_and(|mean| mean.ratio > 1.02), "{:?}", shown.mean);
    // With few pairs, only typical runs are called equivalent, and the share of slow runs that is not excluded is
    // reported.
    let (judged, _) = judge(Judge::new(&Rule { max_pairs: 64, ..rule }, 2, 1), 2, |n| now_and_then(n, 50));
    let shown = &judged.findings.comparisons[0];
    assert_eq!((shown.verdict, shown.extent), (Verdict::Equivalent, Some(Extent::Typical)));
    assert!(shown.tail.is_some_and(|tail| tail.excess_excluded > 0.05), "{:?}", shown.tail);
}

/// Of twenty noisy comparisons, the numbers that find no difference, a difference in typical runs, one in slow runs,
/// and both; `b` returns for a block and a seed the factor by which a run of B takes longer.
fn found_in(b: impl Fn(u32, u32) -> f64) -> [usize; 4] {
    let rule = Rule { max_pairs: 2048, ..rule() };
    let mut found = [0; 4];
    for seed in 0..20 {
        // The sum of three uniform values is about normal.
        let bell = |n, salt: u32| (0..3).map(|part| jitter(n, 100 * seed + 10 * salt + part)).sum::<f64>();
        let noise = |n, salt| (0.05 * bell(n, salt)).exp();
        let both = |n| block(n, &[noise(n, 1), b(n, seed) * noise(n, 2)]);
        let (judged, _) = judge(Judge::new(&rule, 2, u64::from(seed)), 2, both);
        let found_in = &judged.findings.comparisons[0].difference_in;
        let names = |part| usize::from(found_in.contains(&part));
        found[names(DifferenceIn::Typical) + 2 * names(DifferenceIn::Tail)] += 1;
    }
    found
}

#[test]
fn slow_runs_in_noise_are_no_shift_and_a_shift_is_no_slow_runs() {
    let slow = |n: u32, seed: u32| if jitter(n, 100 * seed + 90).abs() < 0.05 { 2.0 } else { 1.0 };
    let [_, typical, tail, both] = found_in(slow);
    assert!(tail >= 16 && typical <= 2 && both <= 2, "{typical} {tail} {both}");
    let [_, typical, tail, both] = found_in(|_, _| 1.02);
    assert!(typical >= 18 && tail + both <= 1, "{typical} {tail} {both}");
    let [_, typical, tail, both] = found_in(|n, seed| 1.05 * slow(n, seed));
    assert!(typical + both >= 19 && tail <= 1, "{typical} {tail} {both}");
}

#[test]
fn layouts_are_asked_for_their_mean() {
    // Every eighth layout makes B 20 % slower: 2.3 % in the geometric mean, in which no layout is an outlier.
    let bad = |n: u32| block(n, &[1.0, if n.is_multiple_of(8) { 1.2 } else { 1.0 }]);
    let rule = Rule { max_pairs: 256, ..rule() };
    let (judged, _) = judge(Judge::new(&rule, 2, 1).layouts(true), 2, bad);
    let shown = &judged.findings.comparisons[0];
    assert_ne!(shown.verdict, Verdict::Equivalent);
    assert!((shown.effect_ratio.ln() - 0.125 * 1.2f64.ln()).abs() < 0.01, "{}", shown.effect_ratio);
}

#[test]
fn more_time_means_more_pairs_and_the_limit_is_known_before_the_first_look() {
    let noisy = |n: u32| {
        let factor = |salt| (0.3 * jitter(n, salt)).exp();
        block(n, &[factor(11), factor(12)])
    };
    let mut longer = Judge::new(&rule(), 2, 1);
    longer.horizon(300);
    assert_eq!(judge(longer, 2, noisy).0.findings.comparisons[0].pairs, 300);
    let mut late = Judge::new(&rule(), 2, 1);
    assert!((0..10).all(|n| late.block(&noisy(n)) == Decision::GoOn));
    late.horizon(300);
    assert_eq!(late.progress().pairs_max, 128);
}
