//! Tests of comparisons of simulated readings, some of which are bounds.

use fauxplat_model::{
    Bound, DifferenceIn, Metric, Readings, Rule, Sample, Source, Sources, StoppedBy, Verdict, is_no_bound,
};
use fauxplat_stats::draw::Draw;

use crate::{Decision, Judge};

const FLOOR: f64 = 3.4e6;

/// Kernel interfaces that a user without privileges can read.
fn sources() -> Sources {
    Sources {
        peak_memory: Source::Rusage,
        peak_memory_floor_bytes: FLOOR as u64,
        run_delay: Source::FirstThread,
        migrations: Source::FirstThread,
        ..Sources::default()
    }
}

fn sample(block: u32, command: u16, readings: Readings) -> Sample {
    let mut readings = readings;
    readings.set(Metric::WALL, Some(1_000_000));
    sources().mark(&mut readings);
    Sample {
        trial: 2 * block + u32::from(command),
        block,
        command,
        position: command,
        started_ns: u64::from(block) * 2_000_000,
        ..Sample::of(readings)
    }
}

/// Reading of peak memory for a process of this size: at least the size of the process that starts it.
fn shown(bytes: f64) -> Readings {
    Readings::from([(Metric::PEAK_MEMORY, bytes.max(FLOOR) as u64)])
}

/// A comparison of two commands, whose readings `draw` returns.
fn compared(metric: Metric, seed: u64, mut draw: impl FnMut(u16) -> Readings) -> fauxplat_model::Comparison {
    let mut rule = Rule { least_span_s: 0.0, ..Rule::default() };
    rule.decide(&[metric]);
    let mut judge = Judge::new(&rule, 2, seed);
    let mut samples = Vec::new();
    for block in 0.. {
        let pair: Vec<Sample> = (0..2).map(|command| sample(block, command, draw(command))).collect();
        samples.extend(pair.iter().cloned());
        if judge.block(&pair) == Decision::Stop {
            break;
        }
    }
    let names = ["a".to_owned(), "b".to_owned()];
    let mut judged = judge.findings(&samples, &names, StoppedBy::MaxPairs);
    judged.findings.comparisons.remove(0)
}

/// A comparison of two random sizes, either of which may be above or below the floor.
fn of_sizes(seed: u64) -> ([f64; 2], fauxplat_model::Comparison) {
    let mut draw = Draw::new(seed, 0);
    let mut size = || FLOOR * (0.9 * draw.normal()).exp();
    let means = [size(), size()];
    // Pages are counted in batches, so most programs repeat their size closely.
    let spread = if seed.is_multiple_of(3) { 0.2 } else { 0.002 };
    let mut noise = Draw::new(seed, 1);
    let drawn = |command: u16| shown(means[usize::from(command)] * (spread * noise.normal()).exp());
    (means, compared(Metric::PEAK_MEMORY, seed, drawn))
}

#[test]
fn bounds_are_never_judged_as_values() {
    let (mut open, mut shown) = (0, 0);
    for seed in 0..500 {
        let ([a, b], comparison) = of_sizes(seed);
        let Some(bounded) = comparison.bounded else { continue };
        open += 1;
        assert_ne!(comparison.verdict, Verdict::Equivalent, "{seed}");
        if comparison.verdict == Verdict::Different {
            shown += 1;
            let ratio = b / a;
            assert_eq!(comparison.effect_ratio > 1.0, ratio > 1.0, "{seed}: {comparison:?}");
            // The known end of the interval is on the right side of the true ratio, up to 1 %; slow runs do not count.
            let holds = match bounded.effect {
                Some(Bound::AtLeast) => comparison.ci_low_ratio <= ratio * 1.01,
                _ => comparison.ci_high_ratio >= ratio / 1.01,
            };
            let in_runs = comparison.difference_in == [DifferenceIn::Tail];
            assert!(holds || in_runs, "{seed}: {ratio} {comparison:?}");
        } else {
            assert!(comparison.effect_ratio.is_nan() && is_no_bound(comparison.ci_low_ratio), "{seed}");
            assert!(is_no_bound(comparison.ci_high_ratio) && comparison.p_value == 1.0, "{seed}");
        }
        assert!(comparison.mean.is_none() && comparison.quantiles.is_empty(), "{seed}");
    }
    // Enough comparisons had bounds, and enough of these showed a difference.
    assert!(open > 200 && shown > 50, "{open} {shown}");
}

#[test]
fn two_programs_below_the_floor_end_at_once_without_an_answer() {
    let comparison = compared(Metric::PEAK_MEMORY, 1, |command| shown(1e5 * f64::from(command + 1)));
    let bounded = comparison.bounded.unwrap();
    assert_eq!((comparison.verdict, bounded.effect), (Verdict::Inconclusive, None));
    assert!(bounded.a && bounded.b && comparison.pairs < 20, "{comparison:?}");
}

#[test]
fn a_larger_program_beside_one_below_the_floor_is_larger_by_at_least_the_ratio() {
    let comparison =
        compared(Metric::PEAK_MEMORY, 1, |command| shown(if command == 0 { 1e6 } else { 6.8e6 }));
    assert_eq!(comparison.verdict, Verdict::Different);
    assert_eq!(comparison.bounded.unwrap().effect, Some(Bound::AtLeast));
    assert!((comparison.ci_low_ratio - 2.0).abs() < 0.01 && is_no_bound(comparison.ci_high_ratio));
    let swapped = compared(Metric::PEAK_MEMORY, 1, |command| shown(if command == 1 { 1e6 } else { 6.8e6 }));
    assert_eq!((swapped.verdict, swapped.bounded.unwrap().effect), (Verdict::Different, Some(Bound::AtMost)));
    assert!((swapped.ci_high_ratio - 0.5).abs() < 0.01 && is_no_bound(swapped.ci_low_ratio));
}

#[test]
fn a_comparison_of_first_threads_says_that_it_is_one() {
    let comparison = compared(Metric::MIGRATIONS, 1, |_| Readings::from([(Metric::MIGRATIONS, 7)]));
    assert!(comparison.first_thread && comparison.bounded.is_none());
}
