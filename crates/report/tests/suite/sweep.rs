//! The report of `sweep`, in every format.

use fauxplat_model::document::Findings;
use fauxplat_model::{
    AlsoSwept, FailingLevel, LevelFindings, Metric, NO_BOUND_LOG, Peak, Period, SlowLevel, StoppedBy,
    SweepAnswer, SweepFinding, SweepFindings, SweepPart, SweepStage,
};
use fauxplat_report::{Format, Style, write};
use serde_json::Value;

use crate::common::{self, Owned};

/// A sweep over the given levels, every fourth of which is slower by a fifth.
fn findings(factor: &str, unit: Option<&str>, levels: Vec<(String, Option<f64>)>) -> SweepFindings {
    let median = |index: usize| if index % 4 == 3 { 1.2e6 } else { 1e6 };
    let level = |(index, (name, number)): (usize, (String, Option<f64>))| LevelFindings {
        command: index as u16,
        level: name,
        number,
        stands_for: 16,
        runs: 12,
        failures: 0,
        failure_exit_status: None,
        median_ns: Some(median(index)),
        low_ns: Some(median(index) * 0.99),
        high_ns: Some(median(index) * 1.01),
        ratio: Some(median(index) / 1e6),
    };
    SweepFindings {
        factor: factor.into(),
        unit: unit.map(str::to_owned),
        metric: Metric::WALL,
        levels_asked: levels.len() * 16,
        levels_distinct: levels.len(),
        levels: levels.into_iter().enumerate().map(level).collect(),
        finding: finding(),
        stages: vec![
            SweepStage { stage: "coarse".into(), levels: 16, blocks: 8 },
            SweepStage { stage: "scan".into(), levels: 64, blocks: 12 },
        ],
        stopped_by: StoppedBy::Verdict,
        runs_done: 896,
        runs_exhaustive: 102_400,
        floor_ns: Some(101_000.0),
        elapsed_s: 1.75,
        also: Vec::new(),
    }
}

fn finding() -> SweepFinding {
    SweepFinding {
        answer: SweepAnswer::Effect,
        p_value: 0.000_01,
        level: 0.01,
        difference_ratio: 1.122,
        difference_low_ratio: 1.118,
        difference_high_ratio: 1.127,
        largest_excluded_ratio: 1.3,
        margin: 0.01,
        margin_absolute: None,
        variance_share: 0.81,
        variance_share_low: 0.75,
        variance_share_high: 0.86,
        drift_share: 0.12,
        repeatability: Some(0.98),
        repeatability_low: Some(0.96),
        repeatability_high: Some(0.99),
        period: Some(Period {
            period: 64.0,
            low: 63.6,
            high: 64.3,
            explained_share: 0.97,
            p_value: 0.0001,
            likely_cause: Some("cache line (64 bytes)".into()),
        }),
        peaks: vec![Peak {
            level: "752".into(),
            number: Some(752.0),
            ratio: 1.21,
            ci_low_ratio: 1.18,
            ci_high_ratio: 1.24,
            p_adjusted: 0.0004,
            blocks: 8,
        }],
        peaks_total: 1,
        failing: Vec::new(),
        slow: Vec::new(),
        parts: Vec::new(),
    }
}

pub(crate) fn owned(found: SweepFindings) -> Owned {
    let mut owned = common::run(&["prog 1"]);
    owned.header = common::header("sweep");
    owned.findings = Findings::Sweep(Box::new(found));
    owned
}

/// A sweep over sixty-four sizes of the environment, 16 bytes apart.
pub(crate) fn sizes() -> SweepFindings {
    let levels = (0..64).map(|index| ((index * 16).to_string(), Some(f64::from(index * 16))));
    findings("env-size", Some("bytes"), levels.collect())
}

/// A sweep over two levels that are words. The command crashes at one of them, and nothing else differs.
pub(crate) fn words() -> SweepFindings {
    let mut found = findings("aslr", None, vec![("on".into(), None), ("off".into(), None)]);
    found.finding.answer = SweepAnswer::NoEffect;
    (found.finding.p_value, found.finding.difference_high_ratio) = (0.43, 1.004);
    (found.finding.period, found.finding.peaks) = (None, Vec::new());
    found.finding.peaks_total = 0;
    (found.finding.repeatability, found.finding.largest_excluded_ratio) = (None, 1.006);
    (found.levels_asked, found.runs_exhaustive) = (2, 200);
    found.levels[1].failures = 12;
    found.levels[1].median_ns = None;
    let failing =
        FailingLevel { level: "off".into(), runs: 12, failures: 12, exit_status: 139, p_adjusted: 0.000_01 };
    found.finding.failing = vec![failing];
    found
}

