//! How late a machine is: timers, scheduling noise, messages between CPUs, signals, lines and lights.
//!
//! Every test runs in slices on threads of its own, at a stated CPU and policy, and records each single activation. A
//! stall delays every activation that falls into it, not only the first: what a test would have seen had it not been
//! stalled itself is kept beside what it saw (Tene, "How not to measure latency").

mod edge;
mod line;
mod message;
mod noise;
mod recording;
mod signals;
mod stage;
mod timer;
mod watchdog;

pub use edge::edge;
pub use fauxplat_threads::Place;
pub use line::{Drive, Lines, line};
pub use message::{Channel, message};
pub use noise::noise;
pub use recording::Recording;
pub use signals::signals;
pub use stage::{calm, highest_policy};
pub use timer::timer;

/// Why a test cannot run.
#[derive(Debug, thiserror::Error)]
pub enum LatencyError {
    /// A thread cannot be placed, or a call is refused.
    #[error("on CPU {cpu}: {source}")]
    Place {
        /// Where.
        cpu: fauxplat_units::Cpu,
        /// The call that failed.
        source: fauxplat_sys::SysError,
    },
    /// A thread of a test cannot be made: there is no room for it, or there are as many as may be.
    #[error(
        "no thread can be made for CPU {cpu}: {source}; end other programs, or raise the limit of processes \
         (`ulimit -u`, pids.max of the control group)"
    )]
    Thread {
        /// Where it was to run.
        cpu: fauxplat_units::Cpu,
        /// The reason.
        source: std::io::Error,
    },
    /// A watchdog or a channel cannot be made.
    #[error("{what} cannot be made: {source}")]
    Make {
        /// What.
        what: &'static str,
        /// The reason.
        source: std::io::Error,
    },
    /// A line cannot be had, or has vanished.
    #[error(transparent)]
    Line(#[from] fauxplat_gpio::GpioError),
    /// A light does not blink.
    #[error(transparent)]
    Blink(#[from] fauxplat_blink::BlinkError),
    /// A simulated line of the kernel cannot be pulled.
    #[error("{path}: {source}")]
    Pull {
        /// The file.
        path: String,
        /// The reason.
        source: std::io::Error,
    },
    /// Nobody makes edges.
    #[error("there was no edge on {line} for {seconds} seconds: what is to make them (--drive)?")]
    Silent {
        /// Its name.
        line: String,
        /// For how long it was waited for.
        seconds: u64,
    },
    /// A call that waits for a line.
    #[error(transparent)]
    Wait {
        /// The call that failed.
        source: fauxplat_sys::SysError,
    },
    /// A histogram of a document cannot be read.
    #[error("the histogram of {test} cannot be read: {reason}")]
    Histogram {
        /// Of which test.
        test: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A thread ended early.
    #[error("the thread on CPU {0} ended early")]
    Gone(fauxplat_units::Cpu),
}

impl LatencyError {
    /// Whether a permission is what is missing.
    pub fn is_permission(&self) -> bool {
        matches!(self, LatencyError::Place { source, .. } if source.is_permission())
    }
}
