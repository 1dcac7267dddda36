//! Steering of `run`: requests rounds of all commands until each has enough runs.

mod in_a_row;

use std::collections::VecDeque;

use fauxplat_analyze::precise_enough;
use fauxplat_model::{Definition, Metric, Phase, Runs};
use fauxplat_plan::{Plan, RUNS_MAX};

use self::in_a_row::InARow;
use super::failed::must_succeed;
use super::{Landed, Standing, Steering};
use crate::{Failure, Next};

#[derive(Debug)]
pub struct Rounds {
    plan: Plan,
    bounds: Bounds,
    in_a_row: InARow,
    /// Numbers of runs of each command that were requested (`asked`), and that have ended (`done`).
    asked: u32,
    done: u32,
    /// Number of blocks that were requested.
    blocks: u32,
    /// Number of runs of each command in each block under way, the oldest first.
    under_way: VecDeque<u16>,
    /// Number of runs of the oldest block under way that have ended, and the start of the first of them by the clock of
    /// the samples.
    landed: u32,
    began_ns: u64,
    enough: bool,
    started_ns: Option<u64>,
    elapsed_ns: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    pub runs: Runs,
    /// Minimum number of runs of each command, unless `runs` states a number; `None` for the default.
    pub least: Option<u32>,
    /// Maximum number of runs of each command; `None` for the default.
    pub most: Option<u32>,
    /// Time after which no further run begins, once each command has been run.
    pub max_time_ns: Option<u64>,
}

impl Bounds {
    pub fn of(definition: &Definition) -> Self {
        Bounds {
            runs: definition.runs,
            least: definition.min_runs,
            most: definition.max_runs,
            max_time_ns: definition.rule.max_time_s.map(|limit_s| (limit_s * 1e9) as u64),
        }
    }
}

/// Defaults if neither a number of runs nor a precision is requested: a minimum number of runs of each command, a
/// duration per command, and a maximum number of runs. The median of a short program is well known by then, and its
/// report comes within a second.
const AUTO_RUNS_MIN: u32 = 10;
const AUTO_NS: u64 = 3_000_000_000;
const AUTO_RUNS_MAX: u32 = 500;
/// Maximum number of runs of each command, so that an experiment ends even if the requested precision cannot be
/// reached.
const UNTIL_RUNS_MAX: u64 = 100_000;

impl Rounds {
    pub fn new(plan: Plan, bounds: Bounds) -> Self {
        Rounds {
            in_a_row: InARow::of(plan.layout, &bounds),
            plan,
            bounds,
            asked: 0,
            done: 0,
            blocks: 0,
            under_way: VecDeque::new(),
            landed: 0,
            began_ns: 0,
            enough: false,
            started_ns: None,
            elapsed_ns: 0,
        }
    }

    /// Default duration of the runs of all commands together, in nanoseconds.
    fn auto_ns(&self) -> u64 {
        AUTO_NS * u64::from(self.plan.commands)
    }

    fn wants_more(&self) -> bool {
        if self.bounds.max_time_ns.is_some_and(|limit_ns| self.asked > 0 && self.elapsed_ns >= limit_ns) {
            return false;
        }
        let most = |otherwise| self.bounds.most.unwrap_or(otherwise);
        match self.bounds.runs {
            Runs::Count(count) => self.asked < count,
            Runs::Auto => {
                self.asked < self.least()
                    || (self.elapsed_ns < self.auto_ns() && self.asked < most(AUTO_RUNS_MAX))
            }
            Runs::Until(_) => {
                let least = self.bounds.least.unwrap_or(0);
                (!self.enough || self.asked < least) && self.asked < most(self.until_runs_max())
            }
        }
    }

    /// Maximum number of runs of each command, after which the requested precision is given up.
    fn until_runs_max(&self) -> u32 {
        UNTIL_RUNS_MAX.min(RUNS_MAX / u64::from(self.plan.commands.max(1))) as u32
    }

