//! A few seconds of killing writers; the example `kill` does it thousands of times.
#![expect(clippy::disallowed_methods, reason = "the writers must be processes of their own to be killed")]

mod common;
mod crash;

use std::path::Path;
use std::process::{Command, Stdio};

use common::UniqueName;

const CELLS: &str = "FAUXPLAT_TABLE_CELLS";
const RECORDS: &str = "FAUXPLAT_TABLE_RECORDS";
const WRITER: &str = "FAUXPLAT_TABLE_WRITER";

/// Not a test: the body of the writers' processes, which run this program again.
#[test]
#[ignore = "started by the test below in processes of its own"]
fn writer() -> Result<(), Box<dyn std::error::Error>> {
    let Ok(cells) = std::env::var(CELLS) else { return Ok(()) };
    let (records, number) = (std::env::var(RECORDS)?, std::env::var(WRITER)?.parse()?);
    Ok(crash::write_for_ever(Path::new(&cells), Path::new(&records), number)?)
}

#[test]
fn killed_writers_lose_nothing_that_they_acknowledged_and_no_row() {
    let place = UniqueName::new("kill");
    let program = std::env::current_exe().expect("a test knows its own name");
    let report = crash::campaign(200, place.path(), &|cells, records, number| {
        let mut command = Command::new(&program);
        command.args(["writer", "--exact", "--ignored"]).env(CELLS, cells).env(RECORDS, records);
        command.env(WRITER, number.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("this program can be started again")
    });
    assert_eq!(report.kills, 200);
    assert!(report.inserts > 0 && report.reads > 0 && report.tables == 20 && report.adds > 0, "{report:?}");
    assert!(report.filled > 0, "the tables were full before they were filled: {report:?}");
}
