//! Sets the limits of a group by writing the files that version 1 or version 2 has for them.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use fauxplat_model::{IoLimit, IoRate, Limit};
use fauxplat_procfs::meminfo;
use fauxplat_units::{Bytes, CpuSet};

use crate::group::{GroupFolders, write};
use crate::hierarchy::{Version, read};
use crate::{CgroupError, Controller, Group};

/// Period of a CPU quota, unless the quota would be less than [`QUOTA_US_MIN`]. The kernel's default is ten times as
/// long: a command of some milliseconds would be over before its quota of the first period is used up.
const PERIOD_US: u64 = 10_000;
/// The smallest quota that the kernel accepts (`min_cfs_quota_period` in `kernel/sched/core.c`).
const QUOTA_US_MIN: u64 = 1000;
/// Shares of version 1 for the default weight of 100; see `sched_weight_from_cgroup` in `kernel/sched/sched.h`.
pub(crate) const SHARES_USUAL: u64 = 1024;

/// Quota and period in microseconds for this percentage of one CPU; a percentage of zero counts as one.
fn quota_and_period(percent: u32) -> (u64, u64) {
    let percent = u64::from(percent.max(1));
    let quota_us = (percent * PERIOD_US / 100).max(QUOTA_US_MIN);
    (quota_us, quota_us * 100 / percent)
}

impl Group {
    /// Sets all parts of a limit, and records what the user should know about it as notes and remarks.
    pub(crate) fn set(&mut self, limit: &Limit, root: &Path) -> Result<(), CgroupError> {
        if let Some(place) = self.place(Controller::Cpu) {
            limit.cpu_percent.map_or(Ok(()), |percent| set_quota(place, percent))?;
            limit.weight.map_or(Ok(()), |weight| set_weight(place, weight))?;
        }
        let (mut notes, mut remarks) = (Vec::new(), Vec::new());
        if let Some(place) = self.place(Controller::Cpuset) {
            remarks = set_cpuset(place, limit)?;
        }
        if let Some(place) = self.place(Controller::Memory) {
            notes.extend(set_memory(place, limit, root)?);
        }
        if let (Some(place), Some(pids)) = (self.place(Controller::Pids), limit.pids) {
            write(&place.folder.join("pids.max"), &pids.to_string())?;
        }
        if let Some(place) = self.place(Controller::Io) {
            limit.io.iter().try_for_each(|one| set_io(place, one, root))?;
        }
        notes.extend(self.lower_around(limit));
        notes.extend(self.left_around());
        notes.into_iter().for_each(|note| self.note(note));
        remarks.into_iter().for_each(|remark| self.remark(remark));
        Ok(())
    }
}

fn set_quota(place: GroupFolders<'_>, percent: u32) -> Result<(), CgroupError> {
    let (quota_us, period_us) = quota_and_period(percent);
    let told = match place.version {
        Version::One => write(&place.folder.join("cpu.cfs_period_us"), &period_us.to_string())
            .and_then(|()| write(&place.folder.join("cpu.cfs_quota_us"), &quota_us.to_string())),
        Version::Two => write(&place.folder.join("cpu.max"), &format!("{quota_us} {period_us}")),
    };
    told.map_err(|error| match error {
        CgroupError::File { path, source } if source.raw_os_error() == Some(EINVAL) => {
            CgroupError::Refused(format!(
                "{}: the kernel takes no quota of {percent} % here: a group above has less (version 1 refuses what can never be used)",
                path.display()
            ))
        }
        other => other,
    })
}

/// `EINVAL` of errno(3).
const EINVAL: i32 = 22;

fn set_weight(place: GroupFolders<'_>, weight: u16) -> Result<(), CgroupError> {
    match place.version {
        Version::One => {
            let shares = (u64::from(weight) * SHARES_USUAL / 100).max(2);
            write(&place.folder.join("cpu.shares"), &shares.to_string())
        }
        Version::Two => write(&place.folder.join("cpu.weight"), &weight.to_string()),
    }
}

/// Sets CPUs and memory nodes. In version 1 a new group has neither, and no task may enter before the group has both,
/// so lists that are not stated are copied from the parent; a remark says so.
fn set_cpuset(place: GroupFolders<'_>, limit: &Limit) -> Result<Vec<String>, CgroupError> {
    let above = place.folder.parent().unwrap_or(place.mount);
    let mut notes = Vec::new();
    for (name, what, asked) in [("cpus", "CPUs", &limit.cpus), ("mems", "memory nodes", &limit.mems)] {
        let file = place.folder.join(format!("cpuset.{name}"));
        let offered = offered(place.version, above, name);
        match asked {
            Some(asked) => {
                if let Some(offered) = offered.filter(|offered| !asked.is_subset(offered)) {
                    return Err(CgroupError::Refused(format!(
                        "{name}:{asked}: the group above, {}, has only the {what} {offered}",
                        above.display()
                    )));
                }
                write(&file, &asked.to_string())?;
            }
            None if place.version == Version::One => {
                let offered = offered.filter(|offered| !offered.is_empty()).ok_or_else(|| {
                    CgroupError::Refused(format!(
                        "{}/cpuset.{name} is empty: version 1 lets no task into a group before its cpuset.cpus and \
                         cpuset.mems are both set, and there is nothing to set {name} to; state {name}:LIST",
                        above.display()
                    ))
                })?;
                write(&file, &offered.to_string())?;
                notes.push(format!(
                    "{what}: {offered}, as in the group above; version 1 lets no task in before both lists are set"
                ));
            }
            None => {}
        }
    }
    Ok(notes)
}

