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
    /// Lower end of the 95 % interval of the median, by order statistics; `None` for fewer than six readings, which
    /// give no interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval of the median; `None` for fewer than six readings.
    pub high: Option<f64>,
    /// Sample standard deviation; zero for a single reading.
    pub sd: f64,
    pub min: f64,
    pub max: f64,
    /// 5th, 25th, 75th and 95th percentile of the readings.
    pub percentiles: [f64; 4],
    /// 99th percentile of the readings; `None` in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// Number of readings more than three scaled median absolute deviations above the median.
    pub outliers: usize,
    /// Whether some readings cover the command's first thread alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_thread: bool,
    /// 95 % intervals of percentiles by order statistics, where this number of readings suffices; empty in records of
    /// earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<QuantileInterval>,
}

impl Summary {
    /// Lower and upper end of the 95 % interval of the median; `None` with too few readings.
    pub fn interval(&self) -> Option<[f64; 2]> {
        Some([self.low?, self.high?])
    }
}

/// The 95 % interval of a quantile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantileInterval {
    /// The quantile as a share: 0.95 is the 95th percentile.
    pub quantile: f64,
    /// Lower end of the 95 % interval of the quantile; `None` if no reading bounds the quantile from below.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval of the quantile; `None` if no reading bounds the quantile from above.
    pub high: Option<f64>,
}

/// Summary of a metric of one command if some readings are bounds, from which no mean, spread or interval follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundedSummary {
    pub metric: Metric,
    pub n: usize,
    /// Number of runs whose reading is a bound.
    pub bounds: usize,
    /// Upper bound of the median, in the unit of the metric; `None` if no upper bound is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Lower bound of the median, in the unit of the metric; `None` if no lower bound is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
}

impl BoundedSummary {
    /// The bound that reports show, and whether it is an upper or a lower one; `None` if there is none.
    pub fn shown(&self) -> Option<(Bound, f64)> {
        let most = self.at_most.map(|number| (Bound::AtMost, number));
        most.or_else(|| self.at_least.map(|number| (Bound::AtLeast, number)))
    }
}

/// A process among a command and its descendants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub pid: u32,
    /// Process id of the parent when the process was created.
    pub parent: u32,
    /// Last command line of the process.
    pub command: String,
    /// User and system CPU time of all threads of the process.
    pub cpu_ns: u64,
    /// Time from the creation of the process to its exit.
    pub wall_ns: u64,
    /// Largest resident set of the process in bytes.
    pub peak_memory_bytes: u64,
    /// Number of threads over the life of the process.
    pub threads: u32,
    /// How the process ended; `None` if it outlived the command and was then ended by fauxplat.
    pub outcome: Option<Outcome>,
}

impl Process {
    /// Maximum number of processes of a tree that are listed, the first ones created. The bound limits memory for a
    /// command that creates processes without end.
    pub const LISTED_MAX: usize = 10_000;
    /// Maximum number of bytes of a command line that are stored, because each process of a tree may have one of
    /// megabytes.
    pub const COMMAND_MAX: usize = 4096;
}

/// Rate of a published counter in the course of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RateSeries {
    /// The run, by its number in the experiment.
    pub trial: u32,
    /// End of each interval in nanoseconds after the start of the run.
    pub until_ns: Vec<u64>,
    /// Rise of the counter per second within each interval.
    pub rate_per_s: Vec<f64>,
}

/// Rates of a published counter in the measured runs of a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterRates {
    /// The counter as the user wrote it: `NAME=FILE:OBJECT.KEY`.
    pub counter: TableSource,
    /// Lowest rate in any interval of any run.
    pub min_per_s: f64,
    /// Median of the rates in all intervals of all runs.
    pub median_per_s: f64,
    /// Highest rate in any interval of any run.
    pub max_per_s: f64,
    pub series: Vec<RateSeries>,
}

/// A change of a command's level in the course of its runs, with intervals of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelChange {
    pub metric: Metric,
    /// Number of the first analysed run of the command at the new level, counted from 1.
    pub run: usize,
    pub run_low: usize,
    pub run_high: usize,
    /// Start of that run in seconds since the start of the experiment.
    pub at_s: f64,
    pub at_low_s: f64,
    pub at_high_s: f64,
    /// The new level over the one before.
    pub ratio: f64,
    pub low_ratio: f64,
    pub high_ratio: f64,
}

/// Findings about one command by itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunFindings {
    pub summaries: Vec<Summary>,
    /// Metrics some of whose readings are bounds; these have no entry in `summaries`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounded: Vec<BoundedSummary>,
    /// Figures computed from counts of the same run, such as instructions per cycle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Derived>,
    /// Number of runs that did not end with status 0.
    pub failures: usize,
    /// Number of runs in which processes outlived the command.
    pub runs_with_left_behind: usize,
    /// Changes of the command's level in the course of its runs; empty where none was found or searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub level_changes: Vec<LevelChange>,
    /// The processes of the command; empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<Process>,
    /// Rates of the requested published counters that were read in these runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<CounterRates>,
    /// Counts of events along one additional run that was not timed; empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<CounterSeries>,
    /// Comparison with the first command, whose runs alternated with these; `None` for the first command, and with too
    /// few runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_first: Option<Box<Comparison>>,
}
