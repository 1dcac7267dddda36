//! The condition of a run: everything that fauxplat fixes about the process before its first instruction.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use fauxplat_units::{CpuSet, Nanos};
use serde::{Deserialize, Serialize};

use crate::{
    Background, HeldCondition, HugePages, IgnoredFailures, KnobChange, Limit, LoadAccount, LoadSpec,
    MemoryPolicy, Policy, Relation, Shell, SimulatedMachine, StackLimit, ThreadPlaces,
};

/// CPUs on which a command may run, written as `auto`, `free`, a CPU list such as `0-3`, `one-of:0-3` or `idle-of:0-3`.
/// A [`Relation`] may take the place of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// `IdleOf` all allowed CPUs for commands of a single thread, `Free` for all others.
    #[default]
    Auto,
    /// Any CPU that the scheduler chooses, within the inherited affinity.
    Free,
    /// The process may run on all of these CPUs.
    Set(CpuSet),
    /// Each block draws one CPU of the list, on which all its runs stay.
    OneOf(CpuSet),
    /// All runs of a block stay on one CPU of the list: the one that the scheduler finds idle when the block begins.
    IdleOf(CpuSet),
    /// `Set`, `OneOf` or `IdleOf` with CPUs that are named by their relation to each other. When an experiment begins,
    /// the relation is resolved to a list of CPUs of the machine, and a placement with that list replaces this one.
    Related(Spread, Relation),
}

/// How a placement uses the CPUs of a list or relation: all of them, one drawn, or an idle one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    Set,
    OneOf,
    IdleOf,
}

impl Spread {
    pub fn on(self, cpus: CpuSet) -> Placement {
        match self {
            Spread::Set => Placement::Set(cpus),
            Spread::OneOf => Placement::OneOf(cpus),
            Spread::IdleOf => Placement::IdleOf(cpus),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Spread::Set => "",
            Spread::OneOf => "one-of:",
            Spread::IdleOf => "idle-of:",
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Placement::Auto => f.write_str("auto"),
            Placement::Free => f.write_str("free"),
            Placement::Set(cpus) => cpus.fmt(f),
            Placement::OneOf(cpus) => write!(f, "one-of:{cpus}"),
            Placement::IdleOf(cpus) => write!(f, "idle-of:{cpus}"),
            Placement::Related(spread, relation) => write!(f, "{}{relation}", spread.word()),
        }
    }
}

impl FromStr for Placement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let spread = |spread: Spread, list: &str| match list.parse::<Relation>() {
            Ok(Relation::List(cpus)) => Ok(spread.on(cpus)),
            Ok(relation) => Ok(Placement::Related(spread, relation)),
            Err(error) => Err(error),
        };
        match text {
            "auto" => Ok(Placement::Auto),
            "free" => Ok(Placement::Free),
            _ => match text.split_once(':') {
                Some(("one-of", list)) => spread(Spread::OneOf, list),
                Some(("idle-of", list)) => spread(Spread::IdleOf, list),
                _ => spread(Spread::Set, text),
            },
        }
    }
}

crate::text::as_text!(Placement, EnvPad, Heap);

/// Address space layout randomisation, set per child by `personality(2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aslr {
    /// The setting that fauxplat itself inherited.
    #[default]
    Inherit,
    /// On, even when fauxplat itself was started without randomisation. Requires that `kernel.randomize_va_space` is
    /// not 0.
    On,
    Off,
}

/// The environment to which the variables of a condition are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnvBase {
    #[default]
    Inherit,
    Clean,
}

/// Padding of the environment, which displaces the stack: `none`, `random`, `level`, or a number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnvPad {
    None,
    /// Each block draws a stack displacement of 0 to 4095 bytes, which all its runs share.
    #[default]
    Random,
    /// Padding that lets arguments and environment of all commands end at the same offset in a page, in every block.
    Level,
    Bytes(u16),
}

impl fmt::Display for EnvPad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EnvPad::None => f.write_str("none"),
            EnvPad::Random => f.write_str("random"),
            EnvPad::Level => f.write_str("level"),
            EnvPad::Bytes(bytes) => bytes.fmt(f),
        }
    }
}

const PAD_BYTES_MAX: u16 = 8192;

impl FromStr for EnvPad {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(EnvPad::None),
            "random" => Ok(EnvPad::Random),
            "level" => Ok(EnvPad::Level),
            _ => match text.parse() {
                Ok(bytes @ 0..=PAD_BYTES_MAX) => Ok(EnvPad::Bytes(bytes)),
                _ => Err(format!(
                    "`{text}` is not an environment padding: none, random, level, or 0 to {PAD_BYTES_MAX} bytes"
                )),
            },
        }
    }
}

/// Where the heap begins, written as `inherit`, `random`, or a displacement in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heap {
    /// The place that the kernel chooses: always at the same offset within a page.
    #[default]
    Inherit,
    /// Each block draws a displacement of 0 to 4080 bytes, which all its runs share.
    Random,
    Bytes(u16),
}

