//! A test that is valid for any number of looks: the sign-symmetric mixture e-process.

use statrs::function::gamma::ln_gamma;

use crate::describe::{MAD_TO_SD, median, median_in_place};

/// Evidence against symmetry, updated with each difference. Needs 16 bytes per difference.
///
/// If each difference d is as likely as its negative given all earlier ones, exp(λS − λ²V/2) with S = Σd and V = Σd² is
/// a non-negative supermartingale for every λ (de la Peña 1999, "A General Class of Exponential Inequalities for
/// Martingales and Ratios"). Mixing over λ ~ N(0, r²) gives E = (1 + r²V)^−½ exp(r²S² / (2(1 + r²V))), which exceeds
/// 1/level with probability at most the level, over all time (Ville's inequality). A mean of such E over several r is
/// again one: with a single r the evidence against zero would grow slowly for differences far above 1/r.
///
/// Outliers are clamped by a fence that is set *before* each difference is seen. An odd function of d that depends only
/// on the past leaves d as likely as its negative, so the guarantee holds, and one outlier does not dominate V
/// permanently.
#[derive(Clone, Debug, PartialEq)]
pub struct EProcess {
    /// Each difference with its fence, the distance from a centre of symmetry at which it is clamped.
    seen: Vec<(f64, f64)>,
    scale: f64,
}

/// Sizes of difference to which the process is sensitive, in units of its `scale`.
const SIZES: [f64; 3] = [1.0, 8.0, 64.0];

/// The fence, in units of the `scale` of the e-process, while there are too few differences to set it.
const FIRST_FENCE: f64 = 5.0;

/// Minimum number of earlier differences that set a fence.
const PAST_MIN: usize = 4;

impl EProcess {
    /// An empty process. `scale` is the smallest size of difference to which it is most sensitive, in the unit of the
    /// differences.
    pub fn new(scale: f64) -> Self {
        EProcess { seen: Vec::new(), scale: scale.max(1e-9) }
    }

    /// Adds a difference.
    pub fn push(&mut self, d: f64) {
        self.seen.push((d, self.fence()));
    }

    /// The fence of the next difference, the distance from a centre of symmetry at which it is clamped: the distance of
    /// the median of the past differences from zero, plus twice their spread.
    fn fence(&self) -> f64 {
        let first = FIRST_FENCE * self.scale;
        if self.seen.len() < PAST_MIN {
            return first;
        }
        let past: Vec<f64> = self.seen.iter().map(|&(d, _)| d).collect();
        let centre = median(&past).unwrap_or(0.0);
        let mut distances: Vec<f64> = past.iter().map(|d| (d - centre).abs()).collect();
        let spread = median_in_place(&mut distances).unwrap_or(0.0);
        if spread > 0.0 { centre.abs() + 2.0 * MAD_TO_SD * spread } else { centre.abs().max(first) }
    }

    /// Natural logarithm of the evidence against symmetry about `theta`.
    ///
    /// Far from zero the mixture is tuned to differences of the size of `theta` itself. Any choice that does not depend
    /// on the data is valid for each `theta`; with this one, distant values can still be excluded.
    pub fn ln_e(&self, theta: f64) -> f64 {
        let (mut sum, mut squares) = (0.0, 0.0);
        for &(d, fence) in &self.seen {
            let pulled = (d - theta).clamp(-fence, fence);
            sum += pulled;
            squares += pulled * pulled;
        }
        let of_size = |size: f64| {
            let r2 = (size * self.scale.max(theta.abs())).powi(-2);
            r2 * sum * sum / (2.0 * (1.0 + r2 * squares)) - 0.5 * (r2 * squares).ln_1p()
        };
        let all = SIZES.map(of_size);
        let most = all.into_iter().fold(f64::NEG_INFINITY, f64::max);
        most + (all.into_iter().map(|ln_e| (ln_e - most).exp()).sum::<f64>() / all.len() as f64).ln()
    }

