//! Disturbances: work that is not measured, of a known kind and a known amount, beside what is.
//!
//! A [`Generator`] is one process on one CPU. It is started at rest, works and rests as told, holds its share of the time
//! by a feedback loop, and tells what it achieved. A [`Loads`] holds several for the length of a measurement.

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

/// Why a load does not stand.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be placed where it should stand.
    #[error("load {kind} on {place}: sched_setaffinity: {source}")]
    Place {
        /// What it should do.
        kind: LoadKind,
        /// Where.
        place: String,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// Its policy is not permitted.
    #[error(
        "load {kind} on {place}: SCHED_FIFO: {source} (it needs CAP_SYS_NICE or an RLIMIT_RTPRIO of at least 2: run as root)"
    )]
    Policy {
        /// What it should do.
        kind: LoadKind,
        /// Where.
        place: String,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// It cannot do what it should.
    #[error("load {kind} on {place}: {source}")]
    Failed {
        /// What it should do.
        kind: LoadKind,
        /// Where.
        place: String,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// It does not come to be ready.
    #[error(
        "load {kind} on {place} was not ready after {seconds} s: either something else has the CPU all the time (a \
         real-time program, or one that used up the quota of this control group), or memory is short; end that, or name \
         another CPU"
    )]
    Late {
        /// What it should do.
        kind: LoadKind,
        /// Where.
        place: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The user stopped it before all of them stood.
    #[error("interrupted before the loads stood; they were ended")]
    Interrupted,
    /// A kernel call that all of them need.
    #[error(transparent)]
    Sys(#[from] fauxplat_sys::SysError),
    /// Somebody else started the hidden verb.
    #[error("this is no generator: it was not started by fauxplat")]
    Stranger,
}
