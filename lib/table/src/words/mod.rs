//! The algorithm: locations, order and memory ordering of all stores.
//!
//! Everything here is generic over the [`Memory`] it runs on and over the [`Rules`] of the protocol. The product runs
//! [`Sound`]; the tests run rules with one error each, which the explorer must detect.

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use crate::layout::{CellsStart, Column, Geometry, Hot, Row};
use crate::memory::Memory;
use crate::width::sealed::Cell;

mod cells;
mod claim;
#[cfg(test)]
mod explore;
mod grow;
#[cfg(test)]
mod history;
mod index;
mod many;
#[cfg(test)]
mod plain;
mod record;
mod snapshot;
mod walk;

pub(crate) use cells::word_in_apart;
pub(crate) use index::Index;

/// Choices of the protocol. Each constant stands for a mutant, which the tests make by changing it, and which the
/// explorer must detect.
pub(crate) trait Rules: Copy {
    /// Publishes a row's entry: pairs with the acquire load of a searcher, which then reads the row's object.
    const PUBLISH: Ordering = Ordering::Release;
    /// Publishes a copied entry on the next level: pairs with the acquire load of a searcher there.
    const COPY: Ordering = Ordering::Release;
    /// Raises the level: pairs with the acquire load of the level, after which all copies are visible.
    const RAISE: Ordering = Ordering::Release;
    /// Stores a value: pairs with the acquire load of a reader, which then sees the writer's earlier stores.
    const SET: Ordering = Ordering::Release;
    /// Publishes a record's sequence: pairs with the acquire load of a snapshot.
    const SEQUENCE: Ordering = Ordering::Release;
    /// Whether an empty slot is frozen by compare-and-exchange instead of a store.
    const FREEZE_BY_EXCHANGE: bool = true;
    /// Whether growth freezes empty slots at all.
    const FREEZE: bool = true;
    /// Whether a helper recognises an entry that another helper has copied.
    const COPY_ONCE: bool = true;
    /// Whether a thread that lost the race for a slot reads the slot again.
    const LOOK_AGAIN: bool = true;
    /// Whether an inserter stops at a frozen slot.
    const STOP_AT_FROZEN: bool = true;
    /// Whether a row is claimed by compare-and-exchange instead of a store.
    const CLAIM_BY_EXCHANGE: bool = true;
    /// Whether a row that another thread has claimed is published for that thread instead of being taken away.
    const SPARE_THE_HELD: bool = true;
    /// Whether the note of a spare row is cleared when the row is taken.
    const CLEAR_SPARE: bool = true;
    /// Counts a row as handed out: pairs with the acquire load of the thread that takes the next one and compares the
    /// count with that of rows with pages.
    const HAND_OUT: Ordering = Ordering::Release;
    /// Raises the mark below which all rows are named by a slot: pairs with the acquire load of a caller that gets the
    /// error that the table is full.
    const NAMED: Ordering = Ordering::Release;
    /// Reads a slot that is being settled: pairs with the release of the exchange that published its row.
    const SETTLE: Ordering = Ordering::Acquire;
    /// Whether the level is raised by compare-and-exchange instead of a store.
    const RAISE_BY_EXCHANGE: bool = true;
    /// Whether a plain row is read until two passes agree.
    const TWO_PASSES: bool = true;
    /// Whether a value is removed by compare-and-exchange instead of a load and a store.
    const REMOVE_BY_EXCHANGE: bool = true;
    /// Whether a batch reads only rows that a slot names, and none that may merely contain the object.
    const NAMED_ROWS_ONLY: bool = true;
    /// Whether the common level is that of the lowest region.
    const LEAST_COMMON: bool = true;
    /// Whether the pages of a slot beyond the end of an entry's region are reserved before the entry takes the slot.
    const RESERVE_BEHIND: bool = true;
    /// Whether a walk continues after a region for the entries that found no place in it.
    const WALK_ON: bool = true;
    /// Whether a walk through a region skips the entries of other regions.
    const OWN_REGION: bool = true;
    /// Whether the writer of a record executes a release fence between the load of the sequence and the stores into a
    /// half.
    const WRITER_FENCE: bool = true;
    /// Whether a snapshot executes an acquire fence between the loads of the values and the second load of the
    /// sequence.
    const READER_FENCE: bool = true;
    /// Whether a record is filled in the half that is not published.
    const TWO_HALVES: bool = true;
    /// Whether a value is added by compare-and-exchange instead of a load and a store.
    const ADD_BY_EXCHANGE: bool = true;
}

/// The protocol as shipped.
#[derive(Clone, Copy)]
pub(crate) struct Sound;

impl Rules for Sound {}

