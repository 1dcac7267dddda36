//! Comparisons of readings that are bounds, or that cover only the first thread of a program.
//!
//! If A is at most some value and B at least another, then B over A is at least the ratio of the two values. The judge
//! computes as if every reading were exact, and this module then weakens its conclusions to those that the bounds
//! allow. If both readings are upper bounds, or both lower bounds, nothing is known about the ratio, even if they are
//! equal.

use fauxplat_model::{
    Bound, BoundedEffect, Comparison, Gate, Metric, NO_BOUND_LOG, Sample, Side, VarianceBudget, Verdict,
};

use crate::pairing::{Pair, Seen};
use crate::standing::{Sides, Standing};

/// The kinds of readings of A and B that occur in a metric, over all pairs that count in the verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Censored {
    a: Kinds,
    b: Kinds,
}

/// Kinds of inexact readings that occur: upper bounds, lower bounds, values of the first thread only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds {
    at_most: bool,
    at_least: bool,
    first_thread: bool,
}

/// A conclusion that took every reading as exact, weakened to what the bounds allow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limited {
    pub(crate) standing: Standing,
    /// Whether the kinds of bounds exclude *different* and *equivalent*, however many runs follow.
    pub(crate) is_hopeless: bool,
}

/// Log ratio and further figures of a pair, with bounds taken as exact values; `None` if a run has no reading or a
/// command did not run.
pub(crate) fn seen(pair: &Pair, metric: Metric) -> Option<Seen> {
    match pair.runs().any(|run| is_bound(run, metric)) {
        false => pair.seen(metric),
        true => pair.seen_by(metric, &|run| run.told(metric).map(|told| told.number)),
    }
}

fn is_bound(run: &Sample, metric: Metric) -> bool {
    run.told(metric).is_some_and(|told| told.bound.is_open())
}

/// Whether any reading of a metric in these pairs is a bound.
pub(crate) fn is_open(pairs: &[Pair], metric: Metric) -> bool {
    pairs.iter().flat_map(Pair::runs).any(|run| is_bound(run, metric))
}

/// Whether any reading of a metric in these pairs covers only the first thread.
pub(crate) fn is_first_thread(pairs: &[Pair], metric: Metric) -> bool {
    let is_part = |run: &Sample| run.told(metric).is_some_and(|told| told.bound == Bound::FirstThread);
    pairs.iter().flat_map(Pair::runs).any(is_part)
}

impl Kinds {
    fn note(&mut self, runs: &[&Sample], metric: Metric) {
        for told in runs.iter().filter_map(|run| run.told(metric)) {
            self.at_most |= told.bound == Bound::AtMost;
            self.at_least |= told.bound == Bound::AtLeast;
            self.first_thread |= told.bound == Bound::FirstThread;
        }
    }

    fn is_open(self) -> bool {
        self.at_most || self.at_least
    }
}

impl Censored {
    pub(crate) fn note(&mut self, pair: &Pair, metric: Metric) {
        self.a.note(&pair.a, metric);
        self.b.note(&pair.b, metric);
    }

    pub(crate) fn is_open(self) -> bool {
        self.a.is_open() || self.b.is_open()
    }

    /// How the ratio of the readings relates to the true ratio B over A: equal, a lower or an upper bound; `None` if
    /// the true ratio may be larger and may be smaller.
    fn effect(self) -> Option<Bound> {
        let is_least = !self.a.at_least && !self.b.at_most;
        let is_most = !self.a.at_most && !self.b.at_least;
        match (is_least, is_most) {
            (true, true) => Some(Bound::Value),
            (true, false) => Some(Bound::AtLeast),
            (false, true) => Some(Bound::AtMost),
            (false, false) => None,
        }
    }

