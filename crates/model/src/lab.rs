//! Definitions of labs, as their files `lab.toml` state them: small experiments whose results are compared with
//! published claims.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Relation;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabDefinition {
    /// The question that the lab answers, in one sentence.
    pub question: String,
    /// Publication of the claims, unless a claim names a different one.
    #[serde(default)]
    pub source: String,
    /// Machine on which the published figures were measured, unless a claim names a different one.
    #[serde(default)]
    pub machine: String,
    /// Values that can be set when the lab is run; `{NAME}` in any text of the lab is replaced by the value.
    #[serde(default, rename = "option")]
    pub options: BTreeMap<String, LabOption>,
    /// Requirements that the machine has to meet for any part of the lab.
    #[serde(default)]
    pub needs: Needs,
    /// Place in the course of all labs; `None` for a lab outside the course.
    #[serde(default)]
    pub course: Option<LabCourse>,
    /// Expected duration on an ordinary machine, in seconds. If time is limited, short labs are run first.
    #[serde(default = "a_minute")]
    pub seconds: f64,
    /// Files of other labs' subjects that this lab's subject uses, as `LAB/subject/FILE`; they are put into the
    /// directory of this lab's subject.
    #[serde(default)]
    pub borrows: Vec<String>,
    /// Shell commands that build the subject, the program or data that the lab examines. They run in a copy of the
    /// lab's directory before the experiments. Exit status 77 means that the lab cannot run here; the last line of
    /// output says why.
    #[serde(default)]
    pub prepare: Vec<String>,
    /// Number of repetitions of all experiments. Their order is drawn for each round, and figures are medians over the
    /// rounds.
    #[serde(default = "one")]
    pub rounds: u32,
    #[serde(rename = "experiment")]
    pub experiments: Vec<LabExperiment>,
    /// The published claims, each with the measured figures that are compared with it.
    #[serde(rename = "claim")]
    pub claims: Vec<LabClaim>,
}

fn one() -> u32 {
    1
}

fn a_minute() -> f64 {
    60.0
}

/// The position of a lab in the course of all labs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabCourse {
    /// The subject of the lesson in a few words.
    pub teaches: String,
    /// Names of the labs that should be done before this one.
    #[serde(default)]
    pub after: Vec<String>,
}

/// A value in the text of a lab that can be set when the lab is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabOption {
    pub about: String,
    /// Default value, or several separated by commas: an experiment that mentions the option is then run once for each
    /// value.
    pub default: String,
}

/// Requirements that a machine has to meet for a lab, an experiment or a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Needs {
    /// Programs that must be found: a name in `PATH`, or a path.
    pub programs: Vec<String>,
    /// CPUs that must exist and be allowed, by their relation to each other.
    pub cpus: Option<Relation>,
    /// Files that must exist, such as files of a driver.
    pub files: Vec<PathBuf>,
    /// Whether root privileges are required.
    pub root: bool,
}

/// An experiment of a lab: either a command line of fauxplat or a line for the shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabExperiment {
    pub name: String,
    /// Command line of fauxplat without the program's name.
    #[serde(default)]
    pub line: Option<String>,
    /// A line for the shell, run in the lab's directory, that prints a JSON document. The variable `FAUXPLAT` holds the
    /// path of this program. Status 77 means that the experiment cannot run here; the last line of standard error says
    /// why.
    #[serde(default)]
    pub run: Option<String>,
    #[serde(default)]
    pub needs: Needs,
}

/// A published claim, the requirements for examining it, and the measured figure that is compared with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabClaim {
    pub name: String,
    pub published: Claim,
    #[serde(default)]
    pub needs: Needs,
    /// The measured figure; `None` for a claim without figures, which is decided by `checks` alone.
    #[serde(default)]
    pub measured: Option<Measure>,
    /// Further conditions that must hold for the claim to be reproduced.
    #[serde(default, rename = "check")]
    pub checks: Vec<LabCheck>,
    /// Possible reasons for a different outcome, each with the value in an experiment's document that shows it.
    #[serde(default, rename = "because")]
    pub grounds: Vec<LabGround>,
    /// Values in experiments' documents which show that something other than the subject of the claim was at work. The
    /// claim is then undecided.
    #[serde(default)]
    pub disturbed: Vec<LabGround>,
}

