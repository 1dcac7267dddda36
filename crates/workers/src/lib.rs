//! Worker threads on stated CPUs that run loops together and account for every nanosecond.
//!
//! `launch` runs the user's programs; `workers` runs loops of fauxplat, where the CPU or the neighbourhood of two CPUs
//! is the subject. The threads live as long as the pool, so that their memory stays warm from one shift to the next;
//! all workers of a shift begin together and work for the same time rather than the same amount, so that no worker has
//! the machine to itself at the end.

mod account;
mod cache_transfer;
mod exchange;
mod pool;

pub use account::Counted;
pub use pool::{Shift, Station, WorkerPool};

/// Reason why a pool could not be made, or a shift failed.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// A thread cannot be placed as it should.
    #[error("a worker on CPU {cpu}: {source}")]
    Station {
        /// CPU of the worker.
        cpu: fauxplat_units::Cpu,
        /// The call that failed.
        source: fauxplat_sys::SysError,
    },
    /// A thread cannot be created.
    #[error("a worker thread cannot be created: {0}")]
    Thread(std::io::Error),
    /// The memory of a worker's kernel cannot be allocated.
    #[error(
        "a worker on CPU {cpu} has no memory for the kernel {kernel}: {source} (is it limited, see `ulimit -v`?)"
    )]
    Memory {
        /// CPU of the worker.
        cpu: fauxplat_units::Cpu,
        /// Kernel whose memory was requested.
        kernel: fauxplat_kernels::Kernel,
        /// The call that failed.
        source: fauxplat_sys::SysError,
    },
    /// A thread ended before its work did.
    #[error("the worker on CPU {0} ended early")]
    Gone(fauxplat_units::Cpu),
}

impl WorkerError {
    /// Whether a missing permission is the cause.
    pub fn is_permission(&self) -> bool {
        matches!(self, WorkerError::Station { source, .. } if source.is_permission())
    }
}
