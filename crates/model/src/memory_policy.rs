//! NUMA policy for the memory of a measured program.

use std::fmt;
use std::str::FromStr;

use fauxplat_units::{Cpu, CpuSet};

/// NUMA memory policy, see `set_mempolicy(2)`: `inherit`, `local`, or `interleave:NODES`, `bind:NODES`,
/// `preferred:NODE`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MemoryPolicy {
    /// The policy that fauxplat inherited.
    #[default]
    Inherit,
    /// Pages come from the node of the CPU that first touches them, and from other nodes if that node is full.
    Local,
    /// Pages come from each of these nodes in turn.
    Interleave(CpuSet),
    Bind(CpuSet),
    /// Pages come from this node, and from other nodes if it is full.
    Preferred(u32),
}

impl MemoryPolicy {
    pub fn is_inherited(&self) -> bool {
        *self == MemoryPolicy::Inherit
    }

    pub fn nodes(&self) -> CpuSet {
        match self {
            MemoryPolicy::Inherit | MemoryPolicy::Local => CpuSet::new(),
            MemoryPolicy::Interleave(nodes) | MemoryPolicy::Bind(nodes) => nodes.clone(),
            MemoryPolicy::Preferred(node) => [Cpu(*node)].into_iter().collect(),
        }
    }
}

impl fmt::Display for MemoryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryPolicy::Inherit => f.write_str("inherit"),
            MemoryPolicy::Local => f.write_str("local"),
            MemoryPolicy::Interleave(nodes) => write!(f, "interleave:{nodes}"),
            MemoryPolicy::Bind(nodes) => write!(f, "bind:{nodes}"),
            MemoryPolicy::Preferred(node) => write!(f, "preferred:{node}"),
        }
    }
}

impl FromStr for MemoryPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || {
            format!(
                "`{text}` is no memory policy: local, interleave:NODES, bind:NODES or preferred:NODE, NODES being a list such \
                 as 0-1"
            )
        };
        let some =
            |nodes: &str| nodes.parse::<CpuSet>().ok().filter(|nodes| !nodes.is_empty()).ok_or_else(fail);
        match (text, text.split_once(':')) {
            ("inherit", _) => Ok(MemoryPolicy::Inherit),
            ("local", _) => Ok(MemoryPolicy::Local),
            (_, Some(("interleave", nodes))) => some(nodes).map(MemoryPolicy::Interleave),
            (_, Some(("bind", nodes))) => some(nodes).map(MemoryPolicy::Bind),
            (_, Some(("preferred", node))) => match some(node)? {
                nodes if nodes.len() == 1 => {
                    Ok(MemoryPolicy::Preferred(nodes.first().map_or(0, |node| node.0)))
                }
                _ => Err(format!(
                    "`{text}`: one node is preferred; several are interleave:NODES or bind:NODES"
                )),
            },
            _ => Err(fail()),
        }
    }
}

crate::text::as_text!(MemoryPolicy);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_read_what_they_print() {
        for text in ["inherit", "local", "interleave:0-3,8", "bind:1", "preferred:2"] {
            assert_eq!(text.parse::<MemoryPolicy>().unwrap().to_string(), text);
        }
        let nodes = |text: &str| text.parse::<MemoryPolicy>().unwrap().nodes().to_string();
        assert_eq!(["local", "bind:1,0", "preferred:7"].map(nodes), ["", "0-1", "7"]);
        assert!(MemoryPolicy::default().is_inherited() && !MemoryPolicy::Local.is_inherited());
    }

    #[test]
    fn what_is_no_policy_says_what_is_one() {
        for bad in [
            "",
            "default",
            "local:0",
            "interleave",
            "interleave:",
            "bind:x",
            "preferred:-1",
            "bind:1-",
            "0-1",
        ] {
            let said = bad.parse::<MemoryPolicy>().unwrap_err();
            assert!(said.contains("interleave:NODES") && !said.contains('\n'), "{bad}: {said}");
        }
        assert!("preferred:0-1".parse::<MemoryPolicy>().unwrap_err().contains("one node"));
    }
}
