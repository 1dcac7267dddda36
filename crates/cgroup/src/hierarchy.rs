//! A hierarchy of control groups, and the places in it where a group can be made.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_procfs::{cgroup, mounts};

use crate::turn::Turn;
use crate::{CgroupError, Controller, owner};

/// A hierarchy: version 1 has several hierarchies with one or a few controllers each, version 2 has a single hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    /// Controllers for which this hierarchy is used.
    pub(crate) controllers: Vec<Controller>,
    pub(crate) version: Version,
    pub(crate) mount: PathBuf,
    /// Group of this process, as a folder below the mount point.
    pub(crate) own: PathBuf,
    /// Path, within the hierarchy, of the group that is mounted at `mount`: `/`, or in a container the group of the
    /// container.
    pub(crate) part: String,
}

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
    /// Controllers that were enabled in the parent for this group or for other groups of fauxplat beside it, as a mask
    /// over [`Controller::ALL`].
    pub(crate) enabled: u64,
    /// Why the group is where it is, as a sentence part for reports: the permission, and the nearer places that
    /// refused.
    pub(crate) way: String,
}

impl Hierarchy {
    /// Finds the hierarchy that has a controller. `mountinfo` and `groups` are the contents of `/proc/self/mountinfo`
    /// and `/proc/self/cgroup`; the mount points are looked for below the path `root`.
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
        // A container sees a part of the hierarchy as its root, and no group outside that part.
        let part = mounts::unescaped(mount.part).into_owned();
        let below = cgroup::below(path, &part).unwrap_or_default();
        let below = below.trim_start_matches('/');
        let own = Some(folder.join(below)).filter(|own| !below.is_empty() && own.is_dir());
        let own = own.unwrap_or_else(|| folder.clone());
        Some(Hierarchy { controllers: vec![controller], version, mount: folder, own, part })
    }

    /// Groups below which a group could be made, the nearest to this process's own group first, so that as many as
    /// possible of the limits of fauxplat apply to the new group. In version 2 a group that contains processes can
    /// enable no controllers for its children. The own group contains this process and is therefore tried last: it
    /// suffices where no controller is needed, and otherwise shows whether its processes could be moved. Groups above a
    /// scope unit of fauxplat belong to the service manager and are left out.
    pub(crate) fn candidates(&self) -> Vec<PathBuf> {
        let around = self.own.ancestors().take_while(|folder| folder.starts_with(&self.mount));
        let mut folders: Vec<PathBuf> = around.map(Path::to_owned).collect();
        if let Some(at) = folders.iter().position(|folder| owner::is_scope_unit(folder)) {
            folders.truncate(at + 1);
        }
        if self.version == Version::Two {
            folders.rotate_left(1);
        }
        folders
    }

    /// Makes a group in the first of the [`candidates`](Hierarchy::candidates) where the controllers are enabled
    /// already, or else in the first where they can be enabled. `number` is the group's number within this process.
    pub(crate) fn make(&self, number: usize) -> Result<Made, CgroupError> {
        let mut tried = Tried::default();
        let mut occupied = None;
        for may_enable in [false, true] {
            for folder in self.candidates() {
                match self.make_in(&folder, number, may_enable) {
                    Ok(made) => return Ok(Made { way: way(self, &folder, &tried, made.enabled), ..made }),
                    Err(refusal) => {
                        tried.note(&folder, refusal.why);
                        occupied = occupied.or(refusal.is_occupied.then_some(folder));
                    }
                }
            }
            if self.version == Version::One {
                break;
            }
        }
        let (controllers, tried) = (names(&self.controllers), tried.to_string());
        Err(match occupied {
            Some(folder) => {
                CgroupError::Occupied { controllers, tried, folder: folder.display().to_string() }
            }
            None => CgroupError::NoPlace { controllers, tried },
        })
    }

    fn make_in(&self, folder: &Path, number: usize, may_enable: bool) -> Result<Made, Refusal> {
        // The place is checked before waiting for the lock, so that no time is lost where no group can be made.
        self.refuse(folder, may_enable)?;
        let _turn = (self.version == Version::Two).then(|| Turn::take(folder));
        let missing = self.refuse(folder, may_enable)?;
        let fresh = missing.iter().fold(0, |all, controller| all | owner::mask(*controller));
        // Controllers that were enabled for other groups of fauxplat in this folder are recorded too, since this group
        // may need them; the last of the groups to be removed disables them.
        let enabled = names_of_ours(folder).iter().fold(fresh, |all, name| all | owner::enabled(name));
        let made = folder.join(owner::name(number, enabled));
        fs::create_dir(&made).map_err(|error| error.to_string())?;
        // The group is made first, since its name records the controllers: if this process is killed here, no
        // controller stays enabled without a record.
        enable(folder, &missing).map_err(|(given_on, refusal)| {
            let _gone = fs::remove_dir(&made);
            disable(folder, given_on);
            refusal
        })?;
        Ok(Made { folder: made, enabled, way: String::new() })
    }

    /// Returns the controllers that have to be enabled in `folder` before a group can be made there, or the reason why
    /// no group can be made there. Without `may_enable`, a controller that is not enabled is such a reason.
    fn refuse(&self, folder: &Path, may_enable: bool) -> Result<Vec<Controller>, Refusal> {
        let missing = self.missing(folder);
        match (missing.is_empty(), may_enable) {
            (false, false) => Err(format!("its cgroup.subtree_control has no {}", names(&missing)).into()),
            (false, true) if is_occupied(folder, &missing) => Err(Refusal::occupied(&missing)),
            _ => Ok(missing),
        }
    }

    /// Whether one of the [`candidates`](Hierarchy::candidates) enables the controllers of this hierarchy for its
    /// children already.
    pub(crate) fn is_given_on(&self) -> bool {
        self.candidates().iter().any(|folder| self.missing(folder).is_empty())
    }

    /// Controllers of this hierarchy that are not enabled for children of the group of `folder`; none in version 1.
    fn missing(&self, folder: &Path) -> Vec<Controller> {
        if self.version == Version::One {
            return Vec::new();
        }
        let given_on = read(&folder.join("cgroup.subtree_control"));
        let has = |name: &str| given_on.split_whitespace().any(|one| one == name);
        let is_missing = |controller: &&Controller| controller.in_v2().is_some_and(|name| !has(name));
        self.controllers.iter().filter(is_missing).copied().collect()
    }

    /// Path of a group from the root of its hierarchy, as in the kernel's log.
    pub(crate) fn path_of(&self, folder: &Path) -> String {
        let below = folder.strip_prefix(&self.mount).unwrap_or(folder);
        format!("{}/{}", self.part.trim_end_matches('/'), below.display())
    }
}

