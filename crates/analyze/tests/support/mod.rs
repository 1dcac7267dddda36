//! Samples made by hand.

use fauxplat_model::{Metric, Outcome, Phase, Reading, Sample};

/// A successful measured run with the given readings.
pub(crate) fn run(block: u32, command: u16, position: u16, readings: &[(Metric, u64)]) -> Sample {
    let mut all = [Reading::ABSENT; Metric::COUNT];
    readings.iter().for_each(|&(metric, value)| all[metric as usize] = Reading::new(value));
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
        readings: all,
    }
}

/// A number between −1 and 1 that looks random and is the same every time.
pub(crate) fn jitter(index: u32, salt: u32) -> f64 {
    let mixed = index.wrapping_mul(0x9e37_79b9) ^ salt.wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d);
    f64::from((mixed ^ mixed >> 12).wrapping_mul(0x297a_2d39) >> 8) / f64::from(1u32 << 23) - 1.0
}
