//! The mapped file as the algorithm's memory. All pointer accesses of the crate are here.
#![expect(
    unsafe_code,
    reason = "a mapping is raw memory; each block argues why its access is inside and aligned"
)]

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crate::error::Error;
use crate::guard::{self, Loss};
use crate::layout::{At32, At64};
use crate::memory::Memory;

/// Minimum size of ranges whose page tables are filled in one call instead of one fault a page.
const POPULATE_LEAST: usize = 64 << 10;
/// Maximum number of bytes that one call of `fallocate(2)` allocates. Before Linux 6.11 a signal undoes the whole call:
/// with frequent signals, a large call would never complete.
const PIECE: usize = 4 << 20;

/// The file to which the path of an open table leads at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFile {
    /// The open file.
    Same,
    /// Another file: a publisher has created the table again.
    Replaced,
    /// No file. The open table can still be read.
    Gone,
}

/// A table's file, mapped as a whole and shared.
#[derive(Debug)]
pub(crate) struct Mapping {
    base: NonNull<u8>,
    len: usize,
    file: File,
    path: PathBuf,
    writable: bool,
    /// The fault guard's record of this mapping; `None` if the guard does not watch it.
    guard: Option<guard::Ticket>,
}

// SAFETY: the mapping is plain memory that stays mapped while `Mapping` lives, and every access to it is
// atomic, so threads may share and pass it.
unsafe impl Send for Mapping {}
// SAFETY: as for `Send`: every access is atomic while the mapping lives.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps the first `len` bytes of a file whose length was checked.
    pub(crate) fn new(file: File, path: &Path, len: usize, writable: bool) -> Result<Self, Error> {
        let protection = if writable { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
        // SAFETY: mmap(2) with no address asks for a fresh range; the descriptor is open. Nothing in Rust
        // refers to the range yet, and it is only ever accessed with atomics, so that other processes may
        // write it at any time.
        let address = unsafe {
            libc::mmap(std::ptr::null_mut(), len, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if address == libc::MAP_FAILED {
            let source = io::Error::last_os_error();
            return Err(Error::Io { call: "mmap", path: path.to_owned(), source });
        }
        let base = NonNull::new(address.cast::<u8>()).ok_or(Error::Shape { what: "it was mapped at 0" })?;
        // A core dump of a measured program need not contain a table of gigabytes. The call is only advice, so errors
        // are ignored.
        // SAFETY: madvise(2) over exactly the range mapped above; this advice does not change its contents.
        unsafe { libc::madvise(address, len, libc::MADV_DONTDUMP) };
        let guard = guard::watch(base.as_ptr() as usize, len, writable, &file);
        Ok(Self { base, len, file, path: path.to_owned(), writable, guard })
    }

    pub(crate) fn raw(&self) -> Raw<'_> {
        Raw { base: self.base, mapping: self }
    }
    pub(crate) fn writable(&self) -> bool {
        self.writable
    }
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn owner(&self) -> io::Result<u32> {
        Ok(self.file.metadata()?.uid())
    }

    /// Fails if the file no longer has the length that was mapped, or if an access met a page that the file system
    /// could not provide.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let io = |source| Error::Io { call: "fstat", path: self.path.clone(), source };
        let found = self.file.metadata().map_err(io)?.len();
        let expected = self.len as u64;
        match self.guard.as_ref().and_then(guard::Ticket::loss) {
            Some(Loss::Page) => Err(Error::Damaged { what: "the file system had no page for a part of it" }),
            Some(Loss::End) if found == expected => {
                Err(Error::Damaged { what: "it was cut short and extended again while it was open" })
            }
            Some(Loss::End) => Err(Error::Length { expected, found }),
            None if found != expected => Err(Error::Length { expected, found }),
            None => Ok(()),
        }
    }

    /// Returns whether the path still leads to the open file.
    pub(crate) fn standing(&self) -> Result<TableFile, Error> {
        let failed = |call| move |source| Error::Io { call, path: self.path.clone(), source };
        let ours = self.file.metadata().map_err(failed("fstat"))?;
        match std::fs::symlink_metadata(&self.path) {
            Ok(now) if (now.dev(), now.ino()) == (ours.dev(), ours.ino()) => Ok(TableFile::Same),
            Ok(_) => Ok(TableFile::Replaced),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(TableFile::Gone),
            Err(error) => Err(failed("stat")(error)),
        }
    }

    /// Writes everything back and waits for the device (`msync(2)`, `fsync(2)`).
    pub(crate) fn sync(&self) -> Result<(), Error> {
        let failed = |call, source| Error::Io { call, path: self.path.clone(), source };
        // SAFETY: the range is the mapping; MS_SYNC writes it back and changes nothing in memory.
        if unsafe { libc::msync(self.base.as_ptr().cast::<c_void>(), self.len, libc::MS_SYNC) } != 0 {
            return Err(failed("msync", io::Error::last_os_error()));
        }
        self.file.sync_all().map_err(|source| failed("fsync", source))
    }

    /// Allocates pages for a range of the file (`fallocate(2)`), so that stores into it cannot fault.
    pub(crate) fn allocate(&self, offset: usize, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        let end = offset + bytes;
        for piece in (offset..end).step_by(PIECE) {
            self.allocate_piece(piece, PIECE.min(end - piece))?;
        }
        if bytes >= POPULATE_LEAST {
            self.populate(offset, bytes);
        }
        Ok(())
    }

    fn allocate_piece(&self, offset: usize, bytes: usize) -> Result<(), Error> {
        // KEEP_SIZE: the file must not grow, because growing a truncated file would hide the damage.
        let mode = libc::FALLOC_FL_KEEP_SIZE;
        loop {
            // SAFETY: fallocate(2) works on the open descriptor and touches no memory of this process.
            let done = unsafe { libc::fallocate(self.file.as_raw_fd(), mode, offset as i64, bytes as i64) };
            if done == 0 {
                return Ok(());
            }
            let source = io::Error::last_os_error();
            if source.kind() != io::ErrorKind::Interrupted {
                return Err(Error::NoSpace { source });
            }
        }
    }

    /// Returns the first written byte from an offset on (`lseek(2)`).
    fn data_from(&self, offset: usize) -> usize {
        self.seek(offset, libc::SEEK_DATA).unwrap_or_else(|error| match error.raw_os_error() {
            // There are no data after the offset.
            Some(libc::ENXIO) => usize::MAX,
            // The file system does not report holes.
            _ => offset,
        })
    }

    fn seek(&self, from: usize, what: i32) -> io::Result<usize> {
        // SAFETY: lseek(2) moves the position of the descriptor, which is not used elsewhere, and touches no memory.
        let found = unsafe { libc::lseek(self.file.as_raw_fd(), from as i64, what) };
        usize::try_from(found).map_err(|_| io::Error::last_os_error())
    }

    /// Returns the bytes that the file system has allocated for the file (`fstat(2)`); the maximum if unknown, so that
    /// no check of the size fails.
    fn held_bytes(&self) -> u64 {
        self.file.metadata().map_or(u64::MAX, |facts| facts.blocks().saturating_mul(512))
    }

    /// Fills this process's page tables for a range: otherwise page faults are half of the cost of an insert.
    fn populate(&self, offset: usize, bytes: usize) {
        let (start, end) = whole_pages(offset, bytes, self.len, guard::page_bytes());
        // SAFETY: the range lies inside the mapping (`end` is clamped, `start` is inside by construction of
        // the geometry); MADV_POPULATE_WRITE changes page tables and no contents. Kernels before 5.14
        // refuse it, and then the faults happen one by one.
        unsafe {
            let address = self.base.as_ptr().add(start).cast::<c_void>();
            libc::madvise(address, end.saturating_sub(start), libc::MADV_POPULATE_WRITE);
        }
    }
}

