//! Control groups of version 1 and 2 (`cgroups(7)`): `/proc/PID/cgroup`, the directories that limit a process, and the
//! files in them.

use crate::mounts::{self, Mount};
use crate::{keyed, number};

/// A line of `/proc/PID/cgroup`, such as `7:cpu,cpuacct:/some/group`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership<'t> {
    /// Controllers of the hierarchy, separated by commas; empty for version 2.
    pub controllers: &'t str,
    /// Path of the group from the root of its hierarchy; only a part of the hierarchy may be mounted.
    pub path: &'t str,
}

/// Iterates over the groups of a process, one for each hierarchy, from `/proc/PID/cgroup`.
pub fn memberships(text: &str) -> impl Iterator<Item = Membership<'_>> {
    text.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':');
        number(parts.next()?)?;
        Some(Membership { controllers: parts.next()?, path: parts.next()? })
    })
}

/// Returns the path of a process's group in the version 1 hierarchy with a controller, from `/proc/PID/cgroup`.
pub fn path_v1<'t>(text: &'t str, controller: &str) -> Option<&'t str> {
    memberships(text).find(|group| mounts::has(group.controllers, controller)).map(|group| group.path)
}

/// Returns the path of a process's group in the hierarchy of version 2, from `/proc/PID/cgroup`.
pub fn path_v2(text: &str) -> Option<&str> {
    memberships(text).find(|group| group.controllers.is_empty()).map(|group| group.path)
}

/// Finds the hierarchy with a controller: the path of the group in it, and its mount. Version 1 is tried first, since
/// version 2 does not have the controllers that are mounted there.
pub fn hierarchy<'t>(groups: &'t str, mountinfo: &'t str, controller: &str) -> Option<(&'t str, Mount<'t>)> {
    let v1 =
        || path_v1(groups, controller).zip(mounts::mountinfo(mountinfo).find(|m| m.is_v1_of(controller)));
    let v2 = || path_v2(groups).zip(mounts::mountinfo(mountinfo).find(Mount::is_v2));
    v1().or_else(v2)
}

/// The groups of one controller that limit a process: its own group and all groups above it, since the limits of each
/// apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestry {
    /// Whether the hierarchy is of version 2.
    pub is_v2: bool,
    /// Directories of the groups, relative to the root directory: that of the group of the process first, that of the
    /// highest visible group last.
    pub folders: Vec<String>,
}

/// Maximum number of nested groups that are listed: no real path is deeper, and a malformed one must not cost more.
const DEPTH_MAX: usize = 64;

/// Lists the groups from the group of a process up to the mount point of its hierarchy. `None` if no mounted hierarchy
/// has the controller.
pub fn ancestry(groups: &str, mountinfo: &str, controller: &str) -> Option<Ancestry> {
    let (path, mount) = hierarchy(groups, mountinfo, controller)?;
    Some(Ancestry {
        is_v2: mount.is_v2(),
        folders: folders(path, &mounts::unescaped(mount.part), &mounts::unescaped(mount.point)),
    })
}

/// Returns the part of a group's path below the mounted part of its hierarchy. `None` if the group is outside of the
/// mounted part, as in some containers.
pub fn below<'t>(path: &'t str, part: &str) -> Option<&'t str> {
    let below = match part {
        "/" => path,
        part => path.strip_prefix(part).filter(|rest| rest.is_empty() || rest.starts_with('/'))?,
    };
    // `..` leads out of the mounted part, and every name below it is unknown here.
    (!below.split('/').any(|name| name == "..")).then_some(below)
}

/// Lists the directories of a group and of all groups above it, or only the mount point if the group is outside of the
/// mounted part.
fn folders(path: &str, part: &str, point: &str) -> Vec<String> {
    let base = point.trim_matches('/');
    let names = below(path, part).unwrap_or_default().split('/').filter(|name| !name.is_empty());
    let names: Vec<&str> = names.take(DEPTH_MAX).collect();
    // A hierarchy that is mounted as the root itself has an empty name.
    let base: Vec<&str> = Some(base).filter(|base| !base.is_empty()).into_iter().collect();
    let folder = |depth: usize| [&base, &names[..depth]].concat().join("/");
    (0..=names.len()).rev().map(folder).collect()
}

/// Limit on the CPU time that a group may use in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// CPU time in a period, summed over all CPUs.
    pub quota_us: u64,
    /// Length of the period, never zero.
    pub period_us: u64,
}

impl Quota {
    /// Parses `cpu.max` of version 2: `50000 100000`, or `max 100000` without a limit.
    pub fn of_v2(max: &str) -> Option<Quota> {
        let mut words = max.split_ascii_whitespace();
        Quota::of(words.next()?, words.next()?)
    }

    /// Parses `cpu.cfs_quota_us` and `cpu.cfs_period_us` of version 1: a quota of `-1` is no limit.
    pub fn of_v1(quota: &str, period: &str) -> Option<Quota> {
        Quota::of(quota.trim(), period.trim())
    }

    fn of(quota: &str, period: &str) -> Option<Quota> {
        let (quota_us, period_us) = (number(quota)?, number(period)?);
        (quota_us > 0 && period_us > 0).then_some(Quota { quota_us, period_us })
    }

    /// Returns the limit as a number of CPUs.
    pub fn cpus(&self) -> f64 {
        self.quota_us as f64 / self.period_us as f64
    }
}

/// Returns the number of periods in which a group ran, from `cpu.stat`; absent in the root group.
pub fn periods(cpu_stat: &str) -> Option<u64> {
    keyed::number(cpu_stat, "nr_periods")
}

/// Returns the number of periods in which a group was stopped because its quota was used up, from `cpu.stat`.
pub fn throttled_periods(cpu_stat: &str) -> Option<u64> {
    keyed::number(cpu_stat, "nr_throttled")
}

