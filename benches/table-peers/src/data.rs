//! Test data: the pairs that are read, the flat array that is the limit, and the tables that hold the same values.

use std::path::PathBuf;

use fauxplat_table::{Options, Table, Width};

/// Keys of each object.
pub const KEYS: usize = 12;

/// Hides a number from the compiler at the cost of no instruction.
#[inline(always)]
pub fn opaque(mut number: usize) -> usize {
    // SAFETY: the assembly is empty; the register goes in and comes out unchanged.
    unsafe { std::arch::asm!("/* {0} */", inout(reg) number, options(nomem, nostack, preserves_flags)) };
    number
}

/// The number of an object in a table of hashed ones: spread over 32 bits, so that a pair takes the same
/// eight bytes in the list of pairs for every contestant.
#[inline(always)]
pub fn spread(object: usize) -> u64 {
    let mixed = (object as u32).wrapping_add(1).wrapping_mul(0x85EB_CA6B);
    u64::from(mixed ^ (mixed >> 15)) | 1 << 32
}

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// All pairs in random order, or `count` random ones of a big table.
pub fn shuffled(objects: usize, count: usize) -> Vec<(u32, u32)> {
    let mut random = Random(88_172_645_463_325_252);
    if count < objects * KEYS {
        let mut pair = || (random.next() % objects as u64, random.next() % KEYS as u64);
        return (0..count).map(|_| pair()).map(|(object, key)| (object as u32, key as u32)).collect();
    }
    let pairs = (0..objects as u32).flat_map(|object| (0..KEYS as u32).map(move |key| (object, key)));
    let mut pairs: Vec<_> = pairs.collect();
    for last in (1..pairs.len()).rev() {
        pairs.swap(last, (random.next() % (last as u64 + 1)) as usize);
    }
    pairs
}

/// The pairs with spread objects. The 33rd bit is left out here, and the reader's `id` adds it again.
pub fn spread_pairs(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    pairs.iter().map(|&(object, key)| (spread(object as usize) as u32, key)).collect()
}

/// The object's number for an entry of `spread_pairs`.
#[inline(always)]
pub fn id(entry: u32) -> u64 {
    u64::from(entry) | 1 << 32
}

/// The limit: values `0..objects * KEYS`.
pub fn flat(objects: usize) -> Vec<i32> {
    (0..objects * KEYS).map(|value| value as i32).collect()
}

pub fn place(name: &str) -> PathBuf {
    let path = PathBuf::from(format!("/dev/shm/fauxplat-bench-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn fill<W: Width>(table: &Table<W>, objects: usize, number: impl Fn(usize) -> u64) {
    for object in 0..objects {
        for key in 0..KEYS {
            table.set(number(object), key as u64, (object * KEYS + key) as i64).expect("there is room");
        }
    }
}

/// A table whose objects are dense. The file's name is gone at once; the mapping keeps the memory.
pub fn dense<W: Width>(objects: usize) -> Table<W> {
    let path = place("dense");
    let options = Options::new().dense_objects(objects as u64).max_hashed_objects(1024);
    let table = options.dense_keys(KEYS as u32).create(&path).expect("a table can be created");
    fill(&table, objects, |object| object as u64);
    std::fs::remove_file(path).expect("the table was there");
    table
}

/// A table whose objects are hashed.
pub fn hashed<W: Width>(objects: usize) -> Table<W> {
    let path = place("hashed");
    let options = Options::new().max_hashed_objects((objects as u64).max(1 << 20));
    let table = options.dense_keys(KEYS as u32).create(&path).expect("a table can be created");
    fill(&table, objects, spread);
    std::fs::remove_file(path).expect("the table was there");
    table
}
