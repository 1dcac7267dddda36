//! Files of stores: a valid store with some bytes changed.

use std::fs;
use std::path::Path;

use fauxplat_model::document::Header;
use fauxplat_model::{Command, Condition, CpuFacts, Definition, MachineFacts, Metric, Sample, Sources};
use fauxplat_store::{Filter, State, Store, StoreError};
use fauxplat_units::Bytes;
use rusqlite::Connection;
use rusqlite::types::Value;

// Pieces of evidence of each kind, shared with the store's own tests.
#[path = "../../../crates/store/tests/store/pieces.rs"]
mod pieces;

/// For the mutator of values.
pub(crate) const WORDS: &[&str] = &[
    "fauxplat_version",
    "condition",
    "definition",
    "machine",
    "\"cpu\":",
    "null",
    "{}",
    "[]",
    "[[",
    "finished",
    "measured",
    "running",
    "2026-11-21T10:00:00Z",
    "\\u0000",
    "-1",
    "1e999",
];

thread_local! {
    /// The folder of this thread, and the bytes of a valid store.
    static WHOLE: (tempfile::TempDir, Vec<u8>) = {
        let folder = super::folder();
        let bytes = make(&folder.path().join("whole"));
        (folder, bytes)
    };
}

fn make(path: &Path) -> Vec<u8> {
    let store = Store::open(path).expect("a fresh store");
    let header = header();
    let command = Command {
        name: "MARK-name".into(),
        command: "true".into(),
        program: "/bin/true".into(),
        program_sha256: Some("ab".repeat(32)),
        argv: vec!["true".into()],
        parameters: vec![("size".into(), "10".into())],
        prepare: Some(vec!["sync".into()]),
        ..Command::default()
    };
    let mut experiment = store.begin(&header, "run", &[command]).expect("an experiment");
    (0..20).for_each(|trial| experiment.append(&sample(trial)).expect("a sample"));
    for piece in pieces::pieces() {
        experiment.record(&piece).expect("a piece of evidence");
    }
    experiment.set_plan(&header.definition).expect("a plan");
    experiment.finish(&header, None, State::Finished).expect("an end");
    drop(store);
    fs::read(path).expect("the store that was just written")
}

fn header() -> Header {
    Header {
        fauxplat_version: "0.1.0".into(),
        id: None,
        uuid: None,
        origin: Default::default(),
        plan: None,
        started: "2026-11-21T10:00:00Z".into(),
        invocation: vec!["fauxplat".into(), "run".into(), "true".into()],
        seed: u64::MAX,
        machine: MachineFacts {
            kernel: "6.12.0".into(),
            architecture: "x86_64".into(),
            os: "Debian GNU/Linux 13".into(),
            cpu: CpuFacts {
                model: "A CPU".into(),
                online: "0-1".parse().expect("a list of CPUs"),
                allowed: "0-1".parse().expect("a list of CPUs"),
                governor: None,
            },
            memory_bytes: Bytes(8 << 30),
            hypervisor: Some("KVM".into()),
            boot_id: "b".into(),
            randomize_va_space: Some(2),
        },
        condition: Condition::default(),
        definition: Definition { warmup: 2, ..Definition::default() },
        sources: Sources::default(),
        warnings: vec!["MARK: frequency scaling is on".into()],
        not_measured: vec!["migrations: no permission".into()],
    }
}

fn sample(trial: u32) -> Sample {
    Sample {
        trial,
        block: trial,
        started_ns: u64::from(trial),
        ..Sample::of(metrics().map(|metric| (metric, u64::from(trial) + 1000)).collect())
    }
}

/// Metrics with a column, and a metric that has rows of its own.
fn metrics() -> impl Iterator<Item = Metric> {
    let other = Metric::from_id("table:requests").expect("a metric without a column");
    Metric::BUILT_IN.iter().copied().chain([other])
}

/// Reads everything that a store can be asked for.
fn read(bytes: &[u8], folder: &Path) {
    let path = folder.join("store");
    for name in ["store", "store-wal", "store-shm", "store-journal"] {
        let _not_there = fs::remove_file(folder.join(name));
    }
    fs::write(&path, bytes).expect("a store");
    let Ok(store) = Store::open(&path) else { return };
    everything(&store);
}

fn everything(store: &Store) {
    let rows = store.list(&Filter::default());
    let ids = rows.iter().flatten().map(|row| row.id).take(5);
    for id in ids.chain([1, i64::MAX]) {
        refused(store.samples(id, drop));
        refused(store.load(id));
        refused(store.artifact(id, 0));
        refused(store.evidence(id, drop));
    }
    refused(rows);
    refused(store.resolve("last"));
    refused(store.size());
}

/// The one experiment of a store of values, each part of it once: runs are among the evidence.
fn the_only(store: &Store) {
    refused_in_a_line(store.list(&Filter::default()));
    refused_in_a_line(store.load_without_samples(1));
    refused_in_a_line(store.evidence(1, drop));
    refused_in_a_line(store.artifact(1, 0));
}

/// An error of SQLite may quote a statement with line breaks, so only its text is required.
fn refused<T>(read: Result<T, StoreError>) {
    assert!(read.is_ok() || read.is_err_and(|error| !error.to_string().is_empty()));
}

fn refused_in_a_line<T>(read: Result<T, StoreError>) {
    if let Err(error) = read {
        let said = error.to_string();
        assert!(!said.is_empty() && !said.contains('\n'), "one line: {said:?}");
    }
}