    /// Weakens a conclusion that took every reading as exact to what the bounds allow. If the true ratio is at least
    /// that of the readings, a *different* with B higher remains and every other conclusion becomes *inconclusive*;
    /// correspondingly if the true ratio is at most that of the readings.
    pub(crate) fn limit(self, standing: Standing) -> Limited {
        let side = match self.effect() {
            Some(Bound::Value) => return Limited { standing, is_hopeless: false },
            Some(Bound::AtLeast) => Some(Side::B),
            Some(_) => Some(Side::A),
            None => None,
        };
        let is_ours = |is_higher: Side| side == Some(is_higher);
        let typical_side = if standing.estimate > 0.0 { Side::B } else { Side::A };
        let holds = |part: Verdict, is_higher: Option<Side>| match part {
            Verdict::Different if is_higher.is_some_and(is_ours) => Verdict::Different,
            _ => Verdict::Inconclusive,
        };
        let typical = holds(standing.typical, Some(typical_side));
        let tail = holds(standing.tail, standing.tail_side);
        let mean_side = standing.mean.map(|mean| if mean.ratio > 1.0 { Side::B } else { Side::A });
        let mean_verdict = holds(standing.mean_verdict, mean_side);
        let is_shown = standing.verdict == Verdict::Different
            && [typical, tail, mean_verdict].contains(&Verdict::Different);
        let verdict = if is_shown { Verdict::Different } else { Verdict::Inconclusive };
        let (low, high) = match (side, is_shown) {
            (Some(Side::B), true) => (standing.low, NO_BOUND_LOG),
            (Some(Side::A), true) => (-NO_BOUND_LOG, standing.high),
            _ => (-NO_BOUND_LOG, NO_BOUND_LOG),
        };
        let is_hopeless = side.is_none() || (standing.verdict != Verdict::Inconclusive && !is_shown);
        let standing = Standing {
            low,
            high,
            leans: false,
            beyond: sides(side, standing.beyond),
            spread: None,
            halves: None,
            tail_halves: None,
            typical,
            tail,
            mean_verdict,
            verdict,
            ..standing
        };
        Limited { standing, is_hopeless }
    }

    /// Removes the figures that need exact readings if some are bounds, and marks comparisons of programs with several
    /// threads of which only the first was read.
    pub(crate) fn shown(self, comparison: Comparison, single_task: bool) -> Comparison {
        let first_thread = (self.a.first_thread || self.b.first_thread) && !single_task;
        if !self.is_open() {
            return Comparison { first_thread, ..comparison };
        }
        let is_different = comparison.verdict == Verdict::Different;
        let unless = |number: f64| if is_different { comparison.effect_ratio } else { number };
        Comparison {
            bounded: Some(BoundedEffect { effect: self.effect(), a: self.a.is_open(), b: self.b.is_open() }),
            effect_ratio: unless(f64::NAN),
            bootstrap_low_ratio: comparison.ci_low_ratio,
            bootstrap_high_ratio: comparison.ci_high_ratio,
            p_value: if is_different { comparison.p_value } else { 1.0 },
            tail: comparison.tail.filter(|_| is_different),
            gate: comparison.gate.map(|gate| Gate { detectable: None, ..gate }),
            typical: None,
            mean: None,
            carry_over: None,
            modes: None,
            spread: None,
            halves: None,
            tail_halves: None,
            is_mixture: false,
            quantiles: Vec::new(),
            pairs_needed: None,
            variance: VarianceBudget {
                position_ratio: 1.0,
                position_low_ratio: 1.0,
                position_high_ratio: 1.0,
                ..VarianceBudget::default()
            },
            replication: None,
            first_thread,
            ..comparison
        }
    }
}

/// Weakens the answers about the two ends of the margin to what the bounds allow. If the true ratio is at least that of
/// the readings (`Side::B`), *beyond* the upper end and *not beyond* the lower end remain true.
fn sides(side: Option<Side>, of_numbers: Sides) -> Sides {
    let Sides { up, down } = of_numbers;
    match side {
        Some(Side::B) => Sides { up: up.filter(|is| *is), down: down.filter(|is| !*is) },
        Some(Side::A) => Sides { up: up.filter(|is| !*is), down: down.filter(|is| *is) },
        None => Sides::default(),
    }
}

#[cfg(test)]
mod tests;
