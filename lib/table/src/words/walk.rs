//! Walking over all entries of an index.

use std::sync::atomic::Ordering;

use super::Rules;
use super::index::Index;
use crate::layout::{Level, Row};
use crate::memory::Memory;

/// Iterates over the rows of one level.
///
/// Every number that is in the index from the first to the last step is met exactly once; one that comes
/// in meanwhile may be missed. Walking rows instead of slots would meet the rows that were taken and lost.
pub(crate) struct Walk<'g, M, R> {
    index: Index<'g, M, R>,
    level: Level,
    slot: usize,
}

impl<'g, M: Memory, R: Rules> Index<'g, M, R> {
    pub(crate) fn walk(self) -> Walk<'g, M, R> {
        Walk { index: self, level: self.level(), slot: 0 }
    }

    /// Rows taken so far, whether or not anything was published in them.
    pub(crate) fn rows_taken(self) -> u64 {
        let taken = self.memory.load64(self.geometry.next_at(), Ordering::Relaxed);
        taken.min(u64::from(self.geometry.max_rows()))
    }

    pub(crate) fn level_number(self) -> u32 {
        self.level().number()
    }
}

impl<M: Memory, R: Rules> Iterator for Walk<'_, M, R> {
    /// The number and its row.
    type Item = (u64, Row);

    fn next(&mut self) -> Option<Self::Item> {
        while self.slot < self.level.slots() {
            let geometry = self.index.geometry;
            let at = geometry.slot_at(geometry.slot(self.level, self.slot));
            self.slot += 1;
            if let Some(row) = self.index.row_of(self.index.memory.acquire32(at)) {
                return Some((self.index.id(row), row));
            }
        }
        None
    }
}
