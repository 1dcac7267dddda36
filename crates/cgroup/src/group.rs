//! One control group, in every hierarchy that it needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fauxplat_sys::signal;

use crate::CgroupError;
use crate::host::{Hierarchy, Version};

/// A control group that is removed when it is dropped, with whatever still runs in it.
#[derive(Debug, Default)]
pub struct Group {
    folders: Vec<PathBuf>,
    /// Where this process was when the group was made, in each hierarchy.
    before: Vec<PathBuf>,
}

/// Period of a CPU quota, where the quota is not too small for it. The kernel's default is ten times as long, so that a
/// command of some milliseconds would be over before its limit began.
const PERIOD_US: u64 = 10_000;
/// The kernel takes no smaller quota (`min_cfs_quota_period` in `kernel/sched/core.c`).
const QUOTA_US_MIN: u64 = 1000;

/// Quota and period for so many per cent of one CPU, in microseconds.
fn quota_and_period(percent: u32) -> (u64, u64) {
    let percent = u64::from(percent.max(1));
    let quota_us = (percent * PERIOD_US / 100).max(QUOTA_US_MIN);
    (quota_us, quota_us * 100 / percent)
}

impl Group {
    /// Its folders. A process that writes a zero into `cgroup.procs` of each is inside.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    pub(crate) fn add(&mut self, folder: PathBuf, before: &Path) {
        self.folders.push(folder);
        self.before.push(before.to_owned());
    }

    /// The folder of this group in a hierarchy.
    fn folder(&self, hierarchy: &Hierarchy) -> &Path {
        let ours = self.folders.iter().find(|folder| folder.starts_with(&hierarchy.mount));
        ours.map_or(Path::new(""), PathBuf::as_path)
    }

    /// Limits CPU time to so many per cent of one CPU.
    pub(crate) fn limit_cpu(&self, hierarchy: &Hierarchy, percent: u32) -> Result<(), CgroupError> {
        let folder = self.folder(hierarchy);
        let (quota_us, period_us) = quota_and_period(percent);
        match hierarchy.version {
            Version::One => {
                write(&folder.join("cpu.cfs_period_us"), &period_us.to_string())?;
                write(&folder.join("cpu.cfs_quota_us"), &quota_us.to_string())
            }
            Version::Two => write(&folder.join("cpu.max"), &format!("{quota_us} {period_us}")),
        }
    }

    /// Limits memory to so many bytes. Swap is limited as well where the kernel counts it: memory that is only moved
    /// to a disk would not be missing.
    pub(crate) fn limit_memory(&self, hierarchy: &Hierarchy, bytes: u64) -> Result<(), CgroupError> {
        let folder = self.folder(hierarchy);
        let (limit, swap, swap_bytes) = match hierarchy.version {
            Version::One => ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", bytes),
            Version::Two => ("memory.max", "memory.swap.max", 0),
        };
        write(&folder.join(limit), &bytes.to_string())?;
        match folder.join(swap).exists() {
            true => write(&folder.join(swap), &swap_bytes.to_string()),
            false => Ok(()),
        }
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
        let inside = Inside { before: self.before.clone() };
        self.folders.iter().try_for_each(|folder| write(&folder.join("cgroup.procs"), "0"))?;
        Ok(inside)
    }
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
        for folder in &self.folders {
            remove(folder);
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), CgroupError> {
    fs::write(path, text).map_err(|source| CgroupError::File { path: path.to_owned(), source })
}

/// A group whose processes have just been killed is empty some moments later.
const TRIES: u32 = 100;

/// Ends what runs in a group and removes it; whether it is gone.
pub(crate) fn remove(folder: &Path) -> bool {
    for _ in 0..TRIES {
        match fs::remove_dir(folder) {
            Ok(()) => return true,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return true,
            Err(error) if error.kind() != std::io::ErrorKind::ResourceBusy => return false,
            Err(_) => {}
        }
        let inside = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
        for pid in inside.lines().filter_map(|line| line.parse().ok()).filter(|&pid: &i32| pid > 0) {
            signal::send(pid, signal::SIGKILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_shares_of_short_periods() {
        assert_eq!(quota_and_period(50), (5_000, 10_000));
        assert_eq!(quota_and_period(150), (15_000, 10_000));
        assert_eq!(quota_and_period(5), (1_000, 20_000));
        assert_eq!(quota_and_period(1), (1_000, 100_000));
    }
}
