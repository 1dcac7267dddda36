//! Control groups of this machine: finds hierarchies and makes groups in them.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_model::Limit;
use fauxplat_procfs::mounts;

use crate::hierarchy::{self, Hierarchy, Made, read};
use crate::turn::Turn;
use crate::{CgroupError, Controller, Group, owner};

/// The control-group hierarchies that this process sees.
#[derive(Clone, Debug)]
pub struct Host {
    root: PathBuf,
    mounts: String,
    groups: String,
    /// Content of `/proc/cgroups`.
    controllers: String,
    /// The error because of which this process was moved to another group, as a sentence part; `None` if it was not
    /// moved.
    moved: Option<String>,
}

impl Host {
    /// Reads the available hierarchies from the files in `/proc` below the path `root`.
    pub fn discover(root: &Path) -> Host {
        let text = |path: &str| read(&root.join(path));
        Host {
            root: root.to_owned(),
            mounts: text("proc/self/mountinfo"),
            groups: text("proc/self/cgroup"),
            controllers: text("proc/cgroups"),
            moved: None,
        }
    }

    /// Adds the error because of which this process was moved to another group; the explanation of every group that is
    /// made from now on mentions it.
    pub fn after(self, refused: &CgroupError) -> Host {
        Host { moved: Some(format!("; before that {refused}")), ..self }
    }

    /// The controllers that these limits need, each once.
    pub fn needed<'l>(limits: impl IntoIterator<Item = &'l Limit>) -> Vec<Controller> {
        let mut needed: Vec<Controller> = limits.into_iter().flat_map(Controller::needed).collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    /// Makes a group with this limit and these controllers. `number` must differ between the groups of a process.
    ///
    /// # Errors
    /// Fails where a controller is not available, a permission is missing, or the kernel refuses a limit.
    pub fn create(
        &self,
        number: usize,
        limit: &Limit,
        controllers: &[Controller],
    ) -> Result<Group, CgroupError> {
        let mut found = Vec::new();
        for controller in controllers.iter().copied().chain(Controller::needed(limit)) {
            add(&mut found, self.find(controller)?, true);
        }
        self.make(number, limit, found)
    }

    /// Makes a group as [`Host::create`] does, which also counts CPU time, memory, processes and pressure as far as
    /// these accounts are available.
    ///
    /// # Errors
    /// Fails as [`Host::create`] does; an account that is not available is no error.
    pub fn create_watched(&self, number: usize, limit: &Limit) -> Result<Group, CgroupError> {
        let mut found = Vec::new();
        for controller in Controller::needed(limit) {
            add(&mut found, self.find(controller)?, true);
        }
        for controller in Controller::ACCOUNTS {
            if let Ok(hierarchy) = self.find(controller) {
                add(&mut found, hierarchy, false);
            }
        }
        self.make(number, limit, found)
    }

    fn make(&self, number: usize, limit: &Limit, found: Vec<Wanted>) -> Result<Group, CgroupError> {
        let mut group = Group::default();
        for Wanted { hierarchy, is_needed } in found {
            match hierarchy.make(number) {
                Ok(made) => {
                    let way = made.way.clone() + self.moved.as_deref().unwrap_or_default();
                    group.add(hierarchy, Made { way, ..made });
                }
                Err(error) if is_needed => return Err(advised(error)),
                Err(error) => group.note(format!("not counted: {error}")),
            }
        }
        group.set(limit, &self.root)?;
        Ok(group)
    }

    pub(crate) fn find(&self, controller: Controller) -> Result<Hierarchy, CgroupError> {
        Hierarchy::find(&self.root, &self.mounts, &self.groups, controller).ok_or_else(|| {
            CgroupError::NoController { controller: controller.name(), reason: self.why_not(controller) }
        })
    }

    /// The reason why no hierarchy has a controller. The lines of `/proc/cgroups` read `name hierarchy groups enabled`.
    fn why_not(&self, controller: Controller) -> String {
        let name = controller.in_v1().unwrap_or(controller.name());
        let line = self.controllers.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let is_mounted = mounts::mountinfo(&self.mounts).any(|mount| mount.is_v2() || mount.kind == "cgroup");
        let known = line.into_iter().find(|words| words.first() == Some(&name));
        match known.as_deref() {
            _ if !is_mounted => "none are mounted (is /sys/fs/cgroup?)".to_owned(),
            Some([_, _, _, "0"]) => "the kernel was told to leave it out (cgroup_disable=)".to_owned(),
            Some([_, hierarchy, ..]) if *hierarchy != "0" => {
                "it is claimed by a hierarchy of version 1 that is not mounted here".to_owned()
            }
            Some(_) => "the group that is mounted here does not have it".to_owned(),
            None => "this kernel has none, or the group that is mounted here does not have it".to_owned(),
        }
    }

    /// Removes groups whose owners have died, with all processes that are still in them; returns their number.
    pub fn remove_stale(&self) -> usize {
        let found = Controller::ALL.into_iter().filter_map(|controller| self.find(controller).ok());
        let mut folders: Vec<PathBuf> = found.flat_map(|hierarchy| hierarchy.candidates()).collect();
        folders.sort();
        folders.dedup();
        let stale = folders.iter().flat_map(|folder| stale_in(folder).map(|name| folder.join(name)));
        stale.for_each(|group| crate::group::lift_quota(&group));
        folders.iter().map(|folder| remove_stale_in(folder)).sum()
    }
}

fn advised(error: CgroupError) -> CgroupError {
    match error {
        CgroupError::NoPlace { controllers, tried } => {
            CgroupError::NoPlace { controllers, tried: format!("{tried} ({})", advice()) }
        }
        other => other,
    }
}

fn advice() -> &'static str {
    match fauxplat_sys::process::is_root() {
        true => "this is root, so the hierarchy is read-only or full; in a container, mount it writable",
        false => "run as root, or in a group that was delegated to you",
    }
}

/// A hierarchy in which a group is wanted.
struct Wanted {
    hierarchy: Hierarchy,
    /// Whether a limit needs the hierarchy; if not, it is used only to count usage.
    is_needed: bool,
}

/// Adds a hierarchy to `found`, or adds its controllers if the hierarchy is in `found` already: each hierarchy gets a
/// single group, since a process is in exactly one group of a hierarchy. A controller that only counts usage is left
/// out if it would have to be enabled first.
fn add(found: &mut Vec<Wanted>, hierarchy: Hierarchy, is_needed: bool) {
    match found.iter_mut().find(|one| one.hierarchy.mount == hierarchy.mount) {
        Some(same) if is_needed || hierarchy.is_given_on() => {
            let known = &mut same.hierarchy.controllers;
            let fresh: Vec<Controller> =
                hierarchy.controllers.into_iter().filter(|one| !known.contains(one)).collect();
            known.extend(fresh);
            same.is_needed |= is_needed;
        }
        Some(_) => {}
        None if is_needed || hierarchy.is_given_on() => found.push(Wanted { hierarchy, is_needed }),
        None => {}
    }
}

/// Names of groups in a folder whose owners have died.
fn stale_in(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| owner::is_stale(name))
}

fn remove_stale_in(folder: &Path) -> usize {
    let mut removed = 0;
    for name in stale_in(folder) {
        let _turn = Turn::take(folder);
        let stale = folder.join(&name);
        // Another fauxplat may have removed the group meanwhile, and disabled its controllers.
        if stale.is_dir() {
            removed += usize::from(crate::group::remove(&stale));
            hierarchy::disable(folder, owner::enabled(&name));
        }
    }
    removed
}

#[cfg(test)]
mod tests;
