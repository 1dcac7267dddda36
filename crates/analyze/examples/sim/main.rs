//! Simulates the decision rule: `cargo run --release --example sim -p fauxplat-analyze [REPETITIONS]`; with
//! `carry-over [REPETITIONS]` that of several commands, with `baselines [REPETITIONS]` that of stored results, with
//! `sweeps [REPETITIONS]` that of sweeps, with `speed` the time that the analysis of a large sweep takes; with
//! `fleet [REPETITIONS]` who is flagged in fleets, with `fleet speed` the time that judging a large one takes.
//!
//! The first table sets the measured figures beside the reference figures, the second shows false verdicts and power
//! under noises of many shapes. A figure is within when it differs from its reference by at most 2.58 standard errors
//! of both (99 %), a false rate when it is not above its level by more than that. Anything outside ends with status 1.
#![expect(clippy::disallowed_macros, reason = "an example prints its table")]

mod baselines;
mod carry_over;
mod cells;
mod fleet_table;
mod fleets;
mod noise;
mod sweep_table;
mod sweeps;

use cells::{
    Cell, Reference, Tally, one_bad_layout, reference_cells, run, shapes, share_error, slow_now_and_then,
};
use fauxplat_model::Rule;

/// Two-sided 99 %.
const Z: f64 = 2.58;

/// Repetitions behind each reference figure.
const REFERENCE_REPETITIONS: usize = 400;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or| words.get(at).and_then(|text| text.parse().ok()).unwrap_or(or);
    match words.first().map(String::as_str) {
        Some("carry-over") => carry_over_table(number(1, 1000)),
        Some("baselines") => baselines_table(number(1, 1000)),
        Some("sweeps") => sweep_table::print(number(1, 200)),
        Some("speed") => sweep_table::speed(),
        Some("fleet") if words.get(1).is_some_and(|word| word == "speed") => fleet_table::speed(),
        Some("fleet") => fleet_table::print(number(1, 400)),
        _ => comparisons(number(0, 1000)),
    }
}

fn comparisons(repetitions: usize) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{repetitions} comparisons a cell\n");
    let reference = reference_table(repetitions, threads);
    println!();
    let shapes = shapes_table(repetitions, threads);
    println!();
    tails_table(repetitions, threads);
    println!("\n{}", if reference && shapes { "all within" } else { "NOT all within" });
    std::process::exit(i32::from(!(reference && shapes)));
}

/// False verdicts on the first two of several commands, the last of which leaves something behind.
fn carry_over_table(repetitions: usize) {
    println!("{repetitions} comparisons a line; level 1 %\n\n| commands | false % |\n| --- | --- |");
    for cell in carry_over::cells() {
        let wrong = carry_over::false_verdicts(&cell, repetitions as u64);
        println!("| {} | {:.2} |", cell.name, 100.0 * wrong as f64 / repetitions as f64);
    }
}

/// False verdicts on an unchanged program against what was measured of it in another session.
fn baselines_table(repetitions: usize) {
    println!(
        "{repetitions} comparisons a line; level 1 %\n\n| sessions | false % | by paired variance % |\n| --- | --- | --- |"
    );
    for cell in baselines::cells() {
        let wrong = |paired| {
            100.0 * baselines::false_verdicts(&cell, repetitions as u64, paired) as f64 / repetitions as f64
        };
        println!("| {} | {:.2} | {:.2} |", cell.name, wrong(false), wrong(true));
    }
}

/// Level 5 %, against the reference figures. Says whether all are within.
fn reference_table(repetitions: usize, threads: usize) -> bool {
    println!("level 5 %                figure        measured   reference  Monte-Carlo ±");
    let mut all = true;
    for (cell, reference) in reference_cells() {
        let tally = run(&cell, repetitions, threads);
        for (figure, measured, expected, error) in figures(&cell, &tally, reference) {
            let within = (measured - expected).abs() <= error;
            all &= within;
            let verdict = if within { "within" } else { "OUTSIDE" };
            println!(
                "{:<24} {figure:<12} {measured:>9.1} {expected:>11.1} {error:>14.1}  {verdict}",
                cell.name
            );
        }
    }
    all
}

