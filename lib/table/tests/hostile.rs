//! Damaged, hostile and vanishing files.
#![expect(clippy::disallowed_macros, reason = "a skipped test says so")]

mod common;

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown, symlink};

use std::time::Duration;

use common::UniqueName;
use fauxplat_table::{AnyTable, Error, Narrow, Options, Table, Wide};

fn small(place: &UniqueName) -> Result<Table<Narrow>, Error> {
    let options = Options::new().dense_objects(3).max_hashed_objects(20).dense_keys(2).max_sparse_keys(2);
    let table = options.create(place.path())?;
    for object in 0..20 {
        table.set(object, object % 2, object as i64)?;
        table.set(object, u64::MAX, 1)?;
    }
    Ok(table)
}

/// Calls every function that reads or writes a table, none of which may crash, hang or overrun.
fn use_all(table: &AnyTable) {
    for object in table.objects().take(100).chain([0, 5, 99, u64::MAX]).collect::<Vec<_>>() {
        let _ = table.keys(object);
        let _ = table.snapshot(object);
        let _ = table.get(object, 0);
        let _ = table.set(object, 1, 1);
        let _ = table.add(object, u64::MAX, 1);
        let _ = table.add(object, 12345, 1);
        let _ = table.remove(object, 0);
    }
    let mut values = [None; 4];
    table.get_many(&[(0, 0), (7, 1), (u64::MAX, 0), (3, u64::MAX)], &mut values);
    let _ = table.info();
}

#[test]
fn every_truncation_is_an_error() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("truncated");
    drop(small(&place)?);
    let bytes = fs::read(place.path())?;
    let file = OpenOptions::new().write(true).open(place.path())?;
    for length in (0..bytes.len() as u64).rev() {
        file.set_len(length)?;
        assert!(AnyTable::open(place.path()).is_err(), "{length} bytes were accepted");
    }
    Ok(())
}

#[test]
fn flipped_bits_in_the_header_are_errors() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("header-flips");
    drop(small(&place)?);
    let file = OpenOptions::new().write(true).open(place.path())?;
    let bytes = fs::read(place.path())?;
    for bit in 0..128 * 8 {
        let (at, mask) = (bit / 8, 1 << (bit % 8));
        file.write_all_at(&[bytes[at] ^ mask], at as u64)?;
        assert!(AnyTable::open(place.path()).is_err(), "bit {bit} may be flipped");
        file.write_all_at(&[bytes[at]], at as u64)?;
    }
    Ok(AnyTable::open(place.path()).map(drop)?)
}

#[test]
fn flipped_bits_in_the_data_break_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("data-flips");
    drop(small(&place)?);
    let bytes = fs::read(place.path())?;
    let file = OpenOptions::new().write(true).open(place.path())?;
    let used = (4096..bytes.len()).filter(|&at| bytes[at] != 0 || at % 61 == 0);
    for at in used {
        for mask in [1, 0x80, 0xFF] {
            file.write_all_at(&bytes[4096..], 4096)?;
            file.write_all_at(&[bytes[at] ^ mask], at as u64)?;
            use_all(&AnyTable::open(place.path())?);
        }
    }
    Ok(())
}

/// Overwrites everything after the header with noise, and uses the result.
fn use_noise(place: &UniqueName, mut bytes: Vec<u8>, rounds: u64) -> Result<(), Box<dyn std::error::Error>> {
    let file = OpenOptions::new().write(true).open(place.path())?;
    let mut random = 1_u64;
    for round in 0..rounds {
        for byte in &mut bytes[4096..] {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = if round == 0 { 0xFF } else { (random >> 56) as u8 };
        }
        // The level words are noise in every sixth round, and in the other rounds one of five levels.
        if round % 6 > 0 {
            let level = (round as u32 % 6 - 1).to_ne_bytes();
            bytes[LEVEL as usize..LEVEL as usize + 4].copy_from_slice(&level);
            bytes[COMMON as usize..COMMON as usize + 4].copy_from_slice(&level);
        }
        file.write_all_at(&bytes[4096..], 4096)?;
        let table = AnyTable::open(place.path())?;
        must_end(format!("round {round} of noise"), move || use_all(&table));
    }
    Ok(())
}

#[test]
fn arbitrary_contents_break_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("noise");
    drop(small(&place)?);
    use_noise(&place, fs::read(place.path())?, 60)
}

#[test]
fn arbitrary_contents_of_four_levels_break_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("noise-of-four");
    let bytes = grown(&place, 4)?;
    use_noise(&place, bytes, 60)
}

