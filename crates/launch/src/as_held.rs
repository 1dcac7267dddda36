//! Reads the condition of a process from the kernel.

use std::fs;

use fauxplat_model::HeldCondition;
use fauxplat_procfs::limits;
use fauxplat_procfs::task::TaskStat;
use fauxplat_sys::sched;
use fauxplat_sys::spawn::ADDR_NO_RANDOMIZE;

use crate::Entry;

/// Condition of a process that was started from an entry of the table and has not begun its program. Values that cannot
/// be read are absent.
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
        no_aslr: no_aslr(&read("personality")),
        cpus: sched::affinity(pid).ok(),
        limits: limits::soft(&read("limits")).map(|(name, soft)| (name.replace(' ', "-"), soft)).collect(),
        // Until exec, `/proc/PID/environ` would show the environment of the spawner, so the environment that the entry
        // specifies is counted.
        env_bytes: Some(entry.env.iter().map(|setting| setting.len() as u64 + 1).sum()),
        groups: read("cgroup").lines().map(str::to_owned).collect(),
    }
}

/// Whether a personality, in the hexadecimal digits of `/proc/PID/personality`, disables address randomisation; `None`
/// where the text is no number.
fn no_aslr(personality: &str) -> Option<bool> {
    let personality = u32::from_str_radix(personality.trim(), 16).ok()?;
    Some(personality & ADDR_NO_RANDOMIZE != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_of_a_personality_excludes_random_addresses() {
        assert_eq!(
            ["00040000\n", "00000000\n", "0804\n", "", "x"].map(no_aslr),
            [Some(true), Some(false), Some(false), None, None]
        );
    }
}
