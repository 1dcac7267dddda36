//! Changes of level in a series by their size, in addition to those by rank. In a series of twelve visits no order of
//! ranks is rare enough to stand out among a thousand machines, but a machine that became three times slower should.
//!
//! Series are in one unit, usually logarithms, in chronological order. [`crate::levels`] uses these tests to search
//! long series whose neighbours may resemble each other.

use crate::changepoint::{Change, Scanner};
use crate::describe::{MAD_TO_SD, median_in_place};
use crate::distribution::{t_two_sided_p, t_upper_quantile};
use crate::running::running_medians;

/// Minimum number of values on either side of a change.
pub const MIN_SEGMENT: usize = 3;

/// Variance of a median over that of a mean, for many normal values; smaller for few values.
const OF_MEDIAN: f64 = std::f64::consts::FRAC_PI_2;

/// Minimum spread of logarithms, a hundredth of a per cent; a smaller estimate is replaced by this value.
const LEAST_SPREAD: f64 = 1e-4;

/// Standard errors by which the mean of a normal statistic has to exceed a bound, so that the statistic exceeds the
/// bound in 8 of 10 cases.
const POWER_Z: f64 = 0.841_62;

/// Changes of a series with a p-value of at most `alpha` within the stretch in which they are found, in ascending
/// order. Each stretch is scanned by ranks and by size, and the smaller p-value is doubled.
pub fn changes(series: &[f64], scanner: &mut Scanner, alpha: f64) -> Vec<Change> {
    let mut found = Vec::new();
    let mut stretches = vec![(0, series.len())];
    while let Some((from, to)) = stretches.pop() {
        let Some(change) = strongest(&series[from..to], scanner).filter(|change| change.p_value <= alpha)
        else {
            continue;
        };
        let at = from + change.at;
        found.push(Change { at, ..change });
        stretches.extend([(from, at), (at, to)]);
    }
    found.sort_by_key(|change| change.at);
    found
}

fn strongest(series: &[f64], scanner: &mut Scanner) -> Option<Change> {
    let found = [scanner.strongest(series), by_size(series)];
    let best = found.into_iter().flatten().min_by(|a, b| a.p_value.total_cmp(&b.p_value))?;
    Some(Change { p_value: (2.0 * best.p_value).min(1.0), ..best })
}

/// The place where the medians of both sides differ most in units of the standard error, with the probability of such a
/// difference anywhere in a series of normal values (Student's t, Bonferroni over the places). Medians are used because
/// one outlier among three values is no change of level, and plain variances within the sides because outliers have to
/// reduce the certainty. `None` for fewer than twice [`MIN_SEGMENT`] values.
pub fn by_size(series: &[f64]) -> Option<Change> {
    by_size_inflated(series, 1.0)
}

/// As [`by_size`], for a series in which the standard error of a mean is `inflation` times that of independent values.
pub fn by_size_inflated(series: &[f64], inflation: f64) -> Option<Change> {
    let n = series.len();
    let places = (n + 1).checked_sub(2 * MIN_SEGMENT).filter(|&places| places > 0)?;
    let backwards: Vec<f64> = series.iter().rev().copied().collect();
    let (before, after) = (Sides::of(series), Sides::of(&backwards));
    let df = n as f64 - 2.0;
    let of = |at: usize| {
        let distance = (after.medians[n - at - 1] - before.medians[at - 1]).abs();
        let squares = before.squares[at - 1] + after.squares[n - at - 1];
        let spread = (squares / df).sqrt().max(LEAST_SPREAD);
        (at, distance / (spread * loss(at, n - at) * inflation))
    };
    let (at, t) = (MIN_SEGMENT..=n - MIN_SEGMENT).map(of).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let p = places as f64 * t_two_sided_p(t, df);
    Some(Change { at, p_value: p.clamp(1e-300, 1.0) })
}

/// Median and squared distances from the mean, for every prefix of a series.
struct Sides {
    medians: Vec<f64>,
    squares: Vec<f64>,
}

impl Sides {
    fn of(series: &[f64]) -> Self {
        let (mut mean, mut sum) = (0.0, 0.0);
        // The updates of Welford (1962) lose no digits for values that are large and close together.
        let squares = series.iter().enumerate().map(|(before, value)| {
            let distance = value - mean;
            mean += distance / (before + 1) as f64;
            sum += distance * (value - mean);
            sum
        });
        Sides { squares: squares.collect(), medians: running_medians(series) }
    }
}

