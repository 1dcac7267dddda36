//! Measures the time of a look at the data, in which the judge tests whether a comparison can stop: `cargo xtask bench
//! look`. With `stands [REPETITIONS]` the outcomes of many simulated comparisons are printed instead, one a line, so
//! that two versions of the decision rule can be compared.
#![expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "an example measures and prints")]

#[expect(dead_code, reason = "the simulation uses more of it")]
#[path = "../sim/cells.rs"]
mod cells;
#[path = "../sim/noise.rs"]
mod noise;

use std::time::Instant;

use cells::{Cell, reference_cells, shapes, slow_now_and_then};
use fauxplat_analyze::{Decision, Judge};
use fauxplat_model::{Rule, Sample};
use noise::{Machine, Noise, SILENT};

/// Numbers of pairs at which the time of a look at the data is measured.
const PAIRS: [usize; 3] = [128, 1024, 4096];

/// Number of comparisons whose median is printed.
const COMPARISONS: u64 = 15;

/// Repetitions of every look at the data. The shortest time counts, so that disturbances by other processes do not.
const TRIES: u32 = 5;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("stands") => stands(words.get(1).and_then(|text| text.parse().ok()).unwrap_or(20)),
        _ => costs(),
    }
}

/// Name, noise under which a comparison stays open for long, true difference as a log ratio, and rule.
type Kind = (&'static str, Noise, f64, Rule);

/// Kinds of noise under which a look at the data has to compute little, much, or as much as possible.
fn kinds() -> [Kind; 4] {
    let modes = Noise { short_sd: 0.1, mode_gap: 0.8, ..SILENT };
    let slow = Noise { short_sd: 0.01, spike_share: 0.2, spike_mean: 0.5, ..SILENT };
    // With a narrow margin, equal programs are not called equivalent early.
    let narrow = Rule { margin: 1e-4, ..Rule::default() };
    [
        ("no verdict is near", Noise { short_sd: 0.5, ..SILENT }, 0.0, Rule::default()),
        ("nearly different, normal noise", Noise { short_sd: 0.3, ..SILENT }, 0.017, narrow.clone()),
        ("nearly different, two modes", modes, 0.006, narrow),
        ("typical runs equal, slow runs open", slow, 0.0, Rule { tail_margin: 0.002, ..Rule::default() }),
    ]
}

fn costs() {
    println!(
        "{:<38} {:>12} {:>12} {:>12}   ms a look, median of {COMPARISONS} (largest)",
        "", 128, 1024, 4096
    );
    for (name, noise, effect, rule) in kinds() {
        let mut times = [const { Vec::new() }; PAIRS.len()];
        (1..=COMPARISONS).for_each(|seed| comparison(noise, effect, (&rule, seed), &mut times));
        let figures = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            match times.as_slice() {
                [] => "-".to_owned(),
                all => format!("{:.2} ({:.1})", all[all.len() / 2], all[all.len() - 1]),
            }
        });
        println!("{name:<38} {:>12} {:>12} {:>12}", figures[0], figures[1], figures[2]);
    }
}

/// Measures the times of looks at the data in milliseconds and appends them to `times`. The limit of pairs lies beyond
/// the last of these looks, so that none of them is the final look.
fn comparison(noise: Noise, effect: f64, (rule, seed): (&Rule, u64), times: &mut [Vec<f64>; PAIRS.len()]) {
    let rule = Rule { max_pairs: 8192, ..rule.clone() };
    let mut judge = Judge::new(&rule, 2, seed);
    let mut machine = Machine::new(noise, seed);
    for pair in 1..=PAIRS[PAIRS.len() - 1] {
        let block = machine.block(effect);
        if let Some(place) = PAIRS.iter().position(|&pairs| pairs == pair) {
            times[place].push((0..TRIES).map(|_| time_ms(judge.clone(), &block)).fold(f64::MAX, f64::min));
        }
        if judge.block(&block) == Decision::Stop {
            return;
        }
    }
}

/// Time in milliseconds in which a judge adds a block and looks at the data.
fn time_ms(mut judge: Judge, block: &[Sample]) -> f64 {
    let start = Instant::now();
    judge.block(block);
    start.elapsed().as_secs_f64() * 1e3
}

/// Prints verdict, pairs and interval of each of `repetitions` comparisons under every noise.
fn stands(repetitions: u64) {
    let rule = |max_pairs| Rule { max_pairs, ..Rule::default() };
    let usual = reference_cells().into_iter().map(|(cell, _)| cell);
    let shapes = shapes().into_iter().flat_map(|(name, noise)| {
        [(0.0, 128), (0.01, 128), (0.01, 512), (0.003, 512)].map(|(effect, pairs)| Cell {
            name,
            noise,
            effect,
            rule: rule(pairs),
        })
    });
    let open = kinds().map(|(name, noise, effect, rule)| {
        let rule = Rule { max_pairs: 1024, ..rule };
        Cell { name, noise, effect, rule }
    });
    for cell in usual.chain(shapes).chain([slow_now_and_then(0.05)]).chain(open) {
        for seed in 1..=repetitions {
            let mut judge = Judge::new(&cell.rule, 2, seed).layouts(cell.noise.layout_sd > 0.0);
            let mut machine = Machine::new(cell.noise, seed);
            while judge.block(&machine.block(cell.effect.ln_1p())) == Decision::GoOn {}
            if let Some(stand) = judge.stand(1) {
                println!(
                    "{} {} {} {seed} {:?} {:?} {} {} {:.7} {:.7} {:.7}",
                    cell.name,
                    cell.effect,
                    cell.rule.max_pairs,
                    stand.verdict,
                    stand.extent,
                    stand.pairs,
                    stand.pairs_typical,
                    stand.effect_ratio,
                    stand.ci_low_ratio,
                    stand.ci_high_ratio
                );
            }
        }
    }
}
