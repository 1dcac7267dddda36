//! Turns a contest, which is a comparison in progress, into the comparison that is reported.

use fauxplat_model::{
    Comparison, DroppedLean, Gate, GateSide, Grade, Margin, MeanRatio, Metric, QuantileShift, RatioInterval,
    Sample, Secondary, SpreadChange, StoppedBy, Tail, Verdict,
};
use fauxplat_stats::bootstrap::bca_interval;
use fauxplat_stats::distribution::clopper_pearson_upper;
use fauxplat_stats::paired::share::threshold_of;
use fauxplat_stats::shift::{self, shift_function};

use crate::budget;
use crate::carried::carry_over;
use crate::contest::Contest;
use crate::estimate::plain_z;
use crate::judge::Judge;
use crate::modes::mode_shares;
use crate::needed::clusters_needed;
use crate::pairing::Pair;
use crate::secondary::secondary;
use crate::standing::{Standing, beyond_margin, bounded};

/// The pairs of a contest that no guard dropped. With `is_parted`, only their runs that follow a run of the same
/// command.
fn kept_pairs<'a>(blocks: &[Vec<&'a Sample>], contest: &Contest, is_parted: bool) -> Vec<Pair<'a>> {
    let kept = |run: &&Sample| contest.kept.binary_search(&run.block).is_ok();
    let kept_blocks = blocks.iter().filter(|block| block.first().is_some_and(kept));
    let pairs = kept_blocks.map(|block| Pair::of(block, contest.reference, contest.candidate));
    pairs.map(|pair| if is_parted { pair.after_itself() } else { pair }).collect()
}

fn name(names: &[String], command: u16) -> String {
    names.get(usize::from(command)).cloned().unwrap_or_else(|| format!("command {}", command + 1))
}

pub(crate) fn comparison(
    judge: &Judge,
    contest: &Contest,
    blocks: &[Vec<&Sample>],
    names: &[String],
    stopped_by: StoppedBy,
) -> Comparison {
    contest.censored.shown(of_values(judge, contest, blocks, names, stopped_by), judge.single_task)
}

/// The comparison, in which bounds are taken as exact readings.
fn of_values(
    judge: &Judge,
    contest: &Contest,
    blocks: &[Vec<&Sample>],
    names: &[String],
    stopped_by: StoppedBy,
) -> Comparison {
    let level = judge.open_level();
    let now = || contest.series.clone().standing(&judge.rows, &contest.design, level, true);
    let standing = contest.decided.unwrap_or_else(|| contest.censored.limit(now()).standing);
    let d = contest.series.active(standing.parted, contest.series.d.len());
    let pairs = kept_pairs(blocks, contest, standing.parted);
    let bootstrap = bca_interval(d, judge.rule.level, contest.design.seed);
    let (bootstrap_low, bootstrap_high) = bootstrap.unwrap_or((standing.low, standing.high));
    let replication = judge.replication(contest);
    let quantiles = quantile_shifts(&pairs, contest.metric, judge.rule.level, contest.design.seed);
    Comparison {
        a: name(names, contest.reference),
        b: name(names, contest.candidate),
        metric: contest.metric,
        verdict: standing.verdict,
        scope: judge.scope,
        grade: if replication.is_some() { Grade::Replicated } else { Grade::WithinSession },
        extent: standing.extent(),
        difference_in: standing.difference_in(),
        beyond_margin: (standing.typical == Verdict::Different)
            .then(|| beyond_margin(standing.low, standing.high, contest.design.margin))
            .flatten(),
        tail: (standing.n > 0).then(|| tail(contest, &standing, judge.rule.level)),
        estimand: judge.rule.estimand,
        gate: gate(judge, contest, &standing),
        typical: standing.beside.map(|[middle, low, high]| RatioInterval {
            ratio: middle.exp(),
            low_ratio: bounded(low).exp(),
            high_ratio: bounded(high).exp(),
        }),
        mean: mean_ratio(&standing),
        mean_verdict: standing.mean_verdict,
        carry_over: carry_over(contest, &judge.rows, &standing),
        spread: spread(&standing),
        halves: standing.halves.map(|halves| halves.map(f64::exp)),
        tail_halves: standing.tail_halves,
        is_mixture: standing.leans && excludes_one_shift(&quantiles),
        modes: mode_shares(contest, &judge.rows, &standing),
        dropped_lean: dropped_lean(contest),
        quantiles,
        effect_ratio: if standing.n > 0 { standing.estimate.exp() } else { f64::NAN },
        ci_low_ratio: standing.low.exp(),
        ci_high_ratio: standing.high.exp(),
        bootstrap_low_ratio: bootstrap_low.exp(),
        bootstrap_high_ratio: bootstrap_high.exp(),
        p_value: standing.p.unwrap_or(1.0),
        level: judge.rule.level,
        margin: contest.margin_ratio(),
        margin_absolute: absolute(contest.margin),
        anytime: judge.rule.anytime,
        pairs: standing.n * judge.pairs_per_block as usize,
        dropped_pairs: contest.guard.dropped_pairs(),
        dropped: contest.guard.dropped().to_vec(),
        stopped_by: judge.ended_by(&standing, stopped_by),
        pairs_needed: pairs_needed(judge, contest, &standing, level).filter(|_| replication.is_none()),
        variance: budget::budget(&pairs, d, contest.metric),
        secondary: secondary_of(judge, contest, &pairs),
        replication,
        exact: None,
        bounded: None,
        first_thread: false,
    }
}

