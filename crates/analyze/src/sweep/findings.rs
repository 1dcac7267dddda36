//! Turns the state of the judge of a sweep into the findings that a report shows.

use fauxplat_model::{
    LevelFindings, Peak, Sample, StoppedBy, SweepAnswer, SweepFinding, SweepFindings, SweepStage,
};
use fauxplat_stats::describe::{mean, median, sorted};
use fauxplat_stats::halves::{Repeatability, split_half};
use fauxplat_stats::order::median_interval;
use fauxplat_stats::simultaneous::Deviation;

use super::assess::{Assessment, is_peak};
use super::course::{Course, Stage};
use super::{SweepJudge, SweepJudged, parts};
use crate::standing::bounded;
use crate::verdict::elapsed_s;

/// Number of blocks of an exhaustive sweep, to which a report compares the number of runs.
const EXHAUSTIVE_BLOCKS: usize = 100;

/// Maximum number of listed peaks: if very many levels stand out, they are a pattern and not peaks.
const PEAKS_MAX: usize = 16;

/// Confidence of the interval of each level's median, and of that of the repeatability.
const CONFIDENCE: f64 = 0.95;

pub(super) fn judged(judge: &SweepJudge, samples: &[Sample], stopped_by: StoppedBy) -> SweepJudged {
    let closed = closed(judge);
    let seen = Assessment::of(&closed);
    let finding = finding(&closed, &seen);
    let levels = levels(&closed, &seen);
    let stage = |stretch: &super::course::Stretch| SweepStage {
        stage: stretch.stage.name().to_owned(),
        levels: stretch.levels.len(),
        blocks: stretch.blocks as usize,
    };
    let answered = finding.answer != SweepAnswer::Undecided;
    let findings = SweepFindings {
        factor: judge.subject.factors.join(" x "),
        unit: judge.subject.unit.clone(),
        metric: judge.rule.metric,
        levels_asked: judge.levels.len(),
        levels_distinct: judge.distinct.len(),
        stages: judge.course.stretches.iter().filter(|stretch| stretch.blocks > 0).map(stage).collect(),
        stopped_by: if answered && judge.is_done { StoppedBy::Verdict } else { stopped_by },
        runs_done: levels.iter().map(|level| level.runs).sum(),
        runs_exhaustive: EXHAUSTIVE_BLOCKS * judge.levels.len(),
        floor_ns: None,
        elapsed_s: elapsed_s(samples),
        levels,
        finding,
        also: Vec::new(),
    };
    let warnings = warnings(judge, &findings);
    SweepJudged { findings, warnings }
}

/// A copy of the judge. Unless the sweep was decided before, the copy has taken a last look at the data, which spends
/// the whole remaining error level.
fn closed(judge: &SweepJudge) -> SweepJudge {
    let mut closed = judge.clone();
    closed.settle_margin();
    if !judge.is_done {
        closed.evidence.crossing.look(&judge.evidence.sums, Course::spend_all(judge.rule.level));
    }
    closed
}

pub(super) fn peak_level(judge: &SweepJudge, is_significant: bool) -> f64 {
    match judge.candidates.is_empty() {
        true => judge.rule.level,
        false => Course::confirm_level(judge.rule.level, is_significant),
    }
}

fn finding(judge: &SweepJudge, seen: &Assessment) -> SweepFinding {
    let level = judge.rule.level;
    let found = seen.deviations(judge, peak_level(judge, judge.evidence.crossing.has_crossed()));
    let mut peaks: Vec<&Deviation> = found.iter().filter(|one| is_peak(one, seen.margin)).collect();
    peaks.sort_by(|a, b| b.estimate.abs().total_cmp(&a.estimate.abs()));
    let answer = match () {
        () if seen.is_effect() || seen.is_significant && !peaks.is_empty() => SweepAnswer::Effect,
        () if seen.is_small() && peaks.is_empty() => SweepAnswer::NoEffect,
        () => SweepAnswer::Undecided,
    };
    if answer != SweepAnswer::Effect {
        peaks.clear();
    }
    let peaks_total = peaks.len();
    let peak_levels: Vec<u16> = peaks.iter().map(|peak| peak.level).collect();
    let (share_low, share, share_high) =
        seen.size.map_or((0.0, 0.0, 1.0), |size| parts::shares(&size.effect, &size, size.effect.estimate));
    let repeats = repeatability(judge, seen);
    SweepFinding {
        answer,
        p_value: judge.confirmed_p.unwrap_or_else(|| judge.evidence.crossing.p_value()),
        level,
        difference_ratio: bounded(seen.difference.1).exp(),
        difference_low_ratio: bounded(seen.difference.0).exp(),
        difference_high_ratio: bounded(seen.difference.2).exp(),
        largest_excluded_ratio: bounded(seen.largest_open(&peak_levels)).exp(),
        margin: judge.margin_ratio(),
        margin_absolute: judge.rule.margin_absolute,
        variance_share: share,
        variance_share_low: share_low,
        variance_share_high: share_high,
        drift_share: drift_share(seen),
        repeatability: repeats.map(|one| one.correlation),
        repeatability_low: repeats.map(|one| one.low),
        repeatability_high: repeats.map(|one| one.high),
        period: (answer == SweepAnswer::Effect).then(|| parts::period(judge, seen)).flatten(),
        peaks: peaks.into_iter().take(PEAKS_MAX).map(|peak| self::peak(judge, peak)).collect(),
        peaks_total,
        failing: parts::failing(judge),
        slow: super::slow::slow(judge, &raw(judge)),
        parts: parts::products(judge, seen),
    }
}

