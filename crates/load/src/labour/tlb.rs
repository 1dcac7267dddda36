//! Memory accesses that nearly all need a page table walk.

use std::io;

use fauxplat_sys::memory::Windows;

use super::{Labour, plain};
use crate::order::{WINDOW_PAGES, WINDOWS};

/// Number of pages in a unit.
const PAGES: u64 = 16;

/// Few pages at very many addresses: the data stays in the caches, and the translations do not.
pub(super) struct Walk {
    windows: Windows,
    state: u64,
}

impl Walk {
    pub(super) fn new() -> io::Result<Self> {
        let windows = Windows::new(WINDOW_PAGES as usize, WINDOWS as usize).map_err(plain)?;
        Ok(Walk { windows, state: 0x2545_f491_4f6c_dd1d })
    }
}

impl Labour for Walk {
    fn lap(&mut self, units: u64) -> io::Result<()> {
        let mut sum = 0u64;
        for _ in 0..units * PAGES {
            // Marsaglia, "Xorshift RNGs", 2003: no prefetcher of translations can predict the sequence.
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            let page = self.state as usize >> 8;
            // The offset within the page depends on the page, so that the caches hold few lines of each.
            sum += u64::from(self.windows.peek(page, page % 64 * 64));
        }
        std::hint::black_box(sum);
        Ok(())
    }

    fn operations(&self, units: u64) -> u64 {
        units * PAGES
    }
}
