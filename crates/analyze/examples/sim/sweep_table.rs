//! Tables of simulated sweeps, and the time of the analysis.

#![expect(clippy::disallowed_methods, reason = "the time of the analysis is what is measured")]

use std::time::Instant;

use crate::sweeps::{BURNER, Cell, cells, lines, sweep, tally};

/// Prints how often each answer is given, and the mean number of runs, for `sweeps` sweeps of each kind.
pub(crate) fn print(sweeps: usize) {
    println!("{sweeps} sweeps a line; level and margin 1 %\n");
    println!("| sweep | effect % | no effect % | undecided % | runs |\n| --- | --- | --- | --- | --- |");
    for cell in cells() {
        let found = tally(&cell, 1, sweeps as u64);
        let percent = |count: usize| 100.0 * count as f64 / sweeps as f64;
        println!(
            "| {} | {:.1} | {:.1} | {:.1} | {:.0} |",
            cell.name,
            percent(found.effect),
            percent(found.no_effect),
            percent(found.undecided),
            found.runs as f64 / sweeps as f64
        );
    }
}

/// Prints the time of simulating and analysing a sweep of 500 levels in 50 blocks.
pub(crate) fn speed() {
    let cell = Cell { name: "", levels: 500, noise: BURNER, effect: lines, blocks_max: 50, exhaustive: true };
    let began = Instant::now();
    let findings = sweep(&cell, 1).findings;
    let whole = began.elapsed();
    println!("{} runs judged in {:.2} s: {:?}", findings.runs_done, whole.as_secs_f64(), findings.finding);
}