/// CPUs (`name` is `cpus`) or memory nodes (`mems`) that the group of the folder `above` offers to its children; `None`
/// if the kernel lists none.
fn offered(version: Version, above: &Path, name: &str) -> Option<CpuSet> {
    let files = match version {
        Version::One => [format!("cpuset.effective_{name}"), format!("cpuset.{name}")],
        Version::Two => [format!("cpuset.{name}.effective"), format!("cpuset.{name}")],
    };
    let list = |file: &String| std::fs::read_to_string(above.join(file)).ok()?.trim().parse().ok();
    files.iter().find_map(list)
}

/// Sets the limits of memory and swap, and returns notes for the report. Unless `limit` states the swap, a group with
/// limited memory gets none: otherwise the kernel would move memory to a disk, and the program would not run short of
/// memory.
fn set_memory(place: GroupFolders<'_>, limit: &Limit, root: &Path) -> Result<Vec<String>, CgroupError> {
    let GroupFolders { version, folder, .. } = place;
    let (memory_file, swap_file) = match version {
        Version::One => ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"),
        Version::Two => ("memory.max", "memory.swap.max"),
    };
    if let Some(memory) = limit.memory {
        write(&folder.join(memory_file), &memory.0.to_string())?;
    }
    let swap = limit.swap.or(limit.memory.map(|_| Bytes(0)));
    let Some(Bytes(swap)) = swap else { return Ok(Vec::new()) };
    if !folder.join(swap_file).exists() {
        return uncounted_swap(limit, root);
    }
    // In version 1 the limit is on the sum of memory and swap.
    let bytes = match (version, limit.memory) {
        (Version::Two, _) => swap,
        (Version::One, Some(Bytes(memory))) => memory.saturating_add(swap),
        (Version::One, None) => {
            return Err(CgroupError::Refused(
                "swap: version 1 limits memory and swap together; state memory:SIZE as well".to_owned(),
            ));
        }
    };
    write(&folder.join(swap_file), &bytes.to_string())?;
    let silent = limit.swap.is_none() && has_swap(root);
    Ok(silent
        .then(|| "swap: 0, since only memory was stated; swap:SIZE says otherwise".to_owned())
        .into_iter()
        .collect())
}

/// Handles a kernel that does not count the swap of groups, and so cannot limit it. On a machine with swap, a requested
/// limit of swap is an error, and without one a note is returned.
fn uncounted_swap(limit: &Limit, root: &Path) -> Result<Vec<String>, CgroupError> {
    match (limit.swap, has_swap(root)) {
        (_, false) => Ok(Vec::new()),
        (Some(_), true) => Err(CgroupError::Refused(
            "swap: the kernel does not count the swap of groups here (swapaccount=0); leave it out, or turn swap off"
                .to_owned(),
        )),
        (None, true) => Ok(vec![
            "swap is not limited: the kernel does not count that of groups here (swapaccount=0), so what does not \
             fit may be moved to a disk"
                .to_owned(),
        ]),
    }
}

fn has_swap(root: &Path) -> bool {
    meminfo::bytes(&read(&root.join("proc/meminfo")), "SwapTotal").is_some_and(|bytes| bytes > 0)
}

fn set_io(place: GroupFolders<'_>, limit: &IoLimit, root: &Path) -> Result<(), CgroupError> {
    let device = device(&limit.device, root)?;
    match place.version {
        Version::Two => {
            let words: Vec<String> =
                limit.rates.iter().map(|(rate, number)| format!("{}={number}", rate.word())).collect();
            write(&place.folder.join("io.max"), &format!("{device} {}", words.join(" ")))
        }
        Version::One => limit.rates.iter().try_for_each(|(rate, number)| {
            write(&place.folder.join(throttle_file(*rate)), &format!("{device} {number}"))
        }),
    }
}

/// Name of the file of cgroup version 1 that limits this rate of a device.
pub(crate) fn throttle_file(rate: IoRate) -> &'static str {
    match rate {
        IoRate::ReadBytes => "blkio.throttle.read_bps_device",
        IoRate::WriteBytes => "blkio.throttle.write_bps_device",
        IoRate::Reads => "blkio.throttle.read_iops_device",
        IoRate::Writes => "blkio.throttle.write_iops_device",
    }
}

/// Major and minor number of a device, as the kernel expects them.
fn device(name: &str, root: &Path) -> Result<String, CgroupError> {
    let numbers = |(major, minor): (&str, &str)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok();
    if name.split_once(':').is_some_and(numbers) {
        return Ok(name.to_owned());
    }
    let path = root.join(name.trim_start_matches('/'));
    match std::fs::metadata(&path) {
        Ok(facts) if facts.file_type().is_block_device() => {
            // The bits of gnu_dev_major and gnu_dev_minor, see makedev(3).
            let (device, high) = (facts.rdev(), facts.rdev() >> 32);
            let major = (device >> 8 & 0xfff) | (high & !0xfff);
            let minor = (device & 0xff) | (device >> 12 & !0xff & 0xffff_ffff);
            Ok(format!("{major}:{minor}"))
        }
        Ok(_) => Err(CgroupError::Refused(format!("io:{name}: it is no block device"))),
        Err(error) => Err(CgroupError::Refused(format!("io:{name}: {error}"))),
    }
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

    #[test]
    fn devices_are_numbers_or_paths_of_block_devices() {
        assert_eq!(device("8:16", Path::new("/")).unwrap(), "8:16");
        for (name, why) in
            [("/dev/null", "no block device"), ("/dev/nosuch", "No such file"), ("8:x", "No such file")]
        {
            let error = device(name, Path::new("/")).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
