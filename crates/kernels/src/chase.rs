//! Walks through memory in an order that no prefetcher knows.

use std::hint::black_box;

use fauxplat_units::Bytes;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Chains that are walked at once: enough for a memory that serves several misses together to be busy.
const CHAINS: usize = 4;

/// Steps of each chain in a unit.
const STEPS: u64 = 8;

/// One cycle through all lines of a piece of memory, walked from several places.
#[derive(Debug)]
pub(crate) struct Chase {
    /// The index of the next word stands in the first word of each line.
    words: Vec<u64>,
    at: [u64; CHAINS],
}

impl Chase {
    pub(crate) fn new(footprint: Bytes, line: Bytes) -> Self {
        let stride = (line.0 / 8).max(1) as usize;
        let lines = (footprint.0 as usize / (stride * 8)).max(CHAINS);
        let mut order: Vec<u32> = (0..lines as u32).collect();
        // One order for all machines: what differs between two of them must be the machines.
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
        let mut words = vec![0u64; lines * stride];
        let word = |line: u32| line as usize * stride;
        for pair in order.windows(2) {
            words[word(pair[0])] = word(pair[1]) as u64;
        }
        words[word(order[lines - 1])] = word(order[0]) as u64;
        let at = std::array::from_fn(|chain| word(order[chain * lines / CHAINS]) as u64);
        let mut chase = Chase { words, at };
        // Once around, so that the caches hold what they can hold before anything is measured.
        chase.run((lines as u64 / STEPS / CHAINS as u64).max(1));
        chase
    }

    pub(crate) fn run(&mut self, units: u64) -> u64 {
        let mut at = self.at;
        for _ in 0..units * STEPS {
            for place in &mut at {
                *place = self.words[*place as usize];
            }
        }
        self.at = black_box(at);
        at.into_iter().fold(0, |sum, place| sum.rotate_left(7) ^ place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_visits_every_line_once() {
        let chase = Chase::new(Bytes(64 * 1000), Bytes(64));
        let (mut place, mut seen) = (0u64, 0);
        loop {
            seen += 1;
            place = chase.words[place as usize];
            if place == 0 {
                break;
            }
        }
        assert_eq!(seen, 1000);
    }
}
