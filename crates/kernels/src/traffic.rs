//! Memory traffic: moves lines from and to memory as fast as a CPU can.

use std::hint::black_box;

use fauxplat_sys::SysError;
use fauxplat_sys::memory::Pages;
use fauxplat_units::Bytes;

/// Size in bytes from which on memory is walked in several streams at once, and has huge pages if possible.
const LARGE_BYTES: u64 = 8 << 20;
/// Number of streams: each keeps a prefetcher and a bank of the memory busy. Of 1, 4, 8, 16 and 32 streams (with reads,
/// writes, both, uncached accesses, flushes, and random order), eight that read and write disturbed a neighbour most.
const STREAMS: usize = 8;

/// A piece of memory of which every line is modified in turn.
///
/// A single word per line is read and written, so that the whole line moves in and, after its modification, out again,
/// and the CPU has no other work than requesting the next line.
#[derive(Debug)]
pub struct Traffic {
    pages: Pages,
    /// Words per line.
    stride: usize,
    streams: usize,
    /// Words per stream. The memory of one stream follows that of another.
    part: usize,
    /// Position of all streams, in words from the beginning of each stream.
    at: usize,
}

impl Traffic {
    /// Number of lines per unit.
    pub const LINES: u64 = 64;

    /// Allocates memory of about `footprint` bytes and touches every line.
    ///
    /// # Errors
    /// Fails if the memory cannot be allocated.
    pub fn new(footprint: Bytes, line: Bytes) -> Result<Self, SysError> {
        let stride = (line.0 / 8).max(1) as usize;
        let is_large = footprint.0 >= LARGE_BYTES;
        let streams = if is_large { STREAMS } else { 1 };
        // The size of a part is a multiple of a unit, so that no unit crosses the end of a part.
        let unit = stride * Self::LINES as usize;
        let part = (footprint.0 as usize / 8 / streams / unit).max(1) * unit;
        let mut pages = Pages::new(part * streams * 8, is_large)?;
        pages.words().iter_mut().step_by(stride).for_each(|word| *word = 1);
        Ok(Traffic { pages, stride, streams, part, at: 0 })
    }

    /// Modifies `units` times [`Traffic::LINES`] lines; returns a number that depends on the memory.
    pub fn run(&mut self, units: u64) -> u64 {
        let steps = Self::LINES as usize / self.streams;
        let (stride, part, streams) = (self.stride, self.part, self.streams);
        let words = &mut self.pages.words()[..part * streams];
        let mut sum = 0u64;
        for _ in 0..units {
            for step in 0..steps {
                let place = self.at + step * stride;
                for word in words[place..].iter_mut().step_by(part).take(streams) {
                    *word = word.wrapping_add(1);
                }
            }
            sum = sum.wrapping_add(black_box(words[self.at]));
            self.at = (self.at + steps * stride) % part;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_changed_once_in_a_turn() {
        for bytes in [64 * Traffic::LINES * 10, LARGE_BYTES, LARGE_BYTES + 12_345] {
            let mut traffic = Traffic::new(Bytes(bytes), Bytes(64)).unwrap();
            let words = traffic.part * traffic.streams;
            traffic.run(words as u64 / 8 / Traffic::LINES);
            assert!(traffic.pages.words()[..words].iter().step_by(8).all(|&word| word == 2), "{bytes}");
            assert_eq!(traffic.at, 0);
        }
    }
}
