//! Slow runs and the mean of two programs over all machines of a fleet. Each machine counts as one value, as for the
//! typical difference.

use fauxplat_model::{DifferenceIn, Extent, FleetMean, FleetTail, NodeRecord, Side, Verdict};
use fauxplat_stats::describe::{mean, median, variance};
use fauxplat_stats::distribution::clopper_pearson_upper;
use fauxplat_stats::mean_ratio::CAP;
use fauxplat_stats::paired::share::threshold_of;
use fauxplat_stats::randomise::sign_flip_p;

use super::FleetQuestion;
use super::estimate::Estimate;
use super::machine::{logarithms, sign};
use super::two_programs::{LEVEL, SIDES, SIGNS_FROM};

/// Share of the error level for the test of slow runs, and again for the test of the mean.
const PART: f64 = 0.2;

/// Largest difference of the shares of slow runs that still counts as none.
const TAIL_MARGIN: f64 = 0.03;

/// Minimum number of slow runs of both programs together with which a difference is tested.
const SLOW_MIN: usize = 4;

struct Both {
    /// For each program, log readings minus its median log reading on this machine, with the sign turned so that more
    /// is slower.
    beside_typical: [Vec<f64>; 2],
    /// Log ratio B over A of the means with capped readings, and of the plain means.
    capped: f64,
    plain: f64,
    /// Number of readings of each program that were capped.
    over: [usize; 2],
}

impl Both {
    fn of(record: &NodeRecord, question: &FleetQuestion) -> Option<Self> {
        let all = |command| logarithms(record, question, command).concat();
        let logs = SIDES.map(all);
        let typical = [median(&logs[0])?, median(&logs[1])?];
        let beside =
            [0, 1].map(|side| logs[side].iter().map(|log| log - typical[side]).collect::<Vec<f64>>());
        let turned = sign(question);
        let means = |cap: f64| {
            let of = |side: usize| {
                let readings = beside[side].iter().map(|log| (turned * log).exp().clamp(1.0 / cap, cap));
                Some(mean(&readings.collect::<Vec<_>>())?.ln() + turned * typical[side])
            };
            Some(of(1)? - of(0)?)
        };
        let over = |side: usize| beside[side].iter().filter(|&&log| turned * log > CAP.ln()).count();
        Some(Both {
            capped: means(CAP)?,
            plain: means(f64::MAX)?,
            over: [over(0), over(1)],
            beside_typical: beside,
        })
    }

    fn shares(&self, threshold: f64) -> [f64; 2] {
        [0, 1].map(|side| self.slow(side, threshold) as f64 / self.beside_typical[side].len().max(1) as f64)
    }

    fn slow(&self, side: usize, threshold: f64) -> usize {
        self.beside_typical[side].iter().filter(|&&log| log > threshold).count()
    }
}

/// Compares the means and the shares of slow runs of two programs over the machines; `None` for fewer than two
/// machines.
pub(super) fn beside<'a>(
    records: impl Iterator<Item = &'a NodeRecord>,
    question: &FleetQuestion,
) -> Option<(FleetMean, FleetTail)> {
    let machines: Vec<Both> = records.filter_map(|record| Both::of(record, question)).collect();
    Some((mean_of(&machines, question)?, tail_of(&machines, question)?))
}

/// Mean of `values`, one per machine, with Student's interval at the share [`PART`] of the error level, and whether the
/// interval and a sign-flip test both show that it is not zero.
fn over_machines(values: &[f64], seed: u64) -> Option<(Estimate, bool)> {
    let n = values.len() as f64;
    let error = (variance(values) / n).sqrt();
    let estimate = (values.len() > 1)
        .then(|| Estimate::new(mean(values).unwrap_or(0.0), error, n - 1.0, PART * LEVEL))?;
    let excludes_zero = estimate.low > 0.0 || estimate.high < 0.0;
    let signs = || values.len() < SIGNS_FROM || sign_flip_p(values, seed) <= PART * LEVEL;
    Some((estimate, excludes_zero && signs()))
}

