//! The store as its users hold it.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use fauxplat_model::Command;
use fauxplat_model::document::Header;
use rusqlite::{Connection, OptionalExtension};

use crate::error::at;
use crate::{Access, Experiment, StoreError, VERSION, access, schema, sql};

/// An open store. It is not shared between threads; several processes, and several stores in one, may use the
/// same file at once.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Rc<Connection>,
    pub(crate) path: PathBuf,
    access: Access,
    /// The schema version of the file, which is older than ours where it cannot be written.
    pub(crate) version: i64,
}

impl Store {
    /// Opens a store; the file and its directories are created if need be.
    ///
    /// A store of a newer version and a read-only one open for reading: see [`Store::access`].
    ///
    /// # Errors
    /// One variant of [`StoreError`] for each thing that the path can turn out to be.
    pub fn open(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        let path = path.as_ref();
        Store::of(path, access::open(path)?)
    }

    fn of(path: &Path, (connection, access): (Connection, Access)) -> Result<Store, StoreError> {
        let version = schema::version(&connection).map_err(at(path))?;
        Ok(Store { connection: Rc::new(connection), path: path.to_owned(), access, version })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What may be done with it.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Writes the record of an experiment that begins now: header, machine and commands in one transaction.
    ///
    /// `kind` is the verb: `run`, `compare`, `aa`. Until [`Experiment::finish`], the experiment is *running*, and
    /// *interrupted* once its process is gone. The header's own `id` is not looked at; [`Experiment::id`] gives it.
    ///
    /// # Errors
    /// [`StoreError::NewerVersion`] and [`StoreError::ReadOnly`] before anything is written; those of writing.
    pub fn begin(&self, header: &Header, kind: &str, commands: &[Command]) -> Result<Experiment, StoreError> {
        self.check_writable()?;
        Experiment::begin(Rc::clone(&self.connection), &self.path, header, kind, commands)
    }

    /// The experiment that a text names: its number, or `last`.
    ///
    /// # Errors
    /// [`StoreError::BadId`], [`StoreError::NoSuchExperiment`].
    pub fn resolve(&self, text: &str) -> Result<i64, StoreError> {
        let missing = || StoreError::NoSuchExperiment { path: self.path.clone(), id: text.to_owned() };
        if text == "last" {
            let last = self.connection.query_row(sql::LAST, [], |row| row.get::<_, Option<i64>>(0));
            return last.map_err(at(&self.path))?.ok_or_else(missing);
        }
        let id = text.parse().map_err(|_| StoreError::BadId { text: text.to_owned() })?;
        self.state_of(id)?.map(|_| id).ok_or_else(missing)
    }

    /// State and owner of an experiment, if there is one.
    pub(crate) fn state_of(&self, id: i64) -> Result<Option<(String, String)>, StoreError> {
        let read = self.connection.query_row(sql::STATE, [id], |row| Ok((row.get(0)?, row.get(1)?)));
        read.optional().map_err(at(&self.path))
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

    /// What cannot be written cannot be migrated, and is read as it is.
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
