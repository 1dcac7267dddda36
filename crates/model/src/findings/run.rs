//! Findings about the runs of each command.

use serde::{Deserialize, Serialize};

use crate::{Bound, Comparison, CounterSeries, Derived, Metric, Outcome, TableSource};

/// Location and spread of one metric over the measured runs of one command, in the unit of the metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub metric: Metric,
    pub n: usize,
    pub median: f64,
    pub mean: f64,
    /// Low end of the 95 % interval of the median, by order statistics; `None` for fewer than six readings, which give
    /// no interval.
    pub low: Option<f64>,
    /// High end of the interval of the median; `None` as for `low`.
    pub high: Option<f64>,
    /// Sample standard deviation; zero for one run.
    pub sd: f64,
    pub min: f64,
    pub max: f64,
    /// 5th, 25th, 75th and 95th percentile.
    pub percentiles: [f64; 4],
    /// 99th percentile; `None` in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// Number of readings more than three scaled median absolute deviations above the median.
    pub outliers: usize,
    /// Whether the readings cover the command's first thread alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_thread: bool,
    /// Intervals, by order statistics, of the percentiles that this number of runs can bound; empty in records of
    /// earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<QuantileInterval>,
}

impl Summary {
    /// 95 % interval of the median; `None` with too few readings.
    pub fn interval(&self) -> Option<[f64; 2]> {
        Some([self.low?, self.high?])
    }
}

/// The interval of a quantile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantileInterval {
    /// Share of the readings below the quantile.
    pub quantile: f64,
    /// Low end of the 95 % interval; `None` if no reading bounds the quantile from below.
    pub low: Option<f64>,
    /// High end; `None` if no reading bounds the quantile from above.
    pub high: Option<f64>,
}

/// Summary of a metric of one command if some readings are bounds: no mean, no spread and no interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundedSummary {
    pub metric: Metric,
    pub n: usize,
    /// Runs whose reading is a bound.
    pub bounds: usize,
    /// The median is at most this, in the unit of the metric; `None` if no upper bound is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The median is at least this; `None` if no lower bound is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
}

impl BoundedSummary {
    /// The number to show, and its kind.
    pub fn shown(&self) -> Option<(Bound, f64)> {
        let most = self.at_most.map(|number| (Bound::AtMost, number));
        most.or_else(|| self.at_least.map(|number| (Bound::AtLeast, number)))
    }
}

/// A process of the tree of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub pid: u32,
    /// Process id of the parent when the process was created.
    pub parent: u32,
    /// Last command line of the process.
    pub command: String,
    /// User and system CPU time of all threads.
    pub cpu_ns: u64,
    /// Time from creation to exit.
    pub wall_ns: u64,
    /// Largest resident set of the process.
    pub peak_memory_bytes: u64,
    /// Threads over the life of the process.
    pub threads: u32,
    /// `None` if the process outlived the command and was ended.
    pub outcome: Option<Outcome>,
}

impl Process {
    /// Greatest number of listed processes of a tree, in the order of creation. The bound limits memory for a command
    /// that creates processes without end.
    pub const LISTED_MAX: usize = 10_000;
    /// Maximum number of stored bytes of a command line, because each process of a tree may have one of megabytes.
    pub const COMMAND_MAX: usize = 4096;
}

/// Rate of a published counter along one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RateSeries {
    /// The run, by its position in the experiment.
    pub trial: u32,
    /// End of each interval, counted from the start of the run.
    pub until_ns: Vec<u64>,
    /// Rise per second within each interval.
    pub rate_per_s: Vec<f64>,
}

/// Rate of a published counter along the measured runs of a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterRates {
    /// The counter as requested: `NAME=FILE:OBJECT.KEY`.
    pub counter: TableSource,
    /// Slowest interval of all runs.
    pub min_per_s: f64,
    /// Median over the intervals of all runs.
    pub median_per_s: f64,
    /// Fastest interval of all runs.
    pub max_per_s: f64,
    pub series: Vec<RateSeries>,
}

/// Findings about one command by itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunFindings {
    pub summaries: Vec<Summary>,
    /// Metrics with bounds among their readings. These metrics have no summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounded: Vec<BoundedSummary>,
    /// Figures computed from counts of the same run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Derived>,
    /// Runs that did not end with status 0.
    pub failures: usize,
    /// Runs that left processes behind.
    pub runs_with_left_behind: usize,
    /// The process tree; empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<Process>,
    /// Rates of published counters that were requested and seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<CounterRates>,
    /// Counts along one additional run that was watched and not timed; empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<CounterSeries>,
    /// Comparison with the first command, whose runs alternated with these; `None` for the first command, and with too
    /// few runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_first: Option<Box<Comparison>>,
}
