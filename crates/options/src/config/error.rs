//! Errors of files of defaults.

use std::path::PathBuf;

use thiserror::Error;

/// A file of defaults that cannot be used. `FAUXPLAT_CONFIG=none` leaves all of them out.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is there and cannot be read.
    #[error("{}: {source} (FAUXPLAT_CONFIG=none goes without files of defaults)", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file is no TOML, or has other keys.
    #[error("{}: {why} (FAUXPLAT_CONFIG=none goes without files of defaults)", file.display())]
    NotDefaults {
        /// The file.
        file: PathBuf,
        /// Line and reason.
        why: String,
    },
    /// No verb has an option of that name.
    #[error("{}: {who} has no option --{name}", file.display())]
    NoOption {
        /// The file.
        file: PathBuf,
        /// The name in the file.
        name: String,
        /// The verb, or none.
        who: String,
    },
    /// A project's file is there for everybody who has a copy of the project, and may not run commands or write files.
    #[error(
        "{}: --{name} is not for a project's file, since it names commands, files or the machine of whoever measures: put \
         it into your own, {}", file.display(), own.display()
    )]
    NotForProjects {
        /// The file.
        file: PathBuf,
        /// The name in the file.
        name: String,
        /// The user's file.
        own: PathBuf,
    },
    /// The option refuses the value.
    #[error("{}: {why}", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// The parser's reason.
        why: String,
    },
}
