//! Time limits of an undecided comparison.

use fauxplat_model::Rule;

use crate::judge::{BLOCKS_MAX, Judge};

/// Minimum number of pairs of a session; fewer pairs hardly show the effect in that session.
const SESSION_PAIRS_MIN: u32 = 6;

#[derive(Clone, Copy, Debug)]
pub struct Patience {
    max_time_ns: Option<u64>,
    /// Time after which an undecided comparison ends, if it has the usual number of pairs, or if typical runs are
    /// decided and only rare slow runs are open; `None` without such a limit.
    at_least_ns: Option<u64>,
    pairs_usual: u32,
    /// Number of pairs after which the comparison ends, decided or not; `None` without such a limit.
    pairs_max: Option<u32>,
}

impl Patience {
    pub fn new(rule: &Rule) -> Self {
        let ns = |limit_s: f64| (limit_s * 1e9) as u64;
        Patience {
            max_time_ns: rule.max_time_s.map(ns),
            at_least_ns: rule.at_least_s.map(ns),
            pairs_usual: rule.max_pairs,
            pairs_max: None,
        }
    }

    /// Limits of a single session out of several: each session gets an equal part of the time and the pairs of the
    /// rule.
    pub fn of_session(rule: &Rule, sessions: u32) -> Self {
        let (whole, sessions) = (Patience::new(rule), sessions.max(1));
        let share = |limit_ns: u64| limit_ns / u64::from(sessions);
        let pairs = whole.pairs_usual.div_ceil(sessions).max(SESSION_PAIRS_MIN);
        let most = BLOCKS_MAX / sessions;
        Patience {
            max_time_ns: whole.max_time_ns.map(share),
            at_least_ns: whole.at_least_ns.map(share),
            pairs_usual: pairs,
            pairs_max: Some(if whole.at_least_ns.is_some() { most } else { pairs.min(most) }),
        }
    }

    /// Whether a limit ends the comparison after this time and this number of pairs.
    pub fn is_over(&self, elapsed_ns: u64, pairs: u32, judge: &Judge) -> bool {
        let is_late = |limit_ns: Option<u64>| limit_ns.is_some_and(|limit_ns| elapsed_ns >= limit_ns);
        if self.pairs_max.is_some_and(|most| pairs >= most) {
            return true;
        }
        let enough = pairs >= self.pairs_usual || judge.is_typical_known();
        is_late(self.max_time_ns) || (enough && is_late(self.at_least_ns))
    }

    /// Whether `max_time_ns` is past, which ends every comparison.
    pub fn is_past(&self, elapsed_ns: u64) -> bool {
        self.max_time_ns.is_some_and(|limit_ns| elapsed_ns >= limit_ns)
    }

    /// Number of blocks of duration `block_ns` that fit into `at_least_ns`, with a quarter to spare; `None` if that
    /// limit is not set.
    pub fn blocks(&self, block_ns: u64) -> Option<u32> {
        let limit_ns = self.at_least_ns?;
        let blocks = limit_ns.saturating_add(limit_ns / 4) / block_ns.max(1);
        Some(u32::try_from(blocks).unwrap_or(u32::MAX))
    }

    /// Progress towards the limits, as a share of time or pairs; 1 or more when a limit is reached.
    pub fn share(&self, elapsed_ns: u64, pairs: u32) -> f64 {
        let of = |limit_ns: u64| elapsed_ns as f64 / limit_ns.max(1) as f64;
        let of_pairs = f64::from(pairs) / f64::from(self.pairs_usual.max(1));
        let by_patience = self.at_least_ns.map_or(0.0, |limit_ns| of(limit_ns).min(of_pairs));
        self.max_time_ns.map_or(0.0, of).max(by_patience)
    }
}
