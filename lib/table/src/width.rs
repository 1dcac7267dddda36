//! The two widths of a cell, and the encoding of values in cells.
//!
//! A cell contains the value plus half of its range, so that the word 0 means *absent*: new pages from the kernel and
//! holes in the file are full of absent cells without being written. The cost is one value at the lower end of the
//! range, which is refused.

use std::sync::atomic::Ordering;

use crate::error::Error;
use crate::layout::CellAt;
use crate::memory::Memory;

/// Width of the cells of a table: [`Wide`] or [`Narrow`].
pub trait Width: sealed::Cell {}

/// Cells of eight bytes: values from `i64::MIN + 1` to `i64::MAX`.
#[derive(Clone, Copy, Debug)]
pub struct Wide;

/// Cells of four bytes: values from `i32::MIN + 1` to `i32::MAX`, half the memory and half the cache lines.
#[derive(Clone, Copy, Debug)]
pub struct Narrow;

impl Width for Wide {}
impl Width for Narrow {}

/// Keeps the trait closed: the safety of the mapping depends on the sizes stated here.
pub(crate) mod sealed {
    use super::{CellAt, Memory, Ordering};

    /// Operations on one cell, in the word size of its width. Raw words are passed as `u64`.
    pub trait Cell: Copy + Send + Sync + 'static {
        /// Size of a cell in bytes.
        const BYTES: usize;
        /// Negated value of the word 0, added to a value to make a word.
        const BIAS: i64;
        /// Maximum value of a cell; the minimum is its negative.
        const MAX: i64;

        #[doc(hidden)]
        fn load<M: Memory>(memory: M, at: CellAt, order: Ordering) -> u64;
        #[doc(hidden)]
        fn store<M: Memory>(memory: M, at: CellAt, word: u64, order: Ordering);
        #[doc(hidden)]
        fn exchange<M: Memory>(memory: M, at: CellAt, old: u64, new: u64) -> Result<u64, u64>;
    }
}

use sealed::Cell;

/// Returns the value in a cell's word, `None` for an absent one.
///
/// The branch is marked cold because programs read values that exist: the hot path then has no jump.
#[inline(always)]
pub(crate) fn decode<W: Cell>(word: u64) -> Option<i64> {
    if word == 0 {
        std::hint::cold_path();
        return None;
    }
    Some((word as i64).wrapping_sub(W::BIAS))
}

/// Returns the word for a value.
#[inline(always)]
pub(crate) fn encode<W: Cell>(value: i64) -> Result<u64, Error> {
    let lowest = -W::MAX;
    if value < lowest || value > W::MAX {
        std::hint::cold_path();
        return Err(Error::Range { value });
    }
    Ok(value.wrapping_add(W::BIAS) as u64)
}

impl Cell for Wide {
    const BYTES: usize = 8;
    const BIAS: i64 = i64::MIN;
    const MAX: i64 = i64::MAX;

    #[inline(always)]
    fn load<M: Memory>(memory: M, at: CellAt, order: Ordering) -> u64 {
        memory.load64(at.wide(), order)
    }
    #[inline(always)]
    fn store<M: Memory>(memory: M, at: CellAt, word: u64, order: Ordering) {
        memory.store64(at.wide(), word, order);
    }
    #[inline(always)]
    fn exchange<M: Memory>(memory: M, at: CellAt, old: u64, new: u64) -> Result<u64, u64> {
        memory.exchange64(at.wide(), old, new, Ordering::AcqRel, Ordering::Acquire)
    }
}

impl Cell for Narrow {
    const BYTES: usize = 4;
    const BIAS: i64 = 1 << 31;
    const MAX: i64 = i32::MAX as i64;

    #[inline(always)]
    fn load<M: Memory>(memory: M, at: CellAt, order: Ordering) -> u64 {
        u64::from(memory.load32(at.narrow(), order))
    }
    #[inline(always)]
    fn store<M: Memory>(memory: M, at: CellAt, word: u64, order: Ordering) {
        memory.store32(at.narrow(), word as u32, order);
    }
    #[inline(always)]
    fn exchange<M: Memory>(memory: M, at: CellAt, old: u64, new: u64) -> Result<u64, u64> {
        let (old, new) = (old as u32, new as u32);
        memory
            .exchange32(at.narrow(), old, new, Ordering::AcqRel, Ordering::Acquire)
            .map(u64::from)
            .map_err(u64::from)
    }
}
