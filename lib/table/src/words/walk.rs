//! Walks over everything that was written, and over nothing else.
//!
//! A file has holes where nothing was written. Reading a hole through the mapping makes the file system allocate a page
//! for it, so a walk over a sparse file of any size must first ask where there is data. The question costs as much as
//! the pages that the answer spans, so it is asked once for the whole file and not for each object: a walk then takes
//! time in proportion to what was written.

use std::sync::atomic::Ordering;

use super::index::{EMPTY, Index, hash};
use super::{Rules, View};
use crate::layout::{CellsStart, Level, Region, Row, Slot, page_after};
use crate::memory::Memory;
use crate::width::sealed::Cell;

/// The parts of the file with data, as they were when a walk began.
pub(crate) struct Written {
    /// Start and end of each part, in order.
    parts: Vec<(usize, usize)>,
    /// Index of the part in which the last query ended: most queries are about the same part or the next one.
    last: usize,
}

impl Written {
    /// Asks the file system for the parts with data before an offset: at most as many as the file has pages.
    fn before<M: Memory>(memory: M, to: usize) -> Self {
        let (mut parts, mut offset) = (Vec::new(), 0);
        while offset < to {
            let start = memory.data_from(offset);
            if start >= to {
                break;
            }
            // A file system that reports an empty part must not stop the walk.
            offset = memory.hole_from(start).max(start + 1);
            parts.push((start, offset));
        }
        Self { parts, last: 0 }
    }

    /// Asks the file system for the pages of a range, but not for the end of the data after it, a query that costs as
    /// much as there is data.
    fn within<M: Memory>(memory: M, from: usize, to: usize) -> Self {
        let (mut parts, mut offset) = (Vec::new(), from);
        while offset < to {
            let start = memory.data_from(offset);
            offset = page_after(start);
            parts.push((start, offset));
        }
        Self { parts, last: 0 }
    }

    /// Returns the first offset from this one on that had data, or an offset beyond every other if there is none.
    #[inline]
    fn from(&mut self, offset: usize) -> usize {
        let holds =
            |part: Option<&(usize, usize)>| part.is_some_and(|part| (part.0..part.1).contains(&offset));
        if holds(self.parts.get(self.last)) {
            return offset;
        }
        self.last = self.parts.partition_point(|part| part.1 <= offset);
        self.parts.get(self.last).map_or(usize::MAX, |part| part.0.max(offset))
    }

    /// Returns whether all of a range was in one part with data.
    #[inline]
    fn covers(&mut self, from: usize, to: usize) -> bool {
        self.from(from) == from && self.parts.get(self.last).is_some_and(|part| to <= part.1)
    }

    /// Returns whether an offset has data now. An offset that was in a hole when the walk began is queried again, so
    /// that a value written since into a long row counts.
    #[inline]
    fn holds<M: Memory>(&mut self, memory: M, offset: usize) -> bool {
        self.from(offset) == offset || memory.data_from(offset) == offset
    }
}

/// Iterates over the rows of an index, region by region, each on the level that it had when the walk began.
///
/// Every number that is in the index from the first to the last step is returned exactly once; a number inserted during
/// the walk may be missed. Walking rows instead of slots would return rows that no slot names.
pub(crate) struct Walk<'g, M, R> {
    index: Index<'g, M, R>,
    levels: Vec<(Region, Level)>,
    /// The current region, and the number of a slot in it. Slots after the last one of a region on the largest level
    /// contain the entries that found no place in it.
    region: usize,
    slot: usize,
    written: Written,
}

impl<'g, M: Memory, R: Rules> Index<'g, M, R> {
    /// Walks over the entries whose rows have their first word in written pages. `to` is an offset after the rows.
    pub(crate) fn walk(self, to: usize) -> Walk<'g, M, R> {
        // The levels first: everything copied to a level is data by the time that the level can be seen.
        let levels = self.geometry.regions().map(|region| (region, self.level(region))).collect();
        let written = Written::before(self.memory, to);
        Walk { index: self, levels, region: 0, slot: 0, written }
    }

    /// Returns the number of rows handed out so far, whether or not anything was published in them.
    pub(crate) fn rows_taken(self) -> u64 {
        let taken = self.memory.load64(self.geometry.next_at(), Ordering::Relaxed);
        taken.min(u64::from(self.geometry.max_rows()))
    }

    /// Returns the number of slots of the levels that the regions are on.
    pub(crate) fn slots(self) -> u64 {
        let slots = |region| self.geometry.region_slots(self.level(region)) as u64;
        self.geometry.regions().map(slots).sum()
    }
}

impl<M: Memory, R: Rules> Walk<'_, M, R> {
    /// Returns whether the walk through a region continues at a slot: within the region always, and after it while
    /// there are entries, some of which may be the region's.
    fn goes_on(&mut self, slot: Slot, level: Level, slots: usize) -> bool {
        if self.slot < slots {
            return true;
        }
        let (index, at) = (self.index, self.index.geometry.slot_at(slot));
        R::WALK_ON
            && self.slot < index.geometry.chain(level)
            && self.written.holds(index.memory, at.offset())
            && index.memory.acquire32(at) != EMPTY
    }
}