    /// The p-value that is valid at every moment: 1/E against zero, at most one.
    pub fn p_value(&self) -> f64 {
        (-self.ln_e(0.0)).exp().min(1.0)
    }

    /// The confidence sequence at `level`: the hull of all values of theta whose evidence is below 1/level. It covers
    /// the centre of symmetry at all times at once. The ends are infinite while nothing is excluded.
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let values: Vec<f64> = self.seen.iter().map(|&(d, _)| d).collect();
        match median(&values) {
            Some(centre) => (self.end(centre, -1.0, level), self.end(centre, 1.0, level)),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// The end of the hull in one direction. Differences around two modes can exclude their median and not points
    /// further out, so the search begins at the outermost theta among the differences that is not excluded. Beyond all
    /// differences the evidence decreases again, so the first excluded theta is the end.
    fn end(&self, centre: f64, direction: f64, level: f64) -> f64 {
        let excluded = |distance: f64| self.ln_e(centre + direction * distance) >= -level.ln();
        let reach = self.seen.iter().map(|&(d, _)| direction * (d - centre)).fold(0.0, f64::max);
        let first = self.scale * 1e-3;
        // Steps of a third, up to 10⁷ times the scale; excluding anything beyond has no use.
        let steps: Vec<f64> =
            std::iter::successors(Some(first), |distance| Some(distance * 4.0 / 3.0)).take(STEPS).collect();
        let among = steps.iter().take_while(|&&distance| distance <= reach).count();
        let begin =
            steps[..among].iter().rposition(|&distance| !excluded(distance)).map_or(0, |last| last + 1);
        let Some(end) = (begin..steps.len()).find(|&step| excluded(steps[step])) else {
            return direction * f64::INFINITY;
        };
        let (mut inside, mut outside) = (if end == 0 { 0.0 } else { steps[end - 1] }, steps[end]);
        for _ in 0..30 {
            let middle = 0.5 * (inside + outside);
            if excluded(middle) { outside = middle } else { inside = middle }
        }
        centre + direction * outside
    }

    /// The confidence sequence of the median at `level` (low end, high end), which is valid for any shape of the
    /// differences, and its p-value against a median of zero.
    ///
    /// Of n differences, each lies below the median with probability one half. With a uniform prior of that probability
    /// the evidence for k below is 2ⁿ·B(k + 1, n − k + 1) (Ville 1939), so each end is one of the differences.
    pub fn median_interval(&self, level: f64) -> (f64, f64, f64) {
        let mut rising: Vec<f64> = self.seen.iter().map(|&(d, _)| d).collect();
        rising.sort_by(f64::total_cmp);
        let n = rising.len();
        let ln_e = |k: usize| {
            let gamma = |m: usize| ln_gamma(m as f64);
            gamma(k + 1) + gamma(n - k + 1) - gamma(n + 2) + n as f64 * std::f64::consts::LN_2
        };
        let least = (0..=n / 2).find(|&k| ln_e(k) < -level.ln());
        let (below, above) =
            (rising.partition_point(|&d| d < 0.0), n - rising.partition_point(|&d| d <= 0.0));
        let p = (-ln_e(below.min(above).min(n / 2))).exp().min(1.0);
        match least {
            Some(k) if k > 0 => (rising[k - 1], rising[n - k], p),
            _ => (f64::NEG_INFINITY, f64::INFINITY, p),
        }
    }
}

/// Maximum number of steps in the search for an end.
const STEPS: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_by_the_formula() {
        let mut process = EProcess::new(0.5);
        // All differences are within the first fence of 2.5.
        [1.0, 2.0, -0.5].into_iter().for_each(|d| process.push(d));
        // S = 2.5, V = 5.25, r² = 4: ln E = 4·6.25 / (2·22) − ½ ln 22; then r² = 1/16 and 1/1024.
        let e = |r2: f64| (r2 * 6.25 / (2.0 * (1.0 + r2 * 5.25))).exp() / (1.0 + r2 * 5.25).sqrt();
        assert!((e(4.0).ln() - (25.0 / 44.0 - 0.5 * 22f64.ln())).abs() < 1e-12);
        let mean = (e(4.0) + e(1.0 / 16.0) + e(1.0 / 1024.0)) / 3.0;
        assert!((process.ln_e(0.0) - mean.ln()).abs() < 1e-12);
        assert_eq!(process.p_value(), 1.0);
    }

