//! Reading and writing many pairs at once: the cache misses of a batch overlap instead of following one another.

use super::index::hash;
use super::{Rules, Spares, View};
use crate::error::Error;
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

    /// Stores the value of each (object, key, value), in order, each as `set` stores it. An error ends it: what came before is
    /// stored.
    #[inline]
    pub(crate) fn set_each<I>(&self, values: I, spares: &Spares) -> Result<(), Error>
    where
        I: IntoIterator<Item = (u64, u64, i64)>,
    {
        let mut values = values.into_iter();
        let mut batch = [(0, 0, 0); BATCH];
        loop {
            let mut count = 0;
            for (slot, value) in batch.iter_mut().zip(values.by_ref()) {
                *slot = value;
                count += 1;
            }
            if count == 0 {
                return Ok(());
            }
            self.fetch_slots(batch[..count].iter().map(|one| one.0));
            for &(object, key, value) in &batch[..count] {
                self.set(object, key, value, spares)?;
            }
        }
    }

    /// Asks for the slots at which the searches for hashed objects begin.
    #[inline(always)]
    fn fetch_slots(&self, objects: impl Iterator<Item = u64>) {
        let index = self.objects();
        let level = index.level();
        for object in objects {
            if self.hot.dense_row(object).is_none() {
                let home = index.geometry.home(hash(object), level);
                self.memory.prefetch(index.geometry.slot_at(home).offset());
            }
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
