//! A record in numbers: logarithms in which more is slower.

use std::collections::BTreeSet;

use fauxplat_model::{FleetEvidence, NodeRecord};
use fauxplat_stats::describe::{MAD_TO_SD, mad, median, standard_deviation};

use super::FleetQuestion;

/// Standard error of a median of normal values over that of their mean.
const MEDIAN_LOSS: f64 = 1.2533;

/// Fewer blocks than this say nothing about how blocks differ.
const BLOCKS_MIN: usize = 3;

/// Fewer runs than this say nothing about how runs differ.
const RUNS_MIN: usize = 3;

/// A machine that gave figures.
#[derive(Clone, Debug)]
pub(super) struct Machine<'a> {
    pub(super) record: &'a NodeRecord,
    /// By block: logarithms of what its runs read, turned so that more is slower.
    pub(super) blocks: Vec<Vec<f64>>,
    pub(super) runs: usize,
    /// The median of all runs, as such a logarithm.
    pub(super) slow: f64,
    /// Standard error of the median, by the machine's own runs.
    pub(super) error: f64,
    /// Standard deviation of the runs; `None` for fewer than three.
    pub(super) scatter: Option<f64>,
    /// The part of `slow` that the machine's facts explain.
    pub(super) explained: f64,
}

impl<'a> Machine<'a> {
    /// `None` for a record without a figure above zero.
    pub(super) fn of(record: &'a NodeRecord, question: &FleetQuestion) -> Option<Self> {
        let blocks = logarithms(record, question, question.command);
        let all: Vec<f64> = blocks.iter().flatten().copied().collect();
        let slow = median(&all)?;
        let error = error_of_median(&blocks, &all);
        let scatter = (all.len() >= RUNS_MIN).then(|| standard_deviation(&all));
        Some(Machine { record, blocks, runs: all.len(), slow, error, scatter, explained: 0.0 })
    }

    /// How slow the machine is beside what its facts explain.
    pub(super) fn left(&self) -> f64 {
        self.slow - self.explained
    }

    pub(super) fn node(&self) -> &'a str {
        &self.record.node
    }
}

/// The records of the first measurement of all. A node has one say, the first, whatever else there is of it.
pub fn first_records(evidence: &FleetEvidence) -> impl Iterator<Item = &NodeRecord> {
    let mut seen = BTreeSet::new();
    evidence.records.iter().filter(move |record| record.round == 0 && seen.insert(record.node.as_str()))
}

/// Gives machines with hardly any runs the error that the runs of the others have: the spread of one run is none, and
/// would make it the surest of all.
pub(super) fn know_errors(machines: &mut [Machine]) {
    let known: Vec<f64> = machines.iter().filter_map(|machine| machine.scatter).collect();
    let Some(typical) = median(&known) else { return };
    for machine in machines.iter_mut().filter(|machine| machine.scatter.is_none()) {
        machine.error = machine.error.max(MEDIAN_LOSS * typical / (machine.runs as f64).sqrt());
    }
}

/// 1 where more is slower, and −1 for a rate.
pub(super) fn sign(question: &FleetQuestion) -> f64 {
    if question.metric.more_is_better() { -1.0 } else { 1.0 }
}

/// The runs of a command, by block; a reading that is missing or zero has no logarithm.
pub(super) fn logarithms(record: &NodeRecord, question: &FleetQuestion, command: u16) -> Vec<Vec<f64>> {
    let sign = sign(question);
    let of_block = |block: &fauxplat_model::NodeBlock| -> Vec<f64> {
        let values = block.values.get(question.metric.name()).map_or(&[][..], Vec::as_slice);
        let mine = block.commands.iter().zip(values).filter(|(of, _)| **of == command);
        let above_zero = mine.filter_map(|(_, value)| value.filter(|&value| value > 0));
        above_zero.map(|value| sign * (value as f64).ln()).collect()
    };
    record.blocks.iter().map(of_block).filter(|block| !block.is_empty()).collect()
}

/// Where there are several blocks, by how much they differ, since runs of one block share its fate; else by the runs.
fn error_of_median(blocks: &[Vec<f64>], all: &[f64]) -> f64 {
    let by_runs = MEDIAN_LOSS * spread(all) / (all.len() as f64).sqrt();
    if blocks.len() < BLOCKS_MIN {
        return by_runs;
    }
    let medians: Vec<f64> = blocks.iter().filter_map(|block| median(block)).collect();
    by_runs.max(standard_deviation(&medians) / (medians.len() as f64).sqrt())
}

/// Standard deviation that a few outliers do not move; the plain one where more than half of the values are equal.
fn spread(values: &[f64]) -> f64 {
    match mad(values).map(|mad| MAD_TO_SD * mad) {
        Some(robust) if robust > 0.0 => robust,
        _ => standard_deviation(values),
    }
}