/// A sweep over all combinations of two factors, which ended undecided.
pub(crate) fn product() -> SweepFindings {
    let levels = (0..30).flat_map(|size| {
        ["on", "off"].map(|aslr| (format!("{} × {aslr}", size * 16), Some(f64::from(size * 16))))
    });
    let mut found = findings("env-size x aslr", Some("bytes"), levels.collect());
    found.finding.answer = SweepAnswer::Undecided;
    found.finding.peaks.clear();
    found.finding.peaks_total = 0;
    found.stopped_by = StoppedBy::MaxTime;
    found.finding.p_value = 0.2;
    let part = |factor: &str, variance_share| SweepPart {
        factor: factor.into(),
        variance_share,
        variance_share_low: variance_share / 2.0,
        variance_share_high: variance_share * 1.5,
    };
    found.finding.parts = vec![part("env-size", 0.1), part("aslr", 0.02), part("env-size x aslr", 0.3)];
    found
}

/// A sweep in two metrics: a peak in time and none in memory, whose margin is an amount.
pub(crate) fn two_metrics() -> SweepFindings {
    let mut found = sizes();
    found.levels.truncate(6);
    let memory = |level: &LevelFindings| LevelFindings {
        median_ns: Some(3_145_728.0),
        low_ns: Some(3_141_632.0),
        high_ns: Some(3_149_824.0),
        ratio: Some(1.0),
        ..level.clone()
    };
    let finding = SweepFinding {
        answer: SweepAnswer::NoEffect,
        p_value: 0.7,
        difference_high_ratio: 1.001,
        largest_excluded_ratio: 1.003,
        margin: 0.0208,
        margin_absolute: Some(65_536.0),
        period: None,
        peaks: Vec::new(),
        peaks_total: 0,
        ..finding()
    };
    (found.finding.level, found.finding.peaks[0].level) = (0.005, "752".into());
    found.also = vec![AlsoSwept {
        metric: Metric::PEAK_MEMORY,
        levels: found.levels.iter().map(memory).collect(),
        finding: SweepFinding { level: 0.005, ..finding },
        stages: vec![SweepStage { stage: "scan".into(), levels: 64, blocks: 6 }],
        stopped_by: StoppedBy::Verdict,
    }];
    found
}

#[test]
fn each_metric_is_told_and_one_error_for_all() {
    let text = owned(two_metrics()).text(80);
    insta::assert_snapshot!("sweep_two_metrics", text);
    let (time, memory) = (text.find("the wall time:").unwrap(), text.find("on the peak memory:").unwrap());
    assert!(time < memory && memory < text.find("Variance of one run").unwrap(), "answers stand first");
    let mut open = two_metrics();
    open.also[0].finding.answer = SweepAnswer::Undecided;
    let text = owned(open).text(300);
    assert!(text.contains("±2.08 % (64.00 KiB) is asked for"), "{text}");
    // Failed runs are reported once, since all metrics share the runs.
    let mut failing = words();
    failing.also = vec![AlsoSwept { finding: failing.finding.clone(), ..two_metrics().also.remove(0) }];
    assert_eq!(owned(failing).text(200).matches("the command fails").count(), 1);
}

#[test]
fn the_document_has_every_metric() {
    let document: Value =
        serde_json::from_str(&owned(two_metrics()).render(Format::Json, &Style::default())).unwrap();
    assert_eq!((&document["metric"], &document["finding"]["effect"]), (&"wall".into(), &true.into()));
    let also = &document["also"][0];
    assert_eq!((&also["metric"], &also["finding"]["effect"]), (&"peak-memory".into(), &false.into()));
    assert_eq!(also["finding"]["margin_absolute"], 65_536.0);
    // Fields in nanoseconds are absent for a metric in bytes.
    let level = &also["levels"][0];
    assert_eq!((&level["median"], &level["median_ns"]), (&3_145_728.0.into(), &Value::Null));
    assert_eq!(document["levels"][0]["median"], document["levels"][0]["median_ns"]);
    assert_eq!(also["stages"][0]["blocks"], 6);
    let page = owned(two_metrics()).render(Format::Html, &Style::default());
    assert!(page.contains("wall time by env-size") && page.contains("peak memory by env-size"));
}

