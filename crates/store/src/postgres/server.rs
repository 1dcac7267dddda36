//! A PostgreSQL server, behind the same interface as an SQLite file.

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::types::Value;
use tokio_postgres::Statement;
use tokio_postgres::types::ToSql;

use super::error::told;
use super::link::{Link, Patience};
use super::url::Url;
use super::value::{Sent, received};
use crate::StoreError;
use crate::engine::{Engine, Purpose, Values, integer, text};

pub(crate) struct Server {
    link: Link,
    pub(crate) url: Url,
    statements: RefCell<HashMap<String, Statement>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.url)
    }
}

/// Key of an advisory lock of PostgreSQL: shared by clients that add to a store, exclusive for clients that remove or
/// migrate, so that a machine is not removed while an experiment of it is being added. The number spells `FPlt`.
pub(super) const LOCK: i64 = 0x4650_6c74;

impl Server {
    /// Connects to the server without sending a statement.
    pub(super) fn connect(url: &Url, patience: Patience) -> Result<Self, StoreError> {
        let link = Link::open(url, patience)?;
        Ok(Server { link, url: url.clone(), statements: RefCell::default() })
    }

    /// Executes statements without parameters, one after the other.
    pub(super) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.link.wait(&self.url, |client| client.batch_execute(sql))
    }

    /// Returns the size of the whole database in bytes.
    pub(crate) fn bytes(&self) -> Result<u64, StoreError> {
        let rows = self.read("SELECT pg_database_size(current_database())", &[])?;
        Ok(rows.first().and_then(|row| row.first()).map_or(0, integer).cast_unsigned())
    }

    /// Returns a prepared statement for this SQL, which the server parses once for each connection.
    fn prepared(&self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.statements.borrow().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.link.wait(&self.url, |client| client.prepare(sql))?;
        self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

fn sent(values: &[Value]) -> Vec<Sent<'_>> {
    values.iter().map(Sent).collect()
}

fn references<'a>(sent: &'a [Sent<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    sent.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

/// Selects the columns of a table, in the schema in which tables are created.
const COLUMNS: &str = "SELECT attname::text FROM pg_attribute
    WHERE attrelid = to_regclass(format('%I.%I', current_schema(), $1::text)) AND attnum > 0 AND NOT attisdropped
    ORDER BY attnum";

impl Engine for Server {
    fn columns(&self, table: &str) -> Result<Vec<String>, StoreError> {
        let rows = self.read(COLUMNS, &[Value::Text(table.to_owned())])?;
        Ok(rows.iter().filter_map(|row| text(row.first()?).map(str::to_owned)).collect())
    }

    fn read(&self, sql: &str, values: &[Value]) -> Result<Vec<Values>, StoreError> {
        let statement = self.prepared(sql)?;
        let sent = sent(values);
        let asked = references(&sent);
        let rows = self.link.wait(&self.url, |client| client.query(&statement, &asked))?;
        rows.iter().map(received).collect::<Result<_, _>>().map_err(|error| told(&self.url, &error))
    }

    fn write(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let statement = self.prepared(sql)?;
        let sent = sent(values);
        let asked = references(&sent);
        self.link.wait(&self.url, |client| client.execute(&statement, &asked))
    }

    /// PostgreSQL accepts at most 65,535 parameters in a statement, and a sample has about thirty.
    fn rows_at_once(&self) -> usize {
        250
    }

    fn begin(&self, purpose: Purpose) -> Result<(), StoreError> {
        self.batch(&match purpose {
            Purpose::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".to_owned(),
            Purpose::Add => format!("BEGIN; SELECT pg_advisory_xact_lock_shared({LOCK})"),
            Purpose::Remove => format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"),
        })
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.batch("COMMIT")
    }

    fn roll_back(&self) {
        // If the connection is lost, the server has already dropped the transaction.
        let _gone = self.batch("ROLLBACK");
    }
}
