//! Whether the kernel throttled our control group: its CPU quota was used up (`cpu.stat`, see cgroups(7)).

use std::fs;
use std::path::{Path, PathBuf};

/// Counts the periods in which our control group was throttled.
#[derive(Debug)]
pub struct ThrottleCounter {
    stat: PathBuf,
    last: u64,
}

impl ThrottleCounter {
    /// Finds the group's counter; `None` when no quota is set, since then there is nothing to count.
    pub fn open(root: &Path) -> Option<Self> {
        let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
        let stat = groups
            .lines()
            .filter_map(folder_of)
            .map(|folder| root.join(folder))
            .find(|folder| has_quota(folder))?;
        let mut counter = ThrottleCounter { stat: stat.join("cpu.stat"), last: 0 };
        counter.last = counter.read()?;
        Some(counter)
    }

    /// Whether the group was throttled since the last call.
    pub fn moved(&mut self) -> bool {
        let now = self.read().unwrap_or(self.last);
        std::mem::replace(&mut self.last, now) != now
    }

    fn read(&self) -> Option<u64> {
        let text = fs::read_to_string(&self.stat).ok()?;
        text.lines().find_map(|line| line.strip_prefix("nr_throttled "))?.trim().parse().ok()
    }
}

/// Where a line of `/proc/self/cgroup` (`number:controllers:path`) has its folder, for version 2 and 1.
fn folder_of(line: &str) -> Option<String> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    match controllers {
        "" => Some(format!("sys/fs/cgroup{path}")),
        names if names.split(',').any(|name| name == "cpu") => Some(format!("sys/fs/cgroup/{names}{path}")),
        _ => None,
    }
}

fn has_quota(folder: &Path) -> bool {
    let v2 = fs::read_to_string(folder.join("cpu.max")).is_ok_and(|text| !text.starts_with("max"));
    let v1 = fs::read_to_string(folder.join("cpu.cfs_quota_us")).is_ok_and(|text| !text.starts_with('-'));
    v2 || v1
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("proc/self/cgroup", "0::/a\n"),
            ("sys/fs/cgroup/a/cpu.max", "50000 100000\n"),
            ("sys/fs/cgroup/a/cpu.stat", "usage_usec 1\nnr_throttled 3\n"),
        ];
        let v1 = [
            ("proc/self/cgroup", "3:memory:/\n2:cpu,cpuacct:/b\n"),
            ("sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/b/cpu.stat", "nr_throttled 3\n"),
        ];
        for (name, files) in [("v2", &v2), ("v1", &v1)] {
            let root = tree(name, files);
            let mut counter = ThrottleCounter::open(&root).unwrap();
            assert!(!counter.moved());
            fs::write(root.join(files[2].0), "nr_throttled 4\n").unwrap();
            assert!(counter.moved() && !counter.moved());
            fs::remove_dir_all(root).unwrap();
        }
    }

    #[test]
    fn without_a_quota_there_is_nothing_to_count() {
        let files = [("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/cpu.max", "max 100000\n")];
        let root = tree("none", &files);
        assert!(ThrottleCounter::open(&root).is_none());
        fs::remove_dir_all(root).unwrap();
    }
}
