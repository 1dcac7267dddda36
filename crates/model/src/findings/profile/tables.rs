//! Tables that all profiles of a document share: object files, code locations, stacks, instructions, and the weights of
//! samples.

use serde::{Deserialize, Serialize};

/// An object file of sampled code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfiledObject {
    /// Path, or `[kernel]`, `[vdso]`, `[jit]`.
    pub path: String,
    /// Build ID from the linker, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    pub names: ObjectNames,
    /// Missing information and the package to install; `None` if nothing is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Level of symbol information of an object file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectNames {
    /// No names.
    #[default]
    None,
    /// Names of exported functions.
    Exported,
    /// Names of all functions.
    Symbols,
    /// Names, lines and inlined functions.
    Lines,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProfiledFrame {
    /// The demangled function; in a file without symbol names, the file and the start address of the function in the
    /// file.
    pub name: String,
    /// Other names of the function, which patterns match too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Index in `objects` of the function's file.
    pub object: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in the source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether the function is inlined into the previous frame, its caller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_inlined: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_kernel: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unknown: bool,
}

/// A call stack of samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfiledStack {
    /// Indices in `frames`, from the outermost caller to the function that ran.
    pub frames: Vec<u32>,
    /// Name of the process in the kernel (`comm`); may be empty.
    pub process: String,
    /// How far the stack was unwound.
    pub end: StackEnd,
    /// Number of samples in each profile.
    pub samples: Vec<u64>,
    /// Events that these samples represent in each profile; empty if all samples represent the same number of events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
    /// Sum over the samples of the squared number of events, for each profile. Intervals follow from this sum and are
    /// stored in its place.
    #[serde(skip)]
    pub squares: Vec<f64>,
}

/// The weight of samples: a share is a sum of the events that samples represent, and its interval depends on how evenly
/// the events are spread over the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weight {
    pub samples: u64,
    /// The number of events that the samples represent together.
    pub events: u64,
    /// The sum over the samples of the squared number of events.
    pub squares: f64,
}

impl Weight {
    /// The weight of samples that represent `period` events each.
    pub fn of(samples: u64, period: u64) -> Self {
        let squares = samples as f64 * (period as f64).powi(2);
        Weight { samples, events: samples.saturating_mul(period), squares }
    }

    /// The weight of samples that represent `events` together, on the assumption of equal shares.
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
    /// Weight of the stack's samples in one profile. Each sample weighs one if all represent the same number of events.
    pub fn weight(&self, profile: usize) -> Weight {
        let samples = self.samples.get(profile).copied().unwrap_or(0);
        match (self.events.get(profile), self.squares.get(profile)) {
            (Some(&events), Some(&squares)) => Weight { samples, events, squares },
            // Documents do not contain the squares: equal shares are assumed.
            (Some(&events), None) => Weight::evenly(samples, events),
            (None, _) => Weight::of(samples, 1),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StackEnd {
    /// To the outermost caller.
    #[default]
    Whole,
    /// To the end of the copied part of the stack.
    Truncated,
    /// To code without unwinding information.
    Broken,
}

/// An instruction at which samples were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfiledInstruction {
    /// Index in `objects` of the instruction's file.
    pub object: u32,
    /// Address, as in the symbol tables of the file.
    pub address: u64,
    /// Index in `frames` of the function and line; for inlined functions, the innermost.
    pub frame: u32,
    /// Number of samples in each profile.
    pub samples: Vec<u64>,
    /// Events that these samples represent in each profile; empty if all samples represent the same number of events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
}

impl ProfiledInstruction {
    /// Weight of the instruction's samples in one profile, as for a stack.
    pub fn events(&self, profile: usize) -> u64 {
        self.events.get(profile).or_else(|| self.samples.get(profile)).copied().unwrap_or(0)
    }
}
