//! What can go wrong before, while and after the machine is changed.

use std::io;
use std::path::{Path, PathBuf};

use fauxplat_model::Tuner;
use fauxplat_sys::SysError;

/// Why the machine could not be tuned or restored.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// There is no such knob.
    #[error("`{}` is not a knob; `fauxplat tune --list` shows all", .0.escape_debug())]
    UnknownKnob(String),
    /// There is no such profile.
    #[error("`{name}` is not a profile: {known}, or the path of a TOML file")]
    UnknownProfile {
        /// The name that was given.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A setting is not `KNOB=VALUE`, or its value makes no sense for the knob.
    #[error("`{}`: {reason}", setting.escape_debug())]
    BadSetting {
        /// The setting as it was given.
        setting: String,
        /// What is wrong.
        reason: String,
    },
    /// A file with a profile cannot be read.
    #[error("{}: {reason}", path.display())]
    BadProfile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Somebody else is tuning.
    #[error(
        "{} is held by process {} of user {} (`{}`): wait for it with --wait, or try again later",
        lock.display(), holder.pid, holder.uid, holder.command
    )]
    Busy {
        /// The lock file.
        lock: PathBuf,
        /// Who holds it.
        holder: Tuner,
    },
    /// The machine is tuned on purpose.
    #[error(
        "the machine is tuned since {since} by `{by}`: run `fauxplat restore --journal {}` first, or leave --tune out",
        journal.display()
    )]
    AlreadyTuned {
        /// The journal.
        journal: PathBuf,
        /// The command line that tuned it.
        by: String,
        /// When.
        since: String,
    },
    /// The journal cannot be created, written or removed.
    #[error("journal {}: {source}; nothing is changed without one: run as root, or name a place with --journal", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// The journal is not one, or is damaged.
    #[error(
        "journal {}: record {record} is damaged ({reason}); nothing was written to the machine. \
         Compare its lines with the machine by hand, then remove the file",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the first record that makes no sense, from 1.
        record: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A change names a place that the journal cannot hold, since what is read from one must lead nowhere else.
    #[error(
        "journal {}: {target} ({wanted}) is no place that a knob leads to, so nobody could put back from the journal \
         what is done there; it is not done. Leave out the knob that asks for it",
        path.display()
    )]
    Implausible {
        /// The journal.
        path: PathBuf,
        /// The place.
        target: String,
        /// What was to be done there.
        wanted: String,
    },
    /// The last record of the journal is cut off.
    #[error(
        "journal {}: it ends in the middle of record {record}; nothing was written to the machine. \
         `fauxplat restore --force` puts back the {complete} changes before it",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Number of the record that is cut off, from 1.
        record: usize,
        /// Changes that are complete.
        complete: usize,
    },
    /// The journal is of a later version.
    #[error(
        "journal {}: a newer fauxplat wrote it (format {found}, this one reads up to {known}); nothing was written to \
         the machine. Restore with that fauxplat, or remove the file if the machine is as it should be",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The latest format that is known here.
        known: u64,
    },
    /// The journal is not ours to act upon.
    #[error(
        "journal {}: it belongs to user {owner}, so it is not acted upon; nothing was written to the machine",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// Somebody else could have written the journal.
    #[error(
        "journal {}: user {owner} owns {} (mode {mode:04o}), so others than root could write what root would act upon; \
         nothing was written to the machine. Name a place that is root's alone with --journal",
        path.display(), culprit.display()
    )]
    Exposed {
        /// The file.
        path: PathBuf,
        /// The file or folder that is open to others.
        culprit: PathBuf,
        /// Its owner.
        owner: u32,
        /// Its permissions.
        mode: u32,
    },
    /// Nobody can tell in which boot the journal was written.
    #[error(
        "journal {}: {} cannot be read, so nobody can tell whether its values are those of this boot; nothing was \
         written to the machine. `fauxplat restore --force` puts them back all the same",
        path.display(), file.display()
    )]
    NoBootId {
        /// The journal.
        path: PathBuf,
        /// What would tell.
        file: PathBuf,
    },
    /// The journal was written in another container.
    #[error(
        "journal {}: it was written in another process-id namespace (a container?), where tasks have other numbers; \
         nothing was written to the machine. Restore there, or put the values back from here with --force",
        path.display()
    )]
    OtherNamespace {
        /// The file.
        path: PathBuf,
    },
    /// What an earlier tuner changed cannot be put back, so nobody could tell what was there before.
    #[error("the machine is not tuned anew while the changes of `{by}` are there: {left}")]
    Stuck {
        /// The command line that made them.
        by: String,
        /// What they are, and what to do about them.
        left: String,
    },
    /// One change failed, and all or none were asked for.
    #[error("--all-or-nothing: {failed}; {back}")]
    NotAll {
        /// The change and why.
        failed: String,
        /// What became of the others.
        back: Back,
    },
    /// The tuning failed on its way, and what was changed until then could not all be put back.
    #[error("{cause}; {back}")]
    Half {
        /// Why it failed.
        cause: Box<TuneError>,
        /// What is left.
        back: Back,
    },
    /// The guardian could not be started.
    #[error("the guardian process could not be started ({0}); nothing was changed")]
    Guardian(String),
    /// The user stopped it.
    #[error("interrupted while the machine was being changed; {0}")]
    Interrupted(Back),
    /// The user stopped it before it had begun.
    #[error("interrupted while waiting for {}, which somebody else holds; nothing was changed", lock.display())]
    StillWaiting {
        /// The lock file.
        lock: PathBuf,
    },
    /// A kernel call failed.
    #[error(transparent)]
    Sys(#[from] SysError),
}

impl TuneError {
    /// Whether the words or files that the user gave are the reason, rather than the machine or its permissions.
    pub fn is_bad_input(&self) -> bool {
        use TuneError::*;
        if let Half { cause, .. } = self {
            return cause.is_bad_input();
        }
        matches!(
            self,
            UnknownKnob(_)
                | UnknownProfile { .. }
                | BadSetting { .. }
                | BadProfile { .. }
                | Damaged { .. }
                | Truncated { .. }
                | Newer { .. }
        )
    }

    /// Whether the user stopped it and nothing else is to be told: nothing was changed, or all of it was put back.
    pub fn is_stopped(&self) -> bool {
        match self {
            TuneError::Interrupted(back) => *back == Back::default(),
            TuneError::StillWaiting { .. } => true,
            _ => false,
        }
    }

    /// The same error, now that it is known what became of the changes before it.
    pub(crate) fn after(self, back: Back) -> Self {
        match self {
            TuneError::NotAll { failed, .. } => TuneError::NotAll { failed, back },
            TuneError::Interrupted(_) => TuneError::Interrupted(back),
            cause if back == Back::default() => cause,
            cause => TuneError::Half { cause: Box::new(cause), back },
        }
    }
}

/// What became of changes that had to be taken back: what of them is left, if anything is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Back(pub(crate) Option<String>);

impl std::fmt::Display for Back {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("everything was put back"))
    }
}

/// An error about the journal.
pub(crate) fn failed(path: &Path) -> impl Fn(io::Error) -> TuneError {
    let path = path.to_owned();
    move |source| TuneError::Journal { path: path.clone(), source }
}
