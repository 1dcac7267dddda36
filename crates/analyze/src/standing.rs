//! Where a comparison stands at one look, and what follows for typical runs and for slow ones together.

use fauxplat_model::{DifferenceIn, Estimand, Extent, GateSide, GateState, NO_BOUND_LOG, Side, Verdict};
use fauxplat_stats::mean_ratio::MeanRatio;

/// Nothing that can be read differs by more than this, e^40: 64 bits hold e^44. An end of an interval that lies further out
/// excludes nothing.
const FARTHEST: f64 = 40.0;

/// On which side of the upper and of the lower end of the margin a difference lies: beyond it, not beyond it, or not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sides {
    /// Whether the difference is shown to lie above the upper end (`true`) or not to (`false`).
    pub(crate) up: Option<bool>,
    /// Whether the difference is shown to lie below the lower end (`true`) or not to (`false`).
    pub(crate) down: Option<bool>,
}

impl Sides {
    /// Shown to lie within the margin.
    pub(crate) const WITHIN: Sides = Sides { up: Some(false), down: Some(false) };

    /// By the ends of an interval alone.
    pub(crate) fn of(low: f64, high: f64, margin: f64) -> Self {
        let side = |is_beyond: bool, is_not: bool| is_beyond.then_some(true).or(is_not.then_some(false));
        Sides { up: side(low > margin, high <= margin), down: side(high < -margin, low >= -margin) }
    }

    /// Without what is beyond the margin to a side to which nothing is different.
    pub(crate) fn agreeing(self, up: bool, down: bool) -> Self {
        let shown = |side: Option<bool>, differs: bool| side.filter(|&is_beyond| !is_beyond || differs);
        Sides { up: shown(self.up, up), down: shown(self.down, down) }
    }

    /// State of a gate that asks about one side, or about both.
    pub(crate) fn state(self, gate: GateSide) -> GateState {
        let known = match gate {
            GateSide::Higher => self.up,
            GateSide::Lower => self.down,
            GateSide::Either => match (self.up, self.down) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        };
        match known {
            Some(true) => GateState::Beyond,
            Some(false) => GateState::Within,
            None => GateState::Undecided,
        }
    }
}

/// How much further apart two runs of B in a row lie than two of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// How far two runs in a row usually lie apart, of both commands together, as a log ratio.
    pub(crate) usual: f64,
    /// B less A.
    pub(crate) difference: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Differences up to this count as none.
    pub(crate) margin: f64,
    pub(crate) verdict: Verdict,
}

