//! The interface that SQLite files and PostgreSQL servers share: rows by the same statements, in transactions.

use rusqlite::types::Value;

use crate::StoreError;

/// A row of values: integers, texts, bytes or NULL.
pub(crate) type Values = Vec<Value>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reading from one snapshot, in which later changes by other clients are not visible.
    Read,
    /// Adding rows, concurrently with other clients that add rows.
    Add,
    /// Removing rows, while no other client adds rows.
    Remove,
}

/// A database that has the tables of a store.
pub(crate) trait Engine {
    /// Returns the names of a table's columns in their order; empty if there is no such table.
    fn columns(&self, table: &str) -> Result<Vec<String>, StoreError>;

    fn read(&self, sql: &str, values: &[Value]) -> Result<Vec<Values>, StoreError>;

    /// Executes a statement; returns the number of changed rows.
    fn write(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError>;

    /// Returns the largest number of rows that one INSERT statement should add: over a network, all of them then take
    /// one round trip.
    fn rows_at_once(&self) -> usize;

    fn begin(&self, purpose: Purpose) -> Result<(), StoreError>;

    /// Commits the transaction. After `Ok`, all changes are on the disk of the store.
    fn commit(&self) -> Result<(), StoreError>;

    /// Rolls the transaction back. Errors are ignored: without a connection the server drops the transaction by itself.
    fn roll_back(&self);
}

/// Runs a closure in a transaction, which is rolled back on an error.
pub(crate) fn together<T, E: From<StoreError>>(
    engine: &dyn Engine,
    purpose: Purpose,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    engine.begin(purpose)?;
    let done = work().and_then(|done| engine.commit().map(|()| done).map_err(E::from));
    if done.is_err() {
        engine.roll_back();
    }
    done
}

/// Returns the value at an index in a row; NULL where the row is too short, which a row of a foreign server may be.
pub(crate) fn cell(row: &Values, at: usize) -> &Value {
    row.get(at).unwrap_or(&Value::Null)
}

/// Returns the integer in a value; 0 for a value of any other type.
pub(crate) fn integer(value: &Value) -> i64 {
    match value {
        Value::Integer(number) => *number,
        _ => 0,
    }
}

/// Returns the text in a value; `None` for a value of any other type.
pub(crate) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

pub(crate) fn optional(text: Option<&str>) -> Value {
    text.map_or(Value::Null, |text| Value::Text(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_ends_early_has_nothing_there() {
        let row = vec![Value::Integer(7)];
        assert_eq!((integer(cell(&row, 0)), integer(cell(&row, 1)), text(cell(&row, 9))), (7, 0, None));
    }
}
