//! Simulated series of sessions: how often a change is reported that is not there, and how many of the true changes are
//! found.
//!
//! `cargo run --release -p fauxplat-stats --example trends -- alarms 1000` (a number of series of each kind), `power
//! 200`, `gate 2000`, or `speed`; `series COUNT STEP` prints labelled series as lines of JSON, on which other programs
//! can be tried; a STEP of 0 is for series without a change.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "an example prints what it measured"
)]

use std::time::Instant;

use fauxplat_stats::draw::Draw;
use fauxplat_stats::levels::{Searcher, newest};

/// Number of sessions of a series.
const SESSIONS: usize = 200;

/// Standard deviation of the noise between sessions.
const SD: f64 = 0.02;

/// Probability with which the search may report a change in a series without one.
const LEVEL: f64 = 0.01;

/// First seed of the simulated series; the constants of the search were chosen on series of other seeds.
const SEED: u64 = 7_000_000;

/// Maximum distance in sessions of a reported change from a true change that counts as found.
const NEAR: usize = 5;

/// Minimum number of sessions between two changes.
const APART: usize = 20;

/// Kinds of noise of the simulated series.
const KINDS: [&str; 5] = ["normal", "heavy", "autocorrelated", "outliers", "seasonal"];

/// Noise of one of the [`KINDS`], with standard deviation [`SD`] except for outliers.
fn noise(kind: &str, n: usize, draw: &mut Draw) -> Vec<f64> {
    let (mut state, phase) = (draw.normal(), draw.uniform());
    let period = 7.0 + 23.0 * draw.uniform();
    let mut next = |at: usize| match kind {
        // Student's t with three degrees of freedom, whose standard deviation is the root of three.
        "heavy" => draw.normal() / (draw.chi_square(3.0) / 3.0).sqrt() / 3f64.sqrt(),
        "autocorrelated" => {
            state = 0.5 * state + 0.75f64.sqrt() * draw.normal();
            state
        }
        "outliers" => {
            let spike = if draw.uniform() < 0.05 { 5.0 + 10.0 * draw.uniform() } else { 0.0 };
            draw.normal() + spike
        }
        // Load that comes and goes with a period of 7 to 30 sessions, as large as the other noise.
        "seasonal" => {
            let wave = (std::f64::consts::TAU * (at as f64 / period + phase)).sin();
            (draw.normal() + 2f64.sqrt() * wave) / 2f64.sqrt()
        }
        _ => draw.normal(),
    };
    (0..n).map(|at| SD * next(at)).collect()
}

/// A series with one to three changes of a size, up or down, and their places; without changes for a size of zero.
fn labelled(kind: &str, step: f64, seed: u64) -> (Vec<f64>, Vec<usize>) {
    let mut draw = Draw::new(seed, 7);
    let mut values = noise(kind, SESSIONS, &mut draw);
    let count = if step > 0.0 { 1 + draw.below(3) } else { 0 };
    let mut places: Vec<usize> = Vec::new();
    while places.len() < count {
        let at = APART + draw.below(SESSIONS - 2 * APART);
        if places.iter().all(|other| other.abs_diff(at) >= APART) {
            places.push(at);
        }
    }
    places.sort_unstable();
    for &at in &places {
        let shift = if draw.below(2) == 0 { step * SD } else { -step * SD };
        values[at..].iter_mut().for_each(|value| *value += shift);
    }
    (values, places)
}

/// Numbers of reported changes that are true, of all reported changes, and of all true changes.
#[derive(Clone, Copy, Default)]
struct Count {
    hits: usize,
    told: usize,
    truths: usize,
}

impl Count {
    fn add(&mut self, told: &[usize], truths: &[usize]) {
        let mut left = told.to_vec();
        for truth in truths {
            let nearest = (0..left.len()).min_by_key(|&at| left[at].abs_diff(*truth));
            if let Some(at) = nearest.filter(|&at| left[at].abs_diff(*truth) <= NEAR) {
                left.remove(at);
                self.hits += 1;
            }
        }
        self.told += told.len();
        self.truths += truths.len();
    }

    fn f1(self) -> f64 {
        2.0 * self.hits as f64 / (self.told + self.truths).max(1) as f64
    }
}

fn alarms(count: u64) {
    println!("| noise | series | with a false change | share |\n| --- | --- | --- | --- |");
    let mut searcher = Searcher::new(48);
    for kind in KINDS {
        let told = (0..count)
            .filter(|number| !searcher.steps(&labelled(kind, 0.0, SEED + number).0, LEVEL).is_empty())
            .count();
        println!("| {kind} | {count} | {told} | {:.2} % |", 100.0 * told as f64 / count as f64);
    }
}

fn power(count: u64) {
    println!("| noise | step, sd | F1 | precision | recall |\n| --- | --- | --- | --- | --- |");
    let mut searcher = Searcher::new(48);
    for kind in KINDS {
        for step in [1.0, 1.5, 2.0, 3.0] {
            let mut counted = Count::default();
            for number in 0..count {
                let (values, truths) = labelled(kind, step, SEED + number);
                let steps = searcher.steps(&values, LEVEL);
                counted.add(&steps.iter().map(|step| step.at).collect::<Vec<_>>(), &truths);
            }
            let (precision, recall) = (
                counted.hits as f64 / counted.told.max(1) as f64,
                counted.hits as f64 / counted.truths.max(1) as f64,
            );
            println!("| {kind} | {step} | {:.3} | {precision:.3} | {recall:.3} |", counted.f1());
        }
    }
}

fn gate(count: u64) {
    println!("| noise | past | share of intervals that miss | at a level of |\n| --- | --- | --- | --- |");
    for kind in KINDS {
        for past in [10, 30, 100] {
            let missed = (0..count).filter(|number| {
                let values = noise(kind, past + 1, &mut Draw::new(SEED + number, 9));
                let told = newest(&values[..past], values[past], LEVEL);
                told.is_some_and(|it| it.low > 0.0 || it.high < 0.0)
            });
            println!("| {kind} | {past} | {:.2} % | 1 % |", 100.0 * missed.count() as f64 / count as f64);
        }
    }
}

fn speed() {
    println!("| sessions | changes | found | s |\n| --- | --- | --- | --- |");
    for (sessions, changes) in [(1000, 0), (1000, 10), (10_000, 0), (10_000, 50)] {
        let mut values = noise("normal", sessions, &mut Draw::new(SEED, 11));
        for number in 0..changes {
            let shift = if number % 2 == 0 { 3.0 * SD } else { -3.0 * SD };
            values[(number + 1) * sessions / (changes + 1)..].iter_mut().for_each(|value| *value += shift);
        }
        let began = Instant::now();
        let found = Searcher::new(48).steps(&values, LEVEL).len();
        println!("| {sessions} | {changes} | {found} | {:.2} |", began.elapsed().as_secs_f64());
    }
}

fn series(count: u64, step: f64) {
    for kind in KINDS {
        for number in 0..count {
            let (values, truths) = labelled(kind, step, SEED + number);
            println!("{{\"kind\":\"{kind}\",\"step\":{step},\"truths\":{truths:?},\"values\":{values:?}}}");
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(usual);
    match words.first().map(String::as_str) {
        Some("alarms") => alarms(number(1, 1000)),
        Some("power") => power(number(1, 200)),
        Some("gate") => gate(number(1, 2000)),
        Some("speed") => speed(),
        Some("series") => series(number(1, 100), words.get(2).and_then(|it| it.parse().ok()).unwrap_or(0.0)),
        _ => println!("alarms COUNT | power COUNT | gate COUNT | speed | series COUNT STEP"),
    }
}
