//! Slow runs and the mean in a comparison of stored readings.
//!
//! The runs were not interleaved, so randomisation does not protect these conclusions. An unchanged command may change
//! its level between sessions, so slow runs are counted relative to the median of their session, and the interval of
//! the mean is widened. Consecutive slow runs count once, since one burst of disturbance makes many.

use fauxplat_model::{MeanRatio, Rule, Side, Tail, Verdict};
use fauxplat_stats::describe::{mean, median, standard_deviation};
use fauxplat_stats::distribution::{clopper_pearson_lower, clopper_pearson_upper, hypergeometric_upper};
use fauxplat_stats::mean_ratio::CAP;
use fauxplat_stats::paired::share::threshold_of;
use fauxplat_stats::series::dependence_inflation;

use crate::estimate::plain_z;
use crate::standing::{bounded, verdict};

/// Share of the error level for the test of slow runs, and again for the test of the mean.
const PART: f64 = 0.2;

/// Minimum number of slow runs of both commands together with which a difference is tested.
const SLOW_MIN: usize = 4;

pub(crate) struct Stored {
    pub(crate) tail: Tail,
    pub(crate) tail_verdict: Verdict,
    pub(crate) mean: MeanRatio,
    pub(crate) mean_verdict: Verdict,
}

/// Compares slow runs and means of the readings of two sessions, all above zero. `movement` is the half width, as a log
/// ratio, of the interval that the variation between sessions alone gives; `margin` is also a log ratio. `None` if a
/// median is not above zero or there are no readings.
pub(crate) fn stored(rule: &Rule, readings: [&[f64]; 2], movement: f64, margin: f64) -> Option<Stored> {
    let typical = [median(readings[0])?, median(readings[1])?];
    if !typical.iter().all(|&it| it > 0.0) {
        return None;
    }
    let logs = |side: usize| readings[side].iter().map(move |it| (it / typical[side]).max(1e-9).ln());
    let all: Vec<f64> = logs(0).chain(logs(1)).collect();
    let threshold = threshold_of(&all, 2.0 * margin);
    let slow = [0, 1].map(|side| bursts(logs(side), threshold));
    let runs = readings.map(<[f64]>::len);
    let (tail, tail_verdict) = tail(rule, slow, runs, threshold);
    let (mean, mean_verdict) = mean_ratio(rule, readings, typical, movement, margin)?;
    Some(Stored { tail, tail_verdict, mean, mean_verdict })
}

/// Number of bursts of slow runs: of slow runs that no slow run precedes. `threshold` is the log ratio to the median
/// above which a run is slow.
fn bursts(logs: impl Iterator<Item = f64>, threshold: f64) -> usize {
    let mut was_slow = false;
    logs.filter(|&log| {
        let begins = log > threshold && !was_slow;
        was_slow = log > threshold;
        begins
    })
    .count()
}

fn tail(rule: &Rule, [a, b]: [usize; 2], [runs_a, runs_b]: [usize; 2], threshold: f64) -> (Tail, Verdict) {
    let level = PART * rule.level;
    let confidence = 1.0 - rule.level / 2.0;
    let upper = |slow, runs| clopper_pearson_upper(slow, runs, confidence);
    let lower = |slow, runs| clopper_pearson_lower(slow, runs, confidence);
    let excess = (upper(b, runs_b) - lower(a, runs_a)).max(upper(a, runs_a) - lower(b, runs_b));
    // Fisher's exact test, one-sided in each direction (Fisher 1935).
    let p = |drawn, seen| hypergeometric_upper(runs_a + runs_b, a + b, drawn, seen);
    let is_seen = a + b >= SLOW_MIN;
    let side = match (is_seen && p(runs_b, b) <= level / 2.0, is_seen && p(runs_a, a) <= level / 2.0) {
        (true, _) => Some(Side::B),
        (_, true) => Some(Side::A),
        _ => None,
    };
    let tail = Tail {
        margin: rule.tail_margin,
        threshold_ratio: bounded(threshold).exp(),
        share_b: b as f64 / runs_b as f64,
        share_b_interval: [lower(b, runs_b), upper(b, runs_b)],
        share_a: a as f64 / runs_a as f64,
        share_a_interval: [lower(a, runs_a), upper(a, runs_a)],
        excess_excluded: excess.clamp(0.0, 1.0),
        side,
    };
    let verdict = match side {
        Some(_) => Verdict::Different,
        None if excess < rule.tail_margin => Verdict::Equivalent,
        None => Verdict::Inconclusive,
    };
    (tail, verdict)
}