    #[test]
    fn the_interval_is_where_the_evidence_is_small() {
        let mut process = EProcess::new(0.01);
        for index in 0..40 {
            process.push(0.03 + 0.002 * f64::from(index % 5 - 2));
        }
        let (low, high) = process.interval(0.01);
        assert!(low < 0.03 && 0.03 < high && low > 0.02 && high < 0.04, "{low} {high}");
        assert!((process.ln_e(low) - 100f64.ln()).abs() < 1e-4);
        assert!(process.p_value() < 0.01);
    }

    /// A difference hundreds of times the scale, such as +27 % beside a margin of 0.1 %, is as certain as it looks.
    #[test]
    fn differences_of_any_size_are_found() {
        for scale in [1e-4, 1e-3, 0.01] {
            for effect in [0.03, 0.1, 0.24, 0.7] {
                let mut process = EProcess::new(scale);
                (0..40).for_each(|index| process.push(effect * (1.0 + 0.05 * f64::from(index % 5 - 2))));
                let (low, _) = process.interval(0.01);
                assert!(process.p_value() < 0.01 && low > 0.0, "{effect} at {scale}: {}", process.p_value());
            }
        }
    }

    #[test]
    fn one_early_spike_does_not_swamp_the_rest() {
        let mut process = EProcess::new(0.01);
        process.push(-0.8);
        for index in 0..40 {
            process.push(0.01 + 0.004 * f64::from(index % 5 - 2));
        }
        assert!(process.p_value() < 0.01, "{}", process.p_value());
    }

    /// Two distant modes, the larger one near zero: there is no centre of symmetry, but there is a median.
    #[test]
    fn differences_of_two_modes_have_an_interval_that_holds_their_median() {
        let mut process = EProcess::new(0.01);
        for index in 0..200 {
            let noise = 0.002 * f64::from(index * 7 % 11 - 5);
            process.push(noise + if index % 5 < 2 { 0.7 } else { 0.0 });
        }
        let (low, high) = process.interval(0.01);
        assert!(high - low > 0.0);
        let (low, high, p) = process.median_interval(0.01);
        let middle = 0.004;
        assert!(low <= middle && middle <= high && high < 0.7 && low > -0.012, "{low} {high}");
        // Of 200 differences 55 lie below zero.
        assert!(p < 0.001, "{p}");
    }

    /// Calculated by hand: with none of 10 differences below zero the evidence is 2¹⁰/11 = 93 to one.
    #[test]
    fn evidence_about_the_median_by_the_formula() {
        let mut process = EProcess::new(0.01);
        (1..=10).for_each(|index| process.push(0.1 * f64::from(index)));
        let (low, _, p) = process.median_interval(0.05);
        assert!((p - 11.0 / 1024.0).abs() < 1e-9, "{p}");
        // With one of them below it is 2¹⁰/110 = 9.3 to one, which does not reach 20.
        assert!((low - 0.1).abs() < 1e-12, "{low}");
    }

    #[test]
    fn nothing_is_excluded_at_first() {
        let mut process = EProcess::new(0.01);
        assert_eq!(process.interval(0.05).1, f64::INFINITY);
        process.push(0.02);
        assert_eq!(process.interval(0.05), (f64::NEG_INFINITY, f64::INFINITY));
        let mut zeros = EProcess::new(0.01);
        (0..40).for_each(|_| zeros.push(0.0));
        let (low, high) = zeros.interval(0.01);
        assert!(low < 0.0 && high > 0.0 && high < 0.01, "{low} {high}");
        assert_eq!(zeros.p_value(), 1.0);
    }
}
