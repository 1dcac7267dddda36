//! The spool: experiments in a file that are meant for a shared store, until it has acknowledged them.
//!
//! Who measures never waits for a network: samples are committed to the file as they land, and the experiment is carried
//! to the server when it is over. What the server does not take then stays marked here, and is carried the next time.

use std::path::Path;

use rusqlite::types::Value;

use crate::engine::Engine;
use crate::postgres::{Patience, Url};
use crate::{Access, Store, StoreError, sql};

/// What became of an experiment that was meant for a shared store, and of earlier ones.
#[derive(Debug, Default)]
pub struct Shipment {
    /// Its number there, once the server has acknowledged all of it.
    pub acknowledged: Option<i64>,
    /// Experiments of this file that are over and not acknowledged yet.
    pub waiting: Vec<i64>,
    /// Why not.
    pub trouble: Option<String>,
}

impl Store {
    /// Opens a file to record in, for a shared store.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_spool(path: impl AsRef<Path>, target: Url) -> Result<Store, StoreError> {
        let mut store = Store::open(path)?;
        store.target = Some(target);
        Ok(store)
    }

    /// The shared store that this file is a spool of.
    pub fn target(&self) -> Option<&Url> {
        self.target.as_ref()
    }

    /// Whether the shared store will take what is measured now. One that is not there now may be later.
    ///
    /// # Errors
    /// It is there, and does not let us in, is of another program or version, or may only be read.
    pub fn greet(&self, patience: Patience) -> Result<(), StoreError> {
        let Some(url) = &self.target else { return Ok(()) };
        match Store::open_shared(url, patience) {
            Ok(shared) => shared.check_writable(),
            Err(StoreError::Away { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Carries an experiment that is over to the shared store, and then those that have waited, as far as patience goes.
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

    /// What is over and waits for another store, oldest first. Nothing waits for a file.
    ///
    /// # Errors
    /// Those of reading.
    pub fn waiting_for(&self, other: &Store) -> Result<Vec<i64>, StoreError> {
        other.server.as_ref().map_or(Ok(Vec::new()), |server| self.waiting(&server.url))
    }

    fn waiting(&self, url: &Url) -> Result<Vec<i64>, StoreError> {
        self.over(self.file.read(sql::SPOOLED, &[Value::Text(url.key().to_owned())])?)
    }

    /// Notes that a shared store has acknowledged an experiment. A file that cannot be written has no notes.
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
