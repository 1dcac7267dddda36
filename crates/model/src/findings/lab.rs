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
    /// The command line of fauxplat.
    pub line: String,
    /// Identifier of the experiment in the store, if it was stored.
    pub id: Option<i64>,
}

/// One lab. What was only listed has neither outcome nor experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabResult {
    /// Its name: that of its folder.
    pub name: String,
    /// The question that it answers.
    pub question: String,
    /// What came of the claim.
    pub outcome: Option<LabOutcome>,
    /// What was claimed.
    pub claim: Claim,
    /// What was measured here.
    pub measured: Option<LabMeasured>,
    /// Why the outcome is what it is, as far as the evidence goes.
    pub reason: Option<String>,
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
