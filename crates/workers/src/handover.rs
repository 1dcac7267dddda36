//! Whether a worker finds in its cache what another has just written.
//!
//! Two walks of one cache need not hurt each other: where others hold most of it, what survives is what is used often, and
//! both do. But what one core writes is at hand for another exactly if a cache is theirs together; otherwise it comes from
//! memory or over the fabric. The same walk once more, from the reader's own cache, is the measure of "at hand", and once
//! more, after every cache has dropped the lines, that of memory: where the two are the same there is no cache to be asked
//! about.

use std::sync::atomic::{AtomicU64, Ordering};

use fauxplat_kernels::{Caches, walk_order};
use fauxplat_model::Handover;
use fauxplat_sys::{clock, memory};

/// What is written is so many times a second-level cache: most of it must have left the writer's own.
const SECOND_LEVELS: u64 = 3;
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
    /// For two workers with caches of these sizes.
    pub(crate) fn new(caches: &Caches) -> Self {
        let stride = (caches.line.0 / 8).max(2) as usize;
        let lines = ((caches.l2.0 * SECOND_LEVELS) as usize / (stride * 8)).max(2);
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

    /// Reads every line as the other left it, as one's own, and from memory.
    pub(crate) fn read(&self) -> Handover {
        let [handed_ns, own_ns] = [self.read_ns(), self.read_ns()];
        let memory_ns = memory::CAN_FLUSH.then(|| {
            self.words.iter().step_by(self.words.len() / self.lines).for_each(memory::flush);
            self.read_ns()
        });
        Handover { handed_ns, own_ns, memory_ns }
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
        let Handover { handed_ns, own_ns, memory_ns } = parcel.read();
        assert!(handed_ns > 0 && own_ns > 0 && memory_ns.is_none_or(|ns| ns > 0));
        assert_eq!(memory_ns.is_some(), memory::CAN_FLUSH);
        // Nothing of what was written is lost with the caches.
        assert_eq!(parcel.words.iter().filter(|word| word.load(Ordering::Relaxed) == 1).count(), written);
    }
}
