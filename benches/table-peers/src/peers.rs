//! The table against other stores that hold the same pairs.

use std::cell::UnsafeCell;

use fauxplat_table::{Narrow, Table};
use heed::byteorder::BE;
use heed::types::{I64, U64};
use redb::{ReadableDatabase, TableDefinition};

use crate::data::{self, KEYS, id, place, spread};
use crate::paired::paired;

const OBJECTS: usize = 65_536;
const N: usize = OBJECTS * KEYS;

/// The table's two ways to hold the pairs, and the pairs.
struct Subject {
    dense: Table<Narrow>,
    hashed: Table<Narrow>,
    pairs: Vec<(u32, u32)>,
    ids: Vec<(u32, u32)>,
}

fn subject() -> Subject {
    let pairs = data::shuffled(OBJECTS, N);
    let ids = data::spread_pairs(&pairs);
    Subject { dense: data::dense(OBJECTS), hashed: data::hashed(OBJECTS), pairs, ids }
}

impl Subject {
    /// Prints how many times faster the table is than a peer that reads the listed pairs.
    fn against(&self, name: &str, peer: &mut dyn FnMut() -> i64) {
        let hashed = self.hashed.reader();
        let mut get_hashed = || {
            let mut sum = 0_i64;
            for &(entry, key) in &self.ids {
                sum = sum.wrapping_add(hashed.get(id(entry), u64::from(key)).unwrap_or(0));
            }
            sum
        };
        let dense = self.dense.reader_of::<KEYS>().expect("the table has these keys");
        let mut get_dense = || {
            let mut sum = 0_i64;
            for &(object, key) in &self.pairs {
                sum = sum.wrapping_add(dense.get(u64::from(object), u64::from(key)).unwrap_or(0));
            }
            sum
        };
        assert_eq!(get_hashed(), peer());
        let rounds = 5;
        let hashed = paired(rounds, &mut get_hashed, peer);
        let dense = paired(rounds, &mut get_dense, peer);
        println!(
            "{name:32} hashed {:7.2} times, dense {:7.2} times; the peer's best {:6.1} M/s",
            1.0 / hashed.median,
            1.0 / dense.median,
            N as f64 / hashed.best.0 / 1e6
        );
    }
}

fn key(object: u64, key: u64) -> u64 {
    object << 4 | key
}

fn all() -> impl Iterator<Item = (u64, i64)> {
    (0..OBJECTS).flat_map(|object| {
        (0..KEYS).map(move |k| (key(spread(object), k as u64), (object * KEYS + k) as i64))
    })
}

/// Sums what `get` answers for the listed pairs.
fn sum(ids: &[(u32, u32)], get: impl Fn(u64) -> Option<i64>) -> i64 {
    let value = |&(entry, k): &(u32, u32)| get(key(id(entry), u64::from(k))).unwrap_or(0);
    ids.iter().map(value).fold(0, i64::wrapping_add)
}

pub fn maps() {
    let subject = subject();
    let hasher = foldhash::fast::RandomState::default;

    let map: std::collections::HashMap<u64, i64, _> = {
        let mut map = std::collections::HashMap::with_hasher(hasher());
        map.extend(all());
        map
    };
    subject.against("HashMap without any lock", &mut || sum(&subject.ids, |k| map.get(&k).copied()));
    drop(map);

    let map = papaya::HashMap::builder().hasher(hasher()).build();
    all().for_each(|(k, v)| {
        map.pin().insert(k, v);
    });
    subject.against("papaya, guard held", &mut || {
        let map = map.pin();
        sum(&subject.ids, |k| map.get(&k).copied())
    });
    drop(map);

    let map = dashmap::DashMap::with_hasher(hasher());
    all().for_each(|(k, v)| {
        map.insert(k, v);
    });
    subject.against("dashmap", &mut || sum(&subject.ids, |k| map.get(&k).map(|v| *v)));
    drop(map);

    let map = scc::HashIndex::with_hasher(hasher());
    all().for_each(|(k, v)| {
        let _ = map.insert_sync(k, v);
    });
    subject.against("scc HashIndex", &mut || sum(&subject.ids, |k| map.peek_with(&k, |_, v| *v)));
    drop(map);

    let map = scc::HashMap::with_hasher(hasher());
    all().for_each(|(k, v)| {
        let _ = map.insert_sync(k, v);
    });
    subject.against("scc HashMap", &mut || sum(&subject.ids, |k| map.read_sync(&k, |_, v| *v)));
}