/// Standard error of a difference of medians of `before` and `after` independent values, over the spread of the values.
pub fn loss(before: usize, after: usize) -> f64 {
    (OF_MEDIAN * (1.0 / before as f64 + 1.0 / after as f64)).sqrt()
}

/// Standard deviation of a series from the distances of neighbours, which a change of level hardly affects. `None` for
/// fewer than two values.
pub fn spread(series: &[f64]) -> Option<f64> {
    let mut steps: Vec<f64> = series.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    Some(MAD_TO_SD * median_in_place(&mut steps)? / std::f64::consts::SQRT_2)
}

/// The smallest change that is found in 8 of 10 series whose last `after` of `visits` values have it, if `series`
/// series are tested together. `spread` and the change are in the unit of the values.
pub fn smallest(spread: f64, visits: usize, after: usize, series: usize, alpha: f64) -> Option<f64> {
    let places = (visits + 1).checked_sub(2 * MIN_SEGMENT).filter(|&places| places > 0)?;
    let tests = 2.0 * (places * series.max(1)) as f64;
    let t = t_upper_quantile(0.5 * alpha / tests, visits as f64 - 2.0);
    Some((t + POWER_Z) * spread * loss(visits - after, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    fn series(n: usize, at: usize, step: f64, draw: &mut Draw) -> Vec<f64> {
        (0..n).map(|place| 0.02 * draw.normal() + if place >= at { step } else { 0.0 }).collect()
    }

    #[test]
    fn three_times_slower_in_three_of_twelve_visits_is_beyond_chance_among_thousands() {
        let (mut scanner, mut draw) = (Scanner::new(4, 1), Draw::new(1, 0));
        for _ in 0..50 {
            let found = changes(&series(12, 9, 3f64.ln(), &mut draw), &mut scanner, 0.01);
            assert!(found.iter().any(|it| it.at == 9 && it.p_value < 1e-8), "{found:?}");
        }
    }

    #[test]
    fn one_bad_visit_is_no_change() {
        let (mut scanner, mut draw) = (Scanner::new(4, 1), Draw::new(2, 0));
        let spiked = |draw: &mut Draw| {
            let mut values = series(12, 12, 0.0, draw);
            values[11] += 1.0;
            values
        };
        let told = (0..200).filter(|_| !changes(&spiked(&mut draw), &mut scanner, 0.01).is_empty()).count();
        assert!(told <= 6, "{told}");
    }

    #[test]
    fn chance_is_called_a_change_as_rarely_as_asked() {
        let (mut scanner, mut draw) = (Scanner::new(4, 1), Draw::new(3, 0));
        for n in [6, 12, 40] {
            let told =
                (0..500).filter(|_| !changes(&series(n, n, 0.0, &mut draw), &mut scanner, 0.01).is_empty());
            // 1 % of 500 is 5; three standard deviations are 7.
            let told = told.count();
            assert!(told <= 12, "{n}: {told}");
        }
    }

    #[test]
    fn the_smallest_change_that_is_promised_is_found_in_most_machines() {
        let (mut scanner, mut draw) = (Scanner::new(4, 1), Draw::new(4, 0));
        let step = smallest(0.02, 20, 5, 1, 0.01).unwrap();
        let found = (0..200)
            .filter(|_| !changes(&series(20, 15, step, &mut draw), &mut scanner, 0.01).is_empty())
            .count();
        assert!(found >= 140, "{found}");
    }

    /// Medians and squares are updated along the scan, and must equal those computed from each prefix.
    #[test]
    fn sides_are_those_of_their_values() {
        let mut draw = Draw::new(5, 0);
        let values = series(41, 20, 1.0, &mut draw);
        let sides = Sides::of(&values);
        for at in 1..=values.len() {
            let side = &values[..at];
            let centre = side.iter().sum::<f64>() / at as f64;
            let squares: f64 = side.iter().map(|value| (value - centre).powi(2)).sum();
            assert_eq!(Some(sides.medians[at - 1]), crate::describe::median(side));
            assert!((sides.squares[at - 1] - squares).abs() < 1e-12);
        }
    }
}
