//! Reads pieces of evidence in the order in which they were recorded.

use fauxplat_model::{Evidence, Tree};
use rusqlite::Row;
use serde::de::DeserializeOwned;

use super::insert::HISTOGRAM_SCHEMA;
use crate::error::at;
use crate::{Store, StoreError, schema, sql};

/// Position of a piece of evidence other than a run among all evidence of an experiment.
struct EvidencePosition {
    number: i64,
    /// Number of runs that were recorded before the piece.
    samples: u64,
    kind: String,
}

impl Store {
    /// Passes all evidence of an experiment, runs and other pieces, to a receiver in the order in which it was
    /// recorded.
    ///
    /// # Errors
    /// Returns the store's error if reading fails. An experiment that does not exist has no evidence.
    pub fn evidence(&self, id: i64, mut each: impl FnMut(Evidence)) -> Result<(), StoreError> {
        let mut places = self.places(id)?.into_iter().peekable();
        let mut before = 0;
        self.try_samples(id, |sample| {
            while let Some(place) = places.next_if(|place| place.samples <= before) {
                each(self.piece(id, &place)?);
            }
            before += 1;
            each(Evidence::Run(sample));
            Ok(())
        })?;
        places.try_for_each(|place| self.piece(id, &place).map(&mut each))
    }

    /// Passes the evidence other than runs to a receiver, in the order in which it was recorded.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn evidence_beside_runs(&self, id: i64, mut each: impl FnMut(Evidence)) -> Result<(), StoreError> {
        self.places(id)?.iter().try_for_each(|place| self.piece(id, place).map(&mut each))
    }

    fn places(&self, id: i64) -> Result<Vec<EvidencePosition>, StoreError> {
        self.fetch(id)?;
        if self.version < schema::WITH_EVIDENCE {
            return Ok(Vec::new());
        }
        let place = |row: &Row<'_>| {
            Ok(EvidencePosition {
                number: row.get(0)?,
                samples: row.get::<_, i64>(1)?.cast_unsigned(),
                kind: row.get(2)?,
            })
        };
        let read = || -> rusqlite::Result<Vec<EvidencePosition>> {
            self.connection.prepare_cached(sql::EVIDENCE)?.query_map([id], place)?.collect()
        };
        read().map_err(at(&self.path))
    }

    fn piece(&self, id: i64, place: &EvidencePosition) -> Result<Evidence, StoreError> {
        match place.kind.as_str() {
            "shift" => self.record(id, sql::SHIFT, place, "a shift").map(Evidence::Shift),
            "histogram" => self.histogram(id, place),
            "series" => self.record(id, sql::SERIES, place, "a series").map(Evidence::Series),
            "tree" => self.tree(id, place).map(Evidence::Tree),
            _ => self.record(id, sql::EVENT, place, "an event").map(Evidence::Event),
        }
    }

    /// Reads a piece of evidence that is stored as one row of JSON; `what` names its kind in errors.
    fn record<T: DeserializeOwned>(
        &self,
        id: i64,
        sql: &str,
        place: &EvidencePosition,
        what: &'static str,
    ) -> Result<T, StoreError> {
        let read = || self.connection.prepare_cached(sql)?.query_row([id, place.number], |row| row.get(0));
        let text: String = read().map_err(at(&self.path))?;
        self.parse(id, what, text.as_bytes())
    }

    fn histogram(&self, id: i64, place: &EvidencePosition) -> Result<Evidence, StoreError> {
        let read = || {
            self.connection.prepare_cached(sql::HISTOGRAM)?.query_row([id, place.number], |row| row.get(0))
        };
        let number: i64 = read().map_err(at(&self.path))?;
        let artifact = self.artifact(id, number)?.filter(|artifact| artifact.schema == HISTOGRAM_SCHEMA);
        let missing = || self.undecoded(id, "a histogram", &format!("artifact {number} holds none"));
        let artifact = artifact.ok_or_else(missing)?;
        self.parse(id, "a histogram", &artifact.data).map(Evidence::Histogram)
    }

    fn tree(&self, id: i64, place: &EvidencePosition) -> Result<Tree, StoreError> {
        let failed = at(&self.path);
        let mut statement = self.connection.prepare_cached(sql::PROCESSES).map_err(&failed)?;
        let mut rows = statement.query([id, place.number]).map_err(&failed)?;
        let mut tree = Tree { command: 0, processes: Vec::new() };
        while let Some(row) = rows.next().map_err(&failed)? {
            tree.command = row.get(0).map_err(&failed)?;
            let text: String = row.get(1).map_err(&failed)?;
            tree.processes.push(self.parse(id, "a process", text.as_bytes())?);
        }
        Ok(tree)
    }

    fn parse<T: DeserializeOwned>(&self, id: i64, what: &'static str, json: &[u8]) -> Result<T, StoreError> {
        serde_json::from_slice(json).map_err(|error| self.undecoded(id, what, &error.to_string()))
    }

    pub(crate) fn undecoded(&self, id: i64, what: &'static str, reason: &str) -> StoreError {
        StoreError::Decode { path: self.path.clone(), id, what, reason: reason.to_owned() }
    }
}
