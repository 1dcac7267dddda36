//! The data that an experiment records. Each piece is stored as soon as it exists.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Metric, Process, Sample, ShiftSample, Unit};

/// A piece of the data that an experiment records. Findings are computed from such pieces alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    Run(Sample),
    /// The work of one worker thread in one shift, with its times.
    Shift(ShiftSample),
    /// The distribution of readings that are too many to be stored one by one.
    Histogram(Histogram),
    /// The course of a figure along the time of a run.
    Series(Series),
    /// The processes of a command in one run.
    Tree(Tree),
    /// An incident that is no reading, such as a process killed for lack of memory.
    Event(Event),
}

impl Evidence {
    pub fn kind(&self) -> &'static str {
        match self {
            Evidence::Run(_) => "run",
            Evidence::Shift(_) => "shift",
            Evidence::Histogram(_) => "histogram",
            Evidence::Series(_) => "series",
            Evidence::Tree(_) => "tree",
            Evidence::Event(_) => "event",
        }
    }
}

/// The distribution of readings within one part of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Number of the round in which the readings were taken; every cell of the design is visited once in each round.
    pub round: u32,
    /// Index of the cell of the design that was visited.
    pub cell: u16,
    /// The quantity that was read, such as `timer` or `pipe there`.
    pub name: String,
    pub unit: Unit,
    /// Number of readings that were due and were not taken.
    pub missed: u64,
    /// Upper end of each occupied bin in `unit`, rising; a reading belongs to the first bin whose upper end is not
    /// below it.
    pub bounds: Vec<u64>,
    pub counts: Vec<u64>,
}

/// The course of a figure along the time of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The run, by its number in the experiment.
    pub trial: u32,
    pub metric: Metric,
    /// End of each interval in nanoseconds after the start of the run.
    pub until_ns: Vec<u64>,
    /// Value of the metric within each interval, in the unit of the metric.
    pub values: Vec<f64>,
}

/// The processes of one run that was traced to find them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Index of the command in the list of commands of the experiment.
    pub command: u16,
    /// The processes, each parent before its children.
    pub processes: Vec<Process>,
}

/// An incident that is no reading, such as a process that was killed for lack of memory, or a control group that was
/// throttled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Time of the incident in nanoseconds after the start of the experiment.
    pub at_ns: u64,
    /// Number of the run in the experiment; `None` for an incident outside of runs.
    pub trial: Option<u32>,
    /// A stable word for programs, such as `oom-kill`.
    pub name: String,
    /// A sentence for people.
    pub message: String,
    /// Figures of the incident by name. Each name ends with the unit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, u64>,
}
