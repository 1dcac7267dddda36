//! Effective limits as reported by the kernel, which rounds and clamps the values that are written.

use std::path::Path;

use fauxplat_model::{IoRate, LimitsHeld};
use fauxplat_procfs::cgroup;

use crate::above::{memory_file, quota};
use crate::group::GroupFolders;
use crate::hierarchy::{Version, read};
use crate::set::{SHARES_USUAL, throttle_file};
use crate::{Controller, Group};

impl Group {
    /// Limits of the group itself, without those of its ancestors.
    pub fn limits(&self) -> LimitsHeld {
        let mut held = LimitsHeld::default();
        if let Some(place) = self.place(Controller::Cpu) {
            held.cpu_percent = quota(place.version, place.folder).map(|quota| quota.cpus() * 100.0);
            held.weight = weight(place);
        }
        if let Some(place) = self.place(Controller::Cpuset) {
            held.cpus = list(place, "cpus");
            held.mems = list(place, "mems");
        }
        if let Some(GroupFolders { version, folder, .. }) = self.place(Controller::Memory) {
            held.memory_bytes = limit(folder, memory_file(version));
            held.memory_high_bytes = limit(folder, "memory.high");
            held.swap_bytes = match version {
                Version::Two => limit(folder, "memory.swap.max"),
                Version::One => limit(folder, "memory.memsw.limit_in_bytes")
                    .zip(held.memory_bytes)
                    .map(|(sum, memory)| sum.saturating_sub(memory)),
            };
        }
        if let Some(place) = self.place(Controller::Pids) {
            held.pids = limit(place.folder, "pids.max");
        }
        if let Some(place) = self.place(Controller::Io) {
            held.io = io(place);
        }
        held
    }
}

fn limit(folder: &Path, file: &str) -> Option<u64> {
    cgroup::limit(&read(&folder.join(file)))
}

/// CPU weight on the scale of version 2; `None` for the default weight.
fn weight(place: GroupFolders<'_>) -> Option<f64> {
    let text = |file: &str| read(&place.folder.join(file)).trim().parse::<f64>().ok();
    let weight = match place.version {
        Version::One => text("cpu.shares").map(|shares| shares * 100.0 / SHARES_USUAL as f64),
        Version::Two => text("cpu.weight"),
    };
    weight.filter(|weight| *weight != 100.0)
}

/// Effective list of CPUs (`name` is `cpus`) or memory nodes (`mems`). In version 2 the list that was written may be
/// empty, which stands for the list of the parent.
fn list(place: GroupFolders<'_>, name: &str) -> Option<String> {
    let text =
        |file: String| Some(read(&place.folder.join(file)).trim().to_owned()).filter(|it| !it.is_empty());
    match place.version {
        Version::One => text(format!("cpuset.{name}")),
        Version::Two => text(format!("cpuset.{name}.effective")).or_else(|| text(format!("cpuset.{name}"))),
    }
}

fn io(place: GroupFolders<'_>) -> Vec<String> {
    let lines = |file: &str| read(&place.folder.join(file)).lines().map(str::to_owned).collect::<Vec<_>>();
    match place.version {
        Version::Two => lines("io.max").iter().map(|line| line.replace(' ', ":")).collect(),
        Version::One => IoRate::ALL
            .into_iter()
            .flat_map(|rate| {
                let told = lines(throttle_file(rate));
                told.into_iter().map(move |line| line.replace(' ', &format!(":{}=", rate.word())))
            })
            .collect(),
    }
}
