//! Copies experiments from one store to another; an experiment that is already there is not changed.
//!
//! An experiment is copied in one transaction, page by page, so it arrives completely or not at all, however large it
//! is and whatever process is killed meanwhile. Experiments are identified by UUID: a second copy is found and
//! compared.

mod compare;
mod tables;

use rusqlite::types::Value;

use self::tables::{TABLES, Table, insert};
use crate::engine::{Engine, Purpose, Values, integer, text, together};
use crate::{State, StoreError, sql};

#[derive(Debug)]
pub(crate) enum Carried {
    /// The experiment was added under this number, with this many samples.
    New { id: i64, samples: u64 },
    /// The experiment was already there under this number, with the same content.
    Known { id: i64 },
    /// The experiment was not copied; the text is the reason.
    Kept(String),
}

/// The number that an experiment gets in the store to which it is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// The next free number of that store.
    Next,
    /// The number that the experiment has in the store from which it is copied, for a copy that is read in its place.
    Same,
}

/// Why a transaction was rolled back: an error, or a result that adds nothing.
enum Stop {
    Error(StoreError),
    Found(Carried),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Stop::Error(error)
    }
}

pub(crate) fn carry(
    from: &dyn Engine,
    to: &dyn Engine,
    id: i64,
    number: Number,
) -> Result<Carried, StoreError> {
    // All rows of the source are read in one transaction, so that an experiment that is removed meanwhile is not copied
    // in part.
    together(from, Purpose::Read, || carry_seen(from, to, id, number))
}

