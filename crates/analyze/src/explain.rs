//! An explanation: how much of the variation of the time each factor causes.

use std::collections::BTreeMap;

use fauxplat_model::{Component, ExplainFindings, Interaction, LevelEffect, Metric, Phase, Rule, Sample};
use fauxplat_stats::describe::{mean, median, quantile_sorted, sorted};
use fauxplat_stats::draw::Draw;
use fauxplat_stats::henderson::{Factor, FactorEstimates, Parts, Share, components, shares};
use fauxplat_stats::multiple::holm;
use fauxplat_stats::order::median_interval;
use fauxplat_stats::permute::{Crossing, LevelSums};

mod places;
mod together;

pub use places::ExplainPlaces;

use crate::analysed::{counts, least};
use crate::standing::bounded;
use crate::verdict::elapsed_s;

#[derive(Clone, Debug, PartialEq)]
pub struct ExplainFactor {
    /// Name of the factor, such as `env-size`, `heap`, `layout` or `cpu`.
    pub name: String,
    pub levels: Vec<String>,
    /// Whether the levels are a random sample of many possible ones.
    pub is_sample: bool,
    /// Index into `levels`, by block and by position within the block.
    pub at: Vec<Vec<u16>>,
    /// Place of each run within its level, if a level consists of several places, such as several CPUs.
    pub places: Option<ExplainPlaces>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExplainJudged {
    /// The findings without `floor_ns` and `variants`, which the caller adds.
    pub findings: ExplainFindings,
    /// Circumstances that may spoil the findings, one sentence each.
    pub warnings: Vec<String>,
}

/// Number of random permutations for each p-value.
const DRAWS: usize = 3999;

/// Error level of the intervals of the components; their confidence is 95 %.
const INTERVAL_LEVEL: f64 = 0.05;

/// The slowest tenth of the runs is compared with the fastest tenth.
const TAIL: f64 = 0.1;

/// Share of failed runs above which a warning is given.
const FAILED_SHARE_MAX: f64 = 0.1;

/// Explains the variation of a metric over the measured runs. Of the rule only the metric and the error level are used.
///
/// Two factors of time are added to the factors of the plan: `order`, the position within the block, and `drift`, the
/// block. The residual contains interactions of factors and everything else.
pub fn explain_findings(
    rule: &Rule,
    factors: &[ExplainFactor],
    samples: &[Sample],
    ignore_failure: bool,
    seed: u64,
) -> ExplainJudged {
    let measured: Vec<&Sample> = samples.iter().filter(|sample| sample.phase == Phase::Measured).collect();
    let readable = |sample: &&&Sample| reading(sample, rule.metric, ignore_failure).is_some();
    let good: Vec<&Sample> = measured.iter().filter(readable).copied().collect();
    let values: Vec<f64> =
        good.iter().filter_map(|sample| reading(sample, rule.metric, ignore_failure)).map(f64::ln).collect();
    let mut varied = varied(factors, &good);
    let columns: Vec<Factor> = varied.iter().map(|varied| varied.column.clone()).collect();
    let main = components(&values, &columns);
    let together = main.as_ref().map_or_else(Vec::new, |main| together::pairs(main, &varied, &good, seed));
    let parts = main.map(|main| places::with_places(main, factors, &mut varied, (&values, &good), seed));
    let failures = measured.iter().filter(|sample| !counts(sample, ignore_failure)).count();
    let blocks: std::collections::BTreeSet<u32> = good.iter().map(|sample| sample.block).collect();
    let times: Vec<f64> = values.iter().map(|log| log.exp()).collect();
    let (components, pairs, ratio) = match &parts {
        Some(parts) => explained(parts, &varied, together, &good, seed),
        None => (Vec::new(), Vec::new(), 1.0),
    };
    let findings = ExplainFindings {
        metric: rule.metric,
        components,
        interaction: together::foremost(pairs, rule.level),
        worst_over_best_ratio: ratio,
        runs: good.len(),
        failures,
        blocks: blocks.len(),
        level: rule.level,
        median_ns: median(&times),
        median_interval_ns: median_interval(&sorted(&times), 1.0 - INTERVAL_LEVEL),
        worst_over_best_interval: parts.as_ref().and_then(|parts| whole_interval(&good, &parts.values, seed)),
        floor_ns: None,
        elapsed_s: elapsed_s(samples),
        variants: Vec::new(),
    };
    let mut warnings = warnings(&findings, measured.len());
    warnings.extend(unseen_places(factors, &findings));
    ExplainJudged { findings, warnings }
}

/// Reading of an analysed run. A reading of zero counts as [`least`], since a run shorter than the clock's resolution
/// has not failed.
fn reading(sample: &Sample, metric: Metric, ignore_failure: bool) -> Option<f64> {
    let value = sample.get(metric).filter(|_| counts(sample, ignore_failure));
    value.map(|value| (value as f64).max(least(metric)))
}

/// A factor with the level of each run.
struct Varied {
    name: String,
    levels: Vec<String>,
    column: Factor,
    /// Whether the levels were drawn at random in each block, so that a randomisation test is exact.
    is_drawn: bool,
    /// p-value of the factor, if it was computed already together with the estimates.
    p_value: Option<f64>,
}

/// The factors of the plan that took more than one level in the runs `good`, followed by `order` and `drift`.
fn varied(factors: &[ExplainFactor], good: &[&Sample]) -> Vec<Varied> {
    let drawn = |factor: &ExplainFactor| {
        let at = |sample: &&Sample| {
            factor.at.get(sample.block as usize)?.get(usize::from(sample.position)).copied()
        };
        let levels: Vec<u16> = good.iter().map(at).collect::<Option<_>>()?;
        let column = Factor { levels, count: factor.levels.len(), is_sample: factor.is_sample };
        Some(Varied {
            name: factor.name.clone(),
            levels: factor.levels.clone(),
            column,
            is_drawn: true,
            p_value: None,
        })
    };
    let mut all: Vec<Varied> = factors.iter().filter_map(drawn).collect();
    all.push(by_time(
        "order",
        good,
        false,
        |sample| u32::from(sample.position),
        |place, _| format!("place {}", place + 1),
    ));
    all.push(by_time(
        "drift",
        good,
        true,
        |sample| sample.block,
        |_, started_ns| format!("at {:.1} s", started_ns as f64 / 1e9),
    ));
    all.retain(|varied| varied.column.count > 1);
    all
}

/// A factor whose level follows from the time of a run: its position in the block, or its block.
fn by_time(
    name: &str,
    good: &[&Sample],
    is_sample: bool,
    number: impl Fn(&Sample) -> u32,
    level: impl Fn(u32, u64) -> String,
) -> Varied {
    let mut first: BTreeMap<u32, u64> = BTreeMap::new();
    for sample in good {
        first.entry(number(sample)).or_insert(sample.started_ns);
    }
    let places: BTreeMap<u32, u16> = first.keys().copied().zip(0..).collect();
    let levels = good.iter().map(|sample| places[&number(sample)]).collect();
    Varied {
        name: name.to_owned(),
        levels: first.iter().map(|(&number, &started_ns)| level(number, started_ns)).collect(),
        column: Factor { levels, count: places.len(), is_sample },
        is_drawn: false,
        p_value: None,
    }
}

/// Returns the components, the largest first and the residual last; the interactions; and the ratio of the slowest
/// tenth of the runs to the fastest tenth.
fn explained(
    parts: &Parts,
    varied: &[Varied],
    together: Vec<Interaction>,
    good: &[&Sample],
    seed: u64,
) -> (Vec<Component>, Vec<Interaction>, f64) {
    let shares = shares(parts, INTERVAL_LEVEL, seed);
    let p_value = |(varied, part): (&Varied, &FactorEstimates)| match (varied.p_value, varied.is_drawn) {
        (Some(p), _) => p,
        (None, true) => randomised_p(varied, part, good, seed),
        (None, false) => part.p_value,
    };
    let mut p_values: Vec<f64> = varied.iter().zip(&parts.factors).map(p_value).collect();
    p_values.extend(together.iter().map(|pair| pair.p_adjusted));
    let adjusted = holm(&p_values);
    let (points, ratio) = points(parts, varied);
    let mut all: Vec<Component> = varied
        .iter()
        .enumerate()
        .map(|(at, varied)| component(varied, &parts.factors[at], &shares[at], points[at], adjusted[at]))
        .collect();
    all.sort_by(|a, b| b.variance_share.total_cmp(&a.variance_share));
    let rest = shares.last().copied().unwrap_or(Share { share: 0.0, low: 0.0, high: 0.0 });
    all.push(Component {
        factor: "residual".to_owned(),
        variance_share: rest.share,
        low: rest.low,
        high: rest.high,
        points_percent: points[varied.len()],
        p_adjusted: None,
        efficiency: None,
        is_sample: false,
        levels: Vec::new(),
    });
    let adjusted = together.into_iter().zip(&adjusted[varied.len()..]);
    let pairs = adjusted.map(|(pair, &p_adjusted)| Interaction { p_adjusted, ..pair });
    (all, pairs.collect(), ratio)
}

fn component(
    varied: &Varied,
    part: &FactorEstimates,
    share: &Share,
    points: f64,
    p_adjusted: f64,
) -> Component {
    let level = |(name, effect): (&String, &fauxplat_stats::henderson::LevelEffect)| LevelEffect {
        level: name.clone(),
        runs: effect.runs,
        ratio: bounded(effect.effect).exp(),
        ci_low_ratio: bounded(effect.low).exp(),
        ci_high_ratio: bounded(effect.high).exp(),
    };
    Component {
        factor: varied.name.clone(),
        variance_share: share.share,
        low: share.low,
        high: share.high,
        points_percent: points,
        p_adjusted: Some(p_adjusted),
        efficiency: Some(part.efficiency),
        is_sample: part.is_sample,
        levels: places::told(&varied.levels, &part.levels).into_iter().map(level).collect(),
    }
}

/// p-value of a factor whose levels were drawn anew in every block: permuting the levels within the blocks shows how
/// large its effect could be by chance. Effects of the other factors are subtracted first (Freedman and Lane 1983).
fn randomised_p(varied: &Varied, part: &FactorEstimates, good: &[&Sample], seed: u64) -> f64 {
    let mut sums = LevelSums::new(varied.column.count, DRAWS, seed);
    let mut from = 0;
    for block in good.chunk_by(|one, next| one.block == next.block) {
        let runs = from..from + block.len();
        sums.add(&varied.column.levels[runs.clone()], &part.without[runs]);
        from += block.len();
    }
    let mut crossing = Crossing::default();
    crossing.look(&sums, 0.0);
    crossing.p_value()
}

/// Returns the part of each factor, followed by that of the residual, in the difference between the slowest and the
/// fastest tenth of the runs, in percentage points, and that difference as a ratio.
///
/// A run's log time is the sum of its factors' effects and a residual, so the difference between the means of two
/// groups of runs is the sum of the differences of the parts: nothing is counted twice and nothing is left over. If
/// everything is normally distributed, the points are proportional to the shares of the variance.
fn points(parts: &Parts, varied: &[Varied]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..parts.values.len()).collect();
    order.sort_by(|&a, &b| parts.values[a].total_cmp(&parts.values[b]));
    let tail = ((order.len() as f64 * TAIL).ceil() as usize).max(1);
    let (fast, slow) = (&order[..tail], &order[order.len() - tail..]);
    let between = |part: &[f64]| {
        let of = |group: &[usize]| mean(&group.iter().map(|&run| part[run]).collect::<Vec<_>>());
        of(slow).unwrap_or(0.0) - of(fast).unwrap_or(0.0)
    };
    let whole = between(&parts.values);
    let mut logs: Vec<f64> = varied
        .iter()
        .enumerate()
        .map(|(at, varied)| between(&parts.contributions(at, &varied.column.levels)))
        .collect();
    logs.push(whole - logs.iter().sum::<f64>());
    let percent = 100.0 * bounded(whole).exp_m1();
    let scale = if whole > 0.0 { percent / whole } else { 0.0 };
    (logs.into_iter().map(|log| log * scale).collect(), bounded(whole).exp())
}

