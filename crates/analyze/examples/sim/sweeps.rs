//! Simulated sweeps, whose noise and effects are known.

use fauxplat_analyze::{Decision, SweepJudge, SweepJudged, SweepLevel, SweepSubject};
use fauxplat_model::{Rule, StoppedBy, SweepAnswer};
use fauxplat_stats::draw::Draw;

use crate::noise::{Machine, Noise, SILENT};

/// A kind of simulated sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) name: &'static str,
    /// Number of levels of the factor, which are 16 bytes apart.
    pub(crate) levels: u16,
    pub(crate) noise: Noise,
    /// Effect of a level as a log ratio.
    pub(crate) effect: fn(u16) -> f64,
    /// Maximum number of blocks that visit all levels.
    pub(crate) blocks_max: u32,
    /// Whether every block visits all levels, and the sweep does not stop early.
    pub(crate) exhaustive: bool,
}

/// A few per cent of noise with spikes, as on a shared virtual machine.
pub(crate) const USUAL: Noise =
    Noise { process_sd: 0.01, load_sd: 0.01, load_phi: 0.97, spike_share: 0.02, spike_mean: 0.2, ..SILENT };

/// The noise [`USUAL`] with a competing program that comes and goes at random and takes half of the CPU.
pub(crate) const BURNER: Noise = Noise { burner: 0.69, burner_flip: 0.01, ..USUAL };

/// The noise [`USUAL`] with a stack whose place is drawn for each run; at a quarter of the places runs are slow, as if
/// the levels of [`lines`] were drawn at random.
pub(crate) const RANDOM_STACK: Noise = Noise { mode_gap: 0.28, mode_share: 0.25, ..USUAL };

/// Log ratio of the time at a place of the stack, in steps of 16 bytes: every fourth place is slow, and one place of a
/// page is much slower.
pub(crate) fn lines(level: u16) -> f64 {
    f64::from(level % 4 == 3) * 0.05 + f64::from(level % 256 == 171) * 0.4
}

/// The margin of 1 % as a log ratio.
const MARGIN: f64 = 0.009_950_33;

/// Log ratio of the time at each of 24 levels. Every second level is slower, by so much that the root mean square
/// difference over all 276 pairs of levels is the margin; 12 · 12 of these pairs differ.
fn apart(level: u16) -> f64 {
    f64::from(level % 2) * MARGIN * (276.0f64 / 144.0).sqrt()
}

/// Simulates a sweep from its first to its last block.
pub(crate) fn sweep(cell: &Cell, seed: u64) -> SweepJudged {
    let rule = Rule { max_pairs: cell.blocks_max, ..Rule::default() };
    let level = |index: u16| SweepLevel {
        name: (16 * index).to_string(),
        number: Some(16.0 * f64::from(index)),
        ..SweepLevel::default()
    };
    let subject = SweepSubject { factors: vec!["env-size".into()], unit: Some("bytes".into()) };
    let levels = (0..cell.levels).map(level).collect();
    let mut judge = SweepJudge::new(&rule, subject, levels, seed).exhaustive(cell.exhaustive);
    let mut machine = Machine::new(cell.noise, seed);
    let mut draw = Draw::new(seed, 9);
    let mut samples = Vec::new();
    while judge.decision() == Decision::GoOn {
        let mut order = judge.wanted();
        draw.shuffle(&mut order);
        let block = machine.visit(order.into_iter().map(|level| (level, (cell.effect)(level))));
        judge.block(&block);
        samples.extend(block);
    }
    judge.findings(&samples, StoppedBy::MaxPairs)
}

/// Numbers of sweeps with each answer, and of all their runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) effect: usize,
    pub(crate) no_effect: usize,
    pub(crate) undecided: usize,
    pub(crate) runs: usize,
}

/// Simulates a cell `times` times, with seeds from `from` on.
pub(crate) fn tally(cell: &Cell, from: u64, times: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in from..from + times {
        let findings = sweep(cell, seed).findings;
        tally.runs += findings.runs_done;
        match findings.finding.answer {
            SweepAnswer::Effect => tally.effect += 1,
            SweepAnswer::NoEffect => tally.no_effect += 1,
            SweepAnswer::Undecided => tally.undecided += 1,
        }
    }
    tally
}

/// The kinds of sweeps whose figures are in records/simulated/sweeps.md.
pub(crate) fn cells() -> Vec<Cell> {
    let none: fn(u16) -> f64 = |_| 0.0;
    let cell = |name, levels, noise, effect| Cell {
        name,
        levels,
        noise,
        effect,
        blocks_max: 128,
        exhaustive: false,
    };
    let plain = Noise { process_sd: 0.01, ..SILENT };
    let loud = Noise { process_sd: 0.03, ..SILENT };
    vec![
        cell("2 levels, normal 1 %, no effect", 2, plain, none),
        cell("2 levels, usual noise, no effect", 2, USUAL, none),
        cell("2 levels, CPU burner, no effect", 2, BURNER, none),
        cell("2 levels, usual noise, 2 % apart", 2, USUAL, |level| 0.02 * f64::from(level)),
        cell("2 levels, normal 1 %, apart by the margin", 2, plain, |level| MARGIN * f64::from(level)),
        cell("24 levels, normal 1 %, apart by the margin", 24, plain, apart),
        cell("24 levels, usual noise, no effect", 24, USUAL, none),
        cell("24 levels, CPU burner, no effect", 24, BURNER, none),
        cell("24 levels, usual noise, one 5 % slower", 24, USUAL, |level| 0.05 * f64::from(level == 9)),
        cell("512 levels, normal 1 %, no effect", 512, plain, none),
        cell("512 levels, normal 3 %, one 6 % slower", 512, loud, |level| 0.06 * f64::from(level == 300)),
        cell("512 levels, usual noise, no effect", 512, USUAL, none),
        cell("512 levels, CPU burner, no effect", 512, BURNER, none),
        cell("512 levels, usual noise, one 10 % slower", 512, USUAL, |level| 0.1 * f64::from(level == 300)),
        cell("512 levels, usual noise, cache line and page effects", 512, USUAL, lines),
        cell("512 levels, CPU burner, cache line and page effects", 512, BURNER, lines),
        cell("256 levels, random stack, no effect", 256, RANDOM_STACK, none),
    ]
}
