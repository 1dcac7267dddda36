//! Findings of a sweep in sentences. The conclusion comes first.

use fauxplat_model::{
    FailingLevel, LevelFindings, Period, SlowLevel, StoppedBy, SweepAnswer, SweepFinding, SweepFindings,
    SweepStage, is_no_bound,
};

use crate::bounded::interval_of_changes;
use crate::parts::Tone;
use crate::words::{
    TIE, change, counted, listed, p_value, percent, quantity, round_number as number, round_percent, visible,
};

pub(crate) fn conclusion(found: &SweepFindings) -> (Tone, String) {
    let finding = &found.finding;
    let factor = visible(&found.factor);
    let (metric, p) = (found.metric.title(), p_value(finding.p_value));
    match finding.answer {
        SweepAnswer::Effect => {
            let typical = excess(finding.difference_ratio);
            let sentence = match slow_alone(found) {
                true => format!("{factor} changes the {metric} in some of the runs ({p})."),
                false => {
                    let interval = interval(finding);
                    format!(
                        "{factor} changes the {metric}: two levels typically differ by {typical} ({interval}; {p})."
                    )
                }
            };
            (Tone::Bad, sentence)
        }
        SweepAnswer::NoEffect => {
            let bound = excluded(finding);
            let sentence = match is_shown(finding) {
                true => {
                    format!("{factor} moves the {metric} ({p}), by less than ±{}: {bound}.", margin(found))
                }
                false => format!("{factor} has no effect beyond drift on the {metric}: {bound}."),
            };
            (Tone::Good, sentence)
        }
        SweepAnswer::Undecided => {
            let (ended, bound) = (limit(found.stopped_by), excluded(finding));
            let margin = margin(found);
            let sentence = match is_shown(finding) {
                true => format!(
                    "{factor} moves the {metric} ({p}), but whether by more than ±{margin} is undecided{ended}: {bound}."
                ),
                false => format!(
                    "{factor} showed no effect beyond drift on the {metric}{ended} ({p}), but a small one cannot be excluded \
                     either: {bound}, and ±{margin} is asked for."
                ),
            };
            (Tone::Doubt, sentence)
        }
    }
}

/// The interval of the typical difference between levels. The test of all levels shows that there is a difference; an
/// interval that begins at zero only states how large the difference can be.
fn interval(finding: &SweepFinding) -> String {
    let (low, high) = (finding.difference_low_ratio, finding.difference_high_ratio);
    let confidence = confidence(finding);
    match (low - 1.0 < LEAST_SHOWN, is_no_bound(high)) {
        (true, true) => "how much is not bounded yet".to_owned(),
        (true, false) => format!("at most {} at {confidence}", excess(high)),
        (false, true) => format!("at least {} at {confidence}", excess(low)),
        (false, false) => format!("{confidence} interval {} to {}", excess(low), excess(high)),
    }
}

/// Smallest difference, as a share, that is not shown as 0.00 %.
const LEAST_SHOWN: f64 = 5e-5;

/// Whether an effect of the factor consists of slow runs alone: a level has more slow runs than others, and the medians
/// of the levels lie within the margin or in a different order than the estimated effects.
fn slow_alone(found: &SweepFindings) -> bool {
    !found.finding.slow.is_empty()
        && (medians_disagree(found) || medians_spread(found) <= found.finding.margin)
}

/// The largest difference between medians of levels, as a ratio minus one.
fn medians_spread(found: &SweepFindings) -> f64 {
    let medians = || found.levels.iter().filter_map(|level| level.median_ns).filter(|&median| median > 0.0);
    let (low, high) = (medians().fold(f64::INFINITY, f64::min), medians().fold(0.0, f64::max));
    if low.is_finite() { high / low - 1.0 } else { 0.0 }
}

/// Whether two levels differ in one direction by their effects, beyond the margin, and in the other by their medians.
fn medians_disagree(found: &SweepFindings) -> bool {
    let of = |level: &LevelFindings| level.ratio.zip(level.median_ns);
    let all: Vec<(f64, f64)> = found.levels.iter().filter_map(of).collect();
    let highest = all.iter().copied().max_by(|one, next| one.0.total_cmp(&next.0));
    let Some((ratio, median)) = highest else { return false };
    all.iter()
        .any(|&(other, other_median)| ratio > other * (1.0 + found.finding.margin) && median < other_median)
}

/// Sentence about runs that are much slower than others at their level, if a level has more of them than other levels.
pub(crate) fn slow(found: &SweepFindings) -> Option<String> {
    let one = |level: &SlowLevel| {
        format!(
            "{} of {} runs at {} took {:.3} times as much as is typical there ({})",
            level.slow_runs,
            level.runs,
            visible(&level.level),
            level.ratio,
            p_value(level.p_adjusted)
        )
    };
    let levels: Vec<String> = found.finding.slow.iter().map(one).collect();
    let disagree = match medians_disagree(found) {
        true => " The medians of the levels do not show this: they lie in the other direction.",
        false => "",
    };
    (!levels.is_empty())
        .then(|| format!("Slow runs are more frequent at some levels: {}.{disagree}", listed(&levels)))
}

