//! Findings of `latency`: distributions of the lateness of single activations. Their fields are those of the document.

use fauxplat_model::document::OwnFindings;
use fauxplat_model::{Policy, WorkerCounts};
use fauxplat_units::{Cpu, Nanos};
use serde::{Deserialize, Serialize};

/// Name and version of the document.
pub(crate) const SCHEMA: &str = "fauxplat.latency/1";

/// Percentiles of a histogram, and the histogram itself. Histograms of two documents are merged by adding counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    pub min_ns: u64,
    pub mean_ns: f64,
    #[serde(default)]
    pub sd_ns: f64,
    pub p50_ns: u64,
    /// 90th percentile; `None` here and in the following fields if there are too few events to estimate the percentile.
    pub p90_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    pub p999_ns: Option<u64>,
    pub p9999_ns: Option<u64>,
    pub p99999_ns: Option<u64>,
    pub max_ns: u64,
    /// 95 % interval of each percentile that is present, by order statistics; empty in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<PercentileInterval>,
    /// Upper end of each occupied bin in nanoseconds, to three significant digits, with the number of events in the
    /// bin.
    pub histogram: Vec<(u64, u64)>,
    /// The histogram in the format of other tools: HdrHistogram V2, deflated, in base64.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hdr: String,
}

/// The interval of a percentile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PercentileInterval {
    /// The percentile, such as 99.9.
    pub percentile: f64,
    /// Lower end of the 95 % interval in nanoseconds; `None` if no reading bounds the percentile from below.
    pub low_ns: Option<u64>,
    /// Upper end of the 95 % interval in nanoseconds; `None` if no reading bounds the percentile from above.
    pub high_ns: Option<u64>,
}

impl Percentiles {
    /// Delay in nanoseconds that 99 % of the activations did not exceed; the longest delay if there were too few for a
    /// 99th percentile.
    pub(crate) fn late(&self) -> u64 {
        self.p99_ns.unwrap_or(self.max_ns)
    }

    pub fn interval(&self, percentile: f64) -> Option<PercentileInterval> {
        self.intervals.iter().copied().find(|it| it.percentile == percentile)
    }
}

/// A cause of gaps in which a thread did not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyCause {
    /// Name of the cause in the kernel.
    pub cause: String,
    pub count: u64,
    /// Total length of the gaps with this cause, in nanoseconds.
    pub total_ns: u64,
}

/// Results of a test on one CPU or pair of CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyTest {
    /// Name of the test: `timer`, `noise`, `signal`, `edge`, the channel and direction of a message (`pipe there`), or
    /// a path from a GPIO line (`line to handler`).
    pub name: String,
    pub policy: Policy,
    /// The CPU of the tested thread, or of the sender of messages.
    pub cpu: Cpu,
    pub peer: Option<Cpu>,
    /// GPIO lines of the test, and what drives their edges; `None` for other tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Period of the timer or of the edges in nanoseconds; `None` for tests without a period.
    pub interval_ns: Option<u64>,
    /// Timer slack in nanoseconds; `None` if it was not set.
    pub slack_ns: Option<u64>,
    /// Number of activations that were served.
    pub count: u64,
    /// Number of activations that came due while the test was stalled.
    pub missed: u64,
    /// Distribution of the lateness of the activations that were served.
    #[serde(flatten)]
    pub raw: Percentiles,
    /// Distribution with the missed activations included, each late by the rest of its stall.
    pub corrected: Percentiles,
    /// Causes of gaps, the one with the largest total first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<LatencyCause>,
    /// Share of the time that was lost in gaps; only for the test `noise`.
    pub lost_share: Option<f64>,
    pub wall_ns: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyFindings {
    /// The names of the tests and the delays that 99 % of their activations did not exceed, for lists of experiments.
    #[serde(default)]
    pub summary: String,
    /// Results, one entry for each test, policy, timer slack and CPU or pair of CPUs.
    pub tests: Vec<LatencyTest>,
    /// Counts of events in the threads of each test, if counters were requested; their unit of work is an activation, a
    /// gap, a message or a signal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<WorkerCounts>,
    pub elapsed_s: f64,
}

impl LatencyFindings {
    pub(crate) fn new(tests: Vec<LatencyTest>, counts: Vec<WorkerCounts>, elapsed_s: f64) -> Self {
        let told = |test: &LatencyTest| format!("{} {}", test.name, Nanos(test.raw.late()));
        let summary = tests.iter().map(told).collect::<Vec<_>>().join(", ");
        LatencyFindings { summary, tests, counts, elapsed_s }
    }

    /// The findings as those of a record.
    ///
    /// # Errors
    /// Never fails in practice: every field has a form in JSON.
    pub fn document(&self) -> serde_json::Result<OwnFindings> {
        OwnFindings::new(SCHEMA, self)
    }
}
