//! Decides whether a commit performs like the good end or like the bad end of a search, within a given error.
//!
//! If a single commit made the change, every other commit takes as long as the good end or as the bad end. So one of
//! two hypotheses is true, "the commit is like the good end" or "the commit is like the bad end", and a test at the
//! error of the step rejects the true one with at most that probability. The first hypothesis that is rejected decides.
//! A test against the middle between the ends would need three times as many runs: it would have to find half of the
//! change instead of the whole change, and the noise of both ends would count.

use fauxplat_model::{high_ratio_end, low_ratio_end, ratio_end};

use crate::search::Side;

/// Share of the smallest difference between the ends of the search by which a commit has to differ from an end.
/// Programs of equal sources differ by their layout, and such differences must not decide.
const NEAR: f64 = 0.25;

/// Division of the allowed probability of a wrong answer among the steps of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    level: f64,
    steps: u32,
}

impl Budget {
    /// Divides `level`, the allowed probability of a wrong answer, for a search that should take `steps` steps.
    pub fn new(level: f64, steps: u32) -> Self {
        Budget { level, steps: steps.max(1) }
    }

    /// Allowed error of the comparison of the good end of the search with the bad end: a quarter of the level.
    pub fn ends(self) -> f64 {
        0.25 * self.level
    }

    /// Allowed error of the comparison of the found commit with the commit before it: a quarter of the level.
    pub fn confirmation(self) -> f64 {
        0.25 * self.level
    }

    /// Allowed error of a step, counted from 0. All steps together have half of the level. Nine tenths of that half are
    /// for the expected steps, in equal parts. The rest is for the steps beyond these, which follow undecided ones:
    /// each gets half of what remains, so that their number is unlimited.
    pub fn step(self, number: u32) -> f64 {
        let steps = 0.5 * self.level;
        match number.checked_sub(self.steps) {
            None => 0.9 * steps / f64::from(self.steps),
            Some(extra) => 0.1 * steps * 0.5f64.powf(f64::from(extra) + 1.0),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ratio {
    pub ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "low_ratio_end")]
    pub low_ratio: f64,
    #[serde(serialize_with = "ratio_end", deserialize_with = "high_ratio_end")]
    pub high_ratio: f64,
}

impl Ratio {
    /// Reciprocal of the ratio, with its interval.
    pub fn inverted(self) -> Self {
        Ratio { ratio: 1.0 / self.ratio, low_ratio: 1.0 / self.high_ratio, high_ratio: 1.0 / self.low_ratio }
    }

    /// Logarithm of the smallest rise that the interval allows, or with `up` false of the smallest fall; negative if
    /// the interval allows the opposite direction.
    fn least(self, up: bool) -> f64 {
        if up { self.low_ratio.ln() } else { -self.high_ratio.ln() }
    }

    /// Whether the whole interval lies between `1 / (1 + margin)` and `1 + margin`.
    pub fn is_within(self, margin: f64) -> bool {
        self.least(true) >= -margin.ln_1p() && self.least(false) >= -margin.ln_1p()
    }

    fn estimate(self, up: bool) -> f64 {
        if up { self.ratio.ln() } else { -self.ratio.ln() }
    }
}

/// Change between the good and the bad end of a search, once it has been shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Whether readings rose from the good end to the bad end.
    pub up: bool,
    /// Difference from an end by which a commit counts as unlike that end, as a logarithm.
    pub near: f64,
}

impl Change {
    /// The change that the ratio of the bad end to the good end shows; `None` if no change beyond the margin is shown.
    pub fn of(ends: Ratio, margin: f64) -> Option<Self> {
        let up = ends.ratio > 1.0;
        let least = ends.least(up);
        (least > margin.ln_1p()).then_some(Change { up, near: NEAR * least })
    }

    /// The threshold `near` as a share: 0.01 for 1 %.
    pub fn margin(self) -> f64 {
        self.near.exp_m1()
    }

    /// Side of a commit, by the ratio of the commit to the good end and the ratio of the bad end to the commit; `None`
    /// as long as the commit may be like either end. A commit that differs from both ends is on the side of the nearer
    /// one.
    pub fn side(self, from_good: Ratio, to_bad: Ratio) -> Option<Side> {
        let away = |ratio: Ratio| ratio.least(self.up) > self.near;
        match (away(from_good), away(to_bad)) {
            (true, true) if from_good.estimate(self.up) < to_bad.estimate(self.up) => Some(Side::Good),
            (true, _) => Some(Side::Bad),
            (false, true) => Some(Side::Good),
            (false, false) => None,
        }
    }

    /// Whether a commit is shown to differ from both ends, which means that more than one commit made the change.
    pub fn is_between(self, from_good: Ratio, to_bad: Ratio) -> bool {
        from_good.least(self.up) > self.near && to_bad.least(self.up) > self.near
    }

    /// Whether a commit is shown to have made a part of the change. `own` is the ratio of the commit to the commit
    /// before it.
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
    fn an_end_that_is_no_bound_is_null_and_is_read_back() {
        let high_ratio = fauxplat_model::NO_BOUND_LOG.exp();
        let open = Ratio { ratio: 1.5, low_ratio: 1.2, high_ratio };
        let document = serde_json::to_value(open).unwrap();
        assert!(document["high_ratio"].is_null() && document["low_ratio"].is_number(), "{document}");
        assert_eq!(serde_json::from_value::<Ratio>(document).unwrap(), open);
        let earlier = serde_json::json!({"ratio": 1.5, "low_ratio": 1.2, "high_ratio": high_ratio});
        assert_eq!(serde_json::from_value::<Ratio>(earlier).unwrap(), open);
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
            // A difference of less than a quarter of the change must not decide.
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
