//! A full file system, full tables, and sums over several mappings.
#![expect(clippy::disallowed_methods, reason = "the small file system is mounted in a namespace of its own")]
#![expect(clippy::disallowed_macros, reason = "a skipped test says so")]
#![expect(unsafe_code, reason = "fork has no safe form in the standard library")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::UniqueName;
use fauxplat_table::{Error, Options, Table, Wide};

const FOLDER: &str = "FAUXPLAT_TABLE_SMALL";

/// Returns the directory of the small file system, for the bodies of the tests below.
fn small() -> Option<PathBuf> {
    std::env::var(FOLDER).ok().map(PathBuf::from)
}

/// Runs a body in a separate process, inside a file system of one mebibyte that only this process sees.
fn in_a_small_file_system(body: &str) {
    let folder = UniqueName::new(body);
    std::fs::create_dir(folder.path()).expect("a folder can be made");
    let script = "mount -t tmpfs -o size=1m small \"$1\" || exit 77; exec \"$2\" \"$3\" --exact --ignored";
    let program = std::env::current_exe().expect("a test knows its own name");
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script, "sh"]).arg(folder.path()).arg(program).arg(body);
    let output = command.env(FOLDER, folder.path()).output();
    let _ = std::fs::remove_dir(folder.path());
    match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.contains("1 passed"), "{text}");
        }
        Ok(output) if !matches!(output.status.code(), Some(1 | 77)) => {
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            panic!("{:?}: {out}{err}", output.status)
        }
        other => println!("skipped: a file system cannot be mounted here ({:?})", other.map(|o| o.status)),
    }
}

/// Fills the file system to its last page; removing the returned file makes room again.
fn fill(folder: &Path) -> PathBuf {
    let path = folder.join("ballast");
    let mut file = std::fs::File::create(&path).expect("a file can be made");
    while std::io::Write::write(&mut file, &[1; 4096]).is_ok() {}
    path
}

#[test]
#[ignore = "started by the test below in a namespace of its own"]
fn inserting() -> Result<(), Error> {
    let Some(folder) = small() else { return Ok(()) };
    let path = folder.join("table");
    let options = Options::new().max_hashed_objects(1 << 20).dense_keys(4);
    let table: Table = options.create(&path)?;
    let stored =
        (0..1 << 20).take_while(|&object| table.set(object, 1, object as i64).is_ok()).count() as u64;
    assert!(stored > 1000 && stored < 1 << 20, "{stored} objects fit into a mebibyte");
    assert!(matches!(table.set(stored, 1, 0), Err(Error::NoSpace { .. })));
    // The table is unharmed: everything is present, can be changed, and with more room it grows again.
    assert!((0..stored).all(|object| table.get(object, 1) == Some(object as i64)));
    assert_eq!(table.get(stored, 1), None);
    table.add(stored - 1, 1, 5)?;
    assert_eq!(table.objects().count() as u64, stored);
    table.check()?;
    // A dense part that does not fit is refused at creation and leaves no file.
    let other = path.with_file_name("other");
    let big = Options::new().dense_objects(1 << 20).create::<Wide>(&other);
    assert!(matches!(big, Err(Error::NoSpace { .. })) && !other.exists());
    Ok(())
}

#[test]
fn a_full_file_system_is_an_error_and_no_harm() {
    in_a_small_file_system("inserting");
}

/// Returns an object that is not in the table, whose search begins in the last slot of a small index.
fn at_the_end() -> u64 {
    let home = |object: &u64| object.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54 == 1023;
    (1 << 20..).find(home).expect("one in 1024 begins there")
}

#[test]
#[ignore = "started by the test below in a namespace of its own"]
fn reading() -> Result<(), Error> {
    let Some(folder) = small() else { return Ok(()) };
    let path = folder.join("table");
    let table: Table = Options::new().max_hashed_objects(1 << 12).dense_keys(1).create(&path)?;
    (1..100).try_for_each(|object| table.set(object, 0, object as i64))?;
    let other: Table = Table::open_read_only(&path)?;
    fill(&folder);
    // A missing object is searched for in pages that exist: nothing is requested from the file system.
    assert_eq!((table.get(at_the_end(), 0), other.get(at_the_end(), 0)), (None, None));
    table.check()?;
    other.check()?;
    for object in 1..100 {
        table.set(object, 0, 1000 + object as i64)?;
        assert_eq!(
            (table.get(object, 0), other.get(object, 0)),
            (Some(1000 + object as i64), Some(1000 + object as i64))
        );
    }
    Ok(())
}

