//! From a judge that is done to the findings that a report shows.

use fauxplat_model::{
    LevelFindings, Phase, Sample, StoppedBy, SweepAnswer, SweepFinding, SweepFindings, SweepStage,
};

use super::{SweepJudge, SweepJudged, SweepLevel};
use crate::summary::{counts, readings, summarize_values};
use crate::verdict::elapsed_s;

/// Blocks of the classic exhaustive sweep.
const EXHAUSTIVE_BLOCKS: usize = 100;

/// Everything about a sweep.
pub(super) fn judged(judge: &SweepJudge, samples: &[Sample], stopped_by: StoppedBy) -> SweepJudged {
    let levels: Vec<LevelFindings> =
        judge.distinct.iter().map(|&command| level(judge, samples, command)).collect();
    let findings = SweepFindings {
        factor: judge.subject.factors.join(" x "),
        unit: judge.subject.unit.clone(),
        metric: judge.rule.metric,
        levels_asked: judge.levels.len(),
        levels_distinct: judge.distinct.len(),
        finding: undecided(judge),
        stages: vec![SweepStage {
            stage: "scan".to_owned(),
            levels: judge.distinct.len(),
            blocks: judge.blocks as usize,
        }],
        stopped_by,
        runs_done: levels.iter().map(|level| level.runs).sum(),
        runs_exhaustive: EXHAUSTIVE_BLOCKS * judge.levels.len(),
        floor_ns: None,
        elapsed_s: elapsed_s(samples),
        levels,
    };
    SweepJudged { findings, warnings: Vec::new() }
}

fn undecided(judge: &SweepJudge) -> SweepFinding {
    SweepFinding {
        answer: SweepAnswer::Undecided,
        p_value: 1.0,
        level: judge.rule.level,
        difference_ratio: 1.0,
        difference_low_ratio: 1.0,
        difference_high_ratio: f64::MAX,
        largest_excluded_ratio: f64::MAX,
        margin: judge.rule.margin,
        variance_share: 0.0,
        variance_share_low: 0.0,
        variance_share_high: 1.0,
        drift_share: 0.0,
        repeatability: None,
        repeatability_low: None,
        repeatability_high: None,
        period: None,
        peaks: Vec::new(),
        failing: Vec::new(),
        parts: Vec::new(),
    }
}

fn level(judge: &SweepJudge, samples: &[Sample], command: u16) -> LevelFindings {
    let told: &SweepLevel = &judge.levels[usize::from(command)];
    let ours: Vec<&Sample> = samples
        .iter()
        .filter(|sample| sample.command == command && sample.phase == Phase::Measured)
        .collect();
    let failed: Vec<&&Sample> = ours.iter().filter(|sample| !counts(sample, false)).collect();
    let values = readings(samples, command, judge.rule.metric, judge.ignore_failure);
    let summary = summarize_values(&values, judge.rule.metric);
    let same = judge.levels.iter().filter(|level| level.same.is_some() && level.same == told.same).count();
    LevelFindings {
        command,
        level: told.name.clone(),
        number: told.number,
        stands_for: if judge.exhaustive { 1 } else { same.max(1) },
        runs: ours.len(),
        failures: failed.len(),
        failure_exit_status: failed.first().map(|sample| sample.outcome.exit_status()),
        median_ns: summary.as_ref().map(|summary| summary.median),
        low_ns: summary.as_ref().map(|summary| summary.low),
        high_ns: summary.as_ref().map(|summary| summary.high),
        ratio: None,
    }
}
