//! How a step is decided: nearer to the good end or to the bad one, and what error that may have.
//!
//! Where one commit made the change, every commit is in its time like the good end or like the bad one. So of the two
//! statements "the middle is as the good end" and "the middle is as the bad end" one is true, and a test at the error of
//! the step rejects the true one with at most that probability. The first of them to be rejected decides. Compared with a
//! test of the middle between both ends this takes a third of the runs, since the whole change and not its half is
//! looked for, and the ends' own noise counts once.

use crate::search::Side;

/// Part of the least difference between the ends by which a commit has to lie away from an end: programs of equal
/// sources differ by their layout, and that must decide nothing.
const NEAR: f64 = 0.25;

/// How the probability of a wrong answer is divided over a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    level: f64,
    steps: u32,
}

impl Budget {
    /// A search whose answer may be wrong with this probability, with as many steps as it should have.
    pub fn new(level: f64, steps: u32) -> Self {
        Budget { level, steps: steps.max(1) }
    }

    /// For the question whether the ends differ: a quarter.
    pub fn ends(self) -> f64 {
        0.25 * self.level
    }

    /// For the question whether the commit that was found differs from the one before it: a quarter.
    pub fn confirmation(self) -> f64 {
        0.25 * self.level
    }

    /// For a step, counted from 0. Nine tenths of the half of all steps are for those that were foreseen; those that come
    /// instead of undecided ones share the rest by halves, so that there may be any number of them.
    pub fn step(self, number: u32) -> f64 {
        let steps = 0.5 * self.level;
        match number.checked_sub(self.steps) {
            None => 0.9 * steps / f64::from(self.steps),
            Some(extra) => 0.1 * steps * 0.5f64.powf(f64::from(extra) + 1.0),
        }
    }
}

/// A ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ratio {
    /// The estimate.
    pub ratio: f64,
    /// Low end of the interval.
    pub low_ratio: f64,
    /// High end of the interval.
    pub high_ratio: f64,
}

impl Ratio {
    /// The ratio the other way round.
    pub fn inverted(self) -> Self {
        Ratio { ratio: 1.0 / self.ratio, low_ratio: 1.0 / self.high_ratio, high_ratio: 1.0 / self.low_ratio }
    }

    /// The least rise that is not excluded, as a logarithm, or the least fall where `up` is false.
    fn least(self, up: bool) -> f64 {
        if up { self.low_ratio.ln() } else { -self.high_ratio.ln() }
    }

    /// Whether the whole interval lies within a margin, on both sides of one.
    pub fn is_within(self, margin: f64) -> bool {
        self.least(true) >= -margin.ln_1p() && self.least(false) >= -margin.ln_1p()
    }

    fn estimate(self, up: bool) -> f64 {
        if up { self.ratio.ln() } else { -self.ratio.ln() }
    }
}

/// The change between the ends, once it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Whether readings rose.
    pub up: bool,
    /// How far a commit has to lie away from an end, as a logarithm.
    pub near: f64,
}

impl Change {
    /// The change that a comparison of the bad end with the good one shows; `None` where it shows none beyond a margin.
    pub fn of(ends: Ratio, margin: f64) -> Option<Self> {
        let up = ends.ratio > 1.0;
        let least = ends.least(up);
        (least > margin.ln_1p()).then_some(Change { up, near: NEAR * least })
    }

    /// The distance from an end that decides, as a share.
    pub fn margin(self) -> f64 {
        self.near.exp_m1()
    }

    /// The side of a commit, from the ratio of the commit to the good end and that of the bad end to the commit; `None`
    /// while neither end is excluded. A commit that is apart from both lies on the side of the end that is nearer.
    pub fn side(self, from_good: Ratio, to_bad: Ratio) -> Option<Side> {
        let away = |ratio: Ratio| ratio.least(self.up) > self.near;
        match (away(from_good), away(to_bad)) {
            (true, true) if from_good.estimate(self.up) < to_bad.estimate(self.up) => Some(Side::Good),
            (true, _) => Some(Side::Bad),
            (false, true) => Some(Side::Good),
            (false, false) => None,
        }
    }

    /// Whether a commit is shown to lie between the ends, so that more than one commit made the change.
    pub fn is_between(self, from_good: Ratio, to_bad: Ratio) -> bool {
        from_good.least(self.up) > self.near && to_bad.least(self.up) > self.near
    }

    /// Whether a commit is shown to have made a part of the change: its ratio to the commit before it.
    pub fn is_made_by(self, own: Ratio) -> bool {
        own.least(self.up) > self.near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(ratio: f64, width: f64) -> Ratio {
        Ratio { ratio, low_ratio: ratio - width, high_ratio: ratio + width }
    }

    #[test]
    fn the_budget_is_not_overdrawn() {
        for steps in [0, 1, 8, 20] {
            let budget = Budget::new(0.01, steps);
            let all: f64 = (0..200).map(|number| budget.step(number)).sum();
            let sum = all + budget.ends() + budget.confirmation();
            assert!((0.0099..=0.010_000_1).contains(&sum), "{steps}: {sum}");
        }
    }

    #[test]
    fn the_end_that_is_excluded_first_decides() {
        for up in [true, false] {
            let turned = |ratio: Ratio| if up { ratio } else { ratio.inverted() };
            let change = Change::of(turned(ratio(1.03, 0.01)), 0.01).unwrap();
            assert_eq!(change.up, up);
            let side = |from_good, to_bad| change.side(turned(from_good), turned(to_bad));
            assert_eq!(side(ratio(1.03, 0.02), ratio(1.0, 0.02)), Some(Side::Bad));
            assert_eq!(side(ratio(1.0, 0.02), ratio(1.03, 0.02)), Some(Side::Good));
            assert_eq!(side(ratio(1.01, 0.02), ratio(1.02, 0.03)), None);
            assert_eq!(side(ratio(0.97, 0.01), ratio(1.06, 0.01)), Some(Side::Good));
            // A shift by less than a quarter of the change decides nothing.
            assert_eq!(side(ratio(1.004, 0.0005), ratio(1.0, 0.05)), None);
            let (near, far) = (ratio(1.012, 0.001), ratio(1.018, 0.001));
            assert_eq!((side(near, far), side(far, near)), (Some(Side::Good), Some(Side::Bad)));
            assert!(change.is_between(turned(near), turned(far)));
        }
    }

    #[test]
    fn ends_that_are_not_shown_to_differ_by_the_margin_are_no_change() {
        assert_eq!(Change::of(ratio(1.03, 0.025), 0.01), None);
        assert_eq!(Change::of(ratio(0.98, 0.015), 0.01), None);
        assert_eq!(Change::of(ratio(1.0, f64::INFINITY), 0.01), None);
        assert!(Change::of(ratio(1.03, 0.015), 0.01).is_some());
        assert!(ratio(1.0, 0.009).is_within(0.01) && !ratio(1.005, 0.009).is_within(0.01));
        assert!(!ratio(0.995, 0.009).is_within(0.01));
    }
}