pub fn stores() {
    let subject = subject();
    let folder = place("lmdb");
    std::fs::create_dir(&folder).expect("the folder is new");
    // SAFETY: nobody else opens this fresh folder.
    let env = unsafe { heed::EnvOpenOptions::new().map_size(1 << 30).open(&folder) }.expect("LMDB opens");
    let mut writing = env.write_txn().expect("a transaction begins");
    let base: heed::Database<U64<BE>, I64<BE>> = env.create_database(&mut writing, None).expect("LMDB creates");
    for (k, v) in all() {
        base.put(&mut writing, &k, &v).expect("LMDB stores");
    }
    writing.commit().expect("LMDB commits");
    let reading = env.read_txn().expect("a transaction begins");
    let get = |k: u64| base.get(&reading, &k).expect("LMDB reads");
    subject.against("LMDB (heed), transaction held", &mut || sum(&subject.ids, get));
    drop(reading);
    std::fs::remove_dir_all(folder).expect("the folder was there");

    const TABLE: TableDefinition<u64, i64> = TableDefinition::new("pairs");
    let path = place("redb");
    let base = redb::Database::create(&path).expect("redb creates");
    let writing = base.begin_write().expect("a transaction begins");
    {
        let mut table = writing.open_table(TABLE).expect("redb opens");
        for (k, v) in all() {
            table.insert(k, v).expect("redb stores");
        }
    }
    writing.commit().expect("redb commits");
    let table = base.begin_read().expect("a transaction begins").open_table(TABLE).expect("redb opens");
    let get = |k: u64| redb::ReadableTable::get(&table, k).expect("redb reads").map(|v| v.value());
    subject.against("redb, table held", &mut || sum(&subject.ids, get));
    std::fs::remove_file(path).expect("the file was there");
}

/// An array behind a POSIX read-write lock, taken for each read, as the published comparison has it.
struct Locked {
    lock: UnsafeCell<libc::pthread_rwlock_t>,
    flat: Vec<i32>,
}

impl Locked {
    fn get(&self, index: usize) -> i64 {
        // SAFETY: the lock was initialised statically, never moves while held, and is released below.
        unsafe { libc::pthread_rwlock_rdlock(self.lock.get()) };
        let value = self.flat[index];
        // SAFETY: this thread holds the lock.
        unsafe { libc::pthread_rwlock_unlock(self.lock.get()) };
        i64::from(value)
    }
}

/// A minimal read-write lock of the kind that people write themselves: one word, one exchange to enter.
struct Own {
    readers: std::sync::atomic::AtomicU32,
    flat: Vec<i32>,
}

impl Own {
    fn get(&self, index: usize) -> i64 {
        use std::sync::atomic::Ordering;
        const WRITER: u32 = 1 << 31;
        while self.readers.fetch_add(1, Ordering::Acquire) & WRITER != 0 {
            self.readers.fetch_sub(1, Ordering::Relaxed);
            std::hint::spin_loop();
        }
        let value = self.flat[index];
        self.readers.fetch_sub(1, Ordering::Release);
        i64::from(value)
    }
}

/// The published comparison: plain 1, POSIX lock 1/20, own lock 1/10, lock-free 2.2; sequential reads.
pub fn locks() {
    let flat = data::flat(OBJECTS);
    let locked = Locked { lock: UnsafeCell::new(libc::PTHREAD_RWLOCK_INITIALIZER), flat: flat.clone() };
    let own = Own { readers: std::sync::atomic::AtomicU32::new(0), flat: flat.clone() };
    let rows: Vec<Vec<i32>> = flat.chunks(KEYS).map(<[i32]>::to_vec).collect();
    let table: Table<Narrow> = data::dense(OBJECTS);
    let reader = table.reader_of::<KEYS>().expect("the table has these keys");
    let mut plain = || sequential(|object, k| i64::from(flat[object * KEYS + k]));
    let mut line = |name: &str, work: &mut dyn FnMut() -> i64| {
        let ratio = paired(15, &mut plain, work);
        println!("{name:28} {:.3} of plain [{:.3} {:.3}]", ratio.median, ratio.low, ratio.high);
    };
    line("vectors of vectors", &mut || sequential(|object, k| i64::from(rows[object][k])));
    line("POSIX read-write lock", &mut || sequential(|object, k| locked.get(object * KEYS + k)));
    line("own read-write lock", &mut || sequential(|object, k| own.get(object * KEYS + k)));
    line("this table, dense", &mut || sequential(|object, k| reader.get(object as u64, k as u64).unwrap_or(0)));
}

#[inline(always)]
fn sequential(get: impl Fn(usize, usize) -> i64) -> i64 {
    let mut sum = 0_i64;
    for object in 0..OBJECTS {
        for k in 0..KEYS {
            sum = sum.wrapping_add(get(data::opaque(object), data::opaque(k)));
        }
    }
    sum
}
