//! Loads: work of a known kind and amount that runs beside a measurement and is not measured itself.
//!
//! A [`Generator`] is one process on one CPU. A generator is started at rest, works and rests on request, holds its
//! share of the time by a feedback loop, and reports the share that it achieved. A [`Loads`] holds several generators
//! for the duration of a measurement.

mod board;
mod generator;
mod labour;
mod loads;
mod order;
mod pace;
mod serve;
mod watchdog;
mod worker;

pub use fauxplat_sys::program::Program;
pub use generator::Generator;
pub use loads::Loads;
pub use order::{Order, Rhythm};
pub use serve::serve;

use fauxplat_model::LoadKind;

/// The reason why a load does not run.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("load {kind} on {place}: sched_setaffinity: {source}")]
    Place { kind: LoadKind, place: String, source: std::io::Error },
    #[error(
        "load {kind} on {place}: SCHED_FIFO: {source} (it needs CAP_SYS_NICE or an RLIMIT_RTPRIO of at least 2: run as root)"
    )]
    Policy { kind: LoadKind, place: String, source: std::io::Error },
    #[error("load {kind} on {place}: {source}")]
    Failed { kind: LoadKind, place: String, source: std::io::Error },
    #[error(
        "load {kind} on {place} was not ready after {seconds} s: either something else has the CPU all the time (a \
         real-time program, or one that used up the quota of this control group), or memory is short; end that, or name \
         another CPU"
    )]
    Late {
        kind: LoadKind,
        place: String,
        /// Time after which the start was given up.
        seconds: u64,
    },
    #[error("interrupted before the loads stood; they were ended")]
    Interrupted,
    /// A kernel call that all loads need failed.
    #[error(transparent)]
    Sys(#[from] fauxplat_sys::SysError),
    /// The hidden verb for generators was called by another program than fauxplat.
    #[error("this is no load generator: fauxplat did not start the process")]
    Stranger,
}