fn carry_seen(from: &dyn Engine, to: &dyn Engine, id: i64, number: Number) -> Result<Carried, StoreError> {
    let columns = common(from, to, "experiment")?;
    let Some(head) = Head::read(from, &columns, id)? else {
        return Ok(Carried::Kept("the experiment is not there any more".into()));
    };
    if number == Number::Next {
        if head.uuid.is_none() {
            return Ok(Carried::Kept(
                "the experiment has no UUID: an earlier version wrote it, and its store is read-only".into(),
            ));
        }
        if head.is_running() {
            return Ok(Carried::Kept("the experiment still runs: it can be carried when it is over".into()));
        }
        if let Some(known) = known(to, head.uuid.as_deref())? {
            return compare::judged((from, id), (to, known));
        }
    }
    let added = together(to, Purpose::Add, || add((from, to), head, number));
    match added {
        Ok(carried) | Err(Stop::Found(carried)) => settled((from, id), to, carried),
        // An experiment that the target cannot hold is reported as not copied, and later experiments are still copied.
        Err(Stop::Error(StoreError::Unfit { reason, .. })) => Ok(Carried::Kept(reason)),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// Completes the result of a copy: an experiment that another process has copied meanwhile is compared with it.
fn settled((from, id): (&dyn Engine, i64), to: &dyn Engine, carried: Carried) -> Result<Carried, StoreError> {
    match carried {
        Carried::Known { id: known } => compare::judged((from, id), (to, known)),
        other => Ok(other),
    }
}

struct Head {
    columns: Vec<String>,
    values: Values,
    uuid: Option<String>,
}

impl Head {
    fn read(from: &dyn Engine, columns: &[String], id: i64) -> Result<Option<Head>, StoreError> {
        let asked = format!("SELECT {} FROM experiment WHERE id = $1", columns.join(", "));
        let Some(values) = from.read(&asked, &[Value::Integer(id)])?.pop() else { return Ok(None) };
        let mut head = Head { columns: columns.to_vec(), values, uuid: None };
        head.uuid = head.text("uuid");
        // An experiment that is marked as running, but whose process is gone, is copied as interrupted.
        if let Some(at) = head.at("state").filter(|_| head.text("state").as_deref() == Some("running")) {
            head.values[at] = Value::Text(head.state().name().to_owned());
        }
        Ok(Some(head))
    }

    fn at(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    fn text(&self, column: &str) -> Option<String> {
        text(self.values.get(self.at(column)?)?).map(str::to_owned)
    }

    fn state(&self) -> State {
        let word = |column| self.text(column).unwrap_or_default();
        State::read(&word("state"), &word("owner"))
    }

    fn is_running(&self) -> bool {
        self.state() == State::Running
    }

    /// Returns the row without the experiment's number in the store from which it was read.
    fn nameless(mut self) -> Self {
        if let Some(at) = self.at("id") {
            self.columns.remove(at);
            self.values.remove(at);
        }
        self
    }
}

/// Returns the columns that a table has in both stores, in the order of the target.
fn common(from: &dyn Engine, to: &dyn Engine, table: &str) -> Result<Vec<String>, StoreError> {
    let there = from.columns(table)?;
    Ok(to.columns(table)?.into_iter().filter(|name| there.contains(name)).collect())
}

/// Returns the number of the experiment with this UUID in a store; `None` if it is not there.
fn known(to: &dyn Engine, uuid: Option<&str>) -> Result<Option<i64>, StoreError> {
    let Some(uuid) = uuid else { return Ok(None) };
    let rows = to.read(sql::BY_UUID, &[Value::Text(uuid.to_owned())])?;
    Ok(rows.first().and_then(|row| row.first()).map(integer))
}

/// Adds an experiment with all its rows to the target, within the current transaction.
fn add((from, to): (&dyn Engine, &dyn Engine), head: Head, number: Number) -> Result<Carried, Stop> {
    let source = head.at("id").map_or(0, |at| integer(&head.values[at]));
    let uuid = head.uuid.clone();
    if let Some(reason) = add_machine(from, to, head.text("machine"))? {
        return Err(Stop::Found(Carried::Kept(reason)));
    }
    let head = if number == Number::Next { head.nameless() } else { head };
    let insert =
        format!("{} ON CONFLICT (uuid) DO NOTHING RETURNING id", insert("experiment", &head.columns, 1));
    let Some(id) = to.read(&insert, &head.values)?.first().and_then(|row| row.first()).map(integer) else {
        let id = known(to, uuid.as_deref())?.unwrap_or_default();
        return Err(Stop::Found(Carried::Known { id }));
    };
    let mut samples = 0;
    for table in &TABLES {
        let rows = copy((from, source), (to, id), table)?;
        if table.name == "sample" {
            samples = rows;
        }
    }
    Ok(Carried::New { id, samples })
}

/// Adds the machine of an experiment, if it is missing. Returns the reason why the experiment cannot be copied: the
/// facts of the machine are missing, or the target has other facts under the same key.
fn add_machine(
    from: &dyn Engine,
    to: &dyn Engine,
    hash: Option<String>,
) -> Result<Option<String>, StoreError> {
    let key = [Value::Text(hash.unwrap_or_default())];
    let Some(machine) = from.read(sql::MACHINE, &key)?.pop() else {
        return Ok(Some("the facts of its machine are missing".into()));
    };
    to.write(sql::INSERT_MACHINE, &machine)?;
    let there = to.read(sql::MACHINE, &key)?.pop();
    Ok((there.as_ref() != Some(&machine))
        .then(|| "the other store has different facts of its machine under the same hash".into()))
}

/// Copies the rows that an experiment has in one table, page by page; returns their number.
fn copy(
    (from, source): (&dyn Engine, i64),
    (to, id): (&dyn Engine, i64),
    table: &Table,
) -> Result<u64, StoreError> {
    let columns = common(from, to, table.name)?;
    let place = |name: &str| columns.iter().position(|column| column == name);
    let Some(owner) = place("experiment") else { return Ok(0) };
    let keys: Vec<usize> = table.keys.iter().filter_map(|key| place(key)).collect();
    let mut asked = vec![Value::Integer(source)];
    let mut copied = 0;
    loop {
        let mut rows = from.read(&table.page(&columns, copied == 0), &asked)?;
        let is_page = rows.len() <= table.page && rows.iter().all(|row| row.len() == columns.len());
        if !is_page || rows.last().is_some_and(|last| asked[1..] == keys_of(last, &keys)) {
            return Err(otherwise_than_asked());
        }
        copied += rows.len() as u64;
        let is_last = rows.len() < table.page;
        if let Some(last) = rows.last() {
            asked.truncate(1);
            asked.extend(keys_of(last, &keys));
        }
        rows.iter_mut().for_each(|row| row[owner] = Value::Integer(id));
        for some in rows.chunks(to.rows_at_once()) {
            to.write(&insert(table.name, &columns, some.len()), &some.concat())?;
        }
        if is_last {
            return Ok(copied);
        }
    }
}

fn keys_of(row: &Values, keys: &[usize]) -> Vec<Value> {
    keys.iter().map(|&key| row[key].clone()).collect()
}

/// Returns the error for a store that returns other rows than requested: a server that always returned the same page
/// would fill the disk.
fn otherwise_than_asked() -> StoreError {
    let reason = "the store returned other rows than it was asked for".to_owned();
    StoreError::Unfit { url: "the other store".to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Deaf {
        row: Values,
        rows: usize,
    }

    impl Engine for Deaf {
        fn columns(&self, _table: &str) -> Result<Vec<String>, StoreError> {
            Ok(["experiment", "sequence", "block"].map(str::to_owned).to_vec())
        }

        fn read(&self, _sql: &str, _values: &[Value]) -> Result<Vec<Values>, StoreError> {
            Ok(vec![self.row.clone(); self.rows])
        }

        fn write(&self, _sql: &str, _values: &[Value]) -> Result<u64, StoreError> {
            Ok(0)
        }

        fn rows_at_once(&self) -> usize {
            10
        }

        fn begin(&self, _purpose: Purpose) -> Result<(), StoreError> {
            Ok(())
        }

        fn commit(&self) -> Result<(), StoreError> {
            Ok(())
        }

        fn roll_back(&self) {}
    }

    #[test]
    fn a_server_that_answers_otherwise_than_asked_is_no_end_without_end() {
        let table = TABLES.iter().find(|table| table.name == "sample").unwrap();
        let row = |width| vec![Value::Integer(7); width];
        let copied = |row, rows| {
            let deaf = Deaf { row, rows };
            copy((&deaf, 1), (&deaf, 1), table)
        };
        assert!(
            matches!(copied(row(3), table.page), Err(StoreError::Unfit { .. })),
            "the same page for ever"
        );
        assert!(matches!(copied(row(3), table.page + 1), Err(StoreError::Unfit { .. })), "no end of a page");
        assert!(matches!(copied(row(1), 1), Err(StoreError::Unfit { .. })), "rows without some columns");
        assert_eq!(copied(row(3), table.page - 1).unwrap(), table.page as u64 - 1);
    }
}
