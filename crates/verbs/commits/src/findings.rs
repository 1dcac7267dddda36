//! Findings of a search for a commit: the document of `bisect`.

use fauxplat_model::Metric;
use serde::{Deserialize, Serialize};

use crate::decision::Ratio;

pub const SCHEMA: &str = "fauxplat.bisect/2";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Full hash of the commit; for local changes, the hash of HEAD and the hash of the changed tree, joined by `+`.
    pub hash: String,
    /// Short hash and subject line of the commit.
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// A single commit made the change, and was shown to differ from the commit before it.
    Commit,
    /// Several commits remain that cannot be told apart.
    Several,
    /// The search led to one commit, which was not shown to differ from the commit before it.
    NotConfirmed,
    /// The ends of the search were shown not to differ by more than the margin.
    NoChange,
    /// The ends of the search were neither shown to differ by more than the margin, nor shown not to.
    NotShown,
    /// The user or the time limit ended the search early; a later call continues the search.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The commit is on the side of the good end: without the change.
    Good,
    /// The commit is on the side of the bad end: with the change.
    Bad,
    /// The time of the step ended before the commit was shown to differ from the good or the bad end.
    Undecided,
    /// The commit could not be built, or its command could not be run.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Reading of the later of two commits divided by that of the earlier, with its interval.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Number of pairs of runs that were analysed.
    pub pairs: usize,
    /// Duration of the comparison in seconds, without builds.
    pub elapsed_s: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The commit that was measured, which divides the remaining suspects.
    pub commit: Commit,
    pub outcome: Outcome,
    /// Reading of the commit divided by that of the good end; absent if the commit was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_good: Option<Compared>,
    /// Reading of the bad end divided by that of the commit; absent if the commit was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_bad: Option<Compared>,
    /// Whether the commit differs from both the good and the bad end, which means that more than one commit made the
    /// change.
    #[serde(default)]
    pub is_between: bool,
    /// Allowed probability of a wrong decision in the step.
    pub error: f64,
    /// Reason why the commit could not be built or run; absent for other commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    pub commit: Commit,
    /// First parent of `commit` in the searched history.
    pub before: Commit,
    /// Reading of `commit` divided by that of `before`; absent if these two were not measured side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Compared>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectFindings {
    /// The answer as a part of a sentence, for lists of experiments.
    pub summary: String,
    pub answer: Answer,
    pub metric: Metric,
    /// Allowed probability of naming a commit that did not make the change.
    pub error: f64,
    /// Share up to which a difference between the good and the bad end counts as no change.
    pub margin: f64,
    pub good: Commit,
    pub bad: Commit,
    /// Number of commits after the good end, up to and including the bad end.
    pub commits: usize,
    /// Reading of the bad end divided by that of the good end; `None` if they were not compared.
    pub ends: Option<Compared>,
    pub steps: Vec<Step>,
    /// Commits that may have made the change, oldest first; empty if no change was shown.
    pub suspects: Vec<Commit>,
    /// The only suspect; `None` if several remain, or no change was shown.
    pub found: Option<Found>,
    /// Number of steps that earlier calls of `bisect` made.
    pub steps_before: usize,
    /// Number of commits that this call built; all other builds came from the cache.
    pub built: usize,
    /// Duration of the builds of this call, in seconds.
    pub build_s: f64,
    /// Duration of this call, in seconds.
    pub elapsed_s: f64,
}
