//! What follows from the runs of each command.

use serde::{Deserialize, Serialize};

use crate::{Metric, Outcome};

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

/// Findings about one command that was run by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFindings {
    /// One summary per metric that was measured.
    pub summaries: Vec<Summary>,
    /// Runs that did not end with status 0.
    pub failures: usize,
    /// Runs that left processes behind.
    pub runs_with_left_behind: usize,
    /// The process tree, if it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<Process>,
}