/// Returns the pages of a mapping of `len` bytes that contain a range: start of the first and end of the last.
fn whole_pages(offset: usize, bytes: usize, len: usize, page_bytes: usize) -> (usize, usize) {
    (guard::page_start(offset, page_bytes), (offset + bytes).next_multiple_of(page_bytes).min(len))
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // The guard's entry is removed first: after munmap the addresses may belong to another mapping.
        self.guard = None;
        // SAFETY: the range was mapped by `new` and every handle on it borrows this value.
        unsafe { libc::munmap(self.base.as_ptr().cast::<c_void>(), self.len) };
    }
}

/// A copyable handle on the mapped bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'m> {
    base: NonNull<u8>,
    mapping: &'m Mapping,
}

// SAFETY: a handle is a shared reference to a `Mapping`, which is `Sync`, and a copy of its address.
unsafe impl Send for Raw<'_> {}
// SAFETY: as for `Send`: a handle is a shared reference to a `Mapping`, which is `Sync`, and a copy of its address.
unsafe impl Sync for Raw<'_> {}

impl Raw<'_> {
    /// Returns the address of an offset, for callers that read the words themselves.
    pub(crate) fn address(&self, offset: usize) -> *const u8 {
        debug_assert!(offset <= self.mapping.len);
        self.base.as_ptr().wrapping_add(offset).cast_const()
    }

    /// Returns a view of the memory from an offset on: offsets of the view count from there.
    #[inline(always)]
    pub(crate) fn from(self, offset: usize) -> Self {
        debug_assert!(self.skipped() + offset <= self.mapping.len);
        // SAFETY: the offset was made by the geometry, so it lies inside the mapping or at its end.
        Self { base: unsafe { self.base.add(offset) }, mapping: self.mapping }
    }

    /// Returns the offset in the file at which this handle starts.
    pub(crate) fn skipped(self) -> usize {
        self.base.addr().get() - self.mapping.base.addr().get()
    }

    /// Returns the handle that starts at the beginning of the file.
    pub(crate) fn whole(self) -> Self {
        self.mapping.raw()
    }

    #[inline(always)]
    pub(crate) fn word32(&self, at: At32) -> &AtomicU32 {
        debug_assert!(self.skipped() + at.offset() + 4 <= self.mapping.len && at.offset().is_multiple_of(4));
        // SAFETY: offsets are made by the geometry alone, from indices compared with their bounds, so this
        // one is aligned and inside the `len` bytes that were mapped for that geometry; the mapping outlives
        // the handle. Any bit pattern is a valid word, and all accesses of all processes are atomic.
        unsafe { &*self.base.as_ptr().add(at.parts().0).add(at.parts().1).cast::<AtomicU32>() }
    }

    #[inline(always)]
    pub(crate) fn word64(&self, at: At64) -> &AtomicU64 {
        debug_assert!(self.skipped() + at.offset() + 8 <= self.mapping.len && at.offset().is_multiple_of(8));
        // SAFETY: the offset is one of the geometry, hence aligned to eight bytes and inside the mapping; see `word32`.
        unsafe { &*self.base.as_ptr().add(at.parts().0).add(at.parts().1).cast::<AtomicU64>() }
    }
}

