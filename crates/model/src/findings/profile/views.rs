//! Views of a profile that the user requested: callers and callees of functions, and samples by source line.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "view", rename_all = "kebab-case")]
pub enum ProfileView {
    /// Callers of the functions that a pattern matches.
    CallersOf(Relatives),
    /// Callees of the functions that a pattern matches.
    CalleesOf(Relatives),
    /// Samples by source line and instruction of the functions that a pattern matches.
    Annotated(Annotated),
}

/// Direct and indirect callers or callees of the functions that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relatives {
    /// Index of the profile in [`super::ProfileFindings::profiles`].
    pub profile: u16,
    pub pattern: String,
    pub functions: Vec<String>,
    /// Number of samples in one of `functions` or in functions that they call.
    pub samples: u64,
    /// `samples` as a share of all samples of the profile.
    pub share: f64,
    /// Lower end of the interval of `share`.
    pub low: f64,
    pub high: f64,
    /// The callers or callees: the nearest first, and at equal distance the one with most samples first.
    pub relatives: Vec<Relative>,
}

/// A caller or callee of the functions that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relative {
    pub name: String,
    /// Number of samples of the matched functions whose stacks contain this function.
    pub samples: u64,
    /// `samples` as a share of the samples of the matched functions.
    pub share: f64,
    /// Lower end of the interval of `share`.
    pub low: f64,
    pub high: f64,
    /// Smallest number of calls between this function and a matched one: 1 for a direct caller or callee.
    pub depth: u32,
    /// Whether the call next to the matched function was inlined, at the smallest distance.
    pub is_inlined: bool,
}

/// Samples by source line and instruction of the functions that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Annotated {
    /// Index of the profile in [`super::ProfileFindings::profiles`].
    pub profile: u16,
    pub pattern: String,
    pub functions: Vec<AnnotatedFunction>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedFunction {
    pub name: String,
    /// Number of samples in the function itself.
    pub samples: u64,
    /// Number of events for which `samples` stand; `None` if all samples stand for the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the share of the profile's samples that are in the function itself; `None` if it was not
    /// computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    pub file: Option<String>,
    /// Source lines with samples, and the lines around them if the source file could be read.
    pub lines: Vec<AnnotatedLine>,
    /// Instructions of the function; empty if they could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<AnnotatedInstruction>,
    /// Why lines or instructions are missing, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedLine {
    /// Line number, from 1.
    pub line: u32,
    pub samples: u64,
    /// Number of events for which `samples` stand; `None` if all samples stand for the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the share of the function's samples that are on this line; `None` without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Text of the line; `None` if the source file could not be read.
    pub text: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedInstruction {
    /// Address of the instruction in the object file.
    pub address: u64,
    pub samples: u64,
    /// Number of events for which `samples` stand; `None` if all samples stand for the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the share of the function's samples that are at this instruction; `None` without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// The instruction in assembly language.
    pub text: String,
}
