//! How soon a worker has what another has just written, and how soon the same comes from memory.
//!
//! Two walks of one last-level cache need not hurt each other: where others hold most of it, what survives is what is used
//! often, and both do. But what one core has in its own cache comes to another by way of the cache that they have together,
//! or else over the fabric, which takes as long as memory. Nobody else can hold that against it: the lines lie in the
//! writer's own cache.

use std::sync::atomic::{AtomicU64, Ordering};

use fauxplat_kernels::{Caches, walk_order};
use fauxplat_model::CacheTransfer;
use fauxplat_sys::{clock, memory};

/// What is written is this part of a second-level cache: all of it must still be in the writer's own, also when something else
/// runs there or pages lie badly.
const PART_OF_L2: u64 = 4;
/// Bytes that are walked to their end before the walk goes elsewhere.
const PLOT_BYTES: usize = 64 << 10;

/// Memory that one worker writes and another reads.
#[derive(Debug)]
pub(crate) struct Parcel {
    /// The first word of each line is the place of the next, the second what was written.
    words: Vec<AtomicU64>,
    lines: usize,
}

impl Parcel {
    /// For workers with caches of these sizes.
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

    /// Writes every line: afterwards nobody else has it.
    pub(crate) fn write(&self) {
        self.walk(|at| self.words[at + 1].store(1, Ordering::Relaxed));
    }

    /// Reads every line as the other left it, and again after every cache has dropped it. `None` where programs cannot make
    /// caches do that.
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
            // Relaxed: the words that say whose turn it is order everything.
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
        // Nothing of what was written is lost with the caches.
        assert_eq!(parcel.words.iter().filter(|word| word.load(Ordering::Relaxed) == 1).count(), written);
    }
}
