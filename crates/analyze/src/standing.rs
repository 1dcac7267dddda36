//! State of a comparison at one look, and the verdict on typical runs and slow runs together.

use fauxplat_model::{DifferenceIn, Estimand, Extent, GateSide, GateState, NO_BOUND_LOG, Side, Verdict};
use fauxplat_stats::mean_ratio::MeanRatio;

/// No two readable values differ by more than this log ratio: 64 bits hold e^44. An interval whose end lies beyond e^40
/// excludes nothing on that side.
const FARTHEST: f64 = 40.0;

/// Position of a difference relative to the upper and the lower end of the margin: beyond, not beyond, or unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sides {
    /// Whether the difference is shown to lie above the upper end (`true`) or not above it (`false`).
    pub(crate) up: Option<bool>,
    /// Whether the difference is shown to lie below the lower end (`true`) or not below it (`false`).
    pub(crate) down: Option<bool>,
}

impl Sides {
    pub(crate) const WITHIN: Sides = Sides { up: Some(false), down: Some(false) };

    /// Sides by the ends of an interval alone.
    pub(crate) fn of(low: f64, high: f64, margin: f64) -> Self {
        let side = |is_beyond: bool, is_not: bool| is_beyond.then_some(true).or(is_not.then_some(false));
        Sides { up: side(low > margin, high <= margin), down: side(high < -margin, low >= -margin) }
    }

    /// Drops *beyond* on a side to which no difference is shown.
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

/// Comparison of the distances of two runs in a row, of B and of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// Usual distance of two runs in a row of either command, as a log ratio.
    pub(crate) usual: f64,
    /// Distance of B minus that of A.
    pub(crate) difference: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Largest difference that still counts as none.
    pub(crate) margin: f64,
    pub(crate) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) n: usize,
    /// Shift at which the test sees no difference.
    pub(crate) estimate: f64,
    /// Replacement for the standard error: half of the interval over the bound.
    pub(crate) se: f64,
    /// Lower end of the repeated interval.
    pub(crate) low: f64,
    /// Upper end of the repeated interval.
    pub(crate) high: f64,
    /// The key beyond which paths cross at this look; infinite if none may.
    pub(crate) critical: f64,
    /// Sequential p-value, or 1/E for the e-process; computed only for reports.
    pub(crate) p: Option<f64>,
    /// Whether neighbouring clusters are alike.
    pub(crate) in_runs: bool,
    pub(crate) level: f64,
    /// Margin of equivalence as a log ratio.
    pub(crate) margin: f64,
    /// Whether only runs after themselves answer, since they part from runs after another command.
    pub(crate) parted: bool,
    /// Whether first and second runs in a row part by themselves, or for an unclear reason.
    pub(crate) is_in_doubt: bool,
    /// Whether no shift explains the differences, so that the estimate is their median.
    pub(crate) leans: bool,
    /// Position relative to each end of the margin.
    pub(crate) beyond: Sides,
    pub(crate) estimand: Estimand,
    /// The typical difference and the ends of its interval, if the mean decides.
    pub(crate) beside: Option<[f64; 3]>,
    /// The mean ratio, if it was computed.
    pub(crate) mean: Option<MeanRatio>,
    pub(crate) mean_verdict: Verdict,
    /// The spread, if it was computed.
    pub(crate) spread: Option<Spread>,
    /// The difference in the early and in the late half, if these do not agree.
    pub(crate) halves: Option<[f64; 2]>,
    /// Verdict on typical runs, or on the mean if the mean decides.
    pub(crate) typical: Verdict,
    /// Verdict on the share of much slower runs.
    pub(crate) tail: Verdict,
    /// The difference about which slow runs were counted, if the tail differs.
    pub(crate) tail_about: f64,
    /// Command whose readings are higher in some runs, if the tail differs.
    pub(crate) tail_side: Option<Side>,
    pub(crate) verdict: Verdict,
}

impl Standing {
    /// The state before anything is known.
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

    /// Combines the verdicts into one. While time is left, an open part keeps the whole open, unless typical runs
    /// differ.
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

    /// Whether tail, mean and spread are shown equivalent too; the spread counts only if it could be computed.
    fn is_whole(&self) -> bool {
        let spread = self.spread.is_none_or(|spread| spread.verdict == Verdict::Equivalent);
        self.tail == Verdict::Equivalent && self.mean_verdict == Verdict::Equivalent && spread
    }

    /// Sets the position relative to the margin from the interval.
    pub(crate) fn with_sides(self, margin: f64) -> Self {
        Standing { beyond: Sides::of(self.low, self.high, margin), ..self }
    }

    /// Whether no question is open. An *equivalent* of typical runs alone does not suffice, and a gate asks its own
    /// question.
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

    /// State of a gate: beyond the margin by the deciding estimand, or by slow runs or a mean that differ on its side.
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

    /// Whether the mean differs on an asked side by more than the margin.
    fn is_mean_beyond(&self, is_asked: impl Fn(bool) -> bool) -> bool {
        let is_moved = self.verdict == Verdict::Different && self.mean_verdict == Verdict::Different;
        let is_far = |mean: &MeanRatio| {
            is_asked(true) && mean.low.ln() > self.margin || is_asked(false) && mean.high.ln() < -self.margin
        };
        is_moved && self.mean.as_ref().is_some_and(is_far)
    }

    pub(crate) fn extent(&self) -> Option<Extent> {
        let whole = self.is_whole();
        (self.verdict == Verdict::Equivalent).then_some(if whole { Extent::Whole } else { Extent::Typical })
    }

    /// The parts in which a *different* lies.
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

pub(crate) fn beyond_margin(low: f64, high: f64, margin: f64) -> Option<bool> {
    match (low > margin || high < -margin, -margin <= low && high <= margin) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// *Different* if the interval excludes zero and the randomisation test agrees, *equivalent* if it lies within the
/// margin, otherwise *inconclusive*.
pub(crate) fn verdict(low: f64, high: f64, margin: f64, agrees: impl FnOnce() -> bool) -> Verdict {
    if (low > 0.0 || high < 0.0) && agrees() {
        Verdict::Different
    } else if -margin <= low && high <= margin {
        Verdict::Equivalent
    } else {
        Verdict::Inconclusive
    }
}

/// Replaces infinite ends by [`NO_BOUND_LOG`], since JSON has no infinity; finite ends do not change.
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
