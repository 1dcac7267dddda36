//! Findings about series of sessions: the documents `fauxplat.history-trend/1` and `fauxplat.history-gate/1`.

use fauxplat_model::{Gate, SeriesIdentity};
use serde::{Deserialize, Serialize};

pub const TREND_SCHEMA: &str = "fauxplat.history-trend/1";
pub const GATE_SCHEMA: &str = "fauxplat.history-gate/1";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesName {
    #[serde(flatten)]
    pub identity: SeriesIdentity,
    pub metric: String,
    pub unit: String,
    pub more_is_better: bool,
    pub machine: String,
    /// Host name of the machine; `None` if its experiments do not record one.
    pub host: Option<String>,
}

/// A session of a benchmark: the results of one experiment, as a point of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Number of the experiment in the store.
    pub experiment: i64,
    /// Start time of the experiment in RFC 3339 form, in UTC.
    pub started: String,
    /// Full hash of the commit that was measured; `None` where unknown.
    pub commit: Option<String>,
    /// Whether the work tree had local changes on top of the commit; `None` where unknown.
    pub dirty: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Typical reading of the session, in the unit of the series.
    pub value: f64,
    /// Low end of the 95 % interval of `value` by the runs of the session; `None` for a single run.
    pub low: Option<f64>,
    /// High end of the 95 % interval of `value` by the runs of the session; `None` for a single run.
    pub high: Option<f64>,
    /// Number of runs.
    pub runs: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRange {
    /// Hash of the last commit that was measured before the change.
    pub last_before: String,
    /// Hash of the first commit that was measured after the change.
    pub first_after: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelChange {
    /// Index of the first session at the new level in the series, from 0.
    pub at: usize,
    /// Low end of the 95 % interval of `at`.
    pub at_low: usize,
    /// High end of the 95 % interval of `at`.
    pub at_high: usize,
    /// Number of the experiment at `at`.
    pub experiment: i64,
    /// Start time of that experiment in RFC 3339 form, in UTC.
    pub started: String,
    /// New level divided by the level before.
    pub ratio: f64,
    /// Low end of the 95 % interval of `ratio`.
    pub low_ratio: f64,
    /// High end of the 95 % interval of `ratio`.
    pub high_ratio: f64,
    /// Whether the new level is worse, by the direction of the metric.
    pub is_worse: bool,
    /// Probability of a change at least this clear in a series that does not change.
    pub p_value: f64,
    /// Commits between which the level changed; `None` if the sessions have no commits.
    pub commits: Option<CommitRange>,
    /// Notes on the sessions from `at_low` to `at_high`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The newest sessions of a series, all far from the level of the sessions before them on the same side, but too few to
/// show that the level changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Apart {
    pub sessions: usize,
    /// Number of sessions since the last change of level, without the newest ones.
    pub before: usize,
    /// Typical value of the newest sessions divided by that of the sessions before them.
    pub ratio: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesFindings {
    #[serde(flatten)]
    pub name: SeriesName,
    pub session_count: usize,
    /// Value of the newest session, in the unit of the series.
    pub newest: f64,
    pub newest_started: String,
    /// Typical value of the sessions since the last change, without those that lie apart, in the unit of the series.
    pub level: f64,
    /// The newest sessions that lie far from `level`; `None` if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<Apart>,
    /// Robust standard deviation between sessions, as a share of the value, without the part that the uncertainty
    /// within sessions explains; `None` for a single session.
    pub between_sd: Option<f64>,
    /// Factor by which means of neighbouring sessions scatter more than means of independent sessions would; `None` if
    /// there are too few sessions.
    pub dependence: Option<f64>,
    /// Changes of level, in the order of the sessions.
    pub changes: Vec<LevelChange>,
    /// All sessions in the order of the series; empty in a list of all series.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<Session>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrendFindings {
    pub summary: String,
    pub metric: String,
    /// Order of the sessions: `time` or `commit`.
    pub by: String,
    /// Probability of a false change in a series that does not change; in a list of all series, the expected share of
    /// false changes among all changes.
    pub level: f64,
    /// Whether the user named a benchmark.
    pub is_of_one: bool,
    /// The series, those with the worst last change first.
    pub series: Vec<SeriesFindings>,
}

/// A move of the level before the newest session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Number of the experiment of the first session after the move.
    pub experiment: i64,
    /// Level after the move divided by the level before; for a move that is not shown, the ratio of that session.
    pub ratio: f64,
    /// Whether the sessions show a change of level, so that the past begins there. Otherwise the past contains the
    /// sessions before and after the move.
    pub is_shown: bool,
}

/// The newest session of a benchmark, compared with earlier sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateFindings {
    pub summary: String,
    #[serde(flatten)]
    pub name: SeriesName,
    /// Probability that the interval of the change does not contain the true change.
    pub level: f64,
    /// Requested gates, in the words of `--fail-if`.
    pub fail_if: Vec<String>,
    pub newest: Session,
    /// Number of earlier sessions in the comparison, which are those since the last change of level.
    pub past_sessions: usize,
    /// Number of the experiment of the first of these earlier sessions; `None` if there are none.
    pub past_since: Option<i64>,
    /// Mean level of the earlier sessions, in the unit of the series; `None` if there are none.
    pub past_value: Option<f64>,
    /// Value of the newest session divided by `past_value`; `None` if there are too few earlier sessions.
    pub ratio: Option<f64>,
    /// Low end of the interval of `ratio`.
    pub low_ratio: Option<f64>,
    /// High end of the interval of `ratio`.
    pub high_ratio: Option<f64>,
    /// Reason why there is no interval; `None` if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The last move of the level before the newest session; `None` where none is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    pub gate: Gate,
    /// Whether a requested gate fails.
    pub fails: bool,
}
