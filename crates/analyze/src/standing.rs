//! State of a comparison at one look at the data (an interim analysis), and the verdict on typical runs, slow runs and
//! the mean together.

use fauxplat_model::{DifferenceIn, Estimand, Extent, GateSide, GateState, NO_BOUND_LOG, Side, Verdict};
use fauxplat_stats::mean_ratio::MeanRatio;

/// Log ratio beyond which an end of an interval counts as unbounded: values of 64 bits differ by at most a factor of
/// e^44.
const FARTHEST: f64 = 40.0;

/// Whether a difference lies beyond the upper and beyond the lower end of the margin, as far as that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sides {
    /// Whether the difference is shown to lie above the upper end (`true`) or not above it (`false`); `None` if
    /// unknown.
    pub(crate) up: Option<bool>,
    /// Whether the difference is shown to lie below the lower end (`true`) or not below it (`false`); `None` if
    /// unknown.
    pub(crate) down: Option<bool>,
}

impl Sides {
    pub(crate) const WITHIN: Sides = Sides { up: Some(false), down: Some(false) };

    /// Compares the ends of an interval with the margin; all are log ratios.
    pub(crate) fn of(low: f64, high: f64, margin: f64) -> Self {
        let side = |is_beyond: bool, is_not: bool| is_beyond.then_some(true).or(is_not.then_some(false));
        Sides { up: side(low > margin, high <= margin), down: side(high < -margin, low >= -margin) }
    }

    /// Replaces *beyond* by *unknown* on a side to which no difference is shown (`up`, `down`).
    pub(crate) fn agreeing(self, up: bool, down: bool) -> Self {
        let shown = |side: Option<bool>, differs: bool| side.filter(|&is_beyond| !is_beyond || differs);
        Sides { up: shown(self.up, up), down: shown(self.down, down) }
    }

    /// Answer of a gate that asks about one side of the margin, or about both.
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

/// Comparison of the spreads of B and A. A spread is the distance between two successive runs of one command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// Usual distance of two successive runs of either command, as an absolute log ratio.
    pub(crate) usual: f64,
    /// Usual distance of two successive runs of A, and of two successive runs of B, as absolute log ratios.
    pub(crate) of_each: [f64; 2],
    /// Distance of two successive runs of B minus that of A.
    pub(crate) difference: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Largest absolute `difference` that still counts as none.
    pub(crate) margin: f64,
    pub(crate) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) n: usize,
    /// Estimated log ratio B over A: the shift at which the test sees no difference.
    pub(crate) estimate: f64,
    /// Standard error of the estimate, derived from the interval: its half width divided by the critical value.
    pub(crate) se: f64,
    /// Lower end of the interval of the log ratio, which holds at all looks at the data together.
    pub(crate) low: f64,
    /// Upper end of the interval of the log ratio, which holds at all looks at the data together.
    pub(crate) high: f64,
    /// Critical value (in z) of the test statistic at this look at the data; infinite if no rejection is possible yet.
    pub(crate) critical: f64,
    /// p-value over all looks at the data so far, or that of the anytime-valid test (1/E); `None` until it is needed
    /// for a report.
    pub(crate) p: Option<f64>,
    /// Whether the log ratios of successive clusters are correlated.
    pub(crate) in_runs: bool,
    pub(crate) level: f64,
    /// Margin of equivalence as a log ratio.
    pub(crate) margin: f64,
    /// Whether only runs that follow their own command decide, since they differ from runs that follow another command.
    pub(crate) parted: bool,
    /// Whether the first and second of two successive runs differ for a reason other than the command before, or for an
    /// unclear reason.
    pub(crate) is_in_doubt: bool,
    /// Whether no common shift explains the log ratios, so that the estimate is their median.
    pub(crate) leans: bool,
    /// Position of the difference relative to each end of the margin.
    pub(crate) beyond: Sides,
    pub(crate) estimand: Estimand,
    /// Estimate and ends of the interval of the typical log ratio, if the mean decides; otherwise `None`.
    pub(crate) beside: Option<[f64; 3]>,
    /// The ratio of the means; `None` until it is needed.
    pub(crate) mean: Option<MeanRatio>,
    pub(crate) mean_verdict: Verdict,
    /// The comparison of the spreads; `None` if it was not computed.
    pub(crate) spread: Option<Spread>,
    /// The log ratio in the early and in the late half of the session; `None` unless the halves disagree.
    pub(crate) halves: Option<[f64; 2]>,
    /// Numbers of pairs with a large difference in the early and in the late half of the session; `None` unless
    /// conclusions are withheld because most of them came in one half.
    pub(crate) tail_halves: Option<[usize; 2]>,
    /// Verdict on typical runs, or on the mean if the mean decides.
    pub(crate) typical: Verdict,
    /// Verdict on the share of much slower runs.
    pub(crate) tail: Verdict,
    /// The log ratio about which slow runs were counted, if `tail` is *different*.
    pub(crate) tail_about: f64,
    /// Command whose readings are higher in some runs, if `tail` is *different*.
    pub(crate) tail_side: Option<Side>,
    /// `tail_side` if most of the slow pairs are on that side when they are counted about zero, as a gate counts them;
    /// otherwise `None`.
    pub(crate) gate_side: Option<Side>,
    pub(crate) verdict: Verdict,
}

