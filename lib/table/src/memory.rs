//! Requirements of the algorithm on the memory on which it runs.
//!
//! There are three implementations: the mapped file, plain words on the heap (Miri), and the simulated memory of the
//! schedule explorer, which chooses for each load among the stores that are visible to it.

use std::sync::atomic::Ordering;

use crate::error::Error;
use crate::layout::{At32, At64};

/// Shared words, addressed by offsets that only [`crate::layout`] can make.
///
/// An implementation covers [`crate::layout::Geometry::len`] bytes; every offset made by that geometry is aligned and
/// inside, so calling these methods is safe.
pub trait Memory: Copy {
    fn load32(self, at: At32, order: Ordering) -> u32;
    fn store32(self, at: At32, word: u32, order: Ordering);
    fn exchange32(self, at: At32, old: u32, new: u32, ok: Ordering, err: Ordering) -> Result<u32, u32>;

    fn load64(self, at: At64, order: Ordering) -> u64;
    fn store64(self, at: At64, word: u64, order: Ordering);
    fn exchange64(self, at: At64, old: u64, new: u64, ok: Ordering, err: Ordering) -> Result<u64, u64>;

    fn fence(self, order: Ordering);

    /// Prefetches the cache line of an offset; never changes the result of a read.
    #[inline(always)]
    fn prefetch(self, _offset: usize) {}

    /// Returns the first written byte from an offset on. Bytes before it are zero, and reading them through the mapping
    /// would make the file system allocate pages for them.
    fn data_from(self, offset: usize) -> usize {
        offset
    }

    /// Returns the end of the written bytes at an offset. The cost is proportional to the number of pages up to there.
    fn hole_from(self, _offset: usize) -> usize {
        usize::MAX
    }

    /// Returns the bytes that the file system has allocated for the file, whatever its length.
    fn held_bytes(self) -> u64 {
        u64::MAX
    }

    /// Makes sure that stores into these bytes cannot fail for lack of room.
    fn reserve(self, offset: usize, bytes: usize) -> Result<(), Error>;

    /// Loads with acquire strength from memory that may be mapped read-only.
    ///
    /// Rust promises only for *relaxed* loads that they do not write to read-only pages, hence the fence; the machine
    /// code on x86-64 is that of an acquire load.
    #[inline(always)]
    fn acquire32(self, at: At32) -> u32 {
        let word = self.load32(at, Ordering::Relaxed);
        self.fence(Ordering::Acquire);
        word
    }

    /// See [`Memory::acquire32`].
    #[inline(always)]
    fn acquire64(self, at: At64) -> u64 {
        let word = self.load64(at, Ordering::Relaxed);
        self.fence(Ordering::Acquire);
        word
    }
}
