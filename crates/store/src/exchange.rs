//! Copies many experiments from one store to another.

use crate::engine::{Values, integer};
use crate::housekeeping::delete;
use crate::transfer::{Carried, EXPERIMENTS_AT_ONCE, Number, Route, carry, carry_some};
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
    fn add(&mut self, id: i64, carried: Carried) {
        match carried {
            Carried::New { id: there, samples } => self.carried.push((id, there, samples)),
            Carried::Known { id: there } => self.known.push((id, there)),
            Carried::Kept(reason) => self.kept.push((id, reason)),
        }
    }

    /// Returns the number of samples of all copied experiments.
    pub fn samples(&self) -> u64 {
        self.carried.iter().map(|(_, _, samples)| samples).sum()
    }
}

impl Store {
    /// Copies experiments, given by their numbers, to another store, each whole or not at all. An experiment whose UUID
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
        let trouble = self.carry_all(to, ids, &mut exchanged).err();
        Ok(Exchanged { trouble, ..exchanged })
    }

    fn carry_all(&self, to: &Store, ids: &[i64], exchanged: &mut Exchanged) -> Result<(), StoreError> {
        let route = Route::new(&self.file, to.engine());
        let mut rest = ids;
        while !rest.is_empty() {
            let some = &rest[..rest.len().min(EXPERIMENTS_AT_ONCE)];
            // Rows of a server come one experiment at a time, so that no lock is held during waits for it.
            let is_alone = some.len() == 1 || self.server.is_some();
            let shared = if is_alone { None } else { carry_some(&route, some)? };
            let done = shared.as_ref().map_or(some.len(), Vec::len);
            match shared {
                Some(all) => {
                    for (&id, carried) in some.iter().zip(all) {
                        self.settle(to, id, &carried)?;
                        exchanged.add(id, carried);
                    }
                }
                None => {
                    for &id in some {
                        exchanged.add(id, self.carry_one(to, &route, id)?);
                    }
                }
            }
            rest = &rest[done..];
        }
        Ok(())
    }

    /// Copies one experiment to another store. Rows of a server are first copied to the file, so that no lock on a file
    /// is held during waits for a server.
    fn carry_one(&self, to: &Store, route: &Route<'_>, id: i64) -> Result<Carried, StoreError> {
        self.fetch(id)?;
        let carried = carry(route, id, Number::Next)?;
        self.settle(to, id, &carried)?;
        Ok(carried)
    }

    /// Notes in the file that the target has an experiment. Copies of a server's rows are removed.
    fn settle(&self, to: &Store, id: i64, carried: &Carried) -> Result<(), StoreError> {
        match (&self.server, &to.server) {
            (Some(_), _) => delete(&self.file, id),
            (None, Some(there)) if !matches!(carried, Carried::Kept(_)) => self.acknowledged(id, &there.url),
            _ => Ok(()),
        }
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
