//! Evidence about one benchmark: of pairs, and of blocks in which each side ran twice in a row.
//!
//! A run may leave something to the next one: a cold page cache, a full disk. Where A and B take turns one by one, the
//! time that A costs B then counts as a difference between them. In a block (A A B B or B B A A, by a coin) the second
//! run of a side follows its own side, so that second runs alone are free of what the other side leaves.

use fauxplat_model::GateQuestion;
use fauxplat_stats::bets::Bets;
use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_stats::winsor::{Location, location};

use crate::findings::CarriedOver;

/// Indices of the three centres about which `Bets` keeps evidence: minus the margin, zero, plus the margin.
const LOW: usize = 0;
const ZERO: usize = 1;
const HIGH: usize = 2;

/// Evidence, as a logarithm, from which on second runs alone decide. Where nothing is left to the next run, they still give
/// the right answer, and need twice the runs.
const LN_CARRIED: f64 = 3.0;

/// Fewest blocks that begin with A, and with B, after which single pairs may follow.
const BLOCKS_MIN: usize = 3;

/// Before single pairs follow, the interval of what is left to the next run, with this two-sided error, has to lie within
/// this share of the margin.
const BOUND_LEVEL: f64 = 0.05;
const BOUND: f64 = 0.5;

/// Evidence of all pairs may be this much (as a logarithm) above twice the evidence of pairs after themselves, which
/// are half of the data. See `cargo run -p fauxplat-suite --example suites -- carried`.
const BACKING: f64 = 2.0;

/// The largest evidence so far, as logarithms. By Ville's inequality the running maximum is as valid as the latest
/// value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Peaks {
    /// Against *no difference*.
    pub(super) changed: f64,
    /// For a change within the margin.
    pub(super) within: f64,
    /// For a change beyond the margin on the gate's side.
    pub(super) beyond: f64,
    /// Against a change beyond the margin on the gate's side.
    pub(super) not_beyond: f64,
}

impl Peaks {
    /// Raises each peak to the present evidence, which `ln` gives for one statement about the bets.
    fn raise(&mut self, gate: Option<GateQuestion>, ln: impl Fn(fn(&Bets) -> f64) -> f64) {
        let above = [ln(|it| it.ln_above(LOW)), ln(|it| it.ln_above(ZERO)), ln(|it| it.ln_above(HIGH))];
        let below = [ln(|it| it.ln_below(LOW)), ln(|it| it.ln_below(ZERO)), ln(|it| it.ln_below(HIGH))];
        let ln_2 = std::f64::consts::LN_2;
        self.changed = self.changed.max(above[ZERO].max(below[ZERO]) - ln_2);
        self.within = self.within.max(above[LOW].min(below[HIGH]));
        let (beyond, not_beyond) = match gate {
            None => return,
            Some(GateQuestion::Slower) => (above[HIGH], below[HIGH]),
            Some(GateQuestion::Faster) => (below[LOW], above[LOW]),
            // The two directions share the stake, hence half for each.
            Some(GateQuestion::Different) => {
                (above[HIGH].max(below[LOW]) - ln_2, above[LOW].min(below[HIGH]))
            }
        };
        self.beyond = self.beyond.max(beyond);
        self.not_beyond = self.not_beyond.max(not_beyond);
    }
}

#[derive(Clone, Debug)]
pub(super) struct Evidence {
    /// Every pair, and the mean of the two pairs of a block: one coin decides the signs of both.
    all: Bets,
    /// Second runs of blocks.
    own: Bets,
    /// First less second runs of blocks: what is left to the next run.
    carried: Bets,
    /// The largest evidence that something is left, as a logarithm.
    ln_carried: f64,
    of_all: Peaks,
    of_own: Peaks,
    margin: f64,
    gate: Option<GateQuestion>,
    pairs: usize,
    /// Number of blocks that began with A, and with B. What A leaves to B shows in the former alone.
    began_with: [usize; 2],
}

impl Evidence {
    /// No evidence yet; `margin` is a log ratio.
    pub(super) fn about(margin: f64, gate: Option<GateQuestion>) -> Self {
        let about = || Bets::about(&[-margin, 0.0, margin]);
        Evidence {
            all: about(),
            own: about(),
            carried: Bets::about(&[0.0]),
            ln_carried: 0.0,
            of_all: Peaks::default(),
            of_own: Peaks::default(),
            margin,
            gate,
            pairs: 0,
            began_with: [0; 2],
        }
    }

    /// Records the log ratio of a pair.
    pub(super) fn pair(&mut self, d: f64) {
        self.pairs += 1;
        self.all.push(d);
        self.raise();
    }

