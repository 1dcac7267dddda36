//! Simulates the decision rules: `cargo run --release --example sim -p fauxplat-analyze [REPETITIONS]` prints the
//! tables `ref`, `shapes`, `margins`, `tails`, `carry-over` and `baselines`. A word before the number selects a single
//! table:
//!
//! - `ref`: figures with their references; `shapes`: false verdicts and power under noises of many shapes; `margins`:
//!   true differences up to the margin; `tails`: programs that differ in some of their runs only; `carry-over`: several
//!   commands in common blocks; `baselines`: comparisons with other sessions.
//! - `gates`, `passing`, and `oracle` (gates, compared with tests that know the noise); `carried`, `alternating`,
//!   `coverage`, `wholes`, each followed by a number and a word that selects rows by their names.
//! - `sweeps` and `speed` (the time of analysing a large sweep); `fleet`, `fleet speed`, and `fleet operator
//!   [REPETITIONS [found|watch|flags]]`.
//!
//! A figure is within its limits if it differs from its reference by at most 2.58 times the standard error of the
//! difference (99 %). A rate of false verdicts is within its limits if it exceeds the error level by at most 2.58
//! standard errors. The exit status is 1 if a figure or rate is outside.
#![expect(clippy::disallowed_macros, reason = "an example prints its table")]

mod alternating;
mod baselines;
mod carry_over;
mod cells;
mod designs;
mod fleet_table;
mod fleets;
mod noise;
mod operator_table;
mod oracle;
mod sweep_table;
mod sweeps;

use cells::{
    Cell, Reference, Tally, count_that_rises, margins, one_bad_layout, reference_cells, run, shapes,
    share_error, slow_among_modes, slow_in_a_loud_hour, slow_now_and_then,
};
use fauxplat_model::Rule;

/// Normal quantile of a two-sided interval of 99 %.
const Z: f64 = 2.58;

