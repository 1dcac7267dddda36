//! An SQLite file, behind the same interface as a PostgreSQL server.

use std::path::PathBuf;
use std::rc::Rc;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::StoreError;
use crate::engine::{Engine, Purpose, Values};
use crate::error::at;

/// A connection to an SQLite file, with its path for error messages.
#[derive(Debug)]
pub(crate) struct Sqlite {
    pub(crate) connection: Rc<Connection>,
    pub(crate) path: PathBuf,
}

impl Sqlite {
    fn rows(&self, sql: &str, values: &[Value]) -> rusqlite::Result<Vec<Values>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(values))?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push((0..columns).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?);
        }
        Ok(all)
    }
}

impl Engine for Sqlite {
    fn columns(&self, table: &str) -> Result<Vec<String>, StoreError> {
        let rows = self.read("SELECT name FROM pragma_table_info($1)", &[Value::Text(table.to_owned())])?;
        let name = |row: Values| match row.into_iter().next() {
            Some(Value::Text(name)) => Some(name),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(name).collect())
    }

    fn read(&self, sql: &str, values: &[Value]) -> Result<Vec<Values>, StoreError> {
        self.rows(sql, values).map_err(at(&self.path))
    }

    fn write(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let written =
            self.connection.prepare_cached(sql).and_then(|mut it| it.execute(params_from_iter(values)));
        written.map(|rows| rows as u64).map_err(at(&self.path))
    }

    fn rows_at_once(&self) -> usize {
        1
    }

    fn begin(&self, purpose: Purpose) -> Result<(), StoreError> {
        let begin = if purpose == Purpose::Read { "BEGIN DEFERRED" } else { "BEGIN IMMEDIATE" };
        self.connection.execute_batch(begin).map_err(at(&self.path))
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.connection.execute_batch("COMMIT").map_err(at(&self.path))
    }

    fn roll_back(&self) {
        // If the disk was full, SQLite has already rolled back, and the statement fails without harm.
        let _already = self.connection.execute_batch("ROLLBACK");
    }
}