#[test]
fn looking_in_vain_on_a_full_file_system_loses_nothing() {
    in_a_small_file_system("reading");
}

#[test]
#[ignore = "started by the test below in a namespace of its own"]
fn faulting() -> Result<(), Error> {
    let Some(folder) = small() else { return Ok(()) };
    let path = folder.join("table");
    let options = Options::new().dense_objects(1).max_hashed_objects(1 << 12).dense_keys(1);
    let table: Table = options.create(&path)?;
    (1..100).try_for_each(|object| table.set(object, 0, object as i64))?;
    // Wrong level words, the common one and that of the only region: the slots of that level have no pages, and the
    // file system has none left.
    fill(&folder);
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("the table is there");
    let lie = |level: u32| {
        for word in [4096 + 512, 8192] {
            std::os::unix::fs::FileExt::write_all_at(&file, &level.to_ne_bytes(), word)
                .expect("a page that exists");
        }
    };
    lie(4);
    for seen in [Table::open_read_only(&path)?, Table::<Wide>::open(&path)?] {
        assert_eq!(seen.get(50, 0), None);
        assert!(matches!(seen.check(), Err(Error::Damaged { .. })), "{:?}", seen.check());
        // Contents after the missing page, such as the rows, can still be read once the level words are correct again.
        lie(0);
        assert!((1..100).all(|object| seen.get(object, 0) == Some(object as i64)));
        lie(4);
    }
    // A store into a page that the file system cannot provide must not appear successful: it ends the process.
    let child = std::panic::catch_unwind(|| in_a_child(|| table.set(1 << 40, 0, 1).is_ok()));
    assert!(child.is_err());
    Ok(())
}

#[test]
fn a_page_that_cannot_be_had_costs_nothing_behind_it() {
    in_a_small_file_system("faulting");
}

/// Forks, runs `body` in the child and waits for it.
fn in_a_child(body: impl FnOnce() -> bool) {
    // SAFETY: fork(2); the child calls nothing that could wait for a thread that it does not have, and ends by _exit.
    match unsafe { libc::fork() } {
        0 => {
            let code = i32::from(!body());
            // SAFETY: _exit(2) never returns and runs nothing of the parent's.
            unsafe { libc::_exit(code) }
        }
        child => {
            let mut status = 0;
            // SAFETY: waitpid(2) fills the status of a child of this process.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert_eq!(status, 0, "the child failed");
        }
    }
}

#[test]
#[ignore = "started by the test below in a namespace of its own"]
fn forking() -> Result<(), Error> {
    let Some(folder) = small() else { return Ok(()) };
    let table: Table =
        Options::new().max_hashed_objects(1 << 12).dense_keys(1).create(folder.join("table"))?;
    let ballast = fill(&folder);
    let refused = (1..1 << 12).find(|&object| table.set(object, 0, object as i64).is_err());
    let refused = refused.expect("the file system is full");
    std::fs::remove_file(ballast).expect("it was made above");
    // Rows that the refused call claimed exist in both processes now.
    in_a_child(|| table.set(1 << 30, 0, -1).is_ok());
    table.set(1 << 31, 0, -2)?;
    assert_eq!((table.get(1 << 30, 0), table.get(1 << 31, 0)), (Some(-1), Some(-2)));
    assert!((1..refused).all(|object| table.get(object, 0) == Some(object as i64)));
    Ok(())
}

#[test]
fn a_forked_process_takes_rows_of_its_own() {
    in_a_small_file_system("forking");
}

/// Runs a body in a separate process, on a table that does not exist yet.
fn start(body: &str, place: &UniqueName) -> std::process::Child {
    let program = std::env::current_exe().expect("a test knows its own name");
    let mut command = Command::new(program);
    command.args([body, "--exact", "--ignored"]).env(FOLDER, place.path());
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    command.spawn().expect("this program can be started again")
}

