//! Removing experiments and giving the space back.

use std::fs;

use rusqlite::{Transaction, TransactionBehavior};

use crate::error::at;
use crate::path::beside;
use crate::{State, Store, StoreError, sql};

/// How much a store holds.
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
    /// Removes an experiment with its commands, samples and all other evidence. The space is used again by later ones; only
    /// [`Store::vacuum`] makes the file smaller.
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
        self.delete(id).map_err(at(&self.path))
    }

    fn delete(&self, id: i64) -> rusqlite::Result<()> {
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        for statement in sql::REMOVE_EVIDENCE.into_iter().chain(sql::REMOVE) {
            transaction.execute(statement, [id])?;
        }
        transaction.execute(sql::REMOVE_MACHINES, [])?;
        transaction.commit()
    }

    /// How much the store holds, and how much space it takes.
    ///
    /// # Errors
    /// Those of reading.
    pub fn size(&self) -> Result<Size, StoreError> {
        let bytes = |path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let file_bytes = bytes(self.path.clone()) + bytes(beside(&self.path, "-wal"));
        let counts = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let (experiments, samples) =
            self.connection.query_row(sql::COUNTS, [], counts).map_err(at(&self.path))?;
        Ok(Size { file_bytes, experiments: experiments.cast_unsigned(), samples: samples.cast_unsigned() })
    }

    /// Writes the store anew without gaps and empties its log. It takes as much free space as the store itself.
    ///
    /// # Errors
    /// Those of writing; the store is as it was then.
    pub fn vacuum(&self) -> Result<(), StoreError> {
        self.check_writable()?;
        self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);").map_err(at(&self.path))
    }
}