impl Standing {
    /// Whether the interval of the difference has at least one end.
    pub(crate) fn has_interval(&self) -> bool {
        self.low > -NO_BOUND_LOG || self.high < NO_BOUND_LOG
    }

    /// The state without its conclusions, which only one half of the session shows.
    pub(crate) fn withheld(self) -> Self {
        Standing {
            beyond: Sides::default(),
            typical: Verdict::Inconclusive,
            tail: Verdict::Inconclusive,
            mean_verdict: Verdict::Inconclusive,
            verdict: Verdict::Inconclusive,
            ..self
        }
    }

    /// Whether conclusions are withheld because the halves of the session do not agree.
    pub(crate) fn is_withheld(&self) -> bool {
        self.halves.is_some() || self.tail_halves.is_some()
    }

    /// The state after `n` clusters in which nothing is shown yet.
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
            tail_halves: None,
            typical: Verdict::Inconclusive,
            tail: Verdict::Inconclusive,
            tail_about: 0.0,
            tail_side: None,
            gate_side: None,
            verdict: Verdict::Inconclusive,
        }
    }

    /// Combines the verdicts on typical runs, slow runs and the mean into one. Unless `closing`, an open part keeps the
    /// verdict open, except where typical runs differ.
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

    /// Whether slow runs, mean and spread are shown to be equivalent too; the spread only if it could be computed.
    fn is_whole(&self) -> bool {
        let spread = self.spread.is_none_or(|spread| spread.verdict == Verdict::Equivalent);
        self.tail == Verdict::Equivalent && self.mean_verdict == Verdict::Equivalent && spread
    }

    /// Sets `beyond` by comparing the interval with the margin.
    pub(crate) fn with_sides(self, margin: f64) -> Self {
        Standing { beyond: Sides::of(self.low, self.high, margin), ..self }
    }

    /// Whether measuring can stop: the verdict is known, and an *equivalent* holds as a whole rather than for typical
    /// runs alone. With a gate, its question has to be answered.
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

    /// Answer of a gate: *beyond* if the deciding quantity lies beyond the margin on the gate's side, or if slow runs
    /// or the mean differ on that side. Slow runs are counted relative to a log ratio of zero for this.
    pub(crate) fn state(&self, gate: GateSide) -> GateState {
        let is_asked = |is_higher: bool| match gate {
            GateSide::Higher => is_higher,
            GateSide::Lower => !is_higher,
            GateSide::Either => true,
        };
        let in_tail = self.verdict == Verdict::Different
            && self.tail == Verdict::Different
            && self.gate_side.is_some_and(|side| is_asked(side == Side::B));
        if in_tail || self.is_mean_beyond(is_asked) { GateState::Beyond } else { self.beyond.state(gate) }
    }

    /// Whether the mean is shown to differ by more than the margin on a side for which `is_asked` is true (`true` is
    /// higher).
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

    /// The parts (typical runs, slow runs, mean) in which a *different* lies; empty for other verdicts.
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

/// The verdict of an interval of a log ratio: *different* if it excludes zero and `agrees`, the result of a
/// randomisation test, is true; *equivalent* if it lies within the margin; otherwise *inconclusive*.
pub(crate) fn verdict(low: f64, high: f64, margin: f64, agrees: impl FnOnce() -> bool) -> Verdict {
    if (low > 0.0 || high < 0.0) && agrees() {
        Verdict::Different
    } else if -margin <= low && high <= margin {
        Verdict::Equivalent
    } else {
        Verdict::Inconclusive
    }
}

/// Replaces an end of an interval beyond [`FARTHEST`] by [`NO_BOUND_LOG`], since JSON has no infinity, and NaN by zero;
/// other ends do not change.
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
        // Log ratio of half a gigabyte to nothing (14.5): more than a factor of a million.
        let large = [-14.5, 12.9, 13.79, 14.5].map(|end: f64| bounded(end).exp());
        assert!(!large.into_iter().any(is_no_bound) && large[3] > 1e6);
        assert!(
            [f64::INFINITY, f64::NEG_INFINITY, 60.0].into_iter().all(|end| is_no_bound(bounded(end).exp()))
        );
        assert_eq!(bounded(f64::NAN), 0.0);
    }
}