/// The reason why a group cannot be made in one place.
struct Refusal {
    why: String,
    /// Whether a group could be made if the processes in the folder were moved.
    is_occupied: bool,
}

impl Refusal {
    fn occupied(missing: &[Controller]) -> Refusal {
        let names = names(missing);
        let why = format!("processes are in this group itself, so it enables no {names} for groups below");
        Refusal { why, is_occupied: true }
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal { why, is_occupied: false }
    }
}

/// Whether a group has these controllers and may be changed, but contains processes. The kernel then refuses to enable
/// most controllers for children; with the others, the children cannot take processes, see "No Internal Process
/// Constraint" and "Threads" in its document on cgroup v2. The root group is exempt; no other group lacks the file
/// `cgroup.type`.
fn is_occupied(folder: &Path, missing: &[Controller]) -> bool {
    let available = read(&folder.join("cgroup.controllers"));
    let has = |name: &str| available.split_whitespace().any(|one| one == name);
    let is_ours = fs::File::options().write(true).open(folder.join("cgroup.subtree_control")).is_ok();
    is_ours
        && missing.iter().all(|controller| controller.in_v2().is_none_or(has))
        && folder.join("cgroup.type").exists()
        && !read(&folder.join("cgroup.procs")).trim().is_empty()
}

/// Places that were tried, each with the last reason against it: the first is often only that controllers are not
/// enabled yet.
#[derive(Default)]
struct Tried(Vec<(PathBuf, String)>);

impl Tried {
    fn note(&mut self, folder: &Path, why: String) {
        match self.0.iter_mut().find(|(known, _)| known == folder) {
            Some((_, said)) => *said = why,
            None => self.0.push((folder.to_owned(), why)),
        }
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<_> =
            self.0.iter().map(|(folder, why)| format!("{}: {why}", folder.display())).collect();
        f.write_str(&places.join("; "))
    }
}

/// Explains why a group was made in `folder`.
fn way(hierarchy: &Hierarchy, folder: &Path, tried: &Tried, enabled: u64) -> String {
    let place = match hierarchy.version {
        _ if folder == hierarchy.mount => "at the top",
        _ if folder == hierarchy.own => "in our own group",
        Version::Two if Some(folder) == hierarchy.own.parent() => "beside our own group",
        _ => "above our own group",
    };
    let right = match fauxplat_sys::process::is_root() {
        true => "as root",
        false if owner::is_scope_unit(folder) => {
            "in a scope unit that the service manager of the user gave for it"
        }
        false => "in a delegated group",
    };
    let given = match enabled {
        0 => String::new(),
        mask => format!(", {} enabled there meanwhile", names(&owner::controllers(mask))),
    };
    let before = match tried.0.is_empty() {
        true => String::new(),
        false => format!("; not nearer: {tried}"),
    };
    format!("{place}, {right}{given}{before}")
}

/// Enables controllers for the children of a group. On failure returns the reason, with a mask of the controllers that
/// were enabled before the failure.
fn enable(folder: &Path, missing: &[Controller]) -> Result<(), (u64, Refusal)> {
    let mut given_on = 0;
    for controller in missing {
        let name = controller.in_v2().unwrap_or_default();
        if let Err(error) = fs::write(folder.join("cgroup.subtree_control"), format!("+{name}")) {
            return Err((given_on, format!("{name} cannot be enabled for groups below: {error}").into()));
        }
        given_on |= owner::mask(*controller);
    }
    Ok(())
}

/// Disables the controllers that [`enable`] enabled for a group that has been removed. A controller in the name of
/// another group of fauxplat stays enabled until that group is removed; a group whose name lacks the controller was
/// made before it was enabled, and does not need it. The kernel refuses where children of another program use the
/// controller. The caller holds the [`Turn`], and held it when the group was removed.
pub(crate) fn disable(folder: &Path, enabled: u64) {
    if enabled == 0 {
        return;
    }
    let needed = names_of_ours(folder).iter().fold(0, |all, name| all | owner::enabled(name));
    for controller in owner::controllers(enabled & !needed) {
        let name = controller.in_v2().unwrap_or_default();
        let _kept_by_others = fs::write(folder.join("cgroup.subtree_control"), format!("-{name}"));
    }
}

fn names_of_ours(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| owner::is_ours(name)).collect()
}

pub(crate) fn names(controllers: &[Controller]) -> String {
    controllers.iter().map(|controller| controller.name()).collect::<Vec<_>>().join(", ")
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
