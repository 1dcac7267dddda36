//! What factors do only together, two by two.

use fauxplat_model::{Interaction, Sample};
use fauxplat_stats::henderson::{Parts, interaction, shares};
use fauxplat_stats::permute::{Crossing, LevelSums};

use super::{DRAWS, INTERVAL_LEVEL, Varied};

/// Every pair of factors that were drawn and have enough runs for a table of both. The p-values are not adjusted yet.
pub(super) fn pairs(main: &Parts, varied: &[Varied], good: &[&Sample], seed: u64) -> Vec<Interaction> {
    let drawn: Vec<&Varied> = varied.iter().filter(|varied| varied.is_drawn).collect();
    let others = |at: usize| drawn[at + 1..].iter().map(move |other| (at, *other));
    let all = (0..drawn.len()).flat_map(others);
    all.filter_map(|(at, other)| pair(main, [drawn[at], other], good, seed)).collect()
}

fn pair(main: &Parts, [one, other]: [&Varied; 2], good: &[&Sample], seed: u64) -> Option<Interaction> {
    let (rows, columns) = (one.column.count, other.column.count);
    let cell = |(&row, &column): (&u16, &u16)| row * columns as u16 + column;
    let cells: Vec<u16> = one.column.levels.iter().zip(&other.column.levels).map(cell).collect();
    let part = interaction(main, &cells, (rows, columns))?;
    let mut with = main.clone();
    with.residual = (main.residual - part.variance).max(0.0);
    with.factors.push(part);
    let all = shares(&with, INTERVAL_LEVEL, seed);
    let share = all.get(main.factors.len())?;
    Some(Interaction {
        factors: [one.name.clone(), other.name.clone()],
        variance_share: share.share,
        low: share.low,
        high: share.high,
        p_adjusted: p_value(main, &cells, rows * columns, good, seed),
    })
}

/// p-value of a table of cells: what both factors do by themselves is taken out, and what is left is dealt out again
/// within the blocks (Freedman and Lane 1983).
fn p_value(main: &Parts, cells: &[u16], count: usize, good: &[&Sample], seed: u64) -> f64 {
    let mut sums = LevelSums::new(count, DRAWS, seed ^ 2);
    let mut from = 0;
    for block in good.chunk_by(|one, next| one.block == next.block) {
        let runs = from..from + block.len();
        sums.add(&cells[runs.clone()], &main.left[runs]);
        from += block.len();
    }
    let mut crossing = Crossing::default();
    crossing.look(&sums, 0.0);
    crossing.p_value()
}
