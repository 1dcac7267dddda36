//! Errors of `init`.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Reason why a project cannot be set up.
#[derive(Debug, Error)]
pub(crate) enum InitError {
    #[error(
        "nothing says what to measure: --benchmark NAME=COMMAND for a command, or --program COMMAND for a benchmark program \
         (at a terminal, init asks)"
    )]
    NothingToMeasure,
    #[error("two benchmarks are called `{0}`: give each a name of its own")]
    TwoOfAName(String),
    #[error("{} is there already, and nothing was written: --force replaces it", .0.display())]
    IsThere(PathBuf),
    #[error("{}: {source}", file.display())]
    Unwritable { file: PathBuf, source: io::Error },
    #[error("the terminal was closed before every question was answered: nothing was written")]
    NoAnswer,
}
