//! Memory mapped directly from the kernel, for tests in which the pages themselves matter.
#![expect(unsafe_code, reason = "mmap(2) and madvise(2) hand out raw memory")]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::atomic::AtomicU64;

use crate::{Result, SysError, check, shared};

pub fn page_bytes() -> usize {
    // SAFETY: no pointer is passed.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Whether [`flush`] has an effect on this architecture.
pub const CAN_FLUSH: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Writes the cache line of a word back and drops it from every cache of the machine: `CLFLUSH` (SSE2) and `DC CIVAC`,
/// which Linux lets programs use. Returns when the line is gone; does nothing on other architectures.
pub fn flush(word: &AtomicU64) {
    let place = word.as_ptr();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of the architecture, the place is a word that lives, and its value stays.
    unsafe {
        std::arch::x86_64::_mm_clflush(place.cast());
        std::arch::x86_64::_mm_mfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the place is a word that lives, and its value stays; SCTLR_EL1.UCI is set by Linux (arch/arm64, "EL0
    // access to cache instructions").
    unsafe {
        std::arch::asm!("dc civac, {place}", "dsb ish", place = in(reg) place, options(nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = place;
}

/// Pages that only this process uses, all zero at first.
#[derive(Debug)]
pub struct Pages {
    start: *mut u64,
    bytes: usize,
}

// SAFETY: the memory belongs to this value alone and is reached through its borrows.
unsafe impl Send for Pages {}

/// Size of a huge page on the supported architectures with base pages of 4 KiB.
const HUGE_BYTES: usize = 2 << 20;

impl Pages {
    /// Maps at least this many bytes. With `huge` the kernel is asked for huge pages, so that walks through the memory
    /// do not spend their time in page tables; otherwise for small pages. A kernel that supports neither request uses
    /// its default. See `mmap(2)` and `MADV_HUGEPAGE` in `madvise(2)`.
    ///
    /// # Errors
    /// Fails where memory is insufficient.
    pub fn new(bytes: usize, huge: bool) -> Result<Self> {
        let unit = if huge { HUGE_BYTES } else { page_bytes() };
        let bytes = bytes.max(1).next_multiple_of(unit);
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address that the kernel chooses cannot overlap live memory.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(SysError::last(format!("mmap of {bytes} bytes")));
        }
        let advice = if huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
        // SAFETY: the range was just mapped. A kernel without huge pages refuses, and then there are small ones.
        unsafe { libc::madvise(start, bytes, advice) };
        Ok(Pages { start: start.cast(), bytes })
    }

    pub fn words(&mut self) -> &mut [u64] {
        // SAFETY: the mapping is page-aligned, `bytes` long, readable, writable, zeroed by the kernel, lives as long as
        // `self`, and the borrow of `self` is the only way to it.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes / 8) }
    }

    /// Returns all pages to the kernel; the next access to each is a page fault and finds zeros. See `MADV_DONTNEED`.
    pub fn discard(&mut self) -> Result<()> {
        // SAFETY: the range is ours, nobody borrows it, and all bits zero are values of u64.
        let done = unsafe { libc::madvise(self.start.cast(), self.bytes, libc::MADV_DONTNEED) };
        check(done, "madvise(MADV_DONTNEED)").map(drop)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this length, and no reference outlives `self`.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

/// A few pages that are mapped at many consecutive addresses: many address translations, and little data to cache.
#[derive(Debug)]
pub struct Windows {
    start: *const u8,
    bytes: usize,
    page: usize,
}

// SAFETY: the memory is never written after it was mapped.
unsafe impl Send for Windows {}

impl Windows {
    /// Maps `pages` pages `times` times, one after the other, in small pages.
    ///
    /// # Errors
    /// Fails where memory is insufficient, or where the limit of mappings of a process is reached (`vm.max_map_count`).
    pub fn new(pages: usize, times: usize) -> Result<Self> {
        let page = page_bytes();
        let (part, bytes) = (pages * page, pages * page * times);
        let file: File = shared::memory_file(part.div_ceil(8))?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address that the kernel chooses; it only reserves the addresses.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(SysError::last(format!("mmap of {bytes} bytes of addresses")));
        }
        let windows = Windows { start: start.cast(), bytes, page };
        for time in 0..times {
            // SAFETY: the place lies within the range that was just reserved and that nobody uses.
            let window = unsafe {
                let place = start.byte_add(time * part);
                let flags = libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_POPULATE;
                let window = libc::mmap(place, part, libc::PROT_READ, flags, file.as_raw_fd(), 0);
                libc::madvise(place, part, libc::MADV_NOHUGEPAGE);
                window
            };
            if window == libc::MAP_FAILED {
                return Err(SysError::last("mmap of a window"));
            }
        }
        Ok(windows)
    }

    /// Returns the number of consecutive mapped pages, repetitions included.
    pub fn len(&self) -> usize {
        self.bytes / self.page
    }

    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Reads one byte of a page. The page number is taken modulo [`Windows::len`], and the byte's position modulo the
    /// page size.
    pub fn peek(&self, page: usize, byte: usize) -> u8 {
        let place = page % self.len() * self.page + byte % self.page;
        // SAFETY: the place lies within the mapping, all of which is readable; nobody has it writable. Volatile, since
        // only the access itself is wanted.
        unsafe { self.start.add(place).read_volatile() }
    }
}

impl Drop for Windows {
    fn drop(&mut self) {
        // SAFETY: the range was reserved by `new` with this length, and no reference into it exists.
        unsafe { libc::munmap(self.start.cast_mut().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zero_at_first_and_after_they_were_given_back() {
        for huge in [false, true] {
            let mut pages = Pages::new(10_000, huge).unwrap();
            assert!(pages.words().len() * 8 >= 10_000 && pages.words().iter().all(|&word| word == 0));
            pages.words().fill(7);
            pages.discard().unwrap();
            assert!(pages.words().iter().all(|&word| word == 0));
        }
    }

    #[test]
    fn too_much_is_refused() {
        assert!(Pages::new(1 << 60, false).unwrap_err().to_string().contains("mmap"));
    }

    #[test]
    fn windows_show_the_same_pages() {
        let windows = Windows::new(4, 8).unwrap();
        assert_eq!(windows.len(), 32);
        assert!((0..64).all(|page| windows.peek(page, page * 77) == 0));
    }
}
