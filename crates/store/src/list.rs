//! The list of the experiments of a store.

use std::collections::HashMap;

use fauxplat_model::Origin;
use rusqlite::types::Value;

use crate::engine::{Values, cell, integer, optional, text};
use crate::{State, Store, StoreError, lenient, sql};

/// Criteria that listed experiments meet; the default selects all experiments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Verb of the experiments, such as `run`, `compare`, `aa`; `None` for any.
    pub kind: Option<String>,
    pub state: Option<State>,
    /// Text that the name or command line of one of the commands contains; `None` for any.
    pub name: Option<String>,
    /// Earliest start of the experiments: RFC 3339 in UTC, or a prefix of it (`2026-11`); `None` for any.
    pub since: Option<String>,
    /// Maximum number of experiments, of which the newest are listed; `None` for all.
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentRow {
    /// The number of the experiment in this store.
    pub id: i64,
    /// Start of the experiment, in RFC 3339 form, UTC.
    pub started: String,
    /// The verb of the experiment.
    pub kind: String,
    pub state: State,
    pub names: Vec<String>,
    /// Number of samples, warm-up runs included.
    pub samples: u64,
    /// The verdicts or medians in one line; `None` until the experiment is finished.
    pub summary: Option<String>,
    pub origin: Origin,
}

/// Number of experiments whose command names are read by one statement.
const CHUNK: usize = 200;

/// Name and command line of each command, by experiment.
type Names = HashMap<i64, Vec<(String, String)>>;

impl Store {
    /// Returns the experiments that match the filter, newest first.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn list(&self, filter: &Filter) -> Result<Vec<ExperimentRow>, StoreError> {
        let asked = [optional(filter.kind.as_deref()), optional(filter.since.as_deref())];
        let says_origin = self.engine().columns("experiment")?.iter().any(|name| name == "origin");
        let list = if says_origin { sql::LIST } else { sql::LIST_BEFORE_ORIGIN };
        let rows = self.engine().read(list, &asked)?;
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

/// Returns the row with the names of its commands; `None` if the filter excludes it.
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

fn experiment_row(row: &Values) -> ExperimentRow {
    ExperimentRow {
        id: id(row),
        kind: word(cell(row, 1)),
        state: State::read(&word(cell(row, 2)), &word(cell(row, 3))),
        started: word(cell(row, 4)),
        names: Vec::new(),
        summary: text(cell(row, 5)).map(str::to_owned),
        samples: integer(cell(row, 6)).cast_unsigned(),
        origin: lenient::origin(text(cell(row, 7))),
    }
}
