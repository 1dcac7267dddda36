//! Levels of a series of sessions: where the level changes, with what certainty, and whether the newest value differs.
//!
//! A series has one value for each session in chronological order, in one unit, usually a logarithm of a typical
//! reading. The noise between sessions is estimated from the series itself: from the distances of neighbours, and from
//! the means of stretches, which scatter more than those of independent values, since sessions of one day resemble each
//! other. Stretches of many lengths are tested, because a test of the whole series misses a level that rises and falls
//! again (seeded binary segmentation, Kovács, Bühlmann, Li and Munk 2023). Each stretch is tested by ranks against
//! random orders and by size, and the error level is divided among all of them.

use crate::changepoint::{Change, Scanner};
use crate::describe::{MAD_TO_SD, mean, median, median_in_place, variance};
use crate::distribution::t_upper_quantile;
use crate::running::medians_around;
use crate::series::autocorrelation_inflation;
use crate::steps::{MIN_SEGMENT, by_size_inflated, loss, spread};

/// Minimum number of values from which the dependence of neighbours is estimated.
const DEPENDENCE_FROM: usize = 24;

/// Number of values on either side that determine the usual range around a value.
const REACH: usize = 7;

/// Values further than this many standard deviations from the median of their neighbours are clamped before the scatter
/// of the means of stretches is estimated.
const FENCE: f64 = 2.5;

/// Distances, in places of the series, of the values from whose differences the spread is estimated, because neighbours
/// may resemble each other.
const APART: std::ops::RangeInclusive<usize> = 5..=12;

/// Minimum number of stretches of one length that a series has room for, if their means are to be compared.
const STRETCHES: usize = 10;

/// Maximum length of stretches whose means are compared: half of a month of days.
const LONGEST: usize = 15;

/// A spread that was estimated from few means is divided by one plus this share of its relative uncertainty, √(2 /
/// number of means).
const DOUBT: f64 = 0.5;

/// Number of values for each change that is removed from a series before its dependence is estimated. Load that comes
/// and goes changes the level more often, and is not removed.
const PER_CHANGE: usize = 50;

/// Minimum length of a part of a series that is tested for a change: room for the two sides that a test by ranks
/// compares.
const SHORTEST: usize = 12;

/// Maximum length of a stretch that is also tested by size. Longer stretches have so many orders of ranks that the test
/// by ranks suffices.
const BY_SIZE_MAX: usize = 64;

/// Share of the error level that is spent on the test of the series as a whole; the tests of shorter stretches share
/// the rest.
const OF_WHOLE: f64 = 0.5;

/// Maximum p-value of the changes that are removed from a series before its noise is estimated.
const LENIENT: f64 = 0.01;

/// Minimum number of values on one side of a change that are represented by their median. On a shorter side, each value
/// has to lie apart from the other side's median.
const FEW: usize = 5;

/// Minimum distance of each value of a short side from the other side's median, as a share of the distance of both
/// medians.
const PART: f64 = 0.5;

/// Width of the 95 % interval of a change's place, times the squared ratio of noise to change (Bai 1997, "Estimation of
/// a change point in multiple regression models", table 1).
const PLACE_95: f64 = 11.03;

/// Scatter of the values of a series about their level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Standard deviation of a value about its level, in the unit of the values.
    pub sd: f64,
    /// Factor by which the standard error of a mean exceeds that of independent values; at least 1.
    pub inflation: f64,
}

impl Noise {
    /// The noise of a series of one level, estimated so that outliers hardly matter. `None` for fewer than two values.
    /// [`Searcher::noise`] is for series whose level may change.
    pub fn of(series: &[f64]) -> Option<Self> {
        let neighbours = spread(series)?;
        if series.len() < DEPENDENCE_FROM {
            return Some(Noise { sd: neighbours, inflation: 1.0 });
        }
        let calm = without_spikes(series);
        let apart: Vec<f64> = APART.filter_map(|distance| spread_apart(&calm, distance)).collect();
        let sd = median(&apart).unwrap_or(neighbours);
        let mut inflation = of_neighbours(&calm, sd).max(1.0);
        let mut length = 2;
        while sd > 0.0 && length <= LONGEST && length * STRETCHES <= series.len() {
            let of_means = spread_of_means(&calm, length).unwrap_or(0.0);
            // The spread of few means is uncertain, and the largest of several would be chosen, hence the correction.
            let doubt = 1.0 + DOUBT * (2.0 * length as f64 / series.len() as f64).sqrt();
            inflation = inflation.max((length as f64).sqrt() * of_means / (sd * doubt));
            length += (length / 2).max(1);
        }
        Some(Noise { sd: sd.max(neighbours), inflation })
    }
}

