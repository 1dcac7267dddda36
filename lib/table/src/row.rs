//! Handles on a row and on a counter.

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use crate::error::Error;
use crate::layout::{CellAt, CellsStart, Geometry};
use crate::map::Raw;
use crate::memory::Memory;
use crate::width::sealed::Cell;
use crate::width::{Wide, Width, decode, encode};
use crate::words::{Sound, View, word_in_apart};

/// An object's row, found once. The handle stays valid for the life of the table: rows never move.
///
/// The handle contains only what a read needs, so that a program can keep many handles, and the compiler can keep a
/// whole handle in registers.
#[derive(Clone, Copy)]
pub struct Row<'t, W: Width = Wide, const COLUMNS: usize = 0> {
    /// The memory from the row's first cell on.
    cells: Raw<'t>,
    /// Number of keys, from 0 on, that are read without a search; 0 in a record table.
    keys: u64,
    geometry: &'t Geometry,
    width: PhantomData<W>,
}

impl<W: Width, const COLUMNS: usize> std::fmt::Debug for Row<'_, W, COLUMNS> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Row").field("place", &self.place()).finish_non_exhaustive()
    }
}

impl<'t, W: Width, const COLUMNS: usize> Row<'t, W, COLUMNS> {
    #[inline(always)]
    pub(crate) fn new(view: &View<'t, Raw<'t>, W, Sound, COLUMNS>, place: CellsStart) -> Self {
        let (cells, keys) = (view.memory.from(place.offset()), view.hot.dense_keys());
        Self { cells, keys, geometry: view.geometry, width: PhantomData }
    }

    pub(crate) fn place(&self) -> CellsStart {
        CellsStart::from_offset(self.cells.skipped())
    }

    /// Returns the value of a key of this object.
    #[inline(always)]
    pub fn get(&self, key: u64) -> Option<i64> {
        decode::<W>(self.word(key))
    }

    /// Returns the word of a key. Both paths return a word, so that only one place decodes it: two places cost three
    /// more instructions a read.
    #[inline(always)]
    fn word(&self, key: u64) -> u64 {
        let keys = if COLUMNS == 0 { self.keys } else { COLUMNS as u64 };
        if key >= keys {
            std::hint::cold_path();
            return other_word::<W>(self.cells, self.geometry, key);
        }
        let at = CellsStart::from_offset(0).dense_cell(key, W::BYTES);
        let word = <W as Cell>::load(self.cells, at, Ordering::Relaxed);
        // The fence is the same as in `View::load`.
        self.cells.fence(Ordering::Acquire);
        word
    }

    /// Returns the address of the cell of key 0, and the number of keys, for bindings to other languages: aligned words
    /// of `W`'s width that contain the values plus half their range, 0 if absent. The address is valid while the table
    /// is open.
    pub fn cells(&self) -> (*const u8, u64) {
        (self.cells.address(0), self.keys)
    }
}

/// Returns the word of a key that is not dense, or of a record, in the row that begins with these cells.
#[cold]
#[inline(never)]
fn other_word<W: Width>(cells: Raw<'_>, geometry: &Geometry, key: u64) -> u64 {
    let place = CellsStart::from_offset(cells.skipped());
    word_in_apart::<_, W, Sound>(cells.whole(), geometry, place, key)
}

/// A counter with a single writer and any number of readers.
///
/// The counter caches its value, so that an addition is one store without a load or a bus lock. A second writer is not
/// prevented: two writers overwrite each other's sums, and a value that is removed or set elsewhere comes back with the
/// next addition. Use [`crate::Table::add`] for cells with several writers.
#[derive(Debug)]
pub struct Counter<'t, W: Width = Wide> {
    memory: Raw<'t>,
    at: CellAt,
    value: i64,
    width: PhantomData<W>,
}

impl<'t, W: Width> Counter<'t, W> {
    /// Creates a counter; the caller has checked that the mapping is writable and that the cell is `W` wide.
    pub(crate) fn new(memory: Raw<'t>, at: CellAt) -> Result<Self, Error> {
        let value = decode::<W>(<W as Cell>::load(memory, at, Ordering::Relaxed)).unwrap_or(0);
        let mut counter = Self { memory, at, value, width: PhantomData };
        counter.add(0)?;
        Ok(counter)
    }

    /// Adds, and publishes the sum. An error changes neither the sum nor the cell.
    #[inline(always)]
    pub fn add(&mut self, delta: i64) -> Result<(), Error> {
        let Some(sum) = self.value.checked_add(delta) else {
            std::hint::cold_path();
            return Err(Error::Range { value: self.value.saturating_add(delta) });
        };
        let word = encode::<W>(sum)?;
        // Release: pairs with the acquire load of a reader, which then sees the writer's earlier stores.
        <W as Cell>::store(self.memory, self.at, word, Ordering::Release);
        self.value = sum;
        Ok(())
    }

    /// Returns the writer's own copy of the value.
    pub fn value(&self) -> i64 {
        self.value
    }

    /// Returns the address of the cell, for bindings to other languages: an aligned word of `W`'s width that contains
    /// the value plus half its range. The address is valid while the table is open.
    pub fn address(&self) -> *const u8 {
        match W::BYTES {
            4 => std::ptr::from_ref(self.memory.word32(self.at.narrow())).cast(),
            _ => std::ptr::from_ref(self.memory.word64(self.at.wide())).cast(),
        }
    }
}
