//! The table's own reads against the flat array.

use std::sync::atomic::{AtomicBool, Ordering};

use fauxplat_table::{Narrow, Table, Wide, Width};

use crate::data::{self, KEYS, Random, id, opaque, spread};
use crate::paired::{ROUNDS, paired, report};

fn flat_sequential(flat: &[i32], objects: usize) -> i64 {
    let mut sum = 0_i64;
    for object in 0..objects {
        for key in 0..KEYS {
            sum = sum.wrapping_add(i64::from(flat[opaque(object) * KEYS + opaque(key)]));
        }
    }
    sum
}

fn flat_random(flat: &[i32], pairs: &[(u32, u32)]) -> i64 {
    let mut sum = 0_i64;
    for &(object, key) in pairs {
        sum = sum.wrapping_add(i64::from(flat[object as usize * KEYS + key as usize]));
    }
    sum
}

/// Runs `get` over the opaque pairs in order.
#[inline(always)]
fn in_order(objects: usize, get: impl Fn(usize, u64) -> Option<i64>) -> i64 {
    let mut sum = 0_i64;
    for object in 0..objects {
        for key in 0..KEYS {
            sum = sum.wrapping_add(get(opaque(object), opaque(key) as u64).unwrap_or(0));
        }
    }
    sum
}

/// Runs `get` over a list of pairs.
#[inline(always)]
fn listed(pairs: &[(u32, u32)], get: impl Fn(u32, u64) -> Option<i64>) -> i64 {
    let mut sum = 0_i64;
    for &(object, key) in pairs {
        sum = sum.wrapping_add(get(object, u64::from(key)).unwrap_or(0));
    }
    sum
}

pub fn dense(objects: usize) {
    let flat = data::flat(objects);
    let copy = flat.clone();
    let pairs = data::shuffled(objects, objects * KEYS);
    let n = objects * KEYS;
    report("control: a second flat array, sequential", n, ROUNDS, &mut || flat_sequential(&flat, objects), &mut || flat_sequential(&copy, objects));
    report("control: a second flat array, random", n, ROUNDS, &mut || flat_random(&flat, &pairs), &mut || flat_random(&copy, &pairs));
    dense_width::<Narrow>("4-byte", objects, &flat, &pairs);
    dense_width::<Wide>("8-byte", objects, &flat, &pairs);
}

fn dense_width<W: Width>(width: &str, objects: usize, flat: &[i32], pairs: &[(u32, u32)]) {
    let table: Table<W> = data::dense(objects);
    let reader = table.reader();
    let fixed = table.reader_of::<KEYS>().expect("the table has these keys");
    let n = objects * KEYS;
    let mut sequential = || flat_sequential(flat, objects);
    let mut random = || flat_random(flat, pairs);
    let expected = sequential();
    let mut ordered = |name: &str, work: &mut dyn FnMut() -> i64| {
        assert_eq!(work(), expected);
        report(&format!("dense {width}, sequential, {name}"), n, ROUNDS, &mut sequential, work);
    };
    ordered("Table::get", &mut || in_order(objects, |object, key| table.get(object as u64, key)));
    ordered("Reader::get", &mut || in_order(objects, move |object, key| reader.get(object as u64, key)));
    ordered("Reader<12>::get", &mut || in_order(objects, move |object, key| fixed.get(object as u64, key)));
    ordered("row handle", &mut || rows(objects, move |object| reader.row(object as u64)));
    ordered("row handle <12>", &mut || rows_fixed(objects, move |object| fixed.row(object as u64)));
    let mut shuffled = |name: &str, work: &mut dyn FnMut() -> i64| {
        assert_eq!(work(), expected);
        report(&format!("dense {width}, random, {name}"), n, ROUNDS, &mut random, work);
    };
    shuffled("Table::get", &mut || listed(pairs, |object, key| table.get(u64::from(object), key)));
    shuffled("Reader::get", &mut || listed(pairs, move |object, key| reader.get(u64::from(object), key)));
    shuffled("Reader<12>::get", &mut || listed(pairs, move |object, key| fixed.get(u64::from(object), key)));
    shuffled("batch <12>", &mut || {
        let mut sum = 0_i64;
        let wide = pairs.iter().map(|&(object, key)| (u64::from(object), u64::from(key)));
        fixed.get_each(wide, |value| sum = sum.wrapping_add(value.unwrap_or(0)));
        sum
    });
}

fn rows<'t, W: Width>(objects: usize, row: impl Fn(usize) -> Option<fauxplat_table::Row<'t, W>>) -> i64 {
    let mut sum = 0_i64;
    for object in 0..objects {
        let Some(row) = row(opaque(object)) else { continue };
        for key in 0..KEYS {
            sum = sum.wrapping_add(row.get(opaque(key) as u64).unwrap_or(0));
        }
    }
    sum
}

fn rows_fixed<'t, W: Width>(objects: usize, row: impl Fn(usize) -> Option<fauxplat_table::Row<'t, W, KEYS>>) -> i64 {
    let mut sum = 0_i64;
    for object in 0..objects {
        let Some(row) = row(opaque(object)) else { continue };
        for key in 0..KEYS {
            sum = sum.wrapping_add(row.get(opaque(key) as u64).unwrap_or(0));
        }
    }
    sum
}

pub fn hashed(objects: usize) {
    let flat = data::flat(objects);
    let pairs = data::shuffled(objects, objects * KEYS);
    hashed_width::<Narrow>("4-byte", objects, &flat, &pairs);
    hashed_width::<Wide>("8-byte", objects, &flat, &pairs);
}

