//! Findings of `load`: how the generators of load (background work) worked.

use fauxplat_units::{Bytes, Cpu};
use serde::{Deserialize, Serialize};

use crate::LoadKind;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadAccount {
    pub kind: LoadKind,
    /// CPU of the generator; `None` if it is not bound to a CPU.
    pub cpu: Option<Cpu>,
    /// Requested share of the time, in per cent.
    pub asked_percent: u8,
    /// Share of the time in which the generator worked, in per cent: by CPU time, or for `files`, which wait for their
    /// device, by wall time. `None` if the generator never worked.
    pub achieved_percent: Option<f64>,
    /// Time in which the generator worked.
    pub busy_ns: u64,
    /// Time over which the generator was to work at its share.
    pub wall_ns: u64,
    /// Part of `wall_ns` spent waiting for the CPU; `None` if the kernel does not report it.
    pub run_delay_ns: Option<u64>,
    /// Part of `wall_ns` in which the CPU was offline or not allowed, so that the generator did nothing.
    pub away_ns: u64,
    /// Number of operations, whose kind is `operation`.
    pub operations: u64,
    pub operation: String,
    /// Size of the memory that the generator accesses.
    pub footprint_bytes: Bytes,
    /// Number of times that the watchdog freed the CPU of a real-time load.
    pub watchdog_frees: u64,
    /// Why the generator ended early; `None` if it ended on request.
    pub ended: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadFindings {
    pub generators: Vec<LoadAccount>,
    /// Time for which the loads ran, in seconds.
    pub elapsed_s: f64,
}
