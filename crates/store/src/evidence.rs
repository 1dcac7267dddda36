//! Evidence other than runs: each piece is a row in the table of its kind, committed when it arrives.
//!
//! A row holds the piece as JSON and, in columns, the keys by which it may be searched for. Pieces are numbered over
//! all kinds, and each row says how many runs came before it, so that runs and pieces can be read back in their
//! original order.

mod insert;
mod read;

use fauxplat_model::Evidence;
use rusqlite::{Transaction, TransactionBehavior};

use crate::error::at;
use crate::{Experiment, StoreError, artifact, sql};

impl Experiment {
    /// Adds one piece of evidence and commits it. A tree without processes adds no row.
    ///
    /// # Errors
    /// Returns the errors of [`Experiment::append`]: this piece is not stored, all earlier pieces are, and later calls
    /// may succeed.
    pub fn record(&mut self, evidence: &Evidence) -> Result<(), StoreError> {
        if let Evidence::Run(sample) = evidence {
            return self.append(sample);
        }
        let artifacts = {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate);
            let transaction = transaction.map_err(at(&self.path))?;
            let artifacts = insert::insert(self, &transaction, evidence)?;
            transaction.commit().map_err(at(&self.path))?;
            artifacts
        };
        self.evidence += 1;
        self.artifacts += artifacts;
        Ok(())
    }

    /// Stores an artifact: text or bytes in a format that the schema names, such as `fauxplat.histogram/1`. Returns the
    /// number by which [`crate::Store::artifact`] finds it.
    ///
    /// # Errors
    /// Returns the errors of [`Experiment::append`], and [`StoreError::Encode`] for data that are too large.
    pub fn attach(&mut self, schema: &str, data: &[u8]) -> Result<i64, StoreError> {
        let number = self.artifacts;
        artifact::insert(self, number, schema, data)?;
        self.artifacts += 1;
        Ok(number)
    }

    /// Stores the plan from which the trials are drawn, as JSON. A later plan replaces an earlier one.
    ///
    /// # Errors
    /// Returns the store's error if writing fails.
    pub fn set_plan(&self, plan: &impl serde::Serialize) -> Result<(), StoreError> {
        let text = crate::error::json("plan", plan)?;
        let written = self.connection.execute(sql::SET_PLAN, rusqlite::params![text, self.id()]);
        written.map_err(at(&self.path)).map(drop)
    }
}
