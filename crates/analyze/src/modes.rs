//! The share of runs in each of two modes (clusters of readings), for two commands.

use fauxplat_model::{ModeShares, Side};
use fauxplat_stats::describe::{mean, variance};
use fauxplat_stats::modes::Modes;
use fauxplat_stats::paired::Question;
use fauxplat_stats::paired::path::Keys;
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::proportion::wilson_of_share;
use fauxplat_stats::series::dependence_inflation;

use crate::contest::Contest;
use crate::paths::Paths;
use crate::standing::Standing;

/// Minimum effective number of independent runs of a command for which a share is reported: a machine that changes its
/// state once or twice also makes two levels of readings, which are no modes of the program.
const RUNS_MIN: f64 = 20.0;

/// Minimum share of a command's readings that two valleys must divide alike: the valley between the command's own
/// modes, and the valley between the modes of both commands' readings together.
const AGREES: f64 = 0.95;

/// Number of runs in the upper mode and number of all runs, for each block.
type Counts = Vec<(usize, usize)>;

/// The shares of two modes at the look at the data of `standing`. `None` if neither command has two modes, if the
/// commands have different modes, if a share rests on too few independent runs, or if the question is about the mean
/// over layouts.
///
/// The modes are divided at the valley of the readings of A and B together. Exchanging A and B in a block does not
/// change that valley, so the test of the shares is exact if A and B are the same. The error level of that test is
/// separate from that of the verdict.
pub(crate) fn mode_shares(contest: &Contest, rows: &Rows, standing: &Standing) -> Option<ModeShares> {
    let (series, design) = (&contest.series, &contest.design);
    if design.question == Question::Mean {
        return None;
    }
    let blocks = series.answering_readings(standing)?;
    let [a, b] = [0, 1].map(|side| logs(&blocks, side));
    if a.iter().chain(&b).any(|it| !it.is_finite()) {
        return None;
    }
    let modes = Modes::of(&[a.clone(), b.clone()].concat())?;
    let is_far = modes.high - modes.low > 2.0 * design.margin;
    if !is_far || !has_these(&modes, &a, &b) {
        return None;
    }
    let [of_a, of_b] = [0, 1].map(|side| counts(&blocks, side, modes.cut));
    let [(share_a, interval_a), (share_b, interval_b)] =
        [share(&of_a, standing.level)?, share(&of_b, standing.level)?];
    let looked: Vec<u32> =
        series.looked.iter().copied().filter(|&look| look as usize <= standing.n).collect();
    let more: Vec<f64> = of_a.iter().zip(&of_b).map(|((a, _), (b, _))| *b as f64 - *a as f64).collect();
    let spent = design.spent(standing.level, &looked, true);
    let crossed = Paths::default().crossed(&looked, &spent, |n| Keys::of_sums(rows, &more[..n]));
    Some(ModeShares {
        low: modes.low.exp(),
        high: modes.high.exp(),
        cut: modes.cut.exp(),
        share_a,
        share_a_interval: interval_a,
        share_b,
        share_b_interval: interval_b,
        side: match (crossed.up, crossed.down) {
            (true, false) => Some(Side::B),
            (false, true) => Some(Side::A),
            _ => None,
        },
    })
}

/// Logarithms of the readings of one command: `side` 0 is A, 1 is B.
fn logs(blocks: &[Vec<(f64, f64)>], side: usize) -> Vec<f64> {
    blocks.iter().flatten().map(|&(a, b)| [a, b][side].ln()).collect()
}

/// Whether at least one command alone has these two modes, and no command has two other modes. Otherwise a command that
/// is slower in all its runs would look like the upper mode.
fn has_these(modes: &Modes, a: &[f64], b: &[f64]) -> bool {
    let own = |values: &[f64]| Modes::of(values).filter(|own| own.is_shown_by(values));
    let agrees = |values: &[f64], own: &Modes| {
        let alike = values.iter().filter(|&&it| (it > own.cut) == (it > modes.cut)).count();
        alike as f64 >= AGREES * values.len() as f64
    };
    let found = [a, b].map(|values| own(values).map(|own| agrees(values, &own)));
    found.contains(&Some(true)) && !found.contains(&Some(false))
}