/// Four bytes of input are an offset in the file and a byte; a first byte of 0xff truncates the file there.
pub(crate) fn files(input: &[u8]) {
    let mut changed = WHOLE.with(|(_, bytes)| bytes.clone());
    for word in input.chunks_exact(4).take(64) {
        let at = usize::from(word[0]) << 16 | usize::from(word[1]) << 8 | usize::from(word[2]);
        match word[0] {
            0xff => changed.truncate(at % (changed.len() + 1)),
            // The header, and the first page with the schema, decide most.
            0x80.. => {
                let place = at % changed.len().clamp(1, 4096);
                changed.iter_mut().skip(place).take(1).for_each(|byte| *byte = word[3]);
            }
            _ => {
                let place = at % changed.len().max(1);
                changed.iter_mut().skip(place).take(1).for_each(|byte| *byte = word[3]);
            }
        }
    }
    WHOLE.with(|(folder, _)| read(&changed, folder.path()));
}

/// Columns, by table, whose values are more than a number to SQLite.
const COLUMNS: [(&str, &str); 46] = [
    ("experiment", "kind"),
    ("experiment", "state"),
    ("experiment", "owner"),
    ("experiment", "started"),
    ("experiment", "fauxplat_version"),
    ("experiment", "schema_version"),
    ("experiment", "seed"),
    ("experiment", "invocation"),
    ("experiment", "condition"),
    ("experiment", "definition"),
    ("experiment", "sources"),
    ("experiment", "warnings"),
    ("experiment", "not_measured"),
    ("experiment", "findings_schema"),
    ("experiment", "findings"),
    ("experiment", "summary"),
    ("experiment", "uuid"),
    ("experiment", "plan"),
    ("machine", "identity"),
    ("machine", "facts"),
    ("command", "name"),
    ("command", "command"),
    ("command", "program"),
    ("command", "program_sha256"),
    ("command", "argv"),
    ("command", "parameters"),
    ("command", "prepare"),
    ("command", "cleanup"),
    ("command", "condition"),
    ("sample", "trial"),
    ("sample", "command"),
    ("sample", "position"),
    ("sample", "measured"),
    ("sample", "exit_status"),
    ("sample", "signal"),
    ("sample", "cpu_first"),
    ("sample", "started_ns"),
    ("sample", "wall_ns"),
    ("metric", "id"),
    ("metric", "spec"),
    ("reading", "value"),
    ("shift", "record"),
    ("series", "record"),
    ("event", "record"),
    ("artifact", "schema"),
    ("artifact", "data"),
];

/// A store with a piece of everything, and a connection of its own to it, by which values are changed.
struct Open {
    store: Store,
    changer: Connection,
    _folder: tempfile::TempDir,
}

impl Open {
    fn new() -> Self {
        let folder = super::folder();
        let path = folder.path().join("values");
        fs::write(&path, make(&folder.path().join("whole"))).expect("a store");
        let store = Store::open(&path).expect("the store that was just written");
        let changer = Connection::open(&path).expect("the same");
        // Nothing here has to outlive a loss of power; and values are put where no program would put them.
        let careless =
            "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;";
        changer.execute_batch(careless).expect("words of SQLite");
        Open { store, changer, _folder: folder }
    }

    /// Puts a value into a column of one row, reads everything, and restores the old value.
    fn with(&self, (table, column): (&str, &str), value: &Value) {
        let row = one_row(table);
        let select = format!("SELECT {column} FROM {table} {row}");
        let before =
            self.changer.prepare_cached(&select).and_then(|mut it| it.query_row([], |row| row.get(0)));
        let before: Value = before.unwrap_or_else(|error| panic!("{table}.{column}: {error}"));
        let set = |value: &Value| {
            let update = format!("UPDATE {table} SET {column} = ?1 {row}");
            self.changer.prepare_cached(&update).and_then(|mut it| it.execute([value]))
        };
        // Values that SQLite itself refuses, such as NULL in a required column, are never read.
        if set(value).is_ok() {
            the_only(&self.store);
            set(&before).expect("what was there before");
        }
    }
}

/// The condition that selects one row of an experiment in a table.
fn one_row(table: &str) -> &'static str {
    match table {
        "experiment" | "machine" => "",
        "sample" | "reading" => "WHERE sequence = 0",
        "metric" | "command" => "WHERE number = 0",
        "series" => "WHERE number = 2",
        "event" => "WHERE number = 4",
        _ => "WHERE number = 0",
    }
}

thread_local! {
    static OPEN: Open = Open::new();
}

/// The text after the first byte as the value of a column: as text, as bytes, or as a number. Errors of the store are
/// single lines.
pub(crate) fn values(input: &[u8]) {
    let Some((&which, rest)) = input.split_first() else { return };
    let (which, text) = (usize::from(which), String::from_utf8_lossy(rest));
    let value = match (which / COLUMNS.len() % 3, text.trim().parse::<i64>(), text.trim().parse::<f64>()) {
        (0, ..) => Value::Text(text.into_owned()),
        (1, ..) => Value::Blob(rest.to_vec()),
        (_, Ok(number), _) => Value::Integer(number),
        (_, _, Ok(number)) => Value::Real(number),
        _ => Value::Null,
    };
    OPEN.with(|open| open.with(COLUMNS[which % COLUMNS.len()], &value));
}
