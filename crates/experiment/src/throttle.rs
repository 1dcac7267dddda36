//! Detects throttling by a CPU quota of the control group of this process or of a group above it (`cpu.stat`, see
//! cgroups(7)).

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_procfs::cgroup::{self, Quota};

/// Counts the periods in which the quota of a control group around this process stopped it.
#[derive(Debug)]
pub struct ThrottleCounter {
    accounts: Vec<PathBuf>,
    last: u64,
}

impl ThrottleCounter {
    /// Finds the `cpu.stat` files of the groups around this process that have a quota; `None` if none has, since there
    /// is nothing to count then.
    pub fn open(root: &Path) -> Option<Self> {
        let mut counter = ThrottleCounter { accounts: accounts(root), last: 0 };
        counter.accounts.retain(|account| throttled(account).is_some());
        counter.last = counter.read();
        (!counter.accounts.is_empty()).then_some(counter)
    }

    /// Whether a group was throttled since the last call.
    pub fn moved(&mut self) -> bool {
        let now = self.read();
        std::mem::replace(&mut self.last, now) != now
    }

    /// Sum of the throttled periods of all groups since they were created; a group that has been removed counts as
    /// zero.
    fn read(&self) -> u64 {
        self.accounts.iter().filter_map(|account| throttled(account)).fold(0, u64::saturating_add)
    }
}

/// Counts, for each control group around this process that has a quota, the periods since [`Stopped::from_now`], and
/// those in which the group was stopped.
#[derive(Debug)]
pub(crate) struct Stopped {
    accounts: Vec<PathBuf>,
    before: Vec<(u64, u64)>,
}

impl Stopped {
    /// Begins to count, for the machine below a root path.
    pub(crate) fn from_now(root: &Path) -> Self {
        let accounts = accounts(root);
        let before = accounts.iter().map(|account| periods(account)).collect();
        Stopped { accounts, before }
    }

    /// Number of periods since [`Stopped::from_now`] in which the group that was stopped most often was stopped, and
    /// number of all its periods. `None` if no group was stopped.
    pub(crate) fn since(&self) -> Option<(u64, u64)> {
        let now = self.accounts.iter().map(|account| periods(account)).zip(&self.before);
        let since = now.map(|(now, before)| (now.0.saturating_sub(before.0), now.1.saturating_sub(before.1)));
        since.max().filter(|(stopped, _)| *stopped > 0)
    }
}

/// Number of periods in which the group of this `cpu.stat` file was stopped, and of all periods.
fn periods(account: &Path) -> (u64, u64) {
    let text = fs::read_to_string(account).unwrap_or_default();
    (cgroup::throttled_periods(&text).unwrap_or(0), cgroup::periods(&text).unwrap_or(0))
}

/// Paths of the `cpu.stat` files of the control groups that contain this process and have a CPU quota.
pub(crate) fn accounts(root: &Path) -> Vec<PathBuf> {
    let text = |path: &str| fs::read_to_string(root.join(path)).ok();
    let (groups, mounts) = (text("proc/self/cgroup"), text("proc/self/mountinfo"));
    let groups = groups.zip(mounts).and_then(|(groups, mounts)| cgroup::ancestry(&groups, &mounts, "cpu"));
    let Some(groups) = groups else { return Vec::new() };
    let folders = groups.folders.iter().map(|folder| root.join(folder));
    let limited = folders.filter(|folder| quota(folder, groups.is_v2).is_some());
    limited.map(|folder| folder.join("cpu.stat")).collect()
}

fn throttled(account: &Path) -> Option<u64> {
    cgroup::throttled_periods(&fs::read_to_string(account).ok()?)
}

fn quota(folder: &Path, is_v2: bool) -> Option<Quota> {
    let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
    match is_v2 {
        true => Quota::of_v2(&text("cpu.max")?),
        false => Quota::of_v1(&text("cpu.cfs_quota_us")?, &text("cpu.cfs_period_us")?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2_MOUNT: &str = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
    const V1_MOUNT: &str = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";

    fn tree(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("fauxplat-throttle-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn counts_in_both_versions() {
        let v2 = [
            ("sys/fs/cgroup/a/cpu.stat", "usage_usec 1\nnr_throttled 3\n"),
            ("proc/self/cgroup", "0::/a\n"),
            ("proc/self/mountinfo", V2_MOUNT),
            ("sys/fs/cgroup/a/cpu.max", "50000 100000\n"),
        ];
        let v1 = [
            ("sys/fs/cgroup/cpu,cpuacct/b/cpu.stat", "nr_throttled 3\n"),
            ("proc/self/cgroup", "3:memory:/\n2:cpu,cpuacct:/b\n"),
            ("proc/self/mountinfo", V1_MOUNT),
            ("sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_period_us", "100000\n"),
        ];
        for (name, files) in [("v2", &v2[..]), ("v1", &v1[..])] {
            let root = tree(name, files);
            let mut counter = ThrottleCounter::open(&root).unwrap();
            assert!(!counter.moved());
            fs::write(root.join(files[0].0), "nr_throttled 4\n").unwrap();
            assert!(counter.moved() && !counter.moved());
            fs::remove_dir_all(root).unwrap();
        }
    }

    #[test]
    fn a_group_above_ours_stops_us_as_well() {
        let files = [
            ("proc/self/cgroup", "0::/pod/box\n"),
            ("proc/self/mountinfo", V2_MOUNT),
            ("sys/fs/cgroup/pod/box/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/pod/box/cpu.stat", "nr_periods 9\nnr_throttled 0\n"),
            ("sys/fs/cgroup/pod/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/pod/cpu.stat", "nr_periods 9\nnr_throttled 1\n"),
        ];
        let root = tree("above", &files);
        let mut counter = ThrottleCounter::open(&root).unwrap();
        fs::write(root.join(files[3].0), "nr_periods 9\nnr_throttled 5\n").unwrap();
        assert!(!counter.moved(), "a group without a quota stops nobody");
        fs::write(root.join(files[5].0), "nr_periods 9\nnr_throttled 2\n").unwrap();
        assert!(counter.moved());
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn says_in_how_many_periods_it_was_stopped() {
        let files = [
            ("sys/fs/cgroup/a/cpu.stat", "nr_periods 10\nnr_throttled 3\n"),
            ("proc/self/cgroup", "0::/a\n"),
            ("proc/self/mountinfo", V2_MOUNT),
            ("sys/fs/cgroup/a/cpu.max", "50000 100000\n"),
        ];
        let root = tree("periods", &files);
        let stopped = Stopped::from_now(&root);
        assert_eq!(stopped.since(), None);
        fs::write(root.join(files[0].0), "nr_periods 57\nnr_throttled 35\n").unwrap();
        assert_eq!(stopped.since(), Some((32, 47)));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn without_a_quota_there_is_nothing_to_count() {
        let files = [
            ("proc/self/cgroup", "0::/a\n"),
            ("proc/self/mountinfo", V2_MOUNT),
            ("sys/fs/cgroup/a/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/a/cpu.stat", "nr_throttled 3\n"),
        ];
        let root = tree("none", &files);
        assert!(ThrottleCounter::open(&root).is_none());
        fs::remove_dir_all(root).unwrap();
    }
}
