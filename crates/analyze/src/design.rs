//! The parts of a rule that a comparison fixes before its first look, with its schedule.

use fauxplat_model::{Estimand, GateSide, Rule};
use fauxplat_stats::paired::{Question, looks, spending};

/// The parts of a rule that one contest uses, and its schedule of looks.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    /// Margin of equivalence as a log ratio, equal on both sides, so that exchanging A and B changes nothing.
    pub(crate) margin: f64,
    /// Largest excess of much slower runs that still counts as none.
    pub(crate) tail_margin: f64,
    /// Whether the e-process decides.
    pub(crate) anytime: bool,
    /// Numbers of clusters after which the data are looked at; the last one is the limit.
    pub(crate) looks: Vec<u32>,
    /// Whether the mean over blocks is asked for, as when every block is another layout, or the typical block.
    pub(crate) question: Question,
    /// Estimand that decides.
    pub(crate) estimand: Estimand,
    /// Side of the margin that a gate asks about; sampling continues until that is known.
    pub(crate) gate: Option<GateSide>,
    /// Seconds of measuring before the first look.
    pub(crate) least_span_s: f64,
    pub(crate) seed: u64,
}

impl Design {
    /// The design of a rule with a margin, as a ratio, and a limit of clusters.
    pub(crate) fn new(rule: &Rule, margin: f64, seed: u64, clusters_max: u32, question: Question) -> Self {
        Design {
            margin: margin.max(0.0).ln_1p(),
            tail_margin: rule.tail_margin.clamp(0.0, 1.0),
            anytime: rule.anytime,
            looks: looks(clusters_max),
            question,
            estimand: rule.estimand,
            gate: None,
            least_span_s: rule.least_span_s.max(0.0),
            seed,
        }
    }

    /// Cumulative probability per side that may be spent by each of these looks. A look that was skipped because too
    /// little time had passed leaves its part to the next.
    pub(crate) fn spent(&self, level: f64, looked: &[u32], closing: bool) -> Vec<f64> {
        let number = |look: u32| self.looks.partition_point(|&planned| planned <= look).max(1);
        let part = |(at, &look): (usize, &u32)| match closing && at + 1 == looked.len() {
            true => 1.0,
            false => spending(number(look), self.looks.len()),
        };
        looked.iter().enumerate().map(part).map(|part| 0.5 * level * part).collect()
    }
}