impl Memory for Raw<'_> {
    #[inline(always)]
    fn load32(self, at: At32, order: Ordering) -> u32 {
        self.word32(at).load(order)
    }
    #[inline(always)]
    fn store32(self, at: At32, word: u32, order: Ordering) {
        self.word32(at).store(word, order);
    }
    #[inline(always)]
    fn exchange32(self, at: At32, old: u32, new: u32, ok: Ordering, err: Ordering) -> Result<u32, u32> {
        self.word32(at).compare_exchange(old, new, ok, err)
    }
    #[inline(always)]
    fn load64(self, at: At64, order: Ordering) -> u64 {
        self.word64(at).load(order)
    }
    #[inline(always)]
    fn store64(self, at: At64, word: u64, order: Ordering) {
        self.word64(at).store(word, order);
    }
    #[inline(always)]
    fn exchange64(self, at: At64, old: u64, new: u64, ok: Ordering, err: Ordering) -> Result<u64, u64> {
        self.word64(at).compare_exchange(old, new, ok, err)
    }
    #[inline(always)]
    fn fence(self, order: Ordering) {
        fence(order);
    }

    #[inline(always)]
    fn prefetch(self, offset: usize) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch never faults and changes nothing, wherever its address points.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.base.as_ptr().wrapping_add(offset).cast::<i8>());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = offset;
    }

    fn data_from(self, offset: usize) -> usize {
        self.mapping.data_from(offset)
    }

    fn hole_from(self, offset: usize) -> usize {
        self.mapping.seek(offset, libc::SEEK_HOLE).unwrap_or(usize::MAX)
    }

    fn held_bytes(self) -> u64 {
        self.mapping.held_bytes()
    }

    fn reserve(self, offset: usize, bytes: usize) -> Result<(), Error> {
        self.mapping.allocate(offset, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table has its own page size, so neither the table nor a range in it needs to end at a page boundary of the
    /// system.
    #[test]
    fn ranges_grow_to_pages_of_any_size_and_stay_inside() {
        const LEN: usize = 37 * 4096;
        for page_bytes in [4096, 16 << 10, 64 << 10] {
            for offset in (0..LEN).step_by(1000) {
                for bytes in [1, 4096, 64 << 10].into_iter().filter(|bytes| offset + bytes <= LEN) {
                    let (start, end) = whole_pages(offset, bytes, LEN, page_bytes);
                    assert!(start.is_multiple_of(page_bytes) && offset - start < page_bytes);
                    assert!(end.is_multiple_of(page_bytes) || end == LEN, "{end} of {page_bytes}");
                    assert!((offset + bytes..=LEN).contains(&end) && end - offset - bytes < page_bytes);
                }
            }
        }
        assert_eq!(whole_pages(70_000, 10, LEN, 4096), (17 * 4096, 18 * 4096));
        assert_eq!(whole_pages(70_000, 10, LEN, 64 << 10), (64 << 10, 128 << 10));
        assert_eq!(whole_pages(LEN - 8, 8, LEN, 64 << 10), (128 << 10, LEN));
    }
}
