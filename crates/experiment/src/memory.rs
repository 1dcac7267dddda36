//! Checks the NUMA nodes that a memory policy names: they must exist, have memory, and be allowed.

use fauxplat_model::Condition;
use fauxplat_units::{Cpu, CpuSet};

use crate::{Failure, Machine};

/// Numbers of the NUMA nodes from which this process may get memory.
pub(crate) fn nodes(machine: &Machine) -> CpuSet {
    let topology = machine.topology();
    topology.nodes_with_memory().without(&topology.forbidden_nodes())
}

/// Refuses a memory policy with a node from which the command gets no memory. The kernel would silently ignore such a
/// node if the policy has another one.
///
/// # Errors
/// Fails for a node that does not exist, has no memory, or is not allowed.
pub(crate) fn check(condition: &Condition, machine: &Machine) -> Result<(), Failure> {
    let policy = &condition.memory_policy;
    let wanted = policy.nodes();
    if wanted.is_empty() {
        return Ok(());
    }
    let refused = |nodes: CpuSet, why: String| match nodes.is_empty() {
        true => Ok(()),
        false => Err(Failure::usage(format!("--memory-policy {policy}: node {nodes} {why}"))),
    };
    let all: CpuSet = machine.topology().nodes.iter().map(|node| Cpu(node.node)).collect();
    if all.is_empty() {
        return Err(Failure::machine(format!(
            "--memory-policy {policy}: this kernel tells of no memory nodes (there is no /sys/devices/system/node)"
        )));
    }
    refused(wanted.without(&all), format!("does not exist; this machine has {all}"))?;
    let full = machine.topology().nodes_with_memory();
    refused(wanted.without(&full), format!("has no memory; there is some at {full}"))?;
    let (allowed, by) = match &condition.limit.mems {
        Some(mems) => (Some(mems.clone()), "--limit mems"),
        None => {
            (machine.topology().memory_nodes.clone(), "a cpuset (Mems_allowed_list in /proc/self/status)")
        }
    };
    match allowed {
        Some(allowed) => {
            refused(wanted.without(&allowed), format!("is not allowed by {by}; allowed are {allowed}"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A machine with two NUMA nodes with memory and one without, on which this process may use the first and the
    /// third.
    fn machine() -> (tempfile::TempDir, Machine) {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (node, kilobytes) in [(0, 1024), (1, 2048), (2, 0)] {
            let total = format!("Node {node} MemTotal:       {kilobytes} kB\n");
            write(&format!("sys/devices/system/node/node{node}/meminfo"), &total);
            write(&format!("sys/devices/system/node/node{node}/cpulist"), "\n");
        }
        write("proc/self/status", "Mems_allowed_list:\t0,2\n");
        let machine = Machine::read(root.path());
        (root, machine)
    }

    fn checked(policy: &str, limit: &str, machine: &Machine) -> Result<(), String> {
        let (memory_policy, limit) = (policy.parse().unwrap(), limit.parse().unwrap());
        let condition = Condition { memory_policy, limit, ..Condition::default() };
        check(&condition, machine).map_err(|failure| failure.to_string())
    }

    #[test]
    fn nodes_that_cannot_give_memory_are_named_with_the_reason() {
        let (_root, machine) = machine();
        assert_eq!(machine.topology().nodes_with_memory().to_string(), "0-1");
        assert_eq!(nodes(&machine).to_string(), "0");
        for fine in ["inherit", "local", "bind:0", "preferred:0", "interleave:0"] {
            assert_eq!(checked(fine, "none", &machine), Ok(()), "{fine}");
        }
        for (policy, says) in [
            ("bind:0,7", "node 7 does not exist; this machine has 0-2"),
            ("interleave:0,2", "node 2 has no memory; there is some at 0-1"),
            ("preferred:1", "node 1 is not allowed by a cpuset"),
        ] {
            let said = checked(policy, "none", &machine).unwrap_err();
            assert!(said.contains(says) && said.starts_with("--memory-policy"), "{said}");
        }
    }

    #[test]
    fn a_limit_of_nodes_goes_before_what_holds_for_fauxplat() {
        let (_root, machine) = machine();
        assert_eq!(checked("bind:1", "mems:1", &machine), Ok(()));
        let said = checked("bind:0", "mems:1", &machine).unwrap_err();
        assert!(said.contains("not allowed by --limit mems; allowed are 1"), "{said}");
    }

    #[test]
    fn a_kernel_without_nodes_is_no_mistake_of_the_user() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::read(root.path());
        assert!(checked("bind:0", "none", &machine).unwrap_err().contains("no memory nodes"));
        assert_eq!(checked("local", "none", &machine), Ok(()));
    }
}
