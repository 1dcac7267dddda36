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

/// Millions of new objects a second of this thread's time on a CPU.
fn fill(table: &Table<Narrow>, objects: u64, batch: usize) -> f64 {
    let start = crate::paired::cpu_time();
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
    objects as f64 / (crate::paired::cpu_time() - start).as_secs_f64() / 1e6
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

/// Two threads add to counters of their own: in one row, in one row behind a lock, and in rows that share no line.
///
/// The clock is the wall's, since what a lock saves and what it costs is waiting; each round has all three in turns.
pub fn neighbours() {
    let (one, apart) = (place("one"), place("apart"));
    let options = Options::new().dense_objects(8).max_hashed_objects(16).dense_keys(2);
    let shared: Table<Wide> = options.create(&one).expect("a table can be created");
    let exclusive: Table<Wide> = options.exclusive_rows(true).create(&apart).expect("a table can be created");
    let lock = std::sync::Mutex::new(());
    let add = |table: &Table<Wide>, object, key| {
        table.add(object, key, black_box(1)).expect("it does not overflow");
    };
    let ways: [(&str, &(dyn Fn(u64) + Sync)); 4] = [
        ("one line", &|thread| add(&shared, 1, thread)),
        ("one line, behind a lock", &|thread| {
            let _held = lock.lock().expect("nobody panicked");
            add(&shared, 1, thread);
        }),
        ("rows of their own", &|thread| add(&exclusive, 1 + thread, 0)),
        ("rows of their own, behind a lock", &|thread| {
            let _held = lock.lock().expect("nobody panicked");
            add(&exclusive, 1 + thread, 0);
        }),
    ];
    let mut rates: [Vec<f64>; 4] = Default::default();
    for _ in 0..31 {
        for (rates, (_, way)) in rates.iter_mut().zip(&ways) {
            rates.push(together(way));
        }
    }
    let ratios = |n: usize| -> Vec<f64> { rates[n].iter().zip(&rates[0]).map(|(own, first)| own / first).collect() };
    for (n, (name, _)) in ways.iter().enumerate() {
        let (mut rates, mut ratios) = (rates[n].clone(), ratios(n));
        rates.sort_by(f64::total_cmp);
        ratios.sort_by(f64::total_cmp);
        println!(
            "{name:34} {:6.1} M/s, {:.2} of one line [{:.2} {:.2}]",
            rates[15], ratios[15], ratios[3], ratios[27]
        );
    }
    let _ = (std::fs::remove_file(one), std::fs::remove_file(apart));
}

/// Millions of additions a second by two threads that begin together.
fn together(add: &(dyn Fn(u64) + Sync)) -> f64 {
    const ADDS: u64 = 400_000;
    let ready = std::sync::Barrier::new(3);
    std::thread::scope(|scope| {
        let threads = [0, 1].map(|thread| {
            let ready = &ready;
            scope.spawn(move || {
                ready.wait();
                (0..ADDS).for_each(|_| add(thread));
            })
        });
        ready.wait();
        let start = Instant::now();
        for thread in threads {
            thread.join().expect("it does not panic");
        }
        2.0 * ADDS as f64 / start.elapsed().as_secs_f64() / 1e6
    })
}

/// The longest single inserts while a table grows to ten million objects, by this thread's own time on a CPU, and how
/// fast the table grows with room for what is expected.
pub fn longest() {
    const OBJECTS: u64 = 10_000_000;
    let mut took: Vec<u64> = Vec::with_capacity(OBJECTS as usize);
    fresh(OBJECTS, |table| {
        for object in 0..OBJECTS {
            let before = crate::paired::cpu_time();
            table.set(number(object), 0, 1).expect("there is room");
            took.push((crate::paired::cpu_time() - before).as_nanos() as u64);
        }
    });
    took.sort_unstable();
    let at = |last: usize| took[took.len() - last] / 1000;
    println!("longest of {OBJECTS} inserts: {} us, tenth {} us, hundredth {} us, thousandth {} us", at(1), at(10), at(100), at(1000));
    for batch in [1, 1000] {
        let path = place("expected");
        let options = Options::new().max_hashed_objects(OBJECTS).dense_keys(2).expected_objects(OBJECTS);
        let table: Table<Narrow> = options.create(&path).expect("a table can be created");
        println!("inserts of {OBJECTS} expected objects, {batch:4} at a time: {:.2} M/s", fill(&table, OBJECTS, batch));
        std::fs::remove_file(path).expect("the table was there");
    }
}
