//! Errors of lines.

use std::io;

use fauxplat_sys::SysError;

/// The reason why a line cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GpioError {
    /// The line, or its chip, cannot be opened.
    #[error("{line} cannot be opened: {what}: {source}")]
    Open {
        line: String,
        /// The file or the call that failed.
        what: String,
        source: io::Error,
    },
    /// The line is in use.
    #[error("{line} is taken{}", owner(.by))]
    Taken {
        line: String,
        /// User of the line, as reported by the kernel; may be empty.
        by: String,
    },
    /// The chip has no line of this name.
    #[error("{line} is not there: {why}")]
    Missing {
        line: String,
        /// The reason, such as a list of the lines that exist.
        why: String,
    },
    /// The line does not support the requested use.
    #[error("{line} cannot be used: {why}")]
    Unfit { line: String, why: &'static str },
    /// The line has vanished while it was open.
    #[error("{line} has vanished: {why}")]
    Gone {
        line: String,
        /// How the absence was noticed.
        why: String,
    },
    /// A call on the line failed.
    #[error("{line}: {what}: {source}")]
    Failed { line: String, what: String, source: io::Error },
}

fn owner(who: &str) -> String {
    if who.is_empty() { String::new() } else { format!(" by {who}") }
}

/// Error numbers for a device that has vanished: `ENODEV`, `ENXIO`, and `EPIPE` of a pipe that stands in for a device.
const VANISHED: [i32; 3] = [19, 6, 32];
/// `EBUSY`.
const BUSY: i32 = 16;

impl GpioError {
    /// Returns the error for a failed call on an open line: [`GpioError::Gone`] if the error number means that the
    /// device has vanished.
    pub(crate) fn of_open(line: &str, what: &str, source: io::Error) -> Self {
        let (line, what) = (line.to_owned(), what.to_owned());
        match source.raw_os_error() {
            Some(code) if VANISHED.contains(&code) => {
                GpioError::Gone { line, why: format!("{what}: {source}") }
            }
            _ => GpioError::Failed { line, what, source },
        }
    }

    /// Like [`GpioError::of_open`], for an error of the crate `sys`, which includes the name of the failed call.
    pub(crate) fn of_call(line: &str, error: SysError) -> Self {
        GpioError::of_open(line, &error.call, error.source)
    }

    /// Returns the error for a line that could not be opened: [`GpioError::Taken`] if the line is in use.
    pub(crate) fn opening(line: &str, what: impl Into<String>, source: io::Error) -> Self {
        let line = line.to_owned();
        match source.raw_os_error() {
            Some(BUSY) => GpioError::Taken { line, by: String::new() },
            _ => GpioError::Open { line, what: what.into(), source },
        }
    }

    pub fn is_gone(&self) -> bool {
        matches!(self, GpioError::Gone { .. })
    }

    /// Whether a permission is missing.
    pub fn is_permission(&self) -> bool {
        match self {
            GpioError::Open { source, .. } | GpioError::Failed { source, .. } => {
                source.kind() == io::ErrorKind::PermissionDenied
            }
            _ => false,
        }
    }
}