/// Number of comparisons from which each reference figure comes.
const REFERENCE_REPETITIONS: usize = 400;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or| words.get(at).and_then(|text| text.parse().ok()).unwrap_or(or);
    let named = |at: usize| words.get(at).map_or("", String::as_str);
    match words.first().map(String::as_str) {
        Some("ref") => finish(reference_table(number(1, 1000), threads())),
        Some("shapes") => finish(shapes_table(number(1, 1000), threads())),
        Some("gates") => designs::gates(number(1, 400)),
        Some("oracle") => oracle::print(number(1, 400)),
        Some("carried") => designs::carry_over(number(1, 400), named(2), number(3, 0) as u64),
        Some("alternating") => alternating::print(number(1, 400), named(2), number(3, 0) as u64),
        Some("coverage") => designs::coverage(number(1, 400), named(2)),
        Some("wholes") => designs::wholes(number(1, 400), named(2)),
        Some("passing") => designs::passing(number(1, 400)),
        Some("margins") => finish(margins_table(number(1, 1000), threads())),
        Some("tails") => finish(tails_table(number(1, 1000), threads())),
        Some("carry-over") => carry_over_table(number(1, 1000)),
        Some("baselines") => baselines_table(number(1, 1000)),
        Some("sweeps") => sweep_table::print(number(1, 200)),
        Some("speed") => sweep_table::speed(),
        Some("fleet") if words.get(1).is_some_and(|word| word == "speed") => fleet_table::speed(),
        Some("fleet") if words.get(1).is_some_and(|word| word == "operator") => {
            operator_table::print(number(2, 200), named(3));
        }
        Some("fleet") => fleet_table::print(number(1, 400)),
        _ => comparisons(number(0, 1000)),
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn comparisons(repetitions: usize) {
    println!("{repetitions} comparisons a line\n");
    let mut all = true;
    for table in [reference_table, shapes_table, margins_table, tails_table] {
        all &= table(repetitions, threads());
        println!();
    }
    carry_over_table(repetitions);
    println!();
    baselines_table(repetitions);
    println!();
    finish(all);
}

/// Prints whether all figures are within their limits, and exits with status 0 or 1 accordingly.
fn finish(all: bool) {
    println!("{} figures are within their bounds.", if all { "All" } else { "NOT all" });
    std::process::exit(i32::from(!all));
}

/// Prints the rate of false verdicts on the first two of several commands, the last of which slows down the run after
/// it.
fn carry_over_table(repetitions: usize) {
    println!(
        "Two identical programs beside a third, {repetitions} comparisons a line; level 1 %\n\n| commands | false % |\n| --- | --- |"
    );
    for cell in carry_over::cells() {
        let wrong = carry_over::false_verdicts(&cell, repetitions as u64);
        println!("| {} | {:.2} |", cell.name, 100.0 * wrong as f64 / repetitions as f64);
    }
}

/// Prints the rate of false verdicts on an unchanged program that is compared with its measurement in another session,
/// and how often a slower program is found.
fn baselines_table(repetitions: usize) {
    println!(
        "A program against a baseline, {repetitions} comparisons a line; level 1 %. Called different, in per cent: unchanged; \
         unchanged, by paired variance; slower by 5 %, by 10 %, by 20 %\n\n| sessions | unchanged | paired | 5 % | 10 % | 20 % \
         |\n| --- | --- | --- | --- | --- | --- |"
    );
    for cell in baselines::cells() {
        let share = |case| {
            let different = baselines::called_different(&cell, repetitions as u64, case);
            format!("{:.2}", 100.0 * different as f64 / repetitions as f64)
        };
        let cases = [(0.0, false), (0.0, true), (0.05, false), (0.1, false), (0.2, false)];
        println!("| {} | {} |", cell.name, cases.map(share).join(" | "));
    }
}

/// Prints the figures at an error level of 5 % beside their references. Returns whether all are within their limits.
fn reference_table(repetitions: usize, threads: usize) -> bool {
    println!("Level 5 %, limit 128 pairs; the references are what 400 comparisons by this rule gave.\n");
    println!("| case | figure | measured | reference | allowed ± | |\n| --- | --- | --- | --- | --- | --- |");
    let mut all = true;
    for (cell, reference) in reference_cells() {
        let tally = run(&cell, repetitions, threads);
        for (figure, measured, expected, error) in figures(&cell, &tally, reference) {
            let within = (measured - expected).abs() <= error;
            all &= within;
            let verdict = if within { "within" } else { "OUTSIDE" };
            println!("| {} | {figure} | {measured:.1} | {expected:.1} | {error:.1} | {verdict} |", cell.name);
        }
    }
    all
}

/// Name, simulated figure, reference and allowed distance of every figure of a cell; shares in per cent.
fn figures(cell: &Cell, tally: &Tally, reference: Reference) -> Vec<(&'static str, f64, f64, f64)> {
    let share = |name, count: usize, expected: Option<f64>| {
        let measured = tally.share(count);
        let distance = |expected: f64| {
            // A share of 0 or 100 % would have a standard error of zero, so 0.1 or 99.9 % is used in its place.
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

/// Prints false verdicts and power of three rules (error levels of 1 % and 5 %, and an anytime-valid test) under each
/// shape of noise. Returns whether no error level is exceeded.
fn shapes_table(repetitions: usize, threads: usize) -> bool {
    println!("Identical programs, and B 1 % slower; limit 128 pairs\n");
    println!("| noise | level | false % | equivalent % | pairs | 1 % found % | pairs | |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
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
                "| {name} | {label} | {:.2} | {:.1} | {:.1} | {:.1} | {:.1} | {} |",
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

/// Prints verdicts for a true difference of zero, half of the margin and the margin. Returns whether no error level is
/// exceeded.
fn margins_table(repetitions: usize, threads: usize) -> bool {
    println!(
        "Level 1 %, margin 1 %, limit 1024 pairs; *false* is *different* at 0 and *equivalent* at the margin\n"
    );
    println!("| noise | B slower by % | different % | equivalent % | equivalent as a whole % | pairs | |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut all = true;
    for cell in margins() {
        let tally = run(&cell, repetitions, threads);
        let wrong = match cell.effect {
            0.0 => tally.different,
            effect if effect < cell.rule.margin => 0,
            _ => tally.equivalent + tally.wrong_sign,
        };
        let within = tally.share(wrong) <= cell.rule.level + Z * share_error(cell.rule.level, repetitions);
        all &= within;
        println!(
            "| {} | {} | {:.2} | {:.2} | {:.2} | {:.1} | {} |",
            cell.name,
            100.0 * cell.effect,
            100.0 * tally.share(tally.different),
            100.0 * tally.share(tally.equivalent),
            100.0 * tally.share(tally.whole),
            tally.pairs_mean().0,
            if within { "within" } else { "ABOVE" }
        );
    }
    all
}

/// Prints verdicts on programs whose typical runs are equal and whose slow runs differ. Returns whether two kinds of
/// false verdicts stay within the error level: *equivalent as a whole* if slow runs differ by more than their margin,
/// and *different* for equal programs.
fn tails_table(repetitions: usize, threads: usize) -> bool {
    println!("Level 1 %, margin of the tail 3 points\n");
    println!(
        "| programs with equal typical runs | slow runs of B % | different % | slow runs named % | equivalent as a whole % | pairs | |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let shares = [0.0, 0.02, 0.05, 0.1, 0.2];
    let slow = shares.map(slow_now_and_then).into_iter().chain(shares.map(slow_in_a_loud_hour));
    let modes = [0.0, 0.05, 0.1].map(slow_among_modes);
    let counts = [0.0, 0.15].map(count_that_rises);
    let mut all = true;
    for cell in slow.chain(modes).chain(counts).chain([one_bad_layout()]) {
        let (tally, share) = (run(&cell, repetitions, threads), cell.noise.b_slow_share);
        let wrong = match share {
            0.0 => tally.different,
            share if share <= cell.rule.tail_margin => 0,
            _ => tally.whole,
        };
        let within = tally.share(wrong) <= cell.rule.level + Z * share_error(cell.rule.level, repetitions);
        all &= within;
        println!(
            "| {} | {} | {:.2} | {:.2} | {:.2} | {:.1} | {} |",
            cell.name,
            100.0 * share,
            100.0 * tally.share(tally.different),
            100.0 * tally.share(tally.in_tail),
            100.0 * tally.share(tally.whole),
            tally.pairs_mean().0,
            if within { "within" } else { "ABOVE" }
        );
    }
    all
}
