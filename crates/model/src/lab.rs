//! Labs: small experiments with published claims, as they stand in `lab.toml`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Relation;

/// A lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabDefinition {
    /// The question that it answers, in one sentence.
    pub question: String,
    /// Who published the claims, where a claim does not say it itself.
    #[serde(default)]
    pub source: String,
    /// The machine of the claims, where a claim does not say it itself.
    #[serde(default)]
    pub machine: String,
    /// What may be set when it is run; `{NAME}` in any text of the lab becomes the value.
    #[serde(default, rename = "option")]
    pub options: BTreeMap<String, LabOption>,
    /// What no part of it can do without.
    #[serde(default)]
    pub needs: Needs,
    /// How long it takes on an ordinary machine, in seconds: where time is short, what takes little is run first.
    #[serde(default = "a_minute")]
    pub seconds: f64,
    /// Files of other labs that lie in the folder of its own subject, as `LAB/subject/FILE`.
    #[serde(default)]
    pub borrows: Vec<String>,
    /// Shell commands that make the subject, run in a copy of the lab's folder before the experiments. One that ends
    /// with status 77 has found that the lab cannot run here; the last line that it prints says why.
    #[serde(default)]
    pub prepare: Vec<String>,
    /// How often all experiments are run, in an order drawn for each round; figures are then medians over the rounds.
    #[serde(default = "one")]
    pub rounds: u32,
    /// What is run, in this order if it is run once.
    #[serde(rename = "experiment")]
    pub experiments: Vec<LabExperiment>,
    /// What somebody published, and where our figures stand.
    #[serde(rename = "claim")]
    pub claims: Vec<LabClaim>,
}

fn one() -> u32 {
    1
}

fn a_minute() -> f64 {
    60.0
}

/// Something that may be set when a lab is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabOption {
    /// What it is, in a few words.
    pub about: String,
    /// Its value, or several with commas between them: whatever mentions it is then there once for each.
    pub default: String,
}

/// What a machine must have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Needs {
    /// Programs that must be found in `PATH`, or by their path.
    pub programs: Vec<String>,
    /// CPUs that must exist and be allowed, by relation.
    pub cpus: Option<Relation>,
    /// Files that must exist, such as those of a driver.
    pub files: Vec<PathBuf>,
    /// Whether only root may do it.
    pub root: bool,
}

/// One thing that is run: either words of fauxplat or a line for the shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabExperiment {
    /// What the lab calls it.
    pub name: String,
    /// Words of fauxplat, without its name, as one line.
    #[serde(default)]
    pub line: Option<String>,
    /// A line for the shell, run in the lab's folder, that prints a JSON document; `FAUXPLAT` in its environment is this
    /// program. Status 77 says that it cannot run here, and the last line of its errors why.
    #[serde(default)]
    pub run: Option<String>,
    /// What it cannot do without.
    #[serde(default)]
    pub needs: Needs,
}

/// A claim, what is needed to judge it, and where our own figure stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabClaim {
    /// What the lab calls it.
    pub name: String,
    /// What somebody published.
    pub published: Claim,
    /// What it takes to judge it.
    #[serde(default)]
    pub needs: Needs,
    /// Where our figure stands; absent for a claim without figures, which its checks alone decide.
    #[serde(default)]
    pub measured: Option<Measure>,
    /// What must hold besides.
    #[serde(default, rename = "check")]
    pub checks: Vec<LabCheck>,
    /// Reasons for another outcome that a reading shows.
    #[serde(default, rename = "because")]
    pub grounds: Vec<LabGround>,
}

/// What somebody published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim in words.
    pub statement: String,
    /// What the figures are: `times`, or a unit; empty for a claim without figures.
    #[serde(default)]
    pub unit: String,
    /// The lower published figure; absent where only a direction was published.
    #[serde(default)]
    pub low: Option<f64>,
    /// The higher one.
    #[serde(default)]
    pub high: Option<f64>,
    /// Where these two come from: the rounding of a figure, the author's runs, or who chose them.
    #[serde(default)]
    pub spread: String,
    /// The smallest distance from `than` that counts as an effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// On which side of `than` the claim lies; absent for a claim without figures.
    #[serde(default)]
    pub direction: Option<Direction>,
    /// What the direction counts from.
    #[serde(default)]
    pub than: f64,
    /// Who published it, and where.
    #[serde(default)]
    pub source: String,
    /// The machine of the claim.
    #[serde(default)]
    pub machine: String,
}

/// On which side of a number something lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Above it.
    Above,
    /// Below it.
    Below,
    /// At it: the claim is that there is no effect.
    At,
}

/// Where a figure comes from: one experiment, or two of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Name of the experiment.
    pub experiment: String,
    /// The figure: a pointer by RFC 6901 into its document, in which `[key=value]` finds an element of a list
    /// and `*` is each of them.
    pub value: String,
    /// Low end of its interval, a pointer as well.
    #[serde(default)]
    pub low: Option<String>,
    /// High end of it.
    #[serde(default)]
    pub high: Option<String>,
    /// Whether the figure is a count that has no interval.
    #[serde(default)]
    pub exact: bool,
    /// A second figure, by which the first is divided.
    #[serde(default)]
    pub over: Option<Second>,
    /// A second figure, which is taken from the first.
    #[serde(default)]
    pub minus: Option<Second>,
    /// A factor that makes the claim's unit of the document's.
    #[serde(default)]
    pub times: Option<f64>,
    /// Why a machine may show less than the claim, as a guess.
    #[serde(default)]
    pub less: Option<String>,
    /// Why it may show more.
    #[serde(default)]
    pub more: Option<String>,
}

/// The second figure of two: what it does not say is as in the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Second {
    /// Name of the experiment.
    #[serde(default)]
    pub experiment: Option<String>,
    /// The figure.
    #[serde(default)]
    pub value: Option<String>,
    /// Low end of its interval.
    #[serde(default)]
    pub low: Option<String>,
    /// High end of it.
    #[serde(default)]
    pub high: Option<String>,
}

/// Something else that must hold for a claim to be reproduced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabCheck {
    /// Name of the experiment.
    pub experiment: String,
    /// Where to look in its document, as for a figure.
    pub pointer: String,
    /// What must stand there.
    #[serde(default)]
    pub is: Option<Plain>,
    /// What must not stand there.
    #[serde(default)]
    pub is_not: Option<Plain>,
    /// What stands there where it was not decided.
    #[serde(default)]
    pub undecided: Option<Plain>,
    /// What it means when it does not hold; `{}` becomes what stands there.
    pub otherwise: String,
}

/// A reason for an outcome, which is told where a reading shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabGround {
    /// Name of the experiment.
    pub experiment: String,
    /// Where to look in its document, as for a check.
    pub pointer: String,
    /// What stands there, if the reason is one.
    #[serde(default)]
    pub is: Option<Plain>,
    /// The number there is above this one.
    #[serde(default)]
    pub above: Option<f64>,
    /// The number there is below this one.
    #[serde(default)]
    pub below: Option<f64>,
    /// The reason; `{}` becomes what stands there.
    pub says: String,
}

/// A plain value that can stand in a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Plain {
    /// A truth.
    Truth(bool),
    /// A number.
    Number(f64),
    /// A word.
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
