//! Findings about the runs of each command.

use serde::{Deserialize, Serialize};

use crate::{Bound, Comparison, CounterSeries, Derived, Metric, Outcome, TableSource};

/// Location and spread of one metric over the measured runs of one command, in the unit of the metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The metric.
    pub metric: Metric,
    /// Number of runs.
    pub n: usize,
    /// Median.
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Low end of the 95 % interval of the median, by order statistics; `None` of fewer than six readings, which bound none.
    pub low: Option<f64>,
    /// High end of the interval of the median, as `low`.
    pub high: Option<f64>,
    /// Sample standard deviation; zero for one run.
    pub sd: f64,
    /// Smallest reading.
    pub min: f64,
    /// Largest reading.
    pub max: f64,
    /// 5th, 25th, 75th and 95th percentile.
    pub percentiles: [f64; 4],
    /// 99th percentile; `None` in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// Readings further than three scaled median absolute deviations above the median.
    pub outliers: usize,
    /// Whether the readings are of the command's first thread alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_thread: bool,
    /// The intervals of those percentiles that so many runs carry, by order statistics; absent in records that are older.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<QuantileInterval>,
}

impl Summary {
    /// The ends of the 95 % interval of the median; `None` where there are too few readings for one.
    pub fn interval(&self) -> Option<[f64; 2]> {
        Some([self.low?, self.high?])
    }
}

/// Between which readings a quantile lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantileInterval {
    /// Share of the readings below.
    pub quantile: f64,
    /// Low end of the 95 % interval; absent where no reading bounds it.
    pub low: Option<f64>,
    /// High end of it.
    pub high: Option<f64>,
}

/// Summary of a metric of one command where some readings are bounds: no mean, no spread, and no interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundedSummary {
    /// The metric.
    pub metric: Metric,
    /// Number of runs.
    pub n: usize,
    /// Runs whose reading is a bound.
    pub bounds: usize,
    /// The median is at most this, in the unit of the metric; absent where nothing is known of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The median is at least this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
}

impl BoundedSummary {
    /// The number to show, and what it is.
    pub fn shown(&self) -> Option<(Bound, f64)> {
        let most = self.at_most.map(|number| (Bound::AtMost, number));
        most.or_else(|| self.at_least.map(|number| (Bound::AtLeast, number)))
    }
}

/// A process of the tree of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Process id of the parent at creation.
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
    /// Outcome; `None` if the process outlived the command and was ended.
    pub outcome: Option<Outcome>,
}

impl Process {
    /// Greatest number of processes that are listed of a tree, the first to be created. The bound keeps memory finite
    /// for a command that creates processes without end.
    pub const LISTED_MAX: usize = 10_000;
    /// Bytes of a command line that are kept, because each process of a tree may have one of megabytes.
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
    /// The counter, as it was requested: `NAME=FILE:OBJECT.KEY`.
    pub counter: TableSource,
    /// Slowest interval of all runs.
    pub min_per_s: f64,
    /// Median over the intervals of all runs.
    pub median_per_s: f64,
    /// Fastest interval of all runs.
    pub max_per_s: f64,
    /// Rates of each run.
    pub series: Vec<RateSeries>,
}

/// Findings about one command that was run by itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunFindings {
    /// A summary per metric that was measured.
    pub summaries: Vec<Summary>,
    /// The metrics of which some readings are bounds. They have no summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounded: Vec<BoundedSummary>,
    /// Figures computed from counts of the same run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Derived>,
    /// Runs that did not end with status 0.
    pub failures: usize,
    /// Runs that left processes behind.
    pub runs_with_left_behind: usize,
    /// The process tree, if it was requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<Process>,
    /// Rates of published counters, if they were requested and seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<CounterRates>,
    /// Counts along one additional run that was watched and not timed, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<CounterSeries>,
    /// Comparison with the first command, whose runs took turns with these; `None` for the first command, and where
    /// there were too few runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_first: Option<Box<Comparison>>,
}
