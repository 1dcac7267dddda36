//! Reading and writing many pairs at once: the cache misses of a batch overlap instead of following one another.

use super::cells::{word_apart, word_of_other_key};
use super::index::hash;
use super::{Rules, View};
use crate::error::Error;
use crate::layout::Level;
use crate::memory::Memory;
use crate::width::decode;
use crate::width::sealed::Cell;

/// Number of pairs whose memory accesses are in flight together: enough to hide the latency of one access, few enough
/// for the first-level cache.
const BATCH: usize = 32;

/// A pair of a batch, and the likely number of its object's row.
#[derive(Clone, Copy)]
struct Sought {
    object: u64,
    key: u64,
    row: u32,
}

impl<M: Memory, W: Cell, R: Rules, const COLUMNS: usize> View<'_, M, W, R, COLUMNS> {
    /// Calls `sink` with the value of each pair, in order. Each value is read as `get` reads it.
    ///
    /// Pairs of dense objects are read one by one, because their address follows from the pair, so that the processor
    /// itself runs far enough ahead. Other pairs are read in batches.
    #[inline]
    pub(crate) fn get_each<I, S>(&self, pairs: I, mut sink: S)
    where
        I: IntoIterator<Item = (u64, u64)>,
        S: FnMut(Option<i64>),
    {
        let mut pairs = pairs.into_iter();
        let mut batch = [Sought { object: 0, key: 0, row: 0 }; BATCH];
        while let Some((object, key)) = pairs.next() {
            if self.hot.dense_row(object).is_some() {
                sink(self.get(object, key));
                continue;
            }
            let level = self.objects().common_level();
            batch[0] = self.seek(object, key, level);
            let mut count = 1;
            for (sought, (object, key)) in batch[1..].iter_mut().zip(pairs.by_ref()) {
                *sought = self.seek(object, key, level);
                count += 1;
            }
            for sought in &batch[..count] {
                sink(decode::<W>(self.word_of(sought)));
            }
        }
    }

    /// Loads the slots in which a pair's object probably is, and prefetches the pair's cell.
    ///
    /// No branch here depends on memory, so the processor runs through a whole batch without waiting, and the slots
    /// arrive in parallel.
    #[inline(always)]
    fn seek(&self, object: u64, key: u64, level: Level) -> Sought {
        let row = self.objects().likely_number(object, level);
        self.memory.prefetch(self.hot.probable_cell(row, key, W::BYTES));
        Sought { object, key, row }
    }

    /// Returns the word of a pair that was sought, 0 if it has no cell.
    #[inline(always)]
    fn word_of(&self, sought: &Sought) -> u64 {
        let &Sought { object, key, row } = sought;
        let Some(column) = self.hot.dense_column(key) else {
            std::hint::cold_path();
            return word_of_other_key::<M, W, R>(self.memory, self.geometry, object, key);
        };
        // The row may not exist or may belong to another object, which only its own number shows. Only a row that a
        // slot names is used: a row that no slot names may contain the number now and go to another object later.
        let row = if R::NAMED_ROWS_ONLY { row } else { 0 };
        if let Some(row) = self.hot.objects.row(row)
            && self.objects().id(row) == object
        {
            return self.load(self.cell(self.hot.hashed_row(row), column));
        }
        // A dense object, or one that is not in the first two slots: search in full.
        std::hint::cold_path();
        word_apart::<M, W, R>(self.memory, self.geometry, object, key)
    }

    /// Stores the value of each (object, key, value), in order, each as `set` stores it. An error ends the call; the
    /// values before it are stored.
    #[inline]
    pub(crate) fn set_each<I>(&self, values: I) -> Result<(), Error>
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
                self.set(object, key, value)?;
            }
        }
    }

    /// Prefetches the slots at which the searches for hashed objects begin.
    #[inline(always)]
    fn fetch_slots(&self, objects: impl Iterator<Item = u64>) {
        let index = self.objects();
        for object in objects {
            if self.hot.dense_row(object).is_none() {
                let hash = hash(object);
                let home = index.geometry.home(hash, index.level_of(hash));
                self.memory.prefetch(index.geometry.slot_at(home).offset());
            }
        }
    }
}