/// Offset of the words with the levels of the regions of the objects' index, counted from its lowest level.
const LEVEL: u64 = 8192;

/// Offset of the word with a level that no region is below.
const COMMON: u64 = 4096 + 512;

/// Offset of the index of objects in a table with one page of dense rows and no sparse keys: its lowest level, of 1024
/// slots, begins 4096 bytes later.
const INDEX: usize = 20480;

/// Runs something that must end, with a time limit.
fn must_end<T: Send + 'static>(what: String, run: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, waiting) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(run()));
    waiting.recv_timeout(Duration::from_secs(120)).unwrap_or_else(|_| panic!("{what} does not end"))
}

/// Makes a table whose index has reached its `levels`th level, and returns its contents.
fn grown(place: &UniqueName, levels: u32) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let table: Table<Narrow> =
        Options::new().dense_objects(1).max_hashed_objects(4000).dense_keys(1).create(place.path())?;
    // The lowest level has 1024 slots and is left when more than a quarter is taken.
    for object in 1..=(1 << (6 + levels)) + 10 {
        table.set(object, 0, object as i64)?;
    }
    assert_eq!(table.info().index_slots, 1 << (9 + levels));
    Ok(fs::read(place.path())?)
}

/// Inserts objects into a table whose file has these contents and this level word, and then calls its other functions;
/// returns the results of the inserts.
fn insert_into(
    place: &UniqueName,
    bytes: &[u8],
    word: u32,
) -> Result<Vec<Result<(), Error>>, Box<dyn std::error::Error>> {
    let file = OpenOptions::new().write(true).open(place.path())?;
    file.write_all_at(bytes, 0)?;
    file.write_all_at(&word.to_ne_bytes(), LEVEL)?;
    file.write_all_at(&word.to_ne_bytes(), COMMON)?;
    let table: Table<Narrow> = Table::open(place.path())?;
    let insert = move || {
        let results: Vec<_> = (5000..5100).map(|object| table.set(object, 0, 1)).collect();
        use_all(&AnyTable::Narrow(table));
        results
    };
    Ok(must_end(format!("an insert with level word {word}"), insert))
}

#[test]
fn a_level_word_without_its_level_ends_every_insert() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("levels");
    for levels in 1..=4 {
        let _ = fs::remove_file(place.path());
        let bytes = grown(&place, levels)?;
        for word in [0, 1, 2, 3, 4, 31, u32::MAX] {
            let results = insert_into(&place, &bytes, word)?;
            // From a level that the index has left, the search for a slot continues to the current level.
            assert!(
                word > levels - 1 || results.iter().all(Result::is_ok),
                "{word} of {levels}: {results:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn a_level_that_was_left_behind_with_an_entry_of_its_own_is_damage() -> Result<(), Box<dyn std::error::Error>>
{
    let place = UniqueName::new("left-behind");
    for levels in 3..=4 {
        let _ = fs::remove_file(place.path());
        let mut bytes = grown(&place, levels)?;
        // An entry for the last row, which is not handed out: the row's number plus one, without a tag.
        bytes[INDEX + 4096..INDEX + 4100].copy_from_slice(&4000_u32.to_ne_bytes());
        let results = insert_into(&place, &bytes, 0)?;
        assert!(results.iter().all(|result| matches!(result, Err(Error::Damaged { .. }))), "{results:?}");
    }
    Ok(())
}

#[test]
fn an_index_without_an_empty_slot_is_damage() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("no-empty-slot");
    for (levels, filler) in [(1, u32::MAX), (4, u32::MAX), (1, 1), (4, 1), (4, 0x1234_5001)] {
        let _ = fs::remove_file(place.path());
        let mut bytes = grown(&place, levels)?;
        for slot in bytes[INDEX + 4096..INDEX + 131_072].chunks_exact_mut(4) {
            slot.copy_from_slice(&u32::to_ne_bytes(filler));
        }
        let results = insert_into(&place, &bytes, levels - 1)?;
        assert!(results.iter().all(|result| matches!(result, Err(Error::Damaged { .. }))), "{results:?}");
    }
    Ok(())
}

/// Number of 512-byte blocks of a file.
fn blocks(place: &UniqueName) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(&fs::metadata(place.path()).expect("the table is there"))
}

/// Reading requests almost nothing from the file system, however large the file claims to be.
#[test]
fn a_sparse_file_of_many_rows_stays_sparse() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("sparse");
    let options = Options::new().dense_objects(1).max_hashed_objects((1 << 31) - 2).dense_keys(1);
    let table: Table<Narrow> = options.create(place.path())?;
    (1..=3000).try_for_each(|object| table.set(object, 0, object as i64))?;
    let before = blocks(&place);
    // The largest level, of 2^33 slots, none of which was ever written: 32 GiB.
    let file = OpenOptions::new().read(true).write(true).open(place.path())?;
    let mut levels = vec![0; 4096];
    file.read_exact_at(&mut levels, LEVEL)?;
    let mut common = [0; 4];
    file.read_exact_at(&mut common, COMMON)?;
    for word in [u32::MAX, 18, 10] {
        file.write_all_at(&word.to_ne_bytes().repeat(1024), LEVEL)?;
        file.write_all_at(&word.to_ne_bytes(), COMMON)?;
        let seen = AnyTable::open_read_only(place.path())?;
        assert_eq!(seen.objects().count(), 0, "level {word}");
        assert!(seen.sample(&mut fauxplat_table::Rates::new(), 1)?.is_empty());
    }
    file.write_all_at(&levels, LEVEL)?;
    file.write_all_at(&common, COMMON)?;
    assert_eq!(AnyTable::open_read_only(place.path())?.objects().count(), 3000);
    // The cost is a page for each lookup of an object; a walk reads none.
    assert!(blocks(&place) <= before + 64 * 8, "{before} blocks, then {}", blocks(&place));
    Ok(())
}

