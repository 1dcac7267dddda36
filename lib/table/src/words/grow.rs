//! Growth: the next level of a region of an index is filled from the current one while other threads continue.
//!
//! Each region has a level of its own, so that no insert waits for the copy of a whole index.
//!
//! Any thread helps, may repeat the work of others, and may die at any instruction: the next thread that needs the
//! level does the whole work again, which changes nothing that was already done.

use std::sync::atomic::Ordering;

use super::Rules;
use super::index::{EMPTY, FROZEN, Index, hash};
use crate::error::Error;
use crate::layout::{Level, Region, Row};
use crate::memory::Memory;

/// Number of slots that growth handles together, so that the rows of one block are fetched while those before it are
/// copied.
const BLOCK: usize = 32;
/// Minimum size of rows reserved at once, in bytes: few kernel calls, little unused memory.
const RESERVE_LEAST: usize = 64 << 10;
/// Maximum size of a region's index, in bytes for each byte allocated to the file. The longest chains of the fewest
/// rows make an index of 128 bytes for a row of 16.
const MOST_INDEX_BYTES: u64 = 16;
const RESERVE_MOST: usize = 1 << 20;

impl<M: Memory, R: Rules> Index<'_, M, R> {
    /// Moves all entries of a region from `level` to the next one.
    #[cold]
    pub(super) fn grow(self, region: Region, level: Level) -> Result<(), Error> {
        let Some(above) = self.geometry.above(level) else {
            return Err(Error::Damaged { what: "the largest level of its index has no room for its rows" });
        };
        if self.level(region) > level {
            return Ok(());
        }
        self.reserve_region(region, above)?;
        for from in (0..self.geometry.region_slots(level)).step_by(BLOCK) {
            self.move_block(region, level, from)?;
        }
        // Release: a thread that acquires the new level sees every copy made or found above. Failure means that another
        // helper raised it, which has the same effect.
        let (old, new) = (self.geometry.level_word(level), self.geometry.level_word(above));
        let at = self.geometry.level_at(region);
        if R::RAISE_BY_EXCHANGE {
            let _ = self.memory.exchange32(at, old, new, R::RAISE, Ordering::Relaxed);
        } else {
            self.memory.store32(at, new, R::RAISE);
        }
        self.raise_common();
        Ok(())
    }

    /// Raises the common level to that of the lowest region. The release is for the pages of that level, which by then
    /// exist in all regions.
    fn raise_common(self) {
        let at = self.geometry.common_at();
        let levels = self.geometry.regions().map(|region| self.geometry.level_word(self.level(region)));
        let level = if R::LEAST_COMMON { levels.min() } else { levels.max() }.unwrap_or(0);
        let mut now = self.memory.load32(at, Ordering::Relaxed);
        while now < level {
            match self.memory.exchange32(at, now, level, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }

    /// Ensures that the pages of a region's part of a level exist.
    ///
    /// A region that grows has rows, so the file has more bytes allocated than the index gets. A file with far fewer
    /// bytes is damaged: it claims rows that it does not have, and no pages are allocated for them.
    fn reserve_region(self, region: Region, level: Level) -> Result<(), Error> {
        let (offset, bytes) = self.geometry.region_range(level, region);
        if self.memory.held_bytes().saturating_mul(MOST_INDEX_BYTES) < bytes as u64 {
            return Err(Error::Damaged { what: "it counts more rows than it holds" });
        }
        self.memory.reserve(offset, bytes)?;
        // On the largest level the slot after the last one is the first of all.
        let last = self.geometry.slot(level, region, self.geometry.region_slots(level) - 1);
        let [_, (offset, bytes)] = self.geometry.slot_ranges(last, level);
        self.memory.reserve(offset, bytes)
    }

    /// Freezes the empty slots of a block, and copies the entries in its other slots to the next level.
    fn move_block(self, region: Region, level: Level, from: usize) -> Result<(), Error> {
        let mut entries = [EMPTY; BLOCK];
        let block = BLOCK.min(self.geometry.region_slots(level) - from);
        for (slot, entry) in entries.iter_mut().take(block).enumerate() {
            *entry = self.settle(level, region, from + slot);
            if let Some(row) = self.row_of(*entry) {
                self.memory.prefetch(self.geometry.id_at(row).offset());
            }
        }
        let mut rows = entries.iter().take(block).filter_map(|&entry| self.row_of(entry));
        rows.try_for_each(|row| self.copy(row, region, level))
    }

    /// Freezes a slot if it is empty, and returns its final word: an entry, or [`FROZEN`].
    fn settle(self, level: Level, region: Region, slot: usize) -> u32 {
        let at = self.geometry.slot_at(self.geometry.slot(level, region, slot));
        let entry = self.memory.load32(at, Ordering::Relaxed);
        // The fence orders the read of the entry's row, which comes next.
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

    /// Puts a row's entry on the next level unless it is already there.
    fn copy(self, row: Row, region: Region, level: Level) -> Result<(), Error> {
        let hash = hash(self.id(row));
        let entry = self.entry(row, hash);
        let lacks = Error::Damaged { what: "a level of its index lacks what is on the one below" };
        // An entry in the slots of a region to which it does not belong: only another program can have put it there.
        let Some(above) = self.geometry.above(level).filter(|_| self.geometry.region(hash) == region) else {
            return Err(lacks);
        };
        let mut next = self.geometry.home(hash, above);
        for _ in 0..self.geometry.chain(above) {
            let (place, slot) = (next, self.geometry.slot_at(next));
            next = self.geometry.after(next, above);
            let mut found = self.memory.acquire32(slot);
            if found == EMPTY {
                self.reserve_slot(place, region, above)?;
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
        // A level has twice the slots of the previous level, and is frozen only after all entries of that level are
        // copied to it, so the search fails only in a damaged file.
        Err(lacks)
    }

    /// Ensures that the pages of the next row exist, so that storing into it cannot fault on a full disk.
    ///
    /// Rows are handed out only below a mark, the number of rows whose pages exist. This library therefore never writes
    /// a number beyond the mark; trusting such a number would let a damaged file demand any amount of memory.
    pub(super) fn reserve_rows(self, number: u64) -> Result<(), Error> {
        let at = self.geometry.reserved_at();
        // Relaxed: the pages belong to the file, so the kernel orders their allocation. A caller that acquired the
        // number of rows handed out sees a mark that is not below it.
        let mut reserved = self.memory.load64(at, Ordering::Relaxed);
        if number > reserved {
            return Err(Error::Damaged { what: "it handed out rows that it has no pages for" });
        }
        while number >= reserved {
            let have =
                reserved.min(u64::from(self.geometry.max_rows())) as usize * self.geometry.row_stride();
            let bytes = (have / 4).clamp(RESERVE_LEAST, RESERVE_MOST);
            let more = (bytes / self.geometry.row_stride()).max(1) as u64;
            let end = (number + 1).max(reserved.saturating_add(more));
            // Pages are reserved from the old mark on, not from the row on, because the pages of all rows below a mark
            // must exist.
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
