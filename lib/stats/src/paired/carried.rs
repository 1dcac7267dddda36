//! Carry-over from a command to the next one, estimated from blocks in which each command runs twice in a row.
//!
//! The second of two runs in a row follows its own command; the first follows another one, or by chance its own. The
//! difference of second runs, the difference *after itself*, is therefore free of carry-over between commands, and the
//! difference of first runs includes it. Crossover trials use the term carry-over as well (Jones and Kenward 2014,
//! "Design and Analysis of Cross-Over Trials"), and gain from designs in which a treatment follows itself.

use super::rises::Source;
use super::score::weights;
use super::{Question, Sorted};

/// Number of standard errors above which the differences of second runs, each after a run of its own command, count as
/// distinct from those of first runs, each after the other command. Such a distance is no evidence of carry-over, but
/// above it the mean of both kinds would have a wrong sign too often to be worth the pairs that it saves.
const PARTS: f64 = 2.2;

/// Amount by which the test statistic of the differences of second runs may be smaller than that of all differences
/// while no carry-over is seen, in standard errors. The allowance decreases as second and first runs move apart.
/// Without it, twice as many pairs would be needed. If it were unbounded, a small carry-over to only one command would
/// pass for a difference in up to 26 of 100 comparisons; with this bound, in 12.
const SLACK: f64 = 3.0;

/// Number of standard errors above which carry-over counts as shown, and the differences of second runs decide alone.
/// Between [`PARTS`] and this number, the second runs may be extreme because they were selected, so the test of all
/// differences has to agree.
const SHOWN: f64 = 3.3;

/// Evidence of carry-over: in each block, the difference of the second runs, each after a run of its own command, minus
/// the difference of the first runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    by_coin: Vec<f32>,
    source: Source,
}

impl Carried {
    /// Evidence from one value for each block: the difference of its second runs minus the difference of its first
    /// runs.
    pub fn of(values: &[f64]) -> Self {
        let sorted = Sorted::new(values);
        let about = sorted.about(0.0);
        let by_coin = sorted.by_coin(&about, &weights(&about.r, Question::Typical).monotone);
        Carried { by_coin, source: Source::default() }
    }

    /// Adds the source of the difference between second and first runs, which is only computed if they are distinct.
    pub fn from(self, source: impl FnOnce() -> Source) -> Self {
        let source = if self.key().abs() > PARTS { source() } else { self.source };
        Carried { source, ..self }
    }

    /// Weight of the value of each block, with the sign of that value; [`Carried::key`] is their sum.
    pub(crate) fn by_coin(&self) -> &[f32] {
        &self.by_coin
    }

    /// Distance between the differences of second runs and those of first runs, in standard errors; positive if the
    /// former are larger.
    pub fn key(&self) -> f64 {
        self.by_coin.iter().map(|&weight| f64::from(weight)).sum()
    }

    /// Whether second and first runs are distinct for a reason that may be carry-over from another command.
    pub fn is_parted(&self) -> bool {
        self.key().abs() > PARTS && self.source != Source::Itself
    }

    /// The source of the difference between second and first runs; `None` if they are not distinct.
    pub fn parting(&self) -> Option<Source> {
        (self.key().abs() > PARTS).then_some(self.source)
    }

    /// The test statistic of a path, from `key` of its carry-over, and from the statistics of all its differences and
    /// of those of its second runs.
    pub(crate) fn answer(&self, key: f64, all: f32, after_itself: f32) -> f32 {
        match (self.source, key.abs()) {
            (Source::Itself, _) => all,
            (Source::Another, shown) if shown > SHOWN => after_itself,
            (_, apart) => all.min(after_itself + slack(apart) as f32),
        }
    }

    /// Amount by which the test statistic of the differences of second runs may be smaller than that of all
    /// differences, in standard errors; `None` if second and first runs are distinct.
    pub fn slack(&self) -> Option<f64> {
        let apart = self.key().abs();
        (apart <= PARTS).then(|| slack(apart))
    }
}

fn slack(apart: f64) -> f64 {
    if apart > PARTS { 0.0 } else { SLACK * (1.0 - apart / SHOWN) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn what_one_command_leaves_is_seen_and_noise_is_not() {
        let mut draw = Draw::new(2, 0);
        let left: Vec<f64> = (0..40).map(|_| -0.15 + 0.05 * draw.normal()).collect();
        assert!(Carried::of(&left).key() < -4.0);
        let parted = (0..400u64).filter(|&seed| {
            let mut draw = Draw::new(seed, 1);
            Carried::of(&(0..40).map(|_| draw.normal()).collect::<Vec<_>>()).is_parted()
        });
        // A share of 3 % is expected, 12 of 400; five standard errors are 17.
        let parted = parted.count();
        assert!((1..=29).contains(&parted), "{parted}");
        assert_eq!(Carried::of(&[]).key(), 0.0);
        assert!(!Carried::of(&[0.0; 20]).is_parted());
    }
}
