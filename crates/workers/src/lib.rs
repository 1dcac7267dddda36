//! Worker threads on stated CPUs that run loops together and account for all of their time.
//!
//! The crate `launch` runs the user's programs; this crate runs loops of fauxplat, where a CPU or the neighbourhood of
//! two CPUs is measured. The threads live as long as their pool, so that their memory stays warm from one shift to the
//! next. All workers of a shift begin together and work for the same time, not the same number of units, so that no
//! worker has the machine to itself at the end.

mod account;
mod cache_transfer;
mod exchange;
mod pool;

pub use account::Counted;
pub use pool::{Shift, Station, WorkerPool};

#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The thread cannot have its CPU or its scheduling policy.
    #[error("a worker on CPU {cpu}: {source}")]
    Station { cpu: fauxplat_units::Cpu, source: fauxplat_sys::SysError },
    #[error("a worker thread cannot be created: {0}")]
    Thread(std::io::Error),
    #[error(
        "a worker on CPU {cpu} has no memory for the kernel {kernel}: {source} (is it limited, see `ulimit -v`?)"
    )]
    Memory { cpu: fauxplat_units::Cpu, kernel: fauxplat_kernels::Kernel, source: fauxplat_sys::SysError },
    /// A thread ended before it reported its shift.
    #[error("the worker thread on CPU {0} ended unexpectedly")]
    Gone(fauxplat_units::Cpu),
}

impl WorkerError {
    /// Whether a missing permission is the cause.
    pub fn is_permission(&self) -> bool {
        matches!(self, WorkerError::Station { source, .. } if source.is_permission())
    }
}