pub(crate) fn absolute(margin: Margin) -> Option<f64> {
    match margin {
        Margin::Ratio(_) => None,
        Margin::Absolute(amount) => Some(amount),
    }
}

/// Comparisons of the metrics that decide nothing; reported once, with the first metric of the rule, and empty for the
/// other metrics.
fn secondary_of(judge: &Judge, contest: &Contest, pairs: &[Pair]) -> Vec<Secondary> {
    match contest.metric == judge.rule.metric {
        true => secondary(judge, pairs, contest.design.seed),
        false => Vec::new(),
    }
}

/// Number of pairs after which an inconclusive comparison would probably be decided; `None` if it is decided or nothing
/// can be predicted.
fn pairs_needed(judge: &Judge, contest: &Contest, standing: &Standing, level: f64) -> Option<usize> {
    let inconclusive = standing.verdict == Verdict::Inconclusive && standing.n >= 2;
    let clusters = inconclusive.then(|| clusters_needed(standing, &contest.design, level))?;
    clusters.map(|clusters| clusters * judge.pairs_per_block as usize)
}

/// Counts the pairs in which one command was much slower than the other. If typical runs differ, the slowness is
/// measured from that difference, as in the test of slow runs: measured from zero, one side would have too many slow
/// pairs. Otherwise the slowness is measured from zero, as a reader would.
fn tail(contest: &Contest, standing: &Standing, level: f64) -> Tail {
    let series = &contest.series;
    let n = standing.n * series.group;
    let shift = match (standing.typical, standing.tail) {
        (Verdict::Different, Verdict::Different) => standing.tail_about,
        (Verdict::Different, _) => standing.estimate,
        _ => 0.0,
    };
    let d: Vec<f64> = series.pairs[..n].iter().map(|d| d - shift).collect();
    let threshold = threshold_of(&d, series.excess.least());
    let count = |side: f64| d.iter().filter(|&&d| d * side > threshold).count();
    let (b, a) = (count(1.0), count(-1.0));
    let share = |events: usize| events as f64 / n.max(1) as f64;
    let interval = |events: usize| {
        let confidence = 1.0 - level / 2.0;
        let low = 1.0 - clopper_pearson_upper(n - events, n, confidence);
        [low, clopper_pearson_upper(events, n, confidence)]
    };
    Tail {
        margin: contest.design.tail_margin,
        threshold_ratio: bounded(threshold).exp(),
        share_b: share(b),
        share_b_interval: interval(b),
        share_a: share(a),
        share_a_interval: interval(a),
        excess_excluded: series.excess.bound(level),
        side: standing.tail_side.filter(|_| standing.tail == Verdict::Different),
    }
}

fn mean_ratio(standing: &Standing) -> Option<MeanRatio> {
    let bounded = |ratio: f64| bounded(ratio.ln()).exp();
    standing.mean.map(|mean| MeanRatio {
        ratio: mean.ratio,
        low_ratio: bounded(mean.low),
        high_ratio: bounded(mean.high),
        plain_ratio: Some(mean.plain),
        cap: Some(mean.cap),
        capped: mean.capped,
    })
}

fn spread(standing: &Standing) -> Option<SpreadChange> {
    standing.spread.map(|it| SpreadChange {
        usual: it.usual,
        of_each: Some(it.of_each),
        difference: it.difference,
        low: it.low,
        high: it.high,
        margin: it.margin,
        verdict: it.verdict,
    })
}

