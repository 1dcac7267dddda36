//! What follows from labs.

use serde::{Deserialize, Serialize};

use crate::Claim;

/// What came of a published claim on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LabOutcome {
    /// Direction and size agree with the claim.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// Measured, and this machine does not show it.
    #[serde(rename = "not here")]
    NotHere,
    /// Something is missing.
    #[serde(rename = "cannot run here")]
    CannotRunHere,
}

impl LabOutcome {
    /// The words of reports.
    pub fn words(self) -> &'static str {
        match self {
            LabOutcome::Reproduced => "reproduced",
            LabOutcome::NotHere => "not here",
            LabOutcome::CannotRunHere => "cannot run here",
        }
    }
}

/// Our own figure beside a claim, in the claim's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabMeasured {
    /// The figure.
    pub value: f64,
    /// Low end of its interval.
    pub low: f64,
    /// High end of it.
    pub high: f64,
}

/// One experiment of a lab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabRun {
    /// What the lab calls it.
    pub name: String,
    /// What was run: a command line of fauxplat without its name, or a line for the shell.
    pub line: String,
    /// Whether the line is one for the shell, whose document is not in the store.
    #[serde(default)]
    pub shell: bool,
    /// Identifier in the store of the first time, if it was stored.
    pub id: Option<i64>,
    /// Identifiers of all times.
    #[serde(default)]
    pub ids: Vec<i64>,
    /// What a program of the lab gave to be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<LabTable>,
}

/// A table that a program of a lab gave in its document, as `table`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabTable {
    /// Titles of the columns.
    pub columns: Vec<String>,
    /// Cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// What came of one claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimResult {
    /// What the lab calls it.
    pub name: String,
    /// What came of it; absent if it was only listed.
    pub outcome: Option<LabOutcome>,
    /// What was claimed.
    pub claim: Claim,
    /// What was measured here.
    pub measured: Option<LabMeasured>,
    /// Why the outcome is what it is, as far as the evidence goes.
    pub reason: Option<String>,
}

/// One lab. What was only listed has neither outcome nor experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabResult {
    /// Its name: that of its folder.
    pub name: String,
    /// The question that it answers.
    pub question: String,
    /// What came of its claims together.
    pub outcome: Option<LabOutcome>,
    /// The claim that decided that; the first one if nothing was run.
    pub claim: Claim,
    /// What was measured for this claim.
    pub measured: Option<LabMeasured>,
    /// Why the outcome is what it is, as far as the evidence goes.
    pub reason: Option<String>,
    /// All claims.
    #[serde(default)]
    pub claims: Vec<ClaimResult>,
    /// Where the definition was found.
    pub found_in: String,
    /// The experiments behind it.
    pub experiments: Vec<LabRun>,
}

/// Findings of `lab`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabFindings {
    /// The labs, in the order in which they were asked for.
    pub labs: Vec<LabResult>,
    /// Wall time of all of them in seconds.
    pub elapsed_s: f64,
}
