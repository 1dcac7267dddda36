//! Steering of warm-up runs: each command in turn.

use fauxplat_model::{Phase, Setup, Trial};

use super::failed::must_succeed;
use super::{Landed, Standing, Steering};
use crate::{Failure, Next};

#[derive(Debug)]
pub struct WarmUp {
    commands: u16,
    rounds: std::ops::Range<u32>,
    setup: Setup,
    may_fail: bool,
    /// Whether the runs are part of a measurement that has begun, so that their progress is not reported.
    is_part: bool,
    done: u64,
    all: u64,
}

impl WarmUp {
    /// Steering for `times` runs of each of the first `commands` commands, in turns.
    pub fn new(commands: u16, times: u32) -> Self {
        let all = u64::from(commands) * u64::from(times);
        WarmUp {
            commands,
            rounds: 0..times,
            setup: Setup::default(),
            may_fail: false,
            is_part: false,
            done: 0,
            all,
        }
    }

    /// Lets runs fail without an error, for commands whose failure is a finding.
    pub fn that_may_fail(self) -> Self {
        WarmUp { may_fail: true, ..self }
    }

    /// Uses the setup that a block of a measurement drew. The runs then count as part of this measurement.
    pub fn under(self, setup: &Setup) -> Self {
        WarmUp { setup: setup.clone(), is_part: true, ..self }
    }
}

impl Steering for WarmUp {
    /// Requests one round at a time, so that a million warm-up runs take no memory.
    fn next(&mut self, _now_ns: u64) -> Next {
        let Some(block) = self.rounds.next().filter(|_| self.commands > 0) else { return Next::Done };
        let trial = |command: u16| Trial {
            block,
            position: command,
            command,
            phase: Phase::Warmup,
            setup: self.setup.clone(),
        };
        Next::Trials((0..self.commands).map(trial).collect())
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        if self.done == 0 {
            self.is_part |= landed.all.iter().any(|sample| sample.phase == Phase::Measured);
        }
        self.done += 1;
        if self.may_fail { Ok(()) } else { must_succeed(landed) }
    }

    /// Progress of the warm-up; `None` if the runs belong to a measurement that has begun.
    fn standing(&self) -> Option<Standing> {
        if self.is_part {
            return None;
        }
        let words = format!("warming up: {} of {} runs", self.done, self.all);
        Some(Standing { share: 0.0, words, blocks: 0 })
    }
}