/// The gate with its answer and its detectable change: the change that nine of ten comparisons with as many pairs would
/// have found, with the sign of the question. The detectable change is `None` for anytime-valid tests, whose intervals
/// have another width, and where the scatter of the pairs allows no forecast. `None` without a gate.
fn gate(judge: &Judge, contest: &Contest, standing: &Standing) -> Option<Gate> {
    let question = judge.rule.gate?;
    let state = standing.state(question.side(contest.metric));
    let pairs = standing.n.max(judge.blocks_to_come()) as f64;
    let se = standing.se * (standing.n as f64 / pairs).sqrt();
    let critical = if standing.critical.is_finite() { standing.critical } else { plain_z(judge.rule.level) };
    let by_pairs = (critical + NINE_OF_TEN) * se;
    let level = judge.rule.level / judge.contests.len().max(1) as f64;
    let by_sessions = judge.found_over_sessions(contest, standing, level, NINE_OF_TEN);
    // With several sessions, the detectable change follows from the variation between sessions or, if it gives a larger
    // change, from the variation between pairs.
    let reach = by_sessions.map_or(by_pairs, |it| it.max(by_pairs));
    let detectable = contest.design.margin + reach;
    // Without scatter, or with ties that no shift describes, the standard error allows no forecast.
    let is_known = reach > SCATTER_LEAST
        && !(standing.leans && is_tied(contest, standing))
        && standing.critical.is_finite()
        && standing.has_interval()
        && !judge.rule.anytime;
    let sign = if question.side(contest.metric) == GateSide::Lower { -1.0 } else { 1.0 };
    Some(Gate {
        question,
        margin: contest.margin_ratio(),
        state,
        detectable: Some((sign * detectable).exp_m1())
            .filter(|_| is_known && detectable.is_finite() && detectable.exp_m1() < 1e3),
    })
}

/// Log ratio up to which the scatter counts as zero: the search for the end of an interval stops at this precision.
const SCATTER_LEAST: f64 = 1e-6;

/// Whether fewer than half of the log ratios of the pairs are distinct.
fn is_tied(contest: &Contest, standing: &Standing) -> bool {
    let mut d = contest.series.pairs[..standing.n * contest.series.group].to_vec();
    let pairs = d.len();
    d.sort_by(f64::total_cmp);
    d.dedup();
    2 * d.len() < pairs
}

/// Standard normal quantile of nine tenths.
const NINE_OF_TEN: f64 = 1.2816;

/// Numbers of dropped pairs in which A, and in which B, waited more for a CPU; `None` if there are none.
fn dropped_lean(contest: &Contest) -> Option<DroppedLean> {
    let [a, b] = contest.guard.waited();
    (a + b > 0).then_some(DroppedLean { a, b, leans: contest.leaning })
}

/// Relative difference of two ratios that may be due to rounding.
const ROUNDING: f64 = 1e-9;

/// Whether no single ratio lies in the bands of all quantiles, which is a test of one common shift, since the bands
/// hold simultaneously.
fn excludes_one_shift(quantiles: &[QuantileShift]) -> bool {
    let highest_low = quantiles.iter().map(|it| it.low_ratio).reduce(f64::max);
    let lowest_high = quantiles.iter().map(|it| it.high_ratio).reduce(f64::min);
    highest_low.zip(lowest_high).is_some_and(|(low, high)| low > high * (1.0 + ROUNDING))
}

/// Ratio B over A at each quantile of the log readings, with a band by a bootstrap of whole blocks.
fn quantile_shifts(pairs: &[Pair], metric: Metric, level: f64, seed: u64) -> Vec<QuantileShift> {
    let logs = |pair: &Pair, runs: &[&Sample]| -> Option<Vec<f64>> {
        runs.iter().map(|run| pair.log(run, metric)).collect()
    };
    let block = |pair: &Pair| -> Option<Vec<shift::Pair>> {
        Some(logs(pair, &pair.a)?.into_iter().zip(logs(pair, &pair.b)?).collect())
    };
    let blocks: Vec<Vec<shift::Pair>> = pairs.iter().filter_map(block).collect();
    let ratio = |it: shift::Shift| QuantileShift {
        quantile: it.quantile,
        ratio: it.shift.exp(),
        low_ratio: bounded(it.low).exp(),
        high_ratio: bounded(it.high).exp(),
    };
    shift_function(&blocks, level, seed).into_iter().map(ratio).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shift(low_ratio: f64, high_ratio: f64) -> QuantileShift {
        QuantileShift { quantile: 0.5, ratio: 0.5 * (low_ratio + high_ratio), low_ratio, high_ratio }
    }

    #[test]
    fn one_shift_is_excluded_only_by_bands_that_lie_apart() {
        assert!(!excludes_one_shift(&[]));
        assert!(!excludes_one_shift(&[shift(0.99, 1.0), shift(1.0, 1.2), shift(0.9, 1.3)]));
        assert!(!excludes_one_shift(&[shift(1.01, 1.01), shift(1.01 + 1e-15, 1.01 + 1e-15)]));
        assert!(excludes_one_shift(&[shift(0.98, 1.01), shift(1.05, 1.2), shift(0.9, 1.3)]));
    }
}
