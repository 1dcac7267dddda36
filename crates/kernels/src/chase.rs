//! Walks through memory in an order that no prefetcher can predict.

use std::hint::black_box;

use fauxplat_sys::SysError;
use fauxplat_sys::memory::Pages;
use fauxplat_units::Bytes;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Number of chains that are walked at once: memory serves several misses in parallel, and one chain would leave it
/// idle most of the time.
const CHAINS: usize = 4;

/// Number of steps of each chain in a unit.
const STEPS: u64 = 8;

/// Size in bytes of a plot: a piece of memory that is walked completely before the next one. In one random order of all
/// lines each step would lead to another page, and the TLB would be exhausted long before a last-level cache is (on
/// some CPUs at 12 MiB, whatever page size a guest requests).
const PLOT_BYTES: usize = 64 << 10;

/// Size in bytes from which on memory uses huge pages if possible.
const LARGE_BYTES: usize = 2 << 20;

/// A cycle through all cache lines of a piece of memory, walked from [`CHAINS`] places at once.
#[derive(Debug)]
pub(crate) struct Chase {
    /// Memory in which the first word of each line is the index of the first word of the next line in the cycle.
    pages: Pages,
    at: [u64; CHAINS],
}

impl Chase {
    /// Lays a cycle through the lines of about `footprint` bytes of memory, and walks it once.
    ///
    /// # Errors
    /// Fails if the memory cannot be allocated.
    pub(crate) fn new(footprint: Bytes, line: Bytes) -> Result<Self, SysError> {
        let stride = (line.0 / 8).max(1) as usize;
        let lines = (footprint.0 as usize / (stride * 8)).max(CHAINS);
        let order = walk_order(lines, PLOT_BYTES / (stride * 8));
        let bytes = lines * stride * 8;
        let mut pages = Pages::new(bytes, bytes >= LARGE_BYTES)?;
        let words = pages.words();
        let word = |line: u32| line as usize * stride;
        for pair in order.windows(2) {
            words[word(pair[0])] = word(pair[1]) as u64;
        }
        words[word(order[lines - 1])] = word(order[0]) as u64;
        let at = std::array::from_fn(|chain| word(order[chain * lines / CHAINS]) as u64);
        let mut chase = Chase { pages, at };
        // A complete walk fills the caches before the measurement.
        chase.run((lines as u64 / STEPS / CHAINS as u64).max(1));
        Ok(chase)
    }

    pub(crate) fn run(&mut self, units: u64) -> u64 {
        let mut at = self.at;
        let words = self.pages.words();
        for _ in 0..units * STEPS {
            for place in &mut at {
                *place = words[*place as usize];
            }
        }
        self.at = black_box(at);
        at.into_iter().fold(0, |sum, place| sum.rotate_left(7) ^ place)
    }
}

/// A permutation of `lines` lines: a random order of plots of `of_a_plot` lines each, and a random order within each
/// plot.
pub fn walk_order(lines: usize, of_a_plot: usize) -> Vec<u32> {
    // A fixed seed gives the same order on all machines, so that results differ only by the machine.
    let mut draw = ChaCha8Rng::seed_from_u64(1);
    let all: Vec<u32> = (0..lines as u32).collect();
    let mut plots: Vec<Vec<u32>> = all.chunks(of_a_plot.max(1)).map(<[u32]>::to_vec).collect();
    plots.shuffle(&mut draw);
    plots.iter_mut().for_each(|plot| plot.shuffle(&mut draw));
    plots.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_visits_every_line_once() {
        let mut chase = Chase::new(Bytes(64 * 1000), Bytes(64)).unwrap();
        let words = chase.pages.words();
        let (mut place, mut seen) = (0u64, 0);
        loop {
            seen += 1;
            place = words[place as usize];
            if place == 0 {
                break;
            }
        }
        assert_eq!(seen, 1000);
    }

    #[test]
    fn the_walk_stays_in_a_plot_until_it_has_seen_it() {
        let order = walk_order(1000, 64);
        let plots: Vec<u32> = order.iter().map(|line| line / 64).collect();
        let moves = plots.windows(2).filter(|two| two[0] != two[1]).count();
        assert_eq!(moves, 1000_usize.div_ceil(64) - 1);
        let neighbours = order.windows(2).filter(|two| two[0].abs_diff(two[1]) == 1).count();
        assert!(neighbours < 100, "{neighbours} of 1000 steps go to the next line, as a prefetcher would");
    }
}
