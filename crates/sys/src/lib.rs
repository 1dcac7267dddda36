//! Kernel calls and clocks, one safe function each. No other crate in `crates/` contains `unsafe` code, apart from
//! tests.

pub mod arithmetic;
pub mod clock;
pub mod files;
pub mod gpio;
pub mod inherited;
pub mod input;
pub mod klog;
pub mod memory;
pub mod mempolicy;
pub mod migrations;
pub mod pause;
pub mod perf;
pub mod pipes;
pub mod poll;
pub mod process;
pub mod program;
pub mod sampling;
pub mod sched;
pub mod shared;
pub mod signal;
pub mod spawn;
pub mod summons;
pub mod supervisor;
pub mod taskstats;
pub mod text;
pub mod timer;
pub mod trace;
pub mod wake;
pub mod workplace;

/// A failed kernel call, with the kernel's reason.
#[derive(Debug, thiserror::Error)]
#[error("{call}: {source}")]
pub struct SysError {
    /// Name of the call or of the failed step, in some cases with its object, such as the CPUs.
    pub call: String,
    pub source: std::io::Error,
}

impl SysError {
    /// Returns the error that the last call of this thread left in `errno`.
    fn last(call: impl Into<String>) -> Self {
        SysError { call: call.into(), source: std::io::Error::last_os_error() }
    }

    /// Returns whether the kernel refused for lack of a permission.
    pub fn is_permission(&self) -> bool {
        self.source.kind() == std::io::ErrorKind::PermissionDenied
    }

    /// Returns whether the error is the process's limit of open files.
    pub fn is_out_of_files(&self) -> bool {
        self.source.raw_os_error() == Some(libc::EMFILE)
    }

    /// Returns whether the error says that the process or thread does not exist.
    pub fn is_gone(&self) -> bool {
        self.source.raw_os_error() == Some(libc::ESRCH)
    }
}

pub type Result<T> = std::result::Result<T, SysError>;

/// Converts the C convention (a negative number, and `errno`) to a result.
fn check(value: libc::c_int, call: &str) -> Result<libc::c_int> {
    if value < 0 { Err(SysError::last(call)) } else { Ok(value) }
}
