//! The shared memory of a generator and its parent: each process writes words that the other reads.

use std::sync::atomic::{AtomicU64, Ordering};

/// The state that the parent requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Rest,
    Work,
}

/// State of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Preparing its memory.
    Begins,
    /// Resting until the parent requests work.
    Rests,
    Works,
    /// Waiting, since its CPU is offline or not allowed.
    Away,
    /// Ended: its affinity cannot be set.
    NoPlace,
    /// Ended: its policy is not permitted.
    NoPolicy,
    /// Ended: its work failed.
    Failed,
}

const STAGES: [Stage; 7] =
    [Stage::Begins, Stage::Rests, Stage::Works, Stage::Away, Stage::NoPlace, Stage::NoPolicy, Stage::Failed];

/// Words of the shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    Wish,
    Stage,
    Errno,
    BusyNs,
    WallNs,
    RunDelayNs,
    /// 1 if `RunDelayNs` is known.
    TellsDelay,
    AwayNs,
    Operations,
    /// Time of the parent's last sign of life.
    HeartbeatNs,
    WatchdogFrees,
}

pub(crate) const WORDS: usize = 11;

/// View of the words of the shared memory, used by the generator and its parent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Board<'a>(pub(crate) &'a [AtomicU64]);

impl Board<'_> {
    pub(crate) fn read(&self, word: Word) -> u64 {
        // Acquire: a reader that sees a stage sees the figures that were written before it.
        self.0[word as usize].load(Ordering::Acquire)
    }

    pub(crate) fn write(&self, word: Word, value: u64) {
        // Release: pairs with the acquire in `read`.
        self.0[word as usize].store(value, Ordering::Release);
    }

    pub(crate) fn wish(&self) -> Wish {
        if self.read(Word::Wish) == 1 { Wish::Work } else { Wish::Rest }
    }

    pub(crate) fn wish_for(&self, wish: Wish) {
        self.write(Word::Wish, u64::from(wish == Wish::Work));
    }

    pub(crate) fn stage(&self) -> Stage {
        let number = usize::try_from(self.read(Word::Stage)).unwrap_or(usize::MAX);
        STAGES.get(number).copied().unwrap_or(Stage::Failed)
    }

    pub(crate) fn enter(&self, stage: Stage) {
        self.write(Word::Stage, stage as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let words: Vec<AtomicU64> = (0..WORDS).map(|_| AtomicU64::new(0)).collect();
        let board = Board(&words);
        assert_eq!((board.wish(), board.stage()), (Wish::Rest, Stage::Begins));
        board.wish_for(Wish::Work);
        assert_eq!(board.wish(), Wish::Work);
        for stage in STAGES {
            board.enter(stage);
            assert_eq!(board.stage(), stage);
        }
        board.write(Word::WatchdogFrees, 3);
        assert_eq!(board.read(Word::WatchdogFrees), 3);
    }

    /// The memory is shared with another process, so invalid values must not make this process fail.
    #[test]
    fn words_that_nobody_here_wrote_are_read_as_trouble_or_rest() {
        let words: Vec<AtomicU64> = (0..WORDS).map(|_| AtomicU64::new(0)).collect();
        let board = Board(&words);
        for odd in [STAGES.len() as u64, 1 << 40, u64::MAX] {
            board.write(Word::Stage, odd);
            assert_eq!(board.stage(), Stage::Failed);
        }
        for odd in [2, u64::MAX] {
            board.write(Word::Wish, odd);
            assert_eq!(board.wish(), Wish::Rest, "only one word means work");
        }
    }

    #[test]
    fn every_word_has_a_place_of_its_own() {
        let words: Vec<AtomicU64> = (0..WORDS).map(|_| AtomicU64::new(0)).collect();
        let board = Board(&words);
        let all = [
            Word::Wish,
            Word::Stage,
            Word::Errno,
            Word::BusyNs,
            Word::WallNs,
            Word::RunDelayNs,
            Word::TellsDelay,
            Word::AwayNs,
            Word::Operations,
            Word::HeartbeatNs,
            Word::WatchdogFrees,
        ];
        assert_eq!(all.len(), WORDS);
        (100..).zip(all).for_each(|(value, word)| board.write(word, value));
        let read: Vec<u64> = all.into_iter().map(|word| board.read(word)).collect();
        assert_eq!(read, (100..100 + WORDS as u64).collect::<Vec<_>>());
    }
}