/// Number of bootstrap samples for the interval of the ratio of the slowest to the fastest tenth.
const WHOLE_DRAWS: usize = 999;

/// Interval of the ratio of the slowest to the fastest tenth, by a percentile bootstrap of whole blocks (Efron 1979),
/// since runs of a block share drawn properties. `None` for fewer than ten blocks, whose extremes say little about
/// other blocks.
fn whole_interval(good: &[&Sample], values: &[f64], seed: u64) -> Option<[f64; 2]> {
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    good.iter().zip(values).for_each(|(run, &value)| blocks.entry(run.block).or_default().push(value));
    let blocks: Vec<Vec<f64>> = blocks.into_values().collect();
    if blocks.len() < BLOCKS_MIN {
        return None;
    }
    let mut draw = Draw::new(seed, WHOLE_STREAM);
    let mut drawn = || {
        let runs = (0..blocks.len()).flat_map(|_| blocks[draw.below(blocks.len())].iter().copied());
        between_tails(&sorted(&runs.collect::<Vec<_>>()))
    };
    let wholes = sorted(&(0..WHOLE_DRAWS).map(|_| drawn()).collect::<Vec<_>>());
    let end = |probability| quantile_sorted(&wholes, probability).map(|log| bounded(log).exp());
    Some([end(INTERVAL_LEVEL / 2.0)?, end(1.0 - INTERVAL_LEVEL / 2.0)?])
}

