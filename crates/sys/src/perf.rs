//! Counts events of the processor and of the kernel, for one thread or for the children that it creates.
#![expect(unsafe_code, reason = "perf_event_open(2) takes raw memory, and ioctl(2) commands its descriptors")]

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};

use crate::{Result, SysError, check};

const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 8;
/// `read_format`: the enabled and the running time follow the count. Reading all events of a group at once
/// (`PERF_FORMAT_GROUP`) is not possible together with `inherit`, see `perf_event_open(2)`.
const TOTAL_TIMES: u64 = 1 << 0 | 1 << 1;
/// group_fd = −1: no group leader.
pub(crate) const NO_LEADER: i32 = -1;
/// cpu = −1: the event follows its thread to every CPU.
const ANY_CPU: i32 = -1;

/// Bit numbers in `flags`, in the order of the one-bit fields of `struct perf_event_attr`.
const DISABLED: u32 = 0;
pub(crate) const INHERIT: u32 = 1;
const EXCLUDE_USER: u32 = 4;
const EXCLUDE_KERNEL: u32 = 5;
const EXCLUDE_HV: u32 = 6;
pub(crate) const ENABLE_ON_EXEC: u32 = 12;

/// `PERF_EVENT_IOC_ENABLE`, `_DISABLE` and `_RESET`, which the header defines by `_IO('$', n)`.
pub(crate) const IOC_ENABLE: libc::Ioctl = libc::_IO(b'$' as u32, 0);
pub(crate) const IOC_DISABLE: libc::Ioctl = libc::_IO(b'$' as u32, 1);
const IOC_RESET: libc::Ioctl = libc::_IO(b'$' as u32, 3);

/// `struct perf_event_attr` as of Linux 4.7 (`PERF_ATTR_SIZE_VER5`). An older kernel accepts it if the fields that the
/// kernel does not know are zero.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) kind: u32,
    pub(crate) size: u32,
    pub(crate) config: u64,
    pub(crate) sample_period: u64,
    pub(crate) sample_type: u64,
    pub(crate) read_format: u64,
    pub(crate) flags: u64,
    pub(crate) wakeup_events: u32,
    pub(crate) breakpoint_kind: u32,
    pub(crate) config1: u64,
    pub(crate) config2: u64,
    pub(crate) branch_sample_type: u64,
    pub(crate) sample_regs_user: u64,
    pub(crate) sample_stack_user: u32,
    pub(crate) clockid: i32,
    pub(crate) sample_regs_intr: u64,
    pub(crate) aux_watermark: u32,
    pub(crate) sample_max_stack: u16,
    pub(crate) reserved: u16,
}

/// Opens an event for a thread (0 is the calling thread, -1 any) on a CPU (-1 is any), in the group of a leader
/// (descriptor, or [`NO_LEADER`]). `call` names the event in errors.
pub(crate) fn open(attributes: Attributes, thread: i32, cpu: i32, leader: i32, call: &str) -> Result<File> {
    let attributes = Attributes { size: size_of::<Attributes>() as u32, ..attributes };
    // SAFETY: `attributes` is laid out as the kernel's structure of the size that it names, and only read.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            thread as libc::pid_t,
            cpu as libc::c_int,
            leader as libc::c_int,
            PERF_FLAG_FD_CLOEXEC,
        )
    };
    if fd < 0 {
        return Err(SysError::last(call));
    }
    // SAFETY: the descriptor was just created and belongs to nobody else.
    Ok(unsafe { File::from_raw_fd(fd as i32) })
}

/// An event to count, in the terms of `perf_event_open(2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CountingEvent {
    /// `type`: the event source. Small numbers are the kernel's generic kinds, larger numbers are devices.
    pub kind: u32,
    /// `config`, `config1` and `config2`: the event within the source.
    pub config: [u64; 3],
    pub excludes_user: bool,
    pub excludes_kernel: bool,
    pub excludes_hypervisor: bool,
}

impl CountingEvent {
    pub(crate) fn call(&self) -> String {
        format!("perf_event_open(type {}, config {:#x})", self.kind, self.config[0])
    }

    pub(crate) fn attributes(&self) -> Attributes {
        let excluded = [
            (self.excludes_user, EXCLUDE_USER),
            (self.excludes_kernel, EXCLUDE_KERNEL),
            (self.excludes_hypervisor, EXCLUDE_HV),
        ];
        let flags = excluded.into_iter().filter(|(is_set, _)| *is_set).map(|(_, place)| flag(place));
        let [config, config1, config2] = self.config;
        Attributes {
            kind: self.kind,
            config,
            config1,
            config2,
            read_format: TOTAL_TIMES,
            flags: flags.fold(flag(DISABLED), |all, one| all | one),
            ..Attributes::default()
        }
    }
}

/// Returns the mask of a one-bit field of `struct perf_event_attr`, by its position: on big-endian machines C lays out
/// such fields from the highest bit down.
pub(crate) const fn flag(place: u32) -> u64 {
    if cfg!(target_endian = "big") { 1 << (63 - place) } else { 1 << place }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// The processes that the calling thread creates from now on, with all their descendants, each from its next exec
    /// on. The counter needs no enabling; enabling it would count the calling thread too.
    Children,
    /// Only the calling thread, while the counter is enabled.
    Myself,
    /// An existing thread, by its id (a process stands for its first thread), with all tasks that it creates from now
    /// on, while the counter is enabled. Other existing threads of a process are not covered.
    Process(i32),
    /// A process that has not reached its exec: counting starts at the exec, and the counter needs no enabling.
    Held(i32),
}

