//! The tables of a store, and migrations from older versions.
//!
//! Migrations only add tables and columns, so that an older fauxplat can still read the parts that it knows of a newer
//! store. Figures that follow from the experiments may be removed, since they are computed again.

use rusqlite::{Connection, TransactionBehavior};

use crate::sql;

/// A migration of a store from one schema version to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Migration {
    /// Statements that create tables and columns, in SQLite's dialect; `postgres::dialect` translates them.
    pub(crate) tables: &'static str,
    /// Statements that fill the new columns in an SQLite file that already holds experiments.
    pub(crate) filled: &'static str,
}

/// The schema version that this program writes.
pub const VERSION: i64 = MIGRATIONS.len() as i64;

/// Number in the header of the file, spelling `FPlt`, which distinguishes stores from databases of other programs.
pub(crate) const APPLICATION_ID: i64 = 0x4650_6c74;

/// All migrations: the one at index `i` leads from version `i` to version `i + 1`.
pub(crate) const MIGRATIONS: [Migration; 7] = [
    Migration { tables: FIRST, filled: "" },
    Migration { tables: RATE, filled: "" },
    Migration { tables: EVIDENCE, filled: NAMES },
    Migration { tables: SPOOL, filled: "" },
    Migration { tables: BOUNDS, filled: "" },
    Migration { tables: HISTORY, filled: "" },
    Migration { tables: IDENTITY, filled: "" },
];

/// The first version that holds evidence other than runs.
pub(crate) const WITH_EVIDENCE: i64 = 3;

/// The first version whose samples say which of their readings are bounds or parts.
pub(crate) const WITH_BOUNDS: i64 = 5;

/// The first version that holds the origin of experiments, and points of series.
pub(crate) const WITH_ORIGIN: i64 = 6;

