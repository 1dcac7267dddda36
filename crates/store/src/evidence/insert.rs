//! Writes a piece of evidence as rows of the store.

use fauxplat_model::{Evidence, Histogram, Tree};
use rusqlite::{ToSql, Transaction, params};

use crate::error::{at, json};
use crate::{Experiment, StoreError, artifact, row, sql};

pub(super) const HISTOGRAM_SCHEMA: &str = "fauxplat.histogram/1";

/// Inserts the rows of one piece of evidence; returns the number of artifacts that were added.
pub(super) fn insert(
    experiment: &Experiment,
    transaction: &Transaction<'_>,
    evidence: &Evidence,
) -> Result<i64, StoreError> {
    let rows = Rows { experiment, transaction };
    match evidence {
        Evidence::Run(_) => Ok(0),
        Evidence::Shift(shift) => {
            let keys = params![shift.round, shift.cell, shift.hand];
            rows.insert(sql::INSERT_SHIFT, &json("shift", shift)?, keys)
        }
        Evidence::Histogram(histogram) => rows.histogram(histogram),
        Evidence::Series(series) => {
            let keys = params![series.trial, series.metric.name()];
            rows.insert(sql::INSERT_SERIES, &json("series", series)?, keys)
        }
        Evidence::Tree(tree) => rows.tree(tree),
        Evidence::Event(event) => {
            let keys = params![row::signed(event.at_ns), event.trial, event.name];
            rows.insert(sql::INSERT_EVENT, &json("event", event)?, keys)
        }
    }
}

struct Rows<'a> {
    experiment: &'a Experiment,
    transaction: &'a Transaction<'a>,
}

impl Rows<'_> {
    /// Inserts one row: experiment, number of the piece, number of runs before it, JSON or artifact (`held`), and the
    /// columns by which pieces are searched for (`keys`). Returns 0, the number of added artifacts.
    fn insert(&self, sql: &str, held: &dyn ToSql, keys: &[&dyn ToSql]) -> Result<i64, StoreError> {
        let Experiment { evidence, samples, .. } = self.experiment;
        let id = self.experiment.id();
        let fixed: [&dyn ToSql; 4] = [&id, evidence, samples, held];
        let all: Vec<&dyn ToSql> = fixed.into_iter().chain(keys.iter().copied()).collect();
        let failed = at(&self.experiment.path);
        let mut statement = self.transaction.prepare_cached(sql).map_err(&failed)?;
        statement.execute(all.as_slice()).map_err(&failed)?;
        Ok(0)
    }

    fn histogram(&self, histogram: &Histogram) -> Result<i64, StoreError> {
        let number = self.experiment.artifacts;
        artifact::insert(
            self.experiment,
            number,
            HISTOGRAM_SCHEMA,
            json("histogram", histogram)?.as_bytes(),
        )?;
        let keys = params![histogram.round, histogram.cell, histogram.name];
        self.insert(sql::INSERT_HISTOGRAM, &number, keys)?;
        Ok(1)
    }

    fn tree(&self, tree: &Tree) -> Result<i64, StoreError> {
        for (place, process) in (0i64..).zip(&tree.processes) {
            let keys = params![place, tree.command, process.pid, process.parent];
            self.insert(sql::INSERT_PROCESS, &json("process", process)?, keys)?;
        }
        Ok(0)
    }
}