/// [`Noise::inflation`] of a first-order autoregressive series of standard deviation `sd` whose neighbours are as
/// similar as those of `series`.
fn of_neighbours(series: &[f64], sd: f64) -> f64 {
    let apart = spread_apart(series, 1).unwrap_or(sd);
    autocorrelation_inflation(if sd > 0.0 { 1.0 - (apart / sd).powi(2) } else { 0.0 })
}

/// The series with outliers clamped to the usual range of their surroundings.
fn without_spikes(series: &[f64]) -> Vec<f64> {
    let around = medians_around(series, REACH);
    let mut distances: Vec<f64> =
        series.iter().zip(&around).map(|(value, middle)| (value - middle).abs()).collect();
    let reach = FENCE * MAD_TO_SD * median_in_place(&mut distances).unwrap_or(0.0);
    let drawn = |(value, middle): (&f64, f64)| middle + (value - middle).clamp(-reach, reach);
    series.iter().zip(around).map(drawn).collect()
}

/// Standard deviation of a series, estimated from the differences of values that are `distance` places apart; `None` if
/// there are no such values.
fn spread_apart(series: &[f64], distance: usize) -> Option<f64> {
    let mut steps: Vec<f64> =
        series.iter().zip(series.get(distance..)?).map(|(a, b)| (b - a).abs()).collect();
    Some(MAD_TO_SD * median_in_place(&mut steps)? / std::f64::consts::SQRT_2)
}

/// Standard deviation of the mean of a stretch of `length` values, estimated from the differences of neighbouring
/// stretches.
fn spread_of_means(series: &[f64], length: usize) -> Option<f64> {
    let mut sums = Vec::with_capacity(series.len() + 1);
    sums.push(0.0);
    series.iter().fold(0.0, |sum, value| {
        sums.push(sum + value);
        sum + value
    });
    let distance = |at: usize| {
        let (before, after) = (sums[at + length] - sums[at], sums[at + 2 * length] - sums[at + length]);
        (after - before).abs() / length as f64
    };
    let last = series.len().checked_sub(2 * length)?;
    let mut distances: Vec<f64> = (0..=last).map(distance).collect();
    Some(MAD_TO_SD * median_in_place(&mut distances)? / std::f64::consts::SQRT_2)
}

/// A change of level, with intervals of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Index of the first value of the new level.
    pub at: usize,
    /// The earliest index that the first value of the new level may have.
    pub at_low: usize,
    /// The latest index that the first value of the new level may have.
    pub at_high: usize,
    /// The new level minus the previous one, in the unit of the values.
    pub shift: f64,
    /// Lower end of the interval of `shift`.
    pub low: f64,
    /// Upper end of the interval of `shift`.
    pub high: f64,
    /// Probability that a series of one level has a change as clear as this one anywhere, corrected for all stretches
    /// that were tested.
    pub p_value: f64,
}

/// Searches series for changes of level. One searcher for many series reuses its null distributions.
#[derive(Clone, Debug)]
pub struct Searcher {
    scanner: Scanner,
}

impl Searcher {
    /// A searcher with a seed for the random orders.
    pub fn new(seed: u64) -> Self {
        Searcher { scanner: Scanner::new(MIN_SEGMENT + 1, seed) }
    }

    /// All changes of level, in ascending order, that chance would produce somewhere in a series of one level with a
    /// probability of at most `alpha`. Empty for fewer than six values.
    pub fn steps(&mut self, series: &[f64], alpha: f64) -> Vec<Step> {
        let Some(noise) = self.noise(series) else { return Vec::new() };
        let mut found: Vec<Change> = Vec::new();
        let mut stretches = vec![(0, series.len())];
        while let Some((from, to)) = stretches.pop() {
            let strongest = self.strongest(&series[from..to], noise.inflation);
            let Some(change) = strongest.filter(|change| change.p_value <= alpha) else { continue };
            let at = from + change.at;
            found.push(Change { at, ..change });
            stretches.extend([(from, at), (at, to)]);
        }
        found.sort_by_key(|change| change.at);
        self.settle(series, noise, alpha, &mut found);
        (0..found.len()).map(|number| step(series, noise, &found, number)).collect()
    }

