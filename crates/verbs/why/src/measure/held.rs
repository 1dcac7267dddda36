//! The condition of a process that is about to end, as the kernel tells it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use fauxplat_procfs::task::TaskStat;
use fauxplat_procfs::{cgroup, maps::MapsLine, status};
use fauxplat_units::CpuSet;

use crate::evidence::Held;

/// Most bytes of an environment that are read.
const ENVIRONMENT_BYTES_MAX: usize = 1 << 20;
/// Bit of personality(2) by which address space randomisation is off, ADDR_NO_RANDOMIZE.
const NO_RANDOMIZE: u64 = 0x0004_0000;
/// Fields of /proc/PID/stat, see proc(5).
const NICE: usize = 19;
const POLICY: usize = 41;

fn read(pid: i32, name: &str) -> String {
    // Files that are gone, or may not be read, say nothing: the condition then stays at its usual value.
    let bytes = fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
    String::from_utf8_lossy(&bytes[..bytes.len().min(ENVIRONMENT_BYTES_MAX)]).into_owned()
}

/// The condition of a process.
pub(super) fn held(pid: i32) -> Held {
    let text = read(pid, "status");
    let stat = read(pid, "stat");
    let stat = TaskStat::parse(&stat);
    let field = |number| stat.as_ref().and_then(|stat| stat.field(number));
    let cpus = status::cpus_allowed_list(&text).unwrap_or_default().to_owned();
    let environment = read(pid, "environ");
    let personality = u64::from_str_radix(read(pid, "personality").trim(), 16).unwrap_or(0);
    let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    Held {
        cpu_count: cpus.parse::<CpuSet>().map_or(0, |cpus| cpus.len()),
        cpus,
        nice: field(NICE).and_then(|nice| nice.parse().ok()).unwrap_or(0),
        policy: field(POLICY).and_then(|policy| policy.parse().ok()).unwrap_or(0),
        quota_milli_cpus: quota(pid),
        is_aslr_off: personality & NO_RANDOMIZE != 0,
        are_huge_pages_off: text.lines().any(|line| line == "THP_enabled:\t0"),
        environment_bytes: environment.len(),
        environment: variables(&environment),
        program: program.display().to_string(),
        arguments: read(pid, "cmdline").split('\0').skip(1).map(str::to_owned).collect(),
        loader: loader(&read(pid, "maps")),
    }
}

/// The variables of an environment, without those by which fauxplat displaces the stack.
fn variables(environment: &str) -> BTreeMap<String, String> {
    let pairs = environment.split('\0').filter_map(|variable| variable.split_once('='));
    let pairs = pairs.filter(|(name, _)| !name.starts_with("FAUXPLAT") && *name != "_");
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The dynamic loader among the mapped files.
fn loader(maps: &str) -> Option<String> {
    let mut paths = maps.lines().filter_map(MapsLine::parse).map(|line| line.path.to_owned());
    paths.find(|path| path.rsplit('/').next().is_some_and(|name| name.starts_with("ld-")))
}

/// Libraries among the mapped files.
pub(super) fn libraries(pid: i32) -> BTreeSet<String> {
    let maps = read(pid, "maps");
    let paths = maps.lines().filter_map(MapsLine::parse).map(|line| line.path.to_owned());
    paths.filter(|path| path.starts_with('/') && path.contains(".so")).collect()
}

/// The tightest CPU quota of the groups of a process, in thousandths of a CPU.
fn quota(pid: i32) -> Option<u64> {
    let (groups, mounts) = (read(pid, "cgroup"), read(pid, "mountinfo"));
    let above = cgroup::ancestry(&groups, &mounts, "cpu")?;
    let of = |folder: &String| {
        let text = |name: &str| fs::read_to_string(Path::new("/").join(folder).join(name)).ok();
        match above.is_v2 {
            true => cgroup::Quota::of_v2(&text("cpu.max")?),
            false => cgroup::Quota::of_v1(&text("cpu.cfs_quota_us")?, &text("cpu.cfs_period_us")?),
        }
    };
    let quotas = above.folders.iter().filter_map(of).map(|quota| (quota.cpus() * 1000.0) as u64);
    quotas.min()
}

/// Bytes that a process read and wrote by calls, see proc(5).
pub(super) fn moved_bytes(pid: i32) -> (u64, u64) {
    let text = read(pid, "io");
    let of = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
    };
    (of("rchar:"), of("wchar:"))
}

/// CPU time of a thread in nanoseconds.
pub(super) fn cpu_ns(tid: i32) -> u64 {
    fauxplat_procfs::task::cpu_ns(&read(tid, "schedstat")).unwrap_or(0)
}

/// Process of a thread.
pub(super) fn process_of(tid: i32) -> i32 {
    status::process(&read(tid, "status")).unwrap_or(tid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_tells_its_condition() {
        let own = held(std::process::id() as i32);
        assert!(own.cpu_count > 0 && !own.program.is_empty());
        assert!(own.environment_bytes > 0 || own.environment.is_empty());
        let found = variables("LC_ALL=C\0_=/x\0FAUXPLAT_PAD=xxx\0EMPTY=\0odd\0");
        assert_eq!(found.into_keys().collect::<Vec<_>>(), ["EMPTY", "LC_ALL"]);
    }
}
