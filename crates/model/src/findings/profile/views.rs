//! Views of a profile that are asked for: callers, callees, annotated source.

use serde::{Deserialize, Serialize};

/// A further view of a profile.
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
    /// The pattern.
    pub pattern: String,
    /// The functions that the pattern matches.
    pub functions: Vec<String>,
    /// Samples in one of these functions or in their callees.
    pub samples: u64,
    /// `samples` as a share of the profile.
    pub share: f64,
    /// Low end of the interval of `share`.
    pub low: f64,
    /// High end of the interval of `share`.
    pub high: f64,
    /// Callers or callees: the nearest first, and at equal distance the one with most samples first.
    pub relatives: Vec<Relative>,
}

/// A caller or callee of the functions that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relative {
    /// Name of the function.
    pub name: String,
    /// Samples of the matched functions on whose stacks this function stands.
    pub samples: u64,
    /// `samples` as a share of the samples of the matched functions.
    pub share: f64,
    /// Low end of the interval of `share`.
    pub low: f64,
    /// High end of the interval of `share`.
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
    /// The pattern.
    pub pattern: String,
    /// The functions that the pattern matches.
    pub functions: Vec<AnnotatedFunction>,
}

/// Lines and instructions of one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedFunction {
    /// Name of the function.
    pub name: String,
    /// Samples in the function itself.
    pub samples: u64,
    /// Events that these samples stand for, where samples stand for different numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of the share of the profile that is in the function itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Path of the source file, if known.
    pub file: Option<String>,
    /// Source lines with samples, and their context if the file could be read.
    pub lines: Vec<AnnotatedLine>,
    /// Instructions of the function, if they could be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<AnnotatedInstruction>,
    /// Why lines or instructions are missing; a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A line of source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedLine {
    /// Line number, from 1.
    pub line: u32,
    /// Samples at the line.
    pub samples: u64,
    /// Events that these samples stand for, where samples stand for different numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of its share of the function; absent without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Text of the line, if the file could be read.
    pub text: Option<String>,
}

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedInstruction {
    /// Address in the object file.
    pub address: u64,
    /// Samples at the instruction.
    pub samples: u64,
    /// Events that these samples stand for, where samples stand for different numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// 95 % interval of its share of the function; absent without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Disassembly.
    pub text: String,
}
