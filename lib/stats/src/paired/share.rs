//! Test that A and B have equal shares of slow runs: bets against each share that is too large.

use crate::describe::{MAD_TO_SD, median_in_place, quantile_sorted};

/// Number of first pairs that only set the threshold of large differences, and are not counted.
const PAST_MIN: usize = 8;

/// Number of scaled median magnitudes above which a difference is large.
const LARGE: f64 = 4.0;

/// The threshold of a large difference never exceeds this log ratio (ln 1.5, half as long again) or twice the median
/// magnitude, whichever is greater. Without this cap it would exceed a factor of two as soon as the runs of a pair
/// usually differ by more than 12 %, as when runs fall into two distant modes.
const ALWAYS_LARGE: f64 = 0.405;

/// Number of large differences that are assumed before the first pair, so that no bet risks everything.
const DOUBT: f64 = 0.1;

/// The excess of large differences to one side over those to the other, as a share of all pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct ExcessShare {
    /// Minimum size of a difference that counts as large, in the unit of the differences.
    least: f64,
    /// All magnitudes so far, in ascending order.
    rising: Vec<f64>,
    /// For each counted pair: 1 if B was much slower, −1 if A was, otherwise 0.
    seen: Vec<i8>,
    /// The bets against the excess that every look asks about, updated pair by pair.
    asked: [Bet; 2],
}

impl ExcessShare {
    /// Differences below `least` are never large. `share` is the excess whose bets are kept up to date.
    pub fn new(least: f64, share: f64) -> Self {
        ExcessShare { least, rising: Vec::new(), seen: Vec::new(), asked: Bet::both(share) }
    }

    /// Minimum size of a difference that counts as large, in the unit of the differences.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Adds a difference. Whether it is large is decided by the differences before it.
    pub fn push(&mut self, d: f64) {
        let magnitude = d.abs();
        if self.rising.len() >= PAST_MIN {
            let seen = if magnitude > self.threshold() { d.signum() as i8 } else { 0 };
            self.asked.iter_mut().for_each(|bet| bet.take(seen));
            self.seen.push(seen);
        }
        let place = self.rising.partition_point(|other| other.total_cmp(&magnitude).is_lt());
        self.rising.insert(place, magnitude);
    }

    /// Magnitude above which the next difference counts as large.
    pub fn threshold(&self) -> f64 {
        threshold(quantile_sorted(&self.rising, 0.5), self.least)
    }

    /// Numbers of large differences with B slower, and with A slower.
    pub fn counts(&self) -> (usize, usize) {
        let count = |wanted| self.seen.iter().filter(|&&seen| seen == wanted).count();
        (count(1), count(-1))
    }

    /// Whether an excess of `share` or more is excluded on both sides, with error at most `level` over all time
    /// (Ville's inequality; Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting").
    pub fn excludes(&self, share: f64, level: f64) -> bool {
        let enough = |bet: &Bet| bet.evidence >= -level.ln();
        match self.asked.iter().all(|bet| bet.share == share) {
            _ if share <= 0.0 => false,
            true => self.asked.iter().all(enough),
            false => Bet::both(share).iter_mut().all(|bet| {
                self.seen.iter().for_each(|&seen| bet.take(seen));
                enough(bet)
            }),
        }
    }

    /// The smallest excess that is excluded on both sides; 1 while none is.
    pub fn bound(&self, level: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            if self.excludes(middle, level) { high = middle } else { low = middle }
        }
        high
    }
}

/// Evidence that the excess to one side is less than a share: the capital after betting on it pair by pair, each time
/// with the stake that would have been best so far.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bet {
    share: f64,
    /// Side of the excess: 1 for B, −1 for A.
    side: i8,
    pairs: f64,
    /// Number of large differences to this side; `behind` is the number to the other side.
    ahead: f64,
    behind: f64,
    /// Logarithm of the capital, which is 1 before the first pair.
    evidence: f64,
}

impl Bet {
    /// Bets against an excess to either side.
    fn both(share: f64) -> [Bet; 2] {
        [1, -1].map(|side| Bet { share, side, pairs: 0.0, ahead: 0.0, behind: 0.0, evidence: 0.0 })
    }

    /// Bets on a pair; `seen` is 1 if B was much slower, −1 if A was, otherwise 0.
    fn take(&mut self, seen: i8) {
        let before = self.pairs + 1.0;
        let bet = best_bet(self.share, (self.ahead + DOUBT) / before, self.behind / before);
        let y = f64::from(seen * self.side);
        self.evidence += (bet * (self.share - y)).ln_1p();
        self.ahead += f64::from(y > 0.0);
        self.behind += f64::from(y < 0.0);
        self.pairs = before;
    }
}

/// Magnitude above which a difference is large among others with this median magnitude; at least `least`.
fn threshold(usual: Option<f64>, least: f64) -> f64 {
    let usual = usual.unwrap_or(0.0);
    let always = ALWAYS_LARGE.max(2.0 * usual);
    least.max((LARGE * MAD_TO_SD * usual).min(always))
}

/// Magnitude above which one of these differences is large; at least `least`. The threshold depends only on magnitudes,
/// so given it every pattern of signs is as likely as before.
pub fn threshold_of(d: &[f64], least: f64) -> f64 {
    threshold(median_in_place(&mut d.iter().map(|d| d.abs()).collect::<Vec<_>>()), least)
}

