//! Paired measurement: limit, candidate, limit in each round, and the median of the rounds' ratios.

use std::hint::black_box;
use std::time::Duration;

/// Rounds of a comparison. Odd, so that the median is one of them.
pub const ROUNDS: usize = 31;

/// Time that this thread has spent on a CPU. On a machine that does other work as well, the wall's clock measures whose
/// turn it was.
pub fn cpu_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime(2) fills the record.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Times a pass after an untimed one of the same code, so that each contestant meets the caches that it left itself.
/// Without the untimed pass a second copy of the limit scores 0.73 against the first, because the first ran twice in a
/// row; with it, it scores 1 (`control`).
fn pass(work: &mut dyn FnMut() -> i64) -> f64 {
    black_box(work());
    let start = cpu_time();
    black_box(work());
    (cpu_time() - start).as_secs_f64()
}

/// The result of a comparison.
pub struct Ratio {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    /// Best pass of the candidate and of the limit, in seconds.
    pub best: (f64, f64),
}

/// How fast the candidate is as a part of the limit: the limit's time divided by the candidate's.
pub fn paired(rounds: usize, limit: &mut dyn FnMut() -> i64, candidate: &mut dyn FnMut() -> i64) -> Ratio {
    let mut ratios = Vec::new();
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..rounds {
        let before = pass(limit);
        let own = pass(candidate);
        let after = pass(limit);
        best = (best.0.min(own), best.1.min(before).min(after));
        ratios.push((before + after) / 2.0 / own);
    }
    ratios.sort_by(f64::total_cmp);
    let at = |part: f64| ratios[((ratios.len() - 1) as f64 * part).round() as usize];
    Ratio { median: at(0.5), low: at(0.1), high: at(0.9), best }
}

/// Prints one line; `operations` are those of one pass.
pub fn report(name: &str, operations: usize, rounds: usize, limit: &mut dyn FnMut() -> i64, candidate: &mut dyn FnMut() -> i64) -> f64 {
    let ratio = paired(rounds, limit, candidate);
    let rate = |seconds: f64| operations as f64 / seconds / 1e6;
    println!(
        "{name:44} {:7.3}  [{:.3} {:.3}]  best {:7.1} M/s, limit {:7.1} M/s",
        ratio.median,
        ratio.low,
        ratio.high,
        rate(ratio.best.0),
        rate(ratio.best.1)
    );
    ratio.median
}