/// Minimum number of blocks for the interval of the ratio of the slowest to the fastest tenth, and the random stream of
/// its bootstrap.
const BLOCKS_MIN: usize = 10;
const WHOLE_STREAM: u64 = 0x7768_6f6c;

/// Mean of the slowest tenth of `rising`, which are ascending log times, minus the mean of the fastest tenth.
fn between_tails(rising: &[f64]) -> f64 {
    let tail = ((rising.len() as f64 * TAIL).ceil() as usize).clamp(1, rising.len().max(1));
    let of = |part: &[f64]| mean(part).unwrap_or(0.0);
    of(&rising[rising.len() - tail..]) - of(&rising[..tail])
}

fn warnings(findings: &ExplainFindings, all: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let unread = all - findings.runs - findings.failures;
    if unread > 0 {
        let metric = findings.metric.title();
        warnings.push(format!("{unread} of {all} runs have no reading of the {metric} and were left out"));
    }
    if findings.failures as f64 > FAILED_SHARE_MAX * all as f64 {
        warnings.push(format!("{} of {all} runs failed and were left out", findings.failures));
    }
    let confounded = |component: &&Component| component.efficiency.is_some_and(|efficiency| efficiency < 0.5);
    for component in findings.components.iter().filter(confounded) {
        let factor = &component.factor;
        warnings.push(format!("{factor} is hard to separate from other factors: more blocks would help"));
    }
    if findings.components.is_empty() {
        warnings.push("too few runs to explain anything".to_owned());
    }
    warnings
}

/// Warnings about factors whose levels consist of several places (such as CPUs), where the runs are too few to estimate
/// the effects of the places, which then are part of the residual.
fn unseen_places<'a>(
    factors: &'a [ExplainFactor],
    findings: &'a ExplainFindings,
) -> impl Iterator<Item = String> + 'a {
    let is_told = |name: &str| findings.components.iter().any(|component| component.factor == name);
    let unseen = factors.iter().filter(move |factor| {
        factor.places.is_some() && is_told(&factor.name) && !is_told(&format!("{}-place", factor.name))
    });
    unseen.map(|factor| {
        let name = &factor.name;
        format!(
            "too few runs to distinguish places within the levels of {name}: their effect is part of the unexplained, \
             and more blocks would show it"
        )
    })
}
