//! Reading many pairs at once: the cache misses of a batch overlap instead of following one another.

use super::index::{EMPTY, FROZEN, hash};
use super::{Rules, View};
use crate::layout::{CellAt, Row};
use crate::memory::Memory;
use crate::width::decode;
use crate::width::sealed::Cell;

/// Pairs in flight: enough to cover a memory access, few enough for the first-level cache.
const BATCH: usize = 32;

/// What the second pass knows about a pair.
#[derive(Clone, Copy)]
enum Found {
    Absent,
    /// A dense object's cell.
    Cell(CellAt),
    /// A candidate whose object is still to be compared.
    Maybe(Row, CellAt),
}

impl<M: Memory, W: Cell, R: Rules, const COLUMNS: usize> View<M, W, R, COLUMNS> {
    /// Calls `sink` with the value of each pair, in order. Each value is read as `get` reads it.
    #[inline]
    pub(crate) fn get_each<I, S>(self, pairs: I, mut sink: S)
    where
        I: IntoIterator<Item = (u64, u64)>,
        S: FnMut(Option<i64>),
    {
        let mut pairs = pairs.into_iter();
        let mut batch = [(0, 0); BATCH];
        loop {
            let mut count = 0;
            for (slot, pair) in batch.iter_mut().zip(pairs.by_ref()) {
                *slot = pair;
                count += 1;
            }
            if count == 0 {
                return;
            }
            self.get_batch(&batch[..count], &mut sink);
            if count < BATCH {
                return;
            }
        }
    }

    /// Three passes: fetch the slots, find the rows and fetch the cells, read the cells.
    #[inline(always)]
    fn get_batch<S: FnMut(Option<i64>)>(self, batch: &[(u64, u64)], sink: &mut S) {
        let objects = self.objects();
        let level = objects.level();
        let dense = self.geometry.shape.dense_objects;
        for &(object, _) in batch {
            if object >= dense {
                let home = objects.geometry.home(hash(object), level);
                self.memory.prefetch(objects.geometry.slot(level, home).offset());
            }
        }
        let mut found = [Found::Absent; BATCH];
        for (found, &(object, key)) in found.iter_mut().zip(batch) {
            *found = self.locate(object, key, level);
        }
        for (found, &(object, key)) in found.iter().zip(batch) {
            sink(match *found {
                Found::Absent => None,
                Found::Cell(at) => decode::<W>(self.load(at)),
                Found::Maybe(row, at) if objects.id(row) == object => decode::<W>(self.load(at)),
                // Two objects with the same tag: search in full.
                Found::Maybe(..) => self.get(object, key),
            });
        }
    }

    /// The cell that a pair probably has, fetched but not yet looked at.
    #[inline(always)]
    fn locate(self, object: u64, key: u64, level: crate::layout::Level) -> Found {
        let Some(column) = self.column(key) else { return Found::Absent };
        if let Some(place) = self.geometry.dense_row(object) {
            let at = self.cell(place, column);
            self.memory.prefetch(at.offset());
            return Found::Cell(at);
        }
        let objects = self.objects();
        let hash = hash(object);
        let home = objects.geometry.home(hash, level);
        for step in 0..level.slots() {
            let entry = self.memory.acquire32(objects.geometry.slot(level, home.wrapping_add(step)));
            if let Some(row) = objects.candidate(entry, hash) {
                let at = self.cell(self.geometry.hashed_row(row), column);
                self.memory.prefetch(at.offset());
                return Found::Maybe(row, at);
            }
            if entry == EMPTY || entry == FROZEN {
                break;
            }
        }
        Found::Absent
    }
}
