//! Turns the record of a node into figures: logarithms of readings, with the sign turned so that more is slower.

use std::collections::BTreeSet;

use fauxplat_model::{FleetEvidence, NodeRecord};
use fauxplat_stats::describe::{MAD_TO_SD, mad, median, standard_deviation};

use super::FleetQuestion;

/// Ratio of the standard error of the median to the standard error of the mean, for normal values.
const MEDIAN_LOSS: f64 = 1.2533;

/// Minimum number of blocks from which the variation between blocks is estimated.
const BLOCKS_MIN: usize = 3;

/// Minimum number of runs from which their standard deviation is computed.
const RUNS_MIN: usize = 3;

#[derive(Clone, Debug)]
pub(super) struct Machine<'a> {
    pub(super) record: &'a NodeRecord,
    /// Logarithms of the readings by block, with the sign turned so that more is slower.
    pub(super) blocks: Vec<Vec<f64>>,
    pub(super) runs: usize,
    /// The median of all values in `blocks`.
    pub(super) slow: f64,
    /// Standard error of `slow`, computed from this machine's runs alone.
    pub(super) error: f64,
    /// Standard deviation of the runs' logarithms; `None` for fewer than [`RUNS_MIN`] runs.
    pub(super) scatter: Option<f64>,
    /// The part of `slow` that the machine's facts explain.
    pub(super) explained: f64,
}

impl<'a> Machine<'a> {
    /// Computes the figures of a record; `None` if it has no reading above zero. `explained` is set to zero.
    pub(super) fn of(record: &'a NodeRecord, question: &FleetQuestion) -> Option<Self> {
        let blocks = logarithms(record, question, question.command);
        let all: Vec<f64> = blocks.iter().flatten().copied().collect();
        let slow = median(&all)?;
        let error = error_of_median(&blocks, &all);
        let scatter = (all.len() >= RUNS_MIN).then(|| standard_deviation(&all));
        Some(Machine { record, blocks, runs: all.len(), slow, error, scatter, explained: 0.0 })
    }

    /// The part of `slow` that the machine's facts do not explain.
    pub(super) fn left(&self) -> f64 {
        self.slow - self.explained
    }

    pub(super) fn node(&self) -> &'a str {
        &self.record.node
    }
}

/// The records of the first measurement (round 0): the first record of each node.
pub fn first_records(evidence: &FleetEvidence) -> impl Iterator<Item = &NodeRecord> {
    let mut seen = BTreeSet::new();
    evidence.records.iter().filter(move |record| record.round == 0 && seen.insert(record.node.as_str()))
}

/// Raises the standard error of machines with fewer than [`RUNS_MIN`] runs to that of a typical machine. The spread of
/// a single run is zero, which would make such a machine the most certain of all.
pub(super) fn know_errors(machines: &mut [Machine]) {
    let known: Vec<f64> = machines.iter().filter_map(|machine| machine.scatter).collect();
    let Some(typical) = median(&known) else { return };
    for machine in machines.iter_mut().filter(|machine| machine.scatter.is_none()) {
        machine.error = machine.error.max(MEDIAN_LOSS * typical / (machine.runs as f64).sqrt());
    }
}

/// Factor that turns the sign of logarithms so that more is slower: 1, or −1 for a metric of which more is better.
pub(super) fn sign(question: &FleetQuestion) -> f64 {
    if question.metric.more_is_better() { -1.0 } else { 1.0 }
}

/// Logarithms of a command's readings by block, with the sign turned so that more is slower. Missing readings and zeros
/// are left out.
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

/// Standard error of the median. With several blocks, it follows from the variation between blocks, since runs of one
/// block are not independent; it is never smaller than the variation of the runs gives.
fn error_of_median(blocks: &[Vec<f64>], all: &[f64]) -> f64 {
    let by_runs = MEDIAN_LOSS * spread(all) / (all.len() as f64).sqrt();
    if blocks.len() < BLOCKS_MIN {
        return by_runs;
    }
    let medians: Vec<f64> = blocks.iter().filter_map(|block| median(block)).collect();
    by_runs.max(standard_deviation(&medians) / (medians.len() as f64).sqrt())
}

/// Robust standard deviation, which a few outliers do not change much; the plain one if more than half of the values
/// are equal.
fn spread(values: &[f64]) -> f64 {
    match mad(values).map(|mad| MAD_TO_SD * mad) {
        Some(robust) if robust > 0.0 => robust,
        _ => standard_deviation(values),
    }
}
