//! Decodes the records in a ring buffer of `perf_event_open(2)`.

const MMAP: u32 = 1;
const LOST: u32 = 2;
const COMM: u32 = 3;
const EXIT: u32 = 4;
const THROTTLE: u32 = 5;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const MMAP2: u32 = 10;
const LOST_SAMPLES: u32 = 13;
const SWITCH: u32 = 14;

/// `PERF_RECORD_MISC_COMM_EXEC`: the name is new because another program runs.
const COMM_EXEC: u16 = 1 << 13;
/// `PERF_RECORD_MISC_SWITCH_OUT`: the thread lost its CPU. Since Linux 4.17, `PERF_RECORD_MISC_SWITCH_OUT_PREEMPT`: the
/// thread was still runnable.
const SWITCH_OUT: u16 = 1 << 13;
const SWITCH_OUT_PREEMPT: u16 = 1 << 14;
/// `PERF_RECORD_MISC_CPUMODE_MASK`, and its values for the kernel and for the kernel of a guest.
const MODE_MASK: u16 = 7;
const MODE_KERNEL: u16 = 1;
const MODE_GUEST_KERNEL: u16 = 4;
/// Smallest value of a marker in a call chain. A marker says whether the entries after it are addresses in the kernel
/// (`PERF_CONTEXT_KERNEL`) or in user mode (`PERF_CONTEXT_USER`).
const CONTEXT_MAX: u64 = -4095_i64 as u64;
const CONTEXT_USER: u64 = -512_i64 as u64;
/// `PERF_SAMPLE_REGS_ABI_NONE`: the thread had no registers of user mode.
const NO_REGISTERS: u64 = 0;

/// A memory mapping of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub pid: i32,
    pub start: u64,
    pub bytes: u64,
    pub file_offset: u64,
    /// Major and minor number of the file's device.
    pub device: (u32, u32),
    /// Inode number of the file; 0 for a mapping without a file.
    pub inode: u64,
    /// Whether the mapping is executable.
    pub is_code: bool,
    /// Path of the file, or a name such as `[heap]` or `//anon` for a mapping without a file.
    pub path: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
pub struct Sampled<'a> {
    pub pid: i32,
    pub tid: i32,
    pub time_ns: u64,
    /// Instruction pointer of the thread at the sample.
    pub ip: u64,
    /// Whether the instruction pointer is in the kernel.
    pub is_kernel: bool,
    /// Number of events that the sample stands for.
    pub period: u64,
    /// Return addresses in the kernel, innermost first.
    pub kernel_chain: &'a [u64],
    /// Return addresses in user mode by frame pointers, innermost first, if they were requested.
    pub user_chain: &'a [u64],
    /// Registers of user mode in the order of their numbers, if the thread had any.
    pub registers: Option<&'a [u64]>,
    /// Copy of the user-mode stack, from the stack pointer on; empty if none was requested or possible.
    pub stack: &'a [u64],
    /// Bytes reserved for the copy of the stack, which may be fewer than requested: a record has at most 64 KiB.
    pub stack_room: u64,
}

#[derive(Clone, Debug)]
pub enum Record<'a> {
    Sample(Sampled<'a>),
    /// A file or other memory was mapped.
    Mapped(Mapping),
    /// A process has a new name.
    Named {
        pid: i32,
        tid: i32,
        name: Vec<u8>,
        /// Whether the name was set by an exec, so that another program runs.
        is_exec: bool,
    },
    /// A thread or process was created.
    Forked {
        /// Id of the process of the new thread.
        pid: i32,
        /// Id of the parent process.
        parent: i32,
        tid: i32,
    },
    Ended {
        pid: i32,
        tid: i32,
    },
    /// A thread lost its CPU, or got a CPU.
    Switched {
        pid: i32,
        tid: i32,
        time_ns: u64,
        how: Switch,
    },
    /// The kernel dropped this many records for lack of room.
    Lost(u64),
    /// The kernel takes no samples until its next tick, because they were too frequent.
    Throttled,
}

/// Kind of a context switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// The thread left the CPU because it waits.
    Waits,
    /// The thread was preempted.
    Preempted,
    /// The thread got a CPU.
    Runs,
}

/// Optional parts that the samples of an event contain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) has_chain: bool,
    /// Number of events for each sample, if it is the same for all samples: the samples then do not contain it.
    pub(super) period: Option<u64>,
    /// Bit mask of the registers; 0 without registers and without a stack.
    pub(super) registers: u64,
}

/// Returns the length of a record in bytes, at least the length of its header.
pub(super) fn bytes_of(header: u64) -> u64 {
    (header >> 48).max(8)
}

impl Layout {
    /// Returns the position of the time: the fourth word of a sample, and the last word of other records.
    pub(super) fn time_place(&self, kind: u32, bytes: u64) -> u64 {
        if kind == SAMPLE { 24 } else { bytes.saturating_sub(8) }
    }

    /// Returns the length of the filled part of a record. The kernel reserves the whole requested stack size, and
    /// stores after it how much was copied.
    pub(super) fn filled(&self, bytes: u64, word: &impl Fn(u64) -> u64) -> u64 {
        if word(0) as u32 != SAMPLE || self.registers == 0 {
            return bytes;
        }
        let mut place = if self.period.is_some() { 32 } else { 40 };
        if self.has_chain {
            place += 8 + word(place).min(bytes / 8) * 8;
        }
        if place >= bytes {
            return bytes;
        }
        place += 8 + if word(place) == NO_REGISTERS { 0 } else { u64::from(self.registers.count_ones()) * 8 };
        if place >= bytes {
            return bytes;
        }
        let reserved = word(place);
        let behind = place + 8 + reserved;
        if reserved == 0 || behind >= bytes {
            return bytes.min(place + 8);
        }
        place + 8 + word(behind).min(reserved) / 8 * 8
    }
}

