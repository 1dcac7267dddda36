//! The handle of an open store.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use fauxplat_model::Command;
use fauxplat_model::document::Header;
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::engine::{Engine, cell, integer, text};
use crate::error::at;
use crate::postgres::{self, Patience, Server, Url};
use crate::sqlite::Sqlite;
use crate::transfer::{Number, Route, carry};
use crate::{Access, Experiment, StoreError, VERSION, access, schema, sql};

/// Length of a UUID in characters. No number of an experiment has as many digits.
const UUID_LENGTH: usize = 36;

/// An open store. A handle is not shared between threads; several processes, and several handles of one process, may
/// use the same file at once.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Rc<Connection>,
    pub(crate) path: PathBuf,
    access: Access,
    /// Schema version of the file, which is older than this program's if the file cannot be written.
    pub(crate) version: i64,
    /// The SQLite file of this store, behind the same interface as the server of a shared store.
    pub(crate) file: Sqlite,
    /// The server of a shared store; `None` for a file. If there is a server, `file` holds copies of experiments, made
    /// when they are read.
    pub(crate) server: Option<Server>,
    /// The shared store to which finished experiments are copied; `None` if this file is not such a waiting place
    /// (spool).
    pub(crate) target: Option<Url>,
}

impl Store {
    /// Opens a store, and creates a missing file with its directories.
    ///
    /// A store of a newer version and a read-only store are opened for reading: see [`Store::access`].
    ///
    /// # Errors
    /// Returns an error that tells which kind of file the path leads to, or why the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        let path = path.as_ref();
        Store::of(path, access::open(path)?)
    }

    fn of(path: &Path, (connection, access): (Connection, Access)) -> Result<Store, StoreError> {
        let version = schema::version(&connection).map_err(at(path))?;
        let (connection, path) = (Rc::new(connection), path.to_owned());
        let file = Sqlite { connection: Rc::clone(&connection), path: path.clone() };
        Ok(Store { connection, path, access, version, file, server: None, target: None })
    }

    /// Returns an empty store in memory that stands for a path without a file; no file is created, and nothing can be
    /// recorded.
    ///
    /// # Errors
    /// Returns the error of SQLite if the store cannot be created in memory.
    pub fn nothing(path: &Path) -> Result<Store, StoreError> {
        let made =
            Connection::open_in_memory().and_then(|mut made| schema::migrate(&mut made).map(|()| made));
        Store::of(path, (made.map_err(at(path))?, Access::ReadOnly))
    }

    /// Opens a shared store, to read it, to copy experiments to it and to remove experiments; missing tables are
    /// created.
    ///
    /// # Errors
    /// Returns the store's error if the server cannot be reached, refuses the login, or has other contents in the
    /// database.
    pub fn open_shared(url: &Url, patience: Patience) -> Result<Store, StoreError> {
        let (server, access, _) = postgres::open(url, patience)?;
        let path = PathBuf::from(url.to_string());
        // The temporary database has no name: it disappears with its connection, and stays in memory while it is small.
        let made = Connection::open("").and_then(|mut made| schema::migrate(&mut made).map(|()| made));
        let store = Store::of(&path, (made.map_err(at(&path))?, access))?;
        Ok(Store { server: Some(server), ..store })
    }

    /// Returns the database in which experiments are listed and removed: the server's if there is a server, otherwise
    /// the file.
    pub(crate) fn engine(&self) -> &dyn Engine {
        match &self.server {
            Some(server) => server,
            None => &self.file,
        }
    }

    /// Copies an experiment from the server, if this store has a server and no copy yet.
    pub(crate) fn fetch(&self, id: i64) -> Result<(), StoreError> {
        let Some(server) = &self.server else { return Ok(()) };
        match self.file.read(sql::STATE, &[Value::Integer(id)])?.is_empty() {
            true => carry(&Route::new(server, &self.file), id, Number::Same).map(drop),
            false => Ok(()),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn is_shared(&self) -> bool {
        self.server.is_some()
    }

    pub fn access(&self) -> Access {
        self.access
    }

    /// Writes the record of an experiment that begins now: header, machine and commands in one transaction.
    ///
    /// `kind` is the verb: `run`, `compare`, `aa`. Until [`Experiment::finish`], the experiment is *running*, and
    /// *interrupted* once its process has ended. The header's own `id` is ignored; [`Experiment::id`] gives the new
    /// number.
    ///
    /// # Errors
    /// Returns [`StoreError::NewerVersion`] or [`StoreError::ReadOnly`] before anything is written, or the store's
    /// error if writing fails.
    pub fn begin(&self, header: &Header, kind: &str, commands: &[Command]) -> Result<Experiment, StoreError> {
        self.check_writable()?;
        let target = self.target.as_ref().map(Url::key);
        Experiment::begin(Rc::clone(&self.connection), &self.path, target, (header, kind, commands))
    }

    /// Returns the number of the experiment that a text names: its number, its UUID, or `last`.
    ///
    /// # Errors
    /// Returns [`StoreError::BadId`] or [`StoreError::NoSuchExperiment`].
    pub fn resolve(&self, text: &str) -> Result<i64, StoreError> {
        let missing = || StoreError::NoSuchExperiment { path: self.path.clone(), id: text.to_owned() };
        let found = match text {
            "last" => self.engine().read(sql::LAST, &[])?,
            uuid if uuid.len() == UUID_LENGTH && self.version >= schema::WITH_EVIDENCE => {
                self.engine().read(sql::BY_UUID, &[Value::Text(uuid.to_lowercase())])?
            }
            number => {
                let id = number.parse().map_err(|_| StoreError::BadId { text: text.to_owned() })?;
                return self.state_of(id)?.map(|_| id).ok_or_else(missing);
            }
        };
        let id = found.first().and_then(|row| row.first()).filter(|value| **value != Value::Null);
        id.map(integer).ok_or_else(missing)
    }

    pub(crate) fn state_of(&self, id: i64) -> Result<Option<(String, String)>, StoreError> {
        let word = |value: &Value| text(value).unwrap_or_default().to_owned();
        let rows = self.engine().read(sql::STATE, &[Value::Integer(id)])?;
        Ok(rows.first().map(|row| (word(cell(row, 0)), word(cell(row, 1)))))
    }

    pub(crate) fn check_writable(&self) -> Result<(), StoreError> {
        let path = self.path.clone();
        match self.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly => Err(StoreError::ReadOnly { path }),
            Access::Newer(found) => Err(StoreError::NewerVersion { path, found, known: VERSION }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Filter;

    /// A store that cannot be written is not migrated, and is read in its own version.
    #[test]
    fn an_earlier_store_that_is_read_only_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        std::fs::write(&path, include_bytes!("../tests/fixtures/version-2.sqlite")).unwrap();
        let store = Store::of(&path, access::readable(&path).unwrap()).unwrap();
        assert_eq!((store.access(), store.version), (Access::ReadOnly, 2));
        let list = store.list(&Filter::default()).unwrap();
        assert_eq!(list.len(), 3);
        for row in list {
            let loaded = store.load(row.id).unwrap();
            assert_eq!((loaded.header.uuid, loaded.samples.len() as u64), (None, row.samples));
            let mut evidence = 0;
            store.evidence(row.id, |_| evidence += 1).unwrap();
            assert_eq!(evidence, row.samples);
            assert_eq!(store.artifact(row.id, 0).unwrap(), None);
        }
    }
}
