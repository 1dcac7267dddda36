//! Samples of threads with their stacks, through ring buffers of the kernel.
//!
//! See `perf_event_open(2)`. Each CPU has a ring of its own, since the kernel requires that for inherited events; the
//! records of all rings are returned in the order of their time, by the monotonic clock.
#![expect(unsafe_code, reason = "ioctl(2) commands the descriptors of events")]

mod record;

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering;

use fauxplat_units::CpuSet;

use crate::memory::page_bytes;
use crate::perf::{self, Attributes, CountingEvent, Whom, flag};
use crate::shared::SharedWords;
use crate::{Result, check};
use record::Layout;
pub use record::{Mapping, Record, Sampled, Switch, chains};

/// Positions of `data_head` and `data_tail` in `struct perf_event_mmap_page`, in words of 64 bits.
const HEAD_WORD: usize = 1024 / 8;
const TAIL_WORD: usize = 1032 / 8;

const IP: u64 = 1 << 0;
const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const CALLCHAIN: u64 = 1 << 5;
const PERIOD: u64 = 1 << 8;
const REGS_USER: u64 = 1 << 12;
const STACK_USER: u64 = 1 << 13;

/// Bit numbers in the `flags` of [`Attributes`], for [`flag`].
const MMAP: u32 = 8;
const COMM: u32 = 9;
const FREQUENCY: u32 = 10;
const TASK: u32 = 13;
const SAMPLE_ID_ALL: u32 = 18;
const EXCLUDE_CALLCHAIN_KERNEL: u32 = 21;
const EXCLUDE_CALLCHAIN_USER: u32 = 22;
const MMAP2: u32 = 23;
const COMM_EXEC: u32 = 24;
const USE_CLOCKID: u32 = 25;
const CONTEXT_SWITCH: u32 = 26;

/// `PERF_EVENT_IOC_SET_OUTPUT`: makes a second event of a CPU write into the ring of the first.
const IOC_SET_OUTPUT: libc::Ioctl = libc::_IO(b'$' as u32, 5);

/// Numbers of the kernel for the registers that unwinding needs (`asm/perf_regs.h`): the stack pointer, the instruction
/// pointer, the frame pointer and, where calls leave the return address in a register, that register.
#[cfg(target_arch = "x86_64")]
const REGISTERS: Registers = Registers { fp: 6, sp: 7, ip: 8, lr: None };
#[cfg(target_arch = "aarch64")]
const REGISTERS: Registers = Registers { fp: 29, sp: 31, ip: 32, lr: Some(30) };
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const REGISTERS: Registers = Registers { fp: 0, sp: 0, ip: 0, lr: None };

/// Returns the numbers of the registers that accompany a copy of a stack, in their order, as defined by the kernel.
pub fn registers() -> Vec<u32> {
    REGISTERS.numbers()
}

/// Whether stacks can be copied with their registers on this architecture.
pub const CAN_COPY_STACKS: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

#[derive(Clone, Copy)]
struct Registers {
    fp: u32,
    sp: u32,
    ip: u32,
    lr: Option<u32>,
}

impl Registers {
    /// Returns the kernel's numbers of the recorded registers, ascending.
    fn numbers(self) -> Vec<u32> {
        (0..64).filter(|number| self.mask() >> number & 1 == 1).collect()
    }

    fn mask(self) -> u64 {
        let lr = self.lr.map_or(0, |lr| 1 << lr);
        1 << self.fp | 1 << self.sp | 1 << self.ip | lr
    }
}

/// Rule for when a sample is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// A number of samples per second, which the kernel maintains by adjusting the period.
    Frequency(u64),
    /// A sample every this many events, or nanoseconds if the event is a clock.
    Period(u64),
}

/// Part of the stack that is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// The return addresses that the kernel finds by following the frame pointers.
    Chain,
    /// A copy of this many bytes from the stack pointer on, with the values of [`registers`].
    Copy(u32),
}

/// Event to sample, and the content of a sample.
#[derive(Clone, Copy, Debug)]
pub struct SamplingEvent {
    pub event: CountingEvent,
    pub pace: Pace,
    /// Part of the user-mode stack that is recorded.
    pub stack: Stack,
    /// Whether context switches of the threads are recorded, too.
    pub has_switches: bool,
}