fn mean_ratio(
    rule: &Rule,
    readings: [&[f64]; 2],
    typical: [f64; 2],
    movement: f64,
    margin: f64,
) -> Option<(MeanRatio, Verdict)> {
    let sides = [0, 1].map(|side| {
        let capped: Vec<f64> =
            readings[side].iter().map(|it| (it / typical[side]).clamp(1.0 / CAP, CAP)).collect();
        let mean = mean(&capped)?;
        let error = standard_deviation(&capped) / (capped.len() as f64).sqrt() / mean;
        Some((mean, error * dependence_inflation(&capped)))
    });
    let [Some((mean_a, error_a)), Some((mean_b, error_b))] = sides else { return None };
    let ratio = (mean_b / mean_a * typical[1] / typical[0]).ln();
    let half = (plain_z(PART * rule.level) * error_a.hypot(error_b)).hypot(movement);
    let (low, high) = (ratio - half, ratio + half);
    let plain = mean(readings[1])? / mean(readings[0])?;
    let verdict = match verdict(low, high, margin, || true) {
        Verdict::Equivalent if plain.ln().abs() > margin => Verdict::Inconclusive,
        other => other,
    };
    let over = |side: usize| readings[side].iter().filter(|&&it| it > CAP * typical[side]).count();
    let shown = MeanRatio {
        ratio: ratio.exp(),
        low_ratio: bounded(low).exp(),
        high_ratio: bounded(high).exp(),
        plain_ratio: Some(plain),
        cap: Some(CAP),
        capped: [over(0), over(1)],
    };
    Some((shown, verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred readings about 100, of which every `every`-th is multiplied by `times`.
    fn readings(every: usize, times: f64) -> Vec<f64> {
        (1..=100).map(|n| (100.0 + 0.1 * (n % 7) as f64) * if n % every == 0 { times } else { 1.0 }).collect()
    }

    fn of(a: &[f64], b: &[f64]) -> Stored {
        stored(&Rule::default(), [a, b], 0.005, 0.01f64.ln_1p()).unwrap()
    }

    #[test]
    fn slow_runs_and_the_mean_are_seen_against_a_baseline() {
        let same = readings(1000, 1.0);
        let slow = of(&same, &readings(10, 10.0));
        assert_eq!((slow.tail_verdict, slow.tail.side), (Verdict::Different, Some(Side::B)));
        assert_eq!(slow.mean_verdict, Verdict::Different);
        assert!(slow.mean.plain_ratio.unwrap() > 1.8 && slow.mean.capped == [0, 10], "{:?}", slow.mean);
        let faster = of(&readings(10, 10.0), &same);
        assert_eq!(faster.tail.side, Some(Side::A));
        let equal = of(&same, &same);
        assert_eq!((equal.tail.side, equal.mean_verdict), (None, Verdict::Equivalent));
        // From a hundred runs it cannot be shown that fewer than 3 % are slow.
        assert_eq!(equal.tail_verdict, Verdict::Inconclusive);
    }

    #[test]
    fn a_burst_counts_once() {
        let mut burst = readings(1000, 1.0);
        burst[40..60].iter_mut().for_each(|it| *it *= 3.0);
        assert_eq!(of(&readings(1000, 1.0), &burst).tail.side, None);
        assert!(stored(&Rule::default(), [&[], &[]], 0.0, 0.01).is_none());
    }
}
