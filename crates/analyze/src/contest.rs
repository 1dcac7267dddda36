//! A contest: the comparison of one command with another in one metric while the judge has not decided it. Its clusters
//! are the blocks, and a look at the data is an interim analysis.

use fauxplat_model::{GateState, Margin, Metric, Verdict};
use fauxplat_stats::paired::rows::Rows;

use crate::censored::Censored;
use crate::design::Design;
use crate::guard::Guard;
use crate::level::Level;
use crate::pairing::Seen;
use crate::series::Series;
use crate::standing::Standing;

/// Comparison of one command (`candidate`) with another (`reference`) in one metric, in progress. The reference is the
/// first command, except in the comparison of the fastest command with the runner-up.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub(crate) reference: u16,
    pub(crate) candidate: u16,
    pub(crate) metric: Metric,
    pub(crate) margin: Margin,
    /// Readings of both commands so far, by which an absolute margin will be turned into a ratio; `None` if the margin
    /// is a ratio already.
    pub(crate) level: Option<Level>,
    pub(crate) design: Design,
    pub(crate) series: Series,
    pub(crate) guard: Guard,
    /// Numbers of the blocks whose pair counts in the verdict, in ascending order.
    pub(crate) kept: Vec<u32>,
    /// Numbers of the blocks whose pair no guard dropped, including blocks after the verdict.
    pub(crate) good: Vec<u32>,
    /// The kinds of readings (values, bounds) that occur among the pairs that count.
    pub(crate) censored: Censored,
    /// State of the comparison at the look at the data that decided; it does not change afterwards, as a sequential
    /// design requires.
    pub(crate) decided: Option<Standing>,
    /// Error level at which the commands were shown to differ, if a gate still asks whether they differ by more than
    /// the margin; otherwise `None`.
    pub(crate) rejected_at: Option<f64>,
    /// Whether one command waited longer in significantly more of the dropped pairs.
    pub(crate) leaning: bool,
    /// Number of clusters after which typical runs were shown to be equivalent, or with a gate after which its answer
    /// was known, and have remained so; `None` if they are not.
    pub(crate) typical_at: Option<usize>,
}

impl Contest {
    /// Adds the figures of one more cluster; returns whether the data are to be looked at now. Until an absolute margin
    /// has been turned into a ratio, clusters are kept in `level`.
    pub(crate) fn push(&mut self, seen: &Seen) -> bool {
        match &mut self.level {
            None => self.series.push(seen, &self.design),
            Some(level) => level.take(seen.clone()) && self.release(),
        }
    }

    /// Turns an absolute margin into a ratio by the readings so far, unless that has been done.
    pub(crate) fn settle_margin(&mut self) {
        self.release();
    }

    /// Turns an absolute margin into a ratio, and adds the clusters that waited for it. Returns whether one of them
    /// completes a look at the data.
    fn release(&mut self) -> bool {
        let (Some(level), Margin::Absolute(amount)) = (self.level.take(), self.margin) else { return false };
        if let Some(ratio) = level.ratio_of(amount) {
            self.design.margin = ratio.ln_1p();
        }
        self.series = Series::new(&self.design);
        let (series, design) = (&mut self.series, &self.design);
        level.waiting().fold(false, |look, seen| series.push(seen, design) | look)
    }

    /// The margin as a ratio; an absolute margin is divided by the typical reading of both commands.
    pub(crate) fn margin_ratio(&self) -> f64 {
        match self.margin {
            Margin::Ratio(ratio) => ratio,
            Margin::Absolute(_) => self.design.margin.exp_m1(),
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.decided.is_none()
    }

    /// Whether the contest ended with an answer rather than at a limit.
    pub(crate) fn has_verdict(&self) -> bool {
        self.decided.is_some_and(|standing| standing.is_answered(self.design.gate))
    }

    /// Records a look at the data that showed no new difference; ends the comparison if this was the last look or the
    /// question is answered.
    pub(crate) fn note(&mut self, standing: Standing, closing: bool) {
        let is_gate_known = self.design.gate.is_some_and(|gate| standing.state(gate) != GateState::Undecided);
        let is_known = match self.design.gate {
            Some(_) => is_gate_known,
            None => standing.typical == Verdict::Equivalent,
        };
        let at = is_known.then_some(standing.n);
        self.typical_at = at.and(self.typical_at.or(at));
        let settled = closing || standing.is_answered(self.design.gate);
        self.decided = settled.then_some(standing);
    }

    /// Turns an *equivalent* into *inconclusive* if one command waited longer in significantly more of the dropped
    /// pairs, since the difference may be in the dropped pairs.
    pub(crate) fn withheld(&mut self, standing: Standing) -> Standing {
        self.leaning = self.guard.leans(standing.level);
        match standing.verdict == Verdict::Equivalent && self.leaning {
            true => Standing { verdict: Verdict::Inconclusive, ..standing },
            false => standing,
        }
    }

    /// Adds the p-value at the look at the data that decided. The p-value is computed only here, for the report, since
    /// verdicts do not need it.
    pub(crate) fn put_p_value(&mut self, rows: &Rows) {
        if let Some(standing) = &mut self.decided {
            let closing = standing.verdict == Verdict::Inconclusive
                || !self.design.looks.contains(&(standing.n as u32));
            standing.p = Some(self.series.p_value(rows, &self.design, closing, standing));
        }
    }

    /// Number of clusters still to come until the next look at the data; `None` after the last one.
    pub(crate) fn to_next_look(&self) -> Option<u32> {
        let n = (self.series.d.len() + self.level.as_ref().map_or(0, Level::len)) as u32;
        self.design.looks.iter().find(|&&look| look > n).map(|look| look - n)
    }
}
