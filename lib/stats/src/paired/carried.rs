//! Carry-over of a command to the next one, seen from blocks in which each command runs twice in a row.
//!
//! The second of two runs in a row follows its own command; the first follows another one, or by chance its own. So the
//! difference of second runs, *after itself*, is free of what one command leaves to the other, and the difference of first
//! runs has it. Crossover trials know the effect as carry-over (Jones and Kenward 2014, "Design and Analysis of Cross-Over
//! Trials"), and gain from designs in which a treatment follows itself.

use super::rises::Source;
use super::score::weights;
use super::{Question, Sorted};

/// From this many standard errors on, differences after itself part from those after another command. It is no evidence of
/// a carry-over: it is where trusting the mean of both would turn a sign more often than it saves pairs.
const PARTS: f64 = 2.2;

/// By how much the key of differences after itself may stay below that of all differences while nothing at all seems to be
/// carried over. The allowance shrinks as both move apart. With none, twice the pairs would be needed; without a bound, a
/// small carry-over to one command alone passes for a difference in up to 26 of 100 comparisons, with this bound in 12.
const SLACK: f64 = 3.0;

/// From this many standard errors on, something is carried over, and differences after itself answer alone. Between both
/// they are the more extreme for having been chosen, so that both have to agree.
const SHOWN: f64 = 3.3;

/// By how much the differences after itself lie above those after another command, block by block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    by_coin: Vec<f32>,
    source: Source,
}

impl Carried {
    /// From one value for each block: its difference after itself less its difference after another command.
    pub fn of(values: &[f64]) -> Self {
        let sorted = Sorted::new(values);
        let about = sorted.about(0.0);
        let by_coin = sorted.by_coin(&about, &weights(&about.r, Question::Typical).monotone);
        Carried { by_coin, source: Source::default() }
    }

    /// With the source of what lies between both, which is asked for where they part.
    pub fn from(self, source: impl FnOnce() -> Source) -> Self {
        let source = if self.key().abs() > PARTS { source() } else { self.source };
        Carried { source, ..self }
    }

    /// Weight of each block, with its sign.
    pub(crate) fn by_coin(&self) -> &[f32] {
        &self.by_coin
    }

    /// How far both lie apart in standard errors, above zero where after itself is larger.
    pub fn key(&self) -> f64 {
        self.by_coin.iter().map(|&weight| f64::from(weight)).sum()
    }

    /// Whether they part for what another command may have left.
    pub fn is_parted(&self) -> bool {
        self.key().abs() > PARTS && self.source != Source::Itself
    }

    /// The source of what lies between both, where they part.
    pub fn parting(&self) -> Option<Source> {
        (self.key().abs() > PARTS).then_some(self.source)
    }

    /// The key of a path from that of all its differences and that of its differences after itself.
    pub(crate) fn answer(&self, key: f64, all: f32, after_itself: f32) -> f32 {
        match (self.source, key.abs()) {
            (Source::Itself, _) => all,
            (Source::Another, shown) if shown > SHOWN => after_itself,
            (_, apart) => all.min(after_itself + slack(apart) as f32),
        }
    }

    /// By how much the key of differences after itself may stay below that of all; none where either answers alone.
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
