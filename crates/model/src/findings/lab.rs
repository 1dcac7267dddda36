//! Findings of labs.

use serde::{Deserialize, Serialize};

use crate::{Claim, LabCourse, MachineFacts};

/// Outcome of a published claim on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LabOutcome {
    /// Direction and size agree with the claim.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// Measured, but the claim does not hold on this machine.
    #[serde(rename = "not here")]
    NotHere,
    /// Measured, but neither the claim nor its contrary was shown.
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
    /// All outcomes by weight. The outcome of a lab is the first in this list that any of its claims has.
    pub const BY_WEIGHT: [LabOutcome; 5] = [
        LabOutcome::Error,
        LabOutcome::NotHere,
        LabOutcome::Undecided,
        LabOutcome::Reproduced,
        LabOutcome::CannotRunHere,
    ];

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

/// A measured figure beside a claim, in the unit of the claim.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabMeasured {
    pub value: f64,
    /// Low end of the interval of `value`.
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabRun {
    /// Name of the experiment in the lab.
    pub name: String,
    /// Command line of fauxplat without the program's name, or a line for the shell.
    pub line: String,
    /// Whether `line` is for the shell. The store has no document of such a line.
    #[serde(default)]
    pub shell: bool,
    /// Identifier in the store of the first repetition; `None` if it was not stored.
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
    pub columns: Vec<String>,
    /// Cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// A drawing from the field `drawing` of a lab program's document: measured and published ratios along an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabDrawing {
    /// Title, which names numerator and denominator of the ratios.
    pub title: String,
    pub across: String,
    /// Names of the whole numbers on the axis, from 0; empty for a numeric axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Series of ratios, such as the measured and the published ones.
    pub lines: Vec<LabLine>,
    /// Published ratios without a place on the axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<LabRule>,
}

/// Ratios along the axis of a lab's drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabLine {
    pub name: String,
    /// Points: the place on the axis, the ratio, and optionally both ends of its interval.
    pub points: Vec<Vec<f64>>,
}

/// A ratio drawn across the whole width of a lab's drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabRule {
    pub name: String,
    /// The ratio, or the lower end of a range.
    pub value: f64,
    /// The upper end of a range; `None` for a single ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimResult {
    pub name: String,
    /// `None` if the lab was only listed.
    pub outcome: Option<LabOutcome>,
    pub claim: Claim,
    pub measured: Option<LabMeasured>,
    /// Reason for the outcome, as far as the evidence shows.
    pub reason: Option<String>,
}

/// Result of one lab. A lab that was only listed has neither outcome nor experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabResult {
    /// Name of the lab's directory.
    pub name: String,
    pub question: String,
    /// Place in the course: the lesson, and the labs before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<LabCourse>,
    /// Expected duration on an ordinary machine in seconds.
    #[serde(default)]
    pub expected_s: f64,
    pub outcome: Option<LabOutcome>,
    /// The claim that decided the outcome; the first claim if nothing was run.
    pub claim: Claim,
    /// The figure that was measured for `claim`.
    pub measured: Option<LabMeasured>,
    /// Reason for the outcome, as far as the evidence shows.
    pub reason: Option<String>,
    #[serde(default)]
    pub claims: Vec<ClaimResult>,
    /// Whether the time sufficed to run the whole lab.
    #[serde(default = "yes")]
    pub complete: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub story: Vec<LabStory>,
    /// File with the lab's own page, beside the page of all labs; `None` elsewhere.
    #[serde(skip)]
    pub page: Option<String>,
    pub found_in: String,
    /// SHA-256 of the definition with its options filled in and of the files that were used; `None` if the lab was only
    /// listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The experiments on which the outcome rests.
    pub experiments: Vec<LabRun>,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabStory {
    pub title: String,
    /// Text in Markdown.
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabFindings {
    /// The labs, in the order of the command line.
    pub labs: Vec<LabResult>,
    pub elapsed_s: f64,
}

/// Facts about one of the two records that `lab compare` compares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabRecordFacts {
    pub file: String,
    pub machine: MachineFacts,
    /// Start of the record's experiment, in RFC 3339 form.
    pub started: String,
    /// Version of fauxplat that made the record.
    pub fauxplat_version: String,
    pub labs: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabSeen {
    pub outcome: LabOutcome,
    pub measured: Option<LabMeasured>,
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LabAgreement {
    /// Equal outcomes, and overlapping intervals if both have figures.
    #[serde(rename = "alike")]
    Alike,
    /// Equal outcomes, but the intervals of the figures do not overlap.
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
    pub fn words(self) -> &'static str {
        match self {
            LabAgreement::Alike => "alike",
            LabAgreement::AnotherFigure => "another figure",
            LabAgreement::AnotherOutcome => "another outcome",
            LabAgreement::NotComparable => "not comparable",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabPair {
    pub lab: String,
    pub claim: String,
    pub unit: String,
    /// Result in the first record; `None` if the record lacks the claim.
    pub a: Option<LabSeen>,
    /// Result in the second record; `None` if the record lacks the claim.
    pub b: Option<LabSeen>,
    /// The second figure over the first; `None` if a figure is missing or the first is zero.
    pub ratio: Option<LabMeasured>,
    pub agreement: LabAgreement,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabComparison {
    pub a: LabRecordFacts,
    pub b: LabRecordFacts,
    /// Every claim of either record, in the order of the first record.
    pub claims: Vec<LabPair>,
}
