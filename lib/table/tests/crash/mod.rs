//! Writers that are killed at arbitrary instructions, and the invariants that must hold afterwards.
//!
//! Each writer acknowledges its work in the table, so that afterwards the observer knows which values must be present
//! (everything acknowledged) and which may be present (at most one step more for each death).

use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use fauxplat_table::{Error, Narrow, Options, Table};

/// Number of the first of the objects with acknowledgements, one for each writer.
const WRITERS: u64 = 1 << 40;
/// Number of the object to which all writers add.
const SHARED: u64 = u64::MAX;
/// Keys of the objects with acknowledgements. All other objects have only key 0.
const ADDS_BEGUN: u64 = 0;
const ADDS_DONE: u64 = 1;
const INSERTS_DONE: u64 = 2;
const RECORD_KEYS: usize = 6;

/// Counts of a [`campaign`].
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) kills: u64,
    pub(crate) tables: u64,
    pub(crate) reads: u64,
    pub(crate) adds: i64,
    pub(crate) inserts: i64,
    /// Rows that were handed out and had no object when all writers were dead.
    pub(crate) rows_waiting: u64,
    /// Objects with which the tables were filled afterwards, each to its last row.
    pub(crate) filled: u64,
}

/// Number of writers that are killed over one table, and number of steps after which a writer only waits to be killed.
const KILLS: u64 = 10;
const STEPS: i64 = 100_000;
/// Number of rows: room for all steps, the acknowledgements and the shared object. The observer fills the rows that the
/// writers leave.
const ROWS: u64 = KILLS * (STEPS as u64 + 4);
/// Number of the first of the objects with which the observer fills tables.
const FILLERS: u64 = 1 << 50;

/// Opens a table of cells and a table of records, and writes into both until the process is killed.
pub(crate) fn write_for_ever(cells: &Path, records: &Path, writer: u64) -> Result<(), fauxplat_table::Error> {
    let table: Table<Narrow> = Table::open(cells)?;
    let record: Table = Table::open(records)?;
    let me = WRITERS + writer;
    for step in 0_i64.. {
        table.add(me, ADDS_BEGUN, 1)?;
        table.add(SHARED, 0, 1)?;
        table.add(me, ADDS_DONE, 1)?;
        table.set((writer << 20) | step as u64, 0, step as i32 as i64)?;
        table.set(me, INSERTS_DONE, step + 1)?;
        record.publish(me, &[Some(step); RECORD_KEYS])?;
        if step >= STEPS {
            // A writer that is not killed in time leaves room for the others.
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
    Ok(())
}

/// Kills `kills` writers, two at a time, with fresh tables every ten; panics as soon as anything is lost.
pub(crate) fn campaign(kills: u64, place: &Path, spawn: &dyn Fn(&Path, &Path, u64) -> Child) -> Report {
    let mut report = Report::default();
    while report.kills < kills {
        let batch = (kills - report.kills).min(KILLS);
        one_table(batch, place, spawn, &mut report);
    }
    report
}

fn one_table(kills: u64, place: &Path, spawn: &dyn Fn(&Path, &Path, u64) -> Child, report: &mut Report) {
    let (cells, records) = (place.with_extension("cells"), place.with_extension("records"));
    let _ = (std::fs::remove_file(&cells), std::fs::remove_file(&records));
    let options = Options::new().max_hashed_objects(ROWS).dense_keys(3);
    let table: Table<Narrow> = options.create(&cells).expect("a fresh table can be created");
    let options = Options::new().records(true).dense_keys(RECORD_KEYS as u32);
    let record: Table = options.create(&records).expect("a fresh table can be created");
    let over = AtomicBool::new(false);
    let reads = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| watch(&table, &record, kills, &over, &reads));
        let mut random = report.kills + 1;
        let mut writer = 0;
        while writer < kills {
            let pair = (kills - writer).min(2);
            let children: Vec<Child> = (0..pair).map(|n| spawn(&cells, &records, writer + n)).collect();
            for (mut child, number) in children.into_iter().zip(writer..) {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Where starting takes about a millisecond, some writers die before the first step, most in the middle.
                // Where it takes longer, at least every tenth still dies in the middle.
                while number.is_multiple_of(10) && table.get(WRITERS + number, INSERTS_DONE).is_none() {
                    assert!(
                        child.try_wait().expect("a child of our own").is_none(),
                        "a writer ended by itself"
                    );
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_micros(500 + (random >> 52)));
                child.kill().expect("a child can be killed");
                child.wait().expect("a child can be waited for");
            }
            writer += pair;
        }
        over.store(true, Ordering::Relaxed);
    });
    judge(&table, &record, kills, report);
    fill(&table, kills, report);
    report.kills += kills;
    report.tables += 1;
    report.reads += reads.load(Ordering::Relaxed);
    let _ = (std::fs::remove_file(&cells), std::fs::remove_file(&records));
}

