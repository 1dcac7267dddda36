//! Comparisons of an unchanged program with its measurement in another session.

use fauxplat_analyze::{Baseline, SessionLevels, baseline_findings, run_findings};
use fauxplat_model::{Metric, Rule, Sample, Verdict};

use super::noise::{Machine, Noise, SILENT};

/// A kind of comparison of an unchanged program with a baseline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) name: &'static str,
    /// Standard deviation of the typical time between sessions, as a log ratio.
    pub(crate) session_sd: f64,
    /// Number of earlier sessions of the program that are used to estimate the variation between sessions.
    pub(crate) history: usize,
}

/// Cells whose standard deviation between sessions is at, above and below the 1 % that is assumed if too few earlier
/// sessions are known.
pub(crate) fn cells() -> Vec<Cell> {
    let cell = |name, session_sd, history| Cell { name, session_sd, history };
    vec![
        cell("session sd 1 %, no earlier session known", 0.01, 0),
        cell("session sd 1 %, 3 earlier sessions known", 0.01, 3),
        cell("session sd 1 %, 5 earlier sessions known", 0.01, 5),
        cell("session sd 1 %, 10 earlier sessions known", 0.01, 10),
        cell("session sd 3 %, 3 earlier sessions known", 0.03, 3),
        cell("session sd 3 %, 10 earlier sessions known", 0.03, 10),
        cell("session sd 0.1 %, 3 earlier sessions known", 0.001, 3),
        cell("session sd 0.1 %, 10 earlier sessions known", 0.001, 10),
    ]
}

/// Number of runs in a session.
const RUNS: usize = 40;

/// Noise of the runs within a session.
const WITHIN: Noise = Noise { short_sd: 0.005, ..SILENT };

/// Number of comparisons, out of `comparisons`, that call a program different which is slower by the share `slower`.
/// With `paired`, the variation between sessions is estimated from *paired* differences of identical programs, to show
/// that this estimate is wrong.
pub(crate) fn called_different(cell: &Cell, comparisons: u64, (slower, paired): (f64, bool)) -> usize {
    (0..comparisons).filter(|&number| is_called_different(cell, number, slower, paired)).count()
}

fn is_called_different(cell: &Cell, number: u64, slower: f64, paired: bool) -> bool {
    let mut machine = Machine::new(WITHIN, number.wrapping_mul(0x2545_f491_4f6c_dd1d) + 1);
    let mut session = |slower: f64| {
        let level = cell.session_sd * machine.normal() + slower.ln_1p();
        machine.visit(std::iter::repeat_n((0, level), RUNS))
    };
    let history: Vec<Vec<Sample>> = (0..cell.history).map(|_| session(0.0)).collect();
    let (old, new) = (session(0.0), session(slower));
    let levels = match paired {
        false => SessionLevels::of(
            Metric::WALL,
            history.iter().map(|one| walls(one)).collect::<Vec<_>>().iter().map(Vec::as_slice),
        ),
        true => SessionLevels::of(
            Metric::WALL,
            history.iter().map(|one| halves(&walls(one))).collect::<Vec<_>>().iter().map(Vec::as_slice),
        ),
    };
    let findings = run_findings(&old, 1, false).remove(0);
    let baseline = Baseline { name: "old", values: &walls(&old), findings: &findings };
    let judged = baseline_findings(&Rule::default(), baseline, &new, "new", false, levels, number);
    judged.findings.comparisons[0].verdict == Verdict::Different
}

/// Wall times of the runs in nanoseconds.
fn walls(samples: &[Sample]) -> Vec<f64> {
    samples.iter().filter_map(|sample| sample.get(Metric::WALL)).map(|ns| ns as f64).collect()
}

/// Ratios of each second run to the run before it: paired differences, in which the level of the session cancels.
fn halves(walls: &[f64]) -> Vec<f64> {
    walls.chunks_exact(2).map(|two| two[1] / two[0]).collect()
}
