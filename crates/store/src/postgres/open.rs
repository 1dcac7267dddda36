//! Opens the database of a shared store: checks that it is a store, its version, and the user's permissions.

use super::dialect;
use super::link::Patience;
use super::server::{LOCK, Server};
use super::url::Url;
use crate::engine::{Engine, integer, text};
use crate::schema::MIGRATIONS;
use crate::{Access, StoreError, VERSION, sql};

/// Comment on the table `schema`, which marks a database as a store, like the application id in the header of a file.
const MARK: &str = "fauxplat store";

/// Reads the properties of a database that decide whether it is a store. Row: encoding, in recovery, read-only, current
/// schema, mark, number of relations.
const JUDGE: &str = "SELECT current_setting('server_encoding'), pg_is_in_recovery()::text,
    current_setting('transaction_read_only'), current_schema()::text,
    obj_description(to_regclass(format('%I.schema', current_schema())), 'pg_class'),
    (SELECT COUNT(*) FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))
        AND relkind IN ('r', 'p', 'v', 'm', 'f'))";

/// Selects whether the user may insert experiments and samples.
const RIGHTS: &str = "SELECT (has_table_privilege(format('%I.experiment', current_schema()), 'INSERT')
    AND has_table_privilege(format('%I.sample', current_schema()), 'INSERT'))::text";

/// Makes the server write commits to the disk before it acknowledges them. A stricter setting is not changed.
const ACKNOWLEDGE: &str = "SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') IN ('off', 'local')";

/// Connects to a shared store, and creates the tables in an empty database. Returns the server, the kind of access, and
/// the version of the tables.
pub(crate) fn open(url: &Url, patience: Patience) -> Result<(Server, Access, i64), StoreError> {
    let server = Server::connect(url, patience)?;
    server.batch(ACKNOWLEDGE)?;
    let found = server.read(JUDGE, &[])?.pop().unwrap_or_default();
    let word = |at: usize| found.get(at).and_then(text);
    let unfit = |reason: &str| StoreError::Unfit { url: url.to_string(), reason: reason.to_owned() };
    let is_read_only = word(1) == Some("true") || word(2) == Some("on");
    match word(4) {
        Some(MARK) => settled(server, is_read_only),
        None if word(3).is_none() => Err(unfit(
            "the search_path names no schema that exists, so there is no place for tables; mend it",
        )),
        None if found.last().map_or(0, integer) == 0 => match (is_read_only, word(0)) {
            (true, _) => Err(unfit(
                "the database holds no store, and is read-only or in recovery, so none can be made; use \
                 the primary server",
            )),
            (false, Some("UTF8")) => made(server),
            (false, _) => Err(unfit(
                "the encoding of the database is not UTF8, so not every name fits; make one with \
                 `createdb -E UTF8 -T template0`",
            )),
        },
        _ => Err(unfit(
            "this database belongs to another program, and is left as it is; give fauxplat one of its own (`createdb`), \
             or a schema (`CREATE SCHEMA fauxplat`, and ?options=-csearch_path%3Dfauxplat in the URL)",
        )),
    }
}

fn settled(server: Server, is_read_only: bool) -> Result<(Server, Access, i64), StoreError> {
    let version = version(&server)?;
    if version > VERSION {
        return Ok((server, Access::Newer(version), version));
    }
    let may_write = server.read(RIGHTS, &[])?.first().and_then(|row| text(row.first()?)) == Some("true");
    if is_read_only || !may_write {
        return Ok((server, Access::ReadOnly, version));
    }
    match if version < VERSION { migrate(&server) } else { Ok(()) } {
        Ok(()) => Ok((server, Access::ReadWrite, VERSION)),
        // Only the owner of the tables may migrate them, so the server refuses other users. They read the older version
        // until the owner has connected.
        Err(StoreError::Refused { .. }) => Ok((server, Access::ReadOnly, version)),
        Err(error) => Err(error),
    }
}

/// Creates the tables of a store in an empty database; another process may be creating them at the same time.
fn made(server: Server) -> Result<(Server, Access, i64), StoreError> {
    migrate(&server)?;
    Ok((server, Access::ReadWrite, VERSION))
}

/// Migrates the tables to this program's version in one transaction, under an exclusive lock. The version is read again
/// under the lock, since another process may have migrated them.
fn migrate(server: &Server) -> Result<(), StoreError> {
    server.batch(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"))?;
    let done = apply(server).and_then(|()| server.commit());
    if done.is_err() {
        server.roll_back();
    }
    done
}

fn apply(server: &Server) -> Result<(), StoreError> {
    let is_new = server.columns("schema")?.is_empty();
    let from = if is_new { 0 } else { version(server)? };
    for (index, migration) in MIGRATIONS.iter().enumerate().skip(from as usize) {
        server.batch(&dialect::tables(migration.tables))?;
        server.batch(&sql::INSERT_SCHEMA.replace("$1", &(index + 1).to_string()))?;
    }
    match is_new {
        true => server.batch(&format!("COMMENT ON TABLE schema IS '{MARK}'")),
        false => Ok(()),
    }
}

fn version(server: &Server) -> Result<i64, StoreError> {
    let rows = server.read("SELECT COALESCE(MAX(version), 0) FROM schema", &[])?;
    Ok(rows.first().and_then(|row| row.first()).map_or(0, integer))
}
