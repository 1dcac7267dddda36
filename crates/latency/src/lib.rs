//! Latency of a machine: timers, scheduling noise, messages between CPUs, signals, lines and lights.
//!
//! Every test runs in slices on separate threads, at a stated CPU and policy, and records each single activation. A
//! stall delays every activation that falls into it, not only the first. Each test therefore has two histograms: the
//! latencies that it recorded, and those that it would have recorded without being stalled itself (Tene, "How not to
//! measure latency").

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
pub use fauxplat_threads::ThreadPlacement;
pub use line::{Drive, Lines, line};
pub use message::{Channel, message};
pub use noise::noise;
pub use recording::Recording;
pub use signals::signals;
pub use stage::{calm, highest_policy};
pub use timer::timer;

/// Reason why a test cannot run.
#[derive(Debug, thiserror::Error)]
pub enum LatencyError {
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
