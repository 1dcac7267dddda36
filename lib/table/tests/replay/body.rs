//! Interpreter of fuzz inputs, shared by the fuzz targets and by the test that replays the corpus.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use fauxplat_table::{AnyTable, Narrow, Options, Table};

fn place() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!("/dev/shm/fauxplat-fuzz-{}-{number}", std::process::id()))
}

/// Returns the number of an object or a key: a small one for most bytes, so that inputs use the same pairs again, and
/// one near the end of the range for the others.
fn number(byte: u8) -> u64 {
    match byte {
        0..=199 => u64::from(byte % 24),
        _ => u64::MAX - u64::from(byte),
    }
}

/// Runs operations of four bytes each on a table and on a map, which must agree.
pub(crate) fn operations(bytes: &[u8]) {
    let path = place();
    let options = Options::new().dense_objects(5).max_hashed_objects(40).dense_keys(3).max_sparse_keys(4);
    let table: Table<Narrow> = options.create(&path).expect("a fresh table can be created");
    std::fs::remove_file(&path).expect("the table was there");
    let mut map = BTreeMap::new();
    for operation in bytes.chunks_exact(4) {
        let (object, key, value) =
            (number(operation[1]), number(operation[2]), i64::from(operation[3] as i8));
        let pair = (object, key);
        match operation[0] % 6 {
            0 => {
                if table.set(object, key, value).is_ok() {
                    map.insert(pair, value);
                }
            }
            1 => {
                if let Ok(before) = table.add(object, key, value) {
                    let cell = map.entry(pair).or_insert(0);
                    assert_eq!(before, *cell);
                    *cell += value;
                }
            }
            2 => assert_eq!(table.remove(object, key).ok().flatten(), map.remove(&pair)),
            3 => {
                let expected = map.get(&pair).copied();
                if let Ok(result) = table.compare_exchange(object, key, expected, Some(value)) {
                    assert_eq!(result, Ok(()));
                    map.insert(pair, value);
                }
            }
            4 => {
                let mine: BTreeMap<u64, i64> = table.keys(object).into_iter().collect();
                let theirs =
                    map.range((object, 0)..=(object, u64::MAX)).map(|(&(_, key), &value)| (key, value));
                assert_eq!(mine, theirs.collect());
            }
            _ => assert_eq!(table.get(object, key), map.get(&pair).copied()),
        }
    }
    let mut objects: Vec<u64> = table.objects().collect();
    objects.sort_unstable();
    let mut expected: Vec<u64> = map.keys().map(|&(object, _)| object).collect();
    expected.dedup();
    assert_eq!(objects, expected);
    let pairs: Vec<(u64, u64)> = map.keys().copied().collect();
    let mut values = vec![None; pairs.len()];
    table.get_many(&pairs, &mut values);
    assert!(values.into_iter().flatten().eq(map.values().copied()));
}

/// Overwrites a table's file with the bytes after the first, from the file's beginning or, if the first byte is odd,
/// from the control page on.
pub(crate) fn contents(bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    let path = place();
    let options = Options::new().dense_objects(3).max_hashed_objects(30).dense_keys(2).max_sparse_keys(2);
    let table: Table<Narrow> = options.create(&path).expect("a fresh table can be created");
    for object in 0..20 {
        table.set(object, u64::MAX, 1).expect("there is room");
    }
    drop(table);
    let Some((first, rest)) = bytes.split_first() else {
        std::fs::remove_file(&path).expect("the table was there");
        return;
    };
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("the table is there");
    let offset = if first % 2 == 1 { 4096 } else { 0 };
    file.write_all_at(rest, offset).expect("a file in memory can be written");
    let opened = AnyTable::open(&path);
    std::fs::remove_file(&path).expect("the table was there");
    if let Ok(table) = opened {
        for object in table.objects().take(50).chain([0, 7, u64::MAX]).collect::<Vec<_>>() {
            let _ = (table.keys(object), table.snapshot(object), table.set(object, 1, 1));
            let _ = (table.add(object, 99, 1), table.remove(object, 0));
        }
    }
}
