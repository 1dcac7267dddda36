//! Lines of memory that come and go as fast as a CPU can move them.

use std::hint::black_box;

use fauxplat_sys::SysError;
use fauxplat_sys::memory::Pages;
use fauxplat_units::Bytes;

/// A piece of memory of which every line is changed in turns.
///
/// One word of each line is read and written: that moves the whole line in and, changed, out again, and leaves the CPU
/// nothing to do but ask for the next.
#[derive(Debug)]
pub struct Traffic {
    pages: Pages,
    stride: usize,
    words: usize,
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
        let unit = stride * Self::LINES as usize;
        let words = (footprint.0 as usize / 8 / unit).max(1) * unit;
        // Small pages of a small piece are few; a large piece would be a walk through page tables.
        let mut pages = Pages::new(words * 8, words * 8 >= 1 << 20)?;
        pages.words().iter_mut().step_by(stride).for_each(|word| *word = 1);
        Ok(Traffic { pages, stride, words, at: 0 })
    }

    /// Changes so many times [`Traffic::LINES`] lines.
    pub fn run(&mut self, units: u64) -> u64 {
        let unit = self.stride * Self::LINES as usize;
        let mut sum = 0u64;
        for _ in 0..units {
            let part = &mut self.pages.words()[self.at..self.at + unit];
            for word in part.iter_mut().step_by(self.stride) {
                *word = word.wrapping_add(1);
            }
            sum = sum.wrapping_add(black_box(part)[0]);
            self.at = if self.at + 2 * unit <= self.words { self.at + unit } else { 0 };
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_changed_once_in_a_turn() {
        let mut traffic = Traffic::new(Bytes(64 * Traffic::LINES * 10), Bytes(64)).unwrap();
        traffic.run(10);
        let words = traffic.words;
        assert!(traffic.pages.words()[..words].iter().step_by(8).all(|&word| word == 2));
        assert_eq!(traffic.at, 0);
    }
}
