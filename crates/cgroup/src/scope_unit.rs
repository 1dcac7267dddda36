//! A scope unit: a group that a user's service manager delegates with everything below it, see `Delegate=` in
//! `systemd.resource-control(5)` and `StartTransientUnit` in `org.freedesktop.systemd1(5)`.

use std::fs;
use std::path::Path;

use fauxplat_procfs::cgroup;
use fauxplat_procfs::task::TaskStat;

use crate::hierarchy::read;
use crate::{CgroupError, Controller, Host, group, owner};

/// The scope unit of this process.
#[derive(Clone, Debug)]
pub struct ScopeUnit {
    name: String,
}

/// Name of the group within the scope unit into which fauxplat and its spawner move, so that the unit itself contains
/// no process.
const OURS: &str = "fauxplat";

impl ScopeUnit {
    /// A scope unit with a unique name. The unit exists only after the service manager has followed
    /// [`ScopeUnit::request`].
    pub fn of_this_process() -> ScopeUnit {
        ScopeUnit { name: owner::scope_unit() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Arguments of `busctl(1)` that ask the user's service manager to move these processes into the unit. The manager
    /// replies before the processes are moved.
    pub fn request(&self, pids: &[i32]) -> Vec<String> {
        let call = [
            "--user",
            "--quiet",
            "call",
            "org.freedesktop.systemd1",
            "/org/freedesktop/systemd1",
            "org.freedesktop.systemd1.Manager",
            "StartTransientUnit",
            "ssa(sv)a(sa(sv))",
            &self.name,
            "fail",
            "2",
            "Delegate",
            "b",
            "true",
            "PIDs",
            "au",
        ];
        let mut words: Vec<String> = call.map(str::to_owned).to_vec();
        words.push(pids.len().to_string());
        words.extend(pids.iter().map(i32::to_string));
        words.push("0".to_owned());
        words
    }

    /// Whether this process and those of `pids` that are alive are in the unit, according to `proc` below `root`. The
    /// manager moves the processes one after the other, in any order.
    pub fn is_entered(&self, root: &Path, pids: &[i32]) -> bool {
        let lives = |pid: &&i32| {
            TaskStat::parse(&read(&root.join(format!("proc/{pid}/stat"))))
                .is_some_and(|task| task.process_lives())
        };
        let others = pids.iter().filter(lives).map(i32::to_string);
        others.chain(["self".to_owned()]).all(|process| self.holds(&root.join("proc").join(process)))
    }

    fn holds(&self, process: &Path) -> bool {
        let groups = read(&process.join("cgroup"));
        let above = cgroup::path_v2(&groups).and_then(|path| path.strip_suffix(&self.name));
        above.is_some_and(|above| above.ends_with('/'))
    }

    /// Moves the processes `pids` of the unit, this process among them, into a group below the unit: a group that
    /// contains processes cannot enable controllers for its children.
    ///
    /// # Errors
    /// Fails where the present group of this process may not be changed.
    pub fn make_room(root: &Path, pids: &[i32]) -> Result<(), CgroupError> {
        let ours = Host::discover(root).find(Controller::Pressure)?.own.join(OURS);
        fs::create_dir(&ours).map_err(|source| CgroupError::File { path: ours.clone(), source })?;
        let me = i32::try_from(std::process::id()).unwrap_or(0);
        for pid in pids {
            match group::write(&ours.join("cgroup.procs"), &pid.to_string()) {
                // Errors of other processes are ignored, since they may have ended meanwhile.
                Err(refused) if *pid == me => return Err(refused),
                _ => {}
            }
        }
        Ok(())
    }
}
