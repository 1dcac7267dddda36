//! What SQLite and PostgreSQL do alike: rows by the same statements, in transactions.

use rusqlite::types::Value;

use crate::StoreError;

/// A row of values: integers, texts, bytes, or nothing.
pub(crate) type Values = Vec<Value>;

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reading: nothing that others do meanwhile is seen.
    Read,
    /// Adding what others may be adding at the same time.
    Add,
    /// Removing, while nobody adds.
    Remove,
}

/// A database with the tables of a store.
pub(crate) trait Engine {
    /// The columns of a table, in their order; none if there is no such table.
    fn columns(&self, table: &str) -> Result<Vec<String>, StoreError>;

    /// The rows of a query.
    fn read(&self, sql: &str, values: &[Value]) -> Result<Vec<Values>, StoreError>;

    /// Carries out a statement; how many rows it touched.
    fn write(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError>;

    /// How many rows go into one statement: one trip over a network for all of them.
    fn rows_at_once(&self) -> usize;

    /// Begins a transaction.
    fn begin(&self, purpose: Purpose) -> Result<(), StoreError>;

    /// Ends it. When this is `Ok`, everything is on the disk of whoever holds the store.
    fn commit(&self) -> Result<(), StoreError>;

    /// Ends it as if it had never been. Where that fails, the connection is gone, and it has not been.
    fn roll_back(&self);
}

/// Does something in a transaction, or nothing.
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

/// A value of a row; nothing where the row ends before it, as one of a server that is none of ours may.
pub(crate) fn cell(row: &Values, at: usize) -> &Value {
    row.get(at).unwrap_or(&Value::Null)
}

/// An integer of a row; 0 where there is something else.
pub(crate) fn integer(value: &Value) -> i64 {
    match value {
        Value::Integer(number) => *number,
        _ => 0,
    }
}

/// A text of a row, if there is one.
pub(crate) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// A text as a value, or nothing.
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
