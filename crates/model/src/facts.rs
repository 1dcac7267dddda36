//! Facts that identify a machine and its latest boot.

use fauxplat_units::{Bytes, CpuSet};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuFacts {
    /// Model name as the kernel prints it.
    pub model: String,
    pub online: CpuSet,
    /// CPUs on which fauxplat may run.
    pub allowed: CpuSet,
    /// Frequency governor of the first CPU; `None` if the CPU has none.
    pub governor: Option<String>,
}

/// Facts that distinguish a machine from others, and its latest boot from earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineFacts {
    pub kernel: String,
    /// Machine architecture, as `uname -m` prints it.
    pub architecture: String,
    pub os: String,
    pub cpu: CpuFacts,
    /// Installed memory.
    pub memory_bytes: Bytes,
    /// Name of the hypervisor; `None` if none is detected.
    pub hypervisor: Option<String>,
    pub boot_id: String,
    /// Value of `kernel.randomize_va_space`, which sets address space layout randomisation; `None` if it cannot be
    /// read.
    pub randomize_va_space: Option<u8>,
}