fn counts(blocks: &[Vec<(f64, f64)>], side: usize, cut: f64) -> Counts {
    let of = |block: &Vec<(f64, f64)>| {
        (block.iter().filter(|&&(a, b)| [a, b][side].ln() > cut).count(), block.len())
    };
    blocks.iter().map(of).collect()
}

/// Share of runs in the upper mode, with Wilson's interval for the effective number of independent runs: runs of one
/// block and of neighbouring blocks are alike if the machine determines the mode. `None` if the effective number is too
/// small.
fn share(counts: &Counts, level: f64) -> Option<(f64, [f64; 2])> {
    let of_blocks: Vec<f64> = counts.iter().map(|&(upper, all)| upper as f64 / all.max(1) as f64).collect();
    let share = mean(&of_blocks)?;
    let runs = counts.iter().map(|&(_, all)| all).sum::<usize>() as f64;
    let blocks = of_blocks.len() as f64;
    let between = variance(&of_blocks) / blocks;
    let of_runs = share * (1.0 - share) / runs;
    let inflation = dependence_inflation(&of_blocks).powi(2);
    let worth = match of_runs > 0.0 {
        true => runs * (of_runs / (between.max(of_runs) * inflation)),
        // If all runs or none are in the upper mode, their dependence cannot be estimated, and they count as
        // independent.
        false => runs,
    };
    let (low, high) = wilson_of_share(share, worth, 1.0 - level);
    (worth >= RUNS_MIN).then_some((share, [low, high]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alternating(blocks: usize, of: impl Fn(usize) -> usize) -> Counts {
        (0..blocks).map(|block| (of(block), 2)).collect()
    }

    #[test]
    fn a_share_of_independent_runs_has_the_interval_of_wilson() {
        // Two of four blocks have one run in the upper mode, one has two, and one has none, as with a fair coin.
        let counts = alternating(100, |block| [1, 2, 0, 1][block % 4]);
        let (share, [low, high]) = share(&counts, 0.05).unwrap();
        assert!((share - 0.5).abs() < 1e-12);
        // By method 3 of Newcombe (1998), 100 of 200 has the interval 0.431 to 0.569. Runs that alternate more evenly
        // than by chance must not count as more runs.
        assert!((low - 0.431).abs() < 0.002 && (high - 0.569).abs() < 0.002, "{low} {high}");
    }

    #[test]
    fn runs_that_are_alike_are_worth_less() {
        let both = alternating(100, |block| 2 * (block * 7 % 10 / 5));
        let (_, [low, high]) = share(&both, 0.05).unwrap();
        assert!(high - low > 0.18, "two runs of a block that are always alike are one: {low} {high}");
        // A single change of state in the whole session makes the effective number of runs too small for a share.
        assert_eq!(share(&alternating(100, |block| 2 * usize::from(block > 50)), 0.05), None);
    }

    #[test]
    fn a_shift_is_no_mixture_and_other_modes_are_not_compared() {
        let narrow = |centre: f64| (0..100).map(move |n| centre + 0.001 * f64::from(n % 10));
        let (low, high): (Vec<f64>, Vec<f64>) = (narrow(0.0).collect(), narrow(0.3).collect());
        let all = Modes::of(&[low.clone(), high.clone()].concat()).unwrap();
        assert!(!has_these(&all, &low, &high), "each command has a mode of its own");
        let mixed: Vec<f64> = narrow(0.0).step_by(2).chain(narrow(0.3).skip(1).step_by(2)).collect();
        let both = Modes::of(&[mixed.clone(), low.clone()].concat()).unwrap();
        assert!(has_these(&both, &mixed, &low) && has_these(&both, &low, &mixed));
        let elsewhere: Vec<f64> = mixed.iter().map(|it| it + 0.3).collect();
        let three = Modes::of(&[mixed.clone(), elsewhere.clone()].concat());
        assert!(three.is_none_or(|three| !has_these(&three, &mixed, &elsewhere)));
    }
}
