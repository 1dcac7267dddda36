//! What a generator and its parent write for each other: a few words of shared memory.

use std::sync::atomic::{AtomicU64, Ordering};

/// What the parent wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Rest,
    Work,
}

/// What the generator is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It lays out its memory.
    Begins,
    /// It waits for the word.
    Rests,
    /// It works.
    Works,
    /// Its CPU is offline or not allowed.
    Away,
    /// It cannot be placed as it should.
    NoPlace,
    /// Its policy is not permitted.
    NoPolicy,
    /// It cannot do what it should.
    Failed,
}

const STAGES: [Stage; 7] =
    [Stage::Begins, Stage::Rests, Stage::Works, Stage::Away, Stage::NoPlace, Stage::NoPolicy, Stage::Failed];

/// The words, by name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    Wish,
    Stage,
    Errno,
    BusyNs,
    WallNs,
    RunDelayNs,
    /// Whether the one before is known.
    TellsDelay,
    AwayNs,
    Operations,
    /// When the parent was last alive.
    HeartbeatNs,
    WatchdogFrees,
}

/// How many words there are.
pub(crate) const WORDS: usize = 11;

/// The words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Board<'a>(pub(crate) &'a [AtomicU64]);

impl Board<'_> {
    pub(crate) fn read(&self, word: Word) -> u64 {
        // Acquire: whoever sees a stage sees the figures that were written before it.
        self.0[word as usize].load(Ordering::Acquire)
    }

    pub(crate) fn write(&self, word: Word, value: u64) {
        // Release: the partner of the acquire above.
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

    /// The memory is shared with another process: what makes no sense there is no reason to fall over.
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
