//! The condition of a process as the kernel tells it.

use std::fs;

use fauxplat_model::HeldCondition;
use fauxplat_procfs::limits;
use fauxplat_procfs::task::TaskStat;
use fauxplat_sys::sched;

use crate::Entry;

/// Condition of a process that was started from an entry and has not begun its program. Values that cannot be read are
/// absent.
pub(crate) fn as_held(pid: i32, entry: &Entry) -> HeldCondition {
    let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let stat = read("stat");
    let task = TaskStat::parse(&stat);
    let policy = task.and_then(|task| {
        Some(HeldCondition::policy_name(task.policy()?, task.real_time_priority().unwrap_or(0)))
    });
    HeldCondition {
        policy,
        nice: task.and_then(|task| task.nice()),
        cpus: sched::affinity(pid).ok(),
        limits: limits::soft(&read("limits")).map(|(name, soft)| (name.replace(' ', "-"), soft)).collect(),
        // The process has the memory of its creator until it executes its program with these.
        env_bytes: Some(entry.env.iter().map(|setting| setting.len() as u64 + 1).sum()),
        groups: read("cgroup").lines().map(str::to_owned).collect(),
    }
}
