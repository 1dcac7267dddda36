//! Samples with given readings.

use fauxplat_model::{Metric, Sample};

pub(crate) fn run(block: u32, command: u16, position: u16, readings: &[(Metric, u64)]) -> Sample {
    Sample {
        block,
        command,
        position,
        started_ns: u64::from(block) * 10_000_000,
        ..Sample::of(readings.iter().copied().collect())
    }
}
