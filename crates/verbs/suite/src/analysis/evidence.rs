//! Evidence about one benchmark, from pairs of runs and from blocks in which each of the two sides, A and B, ran twice
//! in a row.
//!
//! A run may leave something behind that slows the next run down, such as a cold page cache or a full disk. If A and B
//! alternate after every run, the time that A costs B counts as a difference between them. In a block (A A B B or B B A
//! A, at random) the second run of each side follows a run of the same side, so the second runs are free of what the
//! other side leaves behind.

use fauxplat_model::GateQuestion;
use fauxplat_stats::bets::Bets;
use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_stats::winsor::{Location, location};

use crate::findings::CarriedOver;

/// Indices of the three centres about which `Bets` keeps evidence: minus the margin, zero, plus the margin.
const LOW: usize = 0;
const ZERO: usize = 1;
const HIGH: usize = 2;

/// Logarithm of the evidence for carry-over (something that a run leaves to the next one) from which on only second
/// runs of blocks decide. Without carry-over they also give the right answer, but need twice the runs.
const LN_CARRIED: f64 = 3.0;

/// Fewest blocks that begin with A, and as many that begin with B, before single pairs may follow.
const BLOCKS_MIN: usize = 3;

/// Before single pairs follow, the confidence interval of the carry-over, with this two-sided error, has to lie within
/// this share of the margin.
const BOUND_LEVEL: f64 = 0.05;
const BOUND: f64 = 0.5;

/// Largest amount by which the logarithm of the evidence of all pairs may exceed twice that of the second runs of
/// blocks, which are half of the data. See `cargo run -p fauxplat-suite --example suites -- carried`.
const BACKING: f64 = 2.0;

/// Natural logarithms of the largest evidence so far for four statements. By Ville's inequality the running maximum is
/// as valid as the latest value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Peaks {
    /// Evidence against the statement that A and B do not differ.
    pub(super) changed: f64,
    /// Evidence for a change within the margin.
    pub(super) within: f64,
    /// Evidence for a change beyond the margin, in the direction that the gate asks about.
    pub(super) beyond: f64,
    /// Evidence against a change beyond the margin, in the direction that the gate asks about.
    pub(super) not_beyond: f64,
}

impl Peaks {
    /// Raises each peak to the present evidence. `ln` returns the logarithm of that evidence; its argument picks a
    /// statement about the mean of [`Bets`].
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
            // The stake is divided between two directions, so each has half of the evidence.
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
    /// Bets on the log ratio of every single pair, and on the mean of both pairs of each block, since one random draw
    /// decides the order in both.
    all: Bets,
    /// Bets on the log ratios of the second runs of blocks.
    own: Bets,
    /// Bets on the difference between the first and the second log ratio of blocks, which is the carry-over.
    carried: Bets,
    /// Largest logarithm so far of the evidence for carry-over.
    ln_carried: f64,
    of_all: Peaks,
    of_own: Peaks,
    margin: f64,
    gate: Option<GateQuestion>,
    pairs: usize,
    /// Number of blocks that began with A, and with B. The carry-over from A to B shows only in the former.
    began_with: [usize; 2],
}

impl Evidence {
    /// Evidence without data; `margin` is a log ratio.
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

    /// Records the log ratio of a pair, B over A.
    pub(super) fn pair(&mut self, d: f64) {
        self.pairs += 1;
        self.all.push(d);
        self.raise();
    }

    /// Records the log ratios, B over A, of the first and of the second runs of a block.
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

    /// Whether carry-over was shown, so that only second runs of blocks decide.
    pub(super) fn own_decides(&self) -> bool {
        self.ln_carried >= LN_CARRIED
    }

    /// Whether the next runs should be a block, since carry-over was shown or is not yet bounded well enough.
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

    /// Bets on the pairs that decide: all pairs or, once carry-over was shown, only the second runs of blocks.
    pub(super) fn deciding(&self) -> &Bets {
        if self.own_decides() { &self.own } else { &self.all }
    }

    pub(super) fn peaks(&self) -> Peaks {
        if self.own_decides() { self.of_own } else { self.of_all }
    }

    /// Number of pairs recorded; a block counts as two.
    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    /// Number of pairs of which the next bet consists: two in blocks, else one.
    pub(super) fn pairs_per_bet(&self) -> f64 {
        if !self.own.is_empty() && self.wants_block() { 2.0 } else { 1.0 }
    }

    /// Logarithm of the present evidence that A and B differ.
    pub(super) fn ln_changed_now(&self) -> f64 {
        self.deciding().ln_either(ZERO)
    }

    /// Ratios B over A of the second runs of blocks and of all runs; `None` unless carry-over was shown.
    pub(super) fn carried_over(&self) -> Option<CarriedOver> {
        let ratio = |bets: &Bets| location(&bets.values()).estimate.exp();
        self.own_decides().then(|| CarriedOver { after_itself: ratio(&self.own), all_runs: ratio(&self.all) })
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_stats::draw::Draw;

    use super::*;

    /// Evidence from blocks of a benchmark whose B is slower by `effect`, and in first runs after A by `left` more;
    /// both are log ratios.
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
        // A difference is found even if the carry-over hides it.
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
