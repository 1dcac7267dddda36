//! A contest of a judge: one command against another in one metric, with the state of its looks.

use fauxplat_model::{GateState, Margin, Metric, Verdict};
use fauxplat_stats::paired::rows::Rows;

use crate::censored::Censored;
use crate::design::Design;
use crate::guard::Guard;
use crate::level::Level;
use crate::pairing::Seen;
use crate::series::Series;
use crate::standing::Standing;

/// Contest of one command against another in one metric. The other is the first command, except when a winner is
/// tested.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub(crate) reference: u16,
    pub(crate) candidate: u16,
    pub(crate) metric: Metric,
    pub(crate) margin: Margin,
    /// Level of both commands so far, while an absolute margin waits for it to be turned into a ratio.
    pub(crate) level: Option<Level>,
    pub(crate) design: Design,
    pub(crate) series: Series,
    pub(crate) guard: Guard,
    /// Blocks whose pair was kept and counts, in ascending order.
    pub(crate) kept: Vec<u32>,
    /// Blocks whose pair the guards accepted, including those after the answer.
    pub(crate) good: Vec<u32>,
    /// Kinds of readings among the pairs that count.
    pub(crate) censored: Censored,
    /// Set at the look that decided. Its figures do not change afterwards, as a sequential design requires.
    pub(crate) decided: Option<Standing>,
    /// Error level at which the commands were called different, while a gate still asks by how much.
    pub(crate) rejected_at: Option<f64>,
    /// Whether one command waited in more of the dropped pairs than chance allows.
    pub(crate) leaning: bool,
    /// Number of clusters after which typical runs were first known to be equivalent.
    pub(crate) typical_at: Option<usize>,
}

impl Contest {
    /// Takes one more cluster; returns whether this is a moment to look. Clusters are kept back until an absolute
    /// margin is known.
    pub(crate) fn push(&mut self, seen: &Seen) -> bool {
        match &mut self.level {
            None => self.series.push(seen, &self.design),
            Some(level) => level.take(seen.clone()) && self.release(),
        }
    }

    /// Turns an absolute margin into a ratio by the level seen so far, unless that has been done.
    pub(crate) fn settle_margin(&mut self) {
        self.release();
    }

    /// Turns an absolute margin into a ratio, and takes the clusters that were kept back.
    fn release(&mut self) -> bool {
        let (Some(level), Margin::Absolute(amount)) = (self.level.take(), self.margin) else { return false };
        if let Some(ratio) = level.ratio_of(amount) {
            self.design.margin = ratio.ln_1p();
        }
        self.series = Series::new(&self.design);
        let (series, design) = (&mut self.series, &self.design);
        level.waiting().fold(false, |look, seen| series.push(seen, design) | look)
    }

    /// The margin as a ratio of the typical level of both commands.
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

    /// Takes note of a look that showed no new difference.
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

    /// Withholds an *equivalent* if the dropped pairs lean to one side, since the difference may be in the dropped
    /// pairs.
    pub(crate) fn withheld(&mut self, standing: Standing) -> Standing {
        self.leaning = self.guard.leans(standing.level);
        match standing.verdict == Verdict::Equivalent && self.leaning {
            true => Standing { verdict: Verdict::Inconclusive, ..standing },
            false => standing,
        }
    }

    /// Adds the p-value at the look that decided, for the report.
    pub(crate) fn put_p_value(&mut self, rows: &Rows) {
        if let Some(standing) = &mut self.decided {
            let closing = standing.verdict == Verdict::Inconclusive
                || !self.design.looks.contains(&(standing.n as u32));
            standing.p = Some(self.series.p_value(rows, &self.design, closing, standing));
        }
    }

    /// Clusters until the next look.
    pub(crate) fn to_next_look(&self) -> Option<u32> {
        let n = (self.series.d.len() + self.level.as_ref().map_or(0, Level::len)) as u32;
        self.design.looks.iter().find(|&&look| look > n).map(|look| look - n)
    }
}
