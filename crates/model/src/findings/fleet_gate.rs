//! Gates of a fleet: findings about machines for which a run, a report or a watch fails.

use std::fmt;
use std::str::FromStr;

use crate::{FleetFindings, NodeState};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FleetGate {
    Confirmed,
    /// A machine is suspect or noisy.
    Suspect,
    /// The output of a machine differs from that of the others.
    WrongAnswer,
    /// A machine that was asked gave no figure.
    Missing,
    /// A machine, or the whole fleet, changed over the stored runs of the same definition.
    Changed,
    Unreached,
    /// A machine has no other of the same hardware to be compared with.
    Uncompared,
    /// There is an observation about a machine beside slowness.
    Notice,
    /// A fact is associated with slowness.
    Explained,
}

impl FleetGate {
    pub const ALL: [FleetGate; 9] = [
        FleetGate::Confirmed,
        FleetGate::Suspect,
        FleetGate::WrongAnswer,
        FleetGate::Missing,
        FleetGate::Changed,
        FleetGate::Unreached,
        FleetGate::Uncompared,
        FleetGate::Notice,
        FleetGate::Explained,
    ];

    pub fn word(self) -> &'static str {
        match self {
            FleetGate::Confirmed => "confirmed",
            FleetGate::Suspect => "suspect",
            FleetGate::WrongAnswer => "wrong-answer",
            FleetGate::Missing => "missing",
            FleetGate::Changed => "changed",
            FleetGate::Unreached => "unreached",
            FleetGate::Uncompared => "uncompared",
            FleetGate::Notice => "notice",
            FleetGate::Explained => "explained",
        }
    }

    /// Names of the machines, or for `Explained` of the facts, for which the gate fails in one run. `Changed` needs
    /// several runs, so it is always empty here.
    pub fn failing(self, found: &FleetFindings) -> Vec<&str> {
        let of = |states: &[NodeState]| {
            let nodes = found.nodes.iter().filter(|node| states.contains(&node.state));
            nodes.map(|node| node.node.as_str()).collect()
        };
        match self {
            FleetGate::Confirmed => of(&[NodeState::Confirmed]),
            FleetGate::Suspect => of(&[NodeState::Suspect, NodeState::Noisy]),
            FleetGate::WrongAnswer => of(&[NodeState::WrongAnswer]),
            FleetGate::Missing => of(&[NodeState::Missing]),
            FleetGate::Unreached => of(&[NodeState::Unreached]),
            FleetGate::Uncompared => of(&[NodeState::Uncompared]),
            FleetGate::Notice => found.notices.iter().map(|notice| notice.node.as_str()).collect(),
            FleetGate::Explained => found.facts_explained.iter().map(|it| it.fact.as_str()).collect(),
            FleetGate::Changed => Vec::new(),
        }
    }
}

impl fmt::Display for FleetGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for FleetGate {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        FleetGate::ALL.into_iter().find(|gate| gate.word() == word).ok_or_else(|| {
            let all: Vec<&str> = FleetGate::ALL.iter().map(|gate| gate.word()).collect();
            format!("`{word}` is none of {}", all.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gate_is_read_by_its_word() {
        for gate in FleetGate::ALL {
            assert_eq!(gate.word().parse(), Ok(gate));
        }
        assert!("slow".parse::<FleetGate>().unwrap_err().contains("wrong-answer"));
    }
}