impl SamplingEvent {
    fn attributes(&self, whom: Whom) -> Attributes {
        let plain = self.event.attributes();
        let has_kernel = !self.event.excludes_kernel;
        let mut flags = plain.flags | flag(perf::INHERIT) | flag(USE_CLOCKID) | flag(SAMPLE_ID_ALL);
        flags |= [MMAP, MMAP2, COMM, COMM_EXEC, TASK].map(flag).into_iter().fold(0, |all, one| all | one);
        if self.has_switches {
            flags |= flag(CONTEXT_SWITCH);
        }
        if matches!(whom, Whom::Held(_) | Whom::Children) {
            flags |= flag(perf::ENABLE_ON_EXEC);
        }
        let (mut kind, mut registers, mut bytes) = (IP | TID | TIME, 0, 0);
        match self.stack {
            Stack::Chain => kind |= CALLCHAIN,
            Stack::Copy(stack_bytes) => {
                kind |= REGS_USER | STACK_USER | if has_kernel { CALLCHAIN } else { 0 };
                (registers, bytes) = (REGISTERS.mask(), stack_bytes);
                flags |= flag(EXCLUDE_CALLCHAIN_USER);
            }
        }
        if !has_kernel {
            flags |= flag(EXCLUDE_CALLCHAIN_KERNEL);
        }
        let sample_period = match self.pace {
            Pace::Frequency(hz) => {
                flags |= flag(FREQUENCY);
                kind |= PERIOD;
                hz
            }
            // If samples are to contain their period, a software event makes a sample for each event, whatever the
            // period is (`perf_swevent_event` in `kernel/events/core.c`). Here the period is known, so it is left out
            // of the samples.
            Pace::Period(events) => events,
        };
        Attributes {
            flags,
            sample_period,
            sample_type: kind,
            sample_regs_user: registers,
            sample_stack_user: bytes,
            clockid: libc::CLOCK_MONOTONIC,
            // The reader polls at its own pace, so it need not be woken.
            wakeup_events: u32::MAX,
            ..plain
        }
    }

    fn layout(&self) -> Layout {
        let is_copied = matches!(self.stack, Stack::Copy(_));
        Layout {
            has_chain: !is_copied || !self.event.excludes_kernel,
            period: match self.pace {
                Pace::Frequency(_) => None,
                Pace::Period(events) => Some(events),
            },
            registers: if is_copied { REGISTERS.mask() } else { 0 },
        }
    }
}

/// Samples threads and all tasks that they create, until the value is dropped.
#[derive(Debug)]
pub struct Sampler {
    events: Vec<File>,
    rings: Vec<Ring>,
    layout: Layout,
    scratch: Vec<u64>,
}

#[derive(Debug)]
struct Ring {
    memory: SharedWords,
    /// Size of a page: the first page of the mapping is the kernel's header, and records follow it.
    page_bytes: u64,
    data_bytes: u64,
}

impl Sampler {
    /// Opens sampling events for threads on all CPUs; see [`Whom`] for when each begins. `ring_bytes`, a power of two,
    /// is the size of each CPU's ring; a smaller ring is used where the kernel allows no more.
    ///
    /// # Errors
    /// Returns the errors of `perf_event_open(2)` and `mmap(2)`.
    pub fn open(event: &SamplingEvent, threads: &[Whom], cpus: &CpuSet, ring_bytes: u64) -> Result<Self> {
        let layout = event.layout();
        let mut sampler = Sampler { events: Vec::new(), rings: Vec::new(), layout, scratch: Vec::new() };
        for cpu in cpus.iter() {
            let mut first: Option<usize> = None;
            for &whom in threads {
                let opened = perf::open(
                    event.attributes(whom),
                    whom.thread(),
                    cpu.0 as i32,
                    perf::NO_LEADER,
                    &event.event.call(),
                );
                let file = match opened {
                    Ok(file) => file,
                    // A thread that has ended has nothing to sample; the other threads are still sampled.
                    Err(error) if error.is_gone() && threads.len() > 1 => continue,
                    Err(error) => return Err(error),
                };
                match first {
                    None => {
                        sampler.rings.push(Ring::open(&file, ring_bytes)?);
                        first = Some(sampler.events.len());
                    }
                    Some(first) => share_ring(&file, &sampler.events[first])?,
                }
                sampler.events.push(file);
            }
        }
        Ok(sampler)
    }

    /// Starts sampling; needed only for processes that are already running.
    ///
    /// # Errors
    /// Returns the errors of `ioctl(2)`.
    pub fn enable(&self) -> Result<()> {
        self.command(perf::IOC_ENABLE, "ioctl(PERF_EVENT_IOC_ENABLE)")
    }

    /// # Errors
    /// Returns the errors of `ioctl(2)`.
    pub fn disable(&self) -> Result<()> {
        self.command(perf::IOC_DISABLE, "ioctl(PERF_EVENT_IOC_DISABLE)")
    }

