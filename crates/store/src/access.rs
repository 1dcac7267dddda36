//! Opens the file of a store: checks of its kind and permissions, and the settings of SQLite.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};

use crate::error::at;
use crate::heed::BUSY_SECONDS;
use crate::heed::is_stopped;
use crate::path::beside;
use crate::{StoreError, VERSION, heed, schema};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    ReadWrite,
    /// Only reading is possible: the file, its directory or its file system is read-only.
    ReadOnly,
    /// Only reading is possible: the store has this schema version, which is newer than the program's.
    Newer(i64),
}

/// Opens the file of a store with as much access as possible, and creates a missing file.
pub(crate) fn open(path: &Path) -> Result<(Connection, Access), StoreError> {
    let exists = check_kind(path)?;
    if !exists {
        let refused =
            |error: io::Error| StoreError::CannotCreate { path: path.to_owned(), reason: error.to_string() };
        create_parents(path).map_err(refused)?;
        create(path)?;
    }
    match writable(path) {
        Ok(connection) if !connection.is_readonly(MAIN_DB).map_err(at(path))? => {
            settle(connection, path, exists)
        }
        Err(error) if !exists || !is_permission(&error) => Err(unopened(path, exists, error)),
        _ => readable(path),
    }
}

/// Returns whether a regular file exists at the path. Anything else, such as a directory or a pipe, is refused before
/// SQLite could block on it or write to it.
fn check_kind(path: &Path) -> Result<bool, StoreError> {
    let refused = |what| Err(StoreError::NotAFile { path: path.to_owned(), what });
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(metadata) if metadata.is_dir() => refused("a directory"),
        Ok(_) => refused("a special file"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(StoreError::CannotOpen { path: path.to_owned(), reason: error.to_string() }),
    }
}

/// Creates missing parent folders, writable only by their owner, whatever the umask. Each new folder gets the owner of
/// its parent, as far as permitted: a folder that root owns inside a user's folder would keep the user from
/// measuring.
///
/// # Errors
/// Fails where a folder cannot be created.
pub fn create_parents(path: &Path) -> io::Result<()> {
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let missing: Vec<&Path> = folders.take_while(|folder| !folder.exists()).collect();
    for folder in missing.into_iter().rev() {
        match fs::DirBuilder::new().mode(0o755).create(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            done => {
                done?;
                let seen = fs::symlink_metadata(folder)?;
                let opened = File::open(folder)?;
                let now = opened.metadata()?;
                // The opened folder must be the folder that was examined: a link may have been put in its place
                // meanwhile.
                if seen.is_dir() && (seen.dev(), seen.ino()) == (now.dev(), now.ino()) {
                    give_to_owner_of_folder(&opened, folder);
                }
            }
        }
    }
    Ok(())
}

/// Creates an empty file, which SQLite treats as a new store. The owner is that of the folder; SQLite gives the same
/// owner to files that it adds later. A dangling link is refused: its author would choose where root creates a file.
fn create(path: &Path) -> Result<(), StoreError> {
    match OpenOptions::new().write(true).create_new(true).mode(0o644).open(path) {
        Ok(file) => give_to_owner_of_folder(&file, path),
        Err(_) if path.is_symlink() => {
            return Err(StoreError::NotAFile { path: path.to_owned(), what: "a link that leads nowhere" });
        }
        // In this case another process has just created the file.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => {
            return Err(StoreError::CannotCreate { path: path.to_owned(), reason: error.to_string() });
        }
    }
    Ok(())
}

fn give_to_owner_of_folder(made: &File, path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(owner) = fs::metadata(folder) {
        // An ordinary user cannot change the owner, and need not, so a failure is ignored.
        let _not_permitted = fchown(made, Some(owner.uid()), Some(owner.gid()));
    }
}

/// Opens a file for writing and reads its header, because SQLite does not touch the file before that.
fn writable(path: &Path) -> rusqlite::Result<Connection> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

fn connect(path: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    heed::listen(&mut connection)?;
    // Statements that somebody else has put into the file do not run; see <https://www.sqlite.org/security.html>.
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, is_on)?;
    }
    // SQLite's page cache of 512 KiB holds the few pages that appending touches; the whole tool stays below 32 MiB.
    connection.pragma_update(None, "cache_size", -512)?;
    schema::version(&connection)?;
    connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// Checks that a writable file is a store, and migrates it to this program's version. A newer store is opened for
/// reading.
fn settle(mut connection: Connection, path: &Path, exists: bool) -> Result<(Connection, Access), StoreError> {
    let found = judge(&connection, path)?;
    if found > VERSION {
        drop(connection);
        return readable(path);
    }
    let ready = write_ahead(&connection).and_then(|()| match found {
        VERSION => Ok(()),
        _ => schema::migrate(&mut connection),
    });
    ready.map_err(|error| unopened(path, exists, error))?;
    Ok((connection, Access::ReadWrite))
}