    /// Number of runs of each command that are made regardless of their duration.
    fn least(&self) -> u32 {
        let least = self.bounds.least.unwrap_or(AUTO_RUNS_MIN);
        self.bounds.most.map_or(least, |most| least.min(most))
    }

    /// Maximum number of runs of each command that remain; `None` if nothing limits them.
    fn left(&self) -> Option<u32> {
        let most = match self.bounds.runs {
            Runs::Count(count) => Some(count),
            Runs::Auto => Some(self.bounds.most.unwrap_or(AUTO_RUNS_MAX).max(self.least())),
            Runs::Until(_) => self.bounds.most,
        };
        most.map(|most| most.saturating_sub(self.asked))
    }

    /// Counts a run that has ended, and ends its block if it was the last run of the block.
    fn note(&mut self, landed: Landed<'_>) {
        if self.landed == 0 {
            self.began_ns = landed.sample.started_ns;
        }
        self.landed += 1;
        let rounds = self.under_way.front().copied().unwrap_or(1);
        if self.landed == u32::from(self.plan.commands) * u32::from(rounds) {
            self.under_way.pop_front();
            self.landed = 0;
            self.block_is_over(landed, rounds);
        }
    }

    fn block_is_over(&mut self, landed: Landed<'_>, rounds: u16) {
        self.done += u32::from(rounds);
        if self.in_a_row.is_open() {
            let ended_ns = landed.sample.started_ns + landed.sample.get(Metric::WALL).unwrap_or(0);
            let round_ns = ended_ns.saturating_sub(self.began_ns);
            let time_ns = self.auto_ns().min(self.bounds.max_time_ns.unwrap_or(u64::MAX));
            self.in_a_row.paced(round_ns, time_ns);
        }
        if let Runs::Until(ratio) = self.bounds.runs
            && !self.enough
        {
            let precise = |command| precise_enough(landed.all, command, Metric::WALL, ratio, true);
            self.enough = (0..self.plan.commands).all(precise);
        }
    }

    fn share(&self) -> f64 {
        let done = f64::from(self.done);
        let by_limit = self.bounds.max_time_ns.map_or(0.0, |limit| self.elapsed_ns as f64 / limit as f64);
        let by_runs = match self.bounds.runs {
            Runs::Count(count) => done / f64::from(count),
            Runs::Auto => {
                let by_time = self.elapsed_ns as f64 / self.auto_ns() as f64;
                let by_most = done / f64::from(self.bounds.most.unwrap_or(AUTO_RUNS_MAX));
                by_time.max(by_most).min(done / f64::from(self.least()))
            }
            Runs::Until(_) => 0.0,
        };
        by_runs.max(by_limit)
    }
}

impl Steering for Rounds {
    fn next(&mut self, now_ns: u64) -> Next {
        self.elapsed_ns = now_ns - *self.started_ns.get_or_insert(now_ns);
        if !self.wants_more() {
            return Next::Done;
        }
        let is_first = self.blocks == 0;
        if !is_first && self.in_a_row.is_open() {
            return Next::Wait;
        }
        let plan = Plan { layout: self.in_a_row.next(is_first, self.left()), ..self.plan.clone() };
        let trials = plan.block(self.blocks, Phase::Measured);
        self.asked += u32::from(plan.layout.rounds());
        self.blocks += 1;
        self.under_way.push_back(plan.layout.rounds());
        Next::Trials(trials)
    }

    fn is_overdue(&mut self, now_ns: u64) -> bool {
        let elapsed_ns = self.started_ns.map_or(0, |started_ns| now_ns - started_ns);
        self.done > 0 && self.bounds.max_time_ns.is_some_and(|limit_ns| elapsed_ns >= limit_ns)
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        must_succeed(landed)?;
        self.note(landed);
        Ok(())
    }

    fn standing(&self) -> Option<Standing> {
        let words = format!("{} {} of each command", self.done, if self.done == 1 { "run" } else { "runs" });
        Some(Standing { share: self.share(), words, blocks: self.done })
    }
}