impl Whom {
    pub(crate) fn thread(self) -> i32 {
        match self {
            Whom::Children | Whom::Myself => 0,
            Whom::Process(pid) | Whom::Held(pid) => pid,
        }
    }

    fn flags(self) -> u64 {
        match self {
            Whom::Children | Whom::Held(_) => flag(INHERIT) | flag(ENABLE_ON_EXEC),
            Whom::Myself => 0,
            Whom::Process(_) => flag(INHERIT),
        }
    }
}

/// A reading of a counter: the sum over all covered processes, including those that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of events while the counter was running.
    pub value: u64,
    /// Time of the threads during which the counter was enabled.
    pub enabled_ns: u64,
    /// Time of the threads during which the counter was really running: less than the enabled time if more events were
    /// requested than there are counters.
    pub running_ns: u64,
}

impl Count {
    /// Returns the difference to an earlier reading of the same counter; `None` if one of the three numbers decreased.
    pub fn since(self, earlier: Count) -> Option<Count> {
        Some(Count {
            value: self.value.checked_sub(earlier.value)?,
            enabled_ns: self.enabled_ns.checked_sub(earlier.enabled_ns)?,
            running_ns: self.running_ns.checked_sub(earlier.running_ns)?,
        })
    }

    /// Returns the estimated count for the whole enabled time, from the rate in the running time.
    pub fn scaled(self) -> u64 {
        let scaled =
            u128::from(self.value) * u128::from(self.enabled_ns) / u128::from(self.running_ns.max(1));
        match self.running_ns == self.enabled_ns {
            true => self.value,
            // The largest number is reserved for an absent reading.
            false => u64::try_from(scaled).unwrap_or(u64::MAX).min(u64::MAX - 1),
        }
    }
}

/// An event that is counted until the value is dropped.
#[derive(Debug)]
pub struct Counter {
    file: File,
    /// Second event of the thread, which keeps its events from being swapped; see [`anchor`].
    _anchor: Option<File>,
}

/// Reads the count of an event that was opened with [`CountingEvent::attributes`].
pub(crate) fn read_count(mut file: &File) -> Result<Count> {
    let mut bytes = [0; 24];
    let failed = |source| SysError { call: "read(perf event)".to_owned(), source };
    file.read_exact(&mut bytes).map_err(failed)?;
    let (words, _) = bytes.as_chunks::<8>();
    let [value, enabled_ns, running_ns] = [0, 1, 2].map(|place| u64::from_ne_bytes(words[place]));
    Ok(Count { value, enabled_ns, running_ns })
}

/// Keeps the events of a thread from being swapped, by a second event of the same device that is never enabled and not
/// inherited.
///
/// If a parent and a child have equal events, the kernel may *swap* them at a switch from one to the other, which is
/// cheaper (`context_equiv` in `kernel/events/core.c`). The child's exec then enables the parent's own event
/// permanently, and no later child is counted: 199 of 200 children were lost in that way on Linux 6.18. A thread with
/// an event that is not inherited is never equal to another.
fn anchor(event: &CountingEvent, whom: Whom, leader: Option<&Counter>) -> Result<Option<File>> {
    if whom != Whom::Children || leader.is_some() {
        return Ok(None);
    }
    open(event.attributes(), whom.thread(), ANY_CPU, NO_LEADER, &event.call()).map(Some)
}

impl Counter {
    /// Opens a counter, which starts as [`Whom`] says. Events with the same leader are counted at the same time or not
    /// at all, and the leader must have been opened for the same processes.
    ///
    /// # Errors
    /// Returns the errors of `perf_event_open(2)`: no such event, no permission, no room in the group.
    pub fn open(event: &CountingEvent, whom: Whom, leader: Option<&Counter>) -> Result<Counter> {
        let mut attributes = event.attributes();
        attributes.flags |= whom.flags();
        let anchor = anchor(event, whom, leader)?;
        let leader = leader.map_or(NO_LEADER, |leader| leader.file.as_raw_fd());
        let file = open(attributes, whom.thread(), ANY_CPU, leader, &event.call())?;
        Ok(Counter { file, _anchor: anchor })
    }

    /// Starts counting. A member of a group starts once its leader is enabled too.
    ///
    /// # Errors
    /// Returns the errors of `ioctl(2)`.
    pub fn enable(&self) -> Result<()> {
        self.command(IOC_ENABLE, "ioctl(PERF_EVENT_IOC_ENABLE)")
    }

    /// Stops counting until the next [`Counter::enable`].
    ///
    /// # Errors
    /// Returns the errors of `ioctl(2)`.
    pub fn disable(&self) -> Result<()> {
        self.command(IOC_DISABLE, "ioctl(PERF_EVENT_IOC_DISABLE)")
    }

    /// Resets the count to zero. The enabled and running times are not reset.
    ///
    /// # Errors
    /// Returns the errors of `ioctl(2)`.
    pub fn reset(&self) -> Result<()> {
        self.command(IOC_RESET, "ioctl(PERF_EVENT_IOC_RESET)")
    }

    /// # Errors
    /// Returns the errors of `read(2)`.
    pub fn read(&self) -> Result<Count> {
        read_count(&self.file)
    }

    fn command(&self, request: libc::Ioctl, call: &str) -> Result<()> {
        // SAFETY: the descriptor is one of perf, whose commands used here take a number and no memory.
        check(unsafe { libc::ioctl(self.file.as_raw_fd(), request, 0) }, call).map(drop)
    }
}

#[cfg(test)]
mod tests;
