//! A run that a plan asks for.

use fauxplat_units::CpuSet;
use serde::{Deserialize, Serialize};

use crate::Phase;

/// The part of the condition that the plan draws anew for each block. All commands of a block share it; in a duet, all
/// but the CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// CPUs on which the run may execute; `None` leaves the inherited affinity.
    pub cpus: Option<CpuSet>,
    /// Whether only one of the CPUs is meant: the one that is idle when the block begins.
    #[serde(default)]
    pub idle: bool,
    /// Stack displacement in bytes. The environment is padded so that every command of the block has the same
    /// total of argument and environment bytes, modulo a page: this value.
    pub stack_offset_bytes: Option<u16>,
    /// Displacement of the heap in bytes, a multiple of 16.
    #[serde(default)]
    pub heap_offset_bytes: Option<u16>,
    /// Whether the run starts at the same moment as the one before it, beside it.
    #[serde(default)]
    pub together: bool,
    /// Exact environment padding in bytes, for a condition that fixes it in place of `stack_offset_bytes`.
    pub env_pad_bytes: u16,
}

/// A run that a plan asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// Number of the block.
    pub block: u32,
    /// Place within the block, from 0.
    pub position: u16,
    /// Index of the command in the plan.
    pub command: u16,
    /// Warm-up or measured run.
    pub phase: Phase,
    /// The setup that was drawn for the block.
    pub setup: Setup,
}