impl fmt::Display for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Heap::Inherit => f.write_str("inherit"),
            Heap::Random => f.write_str("random"),
            Heap::Bytes(bytes) => bytes.fmt(f),
        }
    }
}

impl FromStr for Heap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "inherit" => Ok(Heap::Inherit),
            "random" => Ok(Heap::Random),
            _ => text.parse().map(Heap::Bytes).map_err(|_| {
                format!("`{text}` is not a place of the heap: inherit, random, or 0 to 65535 bytes")
            }),
        }
    }
}

/// Destination of the standard output and standard error of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// To `/dev/null`.
    #[default]
    Null,
    /// To the standard output and standard error of fauxplat.
    Inherit,
    /// Standard output is appended to this file; standard error goes to `/dev/null`.
    File(PathBuf),
}

/// The list of CPUs to which a relation was resolved when the experiment began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CpuChoice {
    /// The relation as the user wrote it, such as `sibling-of:3`.
    pub relation: String,
    pub cpus: CpuSet,
    /// The reason why each CPU was chosen, one line per CPU.
    pub why: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Condition {
    /// CPUs on which the command may run.
    pub cpu: Placement,
    /// The CPUs to which the relation in `cpu` was resolved; `None` if `cpu` is no relation. Recorded, never read from
    /// a definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_choice: Option<CpuChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin_threads: Option<ThreadPlaces>,
    /// Scheduling policy and priority; `None` leaves the inherited ones.
    pub policy: Option<Policy>,
    /// Nice value; `None` leaves the inherited one.
    pub nice: Option<i8>,
    pub aslr: Aslr,
    pub env: EnvBase,
    /// Variables that are added to the environment, as `NAME=VALUE`.
    pub env_set: Vec<String>,
    pub env_pad: EnvPad,
    pub heap: Heap,
    pub huge_pages: HugePages,
    #[serde(skip_serializing_if = "MemoryPolicy::is_inherited")]
    pub memory_policy: MemoryPolicy,
    #[serde(skip_serializing_if = "StackLimit::is_inherited")]
    pub stack_limit: StackLimit,
    /// The simulated machine on which the command's events are counted, without timing it; `None` runs the command on
    /// the real one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulate: Option<SimulatedMachine>,
    /// Limits of CPU time, memory and memory nodes.
    pub limit: Limit,
    /// Load that runs beside each run of the command.
    pub background: Background,
    /// Clock frequency at which the command's CPU is held, in kHz; `None` leaves it to the governor.
    pub frequency_khz: Option<u32>,
    /// File for standard input; `/dev/null` when absent.
    pub stdin: Option<PathBuf>,
    /// Working directory; fauxplat's own when absent.
    pub cwd: Option<PathBuf>,
    /// Limit of the wall time of one run; `None` sets no limit.
    pub timeout: Option<Nanos>,
    /// Whether processes that outlive the command keep running; otherwise they are ended after each run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_background: bool,
    pub output: Output,
    pub shell: Shell,
    pub ignore_failure: IgnoredFailures,
    /// The condition read back from a process of the command. Recorded, never requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldCondition>,
    /// Names of tuning profiles and settings with which the machine is tuned for the whole experiment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tune: Vec<String>,
    /// Changes that `tune` made, one entry per setting; only in the condition of an experiment as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tuned: Vec<KnobChange>,
    /// Loads that run beside the whole experiment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub load: Vec<LoadSpec>,
    /// How the loads in `load` worked, one entry per generator; only in the condition of an experiment as a whole,
    /// recorded at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loaded: Vec<LoadAccount>,
}

impl Condition {
    /// The condition without recorded results, so that two experiments requested the same condition if these values are
    /// equal.
    pub fn asked(&self) -> Condition {
        let recorded = Condition::default();
        Condition {
            cpu_choice: recorded.cpu_choice,
            held: recorded.held,
            tuned: recorded.tuned,
            loaded: recorded.loaded,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_read_what_they_print() {
        for text in ["other", "fifo:1", "rr:99"] {
            assert_eq!(text.parse::<Policy>().unwrap().to_string(), text);
        }
        for text in
            ["auto", "free", "0-3,8", "one-of:1", "idle-of:0,2", "sibling-of:3", "one-of:node:0&one-per-core"]
        {
            assert_eq!(text.parse::<Placement>().unwrap().to_string(), text);
        }
        for text in ["none", "random", "0", "8192"] {
            assert_eq!(text.parse::<EnvPad>().unwrap().to_string(), text);
        }
        assert!("8193".parse::<EnvPad>().is_err() && "".parse::<Placement>().is_err());
        for bad in ["fifo", "fifo:0", "fifo:100", "rr:x", "batch", ""] {
            assert!(bad.parse::<Policy>().is_err(), "{bad}");
        }
    }
}