#[test]
fn the_conclusion_stands_first_in_text() {
    insta::assert_snapshot!("sweep_sizes", owned(sizes()).text(80));
    insta::assert_snapshot!("sweep_words", owned(words()).text(80));
    insta::assert_snapshot!("sweep_product", owned(product()).text(80));
    let mut small = product();
    small.finding.p_value = 0.0004;
    let text = owned(small).text(200);
    assert!(
        text.starts_with("env-size x aslr moves the wall time (p = 0.0004), but whether by more"),
        "{text}"
    );
    let plain = Style { colour: false, width: 60, unicode: false };
    let ascii = owned(sizes()).render(Format::Text, &plain);
    assert!(ascii.is_ascii(), "{ascii}");
}

#[test]
fn what_is_significant_and_small_is_told_with_its_p_value() {
    let mut small = words();
    small.finding.p_value = 0.0004;
    let text = owned(small).text(200);
    assert!(text.starts_with("aslr moves the wall time (p = 0.0004), by less than ±1 %: typical"), "{text}");
    assert!(!text.contains("no effect"), "{text}");
}

#[test]
fn what_has_no_bound_is_not_excluded() {
    let said = |typical: f64, single: f64| {
        let mut found = product();
        found.finding.difference_high_ratio = typical;
        found.finding.largest_excluded_ratio = single;
        owned(found).text(400)
    };
    let none = NO_BOUND_LOG.exp();
    let text = said(none, none);
    assert!(text.contains("nothing can be excluded yet") && !text.contains("are excluded"), "{text}");
    let text = said(none, 1.02);
    assert!(text.contains(": deviations of any one level above 2.00 % are excluded"), "{text}");
    let text = said(1.004, none);
    assert!(text.contains("above 0.40 % are excluded") && !text.contains("any one level"), "{text}");
}

/// An end of an interval that is no bound is `null` in the document, and no number in words.
#[test]
fn an_end_that_is_no_bound_is_no_number() {
    let mut open = sizes();
    let none = NO_BOUND_LOG.exp();
    (open.finding.difference_high_ratio, open.finding.largest_excluded_ratio) = (none, none);
    open.finding.peaks[0].ci_high_ratio = none;
    let text = owned(open.clone()).text(200);
    assert!(text.contains("at least +1") && text.contains("(at least 1") && !text.contains("e7 %"), "{text}");
    let document: Value = serde_json::from_str(&owned(open).render(Format::Json, &Style::default())).unwrap();
    let finding = &document["finding"];
    for end in [
        &finding["difference_high_ratio"],
        &finding["largest_excluded_ratio"],
        &finding["peaks"][0]["ci_high_ratio"],
    ] {
        assert!(end.is_null(), "{finding}");
    }
    assert!(finding["peaks"][0]["ci_low_ratio"].is_number(), "{finding}");
}

#[test]
fn only_fresh_blocks_did_not_choose_what_stands_out() {
    let fresh = "from blocks that were not used to choose them";
    let few = owned(sizes()).text(200);
    assert!(few.contains("1 level stands out") && !few.contains(fresh), "{few}");
    let mut many = sizes();
    many.stages.push(SweepStage { stage: "confirm".into(), levels: 20, blocks: 8 });
    assert!(owned(many).text(200).contains(fresh));
}

#[test]
fn markdown_says_the_same() {
    insta::assert_snapshot!("markdown_sweep", owned(words()).render(Format::Markdown, &Style::default()));
}

#[test]
fn the_document_has_its_names() {
    let document: Value =
        serde_json::from_str(&owned(sizes()).render(Format::Json, &Style::default())).unwrap();
    assert_eq!(document["schema"], "fauxplat.sweep/2");
    for name in ["factor", "unit", "runs_done", "runs_exhaustive", "levels_asked", "stages", "stopped_by"] {
        assert!(!document[name].is_null(), "{name}");
    }
    let level = &document["levels"][3];
    assert_eq!((&level["level"], &level["name"], &level["runs"]), (&48.into(), &"48".into(), &12.into()));
    for name in ["median_ns", "low_ns", "high_ns", "ratio", "stands_for"] {
        assert!(level[name].is_number(), "{name}");
    }
    let finding = &document["finding"];
    assert_eq!((&finding["effect"], &finding["period"]), (&true.into(), &64.0.into()));
    for name in [
        "variance_share",
        "repeatability",
        "drift_share",
        "period_low",
        "period_high",
        "p_value",
        "difference_ratio",
        "difference_low_ratio",
        "difference_high_ratio",
        "largest_excluded_ratio",
    ] {
        assert!(finding[name].is_number(), "{name}");
    }
    let peak = &finding["peaks"][0];
    assert_eq!(peak["level"], 752);
    for name in ["ratio", "ci_low_ratio", "ci_high_ratio", "p_adjusted", "blocks"] {
        assert!(peak[name].is_number(), "{name}");
    }
    let none: Value = serde_json::from_str(&owned(words()).render(Format::Json, &Style::default())).unwrap();
    assert_eq!((&none["finding"]["effect"], &none["finding"]["period"]), (&false.into(), &Value::Null));
    assert_eq!((&none["levels"][1]["level"], &none["levels"][1]["median_ns"]), (&"off".into(), &Value::Null));
    assert_eq!(none["finding"]["failing"][0]["exit_status"], 139);
}

