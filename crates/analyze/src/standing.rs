//! Where a comparison stands at one look, and what follows for typical runs and for slow ones together.

use fauxplat_model::{DifferenceIn, Extent, NO_BOUND_LOG, Side, Verdict};

/// Nothing that can be read differs by more than this, e^40: 64 bits hold e^44. An end of an interval that lies further out
/// excludes nothing.
const FARTHEST: f64 = 40.0;

/// What the data say at one look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    /// Number of clusters.
    pub(crate) n: usize,
    /// The shift at which the test sees none.
    pub(crate) estimate: f64,
    /// What stands for its standard error: half of the interval over the bound.
    pub(crate) se: f64,
    /// Low end of the repeated interval.
    pub(crate) low: f64,
    /// High end of it.
    pub(crate) high: f64,
    /// The key beyond which paths cross at this look; infinite where none may.
    pub(crate) critical: f64,
    /// Sequential p-value, or 1/E; computed for reports only.
    pub(crate) p: Option<f64>,
    /// Whether neighbours are alike.
    pub(crate) in_runs: bool,
    /// What follows for typical runs.
    pub(crate) typical: Verdict,
    /// What follows for the share of much slower runs.
    pub(crate) tail: Verdict,
    /// Whose readings are higher in some runs, where the tail is different.
    pub(crate) tail_side: Option<Side>,
    /// What follows from both.
    pub(crate) verdict: Verdict,
}

impl Standing {
    /// Before anything could be said.
    pub(crate) fn open(n: usize) -> Self {
        Standing {
            n,
            estimate: 0.0,
            se: f64::INFINITY,
            low: -NO_BOUND_LOG,
            high: NO_BOUND_LOG,
            critical: f64::INFINITY,
            p: None,
            in_runs: false,
            typical: Verdict::Inconclusive,
            tail: Verdict::Inconclusive,
            tail_side: None,
            verdict: Verdict::Inconclusive,
        }
    }

    /// Both answers become one. While time is left, an open question keeps the whole open, unless typical runs differ.
    pub(crate) fn concluded(self, closing: bool) -> Self {
        let verdict = match (self.typical, self.tail) {
            (Verdict::Different, _) | (Verdict::Equivalent, Verdict::Different) => Verdict::Different,
            (Verdict::Inconclusive, Verdict::Different) if closing => Verdict::Different,
            (Verdict::Equivalent, Verdict::Equivalent) => Verdict::Equivalent,
            (Verdict::Equivalent, Verdict::Inconclusive) if closing => Verdict::Equivalent,
            _ => Verdict::Inconclusive,
        };
        Standing { verdict, ..self }
    }

    /// Whether nothing more is asked: typical runs alone are half of an answer.
    pub(crate) fn is_answered(&self) -> bool {
        self.verdict != Verdict::Inconclusive && self.extent() != Some(Extent::Typical)
    }

    /// How far an *equivalent* reaches.
    pub(crate) fn extent(&self) -> Option<Extent> {
        let whole = self.tail == Verdict::Equivalent;
        (self.verdict == Verdict::Equivalent).then_some(if whole { Extent::Whole } else { Extent::Typical })
    }

    /// Where a *different* lies.
    pub(crate) fn difference_in(&self) -> Vec<DifferenceIn> {
        let parts = [(self.typical, DifferenceIn::Typical), (self.tail, DifferenceIn::Tail)];
        let different =
            parts.into_iter().filter(|(part, _)| *part == Verdict::Different).map(|(_, name)| name);
        match self.verdict {
            Verdict::Different => different.collect(),
            _ => Vec::new(),
        }
    }
}

/// Whether an interval lies beyond the margin, within it, or neither.
pub(crate) fn beyond_margin(low: f64, high: f64, margin: f64) -> Option<bool> {
    match (low > margin || high < -margin, -margin <= low && high <= margin) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// *Different* when the interval excludes zero and the randomisation test agrees, *equivalent* when it lies within the
/// margin, otherwise neither.
pub(crate) fn verdict(low: f64, high: f64, margin: f64, agrees: impl FnOnce() -> bool) -> Verdict {
    if (low > 0.0 || high < 0.0) && agrees() {
        Verdict::Different
    } else if -margin <= low && high <= margin {
        Verdict::Equivalent
    } else {
        Verdict::Inconclusive
    }
}

/// Infinite ends are written as [`NO_BOUND_LOG`], since JSON has no infinity; finite ones stay as they are.
pub(crate) fn bounded(log_ratio: f64) -> f64 {
    match log_ratio {
        nothing if nothing.is_nan() => 0.0,
        far if far.abs() > FARTHEST => NO_BOUND_LOG.copysign(far),
        end => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::is_no_bound;

    #[test]
    fn no_bound_is_what_excludes_nothing_and_not_what_is_large() {
        // Half a gigabyte against nothing: more than a factor of a million.
        let large = [-14.5, 12.9, 13.79, 14.5].map(|end: f64| bounded(end).exp());
        assert!(!large.into_iter().any(is_no_bound) && large[3] > 1e6);
        assert!(
            [f64::INFINITY, f64::NEG_INFINITY, 60.0].into_iter().all(|end| is_no_bound(bounded(end).exp()))
        );
        assert_eq!(bounded(f64::NAN), 0.0);
    }
}