fn drift_share(seen: &Assessment) -> f64 {
    let share = |size: fauxplat_stats::additive::Size| {
        let total = size.effect.estimate + size.drift + size.residual;
        if total > 0.0 { size.drift / total } else { 0.0 }
    };
    seen.size.map_or(0.0, share)
}

/// Correlation of the levels' effects between two halves of the blocks of the finest grid that has at least four
/// blocks; `None` if no grid has.
fn repeatability(judge: &SweepJudge, seen: &Assessment) -> Option<Repeatability> {
    let evidence = &judge.evidence;
    let of_stretch = |stretch: usize| -> Vec<usize> {
        let of = |&index: &usize| evidence.stretches[index] == stretch;
        evidence.of(|stage| stage != Stage::Confirm).into_iter().filter(of).collect()
    };
    let last = judge.course.stretches.len();
    let chosen = (0..last).rev().map(of_stretch).find(|blocks| blocks.len() >= 4)?;
    split_half(&evidence.blocks, &chosen, &seen.fitted, 1.0 - CONFIDENCE, judge.seed)
}

fn peak(judge: &SweepJudge, found: &Deviation) -> Peak {
    let told = &judge.levels[usize::from(judge.distinct[usize::from(found.level)])];
    Peak {
        level: told.name.clone(),
        number: told.number,
        ratio: bounded(found.estimate).exp(),
        ci_low_ratio: bounded(found.low).exp(),
        ci_high_ratio: bounded(found.high).exp(),
        p_adjusted: found.p_adjusted,
        blocks: found.blocks,
    }
}

/// The log readings of each level as they were measured, slow runs included.
fn raw(judge: &SweepJudge) -> Vec<Vec<f64>> {
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); judge.distinct.len()];
    for block in &judge.evidence.blocks {
        let visits = block.levels.iter().zip(&block.values);
        visits.for_each(|(&level, &value)| values[usize::from(level)].push(value));
    }
    values
}

/// The log readings of each level, with drift subtracted and slow runs winsorised.
fn values(judge: &SweepJudge, seen: &Assessment) -> Vec<Vec<f64>> {
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); judge.distinct.len()];
    for (block, cleaned) in judge.evidence.blocks.iter().zip(&seen.fitted.cleaned) {
        let visits = block.levels.iter().zip(cleaned);
        visits.for_each(|(&level, &value)| values[usize::from(level)].push(value));
    }
    values
}

fn levels(judge: &SweepJudge, seen: &Assessment) -> Vec<LevelFindings> {
    let (fitted, values) = (&seen.fitted, values(judge, seen));
    // Each level is shown as in the middle of the session: the median of the drift is added to its effect.
    let base = median(&fitted.drift.concat()).unwrap_or(0.0);
    let visited = |&place: &usize| judge.evidence.tallies[place].runs > 0;
    let places = (0..judge.distinct.len()).filter(visited);
    places.map(|place| level(judge, place, &values[place], base, fitted.effects[place])).collect()
}

fn level(judge: &SweepJudge, place: usize, values: &[f64], base: f64, effect: Option<f64>) -> LevelFindings {
    let command = judge.distinct[place];
    let told = &judge.levels[usize::from(command)];
    let tally = judge.evidence.tallies[place];
    let same = judge.levels.iter().filter(|level| level.same.is_some() && level.same == told.same).count();
    let interval = median_interval(&sorted(values), CONFIDENCE);
    let reading = |log: f64| (base + log).exp();
    LevelFindings {
        command,
        level: told.name.clone(),
        number: told.number,
        stands_for: if judge.exhaustive { 1 } else { same.max(1) },
        runs: tally.runs,
        failures: tally.failures,
        failure_exit_status: tally.exit_status,
        median_ns: median(values).map(reading),
        low_ns: interval.map(|interval| reading(interval[0])),
        high_ns: interval.map(|interval| reading(interval[1])),
        ratio: effect.filter(|_| !values.is_empty()).map(f64::exp),
    }
}

/// Share of failed runs above which a warning is given.
const FAILED_SHARE_MAX: f64 = 0.1;

fn warnings(judge: &SweepJudge, findings: &SweepFindings) -> Vec<String> {
    let mut warnings = Vec::new();
    let visited = findings.levels.len();
    if visited < findings.levels_distinct {
        let distinct = findings.levels_distinct;
        warnings.push(format!(
            "{visited} of {distinct} different levels were visited: what lies between them was not seen"
        ));
    }
    let failures: Vec<f64> =
        judge.evidence.tallies.iter().map(|tally| tally.failures as f64 / tally.runs.max(1) as f64).collect();
    if !judge.ignore_failure && mean(&failures).unwrap_or(0.0) > FAILED_SHARE_MAX {
        warnings.push("more than a tenth of the runs failed and were left out".to_owned());
    }
    warnings
}
