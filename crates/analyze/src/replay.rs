//! Replay: the verdicts that a rule gives on comparisons that are drawn from a recorded session of identical programs,
//! with injected effects.

use fauxplat_model::{GateState, Injected, Margin, Phase, ReplayFindings, ReplayRow, Rule, Sample, Verdict};
use fauxplat_stats::describe::{median, quantile_sorted, sorted};
use fauxplat_stats::distribution::{clopper_pearson_lower, clopper_pearson_upper};
use fauxplat_stats::draw::Draw;
use fauxplat_stats::randomise::run_length;

use crate::judge::{Decision, Judge, Stand};
use crate::level::ratio_at;
use crate::pairing::{Pair, blocks};
use crate::patience::Patience;

/// Minimum number of blocks from which comparisons are drawn.
const BLOCKS_MIN: usize = 24;

/// Injected differences of B from A, as ratios minus one, in addition to the margin and half of it.
const SHIFTS: [f64; 5] = [0.003, 0.005, 0.01, 0.02, 0.05];

/// B takes twice as long in one of twenty runs.
const TAIL: Injected = Injected::Tail { share: 0.05, ratio: 2.0 };

/// All runs of a block except the first take 5 % longer.
const CARRY_OVER: Injected = Injected::CarryOver { ratio: 1.05 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// Number of blocks with usable runs of both commands, if fewer than 24.
    TooFewBlocks(usize),
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ReplayError::TooFewBlocks(blocks) = self;
        write!(f, "{blocks} usable blocks are too few to draw from; at least {BLOCKS_MIN} are needed")
    }
}

impl std::error::Error for ReplayError {}

#[derive(Clone, Debug)]
pub struct Replay<'s> {
    rule: Rule,
    seed: u64,
    ignore_failure: bool,
    blocks: Vec<Vec<&'s Sample>>,
    pairs_per_block: usize,
    block_ns: u64,
    margin: f64,
}

impl<'s> Replay<'s> {
    /// Prepares a replay from the samples of commands 0 and 1, which are identical programs.
    ///
    /// # Errors
    /// Fails if fewer than 24 blocks are usable.
    pub fn new(
        rule: &Rule,
        samples: &'s [Sample],
        ignore_failure: bool,
        seed: u64,
    ) -> Result<Self, ReplayError> {
        let mut usable = blocks(samples);
        usable
            .iter_mut()
            .for_each(|block| block.retain(|run| run.phase == Phase::Measured && run.command < 2));
        let most = usable.iter().map(Vec::len).max().unwrap_or(0);
        let is_whole = |block: &Vec<&Sample>| {
            let counts = |run: &&Sample| ignore_failure || run.outcome.is_success();
            block.len() == most
                && block.iter().all(counts)
                && Pair::of(block, 0, 1).log_ratio(rule.metric).is_some()
        };
        usable.retain(is_whole);
        if usable.len() < BLOCKS_MIN {
            return Err(ReplayError::TooFewBlocks(usable.len()));
        }
        let pairs_per_block = Pair::of(&usable[0], 0, 1).pairs().max(1);
        let (block_ns, margin) = (block_ns(&usable), margin(rule, &usable));
        Ok(Replay {
            rule: rule.clone(),
            seed,
            ignore_failure,
            blocks: usable,
            pairs_per_block,
            block_ns,
            margin,
        })
    }

    /// All injected effects: nothing, an order effect that is no difference of the programs, a difference in some runs,
    /// and differences in all runs, one of which is the margin.
    pub fn injected(&self) -> Vec<Injected> {
        let mut shifts: Vec<f64> = SHIFTS.into_iter().chain([0.5 * self.margin, self.margin]).collect();
        shifts.sort_by(f64::total_cmp);
        shifts.dedup_by(|one, other| (*one - *other).abs() < 1e-9);
        let shifts = shifts.into_iter().filter(|&shift| shift > 0.0);
        let shifts = shifts.map(|shift| Injected::Shift { ratio: 1.0 + shift });
        [Injected::Nothing, CARRY_OVER, TAIL].into_iter().chain(shifts).collect()
    }

    /// State of the drawn comparison with this number at its end, which does not depend on how many comparisons are
    /// drawn; `None` if no block was judged.
    pub fn comparison(&self, injected: Injected, number: u64) -> Option<Stand> {
        let seed = self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut judge = Judge::new(&self.rule, 2, seed).ignore_failure(self.ignore_failure);
        let patience = Patience::new(&self.rule);
        patience.blocks(self.block_ns).into_iter().for_each(|blocks| judge.horizon(blocks));
        let mut drawn =
            Drawn { replay: self, injected, draw: Draw::new(seed, 0x7265_706c), next: 0, left: 0 };
        for number in 1u32.. {
            if judge.block(&drawn.block(number)) == Decision::Stop {
                break;
            }
            let elapsed_ns = u64::from(number) * self.block_ns;
            if patience.is_over(elapsed_ns, number * self.pairs_per_block as u32, &judge) {
                judge.close();
                break;
            }
        }
        judge.stand(1)
    }

