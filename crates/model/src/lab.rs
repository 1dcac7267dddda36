//! Labs: small experiments with a published claim, as they stand in `lab.toml`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabDefinition {
    /// The question that it answers, in one sentence.
    pub question: String,
    /// Programs that must be found in `PATH`.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Shell commands that make the subject, run in a copy of the lab's folder before the experiments. One that ends
    /// with status 77 has found that the lab cannot run here; the last line that it prints says why.
    #[serde(default)]
    pub prepare: Vec<String>,
    /// What somebody published.
    pub claim: Claim,
    /// Command lines of fauxplat, in the order in which they are run.
    #[serde(rename = "experiment")]
    pub experiments: Vec<LabExperiment>,
    /// Where our figure stands.
    pub measured: Measure,
    /// What must hold besides.
    #[serde(default, rename = "check")]
    pub checks: Vec<LabCheck>,
}

/// What somebody published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim in words.
    pub statement: String,
    /// What the figures are: `ratio`, or a unit.
    pub unit: String,
    /// The lower published figure.
    pub low: f64,
    /// The higher one.
    pub high: f64,
    /// On which side of `than` the claim lies.
    pub direction: Direction,
    /// What the direction counts from.
    pub than: f64,
    /// Who published it, and where.
    pub source: String,
    /// The machine of the claim.
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

/// One command line of a lab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabExperiment {
    /// What the lab calls it.
    pub name: String,
    /// Words of fauxplat, without its name, as one line.
    pub line: String,
}

/// Where a figure stands in the JSON document of an experiment: pointers by RFC 6901.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Name of the experiment.
    pub experiment: String,
    /// The figure.
    pub value: String,
    /// Low end of its interval.
    pub low: String,
    /// High end of it.
    pub high: String,
    /// Why a machine may show less than the claim, in words that the evidence bears.
    #[serde(default)]
    pub less: Option<String>,
    /// Why it may show more.
    #[serde(default)]
    pub more: Option<String>,
}

/// Something else that must hold for the claim to be reproduced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabCheck {
    /// Name of the experiment.
    pub experiment: String,
    /// Where to look in its document, by RFC 6901.
    pub pointer: String,
    /// What must stand there.
    #[serde(default)]
    pub is: Option<Plain>,
    /// What must not stand there.
    #[serde(default)]
    pub is_not: Option<Plain>,
    /// What it means when it does not hold; `{}` becomes what stands there.
    pub otherwise: String,
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
