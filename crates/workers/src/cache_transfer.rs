//! Time to read cache lines that another worker has just written, and to read the same lines from memory.
//!
//! The comparison shows whether two cores share a cache. Lines in the private cache of one core reach another core
//! through a shared cache, or else over the fabric, which takes as long as memory. Two workers that contend for one
//! last-level cache would not always show the sharing: where other programs hold most of that cache, only frequently
//! used lines survive, and both workers use theirs frequently. Other programs cannot disturb the transfer, because the
//! lines are in the writer's private cache.

use std::sync::atomic::{AtomicU64, Ordering};

use fauxplat_kernels::{Caches, walk_order};
use fauxplat_model::CacheTransfer;
use fauxplat_sys::{clock, memory};

/// The reciprocal of the share of a second-level cache that is written. All lines must still be in the writer's private
/// cache, even if another program runs there or the pages collide in the cache.
const PART_OF_L2: u64 = 4;
/// Size in bytes of a plot: a piece of memory that is walked completely before the next one.
const PLOT_BYTES: usize = 64 << 10;

/// Memory that one worker writes and another reads.
#[derive(Debug)]
pub(crate) struct Parcel {
    /// The first word of each line is the index of the next line; the writer writes the second word.
    words: Vec<AtomicU64>,
    lines: usize,
}

impl Parcel {
    pub(crate) fn new(caches: &Caches) -> Self {
        let stride = (caches.line.0 / 8).max(2) as usize;
        let lines = ((caches.l2.0 / PART_OF_L2) as usize / (stride * 8)).max(2);
        let words: Vec<AtomicU64> = (0..lines * stride).map(|_| AtomicU64::new(0)).collect();
        let order = walk_order(lines, PLOT_BYTES / (stride * 8));
        let place = |line: u32| line as usize * stride;
        for (at, line) in order.iter().enumerate() {
            let next = order[(at + 1) % lines];
            words[place(*line)].store(place(next) as u64, Ordering::Relaxed);
        }
        Parcel { words, lines }
    }

    /// Writes every line, so that no other cache holds a valid copy.
    pub(crate) fn write(&self) {
        self.walk(|at| self.words[at + 1].store(1, Ordering::Relaxed));
    }

    /// Times reading every line after the other worker wrote it, and again after all caches were flushed. `None` on
    /// processors where programs cannot flush caches.
    pub(crate) fn read(&self) -> Option<CacheTransfer> {
        if !memory::CAN_FLUSH {
            return None;
        }
        let handed_ns = self.read_ns();
        self.words.iter().step_by(self.words.len() / self.lines).for_each(memory::flush);
        Some(CacheTransfer { lines: self.lines as u64, handed_ns, memory_ns: self.read_ns() })
    }

    fn read_ns(&self) -> u64 {
        let begun_ns = clock::monotonic_ns();
        self.walk(|_| {});
        clock::monotonic_ns() - begun_ns
    }

    fn walk(&self, visit: impl Fn(usize)) {
        let mut at = 0;
        for _ in 0..self.lines {
            visit(at);
            // Relaxed ordering suffices: the operations of `Turn`, by which the workers alternate, also order these
            // accesses.
            at = self.words[at].load(Ordering::Relaxed) as usize;
        }
        std::hint::black_box(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_written_and_read() {
        let parcel = Parcel::new(&Caches::default());
        parcel.write();
        let written = parcel.words.iter().filter(|word| word.load(Ordering::Relaxed) == 1).count();
        assert!(written >= parcel.lines - 1, "{written} of {}", parcel.lines);
        let read = parcel.read();
        assert_eq!(read.is_some(), memory::CAN_FLUSH);
        assert!(read.is_none_or(|read| read.handed_ns > 0 && read.memory_ns > 0 && read.lines > 1));
        assert_eq!(parcel.words.iter().filter(|word| word.load(Ordering::Relaxed) == 1).count(), written);
    }
}
