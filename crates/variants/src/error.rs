//! Errors of building variants.

use std::path::PathBuf;

use fauxplat_launch::LaunchError;

/// Why a program could not be built in variants.
#[derive(Debug, thiserror::Error)]
pub enum VariantError {
    /// No folder for the cache is known.
    #[error("no folder for built programs: set XDG_CACHE_HOME or HOME")]
    NoHome,
    /// A file or folder cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// Another user may have filled the cache.
    #[error(
        "the cache of built programs {}: user {owner} owns {} or others may write to it, and programs of others are not \
         executed: set XDG_CACHE_HOME to a folder of your own (`sudo -H` gives root its own home)",
        cache.display(), folder.display()
    )]
    Stranger {
        /// The cache.
        cache: PathBuf,
        /// The folder that is open to others.
        folder: PathBuf,
        /// User id of the folder's owner.
        owner: u32,
    },
    /// A program could not be copied to its place.
    #[error("{} was not copied whole to {}: {said}", from.display(), to.display())]
    NotCopied {
        /// The program.
        from: PathBuf,
        /// Destination of the copy.
        to: PathBuf,
        /// Output of `cp`.
        said: String,
    },
    /// An object file that is to be linked does not exist.
    #[error("object file {}: {source}", path.display())]
    Object {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The build command failed.
    #[error("`{line}`: the build ended with status {status}; its output is above")]
    Failed {
        /// The command as it was run.
        line: String,
        /// Exit status of the build, as a shell shows it.
        status: i32,
        /// Output of the build.
        output: String,
    },
    /// The build command succeeded and made no program.
    #[error(
        "`{line}`: the build made no program: it must leave one at {{out}} (or $FAUXPLAT_OUT), for instance by `… && cp \
         program {{out}}`"
    )]
    NoProgram {
        /// The command as it was written.
        line: String,
        /// Output of the build.
        output: String,
    },
    /// A variant answers differently.
    #[error("a variant of `{line}` {how}: it is not the same program, so nothing was compared")]
    OtherAnswer {
        /// The build command as it was written.
        line: String,
        /// Description of the difference.
        how: String,
    },
    /// The unvaried program has no stable answer.
    #[error(
        "the program of `{line}` answers differently from run to run, so variants cannot be checked by their output: \
         give --check CMD, or --check none"
    )]
    NoAnswer {
        /// The build command as it was written.
        line: String,
    },
    /// A requested way does not work here.
    #[error("--vary {way}: {reason}")]
    NoSuchWay {
        /// The way.
        way: &'static str,
        /// Why the way does not work.
        reason: String,
    },
    /// The user interrupted a build.
    #[error("interrupted while a program was built")]
    Interrupted,
    /// A command could not be started.
    #[error(transparent)]
    Launch(LaunchError),
}

impl From<LaunchError> for VariantError {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Interrupted { .. } => VariantError::Interrupted,
            other => VariantError::Launch(other),
        }
    }
}

/// Adds the path to an error of the file system.
pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> VariantError {
    let path = path.into();
    move |source| VariantError::File { path, source }
}
