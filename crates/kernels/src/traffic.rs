//! Lines of memory that come and go as fast as a CPU can move them.

use std::hint::black_box;

use fauxplat_sys::SysError;
use fauxplat_sys::memory::Pages;
use fauxplat_units::Bytes;

/// Memory from this size on is walked in several places at once, and asks for huge pages.
const LARGE_BYTES: u64 = 8 << 20;
/// So many places: each keeps a prefetcher and a bank of the memory busy. Tried were 1, 4, 8, 16 and 32, reading, writing,
/// both, without caching, with flushing, and in no order; eight disturbed a neighbour most.
const STREAMS: usize = 8;

/// A piece of memory of which every line is changed in turns.
///
/// One word of each line is read and written: that moves the whole line in and, changed, out again, and leaves the CPU
/// nothing to do but ask for the next.
#[derive(Debug)]
pub struct Traffic {
    pages: Pages,
    /// Words of a line.
    stride: usize,
    streams: usize,
    /// Words of each stream, one after the other.
    part: usize,
    /// Where all streams stand in their parts.
    at: usize,
}

impl Traffic {
    /// Lines of a unit.
    pub const LINES: u64 = 64;

    /// Memory of about this size, every line of which is there when this returns.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn new(footprint: Bytes, line: Bytes) -> Result<Self, SysError> {
        let stride = (line.0 / 8).max(1) as usize;
        let is_large = footprint.0 >= LARGE_BYTES;
        let streams = if is_large { STREAMS } else { 1 };
        // A part holds whole units, so that none of them ends in the middle.
        let unit = stride * Self::LINES as usize;
        let part = (footprint.0 as usize / 8 / streams / unit).max(1) * unit;
        let mut pages = Pages::new(part * streams * 8, is_large)?;
        pages.words().iter_mut().step_by(stride).for_each(|word| *word = 1);
        Ok(Traffic { pages, stride, streams, part, at: 0 })
    }

    /// Changes so many times [`Traffic::LINES`] lines.
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