fn mean_of(machines: &[Both], question: &FleetQuestion) -> Option<FleetMean> {
    let each = |of: fn(&Both) -> f64| machines.iter().map(of).collect::<Vec<f64>>();
    let (estimate, is_different) = over_machines(&each(|it| it.capped), question.seed)?;
    let (plain, reach) = (mean(&each(|it| it.plain))?, question.least_effect.ln_1p());
    let is_within = estimate.low > -reach && estimate.high < reach && plain.abs() < reach;
    let [ratio, low_ratio, high_ratio] = estimate.ratios(1.0);
    let over = |side: usize| machines.iter().map(|it| it.over[side]).sum();
    Some(FleetMean {
        ratio,
        low_ratio,
        high_ratio,
        plain_ratio: plain.exp(),
        cap: CAP,
        capped: [over(0), over(1)],
        verdict: said(is_different, is_within),
    })
}

/// Compares the shares of slow runs, which are runs far above the typical run of their program on their machine. The
/// difference is bounded by the variation between machines and by the number of runs: machines without any slow run
/// agree with each other, but show little if their runs are few.
fn tail_of(machines: &[Both], question: &FleetQuestion) -> Option<FleetTail> {
    let all: Vec<f64> = machines.iter().flat_map(|it| it.beside_typical.iter().flatten()).copied().collect();
    let threshold = threshold_of(&all, 2.0 * question.least_effect.ln_1p());
    let shares: Vec<[f64; 2]> = machines.iter().map(|it| it.shares(threshold)).collect();
    let excess: Vec<f64> = shares.iter().map(|[a, b]| b - a).collect();
    let (estimate, is_apart) = over_machines(&excess, question.seed)?;
    let slow = [0, 1].map(|side| machines.iter().map(|it| it.slow(side, threshold)).sum::<usize>());
    let runs = [0, 1].map(|side| machines.iter().map(|it| it.beside_typical[side].len()).sum::<usize>());
    let upper = |side: usize| clopper_pearson_upper(slow[side], runs[side], 1.0 - PART * LEVEL / 2.0);
    let share = |side: usize| slow[side] as f64 / runs[side].max(1) as f64;
    let by_runs = (upper(1) - share(0)).max(upper(0) - share(1));
    let excluded = estimate.low.abs().max(estimate.high.abs()).max(by_runs).min(1.0);
    let is_different = is_apart && slow[0] + slow[1] >= SLOW_MIN;
    let over = |side: usize| mean(&shares.iter().map(|it| it[side]).collect::<Vec<_>>()).unwrap_or(0.0);
    Some(FleetTail {
        margin: TAIL_MARGIN,
        threshold_ratio: threshold.exp(),
        share_a: over(0),
        share_b: over(1),
        excess: estimate.at,
        low: estimate.low.max(-1.0),
        high: estimate.high.min(1.0),
        excess_excluded: excluded,
        side: is_different.then_some(if estimate.at > 0.0 { Side::B } else { Side::A }),
        verdict: said(is_different, excluded < TAIL_MARGIN),
    })
}

fn said(is_different: bool, is_within: bool) -> Verdict {
    match (is_different, is_within) {
        (true, _) => Verdict::Different,
        (_, true) => Verdict::Equivalent,
        _ => Verdict::Inconclusive,
    }
}

/// Returns three results that follow from typical runs, the mean and slow runs: the verdict, the extent of an
/// *equivalent*, and the parts in which a *different* lies. `typical` is the verdict of typical runs.
pub(super) fn concluded(
    typical: Verdict,
    beside: Option<&(FleetMean, FleetTail)>,
) -> (Verdict, Option<Extent>, Vec<DifferenceIn>) {
    let [of_mean, of_tail] =
        beside.map_or([Verdict::Inconclusive; 2], |(mean, tail)| [mean.verdict, tail.verdict]);
    let parts =
        [(typical, DifferenceIn::Typical), (of_tail, DifferenceIn::Tail), (of_mean, DifferenceIn::Mean)];
    let different = parts.into_iter().filter(|(part, _)| *part == Verdict::Different).map(|(_, name)| name);
    let difference_in: Vec<DifferenceIn> = different.collect();
    let verdict = if difference_in.is_empty() { typical } else { Verdict::Different };
    let is_whole = of_mean == Verdict::Equivalent && of_tail == Verdict::Equivalent;
    let extent = if is_whole { Extent::Whole } else { Extent::Typical };
    (verdict, (verdict == Verdict::Equivalent).then_some(extent), difference_in)
}
