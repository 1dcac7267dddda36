//! Errors of fleets.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fauxplat_experiment::{Failure, Kind};
use fauxplat_launch::LaunchError;

#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// An operation on a file or folder of a run failed.
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// An input exceeds its maximum size.
    #[error("{what} has {bytes} bytes, which is more than fauxplat reads")]
    TooLong { what: &'static str, bytes: u64 },
    /// The text is no valid answer.
    #[error("not an answer of fauxplat: {}", .0.replace('\n', " "))]
    Garbage(String),
    /// The words of `--on` are invalid.
    #[error("--on {words}: {why}")]
    Words { words: String, why: String },
    /// A program of the engine is not installed.
    #[error("{program} is not installed here (it was looked for in PATH); {hint}")]
    NotInstalled { program: String, hint: &'static str },
    /// The engine, such as Slurm or Ansible, refused the request, or could not be reached.
    #[error("{program}: {said}")]
    Engine {
        program: String,
        /// Message of the program, on one line.
        said: String,
    },
    /// A program of the engine was killed at its time limit.
    #[error("{program}: no answer within {patience:?}")]
    Silent { program: String, patience: Duration },
    /// A record of a run cannot be read.
    #[error("{}: {}", path.display(), why.replace('\n', " "))]
    Record { path: PathBuf, why: String },
    /// Another user may be able to put programs and orders into the folder of a run.
    #[error(
        "{}: user {owner} owns {} or others may write to it, and what they put there would be run as this user: fleet run \
         and compare keep a run in a folder of your own (--folder DIR, or `sudo -H`, which gives root its own home)",
        run.display(), folder.display()
    )]
    Stranger {
        run: PathBuf,
        /// The folder that other users can write to.
        folder: PathBuf,
        owner: u32,
    },
    /// Another process is collecting this run.
    #[error("{}: another fauxplat collects this run; wait for it, or end it first", .0.display())]
    Busy(PathBuf),
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

impl FleetError {
    /// Returns a function that adds the path to an error of the kernel.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> FleetError {
        let path = path.to_owned();
        move |source| FleetError::File { path, source }
    }

    /// Returns whether the engine was restarting or overloaded, so that the same request may succeed a little later, or
    /// has succeeded without a confirmation.
    pub(crate) fn is_passing(&self) -> bool {
        const PASSING: [&str; 7] = [
            "Unable to contact slurm controller",
            "Socket timed out",
            "temporarily unable",
            "Connection refused",
            "Zero Bytes were transmitted",
            "Transport endpoint",
            "in standby mode",
        ];
        match self {
            FleetError::Silent { .. } => true,
            FleetError::Engine { said, .. } => PASSING.iter().any(|text| said.contains(text)),
            _ => false,
        }
    }
}

impl From<FleetError> for Failure {
    fn from(error: FleetError) -> Self {
        match error {
            FleetError::Launch(error) => error.into(),
            FleetError::Words { .. } | FleetError::TooLong { .. } | FleetError::Garbage(_) => {
                Failure::new(Kind::Usage, error)
            }
            FleetError::Record { .. } => Failure::new(Kind::Usage, error),
            _ => Failure::new(Kind::Machine, error),
        }
    }
}