/// A published claim: a statement with figures or a direction, or without figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub statement: String,
    /// Unit of the figures, or `times`; empty for a claim without figures.
    #[serde(default)]
    pub unit: String,
    /// The lower end of the published figures; `None` if only a direction was published.
    #[serde(default)]
    pub low: Option<f64>,
    /// The upper end of the published figures; `None` if there is none.
    #[serde(default)]
    pub high: Option<f64>,
    /// Where the range from `low` to `high` comes from: the number of digits of a published figure, the author's runs,
    /// or a choice of the lab's author.
    #[serde(default)]
    pub spread: String,
    /// The smallest distance from `than` that counts as an effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// Side of `than` on which the claimed figure lies; `None` for a claim without figures.
    #[serde(default)]
    pub direction: Option<Direction>,
    /// The number to which `direction` refers: the figure without an effect.
    #[serde(default)]
    pub than: f64,
    #[serde(default)]
    pub source: String,
    /// The machine on which the claim was measured.
    #[serde(default)]
    pub machine: String,
}

/// Side of a given number on which a figure lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    Above,
    Below,
    /// At the number: the claim states that there is no effect.
    At,
}

/// Where a measured figure comes from: the document of one experiment, or of two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    pub experiment: String,
    /// Pointer to the figure: a JSON pointer (RFC 6901) into the experiment's document, in which `[key=value]` finds an
    /// element of a list and `*` stands for every element.
    pub value: String,
    /// Pointer to the lower end of the interval of `value`; `None` if the document has no interval.
    #[serde(default)]
    pub low: Option<String>,
    /// Pointer to the upper end of the interval of `value`; `None` if the document has no interval.
    #[serde(default)]
    pub high: Option<String>,
    /// Whether the figure is a count, which has no interval.
    #[serde(default)]
    pub exact: bool,
    /// A second figure, by which the first is divided.
    #[serde(default)]
    pub over: Option<Second>,
    /// A second figure, which is subtracted from the first.
    #[serde(default)]
    pub minus: Option<Second>,
    /// Factor that converts from the unit of the document to the unit of the claim; `None` is 1.
    #[serde(default)]
    pub times: Option<f64>,
    /// Possible reason for a smaller figure than the published one.
    #[serde(default)]
    pub less: Option<String>,
    /// Possible reason for a larger figure than the published one.
    #[serde(default)]
    pub more: Option<String>,
}

/// The second of two figures that are divided or subtracted. Omitted fields are taken from the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Second {
    #[serde(default)]
    pub experiment: Option<String>,
    #[serde(default)]
    pub value: Option<String>,
    #[serde(default)]
    pub low: Option<String>,
    #[serde(default)]
    pub high: Option<String>,
}

/// A further condition for a claim to be reproduced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabCheck {
    pub experiment: String,
    /// Pointer into the experiment's document, with the syntax of [`Measure::value`].
    pub pointer: String,
    /// Value at the pointer that is required.
    #[serde(default)]
    pub is: Option<Plain>,
    #[serde(default)]
    pub is_not: Option<Plain>,
    /// Value at the pointer that means *undecided*.
    #[serde(default)]
    pub undecided: Option<Plain>,
    /// Sentence for a check that fails; `{}` is replaced by the value at the pointer.
    pub otherwise: String,
}

/// A reason for the outcome of a claim, reported if a value in an experiment's document shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabGround {
    pub experiment: String,
    /// Pointer to that value, with the syntax of [`Measure::value`].
    pub pointer: String,
    /// Pointer to a second number, by which the number at `pointer` is divided before it is compared.
    #[serde(default)]
    pub over: Option<String>,
    /// Value at `pointer` for which the reason holds.
    #[serde(default)]
    pub is: Option<Plain>,
    /// The reason holds only for numbers above this.
    #[serde(default)]
    pub above: Option<f64>,
    /// The reason holds only for numbers below this.
    #[serde(default)]
    pub below: Option<f64>,
    /// The reason as a sentence; `{}` is replaced by the value at `pointer`.
    pub says: String,
}

/// A single value of a JSON document: no list and no object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Plain {
    Truth(bool),
    Number(f64),
    Text(String),
}

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plain::Truth(truth) => truth.fmt(f),
            Plain::Number(number) => number.fmt(f),
            Plain::Text(text) => f.write_str(text),
        }
    }
}
