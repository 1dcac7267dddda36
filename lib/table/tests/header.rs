//! Wrong headers and counters: each field in turn, with a checksum that fits.

mod common;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt};

use common::UniqueName;
use fauxplat_table::{AnyTable, Error, Key, Options, Table, Wide};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Offset and size in bytes of each number of the header, as listed in docs/table.md.
const FIELDS: [(&str, usize, usize); 17] = [
    ("version", 16, 4),
    ("header bytes", 20, 4),
    ("value width", 24, 4),
    ("flags", 28, 4),
    ("dense objects", 32, 8),
    ("hashed objects", 40, 8),
    ("dense keys", 48, 4),
    ("sparse keys", 52, 4),
    ("first level", 56, 4),
    ("process namespace", 60, 4),
    ("file length", 64, 8),
    ("process", 72, 8),
    ("start time", 80, 8),
    ("boot", 88, 8),
    ("regions", 104, 4),
    ("description bytes", 108, 4),
    ("description checksum", 112, 8),
];
/// Fields of which any other value is wrong for this file. Other values of the rest may be valid: no fact of the file
/// contradicts the creator's process, and a table with one dense object looks like one with none.
const REFUSED: [&str; 6] =
    ["version", "header bytes", "value width", "file length", "description bytes", "description checksum"];
/// Offset of the header's checksum, which covers everything before it.
const SUM: usize = 120;

/// FNV-1a with 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, step)
}

fn described() -> Options {
    let keys = [Key::counter(0, "requests").help("served"), Key::gauge(9, "queue").unit("jobs")];
    Options::new().max_hashed_objects(1 << 20).dense_keys(2).max_sparse_keys(3).describe(keys)
}

fn writable(place: &UniqueName) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).open(place.path())
}

/// Returns the number of bytes that the file system has allocated for a table.
fn held(place: &UniqueName) -> u64 {
    fs::metadata(place.path()).map_or(0, |facts| facts.blocks() * 512)
}

#[test]
fn every_field_that_lies_is_refused_or_harmless() -> Outcome {
    let place = UniqueName::new("fields");
    drop(described().create::<Wide>(place.path())?);
    let (file, mut bytes) = (writable(&place)?, [0; 128]);
    file.read_exact_at(&mut bytes, 0)?;
    for (name, at, width) in FIELDS {
        let mut own = [0; 8];
        own[..width].copy_from_slice(&bytes[at..at + width]);
        let own = u64::from_le_bytes(own);
        for lie in [
            0,
            1,
            own.wrapping_add(1),
            own.wrapping_sub(1),
            own ^ (1 << 20),
            own.wrapping_mul(2),
            u64::MAX / 2,
            u64::MAX,
        ] {
            let mut lying = bytes;
            lying[at..at + width].copy_from_slice(&lie.to_le_bytes()[..width]);
            let sum = checksum(&lying[..SUM]);
            lying[SUM..].copy_from_slice(&sum.to_le_bytes());
            if lying == bytes {
                continue;
            }
            file.write_all_at(&lying, 0)?;
            let (opened, before) = (AnyTable::open(place.path()), held(&place));
            let Ok(table) = opened else { continue };
            assert!(!REFUSED.contains(&name), "{name} of {lie} was taken for true");
            for object in [0, 5, 1 << 40] {
                let _ = (table.set(object, 0, 1), table.add(object, 9, 1), table.get(object, 1));
                let _ = (table.publish(object, &[Some(1)]), table.snapshot(object), table.keys(object));
            }
            let (met, taken) = (table.objects().count(), held(&place) - before);
            assert!(met < 100 && taken < 1 << 20, "{name} of {lie}: {met} objects, {taken} bytes");
        }
    }
    file.write_all_at(&bytes, 0)?;
    AnyTable::open(place.path())?;
    Ok(())
}

#[test]
fn a_description_that_was_changed_is_refused() -> Outcome {
    let place = UniqueName::new("description");
    let table = described().create::<Wide>(place.path())?;
    let names: Vec<&str> = table.described().iter().map(|key| key.name.as_str()).collect();
    assert_eq!(names, ["requests", "queue"]);
    assert_eq!(AnyTable::open_read_only(place.path())?.described(), table.described());
    let file = writable(&place)?;
    let whole = b"0\tcounter\trequests\t\tserved\n9\tgauge\tqueue\tjobs\t\n";
    let mut found = vec![0; whole.len()];
    file.read_exact_at(&mut found, 3 * 4096)?;
    assert_eq!(found, whole);
    for (at, &byte) in whole.iter().enumerate() {
        file.write_all_at(&[byte ^ 1], 3 * 4096 + at as u64)?;
        assert!(matches!(AnyTable::open(place.path()), Err(Error::NotATable { .. })), "byte {at}");
        file.write_all_at(&[byte], 3 * 4096 + at as u64)?;
    }
    // Nonsense in the text, with a checksum that fits.
    for text in
        ["0\tcounter\t", "0\tcounter\ta\tb\n", "x\tgauge\ta\t\t\n", "0\tgauge\ta\t\t\n0\tgauge\tb\t\t\n"]
    {
        let mut padded = text.as_bytes().to_vec();
        padded.resize(whole.len(), b'\n');
        file.write_all_at(&padded, 3 * 4096)?;
        let mut bytes = [0; 128];
        file.read_exact_at(&mut bytes, 0)?;
        bytes[112..SUM].copy_from_slice(&checksum(&padded).to_le_bytes());
        let sum = checksum(&bytes[..SUM]);
        bytes[SUM..].copy_from_slice(&sum.to_le_bytes());
        file.write_all_at(&bytes, 0)?;
        assert!(matches!(AnyTable::open(place.path()), Err(Error::NotATable { .. })), "{text:?}");
    }
    Ok(())
}

