//! Experiments from one store to another, many at once.

use crate::engine::{Values, integer};
use crate::housekeeping::delete;
use crate::transfer::{Carried, Number, carry};
use crate::{Access, State, Store, StoreError, VERSION, sql};

/// The results of carrying experiments to another store.
#[derive(Debug, Default)]
pub struct Exchanged {
    /// Carried experiments: the number in this store, the number in the other, and the number of samples.
    pub carried: Vec<(i64, i64, u64)>,
    /// Experiments that the other store already had with the same content: their numbers in this store and the other.
    pub known: Vec<(i64, i64)>,
    /// Experiments that were not carried, each with the reason.
    pub kept: Vec<(i64, String)>,
    /// The error that ended the exchange early; experiments in the lists above are safe.
    pub trouble: Option<StoreError>,
}

impl Exchanged {
    /// Number of carried samples.
    pub fn samples(&self) -> u64 {
        self.carried.iter().map(|(_, _, samples)| samples).sum()
    }
}

impl Store {
    /// Carries experiments to another store, each whole or not at all. An experiment that is already there, by its
    /// UUID, is compared and stays as it is.
    ///
    /// # Errors
    /// The other store cannot be written, or this one has what this version does not know and would lose. What happens
    /// after the first experiment is told with the others.
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

    /// Carries one experiment. A server's rows are copied to the file first, so that no lock of a file is held while a
    /// server is waited for.
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

    /// All finished experiments, oldest first.
    ///
    /// # Errors
    /// Those of reading.
    pub fn all_over(&self) -> Result<Vec<i64>, StoreError> {
        self.over(self.engine().read(sql::ALL_IDS, &[])?)
    }

    /// The finished experiments of a query.
    pub(crate) fn over(&self, rows: Vec<Values>) -> Result<Vec<i64>, StoreError> {
        let mut over = Vec::new();
        for id in rows.iter().filter_map(|row| row.first().map(integer)) {
            let is_over = |(state, owner): (String, String)| State::read(&state, &owner) != State::Running;
            over.extend(self.state_of(id)?.is_some_and(is_over).then_some(id));
        }
        Ok(over)
    }
}
