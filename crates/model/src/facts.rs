//! Facts that identify a machine and its boot.

use fauxplat_units::{Bytes, CpuSet};
use serde::{Deserialize, Serialize};

/// The CPUs of the machine as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuFacts {
    /// Model name as the kernel prints it.
    pub model: String,
    /// CPUs that are online.
    pub online: CpuSet,
    /// CPUs on which this process may run.
    pub allowed: CpuSet,
    /// Frequency governor of the first CPU, where there is one.
    pub governor: Option<String>,
}

/// Facts about a machine: enough to tell two machines, or two boots of one, apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineFacts {
    /// Kernel release.
    pub kernel: String,
    /// Machine architecture, as `uname -m` prints it.
    pub architecture: String,
    /// Name of the distribution.
    pub os: String,
    /// The CPUs.
    pub cpu: CpuFacts,
    /// Installed memory.
    pub memory_bytes: Bytes,
    /// Name of the hypervisor; `None` where none is detected.
    pub hypervisor: Option<String>,
    /// Identifier of this boot.
    pub boot_id: String,
    /// Address space layout randomisation of the machine (`kernel.randomize_va_space`).
    pub randomize_va_space: Option<u8>,
}