#[test]
fn descriptions_that_nobody_could_read_are_refused() {
    let place = UniqueName::new("describe");
    let refused = |keys: &[Key]| {
        let options = Options::new().dense_keys(2).describe(keys.iter().cloned());
        matches!(options.create::<Wide>(place.path()), Err(Error::Shape { .. })) && !place.path().exists()
    };
    assert!(refused(&[Key::counter(0, "")]));
    assert!(refused(&[Key::counter(0, "a\tb")]));
    assert!(refused(&[Key::counter(0, "a").help("two\nlines")]));
    assert!(refused(&[Key::counter(0, "a"), Key::gauge(0, "b")]));
    assert!(refused(&[Key::counter(0, "a"), Key::gauge(1, "a")]));
    assert!(refused(&[Key::counter(2, "a key without a column")]));
    assert!(refused(&[Key::counter(0, "a").help("x".repeat(1 << 20))]));
}

#[test]
fn who_opens_or_creates_with_other_descriptions_is_told() -> Outcome {
    let place = UniqueName::new("redescribe");
    drop(described().open_or_create::<Wide>(place.path())?);
    assert_eq!(described().open_or_create::<Wide>(place.path())?.described().len(), 2);
    // A caller that describes nothing takes the existing descriptions.
    assert_eq!(described().describe([]).open_or_create::<Wide>(place.path())?.described().len(), 2);
    let other = described().describe([Key::gauge(0, "requests")]).open_or_create::<Wide>(place.path());
    assert!(matches!(other, Err(Error::Different { what: "descriptions of keys", .. })), "{other:?}");
    Ok(())
}

/// Offsets of words of the control page: the numbers of rows handed out and of rows with pages, the spare row, and the
/// number below which a slot names every row.
const NEXT: u64 = 4096;
const RESERVED: u64 = NEXT + 128;
const SPARE: u64 = NEXT + 256;
const NAMED: u64 = NEXT + 384;
/// Offset of the word with a level that no region is below.
const COMMON: u64 = NEXT + 512;
/// Offset of the levels of the regions.
const LEVELS: u64 = 8192;

/// A wrong counter must not make one call take more than a few pieces of memory, whatever the maximum size of the
/// table.
#[test]
fn counters_that_lie_take_no_memory() -> Outcome {
    const MOST: u64 = 4 << 20;
    let place = UniqueName::new("counters");
    let most = (1 << 31) - 2;
    let huge = Options::new().max_hashed_objects(most).dense_keys(2);
    let lies: [&[(u64, u64)]; 8] = [
        &[(NEXT, 1 << 22)],
        &[(NEXT, most)],
        &[(SPARE, 1 << 22)],
        &[(NEXT, most), (NAMED, most - 5)],
        &[(NEXT, 1 << 30), (RESERVED, 1 << 30)],
        &[(NEXT, most), (RESERVED, most)],
        &[(NEXT, u64::MAX), (RESERVED, u64::MAX), (SPARE, u64::MAX), (NAMED, u64::MAX)],
        &[(RESERVED, 1 << 30)],
    ];
    for (lie, level) in lies.iter().flat_map(|lie| [0_u32, 1, 10, 18, u32::MAX].map(|level| (lie, level))) {
        let _ = fs::remove_file(place.path());
        let table: Table = huge.create(place.path())?;
        (1..500).try_for_each(|object| table.set(object, 0, 1))?;
        let (file, before) = (writable(&place)?, held(&place));
        for &(at, word) in *lie {
            file.write_all_at(&word.to_ne_bytes(), at)?;
        }
        file.write_all_at(&level.to_ne_bytes().repeat(1024), LEVELS)?;
        file.write_all_at(&level.to_ne_bytes(), COMMON)?;
        for object in 1000..1003 {
            let _ = table.set(object, 0, 1);
            let taken = held(&place) - before;
            assert!(taken <= MOST, "{lie:?} at level {level} took {taken} bytes");
        }
    }
    Ok(())
}

/// A table of ordinary size also refuses a number of handed-out rows beyond the rows with pages.
#[test]
fn a_row_number_beyond_the_pages_is_damage() -> Outcome {
    let place = UniqueName::new("beyond");
    let table: Table = described().create(place.path())?;
    table.set(77, 0, 1)?;
    writable(&place)?.write_all_at(&(1_u64 << 19).to_ne_bytes(), NEXT)?;
    let refused = table.set(78, 0, 1);
    assert!(matches!(refused, Err(Error::Damaged { .. })), "{refused:?}");
    // An object that has a row is unharmed.
    table.add(77, 0, 1)?;
    assert_eq!(table.get(77, 0), Some(2));
    Ok(())
}