#[test]
fn dense_rows_that_nobody_wrote_stay_holes() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("dense-holes");
    let table: Table =
        Options::new().dense_objects(1 << 20).max_hashed_objects(0).dense_keys(3).create(place.path())?;
    for object in [0, 1, 5000, (1 << 20) - 1] {
        table.set(object, 2, 7)?;
    }
    // A copy has pages where the original has values.
    let copy = UniqueName::new("dense-holes-copy");
    let (from, to) = (fs::File::open(place.path())?, fs::File::create(copy.path())?);
    to.set_len(from.metadata()?.len())?;
    let (mut page, mut zeros) = ([0; 4096], 0);
    for at in (0..from.metadata()?.len()).step_by(4096) {
        from.read_exact_at(&mut page, at)?;
        if page.iter().any(|&byte| byte != 0) {
            to.write_all_at(&page, at)?;
        } else {
            zeros += 1;
        }
    }
    let before = blocks(&copy);
    assert!(zeros > 1000 && before < 100, "{zeros} pages are empty, {before} blocks are not");
    let seen = AnyTable::open_read_only(copy.path())?;
    assert_eq!(seen.objects().collect::<Vec<_>>(), [0, 1, 5000, (1 << 20) - 1]);
    assert_eq!(seen.values(&fauxplat_table::Selection::default()).len(), 4);
    assert!(blocks(&copy) <= before + 8 * 8, "{before} blocks, then {}", blocks(&copy));
    Ok(())
}

#[test]
fn a_file_that_shrinks_under_the_mapping_is_an_error() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("shrink");
    let table: Table<Wide> = Options::new().dense_objects(5000).dense_keys(4).create(place.path())?;
    let reader = AnyTable::open_read_only(place.path())?;
    table.set(4999, 0, 7)?;
    assert_eq!(reader.get(4999, 0), Some(7));
    reader.check()?;
    OpenOptions::new().write(true).open(place.path())?.set_len(8192)?;
    assert_eq!(reader.get(4999, 0), None);
    assert!(matches!(reader.check(), Err(Error::Length { .. })));
    table.set(4999, 0, 8)?;
    let _ = table.set(1 << 40, 0, 8);
    assert!(matches!(table.check(), Err(Error::Length { .. })));
    use_all(&reader);
    // The file's length is restored: the mapping that met the end must not appear whole again.
    OpenOptions::new().write(true).open(place.path())?.set_len(reader.info().file_bytes)?;
    assert!(reader.check().is_err());
    Ok(())
}

#[test]
fn other_files_are_not_tables() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("others");
    assert!(matches!(AnyTable::open(place.path()), Err(Error::Io { call: "open", .. })));
    assert!(matches!(AnyTable::open("/dev/shm"), Err(Error::NotATable { .. })));
    assert!(matches!(AnyTable::open_read_only("/dev/shm"), Err(Error::NotATable { .. })));
    assert!(matches!(AnyTable::open_read_only("/dev/zero"), Err(Error::NotATable { .. })));
    let target = UniqueName::new("target");
    drop(small(&target)?);
    symlink(target.path(), place.path())?;
    assert!(matches!(AnyTable::open(place.path()), Err(Error::NotATable { .. })));
    assert!(matches!(Table::<Wide>::open(target.path()), Err(Error::Width { found: 4, asked: 8, .. })));
    Ok(())
}

