//! The condition of a process that is about to end, as read from /proc.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use fauxplat_procfs::task::{self, TaskStat};
use fauxplat_procfs::{cgroup, maps::MapsLine, status};
use fauxplat_units::CpuSet;

use crate::evidence::{Held, Quota};

/// Maximum number of bytes that are used of a file in /proc, such as `environ`.
const ENVIRONMENT_BYTES_MAX: usize = 1 << 20;
/// Bit of personality(2) by which address space randomisation is off, ADDR_NO_RANDOMIZE.
const NO_RANDOMIZE: u64 = 0x0004_0000;
/// Numbers of fields in /proc/PID/stat, see proc(5).
const NICE: usize = 19;
const POLICY: usize = 41;

/// Content of a file in /proc of a process, cut at [`ENVIRONMENT_BYTES_MAX`]; `None` where the process is gone, or the
/// file may not be read.
fn read(pid: i32, name: &str) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/{name}")).ok()?;
    Some(String::from_utf8_lossy(&bytes[..bytes.len().min(ENVIRONMENT_BYTES_MAX)]).into_owned())
}

/// Condition of a process; fields that cannot be read are `None`.
pub(super) fn held(pid: i32) -> Held {
    let (status, stat) = (read(pid, "status"), read(pid, "stat"));
    let stat = stat.as_deref().and_then(TaskStat::parse);
    let field = |number| stat.as_ref().and_then(|stat| stat.field(number));
    let cpus = status.as_deref().and_then(status::cpus_allowed_list).filter(|cpus| !cpus.is_empty());
    let personality = read(pid, "personality").and_then(|text| u64::from_str_radix(text.trim(), 16).ok());
    let huge_pages =
        status.as_deref().and_then(|text| text.lines().find(|it| it.starts_with("THP_enabled:")));
    let program = fs::read_link(format!("/proc/{pid}/exe")).ok();
    // A process loses its memory before it is gone; `cmdline` and `environ` are then empty, whereas its arguments never
    // are.
    let words = read(pid, "cmdline").filter(|words| !words.is_empty());
    let environment = read(pid, "environ").filter(|_| words.is_some());
    Held {
        cpu_count: cpus.and_then(|cpus| cpus.parse::<CpuSet>().ok()).map(|cpus| cpus.len()),
        cpus: cpus.map(str::to_owned),
        nice: field(NICE).and_then(|nice| nice.parse().ok()),
        policy: field(POLICY).and_then(|policy| policy.parse().ok()),
        quota: quota(pid),
        is_aslr_off: personality.map(|bits| bits & NO_RANDOMIZE != 0),
        are_huge_pages_off: huge_pages.map(|line| line.ends_with("\t0")),
        environment: environment.map(|text| variables(&text)),
        program: program.map(|path| path.display().to_string()),
        arguments: words.map(|words| words.split('\0').skip(1).map(str::to_owned).collect()),
        loader: read(pid, "maps").and_then(|maps| loader(&maps)),
    }
}

/// Environment variables without those that the shell or fauxplat sets, such as the ones that displace the stack.
fn variables(environment: &str) -> BTreeMap<String, String> {
    let pairs = environment.split('\0').filter_map(|variable| variable.split_once('='));
    let pairs = pairs.filter(|(name, _)| !name.starts_with("FAUXPLAT") && *name != "_");
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Path of the dynamic loader among the mapped files.
fn loader(maps: &str) -> Option<String> {
    let mut paths = maps.lines().filter_map(MapsLine::parse).map(|line| line.path.to_owned());
    paths.find(|path| path.rsplit('/').next().is_some_and(|name| name.starts_with("ld-")))
}

/// Paths of the shared libraries among the mapped files.
pub(super) fn libraries(pid: i32) -> BTreeSet<String> {
    let maps = read(pid, "maps").unwrap_or_default();
    let paths = maps.lines().filter_map(MapsLine::parse).map(|line| line.path.to_owned());
    paths.filter(|path| path.starts_with('/') && path.contains(".so")).collect()
}

/// Tightest CPU quota of the control groups of a process and of those above them; `None` where the groups are unknown.
fn quota(pid: i32) -> Option<Quota> {
    let (groups, mounts) = (read(pid, "cgroup")?, read(pid, "mountinfo")?);
    let Some(above) = cgroup::ancestry(&groups, &mounts, "cpu") else { return Some(Quota::Unlimited) };
    let of = |folder: &String| {
        let text = |name: &str| fs::read_to_string(Path::new("/").join(folder).join(name)).ok();
        match above.is_v2 {
            true => cgroup::Quota::of_v2(&text("cpu.max")?),
            false => cgroup::Quota::of_v1(&text("cpu.cfs_quota_us")?, &text("cpu.cfs_period_us")?),
        }
    };
    let quotas = above.folders.iter().filter_map(of);
    Some(
        quotas
            .map(|quota| Quota::MilliCpus((quota.cpus() * 1000.0) as u64))
            .min()
            .unwrap_or(Quota::Unlimited),
    )
}

/// Bytes that a process read and wrote by system calls (`rchar` and `wchar` of proc(5)); zero where unknown.
pub(super) fn moved_bytes(pid: i32) -> (u64, u64) {
    let text = read(pid, "io").unwrap_or_default();
    let of = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
    };
    (of("rchar:"), of("wchar:"))
}

