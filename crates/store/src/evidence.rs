//! Evidence that is no run: each piece is a row of its kind's table, stored as it lands.
//!
//! A row has the noun as JSON and, in columns, what one would look for. Pieces are numbered over all kinds, and each
//! says how many runs had landed before it, so that everything can be read back in the order in which it came.

mod insert;
mod read;

use fauxplat_model::Evidence;
use rusqlite::{Transaction, TransactionBehavior};

use crate::error::at;
use crate::{Experiment, StoreError, artifact, sql};

impl Experiment {
    /// Adds one piece of evidence and commits it. A tree without processes leaves nothing.
    ///
    /// # Errors
    /// As [`Experiment::append`]: this piece is not stored, all before it are, and later ones may be tried.
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

    /// Stores an artifact: text or bytes in a form that the schema names, such as `fauxplat.histogram/1`. Returns the
    /// number by which [`crate::Store::artifact`] finds it.
    ///
    /// # Errors
    /// As [`Experiment::append`].
    pub fn attach(&mut self, schema: &str, data: &[u8]) -> Result<i64, StoreError> {
        let number = self.artifacts;
        artifact::insert(self, number, schema, data)?;
        self.artifacts += 1;
        Ok(number)
    }

    /// Stores the plan, as JSON. A later plan replaces an earlier one.
    ///
    /// # Errors
    /// Those of writing.
    pub fn set_plan(&self, plan: &impl serde::Serialize) -> Result<(), StoreError> {
        let text = crate::error::json("plan", plan)?;
        let written = self.connection.execute(sql::SET_PLAN, rusqlite::params![text, self.id()]);
        written.map_err(at(&self.path)).map(drop)
    }
}
