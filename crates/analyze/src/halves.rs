//! Checks whether the log ratios of the early and of the late half of a session agree.

use fauxplat_model::Verdict;
use fauxplat_stats::distribution::t_for_z;

use crate::estimate::{Estimate, plain_z};
use crate::standing::{Sides, Standing};

/// Minimum number of clusters (blocks) in a half.
const HALF_MIN: usize = 5;

pub(crate) struct Halves {
    early: Estimate,
    late: Estimate,
    /// Critical value of the difference between the halves, in standard errors, for half of the clusters.
    critical: f64,
}

impl Halves {
    /// Splits the log ratios `d` of all clusters; `None` if a half has fewer than [`HALF_MIN`] clusters.
    pub(crate) fn of(d: &[f64], level: f64) -> Option<Self> {
        let (early, late) = d.split_at(d.len() / 2);
        let df = early.len().saturating_sub(1) as f64;
        let enough = early.len() >= HALF_MIN;
        enough.then(|| Halves {
            early: Estimate::of(early),
            late: Estimate::of(late),
            critical: t_for_z(plain_z(level), df),
        })
    }

    pub(crate) fn centres(&self) -> [f64; 2] {
        [self.early.centre, self.late.centre]
    }

    /// Whether the mean log ratios of the two halves differ significantly.
    fn is_apart(&self) -> bool {
        let apart = (self.early.centre - self.late.centre).abs();
        apart > 0.0 && apart > self.critical * self.early.se.hypot(self.late.se)
    }

    /// Whether each half alone shows a log ratio beyond `least` in the direction of `sign`.
    fn both_show(&self, sign: f64, least: f64) -> bool {
        [self.early, self.late].iter().all(|half| sign * half.centre - least > self.critical * half.se)
    }

    /// Removes the conclusions about typical runs that only one half shows: that they differ, and that the difference
    /// exceeds the margin. Halves whose differences have the same direction and another size agree.
    pub(crate) fn steady(&self, standing: Standing) -> Standing {
        if standing.typical != Verdict::Different || !self.is_apart() {
            return standing;
        }
        let sign = standing.estimate.signum();
        if !self.both_show(sign, 0.0) {
            return Standing { halves: Some(self.centres()), ..standing.withheld() };
        }
        let shown = |side: Option<bool>| side.filter(|&is_beyond| !is_beyond);
        match self.both_show(sign, standing.margin) {
            true => standing,
            false => {
                let beyond = Sides { up: shown(standing.beyond.up), down: shown(standing.beyond.down) };
                Standing { beyond, ..standing }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halves of twenty log ratios each, with some noise about the given mean log ratios.
    fn halves(early: f64, late: f64) -> Halves {
        let noise = |n: usize| 0.002 * ((n * 7 % 11) as f64 - 5.0);
        let d: Vec<f64> = (0..40).map(|n| noise(n) + if n < 20 { early } else { late }).collect();
        Halves::of(&d, 0.01).unwrap()
    }

    fn different() -> Standing {
        let beyond = Sides { up: Some(true), down: Some(false) };
        Standing {
            estimate: 0.05,
            margin: 0.01,
            beyond,
            typical: Verdict::Different,
            verdict: Verdict::Different,
            ..Standing::open(40)
        }
    }

    #[test]
    fn only_what_both_halves_show_is_said() {
        let size_alone = halves(0.3, 0.6).steady(different());
        assert_eq!((size_alone.verdict, size_alone.beyond.up), (Verdict::Different, Some(true)));
        let within_late = halves(0.1, 0.008).steady(different());
        assert_eq!((within_late.verdict, within_late.beyond.up), (Verdict::Different, None));
        let early_alone = halves(0.1, 0.0).steady(different());
        assert_eq!((early_alone.verdict, early_alone.beyond), (Verdict::Inconclusive, Sides::default()));
        assert!(early_alone.halves.is_some());
        let alike = halves(0.05, 0.05).steady(different());
        assert_eq!((alike.verdict, alike.halves), (Verdict::Different, None));
        assert!(Halves::of(&[0.1; 9], 0.01).is_none());
    }
}
