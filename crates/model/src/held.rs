//! The condition of a measured process as the kernel reports it.

use std::collections::BTreeMap;

use fauxplat_units::CpuSet;
use serde::{Deserialize, Serialize};

use crate::Policy;

/// Condition of a process of a command just before its program began, as the kernel reports it. Values that the user
/// did not request are those that the process inherited; values that could not be read are `None` or missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeldCondition {
    /// Scheduling policy in the words of `--policy`, or `batch`, `idle` or `deadline`, which `--policy` does not offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nice: Option<i8>,
    /// Whether the personality of the process disables address space layout randomisation, see `personality(2)`.
    /// `setarch -R` passes this setting on to its children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_aslr: Option<bool>,
    /// CPUs that the process may use; `None` if each block draws another CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<CpuSet>,
    /// Soft limits of resources, except `unlimited` ones, by their names in `/proc/PID/limits`: `open-files`,
    /// `stack-size`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, u64>,
    /// Bytes of the environment, null bytes included, without the padding that blocks draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env_bytes: Option<u64>,
    /// Control groups, one line of `/proc/PID/cgroup` each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}

impl HeldCondition {
    /// Name of a scheduling policy in the words of `--policy`, from the kernel's number and the priority, see
    /// `sched(7)`.
    pub fn policy_name(number: u32, priority: u8) -> String {
        match number {
            0 => Policy::Other.to_string(),
            1 => Policy::Fifo(priority).to_string(),
            2 => Policy::RoundRobin(priority).to_string(),
            3 => "batch".to_owned(),
            5 => "idle".to_owned(),
            6 => "deadline".to_owned(),
            other => format!("policy-{other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_have_the_words_by_which_they_are_asked_for() {
        for policy in [Policy::Other, Policy::Fifo(10), Policy::RoundRobin(3)] {
            let (number, priority) = match policy {
                Policy::Other => (0, 0),
                Policy::Fifo(priority) => (1, priority),
                Policy::RoundRobin(priority) => (2, priority),
            };
            assert_eq!(HeldCondition::policy_name(number, priority).parse(), Ok(policy));
        }
        assert_eq!(HeldCondition::policy_name(3, 0), "batch");
    }
}
