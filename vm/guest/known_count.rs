//! Counts its own instructions with the machine's counters, for a loop whose instructions can be counted by hand.
//!
//! usage: known_count ROUNDS…: prints `ROUNDS INSTRUCTIONS CYCLES` for each, user mode only, less what an empty loop
//! costs. A round is three instructions. `touch PAGES` prints the instructions of a loop that writes to so many fresh
//! pages, and those of the same loop when it writes to them again, without page faults. One file without dependencies, compiled for the arm64 guest; see
//! perf_event_open(2).

use std::ffi::{c_int, c_long, c_ulong};
use std::fs::File;
use std::io::{Error, Read};
use std::os::fd::{AsRawFd, FromRawFd};

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn ioctl(descriptor: c_int, request: c_ulong, ...) -> c_int;
    fn mmap(at: *mut u8, bytes: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut u8;
}

/// Numbers of the kernel's interface: the system call on arm64, hardware events, and requests to a counter.
const PERF_EVENT_OPEN: c_long = 241;
const HARDWARE: u32 = 0;
const CYCLES: u64 = 0;
const INSTRUCTIONS: u64 = 1;
const RESET: c_ulong = 0x2403;
const ENABLE: c_ulong = 0x2400;
const DISABLE: c_ulong = 0x2401;

/// The first version of `struct perf_event_attr`, 64 bytes, which every kernel takes.
#[repr(C)]
struct Attributes {
    kind: u32,
    size: u32,
    event: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    unused: [u64; 2],
}

/// Bits of `flags`: starts disabled, and does not count in the kernel or in a hypervisor.
const DISABLED_USER_ONLY: u64 = 1 | 1 << 5 | 1 << 6;

fn open(event: u64) -> Result<File, Error> {
    let attributes = Attributes {
        kind: HARDWARE,
        size: 64,
        event,
        sample_period: 0,
        sample_type: 0,
        read_format: 0,
        flags: DISABLED_USER_ONLY,
        unused: [0; 2],
    };
    // SAFETY: the attributes are as long as they say and outlive the call. This thread (0) on any CPU (-1), no group
    // (-1), no flags.
    let descriptor = unsafe { syscall(PERF_EVENT_OPEN, &raw const attributes, 0, -1, -1, 0) };
    if descriptor < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the descriptor was just made, and nobody else knows it.
    Ok(unsafe { File::from_raw_fd(descriptor as c_int) })
}

/// Three instructions in each round.
#[inline(never)]
fn rounds(mut left: u64) {
    if left > 0 {
        // SAFETY: the loop touches two registers, which it names.
        unsafe {
            std::arch::asm!(
                "2:",
                "add {sum}, {sum}, #1",
                "subs {left}, {left}, #1",
                "b.ne 2b",
                left = inout(reg) left,
                sum = inout(reg) 0_u64 => _,
            );
        }
        std::hint::black_box(left);
    }
}

const PAGE: usize = 4096;
const READ_AND_WRITE: c_int = 3;
const PRIVATE_ANONYMOUS: c_int = 0x22;

/// Writes to each of the pages, by the same instructions whether they are there or not.
#[inline(never)]
fn touch(pages: *mut u8, count: usize) {
    for page in 0..count {
        // SAFETY: the mapping has so many pages.
        unsafe { pages.add(page * PAGE).write_volatile(1) };
    }
}

fn count(counter: &File, left: u64) -> Result<i64, Error> {
    count_of(counter, || rounds(left))
}

fn count_of(mut counter: &File, work: impl FnOnce()) -> Result<i64, Error> {
    let descriptor = counter.as_raw_fd();
    // SAFETY: requests without an argument, to a descriptor that is open.
    unsafe {
        ioctl(descriptor, RESET, 0);
        ioctl(descriptor, ENABLE, 0);
    }
    work();
    // SAFETY: as above.
    unsafe { ioctl(descriptor, DISABLE, 0) };
    let mut value = [0; 8];
    counter.read_exact(&mut value)?;
    Ok(i64::from_ne_bytes(value))
}

fn net(event: u64, left: u64) -> Result<i64, Error> {
    let counter = open(event)?;
    // The first pass pays for pages and translations that the others find.
    count(&counter, 0)?;
    Ok(count(&counter, left)? - count(&counter, 0)?)
}

/// Instructions of a loop over fresh pages, and of the same loop over pages that are there.
fn touched(pages: usize) -> Result<(i64, i64), Error> {
    // SAFETY: a new mapping of memory that nobody else has.
    let memory =
        unsafe { mmap(std::ptr::null_mut(), pages * PAGE, READ_AND_WRITE, PRIVATE_ANONYMOUS, -1, 0) };
    if memory as isize == -1 {
        return Err(Error::last_os_error());
    }
    let counter = open(INSTRUCTIONS)?;
    // The first pass pays for pages and translations of the code.
    count_of(&counter, || touch(memory, 0))?;
    Ok((count_of(&counter, || touch(memory, pages))?, count_of(&counter, || touch(memory, pages))?))
}

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, pages] = words.as_slice()
        && word == "touch"
    {
        let (fresh, there) = touched(pages.parse().map_err(Error::other)?)?;
        println!("{fresh} {there}");
        return Ok(());
    }
    for word in words {
        let left: u64 = word.parse().map_err(Error::other)?;
        println!("{left} {} {}", net(INSTRUCTIONS, left)?, net(CYCLES, left)?);
    }
    Ok(())
}