    /// The noise of a series whose level may change occasionally: the largest changes that stand out from independent
    /// noise are removed first. `None` for fewer than two values.
    pub fn noise(&mut self, series: &[f64]) -> Option<Noise> {
        let mut open: Vec<(Change, usize, usize)> = Vec::new();
        let mut look = |from: usize, to: usize, open: &mut Vec<(Change, usize, usize)>| {
            let found = self.strongest(&series[from..to], 1.0).filter(|change| change.p_value <= LENIENT);
            open.extend(found.map(|change| (Change { at: from + change.at, ..change }, from, to)));
        };
        look(0, series.len(), &mut open);
        let mut places = vec![0, series.len()];
        for _ in 0..series.len() / PER_CHANGE {
            let strongest = (0..open.len()).min_by(|&a, &b| open[a].0.p_value.total_cmp(&open[b].0.p_value));
            let Some(number) = strongest else { break };
            let (change, from, to) = open.swap_remove(number);
            places.push(change.at);
            look(from, change.at, &mut open);
            look(change.at, to, &mut open);
        }
        places.sort_unstable();
        let level = |ends: &[usize]| {
            let stretch = &series[ends[0]..ends[1]];
            let middle = median(stretch).unwrap_or(0.0);
            stretch.iter().map(move |value| value - middle).collect::<Vec<f64>>()
        };
        Noise::of(&places.windows(2).flat_map(level).collect::<Vec<f64>>())
    }

    /// Searches again for each change between its neighbouring changes, so that no other change displaces it, and drops
    /// changes that are not significant there.
    fn settle(&mut self, series: &[f64], noise: Noise, alpha: f64, found: &mut Vec<Change>) {
        let mut number = 0;
        while number < found.len() {
            let (from, to) = between(series.len(), found, number);
            let (near, at) = (BY_SIZE_MAX / 2, found[number].at);
            // A change that lasts for only a few values shows just in its surroundings, where size counts, too.
            let places = [(from, to), (from.max(at.saturating_sub(near)), to.min(at + near))];
            let again = places.map(|(from, to)| {
                let found = self.tested(&series[from..to], noise.inflation)?;
                Some(Change { at: from + found.at, ..found })
            });
            let again = again.into_iter().flatten().min_by(|a, b| a.p_value.total_cmp(&b.p_value));
            match again {
                Some(again) if again.p_value <= alpha => {
                    found[number].at = again.at;
                    number += 1;
                }
                _ => {
                    found.remove(number);
                    number = number.saturating_sub(1);
                }
            }
        }
    }

    /// The strongest change within a stretch, by any of its parts; its p-value is corrected for all parts.
    fn strongest(&mut self, series: &[f64], inflation: f64) -> Option<Change> {
        let n = series.len();
        let layers = layers(n);
        let of_whole = if layers.is_empty() { 1.0 } else { OF_WHOLE };
        let whole = self.tested(series, inflation).map(|it| Change { p_value: it.p_value / of_whole, ..it });
        let mut best = whole;
        let share = (1.0 - of_whole) / layers.len().max(1) as f64;
        for length in layers {
            let starts = starts(n, length);
            for &from in &starts {
                let Some(found) = self.tested(&series[from..from + length], inflation) else { continue };
                let p_value = found.p_value * starts.len() as f64 / share;
                if best.is_none_or(|best| p_value < best.p_value) {
                    best = Some(Change { at: from + found.at, p_value });
                }
            }
        }
        best.map(|best| Change { p_value: best.p_value.min(1.0), ..best })
    }

    /// Tests a stretch by ranks and, if it is short, by size. The smaller p-value is doubled for the two tests.
    fn tested(&mut self, series: &[f64], inflation: f64) -> Option<Change> {
        let by_ranks = self.scanner.strongest_inflated(series, inflation);
        if series.len() > BY_SIZE_MAX {
            return by_ranks;
        }
        let by_size = by_size_inflated(series, inflation).filter(|change| lie_apart(series, change.at));
        let both = [by_ranks, by_size];
        let best = both.into_iter().flatten().min_by(|a, b| a.p_value.total_cmp(&b.p_value))?;
        Some(Change { p_value: (2.0 * best.p_value).min(1.0), ..best })
    }
}

