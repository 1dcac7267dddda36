//! Errors of a store: the file or address, what happened, and what to do.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::heed::{BUSY_SECONDS, is_stopped};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no default path for the store.
    #[error(
        "no place for the store: neither XDG_DATA_HOME nor HOME is set; give one with --store PATH, or measure without one: --store none"
    )]
    NoHome,
    #[error("{path}: this is {what}, not a store; give the path of a file with --store PATH")]
    NotAFile {
        path: PathBuf,
        /// The kind of file: `a directory`, `a special file` or `a link that leads nowhere`.
        what: &'static str,
    },
    /// Creating the file, or a parent directory, failed.
    #[error(
        "{path}: the store cannot be created ({reason}); make its directory writable, choose another with --store PATH, or record nothing with --store none"
    )]
    CannotCreate { path: PathBuf, reason: String },
    /// Opening or reading an existing file failed.
    #[error(
        "{path}: the store cannot be opened ({reason}); check the permissions of the file and its directory"
    )]
    CannotOpen { path: PathBuf, reason: String },
    /// The file is no SQLite database.
    #[error(
        "{path}: this file is not an SQLite database, and is left as it is; choose another with --store PATH"
    )]
    NotADatabase { path: PathBuf },
    /// The file is a database of another program.
    #[error(
        "{path}: this database belongs to another program, and is left as it is; choose another with --store PATH"
    )]
    ForeignDatabase { path: PathBuf },
    /// The database is damaged.
    #[error(
        "{path}: the store is damaged ({reason}); move it aside, or save what is readable with `sqlite3 FILE .recover`"
    )]
    Damaged { path: PathBuf, reason: String },
    /// A write was requested, but the schema of the store is newer than this program's.
    #[error(
        "{path}: the store has schema version {found}, and this fauxplat writes version {known}; it can be read, and is never overwritten: update fauxplat or choose another with --store PATH"
    )]
    NewerVersion {
        path: PathBuf,
        /// The schema version of the store.
        found: i64,
        /// The schema version of this program.
        known: i64,
    },
    /// A write was requested, but the file or its directory is read-only.
    #[error(
        "{path}: the store is read-only, so nothing can be recorded in it; make the file and its directory writable, choose another with --store PATH, or record nothing with --store none"
    )]
    ReadOnly { path: PathBuf },
    #[error(
        "{path}: no space is left for the store; what was stored before is intact: free some space or choose another with --store PATH"
    )]
    DiskFull { path: PathBuf },
    /// The file system refused a read or a write.
    #[error(
        "{path}: the file system refused to read or write the store ({reason}); what was stored before is intact: check the space, the size limit (`ulimit -f`) and the disk"
    )]
    Io { path: PathBuf, reason: String },
    /// Another process kept the store locked.
    #[error("{path}: another process kept the store locked for {seconds} s; try again when it has ended")]
    Busy {
        path: PathBuf,
        /// Number of seconds for which the lock was tried.
        seconds: u64,
    },
    /// Another process kept the store locked, and the user asked to stop.
    #[error(
        "{path}: another process kept the store locked until fauxplat was asked to stop; try again when it has ended"
    )]
    BusyAtStop { path: PathBuf },
    /// A statement was interrupted, because it went on after the user had asked to stop.
    #[error(
        "{path}: a statement in the store went on for a second after fauxplat was asked to stop, and was ended; what was stored before is intact: try again, or choose another with --store PATH"
    )]
    Endless { path: PathBuf },
    /// The store has statements of its own, which fauxplat never makes.
    #[error(
        "{path}: the store has a {kind} `{name}`, which fauxplat does not make and does not let run; if it is yours, remove it with `sqlite3`, or choose another store with --store PATH"
    )]
    Planted {
        path: PathBuf,
        /// `trigger`, `view`, or `virtual table`; the last two are in the place of a table of fauxplat.
        kind: &'static str,
        name: String,
    },
    #[error(
        "{path}: there is no experiment `{id}` in the store; `fauxplat history list` shows those that are"
    )]
    NoSuchExperiment {
        path: PathBuf,
        /// The experiment's number or name as the user wrote it.
        id: String,
    },
    /// The experiment has more runs than fauxplat ever records, too many to hold in memory.
    #[error(
        "{path}: experiment {id} has {runs} runs; at most {max} are read at once (`fauxplat history rm {id}` removes it)"
    )]
    TooManyRuns {
        path: PathBuf,
        id: i64,
        /// Number of runs: the number that the store states, or the number of rows read so far.
        runs: u64,
        /// Upper limit of runs that are read.
        max: u64,
    },
    /// The text cannot name an experiment.
    #[error("`{text}` is not an experiment: give its number, or `last`")]
    BadId { text: String },
    /// The address of a server is malformed, or asks for something that is not supported.
    #[error("{url}: {reason}")]
    BadUrl {
        /// The address, without its password.
        url: String,
        /// A description of the problem, and a remedy.
        reason: String,
    },
    /// The server cannot be reached now.
    #[error(
        "{url}: the server of the store is not there ({reason}); what was acknowledged is safe: try again when it is back"
    )]
    Away { url: String, reason: String },
    /// The server refuses the login or the operation.
    #[error("{url}: the server refuses ({reason}); {remedy}")]
    Refused {
        url: String,
        reason: String,
        /// Advice to the user.
        remedy: &'static str,
    },
    /// The database is not a store, or cannot hold the data.
    #[error("{url}: {reason}")]
    Unfit {
        url: String,
        /// The reason, and a remedy.
        reason: String,
    },
    /// Any other error that the server reports.
    #[error("{url}: the server of the store failed ({reason}); what was acknowledged is safe")]
    Server { url: String, reason: String },
    /// The experiment cannot be removed, since it is still being written.
    #[error(
        "{path}: experiment {id} is still running, here or in a container that cannot be seen from here, so it cannot be \
         removed; end it first"
    )]
    StillRunning { path: PathBuf, id: i64 },
    /// The kernel provides no random bytes for the UUID of an experiment.
    #[error("/dev/urandom: {reason}; an experiment needs a name that no other has, so give fauxplat a /dev")]
    Randomness { reason: String },
    /// A value cannot be written as text.
    #[error("{what} cannot be stored as text: {reason}")]
    Encode {
        /// The kind of value, for the message.
        what: &'static str,
        reason: String,
    },
    /// A stored value does not have the format that this program writes.
    #[error("{path}: {what} of experiment {id} cannot be read: {reason}")]
    Decode {
        path: PathBuf,
        id: i64,
        /// The kind of value, for the message.
        what: &'static str,
        reason: String,
    },
    /// Any other error that SQLite reports.
    #[error("{path}: the store failed: {source}")]
    Sqlite { path: PathBuf, source: rusqlite::Error },
}

/// Converts SQLite's error into an error with the path of the store and a meaning, for `map_err(at(path))`.
pub(crate) fn at(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError + '_ {
    move |source| {
        let path = path.to_owned();
        let reason = source.to_string();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, reason },
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
            Some(ErrorCode::SystemIoFailure) => StoreError::Io { path, reason },
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { path },
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                StoreError::CannotOpen { path, reason }
            }
            Some(ErrorCode::OperationInterrupted) => StoreError::Endless { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) if is_stopped() => {
                StoreError::BusyAtStop { path }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy { path, seconds: BUSY_SECONDS }
            }
            _ => StoreError::Sqlite { path, source },
        }
    }
}

pub(crate) fn json<T: serde::Serialize + ?Sized>(
    what: &'static str,
    value: &T,
) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Encode { what, reason: error.to_string() })
}
