//! A control group, in every hierarchy that it needs.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fauxplat_model::GroupPlace;
use fauxplat_procfs::task::TaskStat;
use fauxplat_sys::{clock, process, sched, signal};

use crate::hierarchy::{self, Hierarchy, Made, Version};
use crate::turn::Turn;
use crate::{CgroupError, Controller};

/// A control group. When dropped, the group is removed with all processes that are still in it.
#[derive(Debug, Default)]
pub struct Group {
    pub(crate) parts: Vec<HierarchyGroup>,
    folders: Vec<PathBuf>,
    notes: Vec<String>,
    remarks: Vec<String>,
}

/// A hierarchy in which a [`Group`] exists, and the folder that was made for the group there.
#[derive(Debug)]
pub(crate) struct HierarchyGroup {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) made: Made,
}

/// Folder with the files of a group in one hierarchy; names of files depend on the version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupFolders<'g> {
    pub(crate) version: Version,
    pub(crate) folder: &'g Path,
    /// Mount point of the hierarchy.
    pub(crate) mount: &'g Path,
}

impl Group {
    /// Folders of the group. A process that writes a zero into `cgroup.procs` of each enters the group.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Notes about the group for the reader of a report, such as a lower limit of an ancestor.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Explanations of settings that were not requested, for a user who inspects the group itself.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    pub(crate) fn remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    /// Versions of the group's hierarchies: `1`, `2`, or `1 and 2`. A hierarchy that is used for pressure alone does
    /// not count.
    pub fn version(&self) -> String {
        let limiting = self.parts.iter().filter(|part| part.hierarchy.controllers != [Controller::Pressure]);
        let has = |version| limiting.clone().any(|part| part.hierarchy.version == version);
        match (has(Version::One), has(Version::Two)) {
            (true, true) => "1 and 2",
            (true, false) => "1",
            (false, _) => "2",
        }
        .to_owned()
    }

    /// Folders of the group, each with an explanation why the group is there.
    pub fn places(&self) -> Vec<GroupPlace> {
        let place = |part: &HierarchyGroup| GroupPlace {
            controllers: part.hierarchy.controllers.iter().map(|one| one.name().to_owned()).collect(),
            version: part.hierarchy.version.number(),
            folder: part.made.folder.display().to_string(),
            way: part.made.way.clone(),
        };
        self.parts.iter().map(place).collect()
    }

    /// Path by which the kernel's log names the group when memory runs out; `None` without the memory controller.
    pub fn path_in_log(&self) -> Option<String> {
        let part = self.part(Controller::Memory)?;
        Some(part.hierarchy.path_of(&part.made.folder))
    }

    pub(crate) fn add(&mut self, hierarchy: Hierarchy, made: Made) {
        self.folders.push(made.folder.clone());
        self.parts.push(HierarchyGroup { hierarchy, made });
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn part(&self, controller: Controller) -> Option<&HierarchyGroup> {
        self.parts.iter().find(|part| part.hierarchy.controllers.contains(&controller))
    }

    /// The folder in which a controller acts on this group; `None` if the group was made without that controller.
    pub(crate) fn place(&self, controller: Controller) -> Option<GroupFolders<'_>> {
        let part = self.part(controller)?;
        let Hierarchy { version, mount, .. } = &part.hierarchy;
        Some(GroupFolders { version: *version, folder: &part.made.folder, mount })
    }
}

/// Membership of this process in a group. When dropped, the process moves back to its former groups.
#[derive(Debug)]
pub struct Inside {
    /// Folder of the former group in each hierarchy.
    before: Vec<PathBuf>,
}

impl Group {
    /// Moves this process, with all its threads and all processes that it starts from now on, into the group.
    ///
    /// # Errors
    /// Fails where the kernel refuses, for instance because the process may not leave its present group.
    pub fn enter(&self) -> Result<Inside, CgroupError> {
        let inside = Inside { before: self.parts.iter().map(|part| part.hierarchy.own.clone()).collect() };
        self.put(0)?;
        Ok(inside)
    }

    /// Moves a process into the group; 0 means this process. The affinity of a process with one thread is restored as
    /// far as the group has those CPUs: before Linux 6.2 a process that enters a group gets all CPUs of the group
    /// (`cpuset_attach` in `kernel/cgroup/cpuset.c`).
    ///
    /// # Errors
    /// Fails as [`Group::enter`] does.
    pub fn put(&self, pid: i32) -> Result<(), CgroupError> {
        let wanted = sched::affinity(pid).ok();
        let mut paths = self.folders.iter().map(|folder| folder.join("cgroup.procs"));
        paths.try_for_each(|path| write(&path, &pid.to_string()))?;
        if let Some(wanted) = wanted {
            // The kernel refuses if the group has none of these CPUs. The process then keeps the CPUs of the group,
            // since CPUs that a user requests were checked before.
            let _none_of_them = sched::set_affinity(pid, &wanted);
        }
        Ok(())
    }

    /// Ids of the processes in the group and in the groups below it.
    pub fn pids(&self) -> Vec<i32> {
        let mut pids: Vec<i32> = self.folders.iter().flat_map(|folder| members(folder, 0)).collect();
        pids.sort_unstable();
        pids.dedup();
        pids
    }
}

/// Maximum depth to which groups below a group are searched.
const DEPTH_MAX: usize = 16;

