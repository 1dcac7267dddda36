//! Damaged, hostile and vanishing files.

mod common;

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};

use common::Place;
use fauxplat_table::{AnyTable, Error, Narrow, Options, Table, Wide};

fn small(place: &Place) -> Result<Table<Narrow>, Error> {
    let options = Options::new().dense_objects(3).max_hashed_objects(20).dense_keys(2).max_sparse_keys(2);
    let table = options.create(place.path())?;
    for object in 0..20 {
        table.set(object, object % 2, object as i64)?;
        table.set(object, u64::MAX, 1)?;
    }
    Ok(table)
}

/// Uses everything that reads and writes; only must not crash, hang or overrun.
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
    let place = Place::new("truncated");
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
    let place = Place::new("header-flips");
    drop(small(&place)?);
    let file = OpenOptions::new().write(true).open(place.path())?;
    let bytes = fs::read(place.path())?;
    for bit in 0..112 * 8 {
        let (at, mask) = (bit / 8, 1 << (bit % 8));
        file.write_all_at(&[bytes[at] ^ mask], at as u64)?;
        assert!(AnyTable::open(place.path()).is_err(), "bit {bit} may be flipped");
        file.write_all_at(&[bytes[at]], at as u64)?;
    }
    Ok(AnyTable::open(place.path()).map(drop)?)
}

#[test]
fn flipped_bits_in_the_data_break_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let place = Place::new("data-flips");
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

#[test]
fn arbitrary_contents_break_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let place = Place::new("noise");
    drop(small(&place)?);
    let mut bytes = fs::read(place.path())?;
    let file = OpenOptions::new().write(true).open(place.path())?;
    let mut random = 1_u64;
    for round in 0..60 {
        for byte in &mut bytes[4096..] {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = if round == 0 { 0xFF } else { (random >> 56) as u8 };
        }
        file.write_all_at(&bytes[4096..], 4096)?;
        use_all(&AnyTable::open(place.path())?);
    }
    Ok(())
}

#[test]
fn a_file_that_shrinks_under_the_mapping_is_an_error() -> Result<(), Box<dyn std::error::Error>> {
    let place = Place::new("shrink");
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
    // The file's length is restored: the mapping that met the end must not pass for whole again.
    OpenOptions::new().write(true).open(place.path())?.set_len(reader.info().file_bytes)?;
    assert!(reader.check().is_err());
    Ok(())
}

#[test]
fn other_files_are_not_tables() -> Result<(), Box<dyn std::error::Error>> {
    let place = Place::new("others");
    assert!(matches!(AnyTable::open(place.path()), Err(Error::Io { call: "open", .. })));
    assert!(matches!(AnyTable::open("/dev/shm"), Err(Error::NotATable { .. })));
    assert!(matches!(AnyTable::open_read_only("/dev/shm"), Err(Error::NotATable { .. })));
    assert!(matches!(AnyTable::open_read_only("/dev/zero"), Err(Error::NotATable { .. })));
    let target = Place::new("target");
    drop(small(&target)?);
    symlink(target.path(), place.path())?;
    assert!(matches!(AnyTable::open(place.path()), Err(Error::NotATable { .. })));
    assert!(matches!(Table::<Wide>::open(target.path()), Err(Error::Width { found: 4, asked: 8, .. })));
    Ok(())
}

#[test]
fn other_versions_and_byte_orders_say_so() -> Result<(), Box<dyn std::error::Error>> {
    let place = Place::new("versions");
    drop(small(&place)?);
    let file = OpenOptions::new().write(true).open(place.path())?;
    file.write_all_at(&[9], 16)?;
    assert!(matches!(AnyTable::open(place.path()), Err(Error::Version { found: 9, .. })));
    file.write_all_at(&0x0102_0304_0506_0708_u64.swap_bytes().to_ne_bytes(), 8)?;
    assert!(matches!(AnyTable::open(place.path()), Err(Error::ByteOrder { .. })));
    Ok(())
}

#[test]
fn of_two_creators_one_succeeds() {
    let place = Place::new("creators");
    let create = || Options::new().create::<Wide>(place.path());
    let made: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
        threads.into_iter().map(|t| usize::from(matches!(t.join(), Ok(Ok(_))))).sum()
    });
    assert_eq!(made, 1);
    assert!(Options::new().open_or_create::<Wide>(place.path()).is_ok());
}

#[test]
fn a_disk_is_refused_unless_allowed() -> Result<(), Error> {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("disk-table");
    let _ = fs::remove_file(&path);
    match Options::new().create::<Wide>(&path) {
        Err(Error::OnDisk { .. }) => {
            assert!(!path.exists());
            let table: Table = Options::new().on_disk(true).create(&path)?;
            table.set(1, 1, 1)?;
            table.sync()?;
        }
        // The build directory itself lies in memory here.
        other => drop(other?),
    }
    let _ = fs::remove_file(&path);
    Ok(())
}

#[test]
fn permissions_are_obeyed() -> Result<(), Box<dyn std::error::Error>> {
    let place = Place::new("permissions");
    drop(small(&place)?);
    assert_eq!(fs::metadata(place.path())?.permissions().mode() & 0o777, 0o600);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o000))?;
    match AnyTable::open(place.path()) {
        Err(Error::Io { call: "open", source, .. }) => {
            assert_eq!(source.kind(), std::io::ErrorKind::PermissionDenied);
        }
        // Root may open anything.
        other => drop(other?),
    }
    Ok(())
}