/// Whether the difference between levels is significant, however small.
fn is_shown(finding: &SweepFinding) -> bool {
    finding.p_value <= finding.level
}

/// The margin, such as `1 %`, or `0.83 % (64 KiB)` if it was stated as an amount.
fn margin(found: &SweepFindings) -> String {
    match found.finding.margin_absolute {
        None => round_percent(found.finding.margin),
        Some(amount) => format!("{} ({})", percent(found.finding.margin), quantity(found.metric, amount)),
    }
}

/// Confidence of the intervals that answer whether the factor matters, which hold over all looks at the level of the
/// sweep.
fn confidence(finding: &SweepFinding) -> String {
    round_percent(1.0 - finding.level)
}

/// Sizes of effects that are excluded by the data, in a sweep in which no effect was shown.
fn excluded(finding: &SweepFinding) -> String {
    let single = |bound| format!("deviations of any one level above {bound}");
    let typical = |bound| format!("typical differences between levels above {bound} are excluded");
    match (bounded(finding.difference_high_ratio), bounded(finding.largest_excluded_ratio)) {
        (Some(most), Some(one)) => format!("{}, as are {}", typical(most), single(one)),
        (Some(most), None) => typical(most),
        (None, Some(one)) => format!("{} are excluded", single(one)),
        (None, None) => "nothing can be excluded yet".to_owned(),
    }
}

/// The excess of a ratio over one in per cent; `None` if the ratio means that there is no bound.
fn bounded(ratio: f64) -> Option<String> {
    (!is_no_bound(ratio)).then(|| excess(ratio))
}

fn excess(ratio: f64) -> String {
    percent((ratio - 1.0).max(0.0))
}

fn limit(stopped_by: StoppedBy) -> &'static str {
    match stopped_by {
        StoppedBy::MaxPairs => " after the largest number of blocks",
        StoppedBy::MaxTime => " at the time limit",
        StoppedBy::Interrupt => " (interrupted)",
        StoppedBy::Verdict => "",
    }
}

/// Sentences about the sources of the variance of a run, and about the repeatability of the differences between levels.
pub(crate) fn shares(finding: &SweepFinding) -> String {
    let residual = (1.0 - finding.variance_share - finding.drift_share).max(0.0);
    let mut text = format!(
        "Variance of one run: the factor {} ({} interval {} to {}), drift {} (removed), residual {}.",
        percent(finding.variance_share),
        confidence(finding),
        percent(finding.variance_share_low),
        percent(finding.variance_share_high),
        percent(finding.drift_share),
        percent(residual)
    );
    if let (Some(value), Some(low), Some(high)) =
        (finding.repeatability, finding.repeatability_low, finding.repeatability_high)
    {
        text += &format!(
            " Repeatability between halves of the blocks {value:.2} ({low:.2} to {high:.2}): {}.",
            if low > 0.0 { "the pattern repeats" } else { "the pattern does not surely repeat" }
        );
    }
    text
}

pub(crate) fn parts(finding: &SweepFinding) -> Option<String> {
    let one = |part: &fauxplat_model::SweepPart| {
        format!(
            "{} {} ({} to {})",
            visible(&part.factor),
            percent(part.variance_share),
            percent(part.variance_share_low),
            percent(part.variance_share_high)
        )
    };
    let parts: Vec<String> = finding.parts.iter().map(one).collect();
    (!parts.is_empty()).then(|| format!("Of the variance: {}.", listed(&parts)))
}

/// Sentence about the period with which the pattern of the levels repeats, or that none was found although it was
/// searched for; `None` if it was not searched for.
pub(crate) fn period(found: &SweepFindings) -> Option<String> {
    let unit = found.unit.as_deref().unwrap_or("");
    found.finding.period.as_ref().map(|period: &Period| {
        let cause = period.likely_cause.as_ref();
        let cause = cause.map_or_else(String::new, |cause| format!(", likely the {}", visible(cause)));
        format!(
            "Period {} (95{TIE}% interval {} to {}; {}), which explains {} of what differs between levels{cause}.",
            with_unit(period.period, unit),
            number(period.low),
            number(period.high),
            p_value(period.p_value),
            percent(period.explained_share)
        )
    })
}

fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { number(value) } else { format!("{}{TIE}{unit}", number(value)) }
}

