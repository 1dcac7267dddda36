//! Findings from two workers that run beside each other.

use std::fmt;

use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

use super::numbers::{bounded, known};
use crate::WorkerCounts;

/// The relation of two CPUs to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbourhood {
    /// A CPU with itself.
    SameCpu,
    /// Hardware threads of one core.
    SmtSibling,
    /// Cores of their own that share a cache.
    SharedCache,
    /// Nothing that matters is shared.
    Separate,
    /// Virtual CPUs that the host runs on one CPU of its own.
    Stacked,
    /// Contradictory evidence, or a measurement that other programs disturbed.
    NotDecided,
}

impl Neighbourhood {
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

/// Cost of one kernel on a pair of CPUs when both work: both together over one alone, the mean of both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairCost {
    /// Of the pair, the CPU with the lower number.
    pub cpu_a: Cpu,
    /// The other CPU of the pair; equal to `cpu_a` for two threads on one CPU.
    pub cpu_b: Cpu,
    /// The kernel that both workers run.
    pub kernel: String,
    /// CPU time in nanoseconds of a unit of work when one CPU works alone: the mean of both sides.
    #[serde(default)]
    pub alone_cpu_ns: Option<f64>,
    /// Interval of `alone_cpu_ns`; `None` with too few rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_interval_ns: Option<[f64; 2]>,
    /// CPU time of a unit, as a ratio.
    #[serde(deserialize_with = "known")]
    pub cpu_ratio: f64,
    /// Low end of the 95 % interval of `cpu_ratio`.
    pub cpu_low_ratio: f64,
    #[serde(deserialize_with = "bounded")]
    pub cpu_high_ratio: f64,
    /// Wall time of a unit, as a ratio.
    #[serde(deserialize_with = "known")]
    pub wall_ratio: f64,
    /// Low end of the 95 % interval of `wall_ratio`.
    pub wall_low_ratio: f64,
    #[serde(deserialize_with = "bounded")]
    pub wall_high_ratio: f64,
    /// Run-queue wait of both workers together, over all rounds.
    pub run_delay_ns: Option<u64>,
    /// Time that the hypervisor took from both CPUs while both worked, over all rounds.
    pub steal_ns: Option<u64>,
    /// Wall time of both workers together, over all rounds.
    pub wall_ns: u64,
    /// Wall time that CPU time, run-queue wait and steal do not explain, as a share of the wall time.
    pub unexplained_share: Option<f64>,
    pub rounds: usize,
    /// Rounds that were dropped because other programs disturbed them.
    pub dropped_rounds: usize,
    /// Rounds that were dropped because the host had placed the two CPUs at a different distance than the judged one.
    #[serde(default)]
    pub elsewhere_rounds: usize,
    /// The relation of the two CPUs, measured with all kernels together.
    pub label: Neighbourhood,
    /// The relation that the kernel reports.
    pub claimed: Neighbourhood,
}

/// The relation of two CPUs, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairLabel {
    /// Of the pair, the CPU with the lower number.
    pub cpu_a: Cpu,
    pub cpu_b: Cpu,
    /// The relation by measurement.
    pub label: Neighbourhood,
    /// The relation that the kernel reports.
    pub claimed: Neighbourhood,
    /// The figures that decided.
    pub evidence: String,
    /// Round trip of a word between the two CPUs in the analysed rounds, in nanoseconds; `None` for a CPU with itself.
    #[serde(default)]
    pub round_trip_ns: Option<f64>,
    /// Interval of `round_trip_ns`; `None` with too few meetings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip_interval_ns: Option<[f64; 2]>,
    /// Round trip in nanoseconds in the rounds at a different distance, when the host moved the CPUs.
    #[serde(default)]
    pub elsewhere_round_trip_ns: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere_round_trip_interval_ns: Option<[f64; 2]>,
    /// Share of the round trips at that different distance.
    #[serde(default)]
    pub elsewhere_share: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContendFindings {
    /// Entries: one per pair and kernel.
    pub pairs: Vec<PairCost>,
    /// Entries: one per pair.
    pub labels: Vec<PairLabel>,
    /// Counts of the workers for each kind of work; empty unless counters were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<WorkerCounts>,
    pub elapsed_s: f64,
}

/// Throughput of several threads relative to one thread alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    /// The CPUs, with one worker thread each.
    pub cpus: CpuSet,
    /// Work per second of all threads together over that of one thread.
    pub ratio: f64,
    /// Low end of the 95 % interval of `ratio`.
    pub low_ratio: f64,
    #[serde(deserialize_with = "bounded")]
    pub high_ratio: f64,
}

/// A reading of the machine's utilisation during the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapacityLook {
    /// Time since the start of the measurement.
    pub elapsed_s: f64,
    /// Utilisation as the usual tools report it: the mean share of time in which a CPU is not idle.
    pub busy_share: f64,
    /// Share of the machine's throughput that is still available.
    pub left_share: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CapacityFindings {
    /// Each core with all its hardware threads, then one thread on every core, then every CPU.
    pub worths: Vec<Worth>,
    pub looks: Vec<CapacityLook>,
    pub elapsed_s: f64,
}
