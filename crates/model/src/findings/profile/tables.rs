//! Tables that all profiles of a document share: object files, code locations, stacks, instructions, and the weight of
//! their samples.

use serde::{Deserialize, Serialize};

/// An object file of sampled code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfiledObject {
    /// Path, or `[kernel]`, `[vdso]`, `[jit]`.
    pub path: String,
    /// Build ID from the linker, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// Level of symbol information.
    pub names: ObjectNames,
    /// Missing information and the package to install; `None` where nothing is missing.
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

/// A code location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProfiledFrame {
    /// The function, demangled; where its file was stripped of names, the file and where it begins there.
    pub name: String,
    /// Other names of the function, by which patterns find it, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Index in `objects` of the function's file.
    pub object: Option<u32>,
    /// Path of the source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in the source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether the function is inlined into the frame before, its caller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_inlined: bool,
    /// Whether the function belongs to the kernel.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_kernel: bool,
    /// Whether the function has no name.
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
    /// Whether the stack was unwound to its beginning.
    pub end: StackEnd,
    /// Number of samples, for each profile.
    pub samples: Vec<u64>,
    /// Events that these samples stand for, for each profile; absent where all samples stand for as many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
    /// The sums of the squares of these numbers, sample by sample: intervals follow from them, and are what is stored.
    #[serde(skip)]
    pub squares: Vec<f64>,
}

/// The weight of samples: a share is a sum of the events that samples stand for, and its interval follows from how
/// evenly these are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weight {
    /// Samples.
    pub samples: u64,
    /// The events that they stand for together.
    pub events: u64,
    /// The sum of the squares of the events of each.
    pub squares: f64,
}

impl Weight {
    /// The weight of samples that stand for `period` events each.
    pub fn of(samples: u64, period: u64) -> Self {
        let squares = samples as f64 * (period as f64).powi(2);
        Weight { samples, events: samples.saturating_mul(period), squares }
    }

    /// The weight of samples that stand for so many events together, as if each stood for as many.
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
    /// How much its samples of one profile weigh: one each where all stand for as many events.
    pub fn weight(&self, profile: usize) -> Weight {
        let samples = self.samples.get(profile).copied().unwrap_or(0);
        match (self.events.get(profile), self.squares.get(profile)) {
            (Some(&events), Some(&squares)) => Weight { samples, events, squares },
            // Of a document that was read, as if its samples stood for as many events each.
            (Some(&events), None) => Weight::evenly(samples, events),
            (None, _) => Weight::of(samples, 1),
        }
    }
}

/// How far the callers of a sample could be unwound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StackEnd {
    /// To the end of the copied part of the stack.
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
    /// Index in `frames` of the function and line; of inlined functions, the innermost.
    pub frame: u32,
    /// Number of samples, for each profile.
    pub samples: Vec<u64>,
    /// Events that these samples stand for, for each profile; absent where all samples stand for as many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
}

impl ProfiledInstruction {
    /// How much its samples of one profile weigh, as those of a stack do.
    pub fn events(&self, profile: usize) -> u64 {
        self.events.get(profile).or_else(|| self.samples.get(profile)).copied().unwrap_or(0)
    }
}