/// A reader of words that never reads beyond their end.
struct Words<'a>(&'a [u64]);

impl<'a> Words<'a> {
    fn one(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn some(&mut self, count: u64) -> Option<&'a [u64]> {
        let (some, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(some)
    }
}

/// Decodes a record; `None` if it is incomplete or of a kind that [`Record`] does not have.
pub(super) fn read<'a>(words: &'a [u64], layout: &Layout) -> Option<Record<'a>> {
    let mut rest = Words(words);
    let header = rest.one()?;
    let (kind, misc) = (header as u32, (header >> 32) as u16);
    match kind {
        SAMPLE => sample(rest, misc, layout).map(Record::Sample),
        MMAP2 => mapping(rest).map(Record::Mapped),
        COMM => {
            let (pid, tid) = pair(rest.one()?);
            // Thread and time follow the name.
            let name = text(rest.0.get(..rest.0.len().checked_sub(2)?)?);
            Some(Record::Named { pid, tid, name, is_exec: misc & COMM_EXEC != 0 })
        }
        FORK => {
            let (pid, parent) = pair(rest.one()?);
            let (tid, _) = pair(rest.one()?);
            Some(Record::Forked { pid, parent, tid })
        }
        EXIT => {
            let (pid, _) = pair(rest.one()?);
            let (tid, _) = pair(rest.one()?);
            Some(Record::Ended { pid, tid })
        }
        LOST => {
            rest.one()?;
            Some(Record::Lost(rest.one()?))
        }
        LOST_SAMPLES => Some(Record::Lost(rest.one()?)),
        SWITCH => {
            let ((pid, tid), time_ns) = (pair(rest.one()?), rest.one()?);
            let how = match misc {
                misc if misc & SWITCH_OUT == 0 => Switch::Runs,
                misc if misc & SWITCH_OUT_PREEMPT == 0 => Switch::Waits,
                _ => Switch::Preempted,
            };
            Some(Record::Switched { pid, tid, time_ns, how })
        }
        THROTTLE => Some(Record::Throttled),
        MMAP => None,
        _ => None,
    }
}

/// Splits a word into two numbers of 32 bits, in memory order.
fn pair(word: u64) -> (i32, i32) {
    let [a, b, c, d, e, f, g, h] = word.to_ne_bytes();
    (i32::from_ne_bytes([a, b, c, d]), i32::from_ne_bytes([e, f, g, h]))
}

/// Returns a zero-terminated name, without the zero.
fn text(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).take_while(|&byte| byte != 0).collect()
}

fn sample<'a>(mut rest: Words<'a>, misc: u16, layout: &Layout) -> Option<Sampled<'a>> {
    let ip = rest.one()?;
    let (pid, tid) = pair(rest.one()?);
    let time_ns = rest.one()?;
    let period = match layout.period {
        Some(period) => period,
        None => rest.one()?,
    };
    let (mut kernel_chain, mut user_chain): (&[u64], &[u64]) = (&[], &[]);
    if layout.has_chain {
        let count = rest.one()?;
        let chain = rest.some(count)?;
        (kernel_chain, user_chain) = chains(chain);
    }
    let (mut registers, mut stack, mut stack_room): (_, &[u64], _) = (None, &[], 0);
    if layout.registers != 0 {
        if rest.one()? != NO_REGISTERS {
            registers = Some(rest.some(layout.registers.count_ones().into())?);
        }
        // The reserved size precedes the stack; only its filled part was copied.
        stack_room = rest.one().unwrap_or(0);
        if stack_room > 0 {
            stack = rest.0;
        }
    }
    let is_kernel = matches!(misc & MODE_MASK, MODE_KERNEL | MODE_GUEST_KERNEL);
    Some(Sampled {
        pid,
        tid,
        time_ns,
        ip,
        is_kernel,
        period,
        kernel_chain,
        user_chain,
        registers,
        stack,
        stack_room,
    })
}

/// Splits a chain with markers into return addresses in the kernel and in user mode.
pub fn chains(chain: &[u64]) -> (&[u64], &[u64]) {
    let user = chain.iter().position(|&entry| entry == CONTEXT_USER);
    let (kernel, user) = chain.split_at(user.unwrap_or(chain.len()));
    (without_mark(kernel), without_mark(user))
}

/// Returns the addresses of a part of a chain without its marker, the first entry.
fn without_mark(part: &[u64]) -> &[u64] {
    match part {
        [mark, rest @ ..] if *mark >= CONTEXT_MAX => rest,
        all => all,
    }
}

fn mapping(mut rest: Words<'_>) -> Option<Mapping> {
    const EXECUTE: i32 = libc::PROT_EXEC;
    let (pid, _) = pair(rest.one()?);
    let (start, bytes, file_offset) = (rest.one()?, rest.one()?, rest.one()?);
    let (major, minor) = pair(rest.one()?);
    let inode = rest.one()?;
    rest.one()?;
    let (protection, _) = pair(rest.one()?);
    let path = text(rest.0.get(..rest.0.len().checked_sub(2)?)?);
    let device = (major as u32, minor as u32);
    Some(Mapping { pid, start, bytes, file_offset, device, inode, is_code: protection & EXECUTE != 0, path })
}

#[cfg(test)]
mod tests;
