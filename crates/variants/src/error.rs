//! Why there is no variant.

use std::path::PathBuf;

use fauxplat_launch::LaunchError;

/// Why a program could not be built in variants.
#[derive(Debug, thiserror::Error)]
pub enum VariantError {
    /// There is no place for the cache.
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
    /// Somebody else may have filled the cache.
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
        /// Its owner.
        owner: u32,
    },
    /// A program could not be copied to its place.
    #[error("{} was not copied whole to {}: {said}", from.display(), to.display())]
    NotCopied {
        /// The program.
        from: PathBuf,
        /// Its place.
        to: PathBuf,
        /// What `cp` said.
        said: String,
    },
    /// An object file that is to be linked is not there.
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
        /// Its exit status as a shell shows it.
        status: i32,
        /// What it wrote.
        output: String,
    },
    /// The build command ended well and made nothing.
    #[error(
        "`{line}`: the build made no program: it must leave one at {{out}} (or $FAUXPLAT_OUT), for instance by `… && cp \
         program {{out}}`"
    )]
    NoProgram {
        /// The command as it was written.
        line: String,
        /// What it wrote.
        output: String,
    },
    /// A variant answers differently.
    #[error("a variant of `{line}` {how}: it is not the same program, so nothing was compared")]
    OtherAnswer {
        /// The build command as it was written.
        line: String,
        /// What is different.
        how: String,
    },
    /// The program has no answer of its own.
    #[error(
        "the program of `{line}` answers differently from run to run, so variants cannot be checked by their output: \
         give --check CMD, or --check none"
    )]
    NoAnswer {
        /// The build command as it was written.
        line: String,
    },
    /// A way that was asked for does not work here.
    #[error("--vary {way}: {reason}")]
    NoSuchWay {
        /// The way.
        way: &'static str,
        /// Why not.
        reason: String,
    },
    /// The user interrupted a build.
    #[error("interrupted while a program was built")]
    Interrupted,
    /// A command could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

/// Names the file in an error of the file system.
pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> VariantError {
    let path = path.into();
    move |source| VariantError::File { path, source }
}