fn members(folder: &Path, depth: usize) -> Vec<i32> {
    let own = hierarchy::read(&folder.join("cgroup.procs"));
    let own = own.lines().filter_map(|line| line.parse().ok()).filter(|&pid: &i32| pid > 0);
    let below = if depth < DEPTH_MAX { children(folder) } else { Vec::new() };
    own.chain(below.iter().flat_map(|child| members(child, depth + 1))).collect()
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

impl Drop for Inside {
    fn drop(&mut self) {
        for folder in &self.before {
            // If the former group was removed meanwhile, the process stays where it is.
            let _gone = write(&folder.join("cgroup.procs"), "0");
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.folders.iter().for_each(|folder| lift_quota(folder));
        for HierarchyGroup { made, .. } in &self.parts {
            let above = made.folder.parent().filter(|_| made.enabled != 0);
            let _turn = above.map(Turn::take);
            remove(&made.folder);
            if let Some(above) = above {
                hierarchy::disable(above, made.enabled);
            }
        }
    }
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), CgroupError> {
    // A file that does not exist is not created, since only the kernel makes files of groups.
    let written = fs::File::options().write(true).truncate(true).open(path).and_then(|mut file| {
        use std::io::Write;
        file.write_all(text.as_bytes())
    });
    written.map_err(|source| CgroupError::File { path: path.to_owned(), source })
}

/// Longest wait until killed processes have left a group: a killed process needs a CPU once more to end, which takes a
/// while on a busy machine.
const PATIENCE_NS: u64 = 10_000_000_000;
/// Longest wait while no process in a group can be killed: each waits for a disk, is frozen, or belongs to another user
/// or container. The group then stays, and is removed by the next process that makes groups.
const PATIENCE_WITH_HELD_NS: u64 = 500_000_000;

/// Kills the processes in a group and in the groups below it, and removes the groups; returns whether they are gone. A
/// group that contains this process is left to the next process that makes groups.
pub(crate) fn remove(folder: &Path) -> bool {
    let begun_ns = clock::monotonic_ns();
    let mut seen_dying_ns = begun_ns;
    loop {
        match removed(folder, 0) {
            Ok(()) => return true,
            Err(error) if error.kind() != ErrorKind::ResourceBusy => return false,
            Err(_) => {}
        }
        let Some(others) = others(folder) else { return false };
        let now_ns = clock::monotonic_ns();
        if others.iter().any(|&pid| is_at_liberty(pid)) {
            seen_dying_ns = now_ns;
        }
        if now_ns - begun_ns > PATIENCE_NS || now_ns - seen_dying_ns > PATIENCE_WITH_HELD_NS {
            return false;
        }
        end(&others, folder);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Lifts the CPU quota of a group that contains processes: a killed process needs CPU time to end. The caller lifts it
/// in all hierarchies before it removes any folder: one hierarchy has the quota, and the processes to be killed are in
/// all of them.
pub(crate) fn lift_quota(folder: &Path) {
    if members(folder, 0).is_empty() {
        return;
    }
    for (file, none) in [("cpu.max", "max"), ("cpu.cfs_quota_us", "-1")] {
        // The quota file exists in one of the hierarchies, and in none if CPU time is not limited.
        let _is_not_this_one = write(&folder.join(file), none);
    }
}

/// Whether this process can kill a process now: the process has not ended, is not in an uninterruptible sleep, and does
/// not belong to another user, as a process started by sudo may. A process frozen by the freezer of version 1 shows the
/// state of that sleep.
fn is_at_liberty(pid: i32) -> bool {
    let stat = hierarchy::read(Path::new(&format!("/proc/{pid}/stat")));
    TaskStat::parse(&stat).is_some_and(|task| task.process_lives() && task.state() != Some('D'))
        && signal::send_if_permitted(pid, 0)
}

/// Removes a group that contains no processes, after the groups below it.
fn removed(folder: &Path, depth: usize) -> std::io::Result<()> {
    match fs::remove_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == ErrorKind::ResourceBusy && depth < DEPTH_MAX => {
            for child in children(folder) {
                removed(&child, depth + 1)?;
            }
            fs::remove_dir(folder)
        }
        done => done,
    }
}

/// Kills members of a group. A pidfd of each process is opened before its membership is checked again, so that no other
/// process is killed if the id was reused. Kernels before 5.3 have no pidfd; there the id that was just checked is
/// used.
fn end(pids: &[i32], folder: &Path) {
    let held: Vec<_> = pids.iter().map(|&pid| (pid, process::end_of(pid))).collect();
    let still = members(folder, 0);
    for (pid, process) in held.iter().filter(|(pid, _)| still.contains(pid)) {
        match process {
            Ok(process) => signal::send_held(process, signal::SIGKILL),
            Err(_) => signal::send(*pid, signal::SIGKILL),
        }
    }
}

/// Processes that must end before a group can be removed; `None` if this process is among them. A process that has
/// entered a group from a scope unit of systemd cannot go back, since systemd removes a unit that its last process has
/// left; to remove the group, the process would kill itself before it has reported its findings.
pub(crate) fn others(folder: &Path) -> Option<Vec<i32>> {
    let found = members(folder, 0);
    let is_inside = found.iter().any(|&pid| u32::try_from(pid) == Ok(std::process::id()));
    (!is_inside).then_some(found)
}
