//! Copies many experiments from one store to another.

use crate::engine::{Values, integer};
use crate::housekeeping::delete;
use crate::transfer::{Carried, Number, carry};
use crate::{Access, State, Store, StoreError, VERSION, sql};

/// The result of copying experiments from one store to another.
#[derive(Debug, Default)]
pub struct Exchanged {
    /// Copied experiments: each one's number in the store from which it was copied, its number in the other store, and
    /// the number of its samples.
    pub carried: Vec<(i64, i64, u64)>,
    /// Experiments that the other store already had with the same content: their numbers in the two stores.
    pub known: Vec<(i64, i64)>,
    /// Experiments that were not copied, each with the reason.
    pub kept: Vec<(i64, String)>,
    /// The error that ended the copying early; experiments in the lists above are not affected.
    pub trouble: Option<StoreError>,
}

impl Exchanged {
    /// Returns the number of samples of all copied experiments.
    pub fn samples(&self) -> u64 {
        self.carried.iter().map(|(_, _, samples)| samples).sum()
    }
}

impl Store {
    /// Copies experiments, given by their numbers, to another store, each in one transaction. An experiment whose UUID
    /// the other store has already is compared and not changed.
    ///
    /// # Errors
    /// Returns an error if the other store cannot be written, or if this store has a newer version, whose additional
    /// data would be lost. An error after that is in [`Exchanged::trouble`].
    pub fn carry_to(&self, to: &Store, ids: &[i64]) -> Result<Exchanged, StoreError> {
        to.check_writable()?;
        if let Access::Newer(found) = self.access() {
            return Err(StoreError::NewerVersion { path: self.path.clone(), found, known: VERSION });
        }
        let mut exchanged = Exchanged::default();
        for &id in ids {
            match self.carry_one(to, id) {
                Ok(Carried::New { id: there, samples }) => exchanged.carried.push((id, there, samples)),
                Ok(Carried::Known { id: there }) => exchanged.known.push((id, there)),
                Ok(Carried::Kept(reason)) => exchanged.kept.push((id, reason)),
                Err(error) => {
                    exchanged.trouble = Some(error);
                    break;
                }
            }
        }
        Ok(exchanged)
    }

    /// Copies one experiment to another store. Rows of a server are first copied to the file, so that no lock on a file
    /// is held during waits for a server.
    fn carry_one(&self, to: &Store, id: i64) -> Result<Carried, StoreError> {
        self.fetch(id)?;
        let carried = carry(&self.file, to.engine(), id, Number::Next)?;
        match (&self.server, &to.server) {
            (Some(_), _) => delete(&self.file, id)?,
            (None, Some(there)) if !matches!(carried, Carried::Kept(_)) => {
                self.acknowledged(id, &there.url)?
            }
            _ => {}
        }
        Ok(carried)
    }

    /// Returns the numbers of all experiments that have ended, oldest first.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn all_over(&self) -> Result<Vec<i64>, StoreError> {
        self.over(self.engine().read(sql::ALL_IDS, &[])?)
    }

    /// Returns those experiments that have ended among rows whose first column is an experiment's number.
    pub(crate) fn over(&self, rows: Vec<Values>) -> Result<Vec<i64>, StoreError> {
        let mut over = Vec::new();
        for id in rows.iter().filter_map(|row| row.first().map(integer)) {
            let is_over = |(state, owner): (String, String)| State::read(&state, &owner) != State::Running;
            over.extend(self.state_of(id)?.is_some_and(is_over).then_some(id));
        }
        Ok(over)
    }
}
