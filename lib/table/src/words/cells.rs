//! Reading and writing single cells.

use std::sync::atomic::Ordering;

use super::{Rules, Spares, View};
use crate::error::Error;
use crate::layout::{CellAt, Column, Geometry, Place};
use crate::memory::Memory;
use crate::width::sealed::Cell;
use crate::width::{decode, encode};

/// The word of a hashed object, 0 if it has no row.
#[cold]
#[inline(never)]
fn word_apart<M: Memory, W: Cell, R: Rules>(
    memory: M,
    geometry: &Geometry,
    object: u64,
    column: Column,
) -> u64 {
    let view = View::<M, W, R>::new(memory, geometry);
    view.place(object).map_or(0, |place| view.load(view.cell(place, column)))
}

impl<M: Memory, W: Cell, R: Rules, const COLUMNS: usize> View<'_, M, W, R, COLUMNS> {
    #[inline(always)]
    pub(crate) fn cell(&self, place: Place, column: Column) -> CellAt {
        self.hot.cell(place, column, W::BYTES)
    }

    /// The word of a cell. Pairs with the release of `set` and `exchange`: what its writer stored before is
    /// visible after. A relaxed load and a fence, because the pages may be mapped read-only.
    #[inline(always)]
    pub(crate) fn load(&self, at: CellAt) -> u64 {
        let word = W::load(self.memory, at, Ordering::Relaxed);
        self.memory.fence(Ordering::Acquire);
        word
    }

    /// The value of a pair. Wait-free.
    #[inline(always)]
    pub(crate) fn get(&self, object: u64, key: u64) -> Option<i64> {
        let column = self.column(key)?;
        if COLUMNS == 0 {
            let place = self.place(object)?;
            return decode::<W>(self.load(self.cell(place, column)));
        }
        // Nothing but the word comes back from the way out of line, so that the way in line stays short.
        let word = match self.hot.dense_row_of::<COLUMNS>(object, W::BYTES) {
            Some(place) => self.load(self.cell(place, column)),
            None => {
                std::hint::cold_path();
                word_apart::<M, W, R>(self.memory, self.geometry, object, column)
            }
        };
        decode::<W>(word)
    }

    /// Stores a value.
    #[inline]
    pub(crate) fn set(&self, object: u64, key: u64, value: i64, spares: &Spares) -> Result<(), Error> {
        let word = encode::<W>(value)?;
        let at = self.cell_or_insert(object, key, spares)?;
        W::store(self.memory, at, word, R::SET);
        Ok(())
    }

    /// The cell of a pair, with row and column taken for it if need be.
    #[inline]
    pub(crate) fn cell_or_insert(&self, object: u64, key: u64, spares: &Spares) -> Result<CellAt, Error> {
        let column = self.column_or_insert(key, spares)?;
        let place = self.place_or_insert(object, spares)?;
        Ok(self.cell(place, column))
    }

    /// Adds to a cell, an absent one counting as 0; answers the value before.
    ///
    /// A loop of exchanges and not one fetch-and-add: the sum must not run over the ends of the range, and
    /// an absent cell must not become a number by accident.
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

    /// Replaces the expected value by another; on failure answers what is there. `None` is absent.
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

    /// Makes a cell absent; answers its value.
    pub(crate) fn remove(&self, at: CellAt) -> Option<i64> {
        let mut word = W::load(self.memory, at, Ordering::Relaxed);
        while word != 0 {
            match W::exchange(self.memory, at, word, 0) {
                Ok(_) => break,
                Err(now) => word = now,
            }
        }
        decode::<W>(word)
    }
}
