//! Tables that all profiles of a document share: object files, locations in code, stacks, instructions, and the weights
//! of samples.

use serde::{Deserialize, Serialize};

/// An object file that contains sampled code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfiledObject {
    /// Path of the file, or `[kernel]`, `[vdso]`, `[jit]`.
    pub path: String,
    /// Build ID from the linker, in hexadecimal; `None` if the file has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    pub names: ObjectNames,
    /// The symbol information that is missing, and the package to install for it; `None` if nothing is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// How much symbol information of an object file is available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectNames {
    /// No names of functions.
    #[default]
    None,
    /// Names of exported functions only.
    Exported,
    /// Names of all functions.
    Symbols,
    /// Names of all functions, source lines and inlined functions.
    Lines,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProfiledFrame {
    /// Demangled name of the function; in a file without symbol names, the file and the start address of the function
    /// in it.
    pub name: String,
    /// Other names of the function, which patterns are matched against too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Index in `objects` of the file that contains the function; `None` for code without a file.
    pub object: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in the source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether the function is inlined into its caller, the previous frame of the stack.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_inlined: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_kernel: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unknown: bool,
}

/// A call stack that was sampled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfiledStack {
    /// Indices in `frames`, from the outermost caller to the function that ran.
    pub frames: Vec<u32>,
    /// Name of the process in the kernel (`comm`); may be empty.
    pub process: String,
    /// How far the stack could be unwound.
    pub end: StackEnd,
    /// Number of samples with this stack, for each profile.
    pub samples: Vec<u64>,
    /// Number of events for which `samples` stand, for each profile; empty if all samples stand for the same number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
    /// Sum over the samples of the squared number of events, for each profile. Intervals are computed from this sum,
    /// and are stored in its place.
    #[serde(skip)]
    pub squares: Vec<f64>,
}

/// The weight of samples: a share is a sum of the events for which samples stand, and its interval depends on how
/// evenly the events are distributed over the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weight {
    pub samples: u64,
    /// Number of events for which the samples stand together.
    pub events: u64,
    /// Sum over the samples of the squared number of events.
    pub squares: f64,
}

impl Weight {
    /// The weight of samples that stand for `period` events each.
    pub fn of(samples: u64, period: u64) -> Self {
        let squares = samples as f64 * (period as f64).powi(2);
        Weight { samples, events: samples.saturating_mul(period), squares }
    }

    /// The weight of samples that stand for `events` together, on the assumption of equal parts.
    pub fn evenly(samples: u64, events: u64) -> Self {
        Weight { samples, events, squares: (events as f64).powi(2) / samples.max(1) as f64 }
    }
}

impl std::ops::AddAssign for Weight {
    fn add_assign(&mut self, more: Self) {
        self.samples += more.samples;
        self.events = self.events.saturating_add(more.events);
        self.squares += more.squares;
    }
}

impl ProfiledStack {
    /// Weight of the samples with this stack in one profile. Each sample weighs 1 if all stand for the same number of
    /// events.
    pub fn weight(&self, profile: usize) -> Weight {
        let samples = self.samples.get(profile).copied().unwrap_or(0);
        match (self.events.get(profile), self.squares.get(profile)) {
            (Some(&events), Some(&squares)) => Weight { samples, events, squares },
            // Documents do not contain the squares, so equal parts are assumed.
            (Some(&events), None) => Weight::evenly(samples, events),
            (None, _) => Weight::of(samples, 1),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StackEnd {
    /// Up to the outermost caller.
    #[default]
    Whole,
    /// Up to the end of the part of the stack that was copied.
    Truncated,
    /// Up to code without unwinding information.
    Broken,
}

/// An instruction at which samples were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfiledInstruction {
    /// Index in `objects` of the file that contains the instruction.
    pub object: u32,
    /// Address of the instruction, as in the symbol tables of the file.
    pub address: u64,
    /// Index in `frames` of the function and line of the instruction; with inlining, of the innermost function.
    pub frame: u32,
    /// Number of samples at this instruction, for each profile.
    pub samples: Vec<u64>,
    /// Number of events for which `samples` stand, for each profile; empty if all samples stand for the same number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
}

impl ProfiledInstruction {
    /// Number of events for which the samples at the instruction stand in one profile; the number of samples if all
    /// stand for the same number of events.
    pub fn events(&self, profile: usize) -> u64 {
        self.events.get(profile).or_else(|| self.samples.get(profile)).copied().unwrap_or(0)
    }
}
