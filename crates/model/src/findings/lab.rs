//! Findings of labs, which compare published claims with measurements on this machine.

use serde::{Deserialize, Serialize};

use crate::{Claim, LabCourse, MachineFacts};

/// Outcome of a published claim on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LabOutcome {
    /// The claim holds on this machine: direction and size agree.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// The claim does not hold on this machine by the measurement.
    #[serde(rename = "not here")]
    NotHere,
    /// The measurement shows neither the claim nor its contrary.
    #[serde(rename = "undecided")]
    Undecided,
    /// The machine lacks a requirement of the lab.
    #[serde(rename = "cannot run here")]
    CannotRunHere,
    /// The lab itself has an error, so nothing is known about this machine.
    #[serde(rename = "error")]
    Error,
}

impl LabOutcome {
    /// All outcomes by precedence: the outcome of a lab is the first in this list that any of its claims has.
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

/// A measured figure with its interval, in the unit of the claim.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabMeasured {
    pub value: f64,
    /// Lower end of the interval of `value`.
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabRun {
    /// Name of the experiment within the lab.
    pub name: String,
    /// Command line of fauxplat without the program's name, or a line for the shell.
    pub line: String,
    /// Whether `line` is for the shell; the store then has no document of the experiment.
    #[serde(default)]
    pub shell: bool,
    /// Identifier in the store of the first repetition; `None` if it was not stored.
    pub id: Option<i64>,
    /// Identifiers in the store of all repetitions.
    #[serde(default)]
    pub ids: Vec<i64>,
    /// Table that a program of the lab printed for the lab's page; `None` if it printed none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<LabTable>,
    /// Drawing that a program of the lab printed for the lab's page; `None` if it printed none.
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
    /// Names of the positions 0, 1, … on the axis; empty for a numeric axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Series of ratios, such as the measured and the published ones.
    pub lines: Vec<LabLine>,
    /// Published ratios without a position on the axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<LabRule>,
}

/// Ratios along the axis of a lab's drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabLine {
    pub name: String,
    /// Points, each as the position on the axis, the ratio, and optionally both ends of its interval.
    pub points: Vec<Vec<f64>>,
}

/// A horizontal line or band in a lab's drawing, across its whole width, at a published ratio.
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
    /// Outcome of the claim; `None` if the lab was only listed.
    pub outcome: Option<LabOutcome>,
    pub claim: Claim,
    pub measured: Option<LabMeasured>,
    /// Reason for the outcome in one sentence; `None` if the lab was only listed.
    pub reason: Option<String>,
}

/// Result of one lab. A lab that was only listed has neither outcome nor experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabResult {
    /// Name of the lab, which is that of its directory.
    pub name: String,
    pub question: String,
    /// Place in the course of all labs; `None` for a lab outside the course.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<LabCourse>,
    /// Expected duration on an ordinary machine in seconds.
    #[serde(default)]
    pub expected_s: f64,
    pub outcome: Option<LabOutcome>,
    /// The claim that decided the outcome; the first claim if nothing was run.
    pub claim: Claim,
    /// The figure that was measured for `claim`; `None` if there is none.
    pub measured: Option<LabMeasured>,
    /// Reason for the outcome in one sentence; `None` if the lab was only listed.
    pub reason: Option<String>,
    #[serde(default)]
    pub claims: Vec<ClaimResult>,
    /// Whether the time sufficed to run all of the lab.
    #[serde(default = "yes")]
    pub complete: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub story: Vec<LabStory>,
    /// File with the lab's own page, relative to the page of all labs; `None` if there is no such page.
    #[serde(skip)]
    pub page: Option<String>,
    pub found_in: String,
    /// SHA-256 of the definition with its options filled in and of the files that were used; `None` if the lab was only
    /// listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The experiments whose results were compared with the claims.
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
    /// Start of the experiment, in RFC 3339 form.
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
    /// Equal outcomes, and overlapping intervals if both records have figures.
    #[serde(rename = "alike")]
    Alike,
    /// Equal outcomes, but the intervals of the figures do not overlap.
    #[serde(rename = "another figure")]
    AnotherFigure,
    /// The claim is reproduced in one record and does not hold in the other.
    #[serde(rename = "another outcome")]
    AnotherOutcome,
    /// The claim is not decided in at least one of the records.
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
    /// Result in the first record; `None` if the claim was not run or is not in the record.
    pub a: Option<LabSeen>,
    /// Result in the second record; `None` if the claim was not run or is not in the record.
    pub b: Option<LabSeen>,
    /// Ratio of the second record's figure to the first's; `None` if a figure is missing or the first may be zero.
    pub ratio: Option<LabMeasured>,
    pub agreement: LabAgreement,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabComparison {
    pub a: LabRecordFacts,
    pub b: LabRecordFacts,
    /// Every claim that is in any of the two records, in the order of the first.
    pub claims: Vec<LabPair>,
}
