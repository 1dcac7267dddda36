//! A handle for fast reading.

use crate::error::Error;
use crate::map::Raw;
use crate::row::Row;
use crate::width::{Wide, Width};
use crate::words::{Sound, View};

/// Reads a table through a copy of its geometry that the compiler can keep in registers.
///
/// `COLUMNS` is 0, or the number of keys if the program knows it: the row's address is then a multiplication by a
/// constant. See [`crate::Table::reader`] and [`crate::Table::reader_of`].
#[derive(Clone, Copy)]
pub struct Reader<'t, W: Width = Wide, const COLUMNS: usize = 0> {
    pub(crate) view: View<'t, Raw<'t>, W, Sound, COLUMNS>,
}

impl<W: Width, const COLUMNS: usize> std::fmt::Debug for Reader<'_, W, COLUMNS> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Reader").field("columns", &COLUMNS).finish_non_exhaustive()
    }
}

impl<'t, W: Width, const COLUMNS: usize> Reader<'t, W, COLUMNS> {
    /// Returns the value of a pair. The call takes a bounded number of steps, whatever writers do.
    #[inline(always)]
    pub fn get(&self, object: u64, key: u64) -> Option<i64> {
        self.view.get(object, key)
    }

    /// Returns the row of an object, for many reads; `None` if the object was never written.
    #[inline(always)]
    pub fn row(&self, object: u64) -> Option<Row<'t, W, COLUMNS>> {
        Some(Row::new(&self.view, self.view.place(object)?))
    }

    /// Calls `sink` with the value of each pair, in order, with the memory accesses of 32 pairs in flight.
    #[inline]
    pub fn get_each<I, S>(&self, pairs: I, sink: S)
    where
        I: IntoIterator<Item = (u64, u64)>,
        S: FnMut(Option<i64>),
    {
        self.view.get_each(pairs, sink);
    }

    /// Fills `values` with the values of `pairs`; the shorter of the two slices limits the number.
    pub fn get_many(&self, pairs: &[(u64, u64)], values: &mut [Option<i64>]) {
        let mut values = values.iter_mut();
        let count = values.len();
        self.get_each(pairs.iter().copied().take(count), |value| {
            if let Some(slot) = values.next() {
                *slot = value;
            }
        });
    }

    /// Returns the words of a row's columns at one moment.
    pub(crate) fn words(self, row: Row<'t, W, COLUMNS>) -> Result<Vec<u64>, Error> {
        let mut words = vec![0; self.view.geometry.columns() as usize];
        self.view.snapshot(row.place(), &mut words)?;
        Ok(words)
    }
}