#[test]
#[ignore = "started by the test below in a process of its own"]
fn creating() -> Result<(), Error> {
    small().map_or(Ok(()), |path| Table::<Wide>::create(path).map(drop))
}

#[test]
fn a_creator_that_ended_and_was_not_waited_for_does_not_run() -> Result<(), Error> {
    let place = UniqueName::new("zombie");
    let mut child = start("creating", &place);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let table = loop {
        match Table::<Wide>::open(place.path()) {
            Ok(table) => break table,
            Err(error) => assert!(std::time::Instant::now() < until, "{error}"),
        }
    };
    assert_eq!(table.info().creator_pid, u64::from(child.id()));
    while table.info().creator_alive != Some(false) {
        assert!(std::time::Instant::now() < until, "the creator counts as running");
    }
    child.wait().map(drop).expect("a child of our own");
    Ok(())
}

#[test]
#[ignore = "started by the test below in a process of its own"]
fn sending() -> Result<(), Error> {
    let Some(path) = small() else { return Ok(()) };
    // The standard library's own handler swallows the first SIGBUS, so it is removed.
    // SAFETY: signal(2) with the default action.
    unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
    let _table = Table::<Wide>::create(path)?;
    // SAFETY: kill(2) sends a signal to this process.
    unsafe { libc::kill(libc::getpid(), libc::SIGBUS) };
    Ok(())
}

#[test]
fn a_signal_that_somebody_sent_does_what_it_would_do() {
    let place = UniqueName::new("sent");
    let status = start("sending", &place).wait().expect("a child of our own");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(libc::SIGBUS));
}

/// A creator that is killed leaves no second name, and no name of an unfinished file.
#[test]
fn creating_leaves_no_other_name() -> Result<(), Error> {
    let folder = UniqueName::new("names");
    std::fs::create_dir(folder.path()).expect("a folder can be made");
    let path = folder.path().join("table");
    let created = Table::<Wide>::create(&path);
    let names = std::fs::read_dir(folder.path()).expect("a folder of our own").count();
    let links = std::fs::metadata(&path).map(|facts| std::os::unix::fs::MetadataExt::nlink(&facts));
    std::fs::remove_dir_all(folder.path()).expect("a folder of our own");
    created?;
    assert_eq!((names, links.ok()), (1, Some(1)));
    Ok(())
}

/// Adds one to a pair `additions` times, by four threads, each of which maps the file separately, as a process would.
fn sum(additions: i64) -> Result<(), Error> {
    let place = UniqueName::new("sum");
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

/// Environment variable with the number of additions of the test below, a million if unset: a billion take half a
/// minute.
const ADDITIONS: &str = "FAUXPLAT_TABLE_ADDITIONS";

#[test]
fn additions_over_several_mappings_sum_exactly() -> Result<(), Error> {
    let wanted = std::env::var(ADDITIONS).ok().and_then(|count| count.parse().ok());
    sum(wanted.unwrap_or(1_000_000))
}

/// Threads compete for each object and for the last rows: the table accepts the number of objects and keys that it was
/// made for.
#[test]
fn threads_fill_a_table_to_its_last_row() -> Result<(), Error> {
    const OBJECTS: u64 = 30_000;
    const KEYS: u64 = 40;
    let place = UniqueName::new("brim");
    let options = Options::new().max_hashed_objects(OBJECTS).dense_keys(1).max_sparse_keys(KEYS as u32);
    let table: Table<fauxplat_table::Narrow> = options.create(place.path())?;
    let fill = || (1..=OBJECTS).try_for_each(|object| table.set(object, 1 + object % KEYS, object as i64));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(fill)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err(Error::ReadOnly)))
    })?;
    assert!((1..=OBJECTS).all(|object| table.get(object, 1 + object % KEYS) == Some(object as i64)));
    assert!(matches!(table.set(OBJECTS + 1, 1, 1), Err(Error::ObjectsFull { max: OBJECTS })));
    assert!(matches!(table.set(1, KEYS + 1, 1), Err(Error::KeysFull { max: KEYS })));
    Ok(())
}
