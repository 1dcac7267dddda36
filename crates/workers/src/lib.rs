//! Threads of our own on stated CPUs that run loops together and account for every nanosecond of it.
//!
//! This is the other half of measuring: `launch` runs the user's programs, `workers` runs ours, where the CPU or the
//! neighbourhood of two CPUs is the subject. The threads live as long as the pool, so that their memory stays warm from
//! one shift to the next; all of a shift begin together and work for the same time rather than the same amount, so
//! that none has the machine to itself at the end.

mod account;
mod cache_transfer;
mod exchange;
mod pool;

pub use account::Counted;
pub use pool::{Shift, Station, WorkerPool};

/// Why a pool could not be made.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// A thread cannot be placed as it should.
    #[error("a worker on CPU {cpu}: {source}")]
    Station {
        /// Where.
        cpu: fauxplat_units::Cpu,
        /// The call that failed.
        source: fauxplat_sys::SysError,
    },
    /// A thread cannot be created.
    #[error("a worker thread cannot be created: {0}")]
    Thread(std::io::Error),
    /// There is no room for what a worker walks.
    #[error(
        "a worker on CPU {cpu} has no memory for the kernel {kernel}: {source} (is it limited, see `ulimit -v`?)"
    )]
    Memory {
        /// Where.
        cpu: fauxplat_units::Cpu,
        /// What it was to run.
        kernel: fauxplat_kernels::Kernel,
        /// The call that failed.
        source: fauxplat_sys::SysError,
    },
    /// A thread ended before its work did.
    #[error("the worker on CPU {0} ended early")]
    Gone(fauxplat_units::Cpu),
}

impl WorkerError {
    /// Whether a permission is what is missing.
    pub fn is_permission(&self) -> bool {
        matches!(self, WorkerError::Station { source, .. } if source.is_permission())
    }
}
