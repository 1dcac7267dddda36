//! Turns an absolute margin into the ratio that a test of log ratios needs.

use fauxplat_stats::describe::median;

use crate::pairing::Seen;

/// Number of clusters (blocks) from which the level of the readings is estimated. The first look at the data comes
/// later.
const CLUSTERS: usize = 6;

/// Largest ratio that a margin can become; with a larger one no difference could ever exceed it.
const RATIO_MAX: f64 = 1e6;

/// The first clusters of a comparison, which wait until the typical reading of both commands together can be estimated.
///
/// The level of the readings is the median over the clusters of the *mean* log reading of A and B. Exchanging A and B
/// in a cluster changes none of these means, so the margin does not depend on which command is faster, and given the
/// margin all sign patterns stay equally likely.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level(Vec<Seen>);

impl Level {
    /// Adds one more cluster; returns whether there are enough to estimate the level.
    pub(crate) fn take(&mut self, seen: Seen) -> bool {
        self.0.push(seen);
        self.0.len() >= CLUSTERS
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Ratio of an amount to the level of the clusters so far; `None` if there are none.
    pub(crate) fn ratio_of(&self, amount: f64) -> Option<f64> {
        ratio_at(amount, &self.0.iter().map(|seen| seen.log_level).collect::<Vec<_>>())
    }

    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Seen> + '_ {
        self.0.iter()
    }
}

/// Ratio of an amount to the typical reading, which is the median of `log_levels`; `None` if there are none.
pub(crate) fn ratio_at(amount: f64, log_levels: &[f64]) -> Option<f64> {
    Some((amount / median(log_levels)?.exp()).clamp(0.0, RATIO_MAX))
}

/// Ratio of an amount to the mean of two levels, given as logarithms, of sessions that were not paired.
pub(crate) fn ratio_between(amount: f64, a_log: f64, b_log: f64) -> f64 {
    (amount / (0.5 * (a_log + b_log)).exp()).clamp(0.0, RATIO_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_does_not_know_who_is_faster() {
        let ratio = |sign: f64| {
            let mut level = Level::default();
            let logs = [(9.0f64, 0.3), (9.1, -0.2), (9.2, 0.1)];
            let seen = logs.map(|(log_level, d)| Seen::of(sign * d, log_level));
            assert!(seen.into_iter().all(|seen| !level.take(seen)));
            level.ratio_of(9.1f64.exp() / 10.0).unwrap()
        };
        assert!((ratio(1.0) - 0.1).abs() < 1e-12);
        assert_eq!(ratio(1.0), ratio(-1.0));
        assert_eq!(Level::default().ratio_of(5.0), None);
        assert!((ratio_between(100.0, 900f64.ln(), (1e4f64 / 9.0).ln()) - 0.1).abs() < 1e-12);
    }
}
