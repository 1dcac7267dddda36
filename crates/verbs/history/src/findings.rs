//! Findings over sessions: the documents `fauxplat.history-trend/1` and `fauxplat.history-gate/1`.

use fauxplat_model::Gate;
use serde::{Deserialize, Serialize};

/// Name of the schema of a trend.
pub const TREND_SCHEMA: &str = "fauxplat.history-trend/1";
/// Name of the schema of a gate.
pub const GATE_SCHEMA: &str = "fauxplat.history-gate/1";

/// The identity of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesName {
    /// Name of the benchmark.
    pub benchmark: String,
    /// File name of the program, or name of the harness of a suite.
    pub program: String,
    /// Name of the metric.
    pub metric: String,
    /// Unit of the values.
    pub unit: String,
    /// Whether more is better.
    pub more_is_better: bool,
    /// Identity of the machine.
    pub machine: String,
    /// Name of the machine, where its experiments say it.
    pub host: Option<String>,
}

/// A session of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Number of the experiment in the store.
    pub experiment: i64,
    /// Start of the experiment, RFC 3339, UTC.
    pub started: String,
    /// Full hash of the commit that was measured.
    pub commit: Option<String>,
    /// Whether there were local changes beside the commit.
    pub dirty: Option<bool>,
    /// The label of the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Notes on the experiment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Typical reading, in the unit of the series.
    pub value: f64,
    /// Low end of the interval of 95 % within the session; `None` of a single run.
    pub low: Option<f64>,
    /// High end of the interval.
    pub high: Option<f64>,
    /// Runs of the session.
    pub runs: u64,
}

/// The commits on both sides of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRange {
    /// The last commit that was measured before the change.
    pub last_before: String,
    /// The first commit that was measured after it.
    pub first_after: String,
}

/// A change of level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelChange {
    /// Place of the first session of the new level, from 0.
    pub at: usize,
    /// The earliest place that it may have, by an interval of 95 %.
    pub at_low: usize,
    /// The latest place.
    pub at_high: usize,
    /// Experiment of the first session of the new level.
    pub experiment: i64,
    /// Start of the session, RFC 3339, UTC.
    pub started: String,
    /// New level over the one before.
    pub ratio: f64,
    /// Low end of the interval of 95 % of `ratio`.
    pub low_ratio: f64,
    /// High end of the interval.
    pub high_ratio: f64,
    /// Whether the new level is worse.
    pub is_worse: bool,
    /// Probability of as much in a series that does not change.
    pub p_value: f64,
    /// The commits between which it changed; `None` where sessions have none.
    pub commits: Option<CommitRange>,
    /// Notes on sessions where the change may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A benchmark over its sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesFindings {
    /// The identity of the series.
    #[serde(flatten)]
    pub name: SeriesName,
    /// Number of sessions.
    pub session_count: usize,
    /// Value of the newest session.
    pub newest: f64,
    /// Start of the newest session.
    pub newest_started: String,
    /// Typical value since the last change.
    pub level: f64,
    /// Standard deviation between sessions, as a share of the value; within sessions is taken off. `None` for one session.
    pub between_sd: Option<f64>,
    /// Factor by which means of sessions scatter more than those of independent ones.
    pub dependence: Option<f64>,
    /// Changes of level, in their order.
    pub changes: Vec<LevelChange>,
    /// The sessions in their order; left out of a list of all series.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<Session>,
}

/// Series over sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrendFindings {
    /// The answer in a few words.
    pub summary: String,
    /// Name of the metric.
    pub metric: String,
    /// `time` or `commit`.
    pub by: String,
    /// Probability that a change is told of a series that does not change; of a list, the expected share of false changes.
    pub level: f64,
    /// Whether one benchmark was asked for.
    pub is_of_one: bool,
    /// The series, those that became worse first.
    pub series: Vec<SeriesFindings>,
}

/// The newest session of a benchmark against its own past.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateFindings {
    /// The answer in a few words.
    pub summary: String,
    /// The identity of the series.
    #[serde(flatten)]
    pub name: SeriesName,
    /// Probability that the interval misses the change.
    pub level: f64,
    /// The gates that were asked for, by their words on the command line.
    pub fail_if: Vec<String>,
    /// The newest session.
    pub newest: Session,
    /// Sessions of the past that it is held against: those since the last change of level.
    pub past_sessions: usize,
    /// Experiment of the first of them; `None` without any.
    pub past_since: Option<i64>,
    /// Mean level of the past; `None` without any.
    pub past_value: Option<f64>,
    /// Newest over past; `None` where the past is too short.
    pub ratio: Option<f64>,
    /// Low end of the interval of `ratio`.
    pub low_ratio: Option<f64>,
    /// High end of the interval.
    pub high_ratio: Option<f64>,
    /// Why there is no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The question and its answer.
    pub gate: Gate,
    /// Whether a gate that was asked for fails.
    pub fails: bool,
}
