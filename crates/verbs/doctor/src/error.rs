//! Errors of the options of `doctor`.

use fauxplat_hazards::UnknownHazard;
use fauxplat_units::{CpuSet, Nanos};

#[derive(Debug, thiserror::Error)]
pub(crate) enum DoctorError {
    #[error("--fail-if {0}: say HAZARD=LEVEL, for instance any=high")]
    NoGate(String),
    #[error("--fail-if: {0}")]
    UnknownLevel(String),
    #[error("--fail-if: {0}")]
    GateOfUnknownHazard(UnknownHazard),
    #[error(transparent)]
    UnknownHazard(#[from] UnknownHazard),
    #[error("--explain is written as text, not as {0}")]
    ExplainedAs(&'static str),
    #[error("--sysroot {folder}: {source}")]
    NoRoot { folder: String, source: std::io::Error },
    #[error("--sysroot {0} is not a folder")]
    NoFolder(String),
    #[error("--interval {given}: at most {most}")]
    Interval { given: Nanos, most: Nanos },
    #[error("--cpu names no CPU")]
    NoCpu,
    #[error("--cpu {asked}: CPU {off} is not online")]
    Offline { asked: CpuSet, off: CpuSet },
}