/// The first tables. Absent readings are NULL, never zero. `sample` is clustered by experiment: appending touches one
/// page, and an experiment is read in order and removed as one range.
const FIRST: &str = "
CREATE TABLE schema (
    version INTEGER PRIMARY KEY,
    applied TEXT NOT NULL
);
CREATE TABLE machine (
    hash TEXT PRIMARY KEY,
    identity TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT NOT NULL,
    started TEXT NOT NULL,
    fauxplat_version TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    seed TEXT NOT NULL,
    invocation TEXT NOT NULL,
    machine TEXT NOT NULL REFERENCES machine (hash),
    condition TEXT NOT NULL,
    definition TEXT NOT NULL,
    sources TEXT NOT NULL,
    warnings TEXT NOT NULL,
    not_measured TEXT NOT NULL,
    findings_schema TEXT,
    findings TEXT,
    summary TEXT
);
CREATE TABLE command (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    program TEXT NOT NULL,
    program_sha256 TEXT,
    argv TEXT NOT NULL,
    parameters TEXT NOT NULL,
    prepare TEXT,
    cleanup TEXT,
    condition TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
CREATE TABLE sample (
    experiment INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    trial INTEGER NOT NULL,
    block INTEGER NOT NULL,
    command INTEGER NOT NULL,
    position INTEGER NOT NULL,
    measured INTEGER NOT NULL,
    exit_status INTEGER,
    signal INTEGER,
    cpu_first INTEGER,
    cpu_last INTEGER,
    left_behind INTEGER NOT NULL,
    env_pad_bytes INTEGER NOT NULL,
    started_ns INTEGER NOT NULL,
    wall_ns INTEGER,
    user_ns INTEGER,
    system_ns INTEGER,
    cpu_ns INTEGER,
    run_delay_ns INTEGER,
    peak_memory_bytes INTEGER,
    voluntary_switches INTEGER,
    involuntary_switches INTEGER,
    migrations INTEGER,
    minor_faults INTEGER,
    major_faults INTEGER,
    block_input_bytes INTEGER,
    block_output_bytes INTEGER,
    steal_ns INTEGER,
    PRIMARY KEY (experiment, sequence)
) WITHOUT ROWID;
";

const RATE: &str = "ALTER TABLE sample ADD COLUMN rate_micro_per_s INTEGER;";

/// Tables for readings of metrics that have no column, for evidence other than runs, and for artifacts; and names of
/// experiments that are unique beyond one store.
///
/// `number` counts pieces of evidence of all kinds except runs, and `samples` is the number of runs before the piece.
/// `record` is the piece as JSON; the columns after it are the keys by which it may be searched for.
const EVIDENCE: &str = "
CREATE TABLE metric (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    spec TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
CREATE TABLE reading (
    experiment INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    metric INTEGER NOT NULL,
    value INTEGER,
    enabled_ns INTEGER,
    running_ns INTEGER,
    PRIMARY KEY (experiment, sequence, metric)
) WITHOUT ROWID;
CREATE TABLE shift (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    record TEXT NOT NULL,
    round INTEGER NOT NULL,
    cell INTEGER NOT NULL,
    worker INTEGER NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
CREATE TABLE histogram (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    artifact INTEGER NOT NULL,
    round INTEGER NOT NULL,
    cell INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
CREATE TABLE series (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    record TEXT NOT NULL,
    trial INTEGER NOT NULL,
    metric TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
CREATE TABLE process (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    record TEXT NOT NULL,
    place INTEGER NOT NULL,
    command INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    PRIMARY KEY (experiment, number, place)
) WITHOUT ROWID;
CREATE TABLE event (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    record TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    trial INTEGER,
    name TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
CREATE TABLE artifact (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    schema TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (experiment, number)
);
ALTER TABLE experiment ADD COLUMN uuid TEXT;
ALTER TABLE experiment ADD COLUMN plan TEXT;
CREATE UNIQUE INDEX experiment_uuid ON experiment (uuid);
";

/// Statement that gives existing experiments a random name like that of new experiments (version 4 of RFC 9562).
const NAMES: &str = "
UPDATE experiment SET uuid = lower(
    hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
    substr('89AB', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)));
";

/// The table of experiments that are to be copied to a shared store which has not acknowledged them yet.
const SPOOL: &str = "
CREATE TABLE spool (
    experiment INTEGER NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (experiment, target)
) WITHOUT ROWID;
";

/// A column that says which readings of a run are bounds or parts: two bits for each metric, in the order of the
/// metrics' columns; 0 where all are values. NULL in rows of earlier versions, for which the sources of the experiment
/// decide.
const BOUNDS: &str = "ALTER TABLE sample ADD COLUMN bounds INTEGER;";

/// Tables for the origin of an experiment, notes on it, and the points of series: the figure of each benchmark in a
/// session.
///
/// Points are computed from the experiments when a series is first requested; `summed` lists the experiments whose
/// points are stored. The primary key orders points by series, so that a series is one range. Fractions are stored as
/// integers in units of 10⁻¹², which both databases support.
const HISTORY: &str = "
ALTER TABLE experiment ADD COLUMN origin TEXT;
CREATE TABLE note (
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    written TEXT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
CREATE TABLE summed (
    experiment INTEGER NOT NULL,
    points INTEGER NOT NULL,
    PRIMARY KEY (experiment)
) WITHOUT ROWID;
CREATE TABLE point (
    metric TEXT NOT NULL,
    benchmark TEXT NOT NULL,
    program TEXT NOT NULL,
    machine TEXT NOT NULL,
    experiment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    started TEXT NOT NULL,
    revision TEXT,
    dirty INTEGER,
    committed_s INTEGER,
    label TEXT,
    host TEXT,
    unit TEXT NOT NULL,
    more_is_better INTEGER NOT NULL,
    ln_pico INTEGER NOT NULL,
    error_pico INTEGER,
    runs INTEGER NOT NULL,
    PRIMARY KEY (metric, benchmark, program, machine, experiment, number)
) WITHOUT ROWID;
CREATE INDEX point_experiment ON point (experiment);
";

/// Columns that tell series of equal benchmarks apart: the arguments and the harness of the program, and where it ran.
///
/// Points of earlier versions lack them, and have the harness of a suite in the place of its program. They are removed
/// and computed again from their experiments when a series is next requested.
const IDENTITY: &str = "
ALTER TABLE point ADD COLUMN arguments TEXT;
ALTER TABLE point ADD COLUMN harness TEXT;
ALTER TABLE point ADD COLUMN repository TEXT;
ALTER TABLE point ADD COLUMN folder TEXT;
DELETE FROM point;
DELETE FROM summed;
";

/// Returns the names of all tables of a store.
pub(crate) fn tables() -> impl Iterator<Item = &'static str> {
    let made = MIGRATIONS.iter().flat_map(|migration| migration.tables.split("CREATE TABLE ").skip(1));
    made.filter_map(|text| text.split_whitespace().next())
}

/// Migrates a store to this program's version; nothing happens if it is current.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    apply(connection, &MIGRATIONS)
}

/// Applies the migrations that the store lacks. The version is read again under the write lock: two processes may find
/// the same new file at once.
fn apply(connection: &mut Connection, migrations: &[Migration]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = version(&transaction)?;
    for (index, migration) in migrations.iter().enumerate().skip(version as usize) {
        transaction.execute_batch(migration.tables)?;
        transaction.execute_batch(migration.filled)?;
        transaction.execute(sql::INSERT_SCHEMA, [index as i64 + 1])?;
        transaction.pragma_update(None, "user_version", index as i64 + 1)?;
    }
    if version == 0 {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    transaction.commit()
}

/// Returns the schema version of an open store; 0 for an empty file.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Metric;

    #[test]
    fn a_later_migration_keeps_what_is_there() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply(&mut connection, &MIGRATIONS).unwrap();
        connection.execute("INSERT INTO machine VALUES ('h', 'i', '{}')", []).unwrap();
        let more = Migration { tables: "ALTER TABLE machine ADD COLUMN place TEXT;", filled: "" };
        let later: Vec<Migration> = MIGRATIONS.into_iter().chain([more]).collect();
        apply(&mut connection, &later).unwrap();
        apply(&mut connection, &later).unwrap();
        assert_eq!(version(&connection).unwrap(), VERSION + 1);
        let place: Option<String> =
            connection.query_row("SELECT place FROM machine WHERE hash = 'h'", [], |row| row.get(0)).unwrap();
        assert_eq!(place, None);
        let versions: i64 =
            connection.query_row("SELECT COUNT(*) FROM schema", [], |row| row.get(0)).unwrap();
        assert_eq!(versions, VERSION + 1);
    }

    #[test]
    fn a_failed_migration_leaves_the_old_version() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply(&mut connection, &MIGRATIONS).unwrap();
        let broken = Migration { tables: "CREATE TABLE more (id INTEGER);", filled: "nonsense;" };
        let later: Vec<Migration> = MIGRATIONS.into_iter().chain([broken]).collect();
        assert!(apply(&mut connection, &later).is_err());
        assert_eq!(version(&connection).unwrap(), VERSION);
        assert!(connection.prepare("SELECT * FROM more").is_err());
    }

    #[test]
    fn every_metric_has_its_column_in_its_order() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info('sample')").unwrap();
        let names = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let names: Vec<String> = names.map(Result::unwrap).collect();
        let fields: Vec<&str> = Metric::BUILT_IN.iter().map(|metric| metric.field()).collect();
        assert!(fields.iter().all(|field| names.iter().any(|name| name == field)), "{names:?}");
        for text in [sql::INSERT_SAMPLE, sql::SAMPLES] {
            let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let place = |field: &str| words.iter().position(|word| *word == field);
            let places: Vec<_> = fields.iter().map(|field| place(field).expect(field)).collect();
            assert!(places.is_sorted(), "{text}");
        }
    }
}
