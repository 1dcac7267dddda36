//! Errors of building variants.

use std::path::PathBuf;

use fauxplat_launch::LaunchError;

#[derive(Debug, thiserror::Error)]
pub enum VariantError {
    #[error("no folder for built programs: set XDG_CACHE_HOME or HOME")]
    NoHome,
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error(
        "the cache of built programs {}: user {owner} owns {} or others may write to it, and programs of others are not \
         executed: set XDG_CACHE_HOME to a folder of your own (`sudo -H` gives root its own home)",
        cache.display(), folder.display()
    )]
    Stranger {
        cache: PathBuf,
        folder: PathBuf,
        /// User id of the owner of `folder`.
        owner: u32,
    },
    #[error("{} was not copied whole to {}: {said}", from.display(), to.display())]
    NotCopied {
        from: PathBuf,
        to: PathBuf,
        /// Output of `cp`.
        said: String,
    },
    #[error("object file {}: {source}", path.display())]
    Object { path: PathBuf, source: std::io::Error },
    #[error("`{line}`: the build ended with status {status}; its output is above")]
    Failed {
        /// The command line with all placeholders filled in.
        line: String,
        /// Exit status as a shell shows it: 128 plus the signal's number after a signal.
        status: i32,
        output: String,
    },
    #[error(
        "`{line}`: the build made no program: it must leave one at {{out}} (or $FAUXPLAT_OUT), for instance by `… && cp \
         program {{out}}`"
    )]
    NoProgram {
        /// The command line as the user wrote it.
        line: String,
        output: String,
    },
    #[error("a variant of `{line}` {how}: it is not the same program, so nothing was compared")]
    OtherAnswer {
        /// The build command as the user wrote it.
        line: String,
        /// The difference between the answers, as part of a sentence.
        how: String,
    },
    #[error(
        "the program of `{line}` answers differently from run to run, so variants cannot be checked by their output: \
         give --check CMD, or --check none"
    )]
    NoAnswer {
        /// The build command as the user wrote it.
        line: String,
    },
    #[error("--vary {way}: {reason}")]
    NoSuchWay { way: &'static str, reason: String },
    #[error("interrupted while a program was built")]
    Interrupted,
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

pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> VariantError {
    let path = path.into();
    move |source| VariantError::File { path, source }
}
