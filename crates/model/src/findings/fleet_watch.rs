//! Findings about the machines of a fleet over time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Estimand, Metric};

/// A visit to a machine: the part of a node's record that `watch` stores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeVisit {
    pub node: String,
    pub fleet: String,
    /// Time of the visit, in nanoseconds since 1970, UTC.
    pub at_utc_ns: i64,
    /// Median reading of the visit, in the unit of the metric.
    pub median: f64,
    /// Mean reading of the visit, in the unit of the metric; `None` in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    pub facts: BTreeMap<String, String>,
}

/// A fact whose value changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FactChange {
    pub fact: String,
    /// Value before the change; `None` if the fact was not reported.
    pub before: Option<String>,
    /// Value after the change; `None` if the fact was not reported.
    pub after: Option<String>,
}

/// A change of the readings of a machine, or of the whole fleet, over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangePoint {
    /// Whether the median changed, or the mean relative to the median, which slow runs change.
    #[serde(default)]
    pub estimand: Estimand,
    /// Index of the first visit after the change.
    pub at: usize,
    /// Time of that visit, in nanoseconds since 1970, UTC.
    pub at_utc_ns: i64,
    /// Median over the visits from the previous change up to this one, in the unit of the metric.
    pub before: f64,
    /// Median over the visits from this change up to the next, in the unit of the metric.
    pub after: f64,
    pub effect_ratio: f64,
    /// Lower end of the 95 % interval of `effect_ratio`.
    pub low: f64,
    pub high: f64,
    /// Probability that chance shows a change of this size anywhere in the series.
    pub p_value: f64,
    /// Share of false changes expected among all changes with at most this p-value, over all machines (Benjamini and
    /// Hochberg).
    pub q_value: f64,
    /// Facts that changed at most one visit before or after the change.
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
    /// Why changes of the machine cannot be found; `None` if they can.
    pub reason: Option<String>,
}

/// A change of a fact on some machines, after which their readings are higher or lower.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SinceFact {
    /// The fact, with its values before and after.
    #[serde(flatten)]
    pub change: FactChange,
    /// Number of machines on which the fact changed during the watch.
    pub machines: usize,
    /// Number of machines on which a change of the readings was found near the change of the fact.
    pub with_change: usize,
    /// Ratio of the readings after the change of the fact to those before, as the median over all machines on which the
    /// fact changed.
    pub effect_ratio: f64,
    /// Lower end of the 95 % interval of `effect_ratio` over the machines; `None` for fewer than three machines.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// The smallest change that is found on 8 of 10 machines that have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallestChange {
    /// Number of visits of the typical machine.
    pub visits: usize,
    /// Number of visits after the change for which `ratio` holds.
    pub after: usize,
    /// The smallest change towards the slow side, as a ratio.
    pub ratio: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetWatchFindings {
    pub command: String,
    pub metric: Metric,
    /// Probability that any change is reported of a fleet in which nothing changed.
    pub alpha: f64,
    /// Minimum number of visits between two changes.
    pub min_segment: usize,
    /// Changes that all machines of the fleet have in common. They are subtracted from the readings of each machine
    /// before changes of machines are looked for.
    #[serde(default)]
    pub whole: Vec<ChangePoint>,
    /// The smallest change that the visits so far can show; `None` if there are too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<SmallestChange>,
    /// Visits and changes of each machine, machines with changes first.
    pub nodes: Vec<WatchedNode>,
    /// Changes of facts after which readings were higher or lower.
    pub since: Vec<SinceFact>,
}