pub(crate) fn readable(path: &Path) -> Result<(Connection, Access), StoreError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .or_else(|error| immutable(path, error))
        .map_err(at(path))?;
    match judge(&connection, path)? {
        0 => Err(StoreError::ReadOnly { path: path.to_owned() }),
        found if found > VERSION => Ok((connection, Access::Newer(found))),
        _ => Ok((connection, Access::ReadOnly)),
    }
}

/// Opens a store in write-ahead mode from a read-only directory, where SQLite cannot create its two helper files.
/// Without a log beside it the file is complete, and can be opened as an immutable file.
fn immutable(path: &Path, error: rusqlite::Error) -> rusqlite::Result<Connection> {
    let log_bytes = fs::metadata(beside(path, "-wal")).map_or(0, |metadata| metadata.len());
    if !is_permission(&error) || log_bytes > 0 {
        return Err(error);
    }
    let Some(text) = std::path::absolute(path).ok().and_then(|path| path.into_os_string().into_string().ok())
    else {
        return Err(error);
    };
    let escaped = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect(PathBuf::from(format!("file:{escaped}?immutable=1")), flags)
}

/// Returns the schema version of a store, or 0 for an empty database; a database of another program is an error.
fn judge(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    // All pragmas are read in one transaction, since another process may be creating the store between two reads.
    let moment = connection.unchecked_transaction().map_err(at(path))?;
    let number =
        |pragma| moment.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).map_err(at(path));
    let tables: i64 =
        moment.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(at(path))?;
    match (number("application_id")?, number("user_version")?) {
        (schema::APPLICATION_ID, version) => refuse_planted(&moment, path).map(|()| version),
        // A file without tables is taken for a new store: another process may have created it just now and not have
        // finished the migration.
        (0, 0) if tables == 0 => Ok(0),
        _ => Err(StoreError::ForeignDatabase { path: path.to_owned() }),
    }
}

/// Refuses a store with a trigger, or with a view or virtual table in the place of a table: their author chooses what
/// runs when fauxplat reads or writes. Neither has pages of its own in the file.
fn refuse_planted(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let sql = "SELECT type, SUBSTR(name, 1, 60) FROM sqlite_schema WHERE type = 'trigger' OR rootpage = 0";
    let mut statement = connection.prepare(sql).map_err(at(path))?;
    let mut rows = statement.query([]).map_err(at(path))?;
    while let Some(row) = rows.next().map_err(at(path))? {
        let text = |column: usize| row.get::<_, String>(column).map_err(at(path));
        let (kind, name) = (text(0)?, text(1)?);
        let kind = match kind.as_str() {
            "trigger" => "trigger",
            _ if !schema::tables().any(|table| table.eq_ignore_ascii_case(&name)) => continue,
            "view" => "view",
            _ => "virtual table",
        };
        let name = name.escape_debug().to_string();
        return Err(StoreError::Planted { path: path.to_owned(), kind, name });
    }
    Ok(())
}

/// Turns on SQLite's write-ahead log: one writer and any number of readers do not wait for each other, and a commit is
/// one write without a sync (synchronous NORMAL). A killed process loses nothing, a power cut at most the last commits.
/// See <https://www.sqlite.org/wal.html>.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // A checkpoint syncs the disk for about ten milliseconds. At 4000 pages (16 MiB) instead of SQLite's default of
    // 1000, a checkpoint tends to fall between two experiments rather than into an experiment of many short runs.
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    let switch = || connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
    // While two processes create a store, the switch fails at once with SQLITE_BUSY and ignores the busy handler.
    for _ in 0..BUSY_SECONDS * 50 {
        match switch() {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && !is_stopped() => {
                sleep(Duration::from_millis(20));
            }
            other => return other,
        }
    }
    switch()
}

fn is_permission(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    )
}

/// Reports a permission error as `CannotCreate` where the file did not exist before.
fn unopened(path: &Path, exists: bool, error: rusqlite::Error) -> StoreError {
    if !exists && is_permission(&error) {
        return StoreError::CannotCreate { path: path.to_owned(), reason: error.to_string() };
    }
    at(path)(error)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

    use super::*;

    /// A reader sees all tables of a store that another process is creating, or none.
    #[test]
    fn a_store_that_is_made_between_two_looks_is_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        create(&path).unwrap();
        let mut looking = writable(&path).unwrap();
        let (place, is_made) = (path.clone(), Cell::new(false));
        let make = move |look: AuthContext<'_>| {
            if matches!(look.action, AuthAction::Pragma { pragma_name: "user_version", .. })
                && !is_made.replace(true)
            {
                let mut other = writable(&place).unwrap();
                other.busy_timeout(Duration::ZERO).unwrap();
                let _waits_for_whoever_looks = schema::migrate(&mut other);
            }
            Authorization::Allow
        };
        looking.authorizer(Some(make)).unwrap();
        assert_eq!(judge(&looking, &path).unwrap(), 0);
        looking.authorizer(None::<fn(AuthContext<'_>) -> Authorization>).unwrap();
        schema::migrate(&mut writable(&path).unwrap()).unwrap();
        assert_eq!(judge(&looking, &path).unwrap(), VERSION);
    }
}
