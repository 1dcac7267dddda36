//! Walks over everything that was written, and over nothing else.
//!
//! A file has holes where nothing was written. Reading a hole through the mapping makes the file system allocate a page
//! for it, so a walk over a sparse file of any size must ask first where there is data.

use std::sync::atomic::Ordering;

use super::index::Index;
use super::{Rules, View};
use crate::layout::{Level, Place, Row};
use crate::memory::Memory;
use crate::width::sealed::Cell;

/// The data range of the file around the current position of a forward walk.
#[derive(Clone, Copy, Default)]
pub(crate) struct Holes {
    start: usize,
    end: usize,
}

impl Holes {
    /// The first offset from this one on that holds data.
    #[inline]
    fn skip<M: Memory>(&mut self, memory: M, offset: usize) -> usize {
        if offset < self.start || offset >= self.end {
            (self.start, self.end) = memory.data_from(offset);
        }
        offset.max(self.start)
    }
}

/// Iterates over the rows of one level.
///
/// Every number that is in the index from the first to the last step is returned exactly once; one that is inserted
/// during the walk may be missed. Walking rows instead of slots would return rows that no slot names.
pub(crate) struct Walk<'g, M, R> {
    index: Index<'g, M, R>,
    level: Level,
    slot: usize,
    slots: Holes,
    rows: Holes,
}

impl<'g, M: Memory, R: Rules> Index<'g, M, R> {
    pub(crate) fn walk(self) -> Walk<'g, M, R> {
        Walk { index: self, level: self.level(), slot: 0, slots: Holes::default(), rows: Holes::default() }
    }

    /// Rows handed out so far, whether or not anything was published in them.
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
        let (geometry, memory) = (self.index.geometry, self.index.memory);
        while self.slot < self.level.slots() {
            let at = geometry.slot_at(geometry.slot(self.level, self.slot));
            let written = self.slots.skip(memory, at.offset());
            if written > at.offset() {
                self.slot = geometry.slot_from(self.level, written);
                continue;
            }
            self.slot += 1;
            let Some(row) = self.index.row_of(memory.acquire32(at)) else { continue };
            // A row that a slot names was written, unless the file is damaged.
            let id = geometry.id_at(row).offset();
            if self.rows.skip(memory, id) == id {
                return Some((self.index.id(row), row));
            }
        }
        None
    }
}

impl<'g, M: Memory + 'g, W: Cell, R: Rules + 'g> View<'g, M, W, R> {
    /// The words of a row's columns, each read separately; 0 where nothing was written.
    pub(crate) fn written_words<'h>(
        self,
        place: Place,
        holes: &'h mut Holes,
    ) -> impl Iterator<Item = u64> + use<'g, 'h, M, W, R> {
        let columns = (0..u64::from(self.geometry.columns())).filter_map(move |n| self.geometry.column(n));
        columns.map(move |column| {
            let at = match self.geometry.shape.records {
                true => self.geometry.sequence_at(place).offset(),
                false => self.cell(place, column).narrow().offset(),
            };
            if holes.skip(self.memory, at) > at { 0 } else { self.word_at(place, column) }
        })
    }

    /// The objects that have a value: the dense ones in order, then the others.
    pub(crate) fn written_objects(self) -> impl Iterator<Item = u64> + 'g {
        let mut holes = Holes::default();
        let mut present = move |place| self.written_words(place, &mut holes).any(|word| word != 0);
        let hashed =
            self.shared_objects().walk().map(move |(object, row)| (object, self.hot.hashed_row(row)));
        let rows = self.written_dense_rows().chain(hashed);
        rows.filter(move |&(_, place)| present(place)).map(|(object, _)| object)
    }

    /// The dense objects with something in the pages of their rows.
    fn written_dense_rows(self) -> impl Iterator<Item = (u64, Place)> + 'g {
        let (mut object, mut holes) = (0, Holes::default());
        std::iter::from_fn(move || {
            loop {
                let place = self.hot.dense_row(object)?;
                let (start, end) = self.geometry.dense_bytes(place);
                let written = holes.skip(self.memory, start);
                if written < end {
                    object += 1;
                    return Some((object - 1, place));
                }
                object = self.geometry.dense_object_from(written);
            }
        })
    }
}
