//! Scheduling attributes of a task: affinity, policy, nice value, personality.
#![expect(unsafe_code, reason = "the scheduler's calls have no safe form in std")]

use std::fs::File;
use std::os::unix::fs::FileExt;

use fauxplat_procfs::{status, task, whole_lines};
use fauxplat_units::{Cpu, CpuSet};

use crate::{Result, SysError, check};

/// `SCHED_OTHER`, see `sched(7)`.
pub const OTHER: i32 = libc::SCHED_OTHER;
pub const FIFO: i32 = libc::SCHED_FIFO;
pub const ROUND_ROBIN: i32 = libc::SCHED_RR;

/// Reads the affinity of a task (0 is the calling thread), see `sched_getaffinity(2)`.
pub fn affinity(tid: i32) -> Result<CpuSet> {
    // The kernel refuses a buffer smaller than its own mask, whose size depends on its configuration.
    for words in [16usize, 128, 1024] {
        let mut mask = vec![0u64; words];
        // SAFETY: the buffer is `words * 8` writable bytes, as the second argument says.
        let got = unsafe { libc::syscall(libc::SYS_sched_getaffinity, tid, words * 8, mask.as_mut_ptr()) };
        if got >= 0 {
            let bits = mask.iter().enumerate().flat_map(|(index, &word)| {
                (0..64u32)
                    .filter(move |bit| word >> bit & 1 == 1)
                    .map(move |bit| Cpu(index as u32 * 64 + bit))
            });
            return Ok(bits.collect());
        }
        if std::io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL) {
            break;
        }
    }
    Err(SysError::last("sched_getaffinity"))
}

/// Sets the affinity of a task (0 is the calling thread), see `sched_setaffinity(2)`.
///
/// # Errors
/// Returns `EINVAL` if no CPU of the set is online and allowed.
pub fn set_affinity(tid: i32, cpus: &CpuSet) -> Result<()> {
    let words = cpus.words();
    // SAFETY: the pointer and the length describe the slice `words`, which is only read.
    let done = unsafe {
        libc::syscall(libc::SYS_sched_setaffinity, tid, std::mem::size_of_val(words), words.as_ptr())
    };
    check(done as libc::c_int, &format!("sched_setaffinity to CPUs {cpus}")).map(drop)
}

/// Moves the calling thread to other CPUs until the value is dropped, which that thread must do.
#[derive(Debug)]
pub struct Aside {
    before: CpuSet,
}

impl Aside {
    /// # Errors
    /// Returns the errors of [`set_affinity`].
    pub fn on(cpus: &CpuSet) -> Result<Self> {
        let before = affinity(0)?;
        set_affinity(0, cpus)?;
        Ok(Aside { before })
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // Restoring fails if the CPUs were taken away from this process meanwhile; the affinity then stays as it is.
        let _not_ours_any_more = set_affinity(0, &self.before);
    }
}

/// Sets the scheduling policy (`libc::SCHED_*`) and real-time priority of a task, see `sched_setscheduler(2)`.
pub fn set_policy(tid: i32, policy: i32, priority: u8) -> Result<()> {
    check(try_policy(tid, policy, priority), "sched_setscheduler").map(drop)
}

/// Sets the policy without an allocation and returns the plain result of the call, for a child between its creation and
/// exec.
///
/// The function makes the system call itself, since musl's function of that name only returns `ENOSYS`, and musl's
/// `sched_param` is larger.
pub(crate) fn try_policy(tid: i32, policy: i32, priority: u8) -> libc::c_int {
    let param = libc::c_int::from(priority);
    // SAFETY: the kernel's `sched_param` is one int, which is valid for the call and only read.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, tid, policy, &raw const param) as libc::c_int }
}

/// Sets the nice value of the calling process, see `setpriority(2)`.
pub fn set_nice(nice: i8) -> Result<()> {
    // SAFETY: no pointer is passed.
    check(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice.into()) }, "setpriority").map(drop)
}

/// Returns the nice value of the calling process, see `getpriority(2)`.
pub fn nice() -> i8 {
    // SAFETY: no pointer is passed. An error cannot occur for the calling process.
    unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) as i8 }
}

/// Returns whether this process may lower nice values and set real-time policies: `CAP_SYS_NICE`, see
/// `capabilities(7)`. A resource limit may allow a part of that without the capability, which only an attempt shows.
pub fn may_raise_priority() -> bool {
    const CAP_SYS_NICE: u64 = 23;
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status::effective_capabilities(&text).is_some_and(|mask| mask >> CAP_SYS_NICE & 1 == 1)
}

/// Reads how long the opening thread has waited for a CPU.
#[derive(Debug)]
pub struct WaitClock(Option<File>);

impl WaitClock {
    /// Opens the file `schedstat` of the calling thread once: opening it costs more than reading it.
    pub fn open() -> Self {
        WaitClock(File::open("/proc/thread-self/schedstat").ok())
    }

    /// Returns the run-queue wait so far, the second number of `/proc/PID/schedstat`; `None` where the kernel does not
    /// provide it.
    pub fn run_delay_ns(&self) -> Option<u64> {
        let mut buffer = [0u8; 64];
        let got = self.0.as_ref()?.read_at(&mut buffer, 0).ok()?;
        task::run_delay_ns(whole_lines(&buffer, got))
    }
}

/// Returns the CPU on which the caller is running at this moment, see `sched_getcpu(3)`.
pub fn current_cpu() -> Option<Cpu> {
    // SAFETY: no pointer is passed.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok().map(Cpu)
}

/// Returns the execution domain of the calling process, see `personality(2)`.
pub fn personality() -> u32 {
    // SAFETY: 0xffffffff asks without changing anything.
    unsafe { libc::personality(0xffff_ffff) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affinity_round_trip() {
        let before = affinity(0).unwrap();
        let one: CpuSet = before.iter().take(1).collect();
        set_affinity(0, &one).unwrap();
        assert_eq!(affinity(0).unwrap(), one);
        assert_eq!(current_cpu(), one.first());
        set_affinity(0, &before).unwrap();
        let nowhere: CpuSet = [Cpu(100_000)].into_iter().collect();
        assert!(set_affinity(0, &nowhere).is_err());
    }
}
