//! Places within the levels of a factor, such as displacements of the stack within a sixteenth of a page.

use fauxplat_model::Sample;
use fauxplat_stats::henderson::{Factor, LevelEffect, Parts};
use fauxplat_stats::permute::{Crossing, LevelSums};

use super::{DRAWS, ExplainFactor, Varied};

/// The places that the levels of a factor consist of.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainPlaces {
    /// Names of all places, level after level. All levels have the same number of places.
    pub names: Vec<String>,
    /// Index of the place in `names`, by block and by position within the block. In as many successive blocks as a
    /// level has places, each place occurs at most once, in random order.
    pub at: Vec<Vec<u16>>,
}

/// Maximum number of levels that a report lists in full. If there are more, the `EXTREMES_TOLD` fastest and the
/// `EXTREMES_TOLD` slowest are listed.
const LEVELS_TOLD: usize = 64;
const EXTREMES_TOLD: usize = 8;

/// Adds the places of each factor to the estimates and to `varied`, as a further factor, if there are enough runs.
pub(super) fn with_places(
    main: Parts,
    factors: &[ExplainFactor],
    varied: &mut Vec<Varied>,
    (values, good): (&[f64], &[&Sample]),
    seed: u64,
) -> Parts {
    let left = main.left.clone();
    let fit = main.values.iter().zip(&left).map(|(value, left)| value - left);
    let plain: Vec<f64> = values.iter().zip(fit).map(|(value, fit)| value - main.centre - fit).collect();
    let mut parts = main;
    for factor in factors {
        let is_varied = varied.iter().any(|one| one.name == factor.name);
        let Some(places) = factor.places.as_ref().filter(|_| is_varied) else { continue };
        let Some(column) = column(places, good) else { continue };
        let within = places.names.len() / factor.levels.len().max(1);
        let added = parts.clone().with_places(values, &column, places.names.len(), within);
        parts = match added {
            Some(with) => {
                let p_value = Some(p_value([&left, &plain], &column, places.names.len(), good, seed));
                let column = Factor { levels: column, count: places.names.len(), is_sample: true };
                let (name, levels) = (format!("{}-place", factor.name), places.names.clone());
                varied.push(Varied { name, levels, column, is_drawn: true, p_value });
                with
            }
            None => parts,
        };
    }
    parts
}

fn column(places: &ExplainPlaces, good: &[&Sample]) -> Option<Vec<u16>> {
    let at = |run: &&Sample| places.at.get(run.block as usize)?.get(usize::from(run.position)).copied();
    good.iter().map(at).collect()
}

/// p-value of the effect of places that were drawn anew in each round of blocks. The effects of the factors are
/// subtracted from the log times, which are then permuted within the blocks, to show how large the effect could be by
/// chance (Freedman and Lane 1983). Two tests share the error level: of winsorised values, for many places that differ
/// a little, and of plain values, for a single place that is much slower.
fn p_value(views: [&[f64]; 2], places: &[u16], count: usize, good: &[&Sample], seed: u64) -> f64 {
    let of = |values: &[f64]| {
        let mut sums = LevelSums::new(count, DRAWS, seed ^ 1);
        let mut from = 0;
        for block in good.chunk_by(|one, next| one.block == next.block) {
            let runs = from..from + block.len();
            sums.add(&places[runs.clone()], &values[runs]);
            from += block.len();
        }
        let mut crossing = Crossing::default();
        crossing.look(&sums, 0.0);
        crossing.p_value()
    };
    let [pulled_in, plain] = views.map(of);
    (2.0 * pulled_in.min(plain)).min(1.0)
}

/// The levels that a report lists, in their order: up to [`LEVELS_TOLD`] all of them, otherwise the levels with the
/// largest and the smallest effects.
pub(super) fn told<'a>(
    names: &'a [String],
    effects: &'a [LevelEffect],
) -> Vec<(&'a String, &'a LevelEffect)> {
    let mut all: Vec<(usize, (&String, &LevelEffect))> = names.iter().zip(effects).enumerate().collect();
    if all.len() > LEVELS_TOLD {
        all.retain(|(_, (_, effect))| effect.runs > 0);
        all.sort_by(|(_, (_, a)), (_, (_, b))| a.effect.total_cmp(&b.effect));
        let last = all.len().saturating_sub(EXTREMES_TOLD).max(EXTREMES_TOLD.min(all.len()));
        all.drain(EXTREMES_TOLD.min(all.len())..last);
        all.sort_by_key(|(at, _)| *at);
    }
    all.into_iter().map(|(_, level)| level).collect()
}
