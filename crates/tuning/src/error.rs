//! Errors of tuning and restoring.

use std::io;
use std::path::{Path, PathBuf};

use fauxplat_model::Tuner;
use fauxplat_sys::SysError;

#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    #[error("`{}` is not a knob; `fauxplat tune --list` shows all", .0.escape_debug())]
    UnknownKnob(String),
    #[error("`{name}` is not a profile: {known}, or the path of a TOML file")]
    UnknownProfile {
        name: String,
        /// Names of the existing profiles.
        known: String,
    },
    /// A setting is not of the form `KNOB=VALUE`, or its value is invalid for the knob.
    #[error("`{}`: {reason}", setting.escape_debug())]
    BadSetting { setting: String, reason: String },
    #[error("{}: {reason}", path.display())]
    BadProfile { path: PathBuf, reason: String },
    #[error(
        "{} is held by process {} of user {} (`{}`): wait for it with --wait, or try again later",
        lock.display(), holder.pid, holder.uid, holder.command
    )]
    Busy { lock: PathBuf, holder: Tuner },
    /// The machine is deliberately kept tuned, or a journal at another path announces changes that are not undone.
    #[error(
        "the machine is tuned since {since} by `{by}`: run `fauxplat restore --journal {}` first, or leave --tune out",
        journal.display()
    )]
    AlreadyTuned {
        journal: PathBuf,
        /// The command line that tuned the machine.
        by: String,
        since: String,
    },
    /// The journal cannot be created, written or removed.
    #[error("journal {}: {source}; nothing is changed without one: run as root, or name a place with --journal", path.display())]
    Journal { path: PathBuf, source: std::io::Error },
    /// The file is no journal, or is damaged.
    #[error(
        "journal {}: record {record} is damaged ({reason}); nothing was written to the machine. \
         Compare its lines with the machine by hand, then remove the file",
        path.display()
    )]
    Damaged {
        path: PathBuf,
        /// Number of the first invalid record, from 1.
        record: usize,
        reason: String,
    },
    /// The path of a change is none that a journal may contain, so a restoration would refuse the record.
    #[error(
        "journal {}: {target} ({wanted}) is no place that a knob sets, so that it could not be put back from the \
         journal; nothing was written there. Leave out the knob that asks for it",
        path.display()
    )]
    Implausible {
        path: PathBuf,
        /// The path that the change concerns.
        target: String,
        wanted: String,
    },
    /// The last record of the journal is incomplete.
    #[error(
        "journal {}: it ends in the middle of record {record}; nothing was written to the machine. \
         `fauxplat restore --force` puts back the {complete} changes before it",
        path.display()
    )]
    Truncated {
        path: PathBuf,
        /// Number of the incomplete record, from 1.
        record: usize,
        /// Number of complete changes that are not undone yet.
        complete: usize,
    },
    /// The journal has the format of a later version.
    #[error(
        "journal {}: a newer fauxplat wrote it (format {found}, this one reads up to {known}); nothing was written to \
         the machine. Restore with that fauxplat, or remove the file if the machine is as it should be",
        path.display()
    )]
    Newer {
        path: PathBuf,
        /// Format version in the journal.
        found: u64,
        /// Latest format version that this fauxplat reads.
        known: u64,
    },
    /// The journal belongs to another user, so it is not used.
    #[error(
        "journal {}: it belongs to user {owner}, so it is not acted upon; nothing was written to the machine",
        path.display()
    )]
    Foreign { path: PathBuf, owner: u32 },
    /// Another user could have written the journal.
    #[error(
        "journal {}: user {owner} owns {} (mode {mode:04o}), so others than root could write what root would act upon; \
         nothing was written to the machine. Name a place that is root's alone with --journal",
        path.display(), culprit.display()
    )]
    Exposed {
        path: PathBuf,
        /// The file or folder that other users can write to.
        culprit: PathBuf,
        owner: u32,
        mode: u32,
    },
    /// The boot in which the journal was written cannot be determined.
    #[error(
        "journal {}: {} cannot be read, so nobody can tell whether its values are those of this boot; nothing was \
         written to the machine. `fauxplat restore --force` puts them back all the same",
        path.display(), file.display()
    )]
    NoBootId {
        path: PathBuf,
        /// The unreadable file that identifies the boot.
        file: PathBuf,
    },
    /// The journal was written in another PID namespace, such as a container.
    #[error(
        "journal {}: it was written in another process-id namespace (a container?), where tasks have other numbers; \
         nothing was written to the machine. Restore there, or put the values back from here with --force",
        path.display()
    )]
    OtherNamespace { path: PathBuf },
    /// The kernel refused to restore changes of an earlier tuning; tuning again would lose their original values.
    #[error("the machine is not tuned anew while the changes of `{by}` are there: {left}")]
    Stuck {
        /// The command line that made these changes.
        by: String,
        /// The changes that remain, and how to resolve them.
        left: String,
    },
    /// A change failed, and `--all-or-nothing` was given.
    #[error("--all-or-nothing: {failed}; {back}")]
    NotAll {
        /// The failed change, and why it failed.
        failed: String,
        /// Result of restoring the other changes.
        back: Back,
    },
    /// Tuning failed midway, and not all changes made until then could be restored.
    #[error("{cause}; {back}")]
    Half {
        cause: Box<TuneError>,
        /// The changes that remain.
        back: Back,
    },
    #[error("the guardian process could not be started ({0}); nothing was changed")]
    Guardian(String),
    /// The user stopped the tuning.
    #[error("interrupted while the machine was being changed; {0}")]
    Interrupted(Back),
    /// The user stopped the tuning before it began.
    #[error("interrupted while waiting for {}, which somebody else holds; nothing was changed", lock.display())]
    StillWaiting { lock: PathBuf },
    #[error(transparent)]
    Sys(#[from] SysError),
}

impl TuneError {
    /// Returns whether the error is caused by words or files of the user, and not by the machine or missing
    /// permissions.
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

    /// Returns whether the user stopped the tuning and nothing else needs to be reported, since no change was made or
    /// all were restored.
    pub fn is_stopped(&self) -> bool {
        match self {
            TuneError::Interrupted(back) => *back == Back::default(),
            TuneError::StillWaiting { .. } => true,
            _ => false,
        }
    }

    /// Adds the result of the rollback to the error that caused it.
    pub(crate) fn after(self, back: Back) -> Self {
        match self {
            TuneError::NotAll { failed, .. } => TuneError::NotAll { failed, back },
            TuneError::Interrupted(_) => TuneError::Interrupted(back),
            cause if back == Back::default() => cause,
            cause => TuneError::Half { cause: Box::new(cause), back },
        }
    }
}

/// Result of a rollback: the changes that remain, or `None` if everything was restored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Back(pub(crate) Option<String>);

impl std::fmt::Display for Back {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("everything was put back"))
    }
}

pub(crate) fn failed(path: &Path) -> impl Fn(io::Error) -> TuneError {
    let path = path.to_owned();
    move |source| TuneError::Journal { path: path.clone(), source }
}
