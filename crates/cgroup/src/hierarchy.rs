//! A hierarchy of control groups, and where in it a group can be made.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_procfs::{cgroup, mounts};

use crate::{CgroupError, Controller, owner};

/// One hierarchy: version 1 has one per controller or a few, version 2 one for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    /// Those for which it was looked for.
    pub(crate) controllers: Vec<Controller>,
    pub(crate) version: Version,
    pub(crate) mount: PathBuf,
    /// Our own group, as a folder below the mount.
    pub(crate) own: PathBuf,
    /// What of the hierarchy is mounted.
    pub(crate) part: String,
}

/// Version of a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

impl Version {
    pub(crate) fn number(self) -> u8 {
        match self {
            Version::One => 1,
            Version::Two => 2,
        }
    }
}

/// A group that was just made.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) folder: PathBuf,
    /// Controllers that were given on for it and had not been before, as a mask over [`Controller::ALL`].
    pub(crate) enabled: u64,
    /// By which right, and what was tried before.
    pub(crate) way: String,
}

impl Hierarchy {
    /// The hierarchy that has a controller, below a root path.
    pub(crate) fn find(
        root: &Path,
        mountinfo: &str,
        groups: &str,
        controller: Controller,
    ) -> Option<Hierarchy> {
        let v1 = controller.in_v1().and_then(|name| cgroup::hierarchy(groups, mountinfo, name));
        let v1 = v1.filter(|(_, mount)| !mount.is_v2());
        let v2 = || cgroup::path_v2(groups).zip(mounts::mountinfo(mountinfo).find(mounts::Mount::is_v2));
        let (path, mount) = v1.or_else(v2)?;
        let version = if mount.is_v2() { Version::Two } else { Version::One };
        let folder = root.join(mounts::unescaped(mount.point).trim_start_matches('/'));
        if let (Version::Two, Some(name)) = (version, controller.in_v2()) {
            let available = read(&folder.join("cgroup.controllers"));
            available.split_whitespace().find(|one| *one == name)?;
        }
        // A container sees a part of the hierarchy as its root; a group outside it is not to be seen.
        let part = mounts::unescaped(mount.part).into_owned();
        let below = cgroup::below(path, &part).unwrap_or_default();
        let below = below.trim_start_matches('/');
        let own = Some(folder.join(below)).filter(|own| !below.is_empty() && own.is_dir());
        let own = own.unwrap_or_else(|| folder.clone());
        Some(Hierarchy { controllers: vec![controller], version, mount: folder, own, part })
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

    /// Makes a group in the nearest place that permits it: first where the controllers are given on already, then where
    /// they can be.
    pub(crate) fn make(&self, number: usize) -> Result<Made, CgroupError> {
        let mut tried: Vec<String> = Vec::new();
        for may_enable in [false, true] {
            for folder in self.candidates() {
                match self.make_in(&folder, number, may_enable) {
                    Ok(made) => return Ok(Made { way: way(self, &folder, &tried, made.enabled), ..made }),
                    Err(reason) => tried.push(format!("{}: {reason}", folder.display())),
                }
            }
            if self.version == Version::One {
                break;
            }
        }
        tried.dedup();
        Err(CgroupError::NoPlace { controllers: names(&self.controllers), tried: tried.join("; ") })
    }

    fn make_in(&self, folder: &Path, number: usize, may_enable: bool) -> Result<Made, String> {
        let missing = self.missing(folder);
        let enabled = match (missing.is_empty(), may_enable) {
            (true, _) => 0,
            (false, false) => return Err(format!("it gives on no {}", names(&missing))),
            (false, true) => enable(folder, &missing)?,
        };
        let made = folder.join(owner::name(number, enabled));
        match fs::create_dir(&made) {
            Ok(()) => Ok(Made { folder: made, enabled, way: String::new() }),
            Err(error) => {
                disable(folder, enabled);
                Err(error.to_string())
            }
        }
    }

    /// Whether some group in which ours could stand gives its controllers on already.
    pub(crate) fn is_given_on(&self) -> bool {
        self.candidates().iter().any(|folder| self.missing(folder).is_empty())
    }

    /// Controllers that children of a group would not have.
    fn missing(&self, folder: &Path) -> Vec<Controller> {
        if self.version == Version::One {
            return Vec::new();
        }
        let given_on = read(&folder.join("cgroup.subtree_control"));
        let has = |name: &str| given_on.split_whitespace().any(|one| one == name);
        let is_missing = |controller: &&Controller| controller.in_v2().is_some_and(|name| !has(name));
        self.controllers.iter().filter(is_missing).copied().collect()
    }

    /// The path of a group from the root of its hierarchy, as the kernel's log has it.
    pub(crate) fn path_of(&self, folder: &Path) -> String {
        let below = folder.strip_prefix(&self.mount).unwrap_or(folder);
        format!("{}/{}", self.part.trim_end_matches('/'), below.display())
    }
}

/// By which right a group stands where it does.
fn way(hierarchy: &Hierarchy, folder: &Path, tried: &[String], enabled: u64) -> String {
    let place = match hierarchy.version {
        _ if folder == hierarchy.mount => "at the top",
        Version::One if folder == hierarchy.own => "in our own group",
        Version::Two if Some(folder) == hierarchy.own.parent() => "beside our own group",
        _ => "above our own group",
    };
    let right = if fauxplat_sys::process::is_root() { "as root" } else { "in a delegated group" };
    let given = match enabled {
        0 => String::new(),
        mask => format!(", {} given on there meanwhile", names(&owner::controllers(mask))),
    };
    let before = match tried {
        [] => String::new(),
        _ => format!("; not nearer: {}", tried.join("; ")),
    };
    format!("{place}, {right}{given}{before}")
}

/// Gives controllers on to the children of a group; a mask of them.
fn enable(folder: &Path, missing: &[Controller]) -> Result<u64, String> {
    let mut mask = 0;
    for controller in missing {
        let name = controller.in_v2().unwrap_or_default();
        if let Err(error) = fs::write(folder.join("cgroup.subtree_control"), format!("+{name}")) {
            disable(folder, mask);
            return Err(format!("{name} cannot be given on: {error}"));
        }
        mask |= owner::mask(*controller);
    }
    Ok(mask)
}

/// Takes back what [`enable`] gave, unless another group of ours needs it. The kernel refuses where somebody else's
/// children give it on.
pub(crate) fn disable(folder: &Path, enabled: u64) {
    if enabled == 0 || has_groups_of_ours(folder) {
        return;
    }
    for controller in owner::controllers(enabled) {
        let name = controller.in_v2().unwrap_or_default();
        let _kept_by_others = fs::write(folder.join("cgroup.subtree_control"), format!("-{name}"));
    }
}

fn has_groups_of_ours(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name.to_str().is_some_and(owner::is_ours))
}

pub(crate) fn names(controllers: &[Controller]) -> String {
    controllers.iter().map(|controller| controller.name()).collect::<Vec<_>>().join(", ")
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