/// Eight bytes of the memory of a stopped process as a number; `None` where the memory may not be read.
pub(super) fn word_at(pid: i32, address: u64) -> Option<u64> {
    let mut word = [0; 8];
    fs::File::open(format!("/proc/{pid}/mem")).ok()?.read_exact_at(&mut word, address).ok()?;
    Some(u64::from_ne_bytes(word))
}

/// Memory of a process in anonymous huge pages, in bytes; `None` where it cannot be read.
pub(super) fn huge_bytes(pid: i32) -> Option<u64> {
    let text = read(pid, "smaps_rollup")?;
    let line = text.lines().find_map(|line| line.strip_prefix("AnonHugePages:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// CPU time of a thread in nanoseconds; zero where it cannot be read.
pub(super) fn cpu_ns(tid: i32) -> u64 {
    read(tid, "schedstat").and_then(|text| task::cpu_ns(&text)).unwrap_or(0)
}

/// Times of a thread, as the kernel counts them.
pub(super) struct Busy {
    /// `None` where the kernel does not count these times, or too many files are open.
    file: Option<fs::File>,
    until: Used,
}

/// Nanoseconds in which a thread used a CPU, and in which it was ready to but had none.
#[derive(Clone, Copy, Default)]
pub(super) struct Used {
    pub(super) cpu_ns: u64,
    pub(super) delay_ns: u64,
}

impl Busy {
    pub(super) fn of(tid: i32) -> Self {
        let mut busy =
            Busy { file: fs::File::open(format!("/proc/{tid}/schedstat")).ok(), until: Used::default() };
        busy.until = busy.read().unwrap_or_default();
        busy
    }

    fn read(&self) -> Option<Used> {
        // The file has three numbers of at most 20 digits each.
        let mut bytes = [0; 64];
        let length = self.file.as_ref()?.read_at(&mut bytes, 0).ok()?;
        let text = std::str::from_utf8(&bytes[..length]).ok()?;
        let used = Used { cpu_ns: task::cpu_ns(text)?, delay_ns: task::run_delay_ns(text)? };
        // A kernel without these figures shows zeros.
        (used.cpu_ns > 0).then_some(used)
    }

    /// Times since the last call; `None` where they cannot be read.
    pub(super) fn more(&mut self) -> Option<Used> {
        let now = self.read()?;
        let before = std::mem::replace(&mut self.until, now);
        Some(Used {
            cpu_ns: now.cpu_ns.saturating_sub(before.cpu_ns),
            delay_ns: now.delay_ns.saturating_sub(before.delay_ns),
        })
    }
}

/// Number of the process of a thread; `None` where the thread is gone.
pub(super) fn process_of(tid: i32) -> Option<i32> {
    status::process(&read(tid, "status")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_tells_its_condition() {
        let own = held(std::process::id() as i32);
        assert!(own.cpu_count.unwrap() > 0 && own.program.is_some() && own.quota.is_some());
        assert!(own.nice.is_some() && own.arguments.is_some() && own.environment.is_some());
        let found = variables("LC_ALL=C\0_=/x\0FAUXPLAT_PAD=xxx\0EMPTY=\0odd\0");
        assert_eq!(found.into_keys().collect::<Vec<_>>(), ["EMPTY", "LC_ALL"]);
    }

    #[test]
    fn of_a_process_that_is_gone_nothing_is_known() {
        // No process has this number, since it is above the highest that the kernel assigns.
        let gone = i32::MAX;
        assert_eq!(held(gone), Held::default());
        assert_eq!((process_of(gone), huge_bytes(gone)), (None, None));
    }
}
