//! Marks regions of a program, so that `fauxplat run --region parse` measures them: number of entries, time, and with
//! `-e` event counts. Without fauxplat a mark costs a call and a comparison.
//!
//! ```
//! use fauxplat_region::Region;
//!
//! static PARSE: Region = Region::new(c"parse");
//!
//! fn parse(text: &str) -> usize {
//!     let _inside = PARSE.enter();
//!     text.split(',').count()
//! }
//! assert_eq!(parse("a,b"), 2);
//! ```
//!
//! Regions nest; a region within itself counts once, by its outermost call. The counts of threads and processes are
//! added. fauxplat's `docs/regions.md` lists the metrics and the cost of a mark.
#![warn(missing_docs)]
#![expect(unsafe_code, reason = "the marks are those of the header for C")]

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::ptr;

/// `struct fauxplat_region` of the header.
#[repr(C)]
#[derive(Debug)]
struct Mark {
    name: *const c_char,
    slot: *mut u64,
}

unsafe extern "C" {
    fn fauxplat_region_begin(region: *mut Mark);
    fn fauxplat_region_end(region: *mut Mark);
}

/// A region with a name of 1 to 63 characters of `a`–`z`, `0`–`9`, `.`, `_` and `-`, of which the first is a letter or
/// a digit.
#[derive(Debug)]
pub struct Region(UnsafeCell<Mark>);

// SAFETY: the name is never written, and the slot by atomic operations alone.
unsafe impl Sync for Region {}

// SAFETY: the name is never written, the slot by atomic operations alone, and no part of a region belongs to a thread.
unsafe impl Send for Region {}

impl Region {
    /// Creates a region with this name, which the measured metrics show.
    pub const fn new(name: &'static CStr) -> Self {
        Region(UnsafeCell::new(Mark { name: name.as_ptr(), slot: ptr::null_mut() }))
    }

    /// Enters the region, which ends when the returned guard is dropped.
    #[must_use = "the region ends when this is dropped"]
    pub fn enter(&'static self) -> Inside {
        // SAFETY: the mark lives as long as the program, its name ends with a zero byte, and other threads access it at
        // the same time by the same atomic operations.
        unsafe { fauxplat_region_begin(self.0.get()) };
        Inside { region: self, _of_thread: PhantomData }
    }
}

/// Guard of a region that was entered. The guard is not `Send`, since a region has to end in the thread in which it
/// began.
#[derive(Debug)]
pub struct Inside {
    region: &'static Region,
    _of_thread: PhantomData<*const ()>,
}

impl Drop for Inside {
    fn drop(&mut self) {
        // SAFETY: the mark lives as long as the program, and other threads access it at the same time by the same
        // atomic operations.
        unsafe { fauxplat_region_end(self.region.0.get()) };
    }
}
