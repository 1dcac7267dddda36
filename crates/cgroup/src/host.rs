//! Where on this machine a group can be made.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_model::Limit;

use crate::{CgroupError, Group, owner};

/// The control-group hierarchies that this process sees.
#[derive(Clone, Debug)]
pub struct Host {
    cpu: Hierarchy,
    memory: Hierarchy,
}

/// One hierarchy: version 1 has one per controller, version 2 one for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    pub(crate) controller: &'static str,
    pub(crate) version: Version,
    pub(crate) mount: PathBuf,
    /// Our own group, as a folder below the mount.
    own: PathBuf,
}

/// Version of a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

impl Host {
    /// Reads which hierarchies there are, below a root path.
    ///
    /// # Errors
    /// No hierarchy has the controller for CPU time or that for memory.
    pub fn discover(root: &Path) -> Result<Host, CgroupError> {
        let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        let (mounts, groups) = (read("proc/self/mountinfo"), read("proc/self/cgroup"));
        let find = |controller| {
            hierarchy(root, &mounts, &groups, controller).ok_or(CgroupError::NoController(controller))
        };
        Ok(Host { cpu: find("cpu")?, memory: find("memory")? })
    }

    /// Makes a group with this limit. Groups of one process have numbers of their own.
    ///
    /// # Errors
    /// No permission, or a limit that the kernel refuses.
    pub fn create(&self, number: usize, limit: &Limit) -> Result<Group, CgroupError> {
        let name = owner::name(number);
        let mut group = Group::default();
        // One hierarchy with both controllers holds one group; a child enters every group that it finds.
        let hierarchies =
            if self.cpu.mount == self.memory.mount { vec![&self.cpu] } else { vec![&self.cpu, &self.memory] };
        for hierarchy in hierarchies {
            group.add(hierarchy.make(&name)?, &hierarchy.own);
        }
        if let Some(percent) = limit.cpu_percent {
            group.limit_cpu(&self.cpu, percent)?;
        }
        if let Some(memory) = limit.memory {
            group.limit_memory(&self.memory, memory.0)?;
        }
        Ok(group)
    }

    /// Removes the groups that dead processes left behind, with whatever still runs in them; how many there were.
    pub fn remove_stale(&self) -> usize {
        let hierarchies = [&self.cpu, &self.memory];
        let folders = hierarchies.into_iter().flat_map(Hierarchy::candidates).flat_map(|folder| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.filter(|entry| entry.file_name().to_str().is_some_and(owner::is_stale))
        });
        let mut stale: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
        stale.sort();
        stale.dedup();
        stale.iter().filter(|folder| crate::group::remove(folder)).count()
    }
}

impl Hierarchy {
    /// Groups below which ours could stand, the nearest to our own first: that keeps us within the limits that
    /// already hold for us. In version 2 our own group has processes and so no children with controllers.
    fn candidates(&self) -> Vec<PathBuf> {
        let from = match self.version {
            Version::One => self.own.as_path(),
            Version::Two if self.own == self.mount => self.own.as_path(),
            Version::Two => self.own.parent().unwrap_or(&self.own),
        };
        from.ancestors().take_while(|folder| folder.starts_with(&self.mount)).map(Path::to_owned).collect()
    }

    /// Makes a group in the nearest place that permits it.
    fn make(&self, name: &str) -> Result<PathBuf, CgroupError> {
        let candidates = self.candidates();
        let place =
            candidates.iter().filter(|folder| self.is_enabled(folder)).map(|folder| folder.join(name));
        for folder in place {
            if fs::create_dir(&folder).is_ok() {
                return Ok(folder);
            }
        }
        Err(CgroupError::NoPlace { controller: self.controller, mount: self.mount.clone() })
    }

    /// Whether children of a group have the controllers.
    fn is_enabled(&self, folder: &Path) -> bool {
        if self.version == Version::One {
            return true;
        }
        let enabled = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
        ["cpu", "memory"].iter().all(|needed| enabled.split_whitespace().any(|one| one == *needed))
    }
}