/// State of a contest at one look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    /// Number of clusters.
    pub(crate) n: usize,
    /// The shift at which the test sees none.
    pub(crate) estimate: f64,
    /// Stand-in for the standard error: half of the interval over the bound.
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
    /// Error level of the contest at this look.
    pub(crate) level: f64,
    /// Margin of equivalence as a log ratio.
    pub(crate) margin: f64,
    /// Whether only runs after themselves answer, since they part from those after another command.
    pub(crate) parted: bool,
    /// Whether first and second runs in a row part by themselves, or for a reason that is not clear.
    pub(crate) is_in_doubt: bool,
    /// Whether no shift explains the differences, so that the estimate is their median.
    pub(crate) leans: bool,
    /// The side of each end of the margin.
    pub(crate) beyond: Sides,
    /// Whether typical runs or the mean decides.
    pub(crate) estimand: Estimand,
    /// The typical difference and both ends of its interval, where the mean decides.
    pub(crate) beside: Option<[f64; 3]>,
    /// The mean ratio, where it was asked for.
    pub(crate) mean: Option<MeanRatio>,
    /// Verdict about the mean.
    pub(crate) mean_verdict: Verdict,
    /// The spread, where it was asked for.
    pub(crate) spread: Option<Spread>,
    /// The difference in the early and in the late half, where these do not agree.
    pub(crate) halves: Option<[f64; 2]>,
    /// Verdict about typical runs, or about the mean where the mean decides.
    pub(crate) typical: Verdict,
    /// Verdict about the share of much slower runs.
    pub(crate) tail: Verdict,
    /// The difference about which slow runs were counted, where the tail is different.
    pub(crate) tail_about: f64,
    /// Command whose readings are higher in some runs, where the tail is different.
    pub(crate) tail_side: Option<Side>,
    /// Verdict that follows from all parts.
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
            level: 0.0,
            margin: 0.0,
            parted: false,
            is_in_doubt: false,
            leans: false,
            beyond: Sides::default(),
            estimand: Estimand::Typical,
            beside: None,
            mean: None,
            mean_verdict: Verdict::Inconclusive,
            spread: None,
            halves: None,
            typical: Verdict::Inconclusive,
            tail: Verdict::Inconclusive,
            tail_about: 0.0,
            tail_side: None,
            verdict: Verdict::Inconclusive,
        }
    }

    /// The answers become one. While time is left, an open question keeps the whole open, unless typical runs differ.
    pub(crate) fn concluded(self, closing: bool) -> Self {
        let is_other_different = self.tail == Verdict::Different || self.mean_verdict == Verdict::Different;
        let verdict = match self.typical {
            Verdict::Different => Verdict::Different,
            Verdict::Equivalent if is_other_different => Verdict::Different,
            Verdict::Inconclusive if is_other_different && closing => Verdict::Different,
            Verdict::Equivalent if closing || self.is_whole() => Verdict::Equivalent,
            _ => Verdict::Inconclusive,
        };
        Standing { verdict, ..self }
    }

    /// Whether tail, mean and spread are bounded too, the spread where it could be asked for.
    fn is_whole(&self) -> bool {
        let spread = self.spread.is_none_or(|spread| spread.verdict == Verdict::Equivalent);
        self.tail == Verdict::Equivalent && self.mean_verdict == Verdict::Equivalent && spread
    }

    /// Says on which side of the margin the interval lies.
    pub(crate) fn with_sides(self, margin: f64) -> Self {
        Standing { beyond: Sides::of(self.low, self.high, margin), ..self }
    }

    /// Whether nothing more is asked. Typical runs alone are half of an answer, and a gate asks its own question.
    pub(crate) fn is_answered(&self, gate: Option<GateSide>) -> bool {
        let is_known = self.verdict != Verdict::Inconclusive && self.extent() != Some(Extent::Typical);
        match gate {
            None => is_known,
            Some(gate) => match self.state(gate) {
                GateState::Beyond => true,
                GateState::Within => is_known,
                GateState::Undecided => false,
            },
        }
    }

    /// State of a gate: beyond the margin by what decides, or by runs or a mean that are different on its side.
    pub(crate) fn state(&self, gate: GateSide) -> GateState {
        let is_asked = |is_higher: bool| match gate {
            GateSide::Higher => is_higher,
            GateSide::Lower => !is_higher,
            GateSide::Either => true,
        };
        let in_tail = self.verdict == Verdict::Different
            && self.tail == Verdict::Different
            && self.tail_side.is_some_and(|side| is_asked(side == Side::B));
        if in_tail || self.is_mean_beyond(is_asked) { GateState::Beyond } else { self.beyond.state(gate) }
    }

    /// Whether the mean is different on an asked side by more than the margin.
    fn is_mean_beyond(&self, is_asked: impl Fn(bool) -> bool) -> bool {
        let is_moved = self.verdict == Verdict::Different && self.mean_verdict == Verdict::Different;
        let is_far = |mean: &MeanRatio| {
            is_asked(true) && mean.low.ln() > self.margin || is_asked(false) && mean.high.ln() < -self.margin
        };
        is_moved && self.mean.as_ref().is_some_and(is_far)
    }

    /// How far an *equivalent* reaches.
    pub(crate) fn extent(&self) -> Option<Extent> {
        let whole = self.is_whole();
        (self.verdict == Verdict::Equivalent).then_some(if whole { Extent::Whole } else { Extent::Typical })
    }

    /// Where a *different* lies.
    pub(crate) fn difference_in(&self) -> Vec<DifferenceIn> {
        let main = match self.estimand {
            Estimand::Typical => DifferenceIn::Typical,
            Estimand::Mean => DifferenceIn::Mean,
        };
        let parts =
            [(self.typical, main), (self.tail, DifferenceIn::Tail), (self.mean_verdict, DifferenceIn::Mean)];
        let different =
            parts.into_iter().filter(|(part, _)| *part == Verdict::Different).map(|(_, name)| name);
        let mut different: Vec<DifferenceIn> = match self.verdict {
            Verdict::Different => different.collect(),
            _ => Vec::new(),
        };
        different.dedup();
        different
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
