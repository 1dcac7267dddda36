//! The CPUs that this process may use, by its affinity and by the cpuset of its control group, and its memory nodes.

use std::path::{Component, Path, PathBuf};

use fauxplat_model::Topology;
use fauxplat_procfs::mounts::{self, Mount};
use fauxplat_procfs::{cgroup, status};
use fauxplat_units::CpuSet;

use super::files::{Files, Reading};
use crate::read::{table, text};

pub(crate) fn read(topology: &mut Topology, root: &Path, own: &str, reading: &mut Reading) {
    topology.affinity = status::cpus_allowed_list(own).and_then(|list| list.parse().ok());
    topology.cpuset = cpuset(root, reading);
    topology.memory_nodes = status::memory_nodes_allowed_list(own).and_then(|list| list.parse().ok());
    let everything = topology.online.clone();
    let limits = [&topology.affinity, &topology.cpuset];
    topology.allowed = limits.into_iter().flatten().fold(everything, |cpus, limit| cpus.intersection(limit));
}

/// A mounted hierarchy that may have the cpuset controller: mount point, the part of the hierarchy mounted there, and
/// the names of its files in the order in which they are tried.
struct Hierarchy {
    mounted: PathBuf,
    part: PathBuf,
    files: &'static [&'static str],
    /// Whether the hierarchy is the unified one (version 2), where a group without the controller has its parent's
    /// cpuset.
    unified: bool,
}

/// The effective CPUs of the cpuset, from the hierarchy of version 1 or 2 that has the controller.
fn cpuset(root: &Path, reading: &mut Reading) -> Option<CpuSet> {
    let groups = text(root, "proc/self/cgroup").unwrap_or_default();
    let old = text(root, "proc/self/cpuset");
    hierarchies(root).into_iter().find_map(|hierarchy| {
        let path = own_group(&groups, hierarchy.unified).or(old.as_deref())?;
        // A group outside the mounted part counts as the root of that part, as seen from within a container.
        let below = Path::new(path).strip_prefix(&hierarchy.part).unwrap_or(Path::new(""));
        effective(root, &hierarchy, below, reading)
    })
}

fn own_group(groups: &str, unified: bool) -> Option<&str> {
    if unified { cgroup::path_v2(groups) } else { cgroup::path_v1(groups, "cpuset") }
}

/// The mounted hierarchies from `/proc/self/mountinfo`, or else from `/proc/mounts`, which does not state the mounted
/// part.
fn hierarchies(root: &Path) -> Vec<Hierarchy> {
    let mut found: Vec<Hierarchy> = match table(root, "proc/self/mountinfo") {
        Some(lines) => mounts::mountinfo(&lines).filter_map(hierarchy).collect(),
        None => {
            let lines = table(root, "proc/mounts").unwrap_or_default();
            mounts::mounts(&lines).filter_map(hierarchy).collect()
        }
    };
    // Version 1 comes first: where it has the controller, version 2 does not.
    found.sort_by_key(|hierarchy| hierarchy.unified);
    found
}

fn hierarchy(mount: Mount<'_>) -> Option<Hierarchy> {
    let without_prefix = mounts::has(mount.file_system_options, "noprefix");
    let files: &[&str] = match mount.kind {
        "cgroup2" => &["cpuset.cpus.effective"],
        "cgroup" if mount.is_v1_of("cpuset") && without_prefix => &["effective_cpus", "cpus"],
        "cgroup" if mount.is_v1_of("cpuset") => &["cpuset.effective_cpus", "cpuset.cpus"],
        "cpuset" => &["cpus"],
        _ => return None,
    };
    let path = |escaped| PathBuf::from(&*mounts::unescaped(escaped));
    Some(Hierarchy { mounted: path(mount.point), part: path(mount.part), files, unified: mount.is_v2() })
}

/// The first CPU list that is not empty on the way from the control group at `below` up to the root of the hierarchy.
fn effective(root: &Path, hierarchy: &Hierarchy, below: &Path, reading: &mut Reading) -> Option<CpuSet> {
    // `..` leads out of the mounted part, where names are unknown.
    let inside: PathBuf =
        below.components().take_while(|part| matches!(part, Component::Normal(_))).collect();
    for folder in inside.ancestors() {
        let place = hierarchy.mounted.strip_prefix("/").unwrap_or(&hierarchy.mounted).join(folder);
        let mut files = Files::open(root, &place.to_string_lossy(), reading);
        let list = hierarchy.files.iter().find_map(|file| files.list(format_args!("{file}")));
        if let Some(cpus) = list.filter(|cpus| !cpus.is_empty()) {
            return Some(cpus);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_of_all_versions_are_known() {
        let line =
            "31 23 0:27 /docker/ab /sys/fs/cgroup/cpuset ro,nosuid master:11 - cgroup cgroup rw,cpuset";
        let from_mountinfo = |line: &str| mounts::mountinfo(line).find_map(hierarchy);
        let from_mounts = |line: &str| mounts::mounts(line).find_map(hierarchy);
        let found = from_mountinfo(line).unwrap();
        assert_eq!(
            (found.mounted.to_str(), found.part.to_str()),
            (Some("/sys/fs/cgroup/cpuset"), Some("/docker/ab"))
        );
        assert!(!found.unified && found.files[1] == "cpuset.cpus");
        assert!(from_mountinfo("25 20 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw").unwrap().unified);
        assert!(from_mountinfo("25 20 0:22 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu").is_none());
        assert_eq!(from_mounts("none /dev/cpuset cpuset rw 0 0").unwrap().files, ["cpus"]);
        assert!(from_mountinfo("nonsense").is_none() && from_mounts("").is_none());
    }

    #[test]
    fn the_own_group_is_told_by_its_controller() {
        let both = "9:name=systemd:/s\n3:cpuset,cpu:/jobs/7\n0::/unified/x";
        assert_eq!(own_group(both, false), Some("/jobs/7"));
        assert_eq!(own_group(both, true), Some("/unified/x"));
        assert_eq!(own_group("1:cpu:/", false), None);
    }
}
