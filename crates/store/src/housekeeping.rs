//! Removes experiments, and shrinks the file of a store.

use std::fs;

use rusqlite::types::Value;

use crate::engine::{Engine, Purpose, cell, integer, together};
use crate::error::at;
use crate::path::beside;
use crate::{State, Store, StoreError, sql};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Size in bytes of the file and its write-ahead log; of a shared store, the size of the database.
    pub file_bytes: u64,
    pub experiments: u64,
    pub samples: u64,
}

impl Store {
    /// Removes an experiment with its commands, samples and all other evidence. Later experiments reuse the space; only
    /// [`Store::vacuum`] makes the file smaller.
    ///
    /// # Errors
    /// Returns [`StoreError::NoSuchExperiment`], [`StoreError::StillRunning`], or the store's error if writing fails;
    /// nothing is removed then.
    pub fn remove(&self, id: i64) -> Result<(), StoreError> {
        self.check_writable()?;
        let path = || self.path.clone();
        match self.state_of(id)? {
            None => return Err(StoreError::NoSuchExperiment { path: path(), id: id.to_string() }),
            Some((state, owner)) if State::read(&state, &owner) == State::Running => {
                return Err(StoreError::StillRunning { path: path(), id });
            }
            Some(_) => {}
        }
        delete(self.engine(), id)
    }

    /// Returns the number of experiments and samples, and the size of the store.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn size(&self) -> Result<Size, StoreError> {
        let bytes = |path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let file_bytes = match &self.server {
            Some(server) => server.bytes()?,
            None => bytes(self.path.clone()) + bytes(beside(&self.path, "-wal")),
        };
        let counted = self.engine().read(sql::COUNTS, &[])?;
        let count = |at: usize| counted.first().map_or(0, |row| integer(cell(row, at))).cast_unsigned();
        Ok(Size { file_bytes, experiments: count(0), samples: count(1) })
    }

    /// Rewrites the store without gaps and empties its log, which needs as much free space as the store itself. A
    /// server vacuums automatically, so nothing is done for a shared store.
    ///
    /// # Errors
    /// Returns the store's error if writing fails; the store is unchanged then.
    pub fn vacuum(&self) -> Result<(), StoreError> {
        self.check_writable()?;
        if self.server.is_some() {
            return Ok(());
        }
        self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);").map_err(at(&self.path))
    }
}

/// Removes all rows of an experiment, and machines that no experiment refers to, in one transaction.
pub(crate) fn delete(engine: &dyn Engine, id: i64) -> Result<(), StoreError> {
    together(engine, Purpose::Remove, || {
        for statement in sql::REMOVE_EVIDENCE.into_iter().chain(sql::REMOVE) {
            engine.write(statement, &[Value::Integer(id)])?;
        }
        engine.write(sql::REMOVE_MACHINES, &[]).map(drop)
    })
}
