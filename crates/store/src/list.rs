//! What experiments there are.

use std::collections::HashMap;

use rusqlite::types::Value;

use crate::engine::{Values, cell, integer, optional, text};
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

/// How many experiments' names are asked for at once.
const CHUNK: usize = 200;

/// Name and line of each command, by experiment.
type Names = HashMap<i64, Vec<(String, String)>>;

impl Store {
    /// The experiments that the filter lets through, newest first.
    ///
    /// # Errors
    /// Those of reading.
    pub fn list(&self, filter: &Filter) -> Result<Vec<ExperimentRow>, StoreError> {
        let asked = [optional(filter.kind.as_deref()), optional(filter.since.as_deref())];
        let rows = self.engine().read(sql::LIST, &asked)?;
        let mut list = Vec::new();
        for some in rows.chunks(CHUNK) {
            let (newest, oldest) = (some.first().map_or(0, id), some.last().map_or(0, id));
            let mut names = self.names(oldest, newest)?;
            let named = some.iter().map(experiment_row);
            let named =
                named.filter_map(|row| with_names(names.remove(&row.id).unwrap_or_default(), row, filter));
            list.extend(named);
            if let Some(limit) = filter.limit.filter(|limit| list.len() >= *limit) {
                list.truncate(limit);
                break;
            }
        }
        Ok(list)
    }

    fn names(&self, from: i64, to: i64) -> Result<Names, StoreError> {
        let mut names = Names::new();
        for row in self.engine().read(sql::NAMES, &[Value::Integer(from), Value::Integer(to)])? {
            names.entry(id(&row)).or_default().push((word(cell(&row, 1)), word(cell(&row, 2))));
        }
        Ok(names)
    }
}

/// The experiment with its names, or nothing if the filter stops it.
fn with_names(
    names: Vec<(String, String)>,
    mut experiment: ExperimentRow,
    filter: &Filter,
) -> Option<ExperimentRow> {
    let is_meant =
        |part: &String| names.iter().any(|(name, line)| name.contains(part) || line.contains(part));
    let is_wanted = filter.name.as_ref().is_none_or(is_meant)
        && filter.state.is_none_or(|state| state == experiment.state);
    experiment.names = names.into_iter().map(|(name, _)| name).collect();
    is_wanted.then_some(experiment)
}

fn id(row: &Values) -> i64 {
    row.first().map_or(0, integer)
}

fn word(value: &Value) -> String {
    text(value).unwrap_or_default().to_owned()
}

/// A row of `sql::LIST`.
fn experiment_row(row: &Values) -> ExperimentRow {
    ExperimentRow {
        id: id(row),
        kind: word(cell(row, 1)),
        state: State::read(&word(cell(row, 2)), &word(cell(row, 3))),
        started: word(cell(row, 4)),
        names: Vec::new(),
        summary: text(cell(row, 5)).map(str::to_owned),
        samples: integer(cell(row, 6)).cast_unsigned(),
    }
}