/// Returns the time for which a group was stopped, summed over its CPUs, from `cpu.stat`: `throttled_usec` in version
/// 2, nanoseconds in `throttled_time` in version 1.
pub fn throttled_ns(cpu_stat: &str) -> Option<u64> {
    let of_v2 = keyed::number(cpu_stat, "throttled_usec").and_then(|us| us.checked_mul(1000));
    of_v2.or_else(|| keyed::number(cpu_stat, "throttled_time"))
}

/// Returns the number of processes of a group that were killed for lack of memory, from `memory.events` of version 2,
/// or `memory.oom_control` of version 1 since Linux 4.13.
pub fn oom_kills(events: &str) -> Option<u64> {
    keyed::number(events, "oom_kill")
}

/// Returns whether tasks of a group wait for memory, from `memory.oom_control` of version 1.
pub fn is_under_oom(oom_control: &str) -> bool {
    keyed::number(oom_control, "under_oom") == Some(1)
}

/// Parses a limit in bytes or in tasks; `None` for `max` and, in version 1, for the maximum number of pages
/// (`PAGE_COUNTER_MAX`).
pub fn limit(text: &str) -> Option<u64> {
    const PAGES_MAX: u64 = i64::MAX as u64 >> 16 << 16;
    number(text.trim()).filter(|&limit| limit < PAGES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of a process on a machine with hierarchies of both versions, kernel 4.19.
    const HYBRID: &str =
        "9:name=systemd:/\n4:memory:/a/b\n2:cpu,cpuacct:/job:x\n1:cpuset:/\n0::/user.slice\n";
    const MOUNTS: &str = "\
31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /a /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";

    #[test]
    fn each_controller_has_its_group() {
        assert_eq!((path_v1(HYBRID, "cpu"), path_v1(HYBRID, "memory")), (Some("/job:x"), Some("/a/b")));
        assert_eq!((path_v2(HYBRID), path_v1(HYBRID, "systemd")), (Some("/user.slice"), None));
        assert_eq!(memberships("x:cpu:/\n1:cpu\n\n:::\n").count(), 0);
    }

    #[test]
    fn groups_are_listed_from_the_own_upwards() {
        let folders = |controller| ancestry(HYBRID, MOUNTS, controller).unwrap();
        let cpu = folders("cpu");
        assert_eq!(cpu.folders, ["sys/fs/cgroup/cpu,cpuacct/job:x", "sys/fs/cgroup/cpu,cpuacct"]);
        assert!(!cpu.is_v2);
        assert_eq!(folders("memory").folders, ["sys/fs/cgroup/memory/b", "sys/fs/cgroup/memory"]);
        let unified = folders("io");
        assert!(unified.is_v2);
        assert_eq!(unified.folders, ["sys/fs/cgroup/unified/user.slice", "sys/fs/cgroup/unified"]);
        assert_eq!((ancestry(HYBRID, "", "cpu"), ancestry("", MOUNTS, "cpu")), (None, None));
    }

    #[test]
    fn a_group_outside_of_what_is_mounted_is_not_made_up() {
        assert_eq!(folders("/docker/x/y", "/docker/x", "/c"), ["c/y", "c"]);
        for (path, part) in [("/elsewhere", "/docker/x"), ("/docker/xy", "/docker/x"), ("/../../x", "/")] {
            assert_eq!(folders(path, part, "/c"), ["c"], "{path}");
        }
        assert_eq!(folders(&"/a".repeat(9999), "/", "/c").len(), DEPTH_MAX + 1);
    }

    #[test]
    fn quotas_of_both_versions_are_one_noun() {
        let half = Some(Quota { quota_us: 50_000, period_us: 100_000 });
        assert_eq!((Quota::of_v2("50000 100000\n"), Quota::of_v1("50000\n", "100000\n")), (half, half));
        assert_eq!(half.map(|quota| quota.cpus()), Some(0.5));
        assert_eq!((Quota::of_v2("max 100000\n"), Quota::of_v1("-1\n", "100000\n")), (None, None));
        assert_eq!(
            (Quota::of_v2("1 0"), Quota::of_v2("0 1"), Quota::of_v2("5"), Quota::of_v2("")),
            (None, None, None, None)
        );
    }

    #[test]
    fn throttling_is_counted_in_periods() {
        let stat = "usage_usec 1\nuser_usec 1\nnr_periods 10\nnr_throttled 3\nthrottled_usec 5\n";
        assert_eq!((periods(stat), throttled_periods(stat)), (Some(10), Some(3)));
        assert_eq!((periods("usage_usec 1\n"), throttled_periods("")), (None, None));
        let times = ["throttled_usec 3\n", "throttled_time 3\n", "throttled_usec 99999999999999999999\n", ""]
            .map(throttled_ns);
        assert_eq!(times, [Some(3000), Some(3), None, None]);
    }

    #[test]
    fn limits_that_are_none_are_absent() {
        assert_eq!((limit("20971520\n"), limit("0\n")), (Some(20_971_520), Some(0)));
        for none in ["max\n", "9223372036854771712\n", "9223372036854710272\n", "", "-1"] {
            assert_eq!(limit(none), None, "{none}");
        }
    }

    #[test]
    fn want_of_memory_is_told_by_both_versions() {
        let (v1, v2) =
            ("oom_kill_disable 1\nunder_oom 1\noom_kill 2\n", "low 0\nhigh 7\nmax 3\noom 1\noom_kill 1\n");
        assert_eq!((oom_kills(v1), oom_kills(v2)), (Some(2), Some(1)));
        assert!(is_under_oom(v1) && !is_under_oom(v2));
        assert_eq!(oom_kills("oom_kill_disable 0\nunder_oom 0\n"), None, "before Linux 4.13");
    }
}
