//! Findings from two worker threads that run beside each other.

use std::fmt;

use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

use super::numbers::{bounded, known};
use crate::WorkerCounts;

/// The relation of two CPUs, by what they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbourhood {
    /// A CPU with itself.
    SameCpu,
    /// Hardware threads of the same core.
    SmtSibling,
    /// Different cores that share a cache.
    SharedCache,
    /// Different cores that share no cache.
    Separate,
    /// Virtual CPUs that the host runs in turns on one of its own CPUs.
    Stacked,
    /// Not known, because of contradictory figures or disturbances by other programs.
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

/// How much slower two workers run a kernel at the same time than alone: ratios of times together to times alone, as
/// means over the two CPUs of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairCost {
    /// The first CPU of the pair, which has the lower number.
    pub cpu_a: Cpu,
    /// The other CPU of the pair; equal to `cpu_a` for two threads on one CPU.
    pub cpu_b: Cpu,
    /// Name of the kernel (loop of work) that both workers run.
    pub kernel: String,
    /// CPU time in nanoseconds of a unit of work when one CPU works alone: the mean of both CPUs; `None` without an
    /// undisturbed round.
    #[serde(default)]
    pub alone_cpu_ns: Option<f64>,
    /// 95 % interval of `alone_cpu_ns` in nanoseconds; `None` with too few rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_interval_ns: Option<[f64; 2]>,
    /// CPU time of a unit of work while both CPUs work, divided by that while one works alone.
    #[serde(deserialize_with = "known")]
    pub cpu_ratio: f64,
    /// Lower end of the 95 % interval of `cpu_ratio`.
    pub cpu_low_ratio: f64,
    #[serde(deserialize_with = "bounded")]
    pub cpu_high_ratio: f64,
    /// Wall time of a unit of work while both CPUs work, divided by that while one works alone.
    #[serde(deserialize_with = "known")]
    pub wall_ratio: f64,
    /// Lower end of the 95 % interval of `wall_ratio`.
    pub wall_low_ratio: f64,
    #[serde(deserialize_with = "bounded")]
    pub wall_high_ratio: f64,
    /// Run-queue wait of both workers while they worked together, summed over all rounds.
    pub run_delay_ns: Option<u64>,
    /// Time that the hypervisor took from both CPUs while they worked together, summed over all rounds.
    pub steal_ns: Option<u64>,
    /// Wall time of both workers while they worked together, summed over all rounds.
    pub wall_ns: u64,
    /// Part of `wall_ns` that is neither CPU time nor run-queue wait nor steal, as a share; `None` if run-queue wait is
    /// unknown.
    pub unexplained_share: Option<f64>,
    pub rounds: usize,
    /// Number of rounds that were dropped because other programs disturbed them.
    pub dropped_rounds: usize,
    /// Number of rounds that were dropped because the host had moved the two virtual CPUs to another distance.
    #[serde(default)]
    pub elsewhere_rounds: usize,
    /// The relation of the two CPUs by the measurement with all kernels.
    pub label: Neighbourhood,
    /// The relation by the topology that the kernel reports.
    pub claimed: Neighbourhood,
}

/// The relation of two CPUs by measurement, with the figures that show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairLabel {
    /// The first CPU of the pair, which has the lower number.
    pub cpu_a: Cpu,
    pub cpu_b: Cpu,
    /// The relation by the measurement.
    pub label: Neighbourhood,
    /// The relation by the topology that the kernel reports.
    pub claimed: Neighbourhood,
    /// The figures that decided `label`, or why it is not decided, as text.
    pub evidence: String,
    /// Round trip of a word between workers on the two CPUs in the analysed rounds, in nanoseconds; `None` for a CPU
    /// with itself.
    #[serde(default)]
    pub round_trip_ns: Option<f64>,
    /// Interval of `round_trip_ns`; `None` if the workers met too few times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip_interval_ns: Option<[f64; 2]>,
    /// Round trip in nanoseconds while the host had moved the CPUs to another distance; `None` if it did not.
    #[serde(default)]
    pub elsewhere_round_trip_ns: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere_round_trip_interval_ns: Option<[f64; 2]>,
    /// Share of the round trips that were measured at the other distance; `None` if there was none.
    #[serde(default)]
    pub elsewhere_share: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContendFindings {
    /// Slowdowns, one entry for each pair of CPUs and kernel.
    pub pairs: Vec<PairCost>,
    /// Relations, one entry for each pair of CPUs.
    pub labels: Vec<PairLabel>,
    /// Counts of events in the workers for each kind of work; empty unless counters were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<WorkerCounts>,
    pub elapsed_s: f64,
}

/// Throughput of several threads relative to one thread alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    /// CPUs on each of which a worker thread ran.
    pub cpus: CpuSet,
    /// Work per second of all threads together, divided by that of a single thread.
    pub ratio: f64,
    /// Lower end of the 95 % interval of `ratio`.
    pub low_ratio: f64,
    #[serde(deserialize_with = "bounded")]
    pub high_ratio: f64,
}

/// A reading of how busy the machine was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapacityLook {
    /// Seconds since the start of the measurement.
    pub elapsed_s: f64,
    /// Utilisation as the usual tools report it: the mean share of time in which a CPU is not idle.
    pub busy_share: f64,
    /// Share of the machine's throughput that is unused, 0 to 1.
    pub left_share: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CapacityFindings {
    /// Throughput of each core with all its hardware threads, then of one thread on every core, then of threads on all
    /// CPUs.
    pub worths: Vec<Worth>,
    pub looks: Vec<CapacityLook>,
    pub elapsed_s: f64,
}
