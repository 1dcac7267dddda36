//! Write benchmarks: owned counters, inserts with growth, and the cost of a sampling reader for a worker.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fauxplat_table::{Narrow, Options, Table, Wide};

use crate::data::place;

pub fn owned() {
    let path = place("add");
    let table: Table<Wide> = Options::new().dense_keys(4).create(&path).expect("a table can be created");
    let mut counter = table.counter(1, 1).expect("there is room");
    const ADDS: u64 = 100_000_000;
    for _ in 0..3 {
        let start = Instant::now();
        for _ in 0..ADDS {
            counter.add(black_box(1)).expect("it does not overflow");
        }
        println!("owned add        {:.3} ns", start.elapsed().as_nanos() as f64 / ADDS as f64);
    }
    let start = Instant::now();
    for _ in 0..ADDS / 10 {
        table.add(1, 2, black_box(1)).expect("it does not overflow");
    }
    println!("shared add       {:.3} ns", start.elapsed().as_nanos() as f64 / (ADDS / 10) as f64);
    std::fs::remove_file(path).expect("the table was there");
}

/// New objects in a table that grows from 1024 slots and takes its pages as it goes: how many a second, alone and, of
/// ten million, beside a reader that notes its longest wait.
pub fn inserts() {
    for (objects, tables) in [(65_536, 101), (1_000_000, 9), (10_000_000, 1)] {
        for batch in [1, 1000] {
            let mut rates: Vec<f64> = (0..tables).map(|_| fresh(objects, |table| fill(table, objects, batch))).collect();
            rates.sort_by(f64::total_cmp);
            let (low, high) = (rates[tables / 10], rates[tables - 1 - tables / 10]);
            println!("inserts of {objects:8} objects, {batch:4} at a time: {:5.2} M/s [{low:.2} {high:.2}]", rates[tables / 2]);
        }
    }
    for batch in [1, 1000] {
        fresh(10_000_000, |table| watched(table, batch));
    }
}

/// Runs a benchmark on a new table, which is removed afterwards.
fn fresh<T>(objects: u64, with: impl FnOnce(&Table<Narrow>) -> T) -> T {
    let path = place("insert");
    let table = Options::new().max_hashed_objects(objects).dense_keys(2).create(&path).expect("a table can be created");
    let done = with(&table);
    std::fs::remove_file(path).expect("the table was there");
    done
}

fn number(object: u64) -> u64 {
    object.wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// Millions of new objects a second.
fn fill(table: &Table<Narrow>, objects: u64, batch: usize) -> f64 {
    let start = Instant::now();
    let mut values = vec![(0, 0, 1); batch];
    for first in (0..objects).step_by(batch) {
        let count = batch.min((objects - first) as usize);
        for (object, value) in (first..).zip(&mut values[..count]) {
            value.0 = number(object);
        }
        match &values[..count] {
            &[(object, key, value)] => table.set(object, key, value),
            values => table.set_many(values),
        }
        .expect("there is room");
    }
    objects as f64 / start.elapsed().as_secs_f64() / 1e6
}

fn watched(table: &Table<Narrow>, batch: usize) {
    let over = AtomicBool::new(false);
    let [longest, slow, reads] = [const { AtomicU64::new(0) }; 3];
    std::thread::scope(|scope| {
        scope.spawn(|| watch(table, &over, &longest, &slow, &reads));
        let rate = fill(table, 10_000_000, batch);
        over.store(true, Ordering::Relaxed);
        println!("inserts of 10000000 objects, {batch:4} at a time, beside a reader: {rate:.2} M/s");
    });
    println!(
        "  its longest read {} us of {} M reads, {} above 10 us",
        longest.load(Ordering::Relaxed) / 1000,
        reads.load(Ordering::Relaxed) / 1_000_000,
        slow.load(Ordering::Relaxed)
    );
}

fn watch(table: &Table<Narrow>, over: &AtomicBool, longest: &AtomicU64, slow: &AtomicU64, reads: &AtomicU64) {
    let mut object = 0_u64;
    let mut before = Instant::now();
    while !over.load(Ordering::Relaxed) {
        object = (object + 1) % 100_000;
        black_box(table.get(number(object), 0));
        let now = Instant::now();
        let took = (now - before).as_nanos() as u64;
        before = now;
        longest.fetch_max(took, Ordering::Relaxed);
        slow.fetch_add(u64::from(took > 10_000), Ordering::Relaxed);
        reads.fetch_add(1, Ordering::Relaxed);
    }
}

/// A worker counts for twenty milliseconds alone and beside a reader, in turns.
pub fn sampled() {
    let path = place("sampled");
    let table: Table<Wide> = Options::new().dense_keys(16).create(&path).expect("a table can be created");
    let mut counter = table.counter(1, 3).expect("there is room");
    for per_second in [1_000_u64, 100_000] {
        let (sampling, over) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let pause = Duration::from_nanos(1_000_000_000 / per_second);
                let mut next = Instant::now();
                while !over.load(Ordering::Relaxed) {
                    if !sampling.load(Ordering::Relaxed) {
                        std::thread::sleep(Duration::from_micros(100));
                        next = Instant::now();
                        continue;
                    }
                    black_box(table.get(1, 3));
                    next += pause;
                    while Instant::now() < next {
                        std::hint::spin_loop();
                    }
                }
            });
            let mut work = |on: bool| {
                sampling.store(on, Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(500));
                let start = Instant::now();
                for _ in 0..20_000_000_u32 {
                    counter.add(black_box(1)).expect("it does not overflow");
                }
                start.elapsed().as_secs_f64()
            };
            let mut ratios = Vec::new();
            for _ in 0..101 {
                let before = work(false);
                let own = work(true);
                let after = work(false);
                ratios.push((before + after) / 2.0 / own);
            }
            over.store(true, Ordering::Relaxed);
            ratios.sort_by(f64::total_cmp);
            println!(
                "worker beside a reader at {per_second} Hz: {:.4} of alone [{:.4} {:.4}]",
                ratios[50], ratios[10], ratios[90]
            );
        });
    }
    std::fs::remove_file(path).expect("the table was there");
}
