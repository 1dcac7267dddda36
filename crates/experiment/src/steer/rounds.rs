//! Rounds of all commands until each has enough runs.

use fauxplat_analyze::precise_enough;
use fauxplat_model::{Metric, Phase, Runs};
use fauxplat_plan::Plan;

use super::failed::must_succeed;
use super::{Landed, Standing, Steering};
use crate::{Failure, Next};

/// Rounds of all commands until each has enough runs.
#[derive(Debug)]
pub struct Rounds {
    plan: Plan,
    runs: Runs,
    asked: u32,
    done: u32,
    enough: bool,
    started_ns: Option<u64>,
    elapsed_ns: u64,
}

/// Without other orders: at least so many runs of each command, for about so long, and never more than so many.
const AUTO_RUNS_MIN: u32 = 10;
const AUTO_NS: u64 = 3_000_000_000;
const AUTO_RUNS_MAX: u32 = 10_000;
/// A precision that cannot be reached must end too.
const UNTIL_RUNS_MAX: u32 = 100_000;

impl Rounds {
    /// Rounds in the order of a plan.
    pub fn new(plan: Plan, runs: Runs) -> Self {
        Rounds { plan, runs, asked: 0, done: 0, enough: false, started_ns: None, elapsed_ns: 0 }
    }

    /// For how long all commands are run when nobody says how often.
    fn auto_ns(&self) -> u64 {
        AUTO_NS * u64::from(self.plan.commands)
    }

    fn wants_more(&self) -> bool {
        match self.runs {
            Runs::Count(count) => self.asked < count,
            Runs::Auto => {
                self.asked < AUTO_RUNS_MIN || (self.elapsed_ns < self.auto_ns() && self.asked < AUTO_RUNS_MAX)
            }
            Runs::Until(_) => !self.enough && self.asked < UNTIL_RUNS_MAX,
        }
    }

    fn round_is_over(&mut self, landed: Landed<'_>) {
        self.done += 1;
        if let Runs::Until(ratio) = self.runs
            && !self.enough
        {
            let precise = |command| precise_enough(landed.all, command, Metric::WALL, ratio, true);
            self.enough = (0..self.plan.commands).all(precise);
        }
    }

    fn share(&self) -> f64 {
        match self.runs {
            Runs::Count(count) => f64::from(self.done) / f64::from(count),
            Runs::Auto => {
                let by_time = self.elapsed_ns as f64 / self.auto_ns() as f64;
                by_time.min(f64::from(self.done) / f64::from(AUTO_RUNS_MIN))
            }
            Runs::Until(_) => 0.0,
        }
    }
}

impl Steering for Rounds {
    fn next(&mut self, now_ns: u64) -> Next {
        self.elapsed_ns = now_ns - *self.started_ns.get_or_insert(now_ns);
        if !self.wants_more() {
            return Next::Done;
        }
        let trials = self.plan.block(self.asked, Phase::Measured);
        self.asked += 1;
        Next::Trials(trials)
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        must_succeed(landed, landed.command.condition.ignore_failure)?;
        if landed.sample.position + 1 == self.plan.commands {
            self.round_is_over(landed);
        }
        Ok(())
    }

    fn standing(&self) -> Option<Standing> {
        let words = format!("{} runs of each command", self.done);
        Some(Standing { share: self.share(), words, blocks: self.done })
    }
}
