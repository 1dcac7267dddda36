//! Interactions of each two factors.

use fauxplat_model::{Interaction, Sample};
use fauxplat_stats::henderson::{Parts, interaction, shares};
use fauxplat_stats::permute::{Crossing, LevelSums};

use super::{DRAWS, INTERVAL_LEVEL, Varied};

/// The interaction of each two drawn factors with enough runs to estimate the effect of every combination of levels.
/// The p-values are not adjusted yet.
pub(super) fn pairs(main: &Parts, varied: &[Varied], good: &[&Sample], seed: u64) -> Vec<Interaction> {
    let drawn: Vec<&Varied> = varied.iter().filter(|varied| varied.is_drawn).collect();
    let others = |at: usize| drawn[at + 1..].iter().map(move |other| (at, *other));
    let all = (0..drawn.len()).flat_map(others);
    all.filter_map(|(at, other)| pair(main, [drawn[at], other], good, seed)).collect()
}

/// The interaction that is reported: the largest of those that are significant at `level`, otherwise the largest of
/// all. A larger share that may be due to chance must not hide a smaller one that is significant.
pub(super) fn foremost(pairs: Vec<Interaction>, level: f64) -> Option<Interaction> {
    let is_named = |pair: &Interaction| pair.p_adjusted <= level;
    let by_share = |a: &Interaction, b: &Interaction| a.variance_share.total_cmp(&b.variance_share);
    pairs.into_iter().max_by(|a, b| is_named(a).cmp(&is_named(b)).then(by_share(a, b)))
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

/// p-value of the effect of the combinations of two factors' levels, which are called cells: the effects of each factor
/// alone are subtracted, and the remainder is permuted within the blocks (Freedman and Lane 1983).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_chance_is_told_before_what_is_larger() {
        let pair = |name: &str, variance_share: f64, p_adjusted: f64| Interaction {
            factors: [name.to_owned(), "cpu".to_owned()],
            variance_share,
            low: 0.0,
            high: 1.0,
            p_adjusted,
        };
        let told = |pairs: &[Interaction]| foremost(pairs.to_vec(), 0.01).map(|pair| pair.factors[0].clone());
        let all = [pair("large", 0.2, 0.6), pair("small", 0.02, 0.002), pair("clear", 0.05, 0.008)];
        assert_eq!(told(&all).as_deref(), Some("clear"));
        assert_eq!(told(&all[..2]).as_deref(), Some("small"));
        assert_eq!(told(&all[..1]).as_deref(), Some("large"));
        assert_eq!(told(&[]), None);
    }
}
