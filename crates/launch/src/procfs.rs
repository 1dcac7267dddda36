//! What `/proc` and `/sys` tell, see `proc(5)`.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use fauxplat_units::CpuSet;

/// What can be read of the first thread of a process that has ended and was not reaped yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FirstThread {
    /// Run-queue wait (`schedstat`, second field).
    pub(crate) run_delay_ns: Option<u64>,
    /// Moves between CPUs (`sched`, `se.nr_migrations`).
    pub(crate) migrations: Option<u64>,
    /// The CPU on which it ended (`stat`, field 39).
    pub(crate) cpu: Option<u16>,
}

/// Reads all three files of a process.
pub(crate) fn first_thread(pid: i32) -> FirstThread {
    let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let stat = read("stat");
    FirstThread {
        run_delay_ns: read("schedstat").split_ascii_whitespace().nth(1).and_then(|field| field.parse().ok()),
        migrations: after_colon(&read("sched"), "se.nr_migrations"),
        cpu: stat_field(&stat, 39).and_then(|field| field.parse().ok()),
    }
}

/// A field of `/proc/PID/stat`, counted from 1 as proc(5) does. The second one may hold spaces and parentheses.
pub(crate) fn stat_field(stat: &str, number: usize) -> Option<&str> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(number.checked_sub(3)?)
}

/// The number in the line `name : number`.
pub(crate) fn after_colon(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':')?.1.split_ascii_whitespace().next()?.parse().ok()
}

/// The children of this process.
pub(crate) fn children() -> Vec<i32> {
    let me = std::process::id();
    let list = fs::read_to_string(format!("/proc/self/task/{me}/children"));
    match list {
        Ok(list) => list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect(),
        Err(_) => children_by_search(me),
    }
}

/// The same where the kernel lacks `CONFIG_PROC_CHILDREN`.
fn children_by_search(parent: u32) -> Vec<i32> {
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_child = |pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat_field(&stat, 4).and_then(|field| field.parse().ok()) == Some(parent)
    };
    pids.filter(is_child).collect()
}

/// CPUs that are online.
pub(crate) fn online() -> Option<CpuSet> {
    fs::read_to_string("/sys/devices/system/cpu/online").ok()?.parse().ok()
}

/// Forgets the peak memory of this process so far.
///
/// The kernel lends a parent's peak to each child at exec, so the spawner's peak is the least that `getrusage(2)`
/// can report. Writing 5 to `clear_refs` (see `proc(5)`) resets the peak to the present resident set.
pub(crate) fn reset_own_peak_memory() {
    // Where the kernel refuses, the peak just stays what it was.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The peak resident set of this process since the last reset, in bytes.
pub(crate) fn own_peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    after_colon(&status, "VmHWM").map_or(0, |kib| kib * 1024)
}

/// The steal time of all CPUs together. The kernel moves it in ticks of 10 ms and takes 10 µs to print it, so
/// within a few milliseconds it is read once.
#[derive(Debug)]
pub(crate) struct StealClock {
    stat: Option<File>,
    read_at_ns: u64,
    steal_ns: Option<u64>,
    last_end_ns: u64,
}

/// Shorter than this nothing new can be expected from the clock.
const STEAL_FRESH_NS: u64 = 5_000_000;
/// `USER_HZ` is 100 on every architecture that Linux supports today.
const TICK_NS: u64 = 10_000_000;

impl StealClock {
    pub(crate) fn open() -> Self {
        StealClock { stat: File::open("/proc/stat").ok(), read_at_ns: 0, steal_ns: None, last_end_ns: 0 }
    }

    /// The steal before a run. Directly after the run before, that run's last reading stands, so that a tick which
    /// falls between two readings is charged to a run and not lost.
    pub(crate) fn before(&mut self, now_ns: u64) -> Option<u64> {
        if now_ns.saturating_sub(self.last_end_ns) > STEAL_FRESH_NS {
            self.read(now_ns)
        } else {
            self.steal_ns
        }
    }

    /// The steal now, or a few milliseconds ago.
    pub(crate) fn read(&mut self, now_ns: u64) -> Option<u64> {
        self.last_end_ns = now_ns;
        if now_ns.saturating_sub(self.read_at_ns) > STEAL_FRESH_NS {
            self.read_at_ns = now_ns;
            let mut buffer = [0u8; 256];
            let got = self.stat.as_ref()?.read_at(&mut buffer, 0).ok()?;
            self.steal_ns = steal_of(std::str::from_utf8(&buffer[..got]).ok()?);
        }
        self.steal_ns
    }
}

/// The eighth number of the first line of `/proc/stat`.
fn steal_of(stat: &str) -> Option<u64> {
    let field = stat.lines().next()?.split_ascii_whitespace().nth(8)?;
    Some(field.parse::<u64>().ok()? * TICK_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_fields_behind_a_strange_name() {
        let stat = "7 (a) b) (c) S 1 7 7 0";
        assert_eq!(stat_field(stat, 3), Some("S"));
        assert_eq!(stat_field(stat, 4), Some("1"));
        assert_eq!(stat_field("nonsense", 4), None);
    }

    #[test]
    fn reads_steal_and_named_lines() {
        assert_eq!(steal_of("cpu  1 2 3 4 5 6 7 88 0 0\ncpu0 1"), Some(880_000_000));
        assert_eq!(steal_of("cpu 1 2"), None);
        assert_eq!(after_colon("x : 1\nse.nr_migrations    :   12\n", "se.nr_migrations"), Some(12));
        assert_eq!(after_colon("VmHWM:\t  1536 kB\n", "VmHWM"), Some(1536));
    }

    /// Not by counting this process's own: other tests start children at the same time, from threads whose lists
    /// [`children`] need not know.
    #[test]
    fn finds_children_by_search() {
        let found = children_by_search(std::os::unix::process::parent_id());
        assert!(found.contains(&(std::process::id() as i32)), "{found:?}");
    }
}
