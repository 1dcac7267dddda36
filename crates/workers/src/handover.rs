//! Whether a worker finds in its cache what another has just written.
//!
//! Two walks of one cache need not hurt each other: where others hold most of it, what survives is what is used often, and
//! both do. But what one core writes is at hand for another exactly if a cache is theirs together; otherwise it comes from
//! memory or over the fabric. The same walk once more, from the reader's own cache, is the measure of "at hand".

use std::sync::atomic::{AtomicU64, Ordering};

use fauxplat_kernels::{Caches, walk_order};
use fauxplat_sys::clock;

/// What is written is so many times a second-level cache: most of it must have left the writer's own.
const SECOND_LEVELS: u64 = 3;
/// Bytes that are walked to their end before the walk goes elsewhere.
const PLOT_BYTES: usize = 64 << 10;

/// Memory that one worker writes and another reads.
#[derive(Debug)]
pub(crate) struct Handover {
    /// The first word of each line is the place of the next, the second what was written.
    words: Vec<AtomicU64>,
    lines: usize,
}

impl Handover {
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
        Handover { words, lines }
    }

    /// Writes every line: afterwards nobody else has it.
    pub(crate) fn write(&self) {
        self.walk(|at| self.words[at + 1].store(1, Ordering::Relaxed));
    }

    /// Reads every line, and says what all of them took, in nanoseconds.
    pub(crate) fn read_ns(&self) -> u64 {
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
        let handover = Handover::new(&Caches::default());
        handover.write();
        let written = handover.words.iter().filter(|word| word.load(Ordering::Relaxed) == 1).count();
        assert!(written >= handover.lines - 1, "{written} of {}", handover.lines);
        assert!(handover.read_ns() > 0);
    }
}