/// Reads during the campaign: no value decreases, none is torn, no read waits.
fn watch(table: &Table<Narrow>, record: &Table, kills: u64, over: &AtomicBool, reads: &AtomicU64) {
    let mut last = 0;
    let mut done = vec![0; kills as usize];
    while !over.load(Ordering::Relaxed) {
        let shared = table.get(SHARED, 0).unwrap_or(0);
        assert!(shared >= last, "the shared counter went back from {last} to {shared}");
        last = shared;
        for writer in 0..kills {
            let acknowledged = table.get(WRITERS + writer, INSERTS_DONE).unwrap_or(0);
            let before = std::mem::replace(&mut done[writer as usize], acknowledged);
            assert!(acknowledged >= before, "an acknowledgement went back");
            if acknowledged > 0 {
                let step = acknowledged - 1;
                let value = table.get((writer << 20) | step as u64, 0);
                assert_eq!(value, Some(step), "an acknowledged object is missing");
            }
            if let Ok(values) = record.snapshot(WRITERS + writer) {
                assert!(values.windows(2).all(|two| two[0].1 == two[1].1), "torn: {values:?}");
            }
        }
        reads.fetch_add(1 + 3 * kills, Ordering::Relaxed);
    }
}

/// Compares the table with the acknowledgements of killed writers.
fn judge(table: &Table<Narrow>, record: &Table, kills: u64, report: &mut Report) {
    let (mut begun, mut done, mut objects) = (0, 0, 1);
    for writer in 0..kills {
        let me = WRITERS + writer;
        begun += table.get(me, ADDS_BEGUN).unwrap_or(0);
        done += table.get(me, ADDS_DONE).unwrap_or(0);
        objects += u64::from(!table.keys(me).is_empty());
        let inserted = table.get(me, INSERTS_DONE).unwrap_or(0);
        let value = |step: i64| table.get((writer << 20) | step as u64, 0);
        assert!((0..inserted).all(|step| value(step) == Some(step)), "an acknowledged object is lost");
        assert!(value(inserted).is_none_or(|v| v == inserted) && value(inserted + 1).is_none());
        objects += inserted as u64 + u64::from(value(inserted).is_some());
        report.inserts += inserted;
        let values = record.snapshot(me).expect("nobody writes any more");
        assert!(values.is_empty() || values.len() == RECORD_KEYS, "half a record: {values:?}");
    }
    let sum = table.get(SHARED, 0).unwrap_or(0);
    assert!(done <= sum && sum <= begun && begun - done <= kills as i64, "{done} <= {sum} <= {begun}");
    report.adds += sum;
    let waiting = table.info().hashed_rows.saturating_sub(objects);
    assert!(waiting <= 2 * kills, "{waiting} rows without an object after {kills} deaths");
    report.rows_waiting += waiting;
}

/// Fills the table, and checks that each row then has its object, including rows that killed writers had claimed and
/// not named: the writer's own object has such a row, or another object has it.
fn fill(table: &Table<Narrow>, kills: u64, report: &mut Report) {
    let refused = loop {
        match table.set(FILLERS + report.filled, 0, 1) {
            Ok(()) => report.filled += 1,
            Err(refused) => break refused,
        }
    };
    assert!(matches!(refused, Error::ObjectsFull { max: ROWS }), "{refused}");
    // An object that a killed writer was about to insert may have its row, without a value.
    for writer in 0..kills {
        let me = WRITERS + writer;
        let next = (writer << 20) | table.get(me, INSERTS_DONE).unwrap_or(0) as u64;
        for object in [SHARED, me, next] {
            let _ = table.add(object, 0, 0);
        }
    }
    // Object 0, the first of the first writer, has a separate row from the beginning.
    let hashed = table.objects().filter(|&object| object != 0).count() as u64;
    assert_eq!(hashed, ROWS, "a full table has rows without an object");
}
