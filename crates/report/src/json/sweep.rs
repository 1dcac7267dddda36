//! Fields of the JSON document of a sweep. The period's fields are optional, since most sweeps have none.

use fauxplat_model::{
    AlsoSwept, FailingLevel, LevelFindings, Metric, Peak, SlowLevel, StoppedBy, SweepAnswer, SweepFinding,
    SweepFindings, SweepPart, SweepStage, Unit, ratio_end,
};
use serde::Serialize;

/// The fields at the top level of a sweep's JSON document.
#[derive(Serialize)]
pub(crate) struct SweepEntry<'a> {
    factor: &'a str,
    unit: Option<&'a str>,
    metric: Metric,
    levels: Vec<LevelEntry<'a>>,
    finding: FindingEntry<'a>,
    levels_asked: usize,
    levels_distinct: usize,
    stages: &'a [SweepStage],
    stopped_by: StoppedBy,
    runs_done: usize,
    runs_exhaustive: usize,
    floor_ns: Option<f64>,
    elapsed_s: f64,
    also: Vec<AlsoEntry<'a>>,
}

#[derive(Serialize)]
struct AlsoEntry<'a> {
    metric: Metric,
    levels: Vec<LevelEntry<'a>>,
    finding: FindingEntry<'a>,
    stages: &'a [SweepStage],
    stopped_by: StoppedBy,
}

/// A level of a factor as the user wrote it: as a number if it is one.
#[derive(Serialize)]
#[serde(untagged)]
enum Written<'a> {
    Whole(i64),
    Number(f64),
    Name(&'a str),
}

/// An entry of the field `levels`; `name` is always text.
#[derive(Serialize)]
struct LevelEntry<'a> {
    level: Written<'a>,
    name: &'a str,
    command: u16,
    stands_for: usize,
    runs: usize,
    failures: usize,
    failure_exit_status: Option<i32>,
    median: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    median_ns: Option<f64>,
    low_ns: Option<f64>,
    high_ns: Option<f64>,
    ratio: Option<f64>,
}

#[derive(Serialize)]
struct PeakEntry<'a> {
    level: Written<'a>,
    ratio: f64,
    #[serde(serialize_with = "ratio_end")]
    ci_low_ratio: f64,
    #[serde(serialize_with = "ratio_end")]
    ci_high_ratio: f64,
    p_adjusted: f64,
    blocks: usize,
}

/// The field `finding`.
#[derive(Serialize)]
struct FindingEntry<'a> {
    effect: bool,
    answer: SweepAnswer,
    p_value: f64,
    level: f64,
    margin: f64,
    margin_absolute: Option<f64>,
    difference_ratio: f64,
    #[serde(serialize_with = "ratio_end")]
    difference_low_ratio: f64,
    #[serde(serialize_with = "ratio_end")]
    difference_high_ratio: f64,
    #[serde(serialize_with = "ratio_end")]
    largest_excluded_ratio: f64,
    variance_share: f64,
    variance_share_low: f64,
    variance_share_high: f64,
    drift_share: f64,
    repeatability: Option<f64>,
    repeatability_low: Option<f64>,
    repeatability_high: Option<f64>,
    period: Option<f64>,
    period_low: Option<f64>,
    period_high: Option<f64>,
    period_explained_share: Option<f64>,
    period_p_value: Option<f64>,
    period_likely_cause: Option<&'a str>,
    peaks: Vec<PeakEntry<'a>>,
    peaks_total: usize,
    failing: &'a [FailingLevel],
    #[serde(skip_serializing_if = "<[SlowLevel]>::is_empty")]
    slow: &'a [SlowLevel],
    parts: &'a [SweepPart],
}

impl<'a> SweepEntry<'a> {
    pub(crate) fn of(found: &'a SweepFindings) -> Self {
        SweepEntry {
            factor: &found.factor,
            unit: found.unit.as_deref(),
            metric: found.metric,
            levels: levels(found.metric, &found.levels),
            finding: FindingEntry::of(&found.finding),
            levels_asked: found.levels_asked,
            levels_distinct: found.levels_distinct,
            stages: &found.stages,
            stopped_by: found.stopped_by,
            runs_done: found.runs_done,
            runs_exhaustive: found.runs_exhaustive,
            floor_ns: found.floor_ns,
            elapsed_s: found.elapsed_s,
            also: found.also.iter().map(AlsoEntry::of).collect(),
        }
    }
}

