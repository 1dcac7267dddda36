//! What follows from labs.

use serde::{Deserialize, Serialize};

use crate::{Claim, MachineFacts};

/// What came of a published claim on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LabOutcome {
    /// Direction and size agree with the claim.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// Measured, and this machine does not show it.
    #[serde(rename = "not here")]
    NotHere,
    /// Measured, and neither the claim nor its contrary was shown.
    #[serde(rename = "undecided")]
    Undecided,
    /// Something is missing.
    #[serde(rename = "cannot run here")]
    CannotRunHere,
    /// The lab itself is wrong: it says nothing about this machine.
    #[serde(rename = "error")]
    Error,
}

impl LabOutcome {
    /// All of them; the first that a claim of a lab has is the outcome of the lab.
    pub const BY_WEIGHT: [LabOutcome; 5] = [
        LabOutcome::Error,
        LabOutcome::NotHere,
        LabOutcome::Undecided,
        LabOutcome::Reproduced,
        LabOutcome::CannotRunHere,
    ];

    /// The words of reports.
    pub fn words(self) -> &'static str {
        match self {
            LabOutcome::Reproduced => "reproduced",
            LabOutcome::NotHere => "not here",
            LabOutcome::Undecided => "undecided",
            LabOutcome::CannotRunHere => "cannot run here",
            LabOutcome::Error => "error",
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
    /// Whether time let all of it be run.
    #[serde(default = "yes")]
    pub complete: bool,
    /// Its page, in parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub story: Vec<LabStory>,
    /// Where the definition was found.
    pub found_in: String,
    /// SHA-256 of what was run: the definition with its options filled in, and the files that it was run with. Absent
    /// if it was only listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The experiments behind it.
    pub experiments: Vec<LabRun>,
}

fn yes() -> bool {
    true
}

/// A part of a lab's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabStory {
    /// What it is about.
    pub title: String,
    /// What it says, in Markdown.
    pub text: String,
}

/// Findings of `lab`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabFindings {
    /// The labs, in the order in which they were asked for.
    pub labs: Vec<LabResult>,
    /// Wall time of all of them in seconds.
    pub elapsed_s: f64,
}

/// One of two records that `lab compare` holds against each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabRecordFacts {
    /// The file.
    pub file: String,
    /// The machine.
    pub machine: MachineFacts,
    /// When it was made.
    pub started: String,
    /// The version that made it.
    pub fauxplat_version: String,
    /// How many labs it has.
    pub labs: usize,
}

/// What one record says of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabSeen {
    /// What came of it.
    pub outcome: LabOutcome,
    /// What was measured.
    pub measured: Option<LabMeasured>,
    /// Why the outcome is what it is.
    pub reason: Option<String>,
}

/// How two machines agree on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LabAgreement {
    /// The same outcome, and figures whose intervals meet, if there are some.
    #[serde(rename = "alike")]
    Alike,
    /// The same outcome, by figures whose intervals do not meet.
    #[serde(rename = "another figure")]
    AnotherFigure,
    /// It holds on one and not on the other.
    #[serde(rename = "another outcome")]
    AnotherOutcome,
    /// It was not decided on both.
    #[serde(rename = "not comparable")]
    NotComparable,
}

impl LabAgreement {
    /// The words of reports.
    pub fn words(self) -> &'static str {
        match self {
            LabAgreement::Alike => "alike",
            LabAgreement::AnotherFigure => "another figure",
            LabAgreement::AnotherOutcome => "another outcome",
            LabAgreement::NotComparable => "not comparable",
        }
    }
}

/// A claim on two machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabPair {
    /// The lab.
    pub lab: String,
    /// The claim.
    pub claim: String,
    /// What its figures are.
    pub unit: String,
    /// What the first record says; absent where it has not that claim.
    pub a: Option<LabSeen>,
    /// What the second one says.
    pub b: Option<LabSeen>,
    /// The second figure over the first, where there are both and the first is not zero.
    pub ratio: Option<LabMeasured>,
    /// How they agree.
    pub agreement: LabAgreement,
}

/// Findings of `lab compare`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabComparison {
    /// The first record.
    pub a: LabRecordFacts,
    /// The second one.
    pub b: LabRecordFacts,
    /// Every claim of either, in the order of the first.
    pub claims: Vec<LabPair>,
}
