//! What follows from single activations.

use fauxplat_units::Cpu;
use serde::{Deserialize, Serialize};

use crate::{Policy, WorkerCounts};

/// Percentiles of a histogram, and the histogram itself: histograms of two documents are merged by adding counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// Least.
    pub min_ns: u64,
    /// Arithmetic mean.
    pub mean_ns: f64,
    /// Standard deviation.
    #[serde(default)]
    pub sd_ns: f64,
    /// Median.
    pub p50_ns: u64,
    /// 90 % are not later.
    pub p90_ns: u64,
    /// 99 % are not later.
    pub p99_ns: u64,
    /// 99.9 %.
    pub p999_ns: u64,
    /// 99.99 %.
    pub p9999_ns: u64,
    /// 99.999 %.
    pub p99999_ns: u64,
    /// Largest.
    pub max_ns: u64,
    /// Upper end of each occupied bin in nanoseconds, to three digits, and its count.
    pub histogram: Vec<(u64, u64)>,
    /// The same as other tools read it: HdrHistogram V2, deflated, in base64.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hdr: String,
}

/// What took the CPU away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyCause {
    /// In the kernel's words.
    pub cause: String,
    /// How often.
    pub count: u64,
    /// For how long in all.
    pub total_ns: u64,
}

/// One test at one place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyTest {
    /// `timer`, `noise`, `signal`, `edge`, the channel and direction of a message (`pipe there`), or a way from a line
    /// (`line to handler`).
    pub name: String,
    /// Policy of the threads.
    pub policy: Policy,
    /// Where the test ran, or where its messages came from.
    pub cpu: Cpu,
    /// Where they went.
    pub peer: Option<Cpu>,
    /// Lines that took part, and what drove them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Period of a timer, of edges.
    pub interval_ns: Option<u64>,
    /// Timer slack, where it was set.
    pub slack_ns: Option<u64>,
    /// Activations that were served.
    pub count: u64,
    /// Activations that came due while the test was stalled.
    pub missed: u64,
    /// What was seen.
    #[serde(flatten)]
    pub raw: Percentiles,
    /// With the missed activations, each late by what was left of its stall.
    pub corrected: Percentiles,
    /// Causes of gaps, the most expensive first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<LatencyCause>,
    /// Share of the time that was lost in gaps, for noise.
    pub lost_share: Option<f64>,
    /// How long it ran.
    pub wall_ns: u64,
}

/// Findings of `latency`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyFindings {
    /// One entry per test, policy, slack and place.
    pub tests: Vec<LatencyTest>,
    /// What the threads of each test counted, where that was asked for; a unit is an activation, a gap, a message or a signal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<WorkerCounts>,
    /// Wall time of all in seconds.
    pub elapsed_s: f64,
}
