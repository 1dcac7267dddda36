//! The settings of a comparison that are fixed before the first look at the data, and the schedule of the looks, which
//! are interim analyses.

use fauxplat_model::{Estimand, GateSide, Rule};
use fauxplat_stats::paired::{Question, looks, spending};

/// The settings of one comparison, and its schedule of looks at the data.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    /// Margin of equivalence as a log ratio, equal on both sides, so that exchanging A and B changes nothing.
    pub(crate) margin: f64,
    /// Largest difference of the shares of much slower runs that still counts as none.
    pub(crate) tail_margin: f64,
    /// Whether an anytime-valid test (an e-process) decides instead of the sequential test with fixed looks at the
    /// data.
    pub(crate) anytime: bool,
    /// Numbers of clusters (blocks) after which the data are looked at, in ascending order; the comparison ends at the
    /// last one.
    pub(crate) looks: Vec<u32>,
    /// Whether the mean over blocks is tested, as when every block has another layout, or the typical block.
    pub(crate) question: Question,
    /// Quantity that decides: the typical pair or the mean ratio.
    pub(crate) estimand: Estimand,
    /// Side of the margin that a gate asks about; sampling continues until the gate is answered. `None` without a gate.
    pub(crate) gate: Option<GateSide>,
    /// Least duration of measuring before the first look at the data, in seconds.
    pub(crate) least_span_s: f64,
    pub(crate) seed: u64,
}

impl Design {
    /// Takes the settings from a rule; `margin` is a ratio minus one, and `clusters_max` is the limit of clusters.
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

    /// Cumulative error probability per side that may be spent up to each look at the data in `looked`. A look that was
    /// skipped because too little time had passed leaves its share to the next one; with `closing`, the last look may
    /// spend the whole remainder.
    pub(crate) fn spent(&self, level: f64, looked: &[u32], closing: bool) -> Vec<f64> {
        let number = |look: u32| self.looks.partition_point(|&planned| planned <= look).max(1);
        let part = |(at, &look): (usize, &u32)| match closing && at + 1 == looked.len() {
            true => 1.0,
            false => spending(number(look), self.looks.len()),
        };
        looked.iter().enumerate().map(part).map(|part| 0.5 * level * part).collect()
    }
}
