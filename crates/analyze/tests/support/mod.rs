//! Samples made by hand.

use fauxplat_model::{Metric, Outcome, Phase, Sample};

/// A successful measured run with the given readings.
pub(crate) fn run(block: u32, command: u16, position: u16, readings: &[(Metric, u64)]) -> Sample {
    Sample {
        trial: 0,
        block,
        command,
        position,
        phase: Phase::Measured,
        outcome: Outcome::Exited(0),
        cpu_first: 0,
        cpu_last: 0,
        left_behind: 0,
        env_pad_bytes: 0,
        started_ns: u64::from(block) * 10_000_000,
        readings: readings.iter().copied().collect(),
    }
}