/// The differences that are not large. Differences below `least` never are.
pub fn usual(d: &[f64], least: f64) -> Vec<f64> {
    let large = threshold_of(d, least);
    d.iter().copied().filter(|d| d.abs() <= large).collect()
}

/// The stake that maximises the expected logarithm of 1 + stake · (share − y), if y is 1 and −1 with these
/// probabilities. Never negative, and never a stake that can lose everything.
fn best_bet(share: f64, ahead: f64, behind: f64) -> f64 {
    let slope = |bet: f64| {
        let part = |gain: f64| gain / (1.0 + bet * gain);
        ahead * part(share - 1.0) + (1.0 - ahead - behind).max(0.0) * part(share) + behind * part(share + 1.0)
    };
    let (mut low, mut high) = (0.0, 0.98 / (1.0 - share).max(0.02));
    if slope(high) >= 0.0 {
        return high;
    }
    if slope(low) <= 0.0 {
        return 0.0;
    }
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    /// Number of pairs until an excess of `share` is excluded, if a run of B is slow with probability `b`; `usize::MAX`
    /// if 2000 do not suffice.
    fn pairs(share: f64, b: f64, seed: u64) -> usize {
        let mut draw = Draw::new(seed, 2);
        let mut excess = ExcessShare::new(0.02, share);
        for n in 1..=2000 {
            let slow = if draw.uniform() < b { 0.7 } else { 0.0 };
            excess.push(0.003 * draw.normal() + slow);
            if n % 20 == 0 && excess.excludes(share, 0.01) {
                return n;
            }
        }
        usize::MAX
    }

    #[test]
    fn without_slow_runs_the_binomial_bound_is_nearly_reached() {
        // −ln 0.01 / 0.03 = 154 pairs at the least.
        let needed = pairs(0.03, 0.0, 1);
        assert!((154..=200).contains(&needed), "{needed}");
        assert!((90..=140).contains(&pairs(0.05, 0.0, 1)));
    }

    #[test]
    fn an_excess_as_large_as_asked_is_hardly_ever_excluded() {
        let wrong = (0..60).filter(|&seed| pairs(0.05, 0.05, seed) < usize::MAX).count();
        assert!(wrong <= 3, "{wrong}");
    }

    #[test]
    fn the_bound_says_what_is_excluded() {
        let mut excess = ExcessShare::new(0.02, 0.03);
        assert_eq!(excess.bound(0.01), 1.0);
        (0..208).for_each(|_| excess.push(0.0));
        let bound = excess.bound(0.01);
        assert!((0.02..0.035).contains(&bound) && excess.excludes(bound + 1e-3, 0.01), "{bound}");
        excess.push(0.5);
        excess.push(-0.5);
        assert_eq!(excess.counts(), (1, 1));
    }

    #[test]
    fn twice_as_long_is_much_slower_where_modes_lie_a_third_apart() {
        let mut draw = Draw::new(9, 1);
        let (mut same, mut slow) = (ExcessShare::new(0.02, 0.03), ExcessShare::new(0.02, 0.03));
        for n in 0..1000 {
            let d = [0.0, 0.27, 0.0, -0.27][draw.below(4)] + 0.03 * draw.normal();
            same.push(d);
            slow.push(d + if n % 20 == 7 { 0.69 } else { 0.0 });
        }
        assert!(same.excludes(0.03, 0.01) && !slow.excludes(0.03, 0.01), "{:?}", slow.counts());
        assert!(slow.counts().0 >= slow.counts().1 + 30, "{:?}", slow.counts());
        // Large differences to both sides, caused by noise, are no excess.
        let mut wide = ExcessShare::new(0.02, 0.03);
        (0..4000).for_each(|_| wide.push(0.2 * draw.normal()));
        assert!(wide.counts().0 > 50 && wide.excludes(0.03, 0.01), "{:?}", wide.counts());
        // An effect in all runs of B is no tail.
        let mut twice = ExcessShare::new(0.02, 0.03);
        (0..200).for_each(|_| twice.push(0.69 + 0.01 * draw.normal()));
        assert_eq!(twice.counts(), (0, 0));
    }

    #[test]
    fn what_is_kept_pair_by_pair_is_what_all_pairs_say_together() {
        let mut draw = Draw::new(5, 1);
        let mut excess = ExcessShare::new(0.02, 0.03);
        let mut d = Vec::new();
        for n in 0..600 {
            let one = 0.01 * draw.normal() * if draw.below(12) == 0 { 9.0 } else { 1.0 };
            let past: Vec<f64> = d.iter().map(|d: &f64| d.abs()).collect();
            let usual = crate::describe::median(&past).unwrap_or(0.0);
            let threshold = 0.02f64.max((LARGE * MAD_TO_SD * usual).min(ALWAYS_LARGE.max(2.0 * usual)));
            assert_eq!(excess.threshold().to_bits(), threshold.to_bits(), "{n}");
            excess.push(one);
            d.push(one);
            let mut anew = Bet::both(0.03);
            excess.seen.iter().for_each(|&seen| anew.iter_mut().for_each(|bet| bet.take(seen)));
            assert_eq!(excess.asked, anew);
        }
        let (ahead, behind) = excess.counts();
        assert!(ahead > 5 && behind > 5, "{ahead} {behind}");
        for level in [0.5, 0.1, 0.01] {
            let other = ExcessShare { asked: Bet::both(0.5), ..excess.clone() };
            assert_eq!(excess.excludes(0.03, level), other.excludes(0.03, level));
        }
    }
}
