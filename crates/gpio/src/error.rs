//! Why a line cannot be had, or is no longer.

use std::io;

use fauxplat_sys::SysError;

/// What went wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum GpioError {
    /// It, or its chip, cannot be opened.
    #[error("{line} cannot be opened: {what}: {source}")]
    Open {
        /// Its name.
        line: String,
        /// The file or call.
        what: String,
        /// The kernel's reason.
        source: io::Error,
    },
    /// Somebody has it.
    #[error("{line} is taken{}", owner(.by))]
    Taken {
        /// Its name.
        line: String,
        /// By whom, as far as the kernel says; empty if it does not.
        by: String,
    },
    /// The chip has none of this name.
    #[error("{line} is not there: {why}")]
    Missing {
        /// Its name.
        line: String,
        /// What there is.
        why: String,
    },
    /// It cannot be what it is wanted for.
    #[error("{line} cannot be used: {why}")]
    Unfit {
        /// Its name.
        line: String,
        /// Why.
        why: &'static str,
    },
    /// It was there, and has vanished.
    #[error("{line} has vanished: {why}")]
    Gone {
        /// Its name.
        line: String,
        /// How that was noticed.
        why: String,
    },
    /// A call on it failed.
    #[error("{line}: {what}: {source}")]
    Failed {
        /// Its name.
        line: String,
        /// The call.
        what: String,
        /// The kernel's reason.
        source: io::Error,
    },
}

fn owner(who: &str) -> String {
    if who.is_empty() { String::new() } else { format!(" by {who}") }
}

/// What the kernel says of a device that was there: `ENODEV`, `ENXIO`, and `EPIPE` of whatever stands in for one.
const VANISHED: [i32; 3] = [19, 6, 32];
/// `EBUSY`.
const BUSY: i32 = 16;

impl GpioError {
    /// The failure of a line that was open.
    pub(crate) fn of_open(line: &str, what: &str, source: io::Error) -> Self {
        let (line, what) = (line.to_owned(), what.to_owned());
        match source.raw_os_error() {
            Some(code) if VANISHED.contains(&code) => {
                GpioError::Gone { line, why: format!("{what}: {source}") }
            }
            _ => GpioError::Failed { line, what, source },
        }
    }

    /// The same of a call of `sys`, which knows its own name.
    pub(crate) fn of_call(line: &str, error: SysError) -> Self {
        GpioError::of_open(line, &error.call, error.source)
    }

    /// The failure of opening a line.
    pub(crate) fn opening(line: &str, what: impl Into<String>, source: io::Error) -> Self {
        let line = line.to_owned();
        match source.raw_os_error() {
            Some(BUSY) => GpioError::Taken { line, by: String::new() },
            _ => GpioError::Open { line, what: what.into(), source },
        }
    }

    /// Whether the line was there and is no longer.
    pub fn is_gone(&self) -> bool {
        matches!(self, GpioError::Gone { .. })
    }

    /// Whether a permission is what is missing.
    pub fn is_permission(&self) -> bool {
        match self {
            GpioError::Open { source, .. } | GpioError::Failed { source, .. } => {
                source.kind() == io::ErrorKind::PermissionDenied
            }
            _ => false,
        }
    }
}
