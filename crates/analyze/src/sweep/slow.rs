//! Levels at which some runs are much slower than the other runs at the same level, which typical differences do not
//! show.

use fauxplat_model::SlowLevel;
use fauxplat_stats::describe::{MAD_TO_SD, mad, median};
use fauxplat_stats::distribution::hypergeometric_upper;

use super::SweepJudge;

/// Number of scaled median absolute deviations above the median of its level beyond which a run is slow.
const FENCE: f64 = 5.0;

/// Minimum ratio of a slow run to the median of its level, even if the other runs hardly scatter.
const RATIO_MIN: f64 = 1.1;

/// Levels with significantly more slow runs than if any run were equally likely to be slow (Fisher's exact test,
/// one-sided, with Bonferroni's correction over the levels). `values` has the logarithms of the readings of each level.
pub(super) fn slow(judge: &SweepJudge, values: &[Vec<f64>]) -> Vec<SlowLevel> {
    let centres: Vec<Option<f64>> = values.iter().map(|values| median(values)).collect();
    let off: Vec<Vec<f64>> =
        values.iter().zip(&centres).map(|(values, centre)| beside(values, *centre)).collect();
    let all = off.concat();
    let fence = (FENCE * MAD_TO_SD * mad(&all).unwrap_or(0.0)).max(RATIO_MIN.ln());
    let beyond = |off: &[f64]| off.iter().copied().filter(|&off| off > fence).collect::<Vec<f64>>();
    let (runs, marked) = (all.len(), beyond(&all).len());
    let visited = values.iter().filter(|values| !values.is_empty()).count();
    let of_level = |(place, off): (usize, &Vec<f64>)| {
        let slow = beyond(off);
        let chance = hypergeometric_upper(runs, marked, off.len(), slow.len());
        let p_adjusted = (visited as f64 * chance).min(1.0);
        let ratio = median(&slow)?.exp();
        (p_adjusted <= judge.rule.level).then(|| SlowLevel {
            level: judge.levels[usize::from(judge.distinct[place])].name.clone(),
            runs: off.len(),
            slow_runs: slow.len(),
            ratio,
            p_adjusted,
        })
    };
    off.iter().enumerate().filter_map(of_level).collect()
}

fn beside(values: &[f64], centre: Option<f64>) -> Vec<f64> {
    values.iter().map(|value| value - centre.unwrap_or(0.0)).collect()
}
