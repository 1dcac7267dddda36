//! `fauxplat latency`: how late timers, messages between CPUs, signals, lines and lights are, and what takes the CPU
//! from a thread that never sleeps.
//!
//! Every test runs in slices on separate threads, at a stated CPU and policy, and records each single activation. A
//! stall delays every activation that falls into it, not only the first. Each test therefore has two histograms: the
//! latencies that it recorded, and those that it would have recorded without being stalled itself (Tene, "How not to
//! measure latency").

mod args;
mod cells;
mod error;
mod findings;
mod instruments;
mod measure;
mod merge;
mod report;
mod verb;

pub use error::LatencyError;
pub use fauxplat_threads::ThreadPlacement;
pub use findings::{LatencyCause, LatencyFindings, LatencyTest, PercentileInterval, Percentiles};
pub use instruments::{Channel, Drive, Lines, Recording, calm, edge, line, message, noise, signals, timer};
pub use report::LatencyReport;
pub use verb::Latency;
