//! Findings of a fleet over time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Estimand, Metric};

/// A visit to a machine: the part of a node's record that `watch` uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeVisit {
    pub node: String,
    pub fleet: String,
    /// Time of the visit, in nanoseconds since 1970, UTC.
    pub at_utc_ns: i64,
    /// Median of the runs, in the unit of the metric.
    pub median: f64,
    /// Mean of the runs; `None` in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    pub facts: BTreeMap<String, String>,
}

/// A fact whose value changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FactChange {
    pub fact: String,
    /// Value before the change; `None` if unknown.
    pub before: Option<String>,
    /// Value after the change; `None` if unknown.
    pub after: Option<String>,
}

/// A change of a machine's figures over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangePoint {
    /// Whether the typical run changed, or the mean, which slow runs move too.
    #[serde(default)]
    pub estimand: Estimand,
    /// Index of the first visit at the new level, from 0.
    pub at: usize,
    /// Time of that visit, in nanoseconds since 1970, UTC.
    pub at_utc_ns: i64,
    /// Median over the visits from the previous change up to this one, in the unit of the metric.
    pub before: f64,
    /// Median over the visits from this change up to the next, in the unit of the metric.
    pub after: f64,
    pub effect_ratio: f64,
    /// Low end of the 95 % interval of `effect_ratio`.
    pub low: f64,
    pub high: f64,
    /// p-value of a change of this size anywhere in the series.
    pub p_value: f64,
    /// False discovery rate among all changes with at most this p-value, over all machines (Benjamini and Hochberg).
    pub q_value: f64,
    /// Facts that changed between the two visits around the change, or one visit to either side.
    pub facts: Vec<FactChange>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedNode {
    pub node: String,
    /// Median of each visit, in the unit of the metric.
    pub medians: Vec<f64>,
    /// Time of each visit, in nanoseconds since 1970, UTC.
    pub at_utc_ns: Vec<i64>,
    pub changes: Vec<ChangePoint>,
    /// Why the machine cannot be judged; `None` if it can.
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
    /// Figures after the change over figures before, median over these machines.
    pub effect_ratio: f64,
    /// Low end of the 95 % interval of `effect_ratio` over the machines; `None` for fewer than three machines.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// The smallest change that is found on 8 of 10 machines that have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallestChange {
    /// Visits of the typical machine.
    pub visits: usize,
    /// Visits after the change.
    pub after: usize,
    /// The change, as a ratio on the slow side.
    pub ratio: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetWatchFindings {
    pub command: String,
    pub metric: Metric,
    /// Probability that any change is reported for a fleet in which no machine changed.
    pub alpha: f64,
    /// Least number of visits between two changes.
    pub min_segment: usize,
    /// Changes common to all machines of the fleet. The machines' own figures are analysed without them.
    #[serde(default)]
    pub whole: Vec<ChangePoint>,
    /// The smallest change that this number of visits can show; `None` with too few visits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<SmallestChange>,
    /// Entries: one per machine, machines with changes first.
    pub nodes: Vec<WatchedNode>,
    /// Facts whose changes were followed by slower or faster figures.
    pub since: Vec<SinceFact>,
}
