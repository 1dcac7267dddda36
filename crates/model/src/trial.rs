//! A run that the plan of an experiment requests.

use fauxplat_units::CpuSet;
use serde::{Deserialize, Serialize};

use crate::Phase;

/// The part of the condition that the plan draws anew for each block. All runs of a block share the setup; the two runs
/// of a duet, which execute at the same moment, share all of it but the CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// CPUs on which the run may execute; `None` leaves the affinity that fauxplat inherited.
    pub cpus: Option<CpuSet>,
    /// Whether only one of the CPUs in `cpus` is used: the one that is idle when the block begins.
    #[serde(default)]
    pub idle: bool,
    /// Stack displacement in bytes. The environment is padded so that the total of argument and environment bytes of
    /// every command of the block equals this value, modulo a page.
    pub stack_offset_bytes: Option<u16>,
    /// Displacement of the heap in bytes, a multiple of 16.
    #[serde(default)]
    pub heap_offset_bytes: Option<u16>,
    /// Whether the run starts together with the preceding run, beside it.
    #[serde(default)]
    pub together: bool,
    /// Exact environment padding in bytes, for a condition that fixes the padding and not `stack_offset_bytes`.
    pub env_pad_bytes: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// Number of the block in the plan.
    pub block: u32,
    /// Place of the run within the block, from 0.
    pub position: u16,
    /// Index of the command in the list of commands of the experiment.
    pub command: u16,
    pub phase: Phase,
    pub setup: Setup,
}
