//! Load by minor page faults: touches pages, returns them to the kernel, and touches them again.

use std::io;

use fauxplat_sys::memory::{Pages, page_bytes};

use super::{Labour, plain};
use crate::order::FAULT_PAGES;

pub(super) struct Faults {
    pages: Pages,
    next: usize,
}

impl Faults {
    pub(super) fn new() -> io::Result<Self> {
        let pages = Pages::new(FAULT_PAGES as usize * page_bytes(), false).map_err(plain)?;
        Ok(Faults { pages, next: 0 })
    }
}

impl Labour for Faults {
    fn lap(&mut self, units: u64) -> io::Result<()> {
        let words = page_bytes() / 8;
        for _ in 0..units {
            if self.next == FAULT_PAGES as usize {
                self.pages.discard().map_err(plain)?;
                self.next = 0;
            }
            self.pages.words()[self.next * words] = 1;
            self.next += 1;
        }
        Ok(())
    }
}
