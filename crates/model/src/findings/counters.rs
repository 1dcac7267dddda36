//! What can be counted on a machine.

use serde::{Deserialize, Serialize};

/// What can be counted on a machine, and why other things cannot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountersFindings {
    /// Every counter that has a name.
    pub counters: Vec<CounterFinding>,
}

/// One counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterFinding {
    /// What it is called.
    pub name: String,
    /// Who counts: `pmu`, `software` or `simulated`.
    pub source: String,
    /// Whether it can be counted here, by whoever asked.
    pub available: bool,
    /// Why not, or not all of it, and what helps.
    pub reason: Option<String>,
}
