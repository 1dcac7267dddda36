//! Carry-over from a command to the next one, estimated from blocks in which each command runs twice in a row.
//!
//! The second of two runs in a row follows its own command; the first follows another one, or by chance its own. The
//! difference of second runs, *after itself*, is therefore free of carry-over between commands, and the difference of
//! first runs includes it. Crossover trials use the term carry-over as well (Jones and Kenward 2014, "Design and
//! Analysis of Cross-Over Trials"), and gain from designs in which a treatment follows itself.

use super::rises::Source;
use super::score::weights;
use super::{Question, Sorted};

/// Number of standard errors from which on differences after itself part from those after another command. That is no
/// evidence of carry-over, but the point from which trusting the mean of both would give a wrong sign more often than
/// it saves pairs.
const PARTS: f64 = 2.2;

/// Amount by which the key of differences after itself may be smaller than that of all differences while no carry-over
/// is seen. It decreases as both move apart. Without the allowance, twice the pairs would be needed; without a bound, a
/// small carry-over to only one command would pass for a difference in up to 26 of 100 comparisons, with this bound in
/// 12.
const SLACK: f64 = 3.0;

/// Number of standard errors from which on carry-over is shown, and differences after itself answer alone. Between
/// `PARTS` and this, they may be extreme because they were selected, so both have to agree.
const SHOWN: f64 = 3.3;

/// Differences after itself minus those after another command, block by block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    by_coin: Vec<f32>,
    source: Source,
}

impl Carried {
    /// From one value for each block: its difference after itself minus its difference after another command.
    pub fn of(values: &[f64]) -> Self {
        let sorted = Sorted::new(values);
        let about = sorted.about(0.0);
        let by_coin = sorted.by_coin(&about, &weights(&about.r, Question::Typical).monotone);
        Carried { by_coin, source: Source::default() }
    }

    /// Adds the source of the difference, which is only computed if both part.
    pub fn from(self, source: impl FnOnce() -> Source) -> Self {
        let source = if self.key().abs() > PARTS { source() } else { self.source };
        Carried { source, ..self }
    }

    /// Signed weight of each block.
    pub(crate) fn by_coin(&self) -> &[f32] {
        &self.by_coin
    }

    /// Distance of both in standard errors, positive if the difference after itself is larger.
    pub fn key(&self) -> f64 {
        self.by_coin.iter().map(|&weight| f64::from(weight)).sum()
    }

    /// Whether both part for a reason that may be carry-over from another command.
    pub fn is_parted(&self) -> bool {
        self.key().abs() > PARTS && self.source != Source::Itself
    }

    /// The source of the difference between both, if they part.
    pub fn parting(&self) -> Option<Source> {
        (self.key().abs() > PARTS).then_some(self.source)
    }

    /// The key of a path, from that of all its differences and that of its differences after itself.
    pub(crate) fn answer(&self, key: f64, all: f32, after_itself: f32) -> f32 {
        match (self.source, key.abs()) {
            (Source::Itself, _) => all,
            (Source::Another, shown) if shown > SHOWN => after_itself,
            (_, apart) => all.min(after_itself + slack(apart) as f32),
        }
    }

    /// Amount by which the key of differences after itself may be smaller than that of all; `None` if one of them
    /// answers alone.
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
        // 3 % of 400; five standard errors are 17.
        let parted = parted.count();
        assert!((1..=29).contains(&parted), "{parted}");
        assert_eq!(Carried::of(&[]).key(), 0.0);
        assert!(!Carried::of(&[0.0; 20]).is_parted());
    }
}