/// Name, measured figure, reference and allowed distance of every figure of a cell; shares in per cent.
fn figures(cell: &Cell, tally: &Tally, reference: Reference) -> Vec<(&'static str, f64, f64, f64)> {
    let share = |name, count: usize, expected: Option<f64>| {
        let measured = tally.share(count);
        let distance = |expected: f64| {
            // A reference of 100 % has no spread of its own; the spread of 99.9 % stands in for it.
            let typical = ((measured + expected) / 2.0).clamp(0.001, 0.999);
            Z * share_error(typical, tally.pairs.len()).hypot(share_error(typical, REFERENCE_REPETITIONS))
        };
        expected.map(|expected| (name, 100.0 * measured, 100.0 * expected, 100.0 * distance(expected)))
    };
    let (pairs, error) = tally.pairs_mean();
    let spread = error * (tally.pairs.len() as f64).sqrt();
    let pairs_error = Z * error.hypot(spread / (REFERENCE_REPETITIONS as f64).sqrt()) + 0.5;
    let different = if cell.effect == 0.0 { "false %" } else { "found %" };
    let rows = [
        share(
            different,
            tally.different - if cell.effect == 0.0 { 0 } else { tally.wrong_sign },
            reference.0,
        ),
        share("equivalent %", tally.equivalent, reference.1),
        reference.2.map(|expected| ("pairs", pairs, expected, pairs_error)),
    ];
    rows.into_iter().flatten().collect()
}

/// False verdicts and power at three settings under each shape of noise. Says whether no level is exceeded.
fn shapes_table(repetitions: usize, threads: usize) -> bool {
    println!("noise                        rule       false %  equivalent %  pairs   1 %: found %  pairs");
    let rules = [
        ("1 %", Rule::default()),
        ("5 %", Rule { level: 0.05, ..Rule::default() }),
        ("anytime 1 %", Rule { anytime: true, ..Rule::default() }),
    ];
    let mut all = true;
    for (name, noise) in shapes() {
        for (label, rule) in &rules {
            let cell = |effect| Cell { name, noise, effect, rule: rule.clone() };
            let same = run(&cell(0.0), repetitions, threads);
            let slower = run(&cell(0.01), repetitions, threads);
            let rate = same.share(same.different);
            let within = rate <= rule.level + Z * share_error(rule.level, repetitions);
            all &= within;
            println!(
                "{name:<28} {label:<11} {:>6.2} {:>13.1} {:>6.1} {:>14.1} {:>6.1}  {}",
                100.0 * rate,
                100.0 * same.share(same.equivalent),
                same.pairs_mean().0,
                100.0 * slower.share(slower.different - slower.wrong_sign),
                slower.pairs_mean().0,
                if within { "within" } else { "ABOVE" }
            );
        }
    }
    all
}

/// Programs that are not the same although their typical runs are.
fn tails_table(repetitions: usize, threads: usize) {
    println!("typical runs alike           different %  equivalent as a whole %  pairs");
    let slow = [0.02, 0.05, 0.1, 0.2].map(|share| (Some(share), slow_now_and_then(share)));
    for (share, cell) in slow.into_iter().chain([(None, one_bad_layout())]) {
        let tally = run(&cell, repetitions, threads);
        let share = share.map_or_else(String::new, |share: f64| format!(", {:.0} %", 100.0 * share));
        println!(
            "{:<34} {:>5.1} {:>24.1} {:>6.1}",
            format!("{}{share}", cell.name),
            100.0 * tally.share(tally.different),
            100.0 * tally.share(tally.whole),
            tally.pairs_mean().0
        );
    }
}
