//! Two threads that take turns by writing one word.
//!
//! A round trip of a cache line that two cores write in turn takes about three times as long if the cores share no
//! cache, whatever the load of the machine. A guest has no other way to detect that the host has moved its virtual
//! CPUs.

use std::sync::atomic::{AtomicU32, Ordering};

use fauxplat_sys::clock;

/// Number of round trips of a measurement, which takes some tens of microseconds in all.
const WORDS: u32 = 64;
/// Time in nanoseconds after which a thread stops waiting for the other, which may be preempted.
const PATIENCE_NS: u64 = 5_000_000;
/// Number of polls of the word between two readings of the clock.
const LOOKS: u32 = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    First,
    Second,
}

/// A word whose value says which side has the turn. The word is alone on a pair of cache lines, since prefetchers may
/// fetch adjacent lines in pairs.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Turn(AtomicU32);

impl Turn {
    /// On the first side, returns the shortest of several round trips of the word, in nanoseconds. `None` on the second
    /// side, and if the other side did not answer in time. The word must have its initial value.
    pub fn round_trip(&self, side: Side) -> Option<u64> {
        let until_ns = clock::monotonic_ns() + PATIENCE_NS;
        let mut least_ns = None;
        for word in 0..WORDS {
            // Odd numbers give the turn to the second side, even numbers give it back.
            let (there, back) = (2 * word + 1, 2 * word + 2);
            match side {
                Side::First => {
                    let sent_ns = clock::monotonic_ns();
                    self.give(there);
                    self.wait_for(back, until_ns)?;
                    let took_ns = clock::monotonic_ns() - sent_ns;
                    least_ns = Some(least_ns.map_or(took_ns, |least_ns: u64| least_ns.min(took_ns)));
                }
                Side::Second => {
                    self.wait_for(there, until_ns)?;
                    self.give(back);
                }
            }
        }
        least_ns
    }

    /// Runs `first` on the first side, then `second` on the second side; the first side waits for the second, so that
    /// both continue together. Returns the result of `second` on the second side; `None` on the first side, and if the
    /// other side did not come in time. The word must have its initial value.
    pub fn one_after_the_other<T>(
        &self,
        side: Side,
        patience_ns: u64,
        first: impl FnOnce(),
        second: impl FnOnce() -> T,
    ) -> Option<T> {
        let until_ns = clock::monotonic_ns() + patience_ns;
        match side {
            Side::First => {
                first();
                self.give(1);
                self.wait_for(2, until_ns);
                None
            }
            Side::Second => {
                self.wait_for(1, until_ns)?;
                let given = second();
                self.give(2);
                Some(given)
            }
        }
    }

    /// Increments the word, which ends [`Turn::wait_past`] on the other side.
    pub fn ring(&self) {
        // Release: pairs with the acquire in `wait_past`, so that earlier writes are visible to the waiting thread.
        self.0.fetch_add(1, Ordering::Release);
    }

    /// Spins until the word differs from `heard`, the value that this side saw last. There is no time limit, since
    /// reading the clock would add to the measured time.
    pub fn wait_past(&self, heard: u32) {
        while self.0.load(Ordering::Acquire) == heard {
            std::hint::spin_loop();
        }
    }

    /// The word, for threads that sleep until it changes (`futex(2)`).
    pub fn word(&self) -> &AtomicU32 {
        &self.0
    }

    fn give(&self, word: u32) {
        // Release: pairs with the acquire in `wait_for`.
        self.0.store(word, Ordering::Release);
    }

    /// Waits until the word has the value `word`; `None` if that takes longer than until `until_ns`.
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
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn the_first_side_takes_the_time() {
        let turn = Turn::default();
        let (first, second) = std::thread::scope(|scope| {
            let second = scope.spawn(|| turn.round_trip(Side::Second));
            (turn.round_trip(Side::First), second.join().unwrap())
        });
        // On a single CPU, or beside other tests, the two threads may not meet in time.
        assert!(first.is_none_or(|took_ns| took_ns > 0 && took_ns < PATIENCE_NS), "{first:?}");
        assert_eq!(second, None);
    }

    #[test]
    fn who_is_alone_does_not_wait_for_ever() {
        assert_eq!(Turn::default().round_trip(Side::First), None);
        assert_eq!(Turn::default().round_trip(Side::Second), None);
        let ran = AtomicBool::new(false);
        let run = || ran.store(true, Ordering::Relaxed);
        assert_eq!(Turn::default().one_after_the_other(Side::Second, 1000, || (), run), None);
        assert!(!ran.load(Ordering::Relaxed), "the second never comes before the first");
        assert_eq!(Turn::default().one_after_the_other(Side::First, 1000, run, || ()), None);
        assert!(ran.load(Ordering::Relaxed));
    }

    #[test]
    fn the_second_part_sees_what_the_first_did() {
        const PATIENCE_NS: u64 = 20_000_000_000;
        let (turn, done) = (Turn::default(), AtomicBool::new(false));
        // Relaxed ordering suffices: the word orders the two accesses.
        let (first, second) = (|| done.store(true, Ordering::Relaxed), || done.load(Ordering::Relaxed));
        let seen = std::thread::scope(|scope| {
            let other = scope.spawn(|| turn.one_after_the_other(Side::Second, PATIENCE_NS, first, second));
            turn.one_after_the_other(Side::First, PATIENCE_NS, first, second);
            other.join().unwrap()
        });
        assert_eq!(seen, Some(true));
    }

    #[test]
    fn no_ring_is_lost_on_who_comes_late() {
        let turn = Turn::default();
        turn.ring();
        turn.ring();
        turn.wait_past(0);
        turn.wait_past(1);
        assert_eq!(turn.word().load(Ordering::Relaxed), 2);
    }
}
