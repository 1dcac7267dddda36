//! The findings of a search: the document of `bisect`.

use fauxplat_model::Metric;
use serde::{Deserialize, Serialize};

use crate::decision::Ratio;

pub const SCHEMA: &str = "fauxplat.bisect/1";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Full hash; for the local changes, the hash of HEAD and the hash of the tree, joined by `+`.
    pub hash: String,
    /// Short hash and subject.
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// A single commit made the change, and differs from the commit before it.
    Commit,
    /// Several commits remain that cannot be told apart.
    Several,
    /// The search led to one commit, which was not shown to differ from the commit before it.
    NotConfirmed,
    /// The ends are shown not to differ by more than the margin.
    NoChange,
    /// The ends are neither shown to differ by more than the margin nor shown to differ by less.
    NotShown,
    /// The user or the time limit ended the search early; a later call continues the search.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// On the side of the good end: without the change.
    Good,
    /// On the side of the bad end: with the change.
    Bad,
    /// The time of the step ended before the commit was shown to differ from either end.
    Undecided,
    /// The commit could not be built, or its command could not be run.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The later commit divided by the earlier, or the bad end divided by the good end.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Number of pairs that were analysed.
    pub pairs: usize,
    /// Duration in seconds, without builds.
    pub elapsed_s: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The commit that was measured, in the middle of the suspects.
    pub commit: Commit,
    pub outcome: Outcome,
    /// The commit divided by the good end; absent if the commit was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_good: Option<Compared>,
    /// The bad end divided by the commit; absent if the commit was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_bad: Option<Compared>,
    /// Whether the commit differs from both ends, so that more than one commit made the change.
    #[serde(default)]
    pub is_between: bool,
    /// Probability of a wrong decision that was allowed in the step.
    pub error: f64,
    /// The reason why the commit was skipped; absent for other commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    pub commit: Commit,
    /// The commit before `commit` on the line.
    pub before: Commit,
    /// `commit` divided by `before`; absent if the two were not measured side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Compared>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectFindings {
    /// The answer as a part of a sentence, for lists.
    pub summary: String,
    pub answer: Answer,
    pub metric: Metric,
    /// Allowed probability of naming a commit that did not make the change.
    pub error: f64,
    /// Differences of the ends by at most this share count as no change.
    pub margin: f64,
    pub good: Commit,
    pub bad: Commit,
    /// Number of commits after the good end, up to and including the bad end.
    pub commits: usize,
    /// The bad end divided by the good end; `None` if the ends were not compared.
    pub ends: Option<Compared>,
    pub steps: Vec<Step>,
    /// The commits that may have made the change, oldest first; empty if no change was shown.
    pub suspects: Vec<Commit>,
    /// The only suspect; `None` if several remain.
    pub found: Option<Found>,
    /// Number of steps that an earlier call made.
    pub steps_before: usize,
    /// Number of commits that this call built; other builds came from the cache.
    pub built: usize,
    /// Duration of the builds of this call, in seconds.
    pub build_s: f64,
    /// Duration of this call, in seconds.
    pub elapsed_s: f64,
}
