//! Growth: the next level of an index is filled from the current one while other threads continue.
//!
//! Any thread helps, may repeat the work of others, and may die at any instruction: the next one that needs the level
//! does the whole work again, which changes nothing that was already done.

use std::sync::atomic::Ordering;

use super::Rules;
use super::index::{EMPTY, FROZEN, Index, hash};
use crate::error::Error;
use crate::layout::{Level, Row};
use crate::memory::Memory;

/// Slots handled together, so that the rows of one block are fetched while those before it are copied.
const BLOCK: usize = 32;
/// Least and most bytes of rows that are reserved at once: few kernel calls, little unused memory.
const RESERVE_LEAST: usize = 64 << 10;
const RESERVE_MOST: usize = 4 << 20;

impl<M: Memory, R: Rules> Index<'_, M, R> {
    /// Moves all entries from `level` to the one above.
    #[cold]
    pub(super) fn grow(self, level: Level) -> Result<(), Error> {
        let Some(above) = self.geometry.above(level) else {
            return Err(Error::Damaged { what: "the largest level of its index has no room for its rows" });
        };
        if self.level() > level {
            return Ok(());
        }
        let (offset, bytes) = self.geometry.level_range(above);
        self.memory.reserve(offset, bytes)?;
        for from in (0..level.slots()).step_by(BLOCK) {
            self.move_block(level, above, from)?;
        }
        // Release: a thread that acquires the new level sees every copy made or found above. Failure means that another
        // helper raised it, which is as good.
        let (old, new) = (self.geometry.level_word(level), self.geometry.level_word(above));
        if R::RAISE_BY_EXCHANGE {
            let _ = self.memory.exchange32(self.geometry.level_at(), old, new, R::RAISE, Ordering::Relaxed);
        } else {
            self.memory.store32(self.geometry.level_at(), new, R::RAISE);
        }
        Ok(())
    }

    /// Freezes or copies a block of slots.
    fn move_block(self, level: Level, above: Level, from: usize) -> Result<(), Error> {
        let mut entries = [EMPTY; BLOCK];
        let block = BLOCK.min(level.slots() - from);
        for (slot, entry) in entries.iter_mut().take(block).enumerate() {
            *entry = self.settle(level, from + slot);
            if let Some(row) = self.row_of(*entry) {
                self.memory.prefetch(self.geometry.id_at(row).offset());
            }
        }
        let mut rows = entries.iter().take(block).filter_map(|&entry| self.row_of(entry));
        rows.try_for_each(|row| self.copy(row, above))
    }

    /// The final word of a slot: an entry, or frozen.
    fn settle(self, level: Level, slot: usize) -> u32 {
        let at = self.geometry.slot_at(self.geometry.slot(level, slot));
        let entry = self.memory.load32(at, Ordering::Relaxed);
        // The row of an entry is read next.
        self.memory.fence(R::SETTLE);
        if entry != EMPTY || !R::FREEZE {
            return entry;
        }
        if !R::FREEZE_BY_EXCHANGE {
            self.memory.store32(at, FROZEN, Ordering::Release);
            return FROZEN;
        }
        // Acquire on failure: the row of the entry that came in between is read next. Success needs no release: a
        // frozen slot carries no information about other words.
        match self.memory.exchange32(at, EMPTY, FROZEN, Ordering::Relaxed, R::SETTLE) {
            Ok(_) => FROZEN,
            Err(entry) => entry,
        }
    }

    /// Puts a row's entry on the level above unless it is there.
    fn copy(self, row: Row, above: Level) -> Result<(), Error> {
        let hash = hash(self.id(row));
        let entry = self.entry(row, hash);
        let mut next = self.geometry.home(hash, above);
        for _ in 0..above.slots() {
            let slot = self.geometry.slot_at(next);
            next = self.geometry.after(next, above);
            let mut found = self.memory.acquire32(slot);
            if found == EMPTY {
                match self.memory.exchange32(slot, EMPTY, entry, R::COPY, Ordering::Acquire) {
                    Ok(_) => return Ok(()),
                    Err(other) => found = other,
                }
            }
            if found == FROZEN {
                break;
            }
            if found == entry && R::COPY_ONCE {
                return Ok(());
            }
        }
        // A level has twice the slots of the one below it, and is frozen only after the copies of all of them are
        // there.
        Err(Error::Damaged { what: "a level of its index lacks what is on the one below" })
    }

    /// Makes sure that the pages of a row exist, so that storing into it cannot fault on a full disk.
    pub(super) fn reserve_rows(self, number: u64) -> Result<(), Error> {
        let at = self.geometry.reserved_at();
        // Relaxed: the pages belong to the file, so the kernel orders their allocation.
        let mut reserved = self.memory.load64(at, Ordering::Relaxed);
        while number >= reserved {
            let have =
                reserved.min(u64::from(self.geometry.max_rows())) as usize * self.geometry.row_stride();
            let bytes = (have / 4).clamp(RESERVE_LEAST, RESERVE_MOST);
            let more = (bytes / self.geometry.row_stride()).max(1) as u64;
            let end = (number + 1).max(reserved.saturating_add(more));
            // From the old mark on, not from the row: everything below a mark must exist.
            let (offset, bytes) = self.geometry.rows_range(reserved, end);
            self.memory.reserve(offset, bytes)?;
            match self.memory.exchange64(at, reserved, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(()),
                Err(now) => reserved = now,
            }
        }
        Ok(())
    }
}
