//! A full file system, and sums over several mappings.
#![expect(clippy::disallowed_methods, reason = "the small file system is mounted in a namespace of its own")]
#![expect(clippy::disallowed_macros, reason = "a skipped test says so")]

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::Place;
use fauxplat_table::{Error, Options, Table};

const FOLDER: &str = "FAUXPLAT_TABLE_SMALL";

/// The body of the test below, inside a file system of one mebibyte.
#[test]
#[ignore = "started by the test below in a namespace of its own"]
fn inside() -> Result<(), Error> {
    let Ok(folder) = std::env::var(FOLDER) else { return Ok(()) };
    let path = PathBuf::from(folder).join("table");
    let options = Options::new().max_hashed_objects(1 << 20).dense_keys(4);
    let table: Table = options.create(&path)?;
    let stored =
        (0..1 << 20).take_while(|&object| table.set(object, 1, object as i64).is_ok()).count() as u64;
    assert!(stored > 1000 && stored < 1 << 20, "{stored} objects fit into a mebibyte");
    assert!(matches!(table.set(stored, 1, 0), Err(Error::NoSpace { .. })));
    // Unharmed: everything is there, can be changed, and room for more makes it go on.
    assert!((0..stored).all(|object| table.get(object, 1) == Some(object as i64)));
    assert_eq!(table.get(stored, 1), None);
    table.add(stored - 1, 1, 5)?;
    assert_eq!(table.objects().count() as u64, stored);
    table.check()?;
    // A dense part that does not fit is refused at creation and leaves no file.
    let other = path.with_file_name("other");
    let big = Options::new().dense_objects(1 << 20).create::<fauxplat_table::Wide>(&other);
    assert!(matches!(big, Err(Error::NoSpace { .. })) && !other.exists());
    Ok(())
}

#[test]
fn a_full_file_system_is_an_error_and_no_harm() {
    let folder = Place::new("small");
    std::fs::create_dir(folder.path()).expect("a folder can be made");
    let script = "mount -t tmpfs -o size=1m small \"$1\" || exit 77; exec \"$2\" inside --exact --ignored";
    let program = std::env::current_exe().expect("a test knows its own name");
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script, "sh"]).arg(folder.path()).arg(program);
    let output = command.env(FOLDER, folder.path()).output();
    let _ = std::fs::remove_dir(folder.path());
    match output {
        Ok(output) if output.status.success() => {}
        Ok(output) if output.status.code() == Some(101) => {
            panic!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
        }
        other => println!("skipped: a file system cannot be mounted here ({:?})", other.map(|o| o.status)),
    }
}

/// Each thread maps the file for itself, as a process of its own would.
fn sum(additions: i64) -> Result<(), Error> {
    let place = Place::new("sum");
    let table: Table = Options::new().dense_keys(2).create(place.path())?;
    let add = || -> Result<(), Error> {
        let own: Table = Table::open(place.path())?;
        for _ in 0..additions / 4 {
            own.add(9, 0, 1)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(add)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err(Error::ReadOnly)))
    })?;
    assert_eq!(table.get(9, 0), Some(additions));
    Ok(())
}

/// Additions of the test below, unless this variable says more: a billion take half a minute.
const ADDITIONS: &str = "FAUXPLAT_TABLE_ADDITIONS";

#[test]
fn additions_over_several_mappings_sum_exactly() -> Result<(), Error> {
    let wanted = std::env::var(ADDITIONS).ok().and_then(|count| count.parse().ok());
    sum(wanted.unwrap_or(1_000_000))
}