/// The hierarchy that has a controller.
fn hierarchy(root: &Path, mounts: &str, groups: &str, controller: &'static str) -> Option<Hierarchy> {
    let one = mounts.lines().filter_map(Mount::parse).find(|mount| mount.is_v1_of(controller));
    let (version, mount) = match one {
        Some(mount) => (Version::One, mount),
        None => (Version::Two, mounts.lines().filter_map(Mount::parse).find(|mount| mount.is_v2())?),
    };
    let path = groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let ours = match version {
            Version::One => controllers.split(',').any(|one| one == controller),
            Version::Two => controllers.is_empty(),
        };
        ours.then_some(path)
    })?;
    let folder = root.join(mount.point.trim_start_matches('/'));
    if version == Version::Two {
        let available = fs::read_to_string(folder.join("cgroup.controllers")).unwrap_or_default();
        available.split_whitespace().find(|one| *one == controller)?;
    }
    // A container sees a part of the hierarchy as its root; a group outside it is not to be seen.
    let below = path.strip_prefix(mount.root).unwrap_or(path).trim_start_matches('/');
    let own = folder.join(below);
    let own = if own.is_dir() { own } else { folder.clone() };
    Some(Hierarchy { controller, version, mount: folder, own })
}

/// One line of `/proc/PID/mountinfo`, see `proc_pid_mountinfo(5)`.
struct Mount<'a> {
    root: &'a str,
    point: &'a str,
    kind: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let mut after = after.split(' ');
        let (root, point, kind) = (before.next()?, before.next()?, after.next()?);
        Some(Mount { root, point, kind, options: after.nth(1)? })
    }

    fn is_v1_of(&self, controller: &str) -> bool {
        self.kind == "cgroup" && self.options.split(',').any(|option| option == controller)
    }

    fn is_v2(&self) -> bool {
        self.kind == "cgroup2"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1_MOUNTS: &str = "\
31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";
    const V2_MOUNTS: &str =
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

    /// A tree of files under a fresh folder.
    fn tree(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("fauxplat-cgroup-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn version_1_has_a_hierarchy_for_each_controller() {
        let root = tree(
            "v1",
            &[
                ("proc/self/mountinfo", V1_MOUNTS),
                ("proc/self/cgroup", "4:memory:/a/b\n2:cpu,cpuacct:/\n0::/\n"),
                ("sys/fs/cgroup/memory/a/b/tasks", ""),
                ("sys/fs/cgroup/cpu,cpuacct/tasks", ""),
            ],
        );
        let host = Host::discover(&root).unwrap();
        assert_eq!((host.cpu.version, host.memory.version), (Version::One, Version::One));
        assert_eq!(host.cpu.own, root.join("sys/fs/cgroup/cpu,cpuacct"));
        assert_eq!(host.memory.own, root.join("sys/fs/cgroup/memory/a/b"));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn version_2_makes_groups_beside_our_own_where_controllers_are_given_on() {
        let own = "sys/fs/cgroup/user.slice/app.slice";
        let root = tree(
            "v2",
            &[
                ("proc/self/mountinfo", V2_MOUNTS),
                ("proc/self/cgroup", "0::/user.slice/app.slice/shell.scope\n"),
                ("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n"),
                ("sys/fs/cgroup/cgroup.subtree_control", "cpu memory\n"),
                (&format!("{own}/shell.scope/cgroup.procs"), ""),
                (&format!("{own}/cgroup.subtree_control"), "memory\n"),
                ("sys/fs/cgroup/user.slice/cgroup.subtree_control", "cpu memory pids\n"),
            ],
        );
        let host = Host::discover(&root).unwrap();
        assert_eq!(host.cpu.version, Version::Two);
        let made = host.cpu.make("fauxplat-1-1-0").unwrap();
        assert_eq!(made, root.join("sys/fs/cgroup/user.slice/fauxplat-1-1-0"));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn without_control_groups_the_missing_controller_is_named() {
        let root = tree("none", &[("proc/self/mountinfo", ""), ("proc/self/cgroup", "")]);
        let message = Host::discover(&root).unwrap_err().to_string();
        assert!(message.contains("the cpu controller"), "{message}");
        fs::remove_dir_all(root).unwrap();
    }
}
