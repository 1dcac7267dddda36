//! Limits of the ancestors of a group, which apply to the group as well: the lowest limit decides. A group that
//! fauxplat makes need not lie below the group of fauxplat itself, whose limits then do not apply.

use std::path::Path;

use fauxplat_model::Limit;
use fauxplat_procfs::cgroup::{self, Quota};
use fauxplat_units::Bytes;

use crate::group::{GroupFolders, HierarchyGroup};
use crate::hierarchy::{Version, read};
use crate::{Controller, Group};

impl Group {
    /// Returns a sentence for each resource of `limit`, such as memory, of which an ancestor of this group allows less.
    pub(crate) fn lower_around(&self, limit: &Limit) -> Vec<String> {
        let mut told = Vec::new();
        if let (Some(place), Some(percent)) = (self.place(Controller::Cpu), limit.cpu_percent) {
            let lowest =
                lowest(place, |folder| quota(place.version, folder).map(|quota| quota.cpus() * 100.0));
            told.extend(lowest.filter(|(around, _)| *around < f64::from(percent)).map(|(around, folder)| {
                format!("cpu: {folder} allows {around:.0} % for all in it, which is less than {percent} %")
            }));
        }
        if let (Some(place), Some(memory)) = (self.place(Controller::Memory), limit.memory) {
            let file = memory_file(place.version);
            let lowest = lowest(place, |folder| number(folder, file).map(|bytes| bytes as f64));
            told.extend(lowest.filter(|(around, _)| *around < memory.0 as f64).map(|(around, folder)| {
                format!(
                    "memory: {folder} allows {} for all in it, which is less than {memory}",
                    Bytes(around as u64)
                )
            }));
        }
        if let (Some(place), Some(pids)) = (self.place(Controller::Pids), limit.pids) {
            let lowest = lowest(place, |folder| number(folder, "pids.max").map(|pids| pids as f64));
            told.extend(lowest.filter(|(around, _)| *around < f64::from(pids)).map(|(around, folder)| {
                format!("pids: {folder} allows {around} for all in it, which is less than {pids}")
            }));
        }
        told
    }

    /// Returns sentences about limited groups that contain fauxplat but not this group, since a user may expect the
    /// limits of fauxplat to hold for this group too.
    pub(crate) fn left_around(&self) -> Vec<String> {
        self.parts.iter().flat_map(left).collect()
    }
}

/// Sentences of [`Group::left_around`] for one hierarchy.
fn left(part: &HierarchyGroup) -> Vec<String> {
    let (hierarchy, group) = (&part.hierarchy, &part.made.folder);
    let folders = hierarchy.own.ancestors().take_while(|folder| !group.starts_with(folder));
    let told = folders.map(|folder| (folder, stated(hierarchy.version, folder, group)));
    told.filter(|(_, limits)| !limits.is_empty())
        .map(|(folder, limits)| {
            let (folder, limits) = (folder.display(), limits.join(", "));
            format!("fauxplat stands in {folder}, whose limits do not hold for the commands: {limits}")
        })
        .collect()
}

/// Limits that are set on the group of `folder` itself, as text. In version 1 each group has lists of CPUs and memory
/// nodes; a list counts as a limit only if the parent of `group` has another one.
fn stated(version: Version, folder: &Path, group: &Path) -> Vec<String> {
    let cpu = quota(version, folder).map(|quota| format!("cpu {:.0} %", quota.cpus() * 100.0));
    let memory = number(folder, memory_file(version)).map(|bytes| format!("memory {}", Bytes(bytes)));
    let pids = number(folder, "pids.max").map(|pids| format!("pids {pids}"));
    let list = |name: &str| {
        let of = |folder: &Path| read(&folder.join(format!("cpuset.{name}"))).trim().to_owned();
        let (own, beside) = (of(folder), group.parent().map(of).unwrap_or_default());
        (!own.is_empty() && own != beside).then(|| format!("{name} {own}"))
    };
    [cpu, memory, pids, list("cpus"), list("mems")].into_iter().flatten().collect()
}

pub(crate) fn memory_file(version: Version) -> &'static str {
    match version {
        Version::One => "memory.limit_in_bytes",
        Version::Two => "memory.max",
    }
}

/// The lowest value that `of` returns for an ancestor of a group, with the folder of that ancestor; `None` if `of`
/// returns no value for any ancestor.
fn lowest(place: GroupFolders<'_>, of: impl Fn(&Path) -> Option<f64>) -> Option<(f64, String)> {
    let around = place.folder.ancestors().skip(1).take_while(|folder| folder.starts_with(place.mount));
    let told = around.filter_map(|folder| Some((of(folder)?, folder.display().to_string())));
    told.min_by(|(one, _), (other, _)| one.total_cmp(other))
}

fn number(folder: &Path, file: &str) -> Option<u64> {
    cgroup::limit(&read(&folder.join(file)))
}

/// CPU quota of the group of `folder`; `None` if its CPU time is not limited.
pub(crate) fn quota(version: Version, folder: &Path) -> Option<Quota> {
    match version {
        Version::Two => Quota::of_v2(&read(&folder.join("cpu.max"))),
        Version::One => {
            let text = |name: &str| read(&folder.join(name));
            Quota::of_v1(&text("cpu.cfs_quota_us"), &text("cpu.cfs_period_us"))
        }
    }
}
