//! Warm-up runs: each command in turn.

use fauxplat_model::{Phase, Setup, Trial};

use super::failed::must_succeed;
use super::{Landed, Steering};
use crate::{Failure, Next};

/// Warm-up runs.
#[derive(Debug)]
pub struct WarmUp {
    trials: Option<Vec<Trial>>,
    may_fail: bool,
}

impl WarmUp {
    /// So many runs of each of the first commands, in turns.
    pub fn new(commands: u16, times: u32) -> Self {
        let trial = |block: u32, command: u16| Trial {
            block,
            position: command,
            command,
            phase: Phase::Warmup,
            setup: Setup::default(),
        };
        let trials = (0..times).flat_map(|round| (0..commands).map(move |command| trial(round, command)));
        WarmUp { trials: Some(trials.collect()), may_fail: false }
    }

    /// The same runs, of commands whose failure is a finding.
    pub fn that_may_fail(self) -> Self {
        WarmUp { may_fail: true, ..self }
    }

    /// The same runs under a setup that a block drew.
    pub fn under(mut self, setup: &Setup) -> Self {
        self.trials.iter_mut().flatten().for_each(|trial| trial.setup = setup.clone());
        self
    }
}

impl Steering for WarmUp {
    fn next(&mut self, _now_ns: u64) -> Next {
        self.trials.take().filter(|trials| !trials.is_empty()).map_or(Next::Done, Next::Trials)
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        if self.may_fail { Ok(()) } else { must_succeed(landed) }
    }
}
