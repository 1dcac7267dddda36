//! How long an undecided comparison goes on.

use fauxplat_model::Rule;

use crate::judge::Judge;

/// The limits in time of one comparison.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    max_time_ns: Option<u64>,
    /// Undecided, it goes on until then, and until there were so many pairs.
    at_least_ns: Option<u64>,
    pairs_usual: u32,
}

impl Patience {
    /// The limits of a rule.
    pub fn new(rule: &Rule) -> Self {
        let ns = |limit_s: f64| (limit_s * 1e9) as u64;
        Patience {
            max_time_ns: rule.max_time_s.map(ns),
            at_least_ns: rule.at_least_s.map(ns),
            pairs_usual: rule.max_pairs,
        }
    }

    /// Whether it is over after this time and so many pairs: with all the usual pairs, or with typical runs decided, since
    /// then only what is rare is not known.
    pub fn is_over(&self, elapsed_ns: u64, pairs: u32, judge: &Judge) -> bool {
        let is_late = |limit_ns: Option<u64>| limit_ns.is_some_and(|limit_ns| elapsed_ns >= limit_ns);
        let enough = pairs >= self.pairs_usual || judge.is_typical_known();
        is_late(self.max_time_ns) || (enough && is_late(self.at_least_ns))
    }

    /// How many blocks of this length will fit, with a quarter to spare; `None` where time is no limit.
    pub fn blocks(&self, block_ns: u64) -> Option<u32> {
        let limit_ns = self.at_least_ns?;
        let blocks = limit_ns.saturating_add(limit_ns / 4) / block_ns.max(1);
        Some(u32::try_from(blocks).unwrap_or(u32::MAX))
    }

    /// How much of the time lies behind, as a share of what the longest way to an end takes.
    pub fn share(&self, elapsed_ns: u64, pairs: u32) -> f64 {
        let of = |limit_ns: u64| elapsed_ns as f64 / limit_ns.max(1) as f64;
        let of_pairs = f64::from(pairs) / f64::from(self.pairs_usual.max(1));
        let by_patience = self.at_least_ns.map_or(0.0, |limit_ns| of(limit_ns).min(of_pairs));
        self.max_time_ns.map_or(0.0, of).max(by_patience)
    }
}
