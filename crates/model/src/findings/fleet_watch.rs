//! Findings of a fleet over time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Estimand, Metric};

/// A visit to a machine: the part of a node's record that `watch` keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeVisit {
    /// The machine.
    pub node: String,
    /// UUID of the run over the fleet.
    pub fleet: String,
    /// Time of the visit, in nanoseconds since 1970, UTC.
    pub at_utc_ns: i64,
    /// Median of the runs, in the unit of the metric.
    pub median: f64,
    /// Mean of the runs; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Facts of the machine at the visit.
    pub facts: BTreeMap<String, String>,
}

/// A fact whose value changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FactChange {
    /// Name of the fact.
    pub fact: String,
    /// Value before the change; `None` where it was not known.
    pub before: Option<String>,
    /// Value after the change; `None` where it was not known.
    pub after: Option<String>,
}

/// A change of a machine's figures over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangePoint {
    /// Whether the typical run changed, or the mean beside it: what slow runs add.
    #[serde(default)]
    pub estimand: Estimand,
    /// Index of the first visit at the new level, from 0.
    pub at: usize,
    /// Time of that visit, in nanoseconds since 1970, UTC.
    pub at_utc_ns: i64,
    /// Median over the visits of what changed, from the previous change up to this one, in the unit of the metric.
    pub before: f64,
    /// Median over the visits of what changed, from this change up to the next, in the unit of the metric.
    pub after: f64,
    /// `after` over `before`.
    pub effect_ratio: f64,
    /// Low end of the 95 % interval of `effect_ratio`.
    pub low: f64,
    /// High end of the interval of `effect_ratio`.
    pub high: f64,
    /// p-value of a change of this size anywhere in the series.
    pub p_value: f64,
    /// False discovery rate among all changes with at most this p-value, over all machines (Benjamini and Hochberg).
    pub q_value: f64,
    /// Facts that changed between the two visits around the change, or one visit to either side.
    pub facts: Vec<FactChange>,
}

/// A machine over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedNode {
    /// The machine.
    pub node: String,
    /// Median of each visit, in the unit of the metric.
    pub medians: Vec<f64>,
    /// Time of each visit, in nanoseconds since 1970, UTC.
    pub at_utc_ns: Vec<i64>,
    /// Changes, in their order in time.
    pub changes: Vec<ChangePoint>,
    /// Why the machine cannot be judged; `None` where it can.
    pub reason: Option<String>,
}

/// A change of a fact after which machines are slower or faster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SinceFact {
    /// The fact, with both values.
    #[serde(flatten)]
    pub change: FactChange,
    /// Machines on which the fact changed during the watch.
    pub machines: usize,
    /// Machines whose figures changed together with the fact.
    pub with_change: usize,
    /// Median over these machines of the figures after over before.
    pub effect_ratio: f64,
    /// Low end of the 95 % interval of `effect_ratio` over the machines; absent for fewer than three.
    pub low: Option<f64>,
    /// High end of the interval of `effect_ratio`.
    pub high: Option<f64>,
}

/// The smallest change that is found in 8 of 10 machines which have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallestChange {
    /// Visits of the typical machine.
    pub visits: usize,
    /// Visits after the change.
    pub after: usize,
    /// The change, as a ratio on the slow side.
    pub ratio: f64,
}

/// Findings of `fleet watch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetWatchFindings {
    /// The command that was measured.
    pub command: String,
    /// The metric that is judged.
    pub metric: Metric,
    /// Probability that a change is told of a fleet in which no machine changed.
    pub alpha: f64,
    /// Least number of visits between two changes.
    pub min_segment: usize,
    /// Changes that all machines of the fleet have in common; they are taken off the machines' own.
    #[serde(default)]
    pub whole: Vec<ChangePoint>,
    /// The smallest change that so many visits can show; `None` for too few visits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<SmallestChange>,
    /// An entry per machine, those with changes first.
    pub nodes: Vec<WatchedNode>,
    /// Facts whose changes were followed by slower or faster figures.
    pub since: Vec<SinceFact>,
}
