//! Searches on simulated machines: `cargo run --example simulated -p fauxplat-commits [SEARCHES] [LEVEL] [LIMIT_S]`.
//!
//! Each row of the table is a history of 200 commits with a planted change, or without one, and with noise of a stated
//! kind. The searches of a row differ by their seeds and by the place of the change. A search may name a wrong commit
//! with a probability of at most the level.
#![expect(clippy::disallowed_macros, reason = "an example prints its table")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use fauxplat_commits::findings::Answer;
use support::{COMMITS, History, Noise, searched};

/// Number of searches of a row by their outcome, and number of their runs.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: usize,
    wrong: usize,
    several: usize,
    unconfirmed: usize,
    none: usize,
    runs: usize,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: f64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(or);
    let (count, level, limit_s) = (number(0, 100.0) as usize, number(1, 0.01), number(2, 20.0));
    println!("{count} searches a row among {COMMITS} commits, level {level}, {limit_s} s a step at most\n");
    println!("| noise | change | right | wrong | several | not confirmed | no change | runs, mean |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let rows = [
        ("normal 1 %", Noise { sd: 0.01, ..Noise::NONE }, 1.03),
        ("normal 5 %", Noise { sd: 0.05, ..Noise::NONE }, 1.03),
        ("normal 5 %", Noise { sd: 0.05, ..Noise::NONE }, 0.97),
        ("burner", Noise::BURNER, 1.03),
        ("burner, builds ± 0.2 %", Noise { build_sd: 0.002, ..Noise::BURNER }, 1.03),
        ("normal 1 %", Noise { sd: 0.01, ..Noise::NONE }, 1.0),
        ("burner", Noise::BURNER, 1.0),
        ("burner, builds ± 0.2 %", Noise { build_sd: 0.002, ..Noise::BURNER }, 1.0),
    ];
    for (name, noise, change) in rows {
        let tally = row(count, (level, limit_s), noise, change);
        let runs = tally.runs / count.max(1);
        println!(
            "| {name} | {:+.0} % | {} | {} | {} | {} | {} | {runs} |",
            100.0 * (change - 1.0),
            tally.right,
            tally.wrong,
            tally.several,
            tally.unconfirmed,
            tally.none
        );
    }
}

/// Carries out the searches of a row on all CPUs, and returns their outcomes.
fn row(count: usize, limits: (f64, f64), noise: Noise, change: f64) -> Tally {
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= count {
                        return;
                    }
                    // The places of the change are spread over the whole history.
                    let truth = 1 + seed * 77 % COMMITS;
                    let (hunted, runs) = searched(&History { truth, change, noise }, seed as u64, limits);
                    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                    tally.runs += runs;
                    let is_right = change != 1.0 && hunted.suspects == [truth];
                    let place = match hunted.answer {
                        Answer::Commit if is_right => &mut tally.right,
                        Answer::Commit => &mut tally.wrong,
                        Answer::NotConfirmed => &mut tally.unconfirmed,
                        Answer::NoChange | Answer::NotShown => &mut tally.none,
                        Answer::Several | Answer::Stopped => &mut tally.several,
                    };
                    *place += 1;
                }
            });
        }
    });
    tally.into_inner().unwrap_or_else(PoisonError::into_inner)
}
