//! What follows from the runs of each command.

use serde::{Deserialize, Serialize};

use crate::{Comparison, CounterSeries, Derived, Metric, Outcome, TableSource};

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
    /// Low end of the 95 % interval of the median, by order statistics.
    pub low: f64,
    /// High end of it.
    pub high: f64,
    /// Sample standard deviation; zero for one run.
    pub sd: f64,
    /// Smallest reading.
    pub min: f64,
    /// Largest reading.
    pub max: f64,
    /// 5th, 25th, 75th and 95th percentile.
    pub percentiles: [f64; 4],
    /// 99th percentile; absent in records that are older than it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// Readings further than three scaled median absolute deviations above the median.
    pub outliers: usize,
}

/// One process of the tree of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Process id of the parent at creation.
    pub parent: u32,
    /// Its last command line.
    pub command: String,
    /// User and system CPU time of all its threads.
    pub cpu_ns: u64,
    /// From creation to exit.
    pub wall_ns: u64,
    /// Its own largest resident set.
    pub peak_memory_bytes: u64,
    /// Threads that it had over its life.
    pub threads: u32,
    /// How it ended; absent if it outlived the command and was ended.
    pub outcome: Option<Outcome>,
}

impl Process {
    /// As many of a tree are listed, the first that were born: more of them nobody reads, and memory for each that a command
    /// ever makes has no end.
    pub const LISTED_MAX: usize = 10_000;
    /// Bytes of a command line that are kept. Each process of a tree may have one of megabytes.
    pub const COMMAND_MAX: usize = 4096;
}

/// How fast a published counter rose along one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RateSeries {
    /// The run, by its position in the experiment.
    pub trial: u32,
    /// The end of each interval, counted from the start of the run.
    pub until_ns: Vec<u64>,
    /// Rise per second within each interval.
    pub rate_per_s: Vec<f64>,
}

/// How fast a published counter rose along the measured runs of a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterRates {
    /// The counter, as it was asked for: `NAME=FILE:OBJECT.KEY`.
    pub counter: TableSource,
    /// Slowest interval of all runs.
    pub min_per_s: f64,
    /// Median over the intervals of all runs.
    pub median_per_s: f64,
    /// Fastest interval of all runs.
    pub max_per_s: f64,
    /// Each run.
    pub series: Vec<RateSeries>,
}

/// Findings about one command that was run by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFindings {
    /// One summary per metric that was measured.
    pub summaries: Vec<Summary>,
    /// Figures from what was counted in the same run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Derived>,
    /// Runs that did not end with status 0.
    pub failures: usize,
    /// Runs that left processes behind.
    pub runs_with_left_behind: usize,
    /// The process tree, if it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<Process>,
    /// What its published counters did, if they were asked for and seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<CounterRates>,
    /// What was counted along one more run that was watched and not timed, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<CounterSeries>,
    /// What its runs and those of the first command, which took turns, allow to say; absent of the first command, and where
    /// there were too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_first: Option<Box<Comparison>>,
}