impl<M: Memory, R: Rules> Iterator for Walk<'_, M, R> {
    /// The number of an object (or of a sparse key), and its row.
    type Item = (u64, Row);

    fn next(&mut self) -> Option<Self::Item> {
        let (geometry, memory) = (self.index.geometry, self.index.memory);
        while let Some(&(region, level)) = self.levels.get(self.region) {
            let slots = geometry.region_slots(level);
            let slot = geometry.slot(level, region, self.slot);
            if !self.goes_on(slot, level, slots) {
                (self.region, self.slot) = (self.region + 1, 0);
                continue;
            }
            let at = geometry.slot_at(slot);
            let written = if self.slot < slots { self.written.from(at.offset()) } else { at.offset() };
            if written > at.offset() {
                self.slot = slots.min(self.slot + geometry.slots_until(slot, written));
                continue;
            }
            self.slot += 1;
            let Some(row) = self.index.row_of(memory.acquire32(at)) else { continue };
            // A row that a slot names was written, unless the file is damaged.
            if !self.written.holds(memory, geometry.id_at(row).offset()) {
                continue;
            }
            let id = self.index.id(row);
            if !R::OWN_REGION || geometry.region(hash(id)) == region {
                return Some((id, row));
            }
        }
        None
    }
}

/// Walks over the objects of a table whose row contains something: the dense ones in order, then the others in no
/// order.
pub(crate) struct Objects<'g, M, W, R> {
    view: View<'g, M, W, R>,
    hashed: Walk<'g, M, R>,
    /// The next dense object.
    dense: u64,
}

impl<'g, M: Memory + 'g, W: Cell, R: Rules + 'g> Objects<'g, M, W, R> {
    /// Returns the next object with a value, and reads its words into `words`.
    pub(crate) fn next(&mut self, words: &mut [u64]) -> Option<u64> {
        loop {
            let (object, place) = match self.next_dense() {
                Some(met) => met,
                None => self.hashed.next().map(|(object, row)| (object, self.view.hot.hashed_row(row)))?,
            };
            self.view.words_of(place, &mut self.hashed.written, words);
            if words.iter().any(|&word| word != 0) {
                return Some(object);
            }
        }
    }

    /// Returns the next dense object whose row has data in its pages.
    fn next_dense(&mut self) -> Option<(u64, CellsStart)> {
        loop {
            let object = self.dense;
            let place = self.view.hot.dense_row(object)?;
            let (start, end) = self.view.geometry.cells_range(place);
            let data = self.hashed.written.from(start);
            self.dense = object + 1;
            if data < end {
                return Some((object, place));
            }
            self.dense = self.view.geometry.dense_object_from(data).max(object + 1);
        }
    }
}

impl<'g, M: Memory + 'g, W: Cell, R: Rules + 'g> View<'g, M, W, R> {
    /// Returns the sparse keys and their columns.
    pub(crate) fn sparse_columns(&self) -> Vec<(u64, usize)> {
        if self.geometry.shape.max_sparse_keys == 0 {
            return Vec::new();
        }
        let dense = self.geometry.shape.dense_keys as usize;
        let walk = self.keys().walk(self.geometry.keys_end());
        walk.map(|(key, row)| (key, dense + row.number() as usize)).collect()
    }

    /// Reads the words of a row's columns: those of a record together, unless publications follow each other too fast,
    /// and others separately. Words are 0 where nothing was written.
    fn words_of(&self, place: CellsStart, written: &mut Written, words: &mut [u64]) {
        let (start, end) = self.geometry.cells_range(place);
        let whole = written.covers(start, end);
        if self.geometry.shape.records
            && written.holds(self.memory, start)
            && self.snapshot(place, words).is_ok()
        {
            return;
        }
        for (number, word) in words.iter_mut().enumerate() {
            let Some(column) = self.geometry.column(number as u64) else { break };
            let at = match self.geometry.shape.records {
                true => start,
                false => self.cell(place, column).narrow().offset(),
            };
            *word = if whole || written.holds(self.memory, at) { self.word_at(place, column) } else { 0 };
        }
    }

    /// Reads the words of one row, for a caller that needs one object and no walk.
    pub(crate) fn words_of_one(&self, place: CellsStart, words: &mut [u64]) {
        let (start, end) = self.geometry.cells_range(place);
        self.words_of(place, &mut Written::within(self.memory, start, end), words);
    }

    /// Returns a walk over the objects.
    pub(crate) fn written_objects(self) -> Objects<'g, M, W, R> {
        Objects { hashed: self.shared_objects().walk(self.geometry.len()), view: self, dense: 0 }
    }
}
