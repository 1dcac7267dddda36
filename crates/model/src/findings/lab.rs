//! Findings of labs.

use serde::{Deserialize, Serialize};

use crate::{Claim, LabCourse, MachineFacts};

/// Outcome of a published claim on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LabOutcome {
    /// Direction and size agree with the claim.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// Measured, and the claim does not hold on this machine.
    #[serde(rename = "not here")]
    NotHere,
    /// Measured, and neither the claim nor its contrary was shown.
    #[serde(rename = "undecided")]
    Undecided,
    /// A requirement of the lab is missing.
    #[serde(rename = "cannot run here")]
    CannotRunHere,
    /// An error in the lab itself, which says nothing about this machine.
    #[serde(rename = "error")]
    Error,
}

impl LabOutcome {
    /// All outcomes by weight: the outcome of a lab is the first of these that any of its claims has.
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

/// Measured figure beside a claim, in the unit of the claim.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabMeasured {
    /// The figure.
    pub value: f64,
    /// Low end of the interval of `value`.
    pub low: f64,
    /// High end of the interval of `value`.
    pub high: f64,
}

/// An experiment of a lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabRun {
    /// Name of the experiment in the lab.
    pub name: String,
    /// Command line of fauxplat without the program's name, or a line for the shell.
    pub line: String,
    /// Whether `line` is for the shell; the store has no document of it.
    #[serde(default)]
    pub shell: bool,
    /// Identifier in the store of the first repetition, if it was stored.
    pub id: Option<i64>,
    /// Identifiers in the store of all repetitions.
    #[serde(default)]
    pub ids: Vec<i64>,
    /// Table that a program of the lab printed for its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<LabTable>,
    /// Drawing that a program of the lab printed for its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawing: Option<LabDrawing>,
}

/// A table from the field `table` of a lab program's document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabTable {
    /// Titles of the columns.
    pub columns: Vec<String>,
    /// Cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// A drawing from the field `drawing` of a lab program's document: ratios along an axis, ours and the published ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabDrawing {
    /// Title: what is a ratio to what.
    pub title: String,
    /// Label of the horizontal axis.
    pub across: String,
    /// Names of the axis's whole numbers, from 0; empty where the axis is numeric.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Ratios of one kind each, such as ours and the published ones.
    pub lines: Vec<LabLine>,
    /// Published ratios without a place on the axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<LabRule>,
}

/// Ratios along the axis of a lab's drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabLine {
    /// Name of the line.
    pub name: String,
    /// Points: the place on the axis, the ratio, and perhaps both ends of its interval.
    pub points: Vec<Vec<f64>>,
}

/// A ratio across the whole of a lab's drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabRule {
    /// Name of the ratio.
    pub name: String,
    /// The ratio, or the lower end of a range.
    pub value: f64,
    /// The higher end of a range; `None` for a single ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// Result of one claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimResult {
    /// Name of the claim in the lab.
    pub name: String,
    /// Outcome; `None` if the lab was only listed.
    pub outcome: Option<LabOutcome>,
    /// The published claim.
    pub claim: Claim,
    /// The figure that was measured on this machine.
    pub measured: Option<LabMeasured>,
    /// Reason for the outcome, as far as the evidence goes.
    pub reason: Option<String>,
}

/// Result of one lab. A lab that was only listed has neither outcome nor experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabResult {
    /// Name of the lab's directory.
    pub name: String,
    /// The question that the lab answers.
    pub question: String,
    /// Place in the course: the lesson, and the labs before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<LabCourse>,
    /// Expected duration on an ordinary machine in seconds.
    #[serde(default)]
    pub expected_s: f64,
    /// Joint outcome of all claims.
    pub outcome: Option<LabOutcome>,
    /// The claim that decided the outcome; the first claim if nothing was run.
    pub claim: Claim,
    /// The figure that was measured for this claim.
    pub measured: Option<LabMeasured>,
    /// Reason for the outcome, as far as the evidence goes.
    pub reason: Option<String>,
    /// Results of all claims.
    #[serde(default)]
    pub claims: Vec<ClaimResult>,
    /// Whether the time sufficed to run the whole lab.
    #[serde(default = "yes")]
    pub complete: bool,
    /// Sections of the lab's page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub story: Vec<LabStory>,
    /// File with the lab's own page, beside the page of all labs. `None` outside of that page.
    #[serde(skip)]
    pub page: Option<String>,
    /// Path or place of the lab's definition.
    pub found_in: String,
    /// SHA-256 of the definition with its options filled in and of the files that it was run with. `None` if the lab
    /// was only listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The experiments on which the outcome rests.
    pub experiments: Vec<LabRun>,
}

fn yes() -> bool {
    true
}

/// A section of a lab's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabStory {
    /// Heading of the section.
    pub title: String,
    /// Text in Markdown.
    pub text: String,
}

/// Findings of `lab`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabFindings {
    /// The labs, in the order of the command line.
    pub labs: Vec<LabResult>,
    /// Wall time of all labs in seconds.
    pub elapsed_s: f64,
}

/// Facts about one of the two records that `lab compare` compares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabRecordFacts {
    /// Path of the file.
    pub file: String,
    /// The machine on which the labs ran.
    pub machine: MachineFacts,
    /// Start of the record's experiment, in RFC 3339 form.
    pub started: String,
    /// Version of fauxplat that made the record.
    pub fauxplat_version: String,
    /// Number of labs in the record.
    pub labs: usize,
}

/// Result of a claim in one record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabSeen {
    /// Outcome of the claim.
    pub outcome: LabOutcome,
    /// The figure that was measured.
    pub measured: Option<LabMeasured>,
    /// Reason for the outcome.
    pub reason: Option<String>,
}

/// Agreement of two machines on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LabAgreement {
    /// Equal outcomes, and overlapping intervals where both have figures.
    #[serde(rename = "alike")]
    Alike,
    /// Equal outcomes, by figures whose intervals do not overlap.
    #[serde(rename = "another figure")]
    AnotherFigure,
    /// Reproduced on one machine and not on the other.
    #[serde(rename = "another outcome")]
    AnotherOutcome,
    /// Undecided on at least one of the machines.
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
    /// Unit of the figures.
    pub unit: String,
    /// Result in the first record; `None` where it lacks the claim.
    pub a: Option<LabSeen>,
    /// Result in the second record; `None` where it lacks the claim.
    pub b: Option<LabSeen>,
    /// The second figure over the first; `None` where one is missing or the first is zero.
    pub ratio: Option<LabMeasured>,
    /// Agreement of the two results.
    pub agreement: LabAgreement,
}

/// Findings of `lab compare`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabComparison {
    /// The first record.
    pub a: LabRecordFacts,
    /// The second record.
    pub b: LabRecordFacts,
    /// Every claim of either record, in the order of the first.
    pub claims: Vec<LabPair>,
}
