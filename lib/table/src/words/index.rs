//! The index: finds the row of an object (or of a sparse key), and allocates one when there is none.
//!
//! A slot is empty, frozen, or contains an entry; an empty slot becomes frozen or an entry once and never changes
//! again. As a result reuse cannot mislead a reader, and nothing needs to be reclaimed.

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use super::Rules;
use crate::error::Error;
use crate::layout::{IndexGeometry, Level, Region, Row, Slot};
use crate::memory::Memory;

/// Word of an unused slot.
pub(super) const EMPTY: u32 = 0;
/// Word of a slot that will never be used: the search continues on the next level.
pub(super) const FROZEN: u32 = u32::MAX;
/// Maximum number of occupied slots that an insert passes before the index grows although it is not full: the hashes of
/// the objects' numbers collide.
const LONGEST_CHAIN: usize = 64;
/// Maximum number of slots for each row in an index that grows only because of long chains.
const MOST_SLOTS_PER_ROW: u64 = 32;
/// A region grows when the index has fewer slots than this for each row. Two would make a smaller index and longer
/// chains, whose mispredicted branches cost more where the second-level cache has one mebibyte (measured: random reads
/// at 0.6 to 0.7 of their speed with four), and less where it has two mebibytes.
const SLOTS_PER_ROW: u64 = 4;

/// A handle on one index of a table.
pub(crate) struct Index<'g, M, R> {
    pub(super) memory: M,
    pub(super) geometry: &'g IndexGeometry,
    marker: PhantomData<R>,
}

impl<M: Copy, R> Clone for Index<'_, M, R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Copy, R> Copy for Index<'_, M, R> {}

/// Reason why no row could be allocated for a number.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Every row is named by a slot: the table is full at this number of rows.
    Full(u64),
    /// The file system refused the pages, or the file is damaged.
    Failed(Error),
}

impl Refusal {
    pub(super) fn for_objects(self) -> Error {
        match self {
            Self::Full(max) => Error::ObjectsFull { max },
            Self::Failed(error) => error,
        }
    }
    pub(super) fn for_keys(self) -> Error {
        match self {
            Self::Full(max) => Error::KeysFull { max },
            Self::Failed(error) => error,
        }
    }
}

/// Result of the search of one level.
enum Pass {
    Found(Row),
    Inserted(Row),
    /// There is no place on this level, because it is frozen here or its chains are too long: the next level is
    /// searched.
    Above,
}