/// A copyable handle on a table: the memory, and a private copy of the geometry that reads need.
///
/// A local copy lets the compiler keep bases, bounds and strides in registers across acquire loads, which is impossible
/// for fields behind a reference. To preserve this, a read must not pass the view itself to a function out of line:
/// taking its address would put all fields back into memory. The methods nevertheless borrow the view, because a copy
/// for each call costs more than a few loads (measured: seven cycles a read).
///
/// `COLUMNS` is the number of keys when the program knows it, 0 otherwise.
pub(crate) struct View<'g, M, W, R = Sound, const COLUMNS: usize = 0> {
    pub memory: M,
    pub hot: Hot,
    pub geometry: &'g Geometry,
    marker: PhantomData<(W, R)>,
}

impl<M: Copy, W, R, const C: usize> Clone for View<'_, M, W, R, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Copy, W, R, const C: usize> Copy for View<'_, M, W, R, C> {}

/// Returns the column of a key that is not one of the dense ones of a plain table.
#[cold]
#[inline(never)]
fn column_apart<M: Memory, R: Rules>(memory: M, geometry: &Geometry, key: u64) -> Option<Column> {
    let dense = u64::from(geometry.shape.dense_keys);
    if key < dense {
        return geometry.column(key);
    }
    if geometry.shape.max_sparse_keys == 0 {
        return None;
    }
    let row = Index::<M, R>::new(memory, &geometry.keys).find(key)?;
    geometry.column(dense + u64::from(row.number()))
}

#[cold]
#[inline(never)]
fn find_apart<M: Memory, R: Rules>(index: Index<'_, M, R>, object: u64) -> Option<Row> {
    index.find(object)
}

impl<'g, M: Memory, W: Cell, R: Rules, const COLUMNS: usize> View<'g, M, W, R, COLUMNS> {
    /// Creates a view. `memory` has the length of the geometry, and `COLUMNS` is 0 or passes [`Geometry::fits`].
    #[inline(always)]
    pub(crate) fn new(memory: M, geometry: &'g Geometry) -> Self {
        debug_assert!(COLUMNS == 0 || geometry.fits(COLUMNS));
        debug_assert_eq!(geometry.shape.width as usize, W::BYTES);
        Self { memory, hot: geometry.hot, geometry, marker: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn objects(&self) -> Index<'_, M, R> {
        Index::new(self.memory, &self.hot.objects)
    }

    /// Returns the index of objects for calls out of line, which must not see the address of the private copy.
    #[inline(always)]
    pub(crate) fn shared_objects(&self) -> Index<'g, M, R> {
        Index::new(self.memory, &self.geometry.hot.objects)
    }

    #[inline(always)]
    pub(crate) fn keys(&self) -> Index<'g, M, R> {
        Index::new(self.memory, &self.geometry.keys)
    }

    /// Returns the column of any key that has one.
    #[inline(always)]
    pub(crate) fn column(&self, key: u64) -> Option<Column> {
        let dense = match COLUMNS {
            0 => self.hot.dense_column(key),
            _ => self.hot.dense_column_of::<COLUMNS>(key),
        };
        if dense.is_none() {
            std::hint::cold_path();
            return if COLUMNS == 0 { column_apart::<M, R>(self.memory, self.geometry, key) } else { None };
        }
        dense
    }

    /// Returns the row of any object that has one.
    #[inline(always)]
    pub(crate) fn place(&self, object: u64) -> Option<CellsStart> {
        let dense = match COLUMNS {
            0 => self.hot.dense_row(object),
            _ => self.hot.dense_row_of::<COLUMNS>(object, W::BYTES),
        };
        if dense.is_some() {
            return dense;
        }
        // A known number of columns means dense objects in tight loops: the search stays out of line.
        let row = match COLUMNS {
            0 => self.objects().find(object)?,
            _ => find_apart(self.shared_objects(), object)?,
        };
        Some(self.hot.hashed_row(row))
    }

    /// Returns the column of a key, which is allocated if there is none.
    #[inline]
    pub(crate) fn column_or_insert(&self, key: u64) -> Result<Column, crate::Error> {
        if let Some(column) = self.hot.dense_column(key) {
            return Ok(column);
        }
        let row = self.keys().insert(key).map_err(index::Refusal::for_keys)?;
        let number = u64::from(self.geometry.shape.dense_keys) + u64::from(row.number());
        self.geometry.column(number).ok_or(crate::Error::KeysFull { max: 0 })
    }

    /// Returns the row of an object, which is allocated if there is none.
    #[inline]
    pub(crate) fn place_or_insert(&self, object: u64) -> Result<CellsStart, crate::Error> {
        if let Some(place) = self.hot.dense_row(object) {
            return Ok(place);
        }
        // The common case is inlined: most writes are to objects that exist, and nearly all of those are in their
        // likely slot. The others are found by the search that would insert them.
        let objects = self.objects();
        if let Some(row) = objects.likely_row(object)
            && objects.id(row) == object
        {
            return Ok(self.hot.hashed_row(row));
        }
        let row = self.shared_objects().insert(object).map_err(index::Refusal::for_objects)?;
        Ok(self.hot.hashed_row(row))
    }
}
