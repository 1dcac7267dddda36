//! How far two workers are from each other: the time of a word from one to the other and back.
//!
//! A cache line that two cores write in turns takes three times as long between caches as within one, whatever else the
//! machine does meanwhile, and a guest has no other way to see that the host has moved its CPUs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use fauxplat_model::Handover;
use fauxplat_sys::clock;

use crate::handover::Parcel;

/// Words that go there and back: some tens of microseconds.
const WORDS: u32 = 64;
/// Who is not answered for so long goes on: the other may have been put aside.
const PATIENCE_NS: u64 = 5_000_000;
/// The same for what takes a walk through memory.
const HANDOVER_PATIENCE_NS: u64 = 200_000_000;
/// Turns of a handover.
const WRITTEN: u32 = 1;
const READ: u32 = 2;
/// Looks at the word between two looks at the clock.
const LOOKS: u32 = 256;

/// What two workers share for as long as a shift: one word for the beginning, one for the end.
#[derive(Debug, Default)]
pub(crate) struct Greetings {
    pub(crate) at_the_beginning: Word,
    pub(crate) at_the_end: Word,
    /// Whose turn it is with what is handed over.
    turn: Word,
    /// What is handed over between the two, in shifts that ask for it.
    parcel: Option<Arc<Parcel>>,
}

impl Greetings {
    pub(crate) fn with(parcel: Option<Arc<Parcel>>) -> Self {
        Greetings { parcel, ..Greetings::default() }
    }

    /// The one that speaks writes, the other reads and takes the time; for the reader alone.
    pub(crate) fn hand_over(&self, side: Side) -> Option<Handover> {
        let parcel = self.parcel.as_ref()?;
        let until_ns = clock::monotonic_ns() + HANDOVER_PATIENCE_NS;
        match side {
            Side::Speaks => {
                parcel.write();
                self.turn.0.store(WRITTEN, Ordering::Release);
                // Both begin their work together.
                self.turn.wait_for(READ, until_ns);
                None
            }
            Side::Answers => {
                self.turn.wait_for(WRITTEN, until_ns)?;
                let took = parcel.read();
                self.turn.0.store(READ, Ordering::Release);
                took
            }
        }
    }
}

/// A word on cache lines of its own, a pair of them because of the prefetcher of adjacent lines.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct Word(AtomicU32);

/// Which of the two a worker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Speaks first, and takes the time.
    Speaks,
    /// Answers.
    Answers,
}

impl Word {
    /// The least time of a word there and back, in nanoseconds, for the one that speaks. `None` for the other, and when
    /// the other was not there for so long that nobody can wait.
    pub(crate) fn greet(&self, side: Side) -> Option<u64> {
        let until_ns = clock::monotonic_ns() + PATIENCE_NS;
        let mut least_ns = None;
        for word in 0..WORDS {
            // Odd numbers are words, even ones answers.
            let (said, answered) = (2 * word + 1, 2 * word + 2);
            match side {
                Side::Speaks => {
                    let sent_ns = clock::monotonic_ns();
                    self.0.store(said, Ordering::Release);
                    self.wait_for(answered, until_ns)?;
                    let took_ns = clock::monotonic_ns() - sent_ns;
                    least_ns = Some(least_ns.map_or(took_ns, |least_ns: u64| least_ns.min(took_ns)));
                }
                Side::Answers => {
                    self.wait_for(said, until_ns)?;
                    self.0.store(answered, Ordering::Release);
                }
            }
        }
        least_ns
    }

    /// Returns when the word is there, `None` when the time is up.
    fn wait_for(&self, word: u32, until_ns: u64) -> Option<()> {
        loop {
            for _ in 0..LOOKS {
                if self.0.load(Ordering::Acquire) == word {
                    return Some(());
                }
                std::hint::spin_loop();
            }
            if clock::monotonic_ns() > until_ns {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_speaks_takes_the_time() {
        let word = Word::default();
        let (speaks, answers) = std::thread::scope(|scope| {
            let answers = scope.spawn(|| word.greet(Side::Answers));
            (word.greet(Side::Speaks), answers.join().unwrap())
        });
        // On one CPU, and beside other tests, the two may not come to meet in time.
        assert!(speaks.is_none_or(|took_ns| took_ns > 0 && took_ns < PATIENCE_NS), "{speaks:?}");
        assert_eq!(answers, None);
    }

    #[test]
    fn who_is_alone_does_not_wait_for_ever() {
        assert_eq!(Word::default().greet(Side::Speaks), None);
        assert_eq!(Word::default().greet(Side::Answers), None);
    }
}
