//! Steering of an explanation: a fixed number of blocks, or as many as fit into the time limit.

use fauxplat_model::{Phase, Rule};
use fauxplat_plan::{Crossed, RUNS_PER_BLOCK};

use super::failed::Failures;
use super::{Landed, Standing, Steering};
use crate::{Failure, Next};

/// Minimum number of blocks, which are run even if the time limit is over.
const BLOCKS_MIN: u32 = 12;

#[derive(Debug)]
pub struct ExplainSteering {
    plan: Crossed,
    blocks_max: u32,
    max_time_ns: Option<u64>,
    started_ns: Option<u64>,
    elapsed_ns: u64,
    asked: u32,
    runs: u32,
    failures: Failures,
}

impl ExplainSteering {
    /// Steering for as many blocks of a plan, and as much time, as the rule permits.
    pub fn new(plan: &Crossed, rule: &Rule) -> Self {
        ExplainSteering {
            plan: plan.clone(),
            blocks_max: rule.max_pairs,
            max_time_ns: rule.max_time_s.map(|limit_s| (limit_s * 1e9) as u64),
            started_ns: None,
            elapsed_ns: 0,
            asked: 0,
            runs: 0,
            failures: Failures::default(),
        }
    }

    fn time_share(&self) -> f64 {
        self.max_time_ns.map_or(0.0, |limit_ns| self.elapsed_ns as f64 / limit_ns as f64)
    }
}

impl Steering for ExplainSteering {
    fn next(&mut self, now_ns: u64) -> Next {
        self.elapsed_ns = now_ns - *self.started_ns.get_or_insert(now_ns);
        let is_late = self.asked >= BLOCKS_MIN && self.time_share() >= 1.0;
        if self.asked >= self.blocks_max || is_late {
            return Next::Done;
        }
        let trials = self.plan.block(self.asked, Phase::Measured);
        self.asked += 1;
        Next::Trials(trials)
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        self.runs += 1;
        self.failures.count(landed, self.runs, "runs")
    }

    fn standing(&self) -> Option<Standing> {
        let blocks = self.runs / u32::from(RUNS_PER_BLOCK);
        let by_blocks = f64::from(blocks) / f64::from(self.blocks_max);
        let enough = f64::from(blocks) / f64::from(BLOCKS_MIN.min(self.blocks_max));
        let share = by_blocks.max(self.time_share().min(enough));
        Some(Standing { share, words: format!("block {blocks} of {}", self.blocks_max), blocks })
    }
}
