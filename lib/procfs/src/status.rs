//! `/proc/PID/status` (`proc_pid_status(5)`). Keys that a single caller needs are read with [`crate::keyed`].

use crate::keyed;

/// Returns the CPUs on which the task may run, as a list such as `0-3,8`, which includes CPUs that are offline at the
/// moment.
pub fn cpus_allowed_list(text: &str) -> Option<&str> {
    keyed::value(text, "Cpus_allowed_list")
}

/// Returns the memory nodes from which the task may get pages, as a list.
pub fn memory_nodes_allowed_list(text: &str) -> Option<&str> {
    keyed::value(text, "Mems_allowed_list")
}

/// Returns the effective capabilities, one bit each (`capabilities(7)`).
pub fn effective_capabilities(text: &str) -> Option<u64> {
    keyed::mask(text, "CapEff")
}

/// Returns the ignored signals; signal 1 is the lowest bit (`signal(7)`).
pub fn ignored_signals(text: &str) -> Option<u64> {
    keyed::mask(text, "SigIgn")
}

/// Returns the blocked signals; signal 1 is the lowest bit.
pub fn blocked_signals(text: &str) -> Option<u64> {
    keyed::mask(text, "SigBlk")
}

/// Returns the id of the process to which the task belongs.
pub fn process(text: &str) -> Option<i32> {
    keyed::number(text, "Tgid").and_then(|id| i32::try_from(id).ok())
}

/// Returns the id of the process in the innermost of its PID namespaces, which is the id that the process itself sees.
pub fn innermost_process(text: &str) -> Option<u32> {
    keyed::value(text, "NSpid")?.split_whitespace().last()?.parse().ok()
}

/// Returns the largest resident set so far, in bytes; `None` for kernel threads and for processes that have released
/// their memory.
pub fn peak_memory_bytes(text: &str) -> Option<u64> {
    keyed::bytes(text, "VmHWM")
}

/// Returns whether the task is a kernel thread. Kernels before 6.10 have no key for that, but kernel threads have no
/// memory.
pub fn is_kernel(text: &str) -> bool {
    match keyed::value(text, "Kthread") {
        Some(digit) => digit == "1",
        None => keyed::value(text, "VmSize").is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relevant lines, kernel 6.12.
    const NEW: &str = "Name:\tcat\nUmask:\t0022\nState:\tR (running)\nTgid:\t812\nPid:\t815\nKthread:\t0\n\
        NStgid:\t812\t7\nNSpid:\t815\t8\n\
        VmPeak:\t    3060 kB\nVmSize:\t    3060 kB\nVmHWM:\t    1536 kB\nSigQ:\t0/96262\nSigBlk:\t0000000000000002\n\
        SigIgn:\t0000000000001000\nCapEff:\t000001ffffffffff\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed:\t3\nMems_allowed_list:\t0-1\n";

    #[test]
    fn every_line_is_found() {
        assert_eq!((cpus_allowed_list(NEW), process(NEW)), (Some("0-7"), Some(812)));
        assert_eq!(memory_nodes_allowed_list(NEW), Some("0-1"));
        assert_eq!(innermost_process(NEW), Some(8));
        assert_eq!((ignored_signals(NEW), blocked_signals(NEW)), (Some(1 << 12), Some(2)));
        assert_eq!(
            (effective_capabilities(NEW), peak_memory_bytes(NEW)),
            (Some(0x1ff_ffff_ffff), Some(1536 << 10))
        );
    }

    #[test]
    fn threads_of_the_kernel_are_known_by_either_sign() {
        assert!(!is_kernel(NEW) && is_kernel(&NEW.replace("Kthread:\t0", "Kthread:\t1")));
        assert!(is_kernel("Name:\tkworker/0:1\nThreads:\t1\n") && !is_kernel("Name:\ta\nVmSize:\t 4 kB\n"));
    }

    #[test]
    fn what_old_kernels_lack_is_absent() {
        let old = "Name:\tcat\nPid:\t815\n";
        assert_eq!((process(old), cpus_allowed_list(old), peak_memory_bytes(old)), (None, None, None));
        assert_eq!((effective_capabilities(old), ignored_signals(old)), (None, None));
        assert_eq!(innermost_process(old), None);
    }
}
