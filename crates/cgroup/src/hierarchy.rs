//! A hierarchy of control groups, and where in it a group can be made.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_procfs::{cgroup, mounts};

use crate::CgroupError;

/// One hierarchy: version 1 has one per controller, version 2 one for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    pub(crate) controller: &'static str,
    pub(crate) version: Version,
    pub(crate) mount: PathBuf,
    /// Our own group, as a folder below the mount.
    pub(crate) own: PathBuf,
}

/// Version of a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

impl Hierarchy {
    /// The hierarchy that has a controller.
    pub(crate) fn find(
        root: &Path,
        mountinfo: &str,
        groups: &str,
        controller: &'static str,
    ) -> Option<Hierarchy> {
        let (path, mount) = cgroup::hierarchy(groups, mountinfo, controller)?;
        let version = if mount.is_v2() { Version::Two } else { Version::One };
        let folder = root.join(mounts::unescaped(mount.point).trim_start_matches('/'));
        if version == Version::Two {
            let available = fs::read_to_string(folder.join("cgroup.controllers")).unwrap_or_default();
            available.split_whitespace().find(|one| *one == controller)?;
        }
        // A container sees a part of the hierarchy as its root; a group outside it is not to be seen.
        let below = cgroup::below(path, &mounts::unescaped(mount.part)).unwrap_or_default();
        let own = folder.join(below.trim_start_matches('/'));
        let own = if own.is_dir() { own } else { folder.clone() };
        Some(Hierarchy { controller, version, mount: folder, own })
    }

    /// Groups below which ours could stand, the nearest to our own first: that keeps us within the limits that
    /// already hold for us. In version 2 our own group has processes and so no children with controllers.
    pub(crate) fn candidates(&self) -> Vec<PathBuf> {
        let from = match self.version {
            Version::One => self.own.as_path(),
            Version::Two if self.own == self.mount => self.own.as_path(),
            Version::Two => self.own.parent().unwrap_or(&self.own),
        };
        from.ancestors().take_while(|folder| folder.starts_with(&self.mount)).map(Path::to_owned).collect()
    }

    /// Makes a group in the nearest place that permits it.
    pub(crate) fn make(&self, name: &str) -> Result<PathBuf, CgroupError> {
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
