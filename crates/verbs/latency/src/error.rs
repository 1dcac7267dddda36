//! Errors of `latency`.

use std::path::PathBuf;

use fauxplat_experiment::{Failure, Kind};

#[derive(Debug, thiserror::Error)]
pub enum LatencyError {
    /// An option has no effect on the requested tests, or no meaning.
    #[error("{0}")]
    Refused(&'static str),
    #[error(
        "there is nothing to test: messages over the channel `line` (a cache line that the receiver polls) need two different CPUs (--pairs A:B)"
    )]
    NothingToTest,
    #[error("no CPU is allowed to this process")]
    NoCpu,
    /// A document that is to be merged cannot be read.
    #[error("{}: {reason}", file.display())]
    Document { file: PathBuf, reason: String },
    /// A thread cannot be placed, or a call is refused.
    #[error("on CPU {cpu}: {source}")]
    ThreadPlacement { cpu: fauxplat_units::Cpu, source: fauxplat_sys::SysError },
    #[error(
        "no thread can be made for CPU {cpu}: {source}; end other programs, or raise the limit of processes \
         (`ulimit -u`, pids.max of the control group)"
    )]
    Thread { cpu: fauxplat_units::Cpu, source: std::io::Error },
    /// A watchdog or a channel cannot be created.
    #[error("{what} cannot be made: {source}")]
    Make { what: &'static str, source: std::io::Error },
    /// A line cannot be requested, or has vanished.
    #[error(transparent)]
    Line(#[from] fauxplat_gpio::GpioError),
    /// The loop that blinks a light failed.
    #[error(transparent)]
    Blink(#[from] fauxplat_blink::BlinkError),
    /// A simulated line of the kernel (gpio-sim) cannot be pulled up or down.
    #[error("{path}: {source}")]
    Pull { path: String, source: std::io::Error },
    #[error("there was no edge on {line} for {seconds} seconds: say what makes edges (--drive)")]
    Silent { line: String, seconds: u64 },
    /// A system call that waits for a line failed.
    #[error(transparent)]
    Wait { source: fauxplat_sys::SysError },
    #[error("the histogram of {test} cannot be read: {reason}")]
    Histogram { test: String, reason: String },
    /// A thread of a test, on the CPU named here, ended before it gave its result.
    #[error("the measuring thread on CPU {0} ended unexpectedly")]
    Gone(fauxplat_units::Cpu),
}

impl LatencyError {
    /// Whether a missing permission is the cause.
    pub fn is_permission(&self) -> bool {
        matches!(self, LatencyError::ThreadPlacement { source, .. } if source.is_permission())
    }
}

impl From<LatencyError> for Failure {
    fn from(error: LatencyError) -> Self {
        let kind = match error {
            LatencyError::Document { .. } => return Failure::input(error),
            LatencyError::Refused(_) | LatencyError::NothingToTest => Kind::Usage,
            LatencyError::Gone(_) => Kind::Bug,
            _ => Kind::Machine,
        };
        Failure::new(kind, error)
    }
}
