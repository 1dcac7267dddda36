//! Further findings of a sweep: the period of a pattern, the shares of two combined factors, and levels at which runs
//! fail.

use fauxplat_model::{FailingLevel, Period, SweepPart};
use fauxplat_stats::additive::{Additive, Size};
use fauxplat_stats::crossed::{Cell, crossed};
use fauxplat_stats::distribution::hypergeometric_upper;
use fauxplat_stats::draw::Draw;
use fauxplat_stats::fold::fold;
use fauxplat_stats::noncentral::Noncentrality;

use super::SweepJudge;
use super::assess::Assessment;
use super::course::Stage;
use super::levels::standing;

/// Number of resampled sweeps for the interval of a period.
const REPLICATES: usize = 100;

/// Lengths in bytes at which patterns repeat on current machines, with their causes.
const LENGTHS: [(f64, &str); 6] = [
    (16.0, "alignment of the stack (16 bytes)"),
    (32.0, "window of instruction fetch, or alignment of AVX (32 bytes)"),
    (64.0, "cache line (64 bytes)"),
    (128.0, "pair of cache lines (128 bytes)"),
    (4096.0, "page (4096 bytes), or addresses that are equal in their last 12 bits"),
    (2_097_152.0, "huge page (2 MiB)"),
];

/// The period at which the pattern of a numeric factor repeats; `None` if there is no significant one.
pub(super) fn period(judge: &SweepJudge, seen: &Assessment) -> Option<Period> {
    if !judge.is_ordered() {
        return None;
    }
    let stands = standing(&judge.levels, &judge.distinct);
    let effects = &seen.fitted.effects;
    let mut visited: Vec<(f64, usize)> = (0..effects.len())
        .filter(|&place| effects[place].is_some())
        .filter_map(|place| Some((stands[place]?, place)))
        .collect();
    visited.sort_by(|a, b| a.0.total_cmp(&b.0));
    let positions: Vec<f64> = visited.iter().map(|one| one.0).collect();
    let pick = |effects: &[Option<f64>]| -> Vec<f64> {
        visited.iter().map(|&(_, place)| effects[place].unwrap_or(0.0)).collect()
    };
    let replicates: Vec<Vec<f64>> = replicates(judge, &seen.fitted).iter().map(|one| pick(one)).collect();
    let lengths = if judge.subject.unit.as_deref() == Some("bytes") { &LENGTHS[..] } else { &[] };
    let expected: Vec<f64> = lengths.iter().map(|length| length.0).collect();
    let found = fold(&positions, &pick(effects), &expected, &replicates, judge.seed)?;
    let cause = lengths.iter().find(|length| found.low <= length.0 && length.0 <= found.high);
    (found.p_value <= judge.rule.level).then(|| Period {
        period: found.period,
        low: found.low,
        high: found.high,
        explained_share: found.explained,
        p_value: found.p_value,
        likely_cause: cause.map(|cause| cause.1.to_owned()),
    })
}

/// Effects of the levels in resampled sweeps: whole blocks are drawn with replacement within each stretch.
fn replicates(judge: &SweepJudge, fitted: &Additive) -> Vec<Vec<Option<f64>>> {
    let mut draw = Draw::new(judge.seed, 6);
    let blocks = &judge.evidence.blocks;
    let own = judge.evidence.of(|stage| stage != Stage::Confirm);
    let stretches = &judge.evidence.stretches;
    let groups: Vec<&[usize]> = own.chunk_by(|&a, &b| stretches[a] == stretches[b]).collect();
    let mut replicate = || {
        let mut sums = vec![(0.0, 0.0); fitted.effects.len()];
        for group in &groups {
            for _ in 0..group.len() {
                let index = group[draw.below(group.len())];
                for (&level, value) in blocks[index].levels.iter().zip(&fitted.cleaned[index]) {
                    let sum = &mut sums[usize::from(level)];
                    *sum = (sum.0 + value, sum.1 + 1.0);
                }
            }
        }
        sums.into_iter()
            .zip(&fitted.effects)
            .map(|((sum, n), old)| if n > 0.0 { Some(sum / n) } else { *old })
            .collect()
    };
    (0..REPLICATES).map(|_| replicate()).collect()
}

/// Share of the variance that is due to `effect`: lower end, estimate and upper end. `effect` is all of the variance of
/// the levels or a part of it, and `of` is its estimate.
pub(super) fn shares(effect: &Noncentrality, size: &Size, of: f64) -> (f64, f64, f64) {
    // The rest of the variance (drift, noise and other parts of the levels) is kept fixed, so that the ends are shares
    // of a total too.
    let rest = (size.drift + size.residual + size.effect.estimate - of).max(0.0);
    let share = |part: f64| if part + rest > 0.0 { part / (part + rest) } else { 0.0 };
    (share(effect.low), share(effect.estimate), share(effect.high))
}

/// Shares of the variance of two combined factors and of their interaction; empty for a single factor, or if they
/// cannot be estimated.
pub(super) fn products(judge: &SweepJudge, seen: &Assessment) -> Vec<SweepPart> {
    let (Some(size), [one, other]) = (&seen.size, judge.subject.factors.as_slice()) else {
        return Vec::new();
    };
    let cell = |(place, &command): (usize, &u16)| {
        let (row, column) = judge.levels[usize::from(command)].cell?;
        Some(Cell { row, column, effect: seen.fitted.effects[place]?, error: seen.fitted.errors[place] })
    };
    let cells: Vec<Cell> = judge.distinct.iter().enumerate().filter_map(cell).collect();
    let Some(table) = crossed(&cells, seen.fitted.df, judge.rule.level) else { return Vec::new() };
    let part = |factor: String, effect: &Noncentrality| {
        let (low, share, high) = shares(effect, size, effect.estimate);
        SweepPart { factor, variance_share: share, variance_share_low: low, variance_share_high: high }
    };
    vec![
        part(one.clone(), &table.rows),
        part(other.clone(), &table.columns),
        part(format!("{one} x {other}"), &table.interaction),
    ]
}

/// Levels at which significantly more runs fail than if any run were equally likely to fail (Fisher's exact test,
/// one-sided, with Bonferroni's correction over the levels).
pub(super) fn failing(judge: &SweepJudge) -> Vec<FailingLevel> {
    let tallies = &judge.evidence.tallies;
    let runs: usize = tallies.iter().map(|tally| tally.runs).sum();
    let failures: usize = tallies.iter().map(|tally| tally.failures).sum();
    let visited = tallies.iter().filter(|tally| tally.runs > 0).count();
    let failing = |(place, tally): (usize, &super::evidence::Tally)| {
        let chance = hypergeometric_upper(runs, failures, tally.runs, tally.failures);
        let p_adjusted = (visited as f64 * chance).min(1.0);
        (tally.failures > 0 && p_adjusted <= judge.rule.level).then(|| FailingLevel {
            level: judge.levels[usize::from(judge.distinct[place])].name.clone(),
            runs: tally.runs,
            failures: tally.failures,
            exit_status: tally.exit_status.unwrap_or(0),
            p_adjusted,
        })
    };
    tallies.iter().enumerate().filter_map(failing).collect()
}
