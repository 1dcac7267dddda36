//! A consistent read of all keys of one object.

use super::{Rules, View};
use crate::error::Error;
use crate::layout::CellsStart;
use crate::memory::Memory;
use crate::width::sealed::Cell;

/// Attempts before a snapshot gives up: a reader must not wait for a writer, not even for a busy one.
pub(super) const ATTEMPTS: u32 = 1000;

impl<M: Memory, W: Cell, R: Rules, const COLUMNS: usize> View<'_, M, W, R, COLUMNS> {
    /// Fills `words` with the cells of a row as they were at one moment.
    ///
    /// In a record table the moment is one publication. In a plain table two passes must be equal, which is exact for
    /// values that do not return to an earlier one (counters): no cell changed between the passes, so all of them had
    /// the values read at the same time.
    pub(crate) fn snapshot(&self, place: CellsStart, words: &mut [u64]) -> Result<(), Error> {
        if self.geometry.shape.records {
            return match (0..ATTEMPTS).any(|_| self.read_record(place, words)) {
                true => Ok(()),
                false => Err(Error::Unstable { attempts: ATTEMPTS }),
            };
        }
        self.collect(place, words);
        if !R::TWO_PASSES {
            return Ok(());
        }
        match (0..ATTEMPTS).any(|_| !self.collect(place, words)) {
            true => Ok(()),
            false => Err(Error::Unstable { attempts: ATTEMPTS }),
        }
    }

    /// Reads every cell of a row once; returns whether any differs from the contents of `words`.
    fn collect(&self, place: CellsStart, words: &mut [u64]) -> bool {
        let mut changed = false;
        for (number, word) in words.iter_mut().enumerate() {
            let Some(column) = self.geometry.column(number as u64) else { break };
            let now = self.load(self.cell(place, column));
            changed |= now != *word;
            *word = now;
        }
        changed
    }
}