/// Whether all values of a short side lie apart from the middle of the other one: two outliers among three values
/// determine a median, but are no level.
fn lie_apart(series: &[f64], at: usize) -> bool {
    let (before, after) = series.split_at(at);
    let (few, many) = if before.len() < after.len() { (before, after) } else { (after, before) };
    let (Some(level), Some(other)) = (median(few), median(many)) else { return false };
    few.len() >= FEW || few.iter().all(|value| (value - other) / (level - other) >= PART)
}

/// Lengths of the parts of a stretch that are tested separately, the longest first, each half of the previous one.
fn layers(n: usize) -> Vec<usize> {
    let halves = std::iter::successors(Some(n.div_ceil(2)), |&length| {
        Some(length.div_ceil(2)).filter(|&it| it < length)
    });
    halves.take_while(|&length| length >= SHORTEST).collect()
}

/// Start indices of the parts of one length, each overlapping the next by half; the last part ends with the stretch.
fn starts(n: usize, length: usize) -> Vec<usize> {
    let last = n - length;
    let mut starts: Vec<usize> = (0..last).step_by((length / 2).max(1)).collect();
    starts.push(last);
    starts
}

/// Index bounds of the stretch between the changes before and after the change with this number.
fn between(n: usize, found: &[Change], number: usize) -> (usize, usize) {
    let from = number.checked_sub(1).map_or(0, |before| found[before].at);
    (from, found.get(number + 1).map_or(n, |next| next.at))
}

fn step(series: &[f64], noise: Noise, found: &[Change], number: usize) -> Step {
    let Change { at, p_value } = found[number];
    let (from, to) = between(series.len(), found, number);
    let (before, after) = (&series[from..at], &series[at..to]);
    let shift = median(after).unwrap_or(0.0) - median(before).unwrap_or(0.0);
    let df = (to - from) as f64 - 2.0;
    let squares =
        variance(before) * (before.len() as f64 - 1.0) + variance(after) * (after.len() as f64 - 1.0);
    let spread = (squares / df.max(1.0)).sqrt().max(noise.sd);
    let error = spread * noise.inflation * loss(before.len(), after.len());
    let reach = t_upper_quantile(0.025, df.max(1.0)) * error;
    let ratio = noise.sd * noise.inflation / shift.abs().max(f64::MIN_POSITIVE);
    let aside =
        (PLACE_95 * ratio * ratio).min(series.len() as f64).floor() as usize + usize::from(ratio > 0.25);
    Step {
        at,
        at_low: at.saturating_sub(aside).max(from + 1),
        at_high: (at + aside).min(to - 1),
        shift,
        low: shift - reach,
        high: shift + reach,
        p_value,
    }
}

/// The newest value relative to the level of the values before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newest {
    /// The newest value minus the previous level, in the unit of the values.
    pub shift: f64,
    /// Lower end of the interval of `shift` at the given level.
    pub low: f64,
    /// Upper end of the interval of `shift` at the given level.
    pub high: f64,
}