fn hashed_width<W: Width>(width: &str, objects: usize, flat: &[i32], pairs: &[(u32, u32)]) {
    let table: Table<W> = data::hashed(objects);
    let reader = table.reader();
    let ids = data::spread_pairs(pairs);
    let n = objects * KEYS;
    let mut sequential = || flat_sequential(flat, objects);
    let mut random = || flat_random(flat, pairs);
    let expected = sequential();
    let mut ordered = |name: &str, work: &mut dyn FnMut() -> i64| {
        assert_eq!(work(), expected);
        report(&format!("hashed {width}, sequential, {name}"), n, ROUNDS, &mut sequential, work);
    };
    ordered("Reader::get", &mut || in_order(objects, move |object, key| reader.get(spread(object), key)));
    ordered("row handle", &mut || rows(objects, move |object| reader.row(spread(object))));
    let mut shuffled = |name: &str, work: &mut dyn FnMut() -> i64| {
        assert_eq!(work(), expected);
        report(&format!("hashed {width}, random, {name}"), n, ROUNDS, &mut random, work);
    };
    shuffled("Table::get", &mut || listed(&ids, |entry, key| table.get(id(entry), key)));
    shuffled("Reader::get", &mut || listed(&ids, move |entry, key| reader.get(id(entry), key)));
    shuffled("batch", &mut || {
        let mut sum = 0_i64;
        let wide = ids.iter().map(|&(entry, key)| (id(entry), u64::from(key)));
        reader.get_each(wide, |value| sum = sum.wrapping_add(value.unwrap_or(0)));
        sum
    });
}

/// Compares the flat array and the table with the same number of values, from a million to two hundred million.
pub fn big() {
    for objects in [83_334, 833_334, 8_333_334, 16_666_667] {
        let n = 2_000_000.min(objects * KEYS);
        let flat = data::flat(objects);
        let pairs = data::shuffled(objects, n);
        let mut random = || flat_random(&flat, &pairs);
        let expected = random();
        let table: Table<Narrow> = data::dense(objects);
        let fixed = table.reader_of::<KEYS>().expect("the table has these keys");
        let mut get = || listed(&pairs, move |object, key| fixed.get(u64::from(object), key));
        assert_eq!(get(), expected);
        report(&format!("{:9} values, dense 4-byte, random", objects * KEYS), n, 7, &mut random, &mut get);
        drop(table);
        let table: Table<Narrow> = data::hashed(objects);
        let reader = table.reader();
        let ids = data::spread_pairs(&pairs);
        let mut get = || listed(&ids, move |entry, key| reader.get(id(entry), key));
        assert_eq!(get(), expected);
        report(&format!("{:9} values, hashed 4-byte, random", objects * KEYS), n, 7, &mut random, &mut get);
        let mut batch = || {
            let mut sum = 0_i64;
            let wide = ids.iter().map(|&(entry, key)| (id(entry), u64::from(key)));
            reader.get_each(wide, |value| sum = sum.wrapping_add(value.unwrap_or(0)));
            sum
        };
        report(&format!("{:9} values, hashed 4-byte, batch", objects * KEYS), n, 7, &mut random, &mut batch);
    }
}

/// Random reads while one thread writes as fast as it can, against the same reads without it.
pub fn beside_a_writer() {
    let objects = 65_536;
    let pairs = data::shuffled(objects, objects * KEYS);
    let ids = data::spread_pairs(&pairs);
    let table: Table<Narrow> = data::dense(objects);
    let fixed = table.reader_of::<KEYS>().expect("the table has these keys");
    let get = || listed(&pairs, move |object, key| fixed.get(u64::from(object), key));
    contended("dense 4-byte", &table, |object| object as u64, &get);
    let table: Table<Narrow> = data::hashed(objects);
    let reader = table.reader();
    let get = || listed(&ids, move |entry, key| reader.get(id(entry), key));
    contended("hashed 4-byte", &table, spread, &get);
}

fn contended<W: Width>(name: &str, table: &Table<W>, number: impl Fn(usize) -> u64 + Sync, get: &dyn Fn() -> i64) {
    let (writing, over) = (AtomicBool::new(false), AtomicBool::new(false));
    let written = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random(7);
            while !over.load(Ordering::Relaxed) {
                if !writing.load(Ordering::Relaxed) {
                    std::thread::sleep(std::time::Duration::from_micros(200));
                    continue;
                }
                for _ in 0..1024 {
                    let pair = random.next();
                    let object = number((pair >> 32) as usize % 65_536);
                    table.set(object, pair % KEYS as u64, 1).expect("the pair exists");
                }
                written.fetch_add(1024, Ordering::Relaxed);
            }
        });
        let switch = |on: bool| {
            writing.store(on, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        let mut busy_ns = 0_u128;
        let ratio = paired(
            ROUNDS,
            &mut || {
                if writing.load(Ordering::Relaxed) {
                    switch(false);
                }
                get()
            },
            &mut || {
                if !writing.load(Ordering::Relaxed) {
                    switch(true);
                }
                let start = std::time::Instant::now();
                let sum = get();
                busy_ns += start.elapsed().as_nanos();
                sum
            },
        );
        over.store(true, Ordering::Relaxed);
        println!(
            "{name}, random, one writer beside: {:.3} of without [{:.3} {:.3}]; the writer made {} M writes",
            ratio.median, ratio.low, ratio.high, written.load(Ordering::Relaxed) / 1_000_000
        );
    });
}
