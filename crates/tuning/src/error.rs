//! Errors of tuning and restoring.

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
        /// Names of the existing profiles.
        known: String,
    },
    /// A setting is not `KNOB=VALUE`, or its value makes no sense for the knob.
    #[error("`{}`: {reason}", setting.escape_debug())]
    BadSetting {
        /// The setting as it was given.
        setting: String,
        /// Why the setting is invalid.
        reason: String,
    },
    /// A file with a profile cannot be read.
    #[error("{}: {reason}", path.display())]
    BadProfile {
        /// The file.
        path: PathBuf,
        /// Why the profile cannot be used.
        reason: String,
    },
    /// Another process holds the lock.
    #[error(
        "{} is held by process {} of user {} (`{}`): wait for it with --wait, or try again later",
        lock.display(), holder.pid, holder.uid, holder.command
    )]
    Busy {
        /// The lock file.
        lock: PathBuf,
        /// Process that holds the lock.
        holder: Tuner,
    },
    /// The machine is deliberately kept tuned.
    #[error(
        "the machine is tuned since {since} by `{by}`: run `fauxplat restore --journal {}` first, or leave --tune out",
        journal.display()
    )]
    AlreadyTuned {
        /// The journal.
        journal: PathBuf,
        /// The command line that tuned it.
        by: String,
        /// Time of that tuning.
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
        /// Reason why the record is invalid.
        reason: String,
    },
    /// The path of a change is not one that a journal may name, since records that are read back must lead nowhere
    /// else.
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
        /// Value that was to be written there.
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
        /// Format version of the journal.
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
        /// User id of the file's owner.
        owner: u32,
    },
    /// Another user could have written the journal.
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
        /// User id of the culprit's owner.
        owner: u32,
        /// Permission bits of the culprit.
        mode: u32,
    },
    /// The boot in which the journal was written cannot be determined.
    #[error(
        "journal {}: {} cannot be read, so nobody can tell whether its values are those of this boot; nothing was \
         written to the machine. `fauxplat restore --force` puts them back all the same",
        path.display(), file.display()
    )]
    NoBootId {
        /// The journal.
        path: PathBuf,
        /// The unreadable file that identifies the boot.
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
    /// Changes of an earlier tuner cannot be restored, so the original values would be lost by tuning again.
    #[error("the machine is not tuned anew while the changes of `{by}` are there: {left}")]
    Stuck {
        /// The command line that made them.
        by: String,
        /// The remaining changes, and what to do about them.
        left: String,
    },
    /// A change failed, and `--all-or-nothing` was given.
    #[error("--all-or-nothing: {failed}; {back}")]
    NotAll {
        /// The change and why.
        failed: String,
        /// Result of restoring the other changes.
        back: Back,
    },
    /// Tuning failed midway, and not all changes made until then could be restored.
    #[error("{cause}; {back}")]
    Half {
        /// Why it failed.
        cause: Box<TuneError>,
        /// Changes that remain.
        back: Back,
    },
    /// The guardian could not be started.
    #[error("the guardian process could not be started ({0}); nothing was changed")]
    Guardian(String),
    /// The user stopped the tuning.
    #[error("interrupted while the machine was being changed; {0}")]
    Interrupted(Back),
    /// The user stopped the tuning before it began.
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

    /// Whether the user stopped the tuning and nothing else needs to be reported: no change was made, or all were
    /// restored.
    pub fn is_stopped(&self) -> bool {
        match self {
            TuneError::Interrupted(back) => *back == Back::default(),
            TuneError::StillWaiting { .. } => true,
            _ => false,
        }
    }

    /// Adds the result of the rollback to an error that occurred before it.
    pub(crate) fn after(self, back: Back) -> Self {
        match self {
            TuneError::NotAll { failed, .. } => TuneError::NotAll { failed, back },
            TuneError::Interrupted(_) => TuneError::Interrupted(back),
            cause if back == Back::default() => cause,
            cause => TuneError::Half { cause: Box::new(cause), back },
        }
    }
}

/// Result of a rollback: the remaining changes, or `None` when everything was restored.
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