pub(crate) fn failing(found: &SweepFindings) -> Vec<String> {
    let one = |level: &FailingLevel| {
        // Only the exit status is recorded, and only that of the first failed run.
        let how = match level.exit_status {
            124 => "124, as at a time limit".to_owned(),
            status if status > 128 => format!("{status}, as by signal {}", status - 128),
            status => status.to_string(),
        };
        format!(
            "At {} {} the command fails: {} of {}, the first with status {how} ({}).",
            visible(&found.factor),
            visible(&level.level),
            level.failures,
            counted(level.runs, "run", "runs"),
            p_value(level.p_adjusted)
        )
    };
    found.finding.failing.iter().map(one).collect()
}

/// Heading of the table of peaks, or the statement that there is no peak.
pub(crate) fn peaks(found: &SweepFindings) -> Option<String> {
    let finding = &found.finding;
    // With few levels there is no stage of confirmation: all blocks count and all levels are candidates, so there was
    // no selection.
    let is_fresh = found.stages.iter().any(|stage| stage.stage == "confirm");
    let fresh = if is_fresh { ", from blocks that were not used to choose them" } else { "" };
    let level = round_percent(1.0 - finding.level);
    let shown = match finding.peaks_total > finding.peaks.len() {
        true => format!("; the {} largest are", finding.peaks.len()),
        false => String::new(),
    };
    match (finding.peaks_total, finding.answer) {
        (0, SweepAnswer::Effect) => Some("No single level stands out from the others.".to_owned()),
        (0, _) => None,
        (count, _) => Some(format!(
            "{} out against the median of the levels (simultaneous {level} intervals{fresh}{shown}):",
            counted(count, "level stands", "levels stand")
        )),
    }
}

/// Sentence about the stages of the sweep that were carried out, and the number of runs that they saved.
pub(crate) fn plan(found: &SweepFindings) -> String {
    format!("{}; {}", listed_stages("Plan", found), counts(found))
}

/// Sentence about the stages of the sweep for one metric among several.
pub(crate) fn stages(found: &SweepFindings) -> String {
    format!("{}.", listed_stages(&format!("Plan for the {}", found.metric.title()), found))
}

/// Sentence about the number of runs, which is common to all metrics.
pub(crate) fn runs(found: &SweepFindings) -> String {
    format!("The metrics share their blocks: {}", counts(found))
}

/// Sentence about the error probability that all metrics of a sweep share.
pub(crate) fn family(each: &[SweepFindings]) -> String {
    let level: f64 = each.iter().map(|one| one.finding.level).sum();
    format!(
        "The probability that any of the {} metrics is falsely said to depend on the factor, or any of its levels to \
         stand out, is at most {}: each metric has an equal part of it.",
        each.len(),
        round_percent(level)
    )
}

fn listed_stages(title: &str, found: &SweepFindings) -> String {
    let stage = |stage: &SweepStage| {
        format!(
            "{} {} × {}",
            stage.stage,
            counted(stage.levels, "level", "levels"),
            counted(stage.blocks, "block", "blocks")
        )
    };
    let stages: Vec<String> = found.stages.iter().map(stage).collect();
    format!("{title}: {}", stages.join(", "))
}

/// Words for the number of runs, the number of equal levels, and the number of runs of a sweep that visits every level
/// equally often.
fn counts(found: &SweepFindings) -> String {
    let equal = match found.levels_asked - found.levels_distinct.min(found.levels_asked) {
        0 => String::new(),
        _ => format!(
            " {} of the {} levels differ at all: {}.",
            found.levels_distinct,
            found.levels_asked,
            why_equal(&found.factor)
        ),
    };
    let saved = match found.runs_done {
        0 => String::new(),
        done => {
            let share = found.runs_exhaustive as f64 / done as f64;
            let share = if share >= 1.5 {
                format!(", {} times as many", number(share.round()))
            } else {
                String::new()
            };
            format!(
                " The exhaustive sweep ({} levels × 100) takes {} runs{share}.",
                found.levels_asked, found.runs_exhaustive
            )
        }
    };
    format!("{} in all.{equal}{saved}", counted(found.runs_done, "run", "runs"))
}

/// Clause with the reason why different levels of a factor can give the same program or the same memory layout.
fn why_equal(factor: &str) -> &'static str {
    let built = ["link-order", "link-padding", "code-align"].iter().any(|name| factor.contains(name));
    if built { "the others gave the same program" } else { "the stack moves in steps of 16 bytes" }
}

/// Caption of a drawing of a peak: its level, and how much it differs from the median level.
pub(crate) fn peak_caption(found: &SweepFindings, peak: &fauxplat_model::Peak) -> String {
    format!(
        "{} {}: {} ({})",
        visible(&found.factor),
        visible(&peak.level),
        change(peak.ratio),
        interval_of_changes(peak.ci_low_ratio, peak.ci_high_ratio, " to ")
    )
}
