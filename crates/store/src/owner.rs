//! The owner of an experiment: the process that writes it. A running experiment is distinguished from an abandoned one
//! by whether its owner lives.
//!
//! Containers that share a store number their processes independently, so the owner's name includes the PID namespace.
//! A process in a namespace that is not visible from here counts as running, since an experiment that is still being
//! written must not be removed.

use std::fs;
use std::os::unix::fs::MetadataExt;

use fauxplat_procfs::status;
use fauxplat_procfs::task::TaskStat;

/// Returns the unique name of this process: boot id, process id, start time, PID namespace.
pub(crate) fn own() -> String {
    // The start time is read by way of `self`: where `/proc` belongs to another namespace, the process id is another
    // number than `/proc/self` shows.
    let start = start_ticks("self").unwrap_or_default();
    format!("{} {} {start} {}", boot(), std::process::id(), namespace("self").unwrap_or_default())
}

/// Returns whether the owner still runs, as far as that is visible from here.
pub(crate) fn is_alive(owner: &str) -> bool {
    let mut parts = owner.split(' ');
    let (Some(boot_id), Some(pid), Some(start)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let (Ok(pid), Ok(start)) = (pid.parse::<u32>(), start.parse::<u64>()) else { return false };
    if boot_id != boot() {
        return false;
    }
    let here = namespace("self").filter(|_| shows_our_numbers());
    match parts.next().and_then(|namespace| namespace.parse().ok()) {
        Some(there) if here != Some(there) => is_alive_elsewhere(there, pid, start),
        // Names of owners that earlier versions wrote have no namespace.
        _ => start_ticks(&pid.to_string()) == Some(start),
    }
}

/// Inode number of the initial PID namespace, see `PROC_PID_INIT_INO` in the kernel's `proc_ns.h`; it identifies the
/// namespace in a process's name.
const FIRST_NAMESPACE: u64 = 0xEFFF_FFFC;

/// Returns whether a process of another namespace still runs; `true` if it might run unseen. In the initial namespace
/// all processes are visible, unless `/proc` hides them (`hidepid` in `proc(5)`).
fn is_alive_elsewhere(there: u64, pid: u32, start: u64) -> bool {
    let is_it = |process: &str| {
        let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status::innermost_process(&text) == Some(pid)
            && start_ticks(process) == Some(start)
            && namespace(process).is_none_or(|namespace| namespace == there)
    };
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut processes = names.filter_map(|entry| entry.file_name().into_string().ok());
    let sees_all = namespace("self") == Some(FIRST_NAMESPACE) && shows_our_numbers() && shows_the_first();
    processes.any(|name| name.bytes().all(|byte| byte.is_ascii_digit()) && is_it(&name)) || !sees_all
}

fn shows_the_first() -> bool {
    fs::read_to_string("/proc/1/status").is_ok()
}

/// Returns whether `/proc` belongs to the PID namespace of this process.
fn shows_our_numbers() -> bool {
    let shown = fs::read_link("/proc/self").ok();
    shown.is_some_and(|shown| shown.as_os_str() == std::process::id().to_string().as_str())
}

/// Returns the PID namespace of a process as the inode number of its file (`namespaces(7)`); `None` if that cannot be
/// read.
fn namespace(process: &str) -> Option<u64> {
    fs::metadata(format!("/proc/{process}/ns/pid")).ok().map(|facts| facts.ino())
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Returns the start time of a process in clock ticks; `None` for a zombie, which no longer writes.
fn start_ticks(process: &str) -> Option<u64> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    TaskStat::parse(&line).filter(|task| !task.is_dead())?.start_ticks()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the unique name of this process with one of its parts replaced.
    fn with(part: usize, text: &str) -> String {
        let own = own();
        let mut parts: Vec<&str> = own.split(' ').collect();
        parts[part] = text;
        parts.join(" ")
    }

    #[test]
    fn this_process_is_alive_and_strangers_are_not() {
        assert!(is_alive(&own()), "{}", own());
        assert!(!is_alive(&with(2, "1")), "the process id was used again");
        assert!(!is_alive(&with(0, "another-boot")), "the machine was started again");
        assert!(!is_alive("") && !is_alive("a b c"));
        let earlier = own().rsplit_once(' ').unwrap().0.to_owned();
        assert!(is_alive(&earlier), "as earlier versions wrote it");
        assert!(!is_alive(&format!("{} 1 1", boot())));
    }

    /// A process of a namespace that cannot be seen counts as alive.
    #[test]
    fn nobody_is_dead_who_cannot_be_seen() {
        let sees_all = namespace("self") == Some(FIRST_NAMESPACE) && shows_the_first();
        assert_eq!(is_alive(&with(3, "4026539999")), !sees_all);
    }
}