impl<'a> AlsoEntry<'a> {
    fn of(also: &'a AlsoSwept) -> Self {
        AlsoEntry {
            metric: also.metric,
            levels: levels(also.metric, &also.levels),
            finding: FindingEntry::of(&also.finding),
            stages: &also.stages,
            stopped_by: also.stopped_by,
        }
    }
}

fn levels(metric: Metric, levels: &[LevelFindings]) -> Vec<LevelEntry<'_>> {
    levels.iter().map(|level| LevelEntry::of(metric, level)).collect()
}

impl<'a> Written<'a> {
    /// A level by its name, and its number if it has one. The name of a combination of levels is not a number, although
    /// one of its parts may be.
    fn of(name: &'a str, number: Option<f64>) -> Self {
        match number.filter(|_| name.parse::<f64>().is_ok()) {
            Some(whole) if whole == whole.trunc() && whole.abs() < 9e15 => Written::Whole(whole as i64),
            Some(number) => Written::Number(number),
            None => Written::Name(name),
        }
    }
}

impl<'a> LevelEntry<'a> {
    fn of(metric: Metric, level: &'a LevelFindings) -> Self {
        let is_time = metric.unit() == Unit::Nanos;
        LevelEntry {
            level: Written::of(&level.level, level.number),
            name: &level.level,
            command: level.command,
            stands_for: level.stands_for,
            runs: level.runs,
            failures: level.failures,
            failure_exit_status: level.failure_exit_status,
            median: level.median_ns,
            low: level.low_ns,
            high: level.high_ns,
            median_ns: level.median_ns.filter(|_| is_time),
            low_ns: level.low_ns.filter(|_| is_time),
            high_ns: level.high_ns.filter(|_| is_time),
            ratio: level.ratio,
        }
    }
}

impl<'a> FindingEntry<'a> {
    fn of(finding: &'a SweepFinding) -> Self {
        let period = finding.period.as_ref();
        FindingEntry {
            effect: finding.answer == SweepAnswer::Effect,
            answer: finding.answer,
            p_value: finding.p_value,
            level: finding.level,
            margin: finding.margin,
            margin_absolute: finding.margin_absolute,
            difference_ratio: finding.difference_ratio,
            difference_low_ratio: finding.difference_low_ratio,
            difference_high_ratio: finding.difference_high_ratio,
            largest_excluded_ratio: finding.largest_excluded_ratio,
            variance_share: finding.variance_share,
            variance_share_low: finding.variance_share_low,
            variance_share_high: finding.variance_share_high,
            drift_share: finding.drift_share,
            repeatability: finding.repeatability,
            repeatability_low: finding.repeatability_low,
            repeatability_high: finding.repeatability_high,
            period: period.map(|period| period.period),
            period_low: period.map(|period| period.low),
            period_high: period.map(|period| period.high),
            period_explained_share: period.map(|period| period.explained_share),
            period_p_value: period.map(|period| period.p_value),
            period_likely_cause: period.and_then(|period| period.likely_cause.as_deref()),
            peaks: finding.peaks.iter().map(PeakEntry::of).collect(),
            peaks_total: finding.peaks_total,
            failing: &finding.failing,
            slow: &finding.slow,
            parts: &finding.parts,
        }
    }
}

impl<'a> PeakEntry<'a> {
    fn of(peak: &'a Peak) -> Self {
        PeakEntry {
            level: Written::of(&peak.level, peak.number),
            ratio: peak.ratio,
            ci_low_ratio: peak.ci_low_ratio,
            ci_high_ratio: peak.ci_high_ratio,
            p_adjusted: peak.p_adjusted,
            blocks: peak.blocks,
        }
    }
}