    fn command(&self, request: libc::Ioctl, call: &str) -> Result<()> {
        self.events.iter().try_for_each(|event| {
            // SAFETY: the descriptor is one of perf, whose commands used here take a number and no memory.
            check(unsafe { libc::ioctl(event.as_raw_fd(), request, 0) }, call).map(drop)
        })
    }

    /// Returns the count of the event so far, in all threads on all CPUs; `None` where the kernel does not provide it.
    pub fn counted(&self) -> Option<u64> {
        self.events.iter().map(|event| perf::read_count(event).ok().map(|count| count.value)).sum()
    }

    /// Returns the fill level of the fullest ring, 0 to 1.
    pub fn fill(&self) -> f64 {
        self.rings.iter().map(Ring::fill).fold(0.0, f64::max)
    }

    pub fn ring_bytes(&self) -> u64 {
        self.rings.first().map_or(0, |ring| ring.data_bytes)
    }

    /// Calls `each` with the records of all CPUs from before a moment of the monotonic clock, oldest first, and removes
    /// them from the rings. A CPU that took a sample just before the moment may not have written it yet, so the moment
    /// should be some milliseconds ago.
    pub fn drain(&mut self, before_ns: u64, mut each: impl FnMut(Record<'_>)) {
        let Sampler { rings, layout, scratch, .. } = self;
        let heads: Vec<u64> = rings.iter().map(Ring::head).collect();
        let mut tails: Vec<u64> = rings.iter().map(Ring::tail).collect();
        let time_at = |at: usize, tail: u64| (tail < heads[at]).then(|| rings[at].time(tail, layout));
        let mut next: Vec<Option<u64>> =
            tails.iter().enumerate().map(|(at, &tail)| time_at(at, tail)).collect();
        loop {
            let oldest = next.iter().enumerate().filter_map(|(at, time)| Some(((*time)?, at))).min();
            let Some((_, at)) = oldest.filter(|(time, _)| *time < before_ns) else { return };
            let ring = &rings[at];
            tails[at] += ring.copy(tails[at], layout, scratch);
            // Release: the kernel may overwrite the record only after it was copied.
            ring.memory.words()[TAIL_WORD].store(tails[at], Ordering::Release);
            if let Some(record) = record::read(scratch, layout) {
                each(record);
            }
            next[at] = time_at(at, tails[at]);
        }
    }
}

fn share_ring(event: &File, first: &File) -> Result<()> {
    // SAFETY: the command takes the number of a descriptor, and both are open.
    let done = unsafe { libc::ioctl(event.as_raw_fd(), IOC_SET_OUTPUT, first.as_raw_fd()) };
    check(done, "ioctl(PERF_EVENT_IOC_SET_OUTPUT)").map(drop)
}

impl Ring {
    /// Maps the largest ring that may be locked into memory, up to the requested size.
    fn open(event: &File, bytes: u64) -> Result<Self> {
        let page_bytes = page_bytes() as u64;
        let mut data_bytes = bytes.max(page_bytes);
        loop {
            match SharedWords::map(event, ((page_bytes + data_bytes) / 8) as usize) {
                Ok(memory) => return Ok(Ring { memory, page_bytes, data_bytes }),
                Err(error) if error.is_permission() && data_bytes > page_bytes => data_bytes /= 2,
                Err(error) => return Err(error),
            }
        }
    }

    fn head(&self) -> u64 {
        // Acquire pairs with the kernel's barrier between writing a record and moving the head.
        self.memory.words()[HEAD_WORD].load(Ordering::Acquire)
    }

    fn tail(&self) -> u64 {
        self.memory.words()[TAIL_WORD].load(Ordering::Relaxed)
    }

    fn fill(&self) -> f64 {
        (self.head() - self.tail()) as f64 / self.data_bytes as f64
    }

    fn word(&self, position: u64) -> u64 {
        let place = (self.page_bytes + position % self.data_bytes) / 8;
        self.memory.words()[place as usize].load(Ordering::Relaxed)
    }

    fn time(&self, tail: u64, layout: &Layout) -> u64 {
        let header = self.word(tail);
        let place = layout.time_place(header as u32, record::bytes_of(header));
        self.word(tail + place)
    }

    /// Copies a record without the unfilled part of its stack, and returns its length in the ring, in bytes.
    fn copy(&self, tail: u64, layout: &Layout, into: &mut Vec<u64>) -> u64 {
        into.clear();
        let bytes = record::bytes_of(self.word(tail));
        let word = |place: u64| self.word(tail + place);
        let whole = layout.filled(bytes, &word);
        into.extend((0..whole / 8).map(|at| word(at * 8)));
        bytes
    }
}

#[cfg(test)]
mod tests;
