//! Reading and writing single cells.

use std::sync::atomic::Ordering;

use super::{Rules, View};
use crate::error::Error;
use crate::layout::{CellAt, CellsStart, Column, Geometry};
use crate::memory::Memory;
use crate::width::sealed::Cell;
use crate::width::{decode, encode};

/// Returns the word of any pair, 0 if it has no cell: the whole search, out of line.
///
/// Takes the shared geometry and not a view, because taking the address of a view would force all of it into memory.
#[cold]
#[inline(never)]
pub(super) fn word_apart<M: Memory, W: Cell, R: Rules>(
    memory: M,
    geometry: &Geometry,
    object: u64,
    key: u64,
) -> u64 {
    let view = View::<M, W, R>::new(memory, geometry);
    let Some(column) = view.column(key) else { return 0 };
    let dense = view.hot.dense_row(object);
    let place = dense.or_else(|| Some(view.hot.hashed_row(view.objects().search(object)?)));
    place.map_or(0, |place| view.load(view.cell(place, column)))
}

/// Returns the word of a pair whose key is not dense, or whose table has records.
#[cold]
#[inline(never)]
pub(super) fn word_of_other_key<M: Memory, W: Cell, R: Rules>(
    memory: M,
    geometry: &Geometry,
    object: u64,
    key: u64,
) -> u64 {
    let view = View::<M, W, R>::new(memory, geometry);
    let (Some(column), Some(place)) = (view.column(key), view.place(object)) else { return 0 };
    view.word_at(place, column)
}

/// Returns the word of a pair whose key is not dense, in a row that was found.
#[cold]
#[inline(never)]
pub(crate) fn word_in_apart<M: Memory, W: Cell, R: Rules>(
    memory: M,
    geometry: &Geometry,
    place: CellsStart,
    key: u64,
) -> u64 {
    let view = View::<M, W, R>::new(memory, geometry);
    view.column(key).map_or(0, |column| view.word_at(place, column))
}

impl<M: Memory, W: Cell, R: Rules, const COLUMNS: usize> View<'_, M, W, R, COLUMNS> {
    #[inline(always)]
    pub(crate) fn cell(&self, place: CellsStart, column: Column) -> CellAt {
        self.hot.cell(place, column, W::BYTES)
    }

    /// Returns the word of a cell. Pairs with the release of `set` and `exchange`: everything its writer stored before
    /// is visible afterwards. A relaxed load and a fence, because the pages may be mapped read-only.
    #[inline(always)]
    pub(crate) fn load(&self, at: CellAt) -> u64 {
        let word = W::load(self.memory, at, Ordering::Relaxed);
        self.memory.fence(Ordering::Acquire);
        word
    }

    /// Returns the word of a column in a row, in a plain table or a record table.
    pub(crate) fn word_at(&self, place: CellsStart, column: Column) -> u64 {
        match self.geometry.shape.records {
            true => self.read_one(place, column),
            false => self.load(self.cell(place, column)),
        }
    }

    /// Returns the value of a pair. Wait-free.
    #[inline(always)]
    pub(crate) fn get(&self, object: u64, key: u64) -> Option<i64> {
        decode::<W>(self.word(object, key))
    }

    /// Returns the word of a pair, 0 if it has no cell. The inlined path covers nearly all pairs: a dense key of an
    /// object that is dense or that a single probe finds.
    #[inline(always)]
    fn word(&self, object: u64, key: u64) -> u64 {
        if COLUMNS != 0 {
            return self.word_of_dense(object, key);
        }
        let Some(column) = self.hot.dense_column(key) else {
            std::hint::cold_path();
            return word_of_other_key::<M, W, R>(self.memory, self.geometry, object, key);
        };
        if let Some(place) = self.hot.dense_row(object) {
            return self.load(self.cell(place, column));
        }
        let objects = self.objects();
        if let Some(row) = objects.likely_row(object)
            && objects.id(row) == object
        {
            return self.load(self.cell(self.hot.hashed_row(row), column));
        }
        std::hint::cold_path();
        word_apart::<M, W, R>(self.memory, self.geometry, object, key)
    }

    /// Returns the word of a pair for a known number of columns, used to read dense objects in tight loops: every
    /// search is kept out of line.
    #[inline(always)]
    fn word_of_dense(&self, object: u64, key: u64) -> u64 {
        let Some(column) = self.hot.dense_column_of::<COLUMNS>(key) else {
            // All columns are dense keys (see `Geometry::fits`).
            std::hint::cold_path();
            return 0;
        };
        let Some(place) = self.hot.dense_row_of::<COLUMNS>(object, W::BYTES) else {
            std::hint::cold_path();
            return word_apart::<M, W, R>(self.memory, self.geometry, object, key);
        };
        self.load(self.cell(place, column))
    }

    /// Stores a value.
    #[inline]
    pub(crate) fn set(&self, object: u64, key: u64, value: i64) -> Result<(), Error> {
        let word = encode::<W>(value)?;
        let at = self.cell_or_insert(object, key)?;
        W::store(self.memory, at, word, R::SET);
        Ok(())
    }

    /// Returns the cell of a pair, taking a row and a column for it if needed.
    #[inline]
    pub(crate) fn cell_or_insert(&self, object: u64, key: u64) -> Result<CellAt, Error> {
        let column = self.column_or_insert(key)?;
        let place = self.place_or_insert(object)?;
        Ok(self.cell(place, column))
    }

    /// Adds to a cell, an absent one counting as 0, and returns the previous value.
    ///
    /// A loop of exchanges instead of one fetch-and-add: the sum must not leave the range, and an absent cell must not
    /// become a number by accident.
    #[inline]
    pub(crate) fn add(&self, at: CellAt, delta: i64) -> Result<i64, Error> {
        let mut word = W::load(self.memory, at, Ordering::Relaxed);
        loop {
            let before = decode::<W>(word).unwrap_or(0);
            let Some(sum) = before.checked_add(delta) else {
                return Err(Error::Range { value: before.saturating_add(delta) });
            };
            let new = encode::<W>(sum)?;
            if !R::ADD_BY_EXCHANGE {
                W::store(self.memory, at, new, R::SET);
                return Ok(before);
            }
            match W::exchange(self.memory, at, word, new) {
                Ok(_) => return Ok(before),
                Err(now) => word = now,
            }
        }
    }

    /// Replaces the expected value by another; on failure returns the present value. `None` is absent.
    pub(crate) fn compare_exchange(
        &self,
        at: CellAt,
        expected: Option<i64>,
        new: Option<i64>,
    ) -> Result<Result<(), Option<i64>>, Error> {
        let word = |value: Option<i64>| value.map_or(Ok(0), encode::<W>);
        let (old, new) = (word(expected)?, word(new)?);
        Ok(W::exchange(self.memory, at, old, new).map(drop).map_err(decode::<W>))
    }

    /// Fails if one of the values, of which `None` is an absent one, exceeds the range of a cell.
    pub(crate) fn check_values(&self, one: Option<i64>, other: Option<i64>) -> Result<(), Error> {
        [one, other].into_iter().flatten().try_for_each(|value| encode::<W>(value).map(drop))
    }

    /// Makes a cell absent and returns its value.
    pub(crate) fn remove(&self, at: CellAt) -> Option<i64> {
        let mut word = W::load(self.memory, at, Ordering::Relaxed);
        while word != 0 {
            if !R::REMOVE_BY_EXCHANGE {
                W::store(self.memory, at, 0, R::SET);
                break;
            }
            match W::exchange(self.memory, at, word, 0) {
                Ok(_) => break,
                Err(now) => word = now,
            }
        }
        decode::<W>(word)
    }
}
