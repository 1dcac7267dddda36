//! What can go wrong between here and a fleet.

use std::io;
use std::path::{Path, PathBuf};

use fauxplat_experiment::{Failure, Kind};
use fauxplat_launch::LaunchError;

/// Why something with a fleet failed.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// A file or folder of a run.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
    /// Something is larger than is taken.
    #[error("{what} has {bytes} bytes, which is more than is taken")]
    TooLong {
        /// What it is.
        what: &'static str,
        /// How long.
        bytes: u64,
    },
    /// What came is no answer.
    #[error("no answer of fauxplat: {}", .0.replace('\n', " "))]
    Garbage(String),
    /// The words of `--on`.
    #[error("--on {words}: {why}")]
    Words {
        /// What was said.
        words: String,
        /// What is wrong with it.
        why: String,
    },
    /// A program of the engine is not installed.
    #[error("{program} is not installed here (it was looked for in PATH); {hint}")]
    NotInstalled {
        /// Its name.
        program: String,
        /// What to do.
        hint: &'static str,
    },
    /// The engine refused or could not be reached.
    #[error("{program}: {said}")]
    Engine {
        /// Which of its programs.
        program: String,
        /// What it said, on one line.
        said: String,
    },
    /// A program of the engine was ended, since it did not come to its own end.
    #[error("{program}: no answer within {seconds} s")]
    Silent {
        /// Which of its programs.
        program: String,
        /// For how long it was waited.
        seconds: u64,
    },
    /// A record of a run that cannot be read.
    #[error("{}: {}", path.display(), why.replace('\n', " "))]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Somebody else may put programs and orders into the folder of a run.
    #[error(
        "{}: user {owner} owns {} or others may write to it, and what they put there would be run as this user: fleet run \
         and compare keep a run in a folder of your own (--folder DIR, or `sudo -H`, which gives root its own home)",
        run.display(), folder.display()
    )]
    Stranger {
        /// The folder of the run.
        run: PathBuf,
        /// The folder that is open to others.
        folder: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// Another process collects the same run.
    #[error("{}: another fauxplat collects this run; wait for it, or end it first", .0.display())]
    Busy(PathBuf),
    /// A process could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

impl FleetError {
    /// Names the file in an error of the kernel.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> FleetError {
        let path = path.to_owned();
        move |source| FleetError::File { path, source }
    }

    /// Whether the same may succeed a little later, and may have succeeded already although nobody said so: a
    /// controller that restarts, or one that is asked by too many.
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