/// Spreads an object's number: its top bits choose the slot, the bits below distinguish neighbours.
///
/// Multiplication by an odd number is a bijection, so two objects never share all 64 bits. A second round of mixing
/// costs a seventh of a read and helps only against numbers made to collide, whose cost here is a bigger index and
/// longer chains, never a wrong answer.
#[inline(always)]
pub(super) fn hash(id: u64) -> u64 {
    id.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<'g, M: Memory, R: Rules> Index<'g, M, R> {
    #[inline(always)]
    pub(crate) fn new(memory: M, geometry: &'g IndexGeometry) -> Self {
        Self { memory, geometry, marker: PhantomData }
    }

    /// Returns the current level of a region. Pairs with the release store in `grow`: all entries of the levels below
    /// were copied before it.
    #[inline(always)]
    pub(super) fn level(self, region: Region) -> Level {
        self.geometry.level(self.memory.acquire32(self.geometry.level_at(region)))
    }

    /// Returns a level that no region is below, for the first attempt to find an entry: its place in the file does not
    /// depend on the hash, unlike that of a region's level, so it can be loaded earlier.
    ///
    /// An entry is valid on any level, and stays in place when its region leaves the level, so an entry that is found
    /// needs no further check of the level. A caller that finds nothing asks for the level of the region.
    #[inline(always)]
    pub(super) fn common_level(self) -> Level {
        self.geometry.level(self.memory.acquire32(self.geometry.common_at()))
    }

    /// Returns the current level of a hash's region.
    #[inline(always)]
    pub(super) fn level_of(self, hash: u64) -> Level {
        self.level(self.geometry.region(hash))
    }

    /// Returns the entry for a row: the row's number plus one, with the bits of the hash that fit above it.
    #[inline(always)]
    pub(super) fn entry(self, row: Row, hash: u64) -> u32 {
        (hash as u32 & !self.geometry.row_mask()) | (row.number() + 1)
    }

    /// Returns the row of an entry, unless its tag contradicts the hash. Empty and frozen words give no row.
    #[inline(always)]
    pub(super) fn candidate(self, entry: u32, hash: u64) -> Option<Row> {
        if (entry ^ hash as u32) & !self.geometry.row_mask() != 0 {
            return None;
        }
        self.row_of(entry)
    }

    /// Returns the row of an entry, checked against the number of rows.
    #[inline(always)]
    pub(super) fn row_of(self, entry: u32) -> Option<Row> {
        self.geometry.row(self.number_in(entry))
    }

    /// Returns the number that an entry gives for its row, unchecked.
    #[inline(always)]
    pub(super) fn number_in(self, entry: u32) -> u32 {
        (entry & self.geometry.row_mask()).wrapping_sub(1)
    }

    /// Returns the number of the object (or sparse key) of a row. Relaxed: the acquire load of the entry that points to
    /// the row ordered it.
    #[inline(always)]
    pub(super) fn id(self, row: Row) -> u64 {
        self.memory.load64(self.geometry.id_at(row), Ordering::Relaxed)
    }

    /// Returns the row of an object (or of a sparse key) by its number. Takes at most as many steps as its region has
    /// slots (as the index has, on the largest level), whatever other threads do.
    ///
    /// A miss is linearised at the load of the region's level: an insertion on a higher level happens after raising it,
    /// hence after that load, so the level need not be read again.
    #[inline(always)]
    pub(crate) fn find(self, id: u64) -> Option<Row> {
        let hash = hash(id);
        if let Some(row) = self.row_of(self.likely_entry(hash, self.common_level()))
            && self.id(row) == id
        {
            return Some(row);
        }
        std::hint::cold_path();
        self.search(id)
    }

    /// Returns the entry in the slot at which the search for a hash begins, if its tag matches the hash, otherwise the
    /// entry in the neighbouring slot.
    ///
    /// Nineteen of twenty searches end in one of the two, and the choice between them is made without a branch, because
    /// it is unpredictable: one search in eight would wait for a mispredicted branch that itself waits for memory. The
    /// neighbour of a region's last slot belongs to another region or level, which is harmless: an entry is valid in
    /// any slot, and the caller compares the number.
    #[inline(always)]
    pub(super) fn likely_entry(self, hash: u64, level: Level) -> u32 {
        let (first, second) = self.geometry.first_two(hash, level);
        let (first, second) = (self.memory.acquire32(first), self.memory.acquire32(second));
        let differs = (first ^ hash as u32) & !self.geometry.row_mask();
        std::hint::select_unpredictable(differs == 0, first, second)
    }

    /// Returns the row in the likely entry, for the caller to compare its number with this one.
    ///
    /// The tag need not be checked again: a row that contains the number is the number's row.
    #[inline(always)]
    pub(super) fn likely_row(self, id: u64) -> Option<Row> {
        self.row_of(self.likely_entry(hash(id), self.common_level()))
    }

    /// Returns the number of the row in the likely entry, unchecked: there may be no such row.
    #[inline(always)]
    pub(super) fn likely_number(self, id: u64, level: Level) -> u32 {
        self.number_in(self.likely_entry(hash(id), level))
    }

    /// Returns the row of a number whose entry is not in its likely slots.
    pub(super) fn search(self, id: u64) -> Option<Row> {
        let hash = hash(id);
        self.find_on(self.level_of(hash), id, hash)
    }

    /// Returns the row of a number by a search of its whole chain on one level.
    fn find_on(self, level: Level, id: u64, hash: u64) -> Option<Row> {
        let mut slot = self.geometry.home(hash, level);
        for _ in 0..self.geometry.chain(level) {
            let entry = self.memory.acquire32(self.geometry.slot_at(slot));
            if let Some(row) = self.candidate(entry, hash)
                && self.id(row) == id
            {
                return Some(row);
            }
            if entry == EMPTY || entry == FROZEN {
                return None;
            }
            slot = self.geometry.after(slot, level);
        }
        None
    }

    /// Returns the row of a number. If there is none, a row is allocated.
    ///
    /// Lock-free: each retry means that another thread raised the level, which happens a bounded number of times in the
    /// life of a table.
    pub(crate) fn insert(self, id: u64) -> Result<Row, Refusal> {
        let mut held = None;
        let result = self.insert_row(id, &mut held);
        if let Some(row) = held {
            // Another thread published this number first, or there was no room.
            self.note_spare(row);
        }
        match result {
            // The thread that took the last row may have taken it for this number.
            Err(Refusal::Full(max)) => self.search(id).ok_or(Refusal::Full(max)),
            result => result,
        }
    }

    /// Inserts with a row that the caller has claimed already, if any; `held` is cleared when that row is published.
    pub(super) fn insert_row(self, id: u64, held: &mut Option<Row>) -> Result<Row, Refusal> {
        let region = self.geometry.region(hash(id));
        let mut left: Option<Level> = None;
        loop {
            let level = self.level(region);
            if left.is_some_and(|left| level <= left) {
                return Err(damaged("a level of its index is finished and was never raised"));
            }
            match self.pass(region, level, id, held)? {
                Pass::Found(row) => return Ok(row),
                Pass::Inserted(row) => {
                    if (u64::from(row.number()) + 1) * SLOTS_PER_ROW > level.slots() as u64 {
                        // The object is inserted. If there is no room to grow now, a later insert will try again.
                        let _ = self.grow(region, level);
                    }
                    return Ok(row);
                }
                Pass::Above => self.grow(region, level).map_err(Refusal::Failed)?,
            }
            left = Some(level);
        }
    }

    /// Searches one level for a number, and takes the first empty slot for it if the number is not there.
    fn pass(self, region: Region, level: Level, id: u64, held: &mut Option<Row>) -> Result<Pass, Refusal> {
        let hash = hash(id);
        let mut next = self.geometry.home(hash, level);
        for step in 0..self.geometry.chain(level) {
            let (place, slot) = (next, self.geometry.slot_at(next));
            next = self.geometry.after(next, level);
            let mut entry = self.memory.acquire32(slot);
            if entry == EMPTY {
                if step >= LONGEST_CHAIN && self.is_sparse(level) {
                    return Ok(Pass::Above);
                }
                self.reserve_slot(place, region, level).map_err(Refusal::Failed)?;
                let row = match *held {
                    Some(row) => row,
                    None => *held.insert(self.claim(id)?),
                };
                let new = self.entry(row, hash);
                // Failure acquires as well: the winner's row is read below.
                match self.memory.exchange32(slot, EMPTY, new, R::PUBLISH, Ordering::Acquire) {
                    Ok(_) => {
                        *held = None;
                        return Ok(Pass::Inserted(row));
                    }
                    Err(found) => entry = found,
                }
                if !R::LOOK_AGAIN {
                    continue;
                }
            }
            if entry == FROZEN && R::STOP_AT_FROZEN {
                return Ok(Pass::Above);
            }
            if let Some(row) = self.candidate(entry, hash)
                && self.id(row) == id
            {
                if *held == Some(row) {
                    // Another thread published the claimed row for this number.
                    *held = None;
                }
                return Ok(Pass::Found(row));
            }
        }
        Ok(Pass::Above)
    }

    /// Ensures that the pages of a slot and of the next slot exist. The pages of a region's own slots always do.
    #[inline(always)]
    pub(super) fn reserve_slot(self, slot: Slot, region: Region, level: Level) -> Result<(), Error> {
        if self.geometry.is_in(slot, region, level) || !R::RESERVE_BEHIND {
            return Ok(());
        }
        std::hint::cold_path();
        let mut ranges = self.geometry.slot_ranges(slot, level).into_iter();
        ranges.try_for_each(|(offset, bytes)| self.memory.reserve(offset, bytes))
    }

    /// Returns whether a larger level helps against a long chain: not when the numbers collide so much that no level
    /// does.
    fn is_sparse(self, level: Level) -> bool {
        let rows = self.rows_taken().max(1);
        self.geometry.above(level).is_some() && (level.slots() as u64) < rows * MOST_SLOTS_PER_ROW
    }
}

/// Returns the refusal for two words of the file that contradict each other.
pub(super) fn damaged(what: &'static str) -> Refusal {
    Refusal::Failed(Error::Damaged { what })
}
