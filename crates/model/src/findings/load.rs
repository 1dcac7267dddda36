//! What disturbances did.

use fauxplat_units::{Bytes, Cpu};
use serde::{Deserialize, Serialize};

use crate::LoadKind;

/// What one generator did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadAccount {
    /// What it does.
    pub kind: LoadKind,
    /// Where; absent for one that stays nowhere.
    pub cpu: Option<Cpu>,
    /// Share of the time that was asked for.
    pub asked_percent: u8,
    /// Share of the time in which it did work: by CPU time, and for `files`, which wait for their device, by wall time.
    /// Absent when it never came to work.
    pub achieved_percent: Option<f64>,
    /// The time in which it worked.
    pub busy_ns: u64,
    /// The time in which it was to work.
    pub wall_ns: u64,
    /// The part of it in which it waited for its CPU; absent where the kernel does not tell.
    pub run_delay_ns: Option<u64>,
    /// The part of it in which its CPU was offline or not allowed, and it did nothing.
    pub away_ns: u64,
    /// What it did, in the words of `operation`.
    pub operations: u64,
    /// What its operations are.
    pub operation: String,
    /// Memory that it walks.
    pub footprint_bytes: Bytes,
    /// How often its watchdog freed the CPU of a real-time load.
    pub watchdog_frees: u64,
    /// Why it ended before it was told to.
    pub ended: Option<String>,
}

/// Findings of `load`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadFindings {
    /// One entry per generator.
    pub generators: Vec<LoadAccount>,
    /// How long they were held, in seconds.
    pub elapsed_s: f64,
}
