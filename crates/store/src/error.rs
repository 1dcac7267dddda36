//! Errors of a store: the file or address, what happened, and what to do.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// An error of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No default place exists.
    #[error(
        "no place for the store: neither XDG_DATA_HOME nor HOME is set; give one with --store PATH, or measure without one: --store none"
    )]
    NoHome,
    /// The path names something that is not a regular file.
    #[error("{path}: this is {what}, not a store; give the path of a file with --store PATH")]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// `a directory` or `a special file`.
        what: &'static str,
    },
    /// The file cannot be created, or its directory cannot.
    #[error(
        "{path}: the store cannot be created ({reason}); make its directory writable, choose another with --store PATH, or record nothing with --store none"
    )]
    CannotCreate {
        /// The path of the store.
        path: PathBuf,
        /// The error of the system call.
        reason: String,
    },
    /// The file exists and cannot be opened or read.
    #[error(
        "{path}: the store cannot be opened ({reason}); check the permissions of the file and its directory"
    )]
    CannotOpen {
        /// The path of the store.
        path: PathBuf,
        /// The error of the system call.
        reason: String,
    },
    /// The file has other contents.
    #[error(
        "{path}: this file is not an SQLite database, and is left as it is; choose another with --store PATH"
    )]
    NotADatabase {
        /// The path.
        path: PathBuf,
    },
    /// The file is a database of another program.
    #[error(
        "{path}: this database belongs to another program, and is left as it is; choose another with --store PATH"
    )]
    ForeignDatabase {
        /// The path.
        path: PathBuf,
    },
    /// The database is damaged.
    #[error(
        "{path}: the store is damaged ({reason}); move it aside, or save what is readable with `sqlite3 FILE .recover`"
    )]
    Damaged {
        /// The path of the store.
        path: PathBuf,
        /// The error of SQLite.
        reason: String,
    },
    /// A write was asked for, and a newer fauxplat owns the schema.
    #[error(
        "{path}: the store has schema version {found}, and this fauxplat writes version {known}; it can be read, and is never overwritten: update fauxplat or choose another with --store PATH"
    )]
    NewerVersion {
        /// The path of the store.
        path: PathBuf,
        /// The version of the store.
        found: i64,
        /// The version of this program.
        known: i64,
    },
    /// A write was asked for, and the file or its directory is read-only.
    #[error(
        "{path}: the store is read-only, so nothing can be recorded in it; make the file and its directory writable, choose another with --store PATH, or record nothing with --store none"
    )]
    ReadOnly {
        /// The path of the store.
        path: PathBuf,
    },
    /// No space was left.
    #[error(
        "{path}: no space is left for the store; what was stored before is intact: free some space or choose another with --store PATH"
    )]
    DiskFull {
        /// The path of the store.
        path: PathBuf,
    },
    /// The file system refused a read or a write.
    #[error(
        "{path}: the file system refused to read or write the store ({reason}); what was stored before is intact: check the space, the size limit (`ulimit -f`) and the disk"
    )]
    Io {
        /// The path of the store.
        path: PathBuf,
        /// The error of the system call.
        reason: String,
    },
    /// Another process kept the store locked.
    #[error("{path}: another process kept the store locked for {seconds} s; try again when it has ended")]
    Busy {
        /// The path of the store.
        path: PathBuf,
        /// Seconds for which the lock was tried.
        seconds: u64,
    },
    /// No such experiment.
    #[error(
        "{path}: there is no experiment `{id}` in the store; `fauxplat history list` shows those that are"
    )]
    NoSuchExperiment {
        /// The path of the store.
        path: PathBuf,
        /// The id that was asked for.
        id: String,
    },
    /// The experiment has more runs than are ever recorded, and more than memory should be used for.
    #[error(
        "{path}: experiment {id} has {runs} runs; at most {max} are read at once (`fauxplat history rm {id}` removes it)"
    )]
    TooManyRuns {
        /// The path of the store.
        path: PathBuf,
        /// Number of the experiment.
        id: i64,
        /// Number of runs, as the store states it or as they were read.
        runs: u64,
        /// Upper limit of runs that are read.
        max: u64,
    },
    /// The text is not an experiment's id.
    #[error("`{text}` is not an experiment: give its number, or `last`")]
    BadId {
        /// The text.
        text: String,
    },
    /// The address of a server is wrong.
    #[error("{url}: {reason}")]
    BadUrl {
        /// The address, without its password.
        url: String,
        /// Description of the problem, and what to do.
        reason: String,
    },
    /// The server cannot be reached now.
    #[error(
        "{url}: the server of the store is not there ({reason}); what was acknowledged is safe: try again when it is back"
    )]
    Away {
        /// The address.
        url: String,
        /// The error on the way to the server.
        reason: String,
    },
    /// The server refuses the login or the operation.
    #[error("{url}: the server refuses ({reason}); {remedy}")]
    Refused {
        /// The address.
        url: String,
        /// The server's message.
        reason: String,
        /// Advice to the user.
        remedy: &'static str,
    },
    /// The database is not a store, or cannot hold the data.
    #[error("{url}: {reason}")]
    Unfit {
        /// The address.
        url: String,
        /// The reason, and what to do.
        reason: String,
    },
    /// Anything else that the server reports.
    #[error("{url}: the server of the store failed ({reason}); what was acknowledged is safe")]
    Server {
        /// The address.
        url: String,
        /// The server's message.
        reason: String,
    },
    /// The experiment is still being written.
    #[error(
        "{path}: experiment {id} is still running, here or in a container that cannot be seen from here, so it cannot be \
         removed; end it first"
    )]
    StillRunning {
        /// The path of the store.
        path: PathBuf,
        /// The experiment.
        id: i64,
    },
    /// The kernel gives no randomness for the name of an experiment.
    #[error("/dev/urandom: {reason}; an experiment needs a name that no other has, so give fauxplat a /dev")]
    Randomness {
        /// The error of the system call.
        reason: String,
    },
    /// A value cannot be written as text.
    #[error("{what} cannot be stored as text: {reason}")]
    Encode {
        /// The value.
        what: &'static str,
        /// Why.
        reason: String,
    },
    /// A stored value is not what this program writes.
    #[error("{path}: {what} of experiment {id} cannot be read: {reason}")]
    Decode {
        /// The path of the store.
        path: PathBuf,
        /// The experiment.
        id: i64,
        /// The value.
        what: &'static str,
        /// Why.
        reason: String,
    },
    /// Anything else that SQLite reports.
    #[error("{path}: the store failed: {source}")]
    Sqlite {
        /// The path of the store.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
}

/// How long a locked store is retried, in seconds.
pub(crate) const BUSY_SECONDS: u64 = 10;

/// Gives SQLite's error the path of the store and a meaning, for `map_err(at(path))`.
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
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy { path, seconds: BUSY_SECONDS }
            }
            _ => StoreError::Sqlite { path, source },
        }
    }
}

/// A value as JSON text.
pub(crate) fn json<T: serde::Serialize + ?Sized>(
    what: &'static str,
    value: &T,
) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Encode { what, reason: error.to_string() })
}
