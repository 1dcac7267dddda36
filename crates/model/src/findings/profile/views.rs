//! Views of a profile that were requested: callers, callees, annotated source.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "view", rename_all = "kebab-case")]
pub enum ProfileView {
    /// Callers of the functions that a pattern matches.
    CallersOf(Relatives),
    /// Callees of the functions that a pattern matches.
    CalleesOf(Relatives),
    /// Lines and instructions of the functions that a pattern matches.
    Annotated(Annotated),
}

/// Callers or callees of functions, at any distance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relatives {
    /// Index in `profiles`.
    pub profile: u16,
    pub pattern: String,
    pub functions: Vec<String>,
    /// Samples in one of these functions or their callees.
    pub samples: u64,
    /// `samples` as a share of the profile.
    pub share: f64,
    /// Low end of the interval of `share`.
    pub low: f64,
    pub high: f64,
    /// Callers or callees: the nearest first, and at equal distance the one with most samples first.
    pub relatives: Vec<Relative>,
}

/// A caller or callee of the functions that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relative {
    pub name: String,
    /// Samples of the matched functions whose stacks contain this function.
    pub samples: u64,
    /// `samples` as a share of the samples of the matched functions.
    pub share: f64,
    /// Low end of the interval of `share`.
    pub low: f64,
    pub high: f64,
    /// Least distance in calls: 1 for a direct caller or callee.
    pub depth: u32,
    /// Whether the nearest call was inlined.
    pub is_inlined: bool,
}

/// Lines and instructions of functions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Annotated {
    /// Index in `profiles`.
    pub profile: u16,
    pub pattern: String,
    pub functions: Vec<AnnotatedFunction>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedFunction {
    pub name: String,
    /// Samples in the function itself.
    pub samples: u64,
    /// Events that these samples represent, if samples represent different numbers of events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the function's own share of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    pub file: Option<String>,
    /// Source lines with samples, and their context if the file could be read.
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
    /// Events that these samples represent, if samples represent different numbers of events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the line's share of the function; `None` without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// `None` if the file could not be read.
    pub text: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedInstruction {
    /// Address in the object file.
    pub address: u64,
    pub samples: u64,
    /// Events that these samples represent, if samples represent different numbers of events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the instruction's share of the function; `None` without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Disassembly.
    pub text: String,
}