#[test]
fn drawings_show_every_level_and_each_peak_closer() {
    let svg = owned(sizes()).render(Format::Svg, &Style::default());
    assert!(
        svg.starts_with("<?xml") && svg.contains("env-size in bytes") && svg.contains("polyline"),
        "{svg}"
    );
    insta::assert_snapshot!("sweep_words_svg", owned(words()).render(Format::Svg, &Style::default()));
    let page = owned(sizes()).render(Format::Html, &Style::default());
    assert_eq!(page.matches("<svg").count(), 2, "the whole and one peak");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("stands out") && page.contains("752"));
    // Nothing is loaded: no link and no source; the only address is the XML namespace of drawings.
    assert!(!page.contains("src=") && !page.contains("<link") && !page.contains("@import"));
    assert_eq!(page.matches("http:").count(), page.matches("http://www.w3.org/2000/svg").count());
    let many = owned(product()).render(Format::Svg, &Style::default());
    assert!(many.contains("① on") && many.contains("② off"), "{many}");
}

#[test]
fn names_cannot_break_a_page() {
    let mut found = words();
    found.factor = "<script>alert(1)</script>".into();
    found.levels[0].level = "</svg><b>\u{1b}[31m".into();
    for format in [Format::Html, Format::Svg] {
        let text = owned(found.clone()).render(format, &Style::default());
        assert!(!text.contains("<script>alert") && !text.contains("</svg><b>") && !text.contains('\u{1b}'));
    }
}

#[test]
fn odd_numbers_and_no_levels_are_drawn_too() {
    let mut odd = sizes();
    for (index, value) in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300].into_iter().enumerate() {
        (odd.levels[index].median_ns, odd.levels[index].low_ns) = (Some(value), Some(-value));
    }
    odd.finding.difference_ratio = f64::NAN;
    let mut empty = sizes();
    (empty.levels, empty.runs_done, empty.stages) = (Vec::new(), 0, Vec::new());
    for format in [Format::Text, Format::Json, Format::Markdown, Format::Svg, Format::Html, Format::Csv] {
        // Without measurements there is nothing to draw.
        let found = [&odd, &empty].into_iter().filter(|it| format != Format::Svg || !it.levels.is_empty());
        for found in found {
            assert!(!owned(found.clone()).render(format, &Style::default()).contains("NaN"), "{format}");
        }
    }
}

#[test]
fn a_sweep_has_no_figure_per_command_for_other_tools() {
    let (mut out, owned) = (Vec::new(), owned(sizes()));
    let refused = write(&owned.record(), Format::HyperfineJson, &Style::default(), &mut out).unwrap_err();
    assert!(refused.to_string().contains("svg or html"), "{refused}");
}

#[test]
fn an_effect_of_slow_runs_is_not_told_as_a_typical_difference() {
    let mut found = words();
    found.levels.iter_mut().for_each(|level| (level.failures, level.median_ns) = (0, Some(1e6)));
    (found.levels[1].ratio, found.levels[1].median_ns) = (Some(1.179), Some(0.99e6));
    let finding = &mut found.finding;
    (finding.answer, finding.p_value, finding.failing) = (SweepAnswer::Effect, 0.001, Vec::new());
    (finding.difference_low_ratio, finding.difference_ratio) = (1.0, 1.179);
    finding.difference_high_ratio = 1.4;
    let flat = |found: &SweepFindings| owned(found.clone()).text(200).replace('\u{a0}', " ");
    let text = flat(&found);
    assert!(text.contains("typically differ by 17.9 % (at most 40.0 % at 99 %; p"), "{text}");
    let slow = SlowLevel { level: "off".into(), runs: 60, slow_runs: 9, ratio: 10.1, p_adjusted: 0.002 };
    found.finding.slow = vec![slow];
    let text = flat(&found);
    assert!(text.contains("aslr changes the wall time in some of the runs (p"), "{text}");
    assert!(text.contains("9 of 60 runs at off took 10.100 times as much as is typical there"), "{text}");
    assert!(
        text.contains("in the other direction")
            && !text.contains("typically differ")
            && !text.contains(" 0.00 %"),
        "{text}"
    );
}
