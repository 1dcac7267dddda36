//! Record rows: all values of an object are published at once and read together.
//!
//! A row has two halves. Its one writer fills the half that is not published and then publishes it by raising the
//! sequence. A writer that dies while filling leaves the last complete half in place, where a plain sequence lock would
//! leave its readers waiting forever.

use std::sync::atomic::Ordering;

use super::snapshot::ATTEMPTS;
use super::{Rules, View};
use crate::layout::{CellsStart, Column};
use crate::memory::Memory;
use crate::width::sealed::Cell;

impl<M: Memory, W: Cell, R: Rules, const COLUMNS: usize> View<'_, M, W, R, COLUMNS> {
    /// Publishes the words of all columns. Only one writer per object at a time: two would mix their values.
    pub(crate) fn publish(&self, place: CellsStart, words: impl Iterator<Item = u64>) {
        let at = self.geometry.sequence_at(place);
        // Relaxed: this thread stored it, or the change of writers ordered it.
        let next = self.memory.load64(at, Ordering::Relaxed).wrapping_add(1);
        if R::WRITER_FENCE {
            // Pairs with the acquire fence in `read_record`: a reader that sees any store below sees at least the
            // present sequence in its second read, and so knows that its half was given up.
            self.memory.fence(Ordering::Release);
        }
        let half = if R::TWO_HALVES { next } else { 0 };
        for (number, word) in words.enumerate() {
            let Some(column) = self.geometry.column(number as u64) else { break };
            let cell = self.geometry.half_cell(place, half, column, W::BYTES);
            W::store(self.memory, cell, word, Ordering::Relaxed);
        }
        self.memory.store64(at, next, R::SEQUENCE);
    }

    /// Returns the word of one column in the last publication.
    ///
    /// Publications that follow each other without a pause may overtake each attempt. Then the result is the last word
    /// read, which the writer did store in this column: in its latest publication or in the one that it is filling.
    pub(crate) fn read_one(&self, place: CellsStart, column: Column) -> u64 {
        let at = self.geometry.sequence_at(place);
        let mut word = 0;
        for _ in 0..ATTEMPTS {
            // Acquire: pairs with the release store in `publish`.
            let before = self.memory.acquire64(at);
            let half = if R::TWO_HALVES { before } else { 0 };
            let cell = self.geometry.half_cell(place, half, column, W::BYTES);
            word = W::load(self.memory, cell, Ordering::Relaxed);
            if R::READER_FENCE {
                self.memory.fence(Ordering::Acquire);
            }
            if self.memory.load64(at, Ordering::Relaxed) == before {
                break;
            }
        }
        word
    }

    /// Reads the words of all columns as one publication left them; returns `false` if a publication interfered.
    pub(crate) fn read_record(&self, place: CellsStart, words: &mut [u64]) -> bool {
        let at = self.geometry.sequence_at(place);
        // Pairs with the release store in `publish`: the half it names is complete.
        let before = self.memory.acquire64(at);
        let half = if R::TWO_HALVES { before } else { 0 };
        for (number, word) in words.iter_mut().enumerate() {
            let Some(column) = self.geometry.column(number as u64) else { break };
            let cell = self.geometry.half_cell(place, half, column, W::BYTES);
            *word = W::load(self.memory, cell, Ordering::Relaxed);
        }
        if R::READER_FENCE {
            // Pairs with the release fence in `publish`.
            self.memory.fence(Ordering::Acquire);
        }
        self.memory.load64(at, Ordering::Relaxed) == before
    }
}
