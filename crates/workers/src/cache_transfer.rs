//! Time to read lines that another worker has just written, and to read the same lines from memory.
//!
//! Two workers that walk one last-level cache need not slow each other down: where other programs hold most of it, the
//! lines that survive are those that are used often, which both do. But lines in the private cache of one core reach
//! another core through a cache that they share, or else over the fabric, which takes as long as memory. Other programs
//! cannot disturb this, because the lines are in the writer's private cache.

use std::sync::atomic::{AtomicU64, Ordering};

use fauxplat_kernels::{Caches, walk_order};
use fauxplat_model::CacheTransfer;
use fauxplat_sys::{clock, memory};

/// Fraction of a second-level cache that is written: all lines must still be in the writer's private cache, even if
/// another program runs there or pages are placed badly.
const PART_OF_L2: u64 = 4;
/// Size of a plot, the piece of memory that is walked completely before the next.
const PLOT_BYTES: usize = 64 << 10;

/// Memory that one worker writes and another reads.
#[derive(Debug)]
pub(crate) struct Parcel {
    /// The first word of each line is the index of the next line, the second word is written by the writer.
    words: Vec<AtomicU64>,
    lines: usize,
}

impl Parcel {
    /// Creates the memory for workers with caches of these sizes.
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

    /// Writes every line, so that no other cache holds it.
    pub(crate) fn write(&self) {
        self.walk(|at| self.words[at + 1].store(1, Ordering::Relaxed));
    }

    /// Reads every line as the other worker left it, and again after every cache has dropped it. `None` where programs
    /// cannot flush caches.
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
            // Relaxed: the words that order the turns order these accesses too.
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
        // All written values survive the flushing of the caches.
        assert_eq!(parcel.words.iter().filter(|word| word.load(Ordering::Relaxed) == 1).count(), written);
    }
}