/// Compares the newest value with the level of `past`. The interval misses the change of level with a probability of at
/// most `level` if values scatter normally about their level. The spread is the larger one of the standard deviation of
/// the past and of the estimate from neighbours, so outliers of the past count. `None` for fewer than three past
/// values.
pub fn newest(past: &[f64], newest: f64, level: f64) -> Option<Newest> {
    let n = past.len();
    let noise = Noise::of(past).filter(|_| n >= MIN_SEGMENT)?;
    let (centre, sd) = (mean(past)?, variance(past).sqrt().max(noise.sd));
    let error = sd * (1.0 + noise.inflation.powi(2) / n as f64).sqrt();
    let reach = t_upper_quantile(level / 2.0, n as f64 - 1.0) * error;
    let shift = newest - centre;
    Some(Newest { shift, low: shift - reach, high: shift + reach })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    fn noise(n: usize, rho: f64, draw: &mut Draw) -> Vec<f64> {
        let mut state = draw.normal();
        let next = |_| {
            state = rho * state + (1.0 - rho * rho).sqrt() * draw.normal();
            0.02 * state
        };
        (0..n).map(next).collect()
    }

    fn with_levels(mut values: Vec<f64>, levels: &[(usize, f64)]) -> Vec<f64> {
        for &(from, shift) in levels {
            values[from..].iter_mut().for_each(|value| *value += shift);
        }
        values
    }

    #[test]
    fn noise_is_told_from_the_series_itself() {
        let mut draw = Draw::new(21, 0);
        let independent = Noise::of(&noise(2000, 0.0, &mut draw)).unwrap();
        assert!((0.018..0.022).contains(&independent.sd) && independent.inflation < 1.3, "{independent:?}");
        let alike = Noise::of(&noise(2000, 0.5, &mut draw)).unwrap();
        assert!((0.018..0.022).contains(&alike.sd) && (1.4..2.1).contains(&alike.inflation), "{alike:?}");
        let stepped = with_levels(noise(2000, 0.0, &mut draw), &[(700, 0.3), (1500, -0.2)]);
        let stepped = Searcher::new(1).noise(&stepped).unwrap();
        assert!((0.018..0.023).contains(&stepped.sd) && stepped.inflation < 1.4, "{stepped:?}");
        assert_eq!(Noise::of(&[1.0]), None);
    }

    #[test]
    fn a_level_that_rises_and_falls_again_is_two_changes() {
        let (mut searcher, mut draw) = (Searcher::new(1), Draw::new(22, 0));
        let series = with_levels(noise(200, 0.0, &mut draw), &[(90, 0.08), (110, -0.08)]);
        let steps = searcher.steps(&series, 0.01);
        let places: Vec<usize> = steps.iter().map(|step| step.at).collect();
        assert!(
            matches!(places.as_slice(), [a, b] if a.abs_diff(90) <= 1 && b.abs_diff(110) <= 1),
            "{steps:?}"
        );
        assert!(steps[0].low < 0.08 && 0.08 < steps[0].high && steps[1].shift < 0.0, "{steps:?}");
    }

    #[test]
    fn three_times_slower_in_three_of_twelve_is_found() {
        let (mut searcher, mut draw) = (Searcher::new(1), Draw::new(23, 0));
        for n in [12, 30, 200] {
            let series = with_levels(noise(n, 0.0, &mut draw), &[(n - 3, 3f64.ln())]);
            let steps = searcher.steps(&series, 0.01);
            assert!(matches!(steps.as_slice(), [only] if only.at == n - 3), "{n}: {steps:?}");
            assert_eq!((steps[0].at_low, steps[0].at_high), (n - 3, n - 3));
        }
    }

    #[test]
    fn intervals_of_places_hold_the_place() {
        let (mut searcher, mut draw) = (Searcher::new(1), Draw::new(24, 0));
        let mut held = 0;
        for _ in 0..200 {
            let steps = searcher.steps(&with_levels(noise(100, 0.0, &mut draw), &[(60, 0.03)]), 0.01);
            held += usize::from(steps.iter().any(|it| it.at_low <= 60 && 60 <= it.at_high));
        }
        assert!(held >= 180, "{held}");
    }

    #[test]
    fn series_without_a_change_have_none() {
        let (mut searcher, mut draw) = (Searcher::new(1), Draw::new(25, 0));
        for rho in [0.0, 0.5] {
            let told =
                (0..300).filter(|_| !searcher.steps(&noise(100, rho, &mut draw), 0.01).is_empty()).count();
            assert!(told <= 8, "{rho}: {told}");
        }
        for series in [&[][..], &[1.0], &[1.0; 5], &[1.0; 300]] {
            assert_eq!(searcher.steps(series, 0.01), []);
        }
    }

    #[test]
    fn the_newest_value_is_held_against_its_past() {
        let mut draw = Draw::new(26, 0);
        let (mut missed, mut found) = (0, 0);
        for _ in 0..2000 {
            let past = noise(20, 0.0, &mut draw);
            let next = 0.02 * draw.normal();
            let told = newest(&past, next, 0.05).unwrap();
            missed += usize::from(told.low > 0.0 || told.high < 0.0);
            found += usize::from(newest(&past, next + 0.1, 0.05).unwrap().low > 0.0);
        }
        assert!(missed <= 130 && found >= 1900, "{missed} {found}");
        assert_eq!(newest(&[1.0, 2.0], 1.0, 0.05), None);
    }
}
