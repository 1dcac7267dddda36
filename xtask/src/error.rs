//! Errors of chores.

use std::path::PathBuf;

use crate::violation::Violation;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ChoreError {
    #[error("{0}")]
    Usage(&'static str),
    /// The workspace violates these of its rules.
    #[error("{}", list(.0))]
    Untidy(Vec<Violation>),
    /// A file or directory cannot be read or written.
    #[error("{path}: {source}; check that it exists and is yours")]
    File {
        /// Path of the file or directory.
        path: PathBuf,
        /// The error of the system call.
        source: std::io::Error,
    },
    /// Cargo, or a program that it ran, failed and has printed its own message.
    #[error("`cargo {0}` failed; its message stands above")]
    Cargo(String),
    /// A bench, a campaign or a test in a virtual machine cannot continue or has failed.
    #[error("{0}")]
    Bench(String),
    /// A release artefact cannot be built, or does not work in an empty root file system.
    #[error("{0}")]
    Dist(String),
    /// The machine lacks something that the chore needs.
    #[error("skipped: {0}")]
    Skipped(&'static str),
    /// The output of `cargo metadata` lacks this part.
    #[error(
        "`cargo metadata` answered without {0}; is this cargo newer than the toolchain of the workspace?"
    )]
    Metadata(&'static str),
}

impl ChoreError {
    /// Exit code of the chore: 2 for wrong usage, 77 (as for skipped tests of automake) if the machine lacks something,
    /// else 1.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            ChoreError::Usage(_) => 2,
            ChoreError::Skipped(_) => 77,
            _ => 1,
        }
    }

    /// Returns a function for `map_err` that adds this path to an input or output error.
    pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> ChoreError {
        let path = path.into();
        move |source| ChoreError::File { path, source }
    }
}

fn list(violations: &[Violation]) -> String {
    let lines: Vec<String> = violations.iter().map(Violation::to_string).collect();
    format!("{}\n{} violations", lines.join("\n"), lines.len())
}