#[test]
fn other_versions_and_byte_orders_say_so() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("versions");
    drop(small(&place)?);
    let file = OpenOptions::new().write(true).open(place.path())?;
    file.write_all_at(&[9], 16)?;
    assert!(matches!(AnyTable::open(place.path()), Err(Error::Version { found: 9, .. })));
    // The first version handed out its rows in another way, and the second had no regions.
    for version in [1, 2] {
        file.write_all_at(&[version], 16)?;
        let old = AnyTable::open(place.path()).map(drop);
        assert!(matches!(old, Err(Error::Version { known: 3, .. })));
        assert!(old.is_err_and(|error| error.to_string().contains("create it anew")));
    }
    file.write_all_at(&0x0102_0304_0506_0708_u64.swap_bytes().to_ne_bytes(), 8)?;
    assert!(matches!(AnyTable::open(place.path()), Err(Error::ByteOrder { .. })));
    Ok(())
}

#[test]
fn of_two_creators_one_succeeds() {
    let place = UniqueName::new("creators");
    let create = || Options::new().create::<Wide>(place.path());
    let made: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
        threads.into_iter().map(|t| usize::from(matches!(t.join(), Ok(Ok(_))))).sum()
    });
    assert_eq!(made, 1);
    assert!(Options::new().open_or_create::<Wide>(place.path()).is_ok());
}

/// The first user to create a name in `/dev/shm` could change all values that others publish there.
#[test]
fn a_table_that_somebody_else_put_there_is_not_written_into() -> Result<(), Box<dyn std::error::Error>> {
    let (folder, options) = (UniqueName::new("strangers"), Options::new().mode(0o666));
    fs::create_dir(folder.path())?;
    let path = folder.path().join("table");
    let mode = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode));
    let open = || options.open_or_create::<Wide>(&path).map(drop);
    drop(options.create::<Wide>(&path)?);
    for anybodys in [0o1777, 0o700] {
        mode(anybodys)?;
        assert!(open().is_ok(), "a table of our own");
    }
    // A user other than the one that runs the tests.
    let somebody = fs::metadata(&path)?.uid() + 1;
    let stranger = chown(&path, Some(somebody), None);
    if stranger.is_ok() {
        assert!(open().is_ok(), "nobody else may make files in this folder");
        mode(0o1777)?;
        assert!(matches!(open(), Err(Error::Stranger { owner, .. }) if owner == somebody), "{:?}", open());
        assert!(options.clone().of_others(true).open_or_create::<Wide>(&path).is_ok());
        assert!(Table::<Wide>::open(&path).is_ok(), "who names it means it");
        chown(folder.path(), Some(somebody), None)?;
        assert!(open().is_ok(), "it is the folder's owner's");
    }
    fs::remove_dir_all(folder.path())?;
    if let Err(error) = stranger {
        println!("skipped: a table of another user cannot be made here: {error}");
    }
    Ok(())
}

#[test]
fn a_disk_is_refused_unless_allowed() -> Result<(), Error> {
    // Cargo's directory belongs to the user who built the test, not necessarily the one who runs it.
    let path = std::env::temp_dir().join(format!("fauxplat-table-{}-disk", std::process::id()));
    match Options::new().create::<Wide>(&path) {
        Err(Error::OnDisk { .. }) => {
            assert!(!path.exists());
            let table: Table = Options::new().on_disk(true).create(&path)?;
            table.set(1, 1, 1)?;
            table.sync()?;
        }
        // Where temporary files are in memory, the table must be created.
        other => drop(other?),
    }
    let _ = fs::remove_file(&path);
    Ok(())
}

#[test]
fn permissions_are_obeyed() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("permissions");
    drop(small(&place)?);
    assert_eq!(fs::metadata(place.path())?.permissions().mode() & 0o777, 0o600);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o000))?;
    match AnyTable::open(place.path()) {
        Err(Error::Io { call: "open", source, .. }) => {
            assert_eq!(source.kind(), std::io::ErrorKind::PermissionDenied);
        }
        // Root may open files that permit nothing.
        other => drop(other?),
    }
    Ok(())
}
