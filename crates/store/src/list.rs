//! What experiments there are.

use rusqlite::Row;

use crate::error::at;
use crate::{State, Store, StoreError, sql};

/// Which experiments to list; the default is all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this verb: `run`, `compare`, `aa`.
    pub kind: Option<String>,
    /// Only this state.
    pub state: Option<State>,
    /// Only those with a command whose name or command line contains this.
    pub name: Option<String>,
    /// Only those that began at this time or later: RFC 3339 in UTC, or its beginning (`2026-11`).
    pub since: Option<String>,
    /// At most so many, the newest.
    pub limit: Option<usize>,
}

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentRow {
    /// The number by which it is loaded.
    pub id: i64,
    /// When it began, in RFC 3339 form, UTC.
    pub started: String,
    /// The verb that made it.
    pub kind: String,
    /// How it stands.
    pub state: State,
    /// Names of its commands.
    pub names: Vec<String>,
    /// How many samples it has, warm-up runs included.
    pub samples: u64,
    /// The verdicts or medians in one line, once it is finished.
    pub summary: Option<String>,
}

impl Store {
    /// The experiments that the filter lets through, newest first.
    ///
    /// # Errors
    /// Those of reading.
    pub fn list(&self, filter: &Filter) -> Result<Vec<ExperimentRow>, StoreError> {
        let failed = at(&self.path);
        let mut statement = self.connection.prepare_cached(sql::LIST).map_err(&failed)?;
        let mut rows = statement.query([&filter.kind, &filter.since]).map_err(&failed)?;
        let mut list = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            if filter.limit.is_some_and(|limit| list.len() >= limit) {
                break;
            }
            let experiment = experiment_row(row).map_err(&failed)?;
            list.extend(self.with_names(experiment, filter).map_err(&failed)?);
        }
        Ok(list)
    }

    /// Adds the names, or nothing if the filter stops the experiment.
    fn with_names(
        &self,
        mut experiment: ExperimentRow,
        filter: &Filter,
    ) -> rusqlite::Result<Option<ExperimentRow>> {
        if filter.state.is_some_and(|state| state != experiment.state) {
            return Ok(None);
        }
        let mut wanted = filter.name.is_none();
        let mut statement = self.connection.prepare_cached(sql::NAMES)?;
        let mut rows = statement.query([experiment.id])?;
        while let Some(row) = rows.next()? {
            let (name, command): (String, String) = (row.get(0)?, row.get(1)?);
            wanted |= filter.name.as_ref().is_some_and(|part| name.contains(part) || command.contains(part));
            experiment.names.push(name);
        }
        Ok(wanted.then_some(experiment))
    }
}

fn experiment_row(row: &Row<'_>) -> rusqlite::Result<ExperimentRow> {
    let (state, owner): (String, String) = (row.get(2)?, row.get(3)?);
    Ok(ExperimentRow {
        id: row.get(0)?,
        kind: row.get(1)?,
        state: State::read(&state, &owner),
        started: row.get(4)?,
        names: Vec::new(),
        summary: row.get(5)?,
        samples: row.get::<_, Option<i64>>(6)?.unwrap_or(0).cast_unsigned(),
    })
}
