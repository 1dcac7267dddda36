//! The spool: experiments that wait in a file until a shared store has acknowledged them.
//!
//! A measurement never waits for a network: samples are committed to the file when they are taken, and a finished
//! experiment is copied to the server. An experiment that the server does not accept stays marked in the file, and the
//! next copy is tried with the next experiment.

use std::path::Path;

use rusqlite::types::Value;

use crate::engine::Engine;
use crate::postgres::{Patience, Url};
use crate::{Access, Store, StoreError, sql};

/// The result of copying an experiment, and earlier ones that waited, to a shared store.
#[derive(Debug, Default)]
pub struct Shipment {
    /// Number of the experiment in the shared store; `None` until the server has acknowledged all of it.
    pub acknowledged: Option<i64>,
    /// Numbers of the finished experiments of this file that are not acknowledged yet.
    pub waiting: Vec<i64>,
    /// Why the server has not acknowledged the experiments; `None` if nothing went wrong.
    pub trouble: Option<String>,
}

impl Store {
    /// Opens a file in which experiments wait for a shared store, the target.
    ///
    /// # Errors
    /// Returns the errors of [`Store::open`].
    pub fn open_spool(path: impl AsRef<Path>, target: Url) -> Result<Store, StoreError> {
        let mut store = Store::open(path)?;
        store.target = Some(target);
        Ok(store)
    }

    pub fn target(&self) -> Option<&Url> {
        self.target.as_ref()
    }

    /// Checks before a measurement whether the shared store will accept its results. A server that cannot be reached
    /// now is no error, since it may be back later.
    ///
    /// # Errors
    /// Returns the store's error if the server can be reached but refuses the login, is no store or a newer store, or
    /// is read-only.
    pub fn greet(&self, patience: Patience) -> Result<(), StoreError> {
        let Some(url) = &self.target else { return Ok(()) };
        match Store::open_shared(url, patience) {
            Ok(shared) => shared.check_writable(),
            Err(StoreError::Away { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Copies a finished experiment to the shared store, and then the earlier ones that wait, within the limits of
    /// `patience`.
    pub fn ship(&self, id: i64, patience: Patience) -> Shipment {
        let Some(url) = &self.target else { return Shipment::default() };
        let mut shipment = Shipment::default();
        match Store::open_shared(url, patience).and_then(|shared| self.ship_to(&shared, id, &mut shipment)) {
            Ok(()) => {}
            Err(error) => shipment.trouble = Some(error.to_string()),
        }
        shipment.waiting = self.waiting(url).unwrap_or_default();
        shipment
    }

    fn ship_to(&self, shared: &Store, id: i64, shipment: &mut Shipment) -> Result<(), StoreError> {
        let own = self.carry_to(shared, &[id])?;
        let there = own.carried.first().map(|(_, there, _)| *there);
        shipment.acknowledged = there.or_else(|| own.known.first().map(|(_, there)| *there));
        shipment.trouble = own.kept.into_iter().next().map(|(_, reason)| reason);
        if let Some(error) = own.trouble {
            return Err(error);
        }
        let earlier: Vec<i64> = self.waiting_for(shared)?.into_iter().filter(|one| *one != id).collect();
        self.carry_to(shared, &earlier)?.trouble.map_or(Ok(()), Err)
    }

    /// Returns the numbers of finished experiments that wait to be copied to another store, oldest first; none if the
    /// other store is a file.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn waiting_for(&self, other: &Store) -> Result<Vec<i64>, StoreError> {
        other.server.as_ref().map_or(Ok(Vec::new()), |server| self.waiting(&server.url))
    }

    fn waiting(&self, url: &Url) -> Result<Vec<i64>, StoreError> {
        self.over(self.file.read(sql::SPOOLED, &[Value::Text(url.key().to_owned())])?)
    }

    /// Records that a shared store has acknowledged an experiment; a read-only file is not changed.
    pub(crate) fn acknowledged(&self, id: i64, url: &Url) -> Result<(), StoreError> {
        match self.access() {
            Access::ReadWrite => {
                let row = [Value::Integer(id), Value::Text(url.key().to_owned())];
                self.file.write(sql::ACKNOWLEDGED, &row).map(drop)
            }
            _ => Ok(()),
        }
    }
}
