//! Removing experiments, and shrinking the file.

use std::fs;

use rusqlite::types::Value;

use crate::engine::{Engine, Purpose, cell, integer, together};
use crate::error::at;
use crate::path::beside;
use crate::{State, Store, StoreError, sql};

/// The amount of data in a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes of the file and of the log beside it.
    pub file_bytes: u64,
    /// Experiments.
    pub experiments: u64,
    /// Samples of all experiments.
    pub samples: u64,
}

impl Store {
    /// Removes an experiment with its commands, samples and all other evidence. Later experiments use the space again;
    /// only [`Store::vacuum`] makes the file smaller.
    ///
    /// # Errors
    /// [`StoreError::NoSuchExperiment`], [`StoreError::StillRunning`]; those of writing, when nothing is removed.
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

    /// The number of experiments and samples, and the space that the store takes.
    ///
    /// # Errors
    /// Those of reading.
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

    /// Rewrites the store without gaps and empties its log, which takes as much free space as the store itself. A
    /// server does so by itself.
    ///
    /// # Errors
    /// Those of writing; the store is as it was then.
    pub fn vacuum(&self) -> Result<(), StoreError> {
        self.check_writable()?;
        if self.server.is_some() {
            return Ok(());
        }
        self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);").map_err(at(&self.path))
    }
}

/// Removes all rows of an experiment and machines without experiments, in one transaction.
pub(crate) fn delete(engine: &dyn Engine, id: i64) -> Result<(), StoreError> {
    together(engine, Purpose::Remove, || {
        for statement in sql::REMOVE_EVIDENCE.into_iter().chain(sql::REMOVE) {
            engine.write(statement, &[Value::Integer(id)])?;
        }
        engine.write(sql::REMOVE_MACHINES, &[]).map(drop)
    })
}
