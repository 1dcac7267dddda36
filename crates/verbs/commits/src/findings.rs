//! The findings of a search: the document of `bisect`.

use fauxplat_model::Metric;
use serde::{Deserialize, Serialize};

use crate::decision::Ratio;

/// Name and version of the document.
pub const SCHEMA: &str = "fauxplat.bisect/1";

/// A commit in a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The hash of the commit.
    pub hash: String,
    /// The short hash and the subject of the commit.
    pub name: String,
}

/// How the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// A single commit made the change, and differs from the one before it.
    Commit,
    /// The commits that are left cannot be told apart.
    Several,
    /// The search led to one commit, which was not shown to differ from the one before it.
    NotConfirmed,
    /// The ends are shown not to differ by more than the margin.
    NoChange,
    /// The ends are neither shown to differ by more than the margin nor shown not to.
    NotShown,
    /// The user or the time limit ended the search early; a later call goes on.
    Stopped,
}

/// The outcome of measuring a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Without the change.
    Good,
    /// With the change.
    Bad,
    /// The commit was shown to be near neither end within the time of the step.
    Undecided,
    /// The commit could not be built, or its command could not be run.
    Failed,
}

/// A comparison of two commits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The later over the earlier, or the bad end over the good one.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Pairs that were analysed.
    pub pairs: usize,
    /// Seconds that it took, builds not counted.
    pub elapsed_s: f64,
}

/// A step of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The commit in the middle.
    pub commit: Commit,
    /// The outcome of the step.
    pub outcome: Outcome,
    /// The commit over the good end; absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_good: Option<Compared>,
    /// The bad end over the commit; absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_bad: Option<Compared>,
    /// Whether the commit lies between the ends, so that more than one commit made the change.
    #[serde(default)]
    pub is_between: bool,
    /// Probability of a wrong decision that was allowed in this step.
    pub error: f64,
    /// Why the commit was passed, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The commit that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The commit.
    pub commit: Commit,
    /// The one before it.
    pub before: Commit,
    /// The commit over the one before it; absent where these two were not measured side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Compared>,
}

/// The findings of `bisect`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectFindings {
    /// The answer in a few words, for lists.
    pub summary: String,
    /// How the search ended.
    pub answer: Answer,
    /// The metric.
    pub metric: Metric,
    /// Probability that a commit is named that did not make the change.
    pub error: f64,
    /// Differences of the ends within this ratio count as none.
    pub margin: f64,
    /// The good end.
    pub good: Commit,
    /// The bad end.
    pub bad: Commit,
    /// Commits after the good end, up to the bad one.
    pub commits: usize,
    /// The bad end over the good one.
    pub ends: Option<Compared>,
    /// The steps, in their order.
    pub steps: Vec<Step>,
    /// The commits that may have made the change, oldest first; empty where there is no change.
    pub suspects: Vec<Commit>,
    /// The only suspect.
    pub found: Option<Found>,
    /// Steps that an earlier call had made.
    pub steps_before: usize,
    /// Commits that were built now; others were kept from before.
    pub built: usize,
    /// Seconds that builds took now.
    pub build_s: f64,
    /// Seconds of this call.
    pub elapsed_s: f64,
}
