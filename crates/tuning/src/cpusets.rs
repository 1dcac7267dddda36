//! Cpusets, where this machine has them: a tree of folders by cgroup v1 or v2, see `cpuset(7)` and `cgroups(7)`.

use fauxplat_units::CpuSet;

use crate::Root;

/// Which kind of cpusets there are, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cpusets {
    /// Version 1: a hierarchy of its own.
    V1,
    /// Version 2: one controller among others.
    V2,
}

/// No tree of control groups is deeper; a loop of links would be.
const DEPTH_MAX: usize = 32;

impl Cpusets {
    /// What this machine has.
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

    /// The folder of the uppermost cpuset.
    pub(crate) fn base(self) -> &'static str {
        match self {
            Cpusets::V1 => "sys/fs/cgroup/cpuset",
            Cpusets::V2 => "sys/fs/cgroup",
        }
    }

    /// The folder of the cpuset that `/proc/PID/cpuset` names.
    pub(crate) fn folder(self, name: &str) -> String {
        format!("{}{}", self.base(), name.trim_end_matches('/'))
    }

    /// CPUs on which tasks of this cpuset can run now.
    pub(crate) fn effective(self, root: &Root, name: &str) -> Option<CpuSet> {
        let file = match self {
            Cpusets::V1 => "cpuset.effective_cpus",
            Cpusets::V2 => "cpuset.cpus.effective",
        };
        root.value(&format!("{}/{file}", self.folder(name)))?.parse().ok()
    }

    /// Every cpuset below the uppermost with its `cpuset.cpus`, parents first. Only version 1 forgets CPUs that go.
    pub(crate) fn forgetful(root: &Root) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if Cpusets::of(root) == Some(Cpusets::V1) {
            descend(root, Cpusets::V1.base(), 0, &mut found);
        }
        found
    }
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