    /// Row of the report about the comparisons with one injected effect.
    pub fn row(&self, injected: Injected, stands: &[Stand]) -> ReplayRow {
        let (all, count) = (stands.len(), |wanted: &dyn Fn(&Stand) -> bool| {
            stands.iter().filter(|stand| wanted(stand)).count()
        });
        let is_wrong = |stand: &Stand| matches!(injected, Injected::Shift { .. }) && stand.effect_ratio < 1.0;
        // With a gate, *different* counts answers *beyond the margin*, and *equivalent* answers *within the margin*.
        let is = |stand: &Stand, state: GateState, verdict: Verdict| match stand.gate {
            Some(told) => told == state,
            None => stand.verdict == verdict,
        };
        let different = |stand: &Stand| is(stand, GateState::Beyond, Verdict::Different);
        let found = count(&|stand| different(stand) && !is_wrong(stand));
        let equivalent = count(&|stand| is(stand, GateState::Within, Verdict::Equivalent));
        let pairs = sorted(&stands.iter().map(|stand| stand.pairs as f64).collect::<Vec<_>>());
        let quantile = |share| quantile_sorted(&pairs, share).unwrap_or(0.0);
        ReplayRow {
            injected,
            comparisons: all,
            different: found,
            different_interval_95: interval(found, all),
            wrong_sign: count(&|stand| different(stand) && is_wrong(stand)),
            equivalent,
            equivalent_interval_95: interval(equivalent, all),
            equivalent_whole: count(&|stand| stand.extent == Some(fauxplat_model::Extent::Whole)),
            inconclusive: count(&|stand| is(stand, GateState::Undecided, Verdict::Inconclusive)),
            pairs_median: quantile(0.5),
            pairs_p90: quantile(0.9),
        }
    }

    pub fn findings(&self, source: String, rows: Vec<ReplayRow>) -> ReplayFindings {
        ReplayFindings {
            source,
            pairs: self.blocks.len() * self.pairs_per_block,
            run_length: run_length(self.blocks.len()),
            pair_s: self.block_ns as f64 / 1e9 / self.pairs_per_block as f64,
            max_pairs: self.rule.max_pairs as usize,
            limit_s: self.rule.at_least_s.or(self.rule.max_time_s),
            margin: Some(self.margin),
            rows,
            elapsed_s: 0.0,
        }
    }
}

/// Margin of the first metric as a ratio; an absolute margin is divided by the typical reading in these blocks.
fn margin(rule: &Rule, blocks: &[Vec<&Sample>]) -> f64 {
    let seen = blocks.iter().filter_map(|block| Pair::of(block, 0, 1).seen(rule.metric));
    match rule.decided()[0].1 {
        Margin::Ratio(ratio) => ratio,
        Margin::Absolute(amount) => {
            ratio_at(amount, &seen.map(|seen| seen.log_level).collect::<Vec<_>>()).unwrap_or(rule.margin)
        }
    }
}

/// Median time from the start of a block to the start of the next, preparations included, in nanoseconds, at least 1.
/// The breaks between sessions are too rare to change the median.
fn block_ns(blocks: &[Vec<&Sample>]) -> u64 {
    let begins: Vec<u64> =
        blocks.iter().filter_map(|block| block.iter().map(|run| run.started_ns).min()).collect();
    let apart: Vec<f64> = begins.windows(2).map(|two| two[1].saturating_sub(two[0]) as f64).collect();
    (median(&apart).unwrap_or(0.0) as u64).max(1)
}

fn interval(events: usize, trials: usize) -> [f64; 2] {
    const EACH_SIDE: f64 = 0.975;
    [clopper_pearson_lower(events, trials, EACH_SIDE), clopper_pearson_upper(events, trials, EACH_SIDE)]
}

/// Draws blocks from a recorded session, several successive ones at a time, since neighbouring blocks are alike. A and
/// B are exchanged at random in each block.
struct Drawn<'r> {
    replay: &'r Replay<'r>,
    injected: Injected,
    draw: Draw,
    next: usize,
    left: usize,
}

impl Drawn<'_> {
    fn block(&mut self, number: u32) -> Vec<Sample> {
        let recorded = &self.replay.blocks;
        if self.left == 0 {
            self.left = run_length(recorded.len());
            self.next = self.draw.below(recorded.len());
        }
        let block = &recorded[self.next % recorded.len()];
        (self.next, self.left) = (self.next + 1, self.left - 1);
        let swapped = self.draw.below(2) as u16;
        let first = block.iter().map(|run| run.position).min().unwrap_or(0);
        let began_ns = block.iter().map(|run| run.started_ns).min().unwrap_or(0);
        let block_ns = u64::from(number) * self.replay.block_ns;
        let at = |run: &Sample| block_ns + (run.started_ns - began_ns);
        block.iter().map(|run| self.run(run, swapped, first, (number, at(run)))).collect()
    }

    /// Copy of a recorded run with its new command, block and start, and with the injected effect.
    fn run(&mut self, run: &Sample, swapped: u16, first: u16, (number, started_ns): (u32, u64)) -> Sample {
        let command = run.command ^ swapped;
        let factor = match self.injected {
            Injected::Shift { ratio } if command == 1 => ratio,
            Injected::Tail { share, ratio } if command == 1 && self.draw.uniform() < share => ratio,
            Injected::CarryOver { ratio } if run.position > first => ratio,
            _ => 1.0,
        };
        let mut run = Sample { command, block: number, started_ns, ..run.clone() };
        let metric = self.replay.rule.metric;
        if let Some(value) = run.get(metric).filter(|_| factor != 1.0) {
            run.readings.set(metric, Some((value as f64 * factor).round() as u64));
        }
        run
    }
}
