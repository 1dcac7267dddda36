//! Errors in files of defaults: options that a user or a project sets for all command lines.

use std::path::PathBuf;

use thiserror::Error;

/// A file of defaults that cannot be used. `FAUXPLAT_CONFIG=none` disables all of these files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file exists and cannot be read.
    #[error("{}: {source} (FAUXPLAT_CONFIG=none goes without files of defaults)", file.display())]
    Unreadable { file: PathBuf, source: std::io::Error },
    /// The file is not TOML, or has unknown keys.
    #[error("{}: {why} (FAUXPLAT_CONFIG=none goes without files of defaults)", file.display())]
    NotDefaults {
        file: PathBuf,
        /// Number of the line in the file, and the reason.
        why: String,
    },
    /// No verb has an option of that name.
    #[error("{}: {who} has no option --{name}", file.display())]
    NoOption {
        file: PathBuf,
        /// The name of the option in the file.
        name: String,
        who: String,
    },
    /// A project's file applies to everybody with a copy of the project, so it must not run commands or write files.
    #[error(
        "{}: --{name} is not for a project's file, since it names commands, files or the machine of whoever measures: put \
         it into your own, {}", file.display(), own.display()
    )]
    NotForProjects {
        file: PathBuf,
        /// The name of the option in the file.
        name: String,
        own: PathBuf,
    },
    #[error("{}: {why}", file.display())]
    Refused { file: PathBuf, why: String },
}
