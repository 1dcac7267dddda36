//! One control group, in every hierarchy that it needs.

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

/// A control group that is removed when it is dropped, with whatever still runs in it.
#[derive(Debug, Default)]
pub struct Group {
    pub(crate) parts: Vec<Part>,
    folders: Vec<PathBuf>,
    notes: Vec<String>,
    remarks: Vec<String>,
}

/// What of a group stands in one hierarchy.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) made: Made,
}

/// Where something of a group is read and written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'g> {
    pub(crate) version: Version,
    pub(crate) folder: &'g Path,
    /// The top of the hierarchy.
    pub(crate) mount: &'g Path,
}

impl Group {
    /// Its folders. A process that writes a zero into `cgroup.procs` of each is inside.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// What a reader must know of it.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What explains a setting that nobody stated, for whoever looks at the group itself.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    pub(crate) fn remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    /// Which versions hold it: `1`, `2`, or `1 and 2`.
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

    /// Where it stands, and why there.
    pub fn places(&self) -> Vec<GroupPlace> {
        let place = |part: &Part| GroupPlace {
            controllers: part.hierarchy.controllers.iter().map(|one| one.name().to_owned()).collect(),
            version: part.hierarchy.version.number(),
            folder: part.made.folder.display().to_string(),
            way: part.made.way.clone(),
        };
        self.parts.iter().map(place).collect()
    }

    /// Its path as the kernel's log has it, in the hierarchy that limits memory.
    pub fn path_in_log(&self) -> Option<String> {
        let part = self.part(Controller::Memory)?;
        Some(part.hierarchy.path_of(&part.made.folder))
    }

    pub(crate) fn add(&mut self, hierarchy: Hierarchy, made: Made) {
        self.folders.push(made.folder.clone());
        self.parts.push(Part { hierarchy, made });
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn part(&self, controller: Controller) -> Option<&Part> {
        self.parts.iter().find(|part| part.hierarchy.controllers.contains(&controller))
    }

    /// Where a controller of this group is.
    pub(crate) fn place(&self, controller: Controller) -> Option<Place<'_>> {
        let part = self.part(controller)?;
        let Hierarchy { version, mount, .. } = &part.hierarchy;
        Some(Place { version: *version, folder: &part.made.folder, mount })
    }
}

/// This process inside a group. It goes back to where it was when this is dropped.
#[derive(Debug)]
pub struct Inside {
    /// Where it was, in each hierarchy.
    before: Vec<PathBuf>,
}

impl Group {
    /// Puts this process, with all its threads and whatever it starts from now on, into the group.
    ///
    /// # Errors
    /// The kernel refuses, for instance because the process may not leave the group in which it is.
    pub fn enter(&self) -> Result<Inside, CgroupError> {
        let inside = Inside { before: self.parts.iter().map(|part| part.hierarchy.own.clone()).collect() };
        self.put(0)?;
        Ok(inside)
    }

    /// Puts a process into the group; 0 is this one. A process of one thread keeps its affinity as far as the group has
    /// those CPUs: before Linux 6.2 the kernel gives whoever enters all CPUs of the group (`cpuset_attach` in
    /// `kernel/cgroup/cpuset.c`).
    ///
    /// # Errors
    /// As [`Group::enter`].
    pub fn put(&self, pid: i32) -> Result<(), CgroupError> {
        let wanted = sched::affinity(pid).ok();
        let mut paths = self.folders.iter().map(|folder| folder.join("cgroup.procs"));
        paths.try_for_each(|path| write(&path, &pid.to_string()))?;
        if let Some(wanted) = wanted {
            // Where the group has none of them, what the kernel chose stays: what was asked for was checked before.
            let _none_of_them = sched::set_affinity(pid, &wanted);
        }
        Ok(())
    }

    /// The processes that are in it now, those of groups below it included.
    pub fn pids(&self) -> Vec<i32> {
        let mut pids: Vec<i32> = self.folders.iter().flat_map(|folder| members(folder, 0)).collect();
        pids.sort_unstable();
        pids.dedup();
        pids
    }
}

/// Levels of groups below ours that are looked at.
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
            // A group that was removed meanwhile takes nobody back; the process then stays where it is.
            let _gone = write(&folder.join("cgroup.procs"), "0");
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.folders.iter().for_each(|folder| lift_quota(folder));
        for Part { made, .. } in &self.parts {
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
    // Never created: a file that the kernel does not have is no file of a group.
    let written = fs::File::options().write(true).truncate(true).open(path).and_then(|mut file| {
        use std::io::Write;
        file.write_all(text.as_bytes())
    });
    written.map_err(|source| CgroupError::File { path: path.to_owned(), source })
}

/// A group whose processes have just been killed is empty when they have had a CPU once more, which on a loud machine takes
/// a while.
const PATIENCE_NS: u64 = 10_000_000_000;
/// One whose processes cannot be ended (they wait for a disk, are frozen, or are another user's or container's) stays, and
/// goes with the next that makes groups.
const PATIENCE_WITH_HELD_NS: u64 = 500_000_000;

/// Ends what runs in a group and in those below it, and removes them; whether they are gone. One in which this process
/// stands itself is left to the next that makes groups.
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

/// Gives a group all the CPU time there is, if anybody is in it: whoever is killed needs some of it to end. All hierarchies
/// come before any removal, since a quota holds in one of them, and whom it holds stands in the others too.
pub(crate) fn lift_quota(folder: &Path) {
    if members(folder, 0).is_empty() {
        return;
    }
    for (file, none) in [("cpu.max", "max"), ("cpu.cfs_quota_us", "-1")] {
        // It is in one of the hierarchies, and in none where no CPU time is limited.
        let _is_not_this_one = write(&folder.join(file), none);
    }
}

/// Whether a process can be ended now, and by us: it has not ended, is in no sleep that nothing interrupts, and has not become
/// another user's, as what sudo starts does. What the freezer of version 1 holds is shown in such a sleep.
fn is_at_liberty(pid: i32) -> bool {
    let stat = hierarchy::read(Path::new(&format!("/proc/{pid}/stat")));
    TaskStat::parse(&stat).is_some_and(|task| task.process_lives() && task.state() != Some('D'))
        && signal::send_if_permitted(pid, 0)
}

/// Removes a group that is empty, those below it first.
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

/// Ends members of a group. Each is held before it is looked up again, so that a number that ended meanwhile and became
/// another process's ends nobody. A kernel before 5.3 holds none, and is given the number that was just looked up.
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

/// The processes that must end before a group can go; `None` where this process is one of them. That happens: a scope
/// unit of systemd is removed when the last process leaves it, so whoever came from one cannot go back, and would end
/// itself before it has told what it found.
pub(crate) fn others(folder: &Path) -> Option<Vec<i32>> {
    let found = members(folder, 0);
    let is_inside = found.iter().any(|&pid| u32::try_from(pid) == Ok(std::process::id()));
    (!is_inside).then_some(found)
}
