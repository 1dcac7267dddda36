//! Writing: owned counters, inserts with growth, and what a sampling reader costs a worker.

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

/// Ten million new objects, first alone and then watched by a reader that notes its longest wait.
pub fn inserts() {
    for (watched, batch) in [(false, 1), (true, 1), (false, 1000), (true, 1000)] {
        let path = place("insert");
        let options = Options::new().max_hashed_objects(10_000_000).dense_keys(2);
        let table: Table<Narrow> = options.create(&path).expect("a table can be created");
        let over = AtomicBool::new(false);
        let longest = AtomicU64::new(0);
        let slow = AtomicU64::new(0);
        let reads = AtomicU64::new(0);
        std::thread::scope(|scope| {
            if watched {
                scope.spawn(|| watch(&table, &over, &longest, &slow, &reads));
            }
            let start = Instant::now();
            let mut values = vec![(0, 0, 1); batch];
            for first in (0..10_000_000_u64).step_by(batch) {
                for (object, value) in (first..).zip(&mut values) {
                    value.0 = object.wrapping_mul(0xD6E8_FEB8_6659_FD93);
                }
                match values.as_slice() {
                    &[(object, key, value)] => table.set(object, key, value),
                    values => table.set_many(values),
                }
                .expect("there is room");
            }
            let seconds = start.elapsed().as_secs_f64();
            over.store(true, Ordering::Relaxed);
            let rate = 10.0 / seconds;
            println!("inserts, {batch} at a time, watched {watched}: {rate:.2} M/s with growth from 1024 slots");
        });
        if watched {
            println!(
                "longest read {} us of {} M reads, {} above 10 us",
                longest.load(Ordering::Relaxed) / 1000,
                reads.load(Ordering::Relaxed) / 1_000_000,
                slow.load(Ordering::Relaxed)
            );
        }
        std::fs::remove_file(path).expect("the table was there");
    }
}

fn watch(table: &Table<Narrow>, over: &AtomicBool, longest: &AtomicU64, slow: &AtomicU64, reads: &AtomicU64) {
    let mut object = 0_u64;
    let mut before = Instant::now();
    while !over.load(Ordering::Relaxed) {
        object = (object + 1) % 100_000;
        black_box(table.get(object.wrapping_mul(0xD6E8_FEB8_6659_FD93), 0));
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
