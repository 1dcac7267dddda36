//! Errors of the options of `topo`.

use std::path::PathBuf;

use fauxplat_experiment::{Failure, Kind};
use fauxplat_units::Nanos;

#[derive(Debug, thiserror::Error)]
pub(crate) enum TopoError {
    #[error("--draw is a format of its own: leave out --format")]
    DrawnAndFormatted,
    #[error(
        "--watch {given}: too short to tell which CPU is quiet, since the kernel counts in ticks of 10 ms: {least} at least"
    )]
    ShortWatch { given: Nanos, least: Nanos },
    #[error(
        "--sysroot {}: no folder `sys` or `proc` in it; it is the root of a captured tree",
        .0.display()
    )]
    NoTree(PathBuf),
}

impl From<TopoError> for Failure {
    fn from(error: TopoError) -> Self {
        Failure::new(Kind::Usage, error)
    }
}
