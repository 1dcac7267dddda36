//! What follows from running two workers beside each other.

use std::fmt;

use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

use super::numbers::{bounded, known};
use crate::WorkerCounts;

/// What two CPUs are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbourhood {
    /// They are one CPU.
    SameCpu,
    /// Hardware threads of one core.
    SmtSibling,
    /// Cores of their own that share a cache.
    SharedCache,
    /// Nothing that matters is shared.
    Separate,
    /// Virtual CPUs that the host runs on one CPU of its own.
    Stacked,
    /// The evidence contradicts itself, or somebody else disturbed the measurement.
    NotDecided,
}

impl Neighbourhood {
    /// The words for people.
    pub fn title(self) -> &'static str {
        match self {
            Neighbourhood::SameCpu => "same CPU",
            Neighbourhood::SmtSibling => "SMT siblings",
            Neighbourhood::SharedCache => "shared cache",
            Neighbourhood::Separate => "separate",
            Neighbourhood::Stacked => "stacked virtual CPUs",
            Neighbourhood::NotDecided => "not decided",
        }
    }
}

impl fmt::Display for Neighbourhood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}

/// What one kernel costs on a pair of CPUs when both work: ratios of together over alone, the mean of both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairCost {
    /// The lower CPU.
    pub cpu_a: Cpu,
    /// The other; the same for two threads on one CPU.
    pub cpu_b: Cpu,
    /// The kernel of both.
    pub kernel: String,
    /// CPU time of a unit when one CPU works alone, in nanoseconds: the mean of both sides.
    #[serde(default)]
    pub alone_cpu_ns: Option<f64>,
    /// CPU time of a unit, as a ratio.
    #[serde(deserialize_with = "known")]
    pub cpu_ratio: f64,
    /// Low end of its 95 % interval.
    pub cpu_low_ratio: f64,
    /// High end of it.
    #[serde(deserialize_with = "bounded")]
    pub cpu_high_ratio: f64,
    /// Wall time of a unit, as a ratio.
    #[serde(deserialize_with = "known")]
    pub wall_ratio: f64,
    /// Low end of its 95 % interval.
    pub wall_low_ratio: f64,
    /// High end of it.
    #[serde(deserialize_with = "bounded")]
    pub wall_high_ratio: f64,
    /// Run-queue wait of both together, over all rounds.
    pub run_delay_ns: Option<u64>,
    /// What the hypervisor took from both CPUs meanwhile, over all rounds.
    pub steal_ns: Option<u64>,
    /// Wall time of both together, over all rounds.
    pub wall_ns: u64,
    /// Wall time that CPU time, run-queue wait and steal do not explain, as a share of it.
    pub unexplained_share: Option<f64>,
    /// Rounds that counted.
    pub rounds: usize,
    /// Rounds that others disturbed, and that do not count.
    pub dropped_rounds: usize,
    /// Rounds in which the host had the CPUs at another distance than the one that is judged; they do not count either.
    #[serde(default)]
    pub elsewhere_rounds: usize,
    /// What the two CPUs are to each other, by all kernels together.
    pub label: Neighbourhood,
    /// What the kernel claims that they are.
    pub claimed: Neighbourhood,
}

/// What two CPUs are to each other, and why that is believed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairLabel {
    /// The lower CPU.
    pub cpu_a: Cpu,
    /// The other.
    pub cpu_b: Cpu,
    /// By measurement.
    pub label: Neighbourhood,
    /// By the kernel.
    pub claimed: Neighbourhood,
    /// The figures that decided.
    pub evidence: String,
    /// Time of a word from one CPU to the other and back in the rounds that count, in nanoseconds; `null` for one CPU.
    #[serde(default)]
    pub round_trip_ns: Option<f64>,
    /// The same in the rounds at another distance, when the host moved the CPUs.
    #[serde(default)]
    pub elsewhere_round_trip_ns: Option<f64>,
    /// Share of the meetings that were at that other distance.
    #[serde(default)]
    pub elsewhere_share: Option<f64>,
}

/// Findings of `contend`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContendFindings {
    /// One entry per pair and kernel.
    pub pairs: Vec<PairCost>,
    /// One entry per pair.
    pub labels: Vec<PairLabel>,
    /// What the workers counted at each kind of work, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<WorkerCounts>,
    /// Wall time of the measurement in seconds.
    pub elapsed_s: f64,
}

/// What so many threads do together, over what one does alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    /// The CPUs that worked, one thread each.
    pub cpus: CpuSet,
    /// Work per second of all together over that of one thread.
    pub ratio: f64,
    /// Low end of its 95 % interval.
    pub low_ratio: f64,
    /// High end of it.
    #[serde(deserialize_with = "bounded")]
    pub high_ratio: f64,
}

/// One look at the machine while it works.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapacityLook {
    /// Since the beginning.
    pub elapsed_s: f64,
    /// What the usual tools call utilisation: the mean share of time in which a CPU is not idle.
    pub busy_share: f64,
    /// Share of the machine's work that is still to be had.
    pub left_share: f64,
}

/// Findings of `contend --capacity`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CapacityFindings {
    /// Each core with all its hardware threads, then one thread on every core, then every CPU.
    pub worths: Vec<Worth>,
    /// The looks.
    pub looks: Vec<CapacityLook>,
    /// Wall time of all in seconds.
    pub elapsed_s: f64,
}
