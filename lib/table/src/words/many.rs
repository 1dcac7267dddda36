//! Reading many pairs at once: the cache misses of a batch overlap instead of following one another.

use super::index::hash;
use super::{Rules, View};
use crate::layout::Row;
use crate::memory::Memory;
use crate::width::decode;
use crate::width::sealed::Cell;

/// Pairs in flight: enough to cover a memory access, few enough for the first-level cache.
const BATCH: usize = 32;

impl<M: Memory, W: Cell, R: Rules, const COLUMNS: usize> View<'_, M, W, R, COLUMNS> {
    /// Calls `sink` with the value of each pair, in order. Each value is read as `get` reads it.
    ///
    /// Two ways, because a batch costs more than it gains where the address follows from the pair: there
    /// the processor itself runs far enough ahead.
    #[inline]
    pub(crate) fn get_each<I, S>(&self, pairs: I, mut sink: S)
    where
        I: IntoIterator<Item = (u64, u64)>,
        S: FnMut(Option<i64>),
    {
        let mut pairs = pairs.into_iter();
        let mut batch = [(0, 0); BATCH];
        while let Some((object, key)) = pairs.next() {
            if self.hot.dense_row(object).is_some() {
                sink(self.get(object, key));
                continue;
            }
            batch[0] = (object, key);
            let mut count = 1;
            for (slot, pair) in batch[1..].iter_mut().zip(pairs.by_ref()) {
                *slot = pair;
                count += 1;
            }
            self.get_batch(&batch[..count], &mut sink);
        }
    }

    /// Three passes: fetch the slots, find the rows and fetch the cells, read the cells.
    #[inline(always)]
    fn get_batch<S: FnMut(Option<i64>)>(&self, batch: &[(u64, u64)], sink: &mut S) {
        let objects = self.objects();
        let level = objects.level();
        for &(object, _) in batch {
            let home = objects.geometry.home(hash(object), level);
            self.memory.prefetch(objects.geometry.slot_at(home).offset());
        }
        let mut rows = [None; BATCH];
        for (row, &(object, key)) in rows.iter_mut().zip(batch) {
            *row = objects.probable(hash(object), level);
            if let (Some(row), Some(column)) = (*row, self.hot.dense_column(key)) {
                self.memory.prefetch(self.cell(self.hot.hashed_row(row), column).offset());
            }
        }
        for (row, &(object, key)) in rows.iter().zip(batch) {
            sink(match *row {
                Some(row) if objects.id(row) == object => self.value(row, key),
                // A dense object, or one that is not in the first two slots: search in full.
                _ => self.get(object, key),
            });
        }
    }

    #[inline(always)]
    fn value(&self, row: Row, key: u64) -> Option<i64> {
        let column = self.column(key)?;
        let at = self.cell(self.hot.hashed_row(row), column);
        decode::<W>(self.load(at))
    }
}
