//! Evidence of a sweep: logarithms of readings, block by block, and the permutation test that is continued with each
//! block.

use fauxplat_model::{Metric, Sample};
use fauxplat_stats::additive::Block;
use fauxplat_stats::permute::{Crossing, LevelSums};
use fauxplat_stats::smooth::{running_median, scatter, trend, window};

use super::course::Stage;
use crate::analysed::{counts, least};

/// Maximum number of sums that the permutation test keeps, one for each level and random permutation: 32 MB.
const SUMS_MAX: usize = 4 << 20;

/// Number of random permutations, if [`SUMS_MAX`] allows so many. At the first of ten looks at an error level of 1 %,
/// six of them may be more extreme than the observed order.
const DRAWS: usize = 1999;

/// Minimum number of random permutations; with fewer, hardly anything can be shown at an error level of 1 %.
const DRAWS_MIN: usize = 999;

/// Largest absolute standardised value; an outlier is capped at it, since its size tells no more about its level.
const REACH: f64 = 4.0;

/// Number of earlier values from which the drift and the scatter of a block's values are estimated.
const MEMORY: usize = 64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) runs: usize,
    pub(super) failures: usize,
    pub(super) exit_status: Option<i32>,
}

/// All evidence of a sweep so far. Levels are indices into the list of distinct levels.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    pub(super) blocks: Vec<Block>,
    pub(super) stages: Vec<Stage>,
    pub(super) stretches: Vec<usize>,
    pub(super) tallies: Vec<Tally>,
    pub(super) sums: LevelSums,
    pub(super) crossing: Crossing,
    /// Latest values of the blocks in the permutation test, and the same values without drift.
    values_before: Vec<f64>,
    residuals_before: Vec<f64>,
}

impl Evidence {
    pub(super) fn new(levels: usize, seed: u64) -> Self {
        let draws = (SUMS_MAX / levels.max(1)).clamp(DRAWS_MIN, DRAWS);
        Evidence {
            blocks: Vec::new(),
            stages: Vec::new(),
            stretches: Vec::new(),
            tallies: vec![Tally::default(); levels],
            sums: LevelSums::new(levels, draws, seed),
            crossing: Crossing::default(),
            values_before: Vec::new(),
            residuals_before: Vec::new(),
        }
    }

    /// Adds a block: its measured runs in chronological order, each with the index of its level.
    pub(super) fn take(&mut self, runs: &[(u16, &Sample)], metric: Metric, ignore_failure: bool) {
        let mut block = Block::default();
        for &(level, sample) in runs {
            let tally = &mut self.tallies[usize::from(level)];
            tally.runs += 1;
            if !sample.outcome.is_success() {
                tally.failures += 1;
                tally.exit_status.get_or_insert(sample.outcome.exit_status());
            }
            let reading = sample.get(metric).filter(|_| counts(sample, ignore_failure));
            if let Some(value) = reading.filter(|_| !block.levels.contains(&level)) {
                block.levels.push(level);
                block.values.push((value as f64).max(least(metric)).ln());
            }
        }
        self.blocks.push(block);
    }

    /// Sets the stage and stretch of the latest block, and adds it to the permutation test unless it confirms
    /// candidates.
    pub(super) fn label(&mut self, stage: Stage, stretch: usize) {
        self.stages.push(stage);
        self.stretches.push(stretch);
        let latest = self.blocks.len() - 1;
        if stage != Stage::Confirm && self.blocks[latest].values.len() > 1 {
            let standardised = self.standardise(&self.blocks[latest].values.clone());
            self.sums.add(&self.blocks[latest].levels, &standardised);
        }
    }

    /// The log readings of a block minus their drift, divided by their local scatter. Only the chronological order is
    /// used, and never which level was visited when; without an effect, the random permutations thus stay as likely as
    /// the observed order.
    fn standardise(&mut self, values: &[f64]) -> Vec<f64> {
        let movement = if window(values.len()) < values.len() {
            let from = self.values_before.len().saturating_sub(window(values.len()) / 2);
            let before = &self.values_before[from..];
            running_median(&[before, values].concat(), window(values.len())).split_off(before.len())
        } else {
            trend(&[values.to_vec()]).concat()
        };
        let residuals: Vec<f64> = values.iter().zip(&movement).map(|(value, slow)| value - slow).collect();
        let spread = scatter(&[self.residuals_before.as_slice(), &residuals].concat());
        let spread = &spread[self.residuals_before.len()..];
        let standardised = residuals.iter().zip(spread).map(|(r, spread)| (r / spread).clamp(-REACH, REACH));
        let standardised = standardised.collect();
        remember(&mut self.values_before, values);
        remember(&mut self.residuals_before, &residuals);
        standardised
    }

    pub(super) fn of(&self, wanted: impl Fn(Stage) -> bool) -> Vec<usize> {
        (0..self.blocks.len()).filter(|&index| wanted(self.stages[index])).collect()
    }
}

fn remember(memory: &mut Vec<f64>, values: &[f64]) {
    memory.extend_from_slice(values);
    memory.drain(..memory.len().saturating_sub(MEMORY));
}
