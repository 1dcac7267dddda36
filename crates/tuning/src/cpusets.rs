//! Cpusets of this machine: a tree of folders of control groups, of version 1 or 2, see `cpuset(7)` and `cgroups(7)`.

use fauxplat_units::CpuSet;

use crate::Root;

/// Version of control groups that provides cpusets on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cpusets {
    /// Version 1, in which cpusets have a separate hierarchy.
    V1,
    /// Version 2, in which cpusets are a controller in the common hierarchy.
    V2,
}

/// Maximum depth of the tree of control groups, so that a loop of links comes to an end.
const DEPTH_MAX: usize = 32;

impl Cpusets {
    /// Returns the version that provides cpusets on this machine; `None` without cpusets.
    pub(crate) fn of(root: &Root) -> Option<Cpusets> {
        let v2 = root.value("sys/fs/cgroup/cgroup.controllers");
        if root.has("sys/fs/cgroup/cpuset/cpuset.cpus") {
            Some(Cpusets::V1)
        } else if v2.is_some_and(|names| names.split_whitespace().any(|name| name == "cpuset")) {
            Some(Cpusets::V2)
        } else {
            None
        }
    }

    /// Returns the folder of the topmost cpuset, below the root.
    pub(crate) fn base(self) -> &'static str {
        match self {
            Cpusets::V1 => "sys/fs/cgroup/cpuset",
            Cpusets::V2 => "sys/fs/cgroup",
        }
    }

    /// Returns the folder of the cpuset with this name, as `/proc/PID/cpuset` gives it.
    pub(crate) fn folder(self, name: &str) -> String {
        format!("{}{}", self.base(), name.trim_end_matches('/'))
    }

    /// Returns the CPUs on which tasks of this cpuset can run at present; `None` if that cannot be read.
    pub(crate) fn effective(self, root: &Root, name: &str) -> Option<CpuSet> {
        let file = match self {
            Cpusets::V1 => "cpuset.effective_cpus",
            Cpusets::V2 => "cpuset.cpus.effective",
        };
        root.value(&format!("{}/{file}", self.folder(name)))?.parse().ok()
    }

    /// Returns every cpuset of version 1 below the topmost, with the content of its `cpuset.cpus`, parents first; empty
    /// for version 2. Only version 1 forgets CPUs of a cpuset that go offline.
    pub(crate) fn forgetful(root: &Root) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if Cpusets::of(root) == Some(Cpusets::V1) {
            descend(root, Cpusets::V1.base(), 0, &mut found);
        }
        found
    }
}

/// Names of the control groups that fauxplat makes: for the command on the shielded CPUs, and for all other tasks.
pub(crate) const SHIELD: &str = "fauxplat.shield";
pub(crate) const OTHERS: &str = "fauxplat.others";

/// Returns whether a folder is a control group that fauxplat makes.
pub(crate) fn is_ours(folder: &str) -> bool {
    [Cpusets::V1, Cpusets::V2].iter().any(|kind| {
        let name = folder.strip_prefix(kind.base()).and_then(|rest| rest.strip_prefix('/'));
        matches!(name, Some(SHIELD | OTHERS))
    })
}

/// Returns whether a path can be the folder of a control group of either version.
pub(crate) fn is_group(folder: &str) -> bool {
    folder.strip_prefix(Cpusets::V2.base()).is_some_and(is_name)
}

/// Returns whether `/proc/PID/cpuset` may give this name of a group; names with `.` or `..` are refused.
pub(crate) fn is_name(name: &str) -> bool {
    let Some(path) = name.strip_prefix('/') else { return name.is_empty() };
    path.is_empty() || path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

fn descend(root: &Root, folder: &str, depth: usize, found: &mut Vec<(String, String)>) {
    for name in root.names(folder) {
        let path = format!("{folder}/{name}");
        let is_folder = root.join(&path).symlink_metadata().is_ok_and(|facts| facts.is_dir());
        if !is_folder || depth == DEPTH_MAX {
            continue;
        }
        if let Some(cpus) = root.value(&format!("{path}/cpuset.cpus")) {
            found.push((path.clone(), cpus));
        }
        descend(root, &path, depth + 1, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_climbs_is_a_group() {
        for folder in ["sys/fs/cgroup", "sys/fs/cgroup/cpuset", "sys/fs/cgroup/cpuset/a/b.slice"] {
            assert!(is_group(folder), "{folder}");
        }
        for folder in
            ["sys/fs/cgroupx", "sys/fs/cgroup/../../etc", "sys/fs/cgroup/a//b", "sys/fs/cgroup/", "etc", ""]
        {
            assert_eq!(is_group(folder), folder == "sys/fs/cgroup/", "{folder}");
        }
        assert!(is_ours("sys/fs/cgroup/fauxplat.shield") && is_ours("sys/fs/cgroup/cpuset/fauxplat.others"));
        for folder in ["sys/fs/cgroup/other", "sys/fs/cgroup/a/fauxplat.shield", "fauxplat.shield", ""] {
            assert!(!is_ours(folder), "{folder}");
        }
    }
}