    /// Records the log ratios of the first and of the second runs of a block.
    pub(super) fn block(&mut self, first: f64, second: f64, is_b_first: bool) {
        self.pairs += 2;
        self.began_with[usize::from(is_b_first)] += 1;
        self.all.push(0.5 * (first + second));
        self.own.push(second);
        self.carried.push(first - second);
        self.ln_carried = self.ln_carried.max(self.carried.ln_either(0));
        self.raise();
    }

    fn raise(&mut self) {
        let is_backed = !self.own.is_empty() && !self.is_bounded();
        let (all, own) = (&self.all, &self.own);
        self.of_own.raise(self.gate, |ln| ln(own));
        self.of_all.raise(self.gate, |ln| match is_backed {
            true => ln(all).min(2.0 * ln(own).max(0.0) + BACKING),
            false => ln(all),
        });
    }

    /// Whether something is shown to be left to the next run, so that second runs alone decide.
    pub(super) fn own_decides(&self) -> bool {
        self.ln_carried >= LN_CARRIED
    }

    /// Whether the next runs should be a block, because what is left to the next run is not yet shown to be small.
    pub(super) fn wants_block(&self) -> bool {
        self.own_decides() || !self.is_bounded()
    }

    fn is_bounded(&self) -> bool {
        if self.began_with.iter().any(|&blocks| blocks < BLOCKS_MIN) {
            return false;
        }
        let Location { estimate, se, df, .. } = location(&self.carried.values());
        let reach = t_upper_quantile(BOUND_LEVEL / 2.0, df) * se;
        let bound = BOUND * self.margin;
        estimate - reach > -bound && estimate + reach < bound
    }

    /// The pairs that decide: all, or those after themselves.
    pub(super) fn deciding(&self) -> &Bets {
        if self.own_decides() { &self.own } else { &self.all }
    }

    pub(super) fn peaks(&self) -> Peaks {
        if self.own_decides() { self.of_own } else { self.of_all }
    }

    /// Number of pairs.
    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    /// Pairs that one bet takes from here on.
    pub(super) fn pairs_per_bet(&self) -> f64 {
        if !self.own.is_empty() && self.wants_block() { 2.0 } else { 1.0 }
    }

    /// The logarithm of the present evidence that A and B differ.
    pub(super) fn ln_changed_now(&self) -> f64 {
        self.deciding().ln_either(ZERO)
    }

    /// The difference of pairs after themselves and of all pairs; `None` unless the former decide.
    pub(super) fn carried_over(&self) -> Option<CarriedOver> {
        let ratio = |bets: &Bets| location(&bets.values()).estimate.exp();
        self.own_decides().then(|| CarriedOver { after_itself: ratio(&self.own), all_runs: ratio(&self.all) })
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_stats::draw::Draw;

    use super::*;

    /// Blocks of a program whose B is slower by `effect`, and by `left` when it follows A.
    fn blocks(effect: f64, left: f64, count: usize) -> Evidence {
        let (mut evidence, mut draw) = (Evidence::about(0.03_f64.ln_1p(), None), Draw::new(3, 1));
        for at in 0..count {
            let mut noise = || 0.01 * draw.normal();
            let (is_b_first, second) = (at % 2 == 1, effect + noise());
            let first = effect + noise() + if is_b_first { 0.0 } else { left };
            evidence.block(first, second, is_b_first);
        }
        evidence
    }

    #[test]
    fn what_is_left_to_the_next_run_is_no_difference() {
        let left = blocks(0.0, 0.2, 30);
        assert!(left.own_decides() && left.wants_block());
        assert!(left.peaks().changed < 4.0, "{left:?}");
        let carried = left.carried_over().unwrap();
        assert!(carried.after_itself < 1.02 && carried.all_runs > 1.03, "{carried:?}");
        // A difference that what is left hides is found.
        let hidden = blocks(-0.1, 0.2, 30);
        assert!(hidden.peaks().changed > 8.0 && hidden.carried_over().unwrap().after_itself < 0.95);
    }

    #[test]
    fn single_pairs_follow_where_nothing_is_left() {
        let none = blocks(0.1, 0.0, 2 * BLOCKS_MIN);
        assert!(!none.own_decides() && !none.wants_block() && none.carried_over().is_none());
        assert_eq!((none.pairs(), none.pairs_per_bet()), (4 * BLOCKS_MIN, 1.0));
        assert!(blocks(0.1, 0.0, 2 * BLOCKS_MIN - 1).wants_block());
    }
}
