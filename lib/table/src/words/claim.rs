//! Taking rows: a row is free while its first word is 0, claimed by the number that is exchanged into it, and named
//! permanently once a slot says where it is.
//!
//! A row without a slot belongs to no thread. Its first word is the number for which it may be published, and every
//! thread may publish it for that number. If that number is found to be named elsewhere, the row can no longer be
//! published for it: the other row is in the same first empty slot, or that slot is frozen. The row may therefore be
//! claimed for another number. As a result no row is lost to a race, a death, a refused page or a fork, and a table is
//! full when a slot names each row.

use std::sync::atomic::Ordering;

use super::Rules;
use super::index::{Index, Refusal};
use crate::error::Error;
use crate::layout::Row;
use crate::memory::Memory;

/// Result of an attempt to claim a row.
enum Claim {
    /// The row's first word is the caller's number and no slot names the row.
    Ours,
    /// A slot names the row.
    Named,
    /// Another thread is about to publish the row for this number, or has died while doing so.
    InHand(u64),
    /// Another thread claimed the row at the same time.
    Changed,
}

impl<M: Memory, R: Rules> Index<'_, M, R> {
    /// Claims a row that may be published for the object (or sparse key) with this number: a spare row, the next row of
    /// the file, or a row that no slot names.
    #[inline]
    pub(super) fn claim(self, id: u64) -> Result<Row, Refusal> {
        if let Some(row) = self.claim_spare(id)? {
            return Ok(row);
        }
        while let Some(row) = self.next_row()? {
            // Relaxed, as all accesses to a row's first word: the exchange that publishes the row orders it.
            if self.set_id(row, 0, id) {
                return Ok(row);
            }
        }
        self.claim_unnamed(id)
    }

    #[inline(always)]
    fn set_id(self, row: Row, old: u64, id: u64) -> bool {
        let at = self.geometry.id_at(row);
        if !R::CLAIM_BY_EXCHANGE {
            self.memory.store64(at, id, Ordering::Relaxed);
            return true;
        }
        self.memory.exchange64(at, old, id, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Takes the spare row that a thread noted, if it is free. The note is a hint: it may be stale, duplicated or
    /// overwritten.
    #[inline(always)]
    fn claim_spare(self, id: u64) -> Result<Option<Row>, Refusal> {
        let at = self.geometry.spare_at();
        let note = self.memory.load64(at, Ordering::Relaxed);
        if note == 0 {
            return Ok(None);
        }
        self.claim_noted(note, id)
    }

    #[cold]
    fn claim_noted(self, note: u64, id: u64) -> Result<Option<Row>, Refusal> {
        let at = self.geometry.spare_at();
        if R::CLEAR_SPARE
            && self.memory.exchange64(at, note, 0, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return Ok(None);
        }
        let Some(row) = u32::try_from(note - 1).ok().and_then(|number| self.geometry.row(number)) else {
            return Ok(None);
        };
        // A row that was handed out has pages. In a damaged file the note may name any row.
        if u64::from(row.number()) >= self.memory.load64(self.geometry.reserved_at(), Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(matches!(self.try_claim(row, id), Claim::Ours).then_some(row))
    }

    /// Stores the number of a row that was claimed and not published, as a hint for later claims.
    #[cold]
    pub(super) fn note_spare(self, row: Row) {
        self.memory.store64(self.geometry.spare_at(), u64::from(row.number()) + 1, Ordering::Relaxed);
    }

    /// Returns the next row of the file, or `None` when each was handed out once.
    ///
    /// The pages of a row are reserved before its number is handed out. The number is exchanged instead of added to, so
    /// that the count of rows handed out never exceeds the count of rows with pages, nor the count of all rows.
    #[inline(always)]
    fn next_row(self) -> Result<Option<Row>, Refusal> {
        let at = self.geometry.next_at();
        // Acquire pairs with the release below, so that the mark of the rows with pages is seen to be at least as high.
        let mut next = self.memory.acquire64(at);
        loop {
            let Some(row) = u32::try_from(next).ok().and_then(|number| self.geometry.row(number)) else {
                return Ok(None);
            };
            self.reserve_rows(next).map_err(Refusal::Failed)?;
            match self.memory.exchange64(at, next, next + 1, R::HAND_OUT, Ordering::Acquire) {
                Ok(_) => return Ok(Some(row)),
                Err(now) => next = now,
            }
        }
    }

    /// Claims a row unless it has an owner.
    fn try_claim(self, row: Row, id: u64) -> Claim {
        let holder = self.id(row);
        if holder != 0 {
            match self.search(holder) {
                Some(named) if named == row => return Claim::Named,
                // A slot names another row for that number, so this row has no owner.
                Some(_) => {}
                // Another thread that publishes the row does so for this number.
                None if holder == id => return Claim::Ours,
                None if R::SPARE_THE_HELD => return Claim::InHand(holder),
                None => {}
            }
        }
        if self.set_id(row, holder, id) { Claim::Ours } else { Claim::Changed }
    }

    /// Claims a row that no slot names, after each row was handed out once. Returns [`Refusal::Full`] only when each
    /// row is named by a slot.
    ///
    /// Rows below the mark that [`Index::raise_named`] raises are named permanently, so all calls in the life of a
    /// table together visit each row a few times.
    #[cold]
    #[inline(never)]
    fn claim_unnamed(self, id: u64) -> Result<Row, Refusal> {
        let max = self.geometry.max_rows();
        // Acquire pairs with the release in `raise_named`. A caller that gets the error that the table is full because
        // of the mark sees every object of the table.
        let named = self.memory.acquire64(self.geometry.named_at()).min(u64::from(max));
        let (mut number, mut helped) = (named as u32, None);
        // Each row was handed out, so each has pages.
        if self.memory.load64(self.geometry.reserved_at(), Ordering::Relaxed) < u64::from(max) {
            return Err(Refusal::Failed(UNRESERVED));
        }
        while let Some(row) = self.geometry.row(number) {
            match self.try_claim(row, id) {
                Claim::Ours => {
                    self.raise_named(number);
                    return Ok(row);
                }
                Claim::Named => number += 1,
                Claim::InHand(holder) if helped == Some(holder) => return Err(Refusal::Failed(UNFINDABLE)),
                Claim::InHand(holder) => {
                    self.insert_row(holder, &mut Some(row))?;
                    helped = Some(holder);
                }
                Claim::Changed => {}
            }
        }
        self.raise_named(max);
        Err(Refusal::Full(u64::from(max)))
    }

    /// Raises the mark below which all rows are named by a slot.
    fn raise_named(self, number: u32) {
        let (at, number) = (self.geometry.named_at(), u64::from(number));
        let mut now = self.memory.load64(at, Ordering::Relaxed);
        while now < number {
            match self.memory.exchange64(at, now, number, R::NAMED, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }
}

const UNRESERVED: Error = Error::Damaged { what: "it handed out rows that it has no pages for" };
const UNFINDABLE: Error = Error::Damaged { what: "an object that was just put into the index is not found" };
