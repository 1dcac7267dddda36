//! What an experiment leaves behind, each piece stored as it lands.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Metric, Process, Sample, ShiftSample, Unit};

/// One piece of evidence. The findings follow from these, and from nothing else.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// One run of one command.
    Run(Sample),
    /// What a worker did in one shift.
    Shift(ShiftSample),
    /// The distribution of readings that are too many to be kept one by one.
    Histogram(Histogram),
    /// How a figure went along a run.
    Series(Series),
    /// The processes of one run of a command.
    Tree(Tree),
    /// Something that happened and is no reading.
    Event(Event),
}

impl Evidence {
    /// The word for this kind in documents.
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

/// How many readings fell where, in one slice of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// The round: every cell of the design is visited once in each.
    pub round: u32,
    /// The cell of the design.
    pub cell: u16,
    /// What was read: `timer`, `pipe there`.
    pub name: String,
    /// The unit of the bounds.
    pub unit: Unit,
    /// Readings that were due and were not taken.
    pub missed: u64,
    /// Upper end of each occupied bin, rising; a reading belongs to the first that is not below it.
    pub bounds: Vec<u64>,
    /// How many readings are in each bin.
    pub counts: Vec<u64>,
}

/// How a figure went along one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The run, by its position in the experiment.
    pub trial: u32,
    /// What was read.
    pub metric: Metric,
    /// The end of each interval, counted from the start of the run.
    pub until_ns: Vec<u64>,
    /// The figure within each interval, in the unit of the metric.
    pub values: Vec<f64>,
}

/// The processes of one run that was traced for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Index of the command in the plan.
    pub command: u16,
    /// The processes, parents before their children.
    pub processes: Vec<Process>,
}

/// Something that happened and is no reading: a process was killed for want of memory, a group was throttled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When, counted from the start of the experiment.
    pub at_ns: u64,
    /// The run in which it happened, by its position in the experiment; absent if it was in none.
    pub trial: Option<u32>,
    /// What it was, in one word for programs: `oom-kill`.
    pub name: String,
    /// What it was, in a sentence for people.
    pub message: String,
    /// Its figures, each under a name that carries the unit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, u64>,
}
