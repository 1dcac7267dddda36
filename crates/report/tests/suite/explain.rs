//! The report of `explain`, in every format.

use fauxplat_model::document::Findings;
use fauxplat_model::{Component, ExplainFindings, Interaction, LevelEffect, Metric};
use fauxplat_report::{Format, Style};

use crate::common::{self, Owned};

fn component(factor: &str, share: f64, points: f64, p: Option<f64>, levels: &[(&str, f64)]) -> Component {
    let level = |&(level, ratio): &(&str, f64)| LevelEffect {
        level: level.into(),
        runs: 480,
        ratio,
        ci_low_ratio: ratio - 0.002,
        ci_high_ratio: ratio + 0.002,
    };
    Component {
        factor: factor.into(),
        variance_share: share,
        low: share * 0.8,
        high: (share * 1.2).min(1.0),
        points_percent: points,
        p_adjusted: p,
        efficiency: p.map(|_| 0.98),
        is_sample: factor == "env-size",
        levels: levels.iter().map(level).collect(),
    }
}

pub(crate) fn explained() -> Owned {
    let mut owned = common::run(&["prog 1"]);
    owned.header = common::header("explain");
    owned.findings = Findings::Explain(ExplainFindings {
        metric: Metric::WALL,
        components: vec![
            component("env-size", 0.58, 7.0, Some(0.0012), &[("16 bytes", 1.041), ("272 bytes", 0.978)]),
            component("cpu", 0.25, 3.0, Some(0.0004), &[("CPU 0", 0.985), ("CPU 1", 1.015)]),
            component("drift", 0.08, 1.0, Some(0.003), &[("at 0.1 s", 1.004), ("at 4.2 s", 0.996)]),
            component("order", 0.01, 0.1, Some(0.4), &[("place 1", 1.001), ("place 2", 0.999)]),
            component("residual", 0.08, 0.9, None, &[]),
        ],
        interaction: None,
        worst_over_best_ratio: 1.12,
        worst_over_best_interval: Some([1.105, 1.134]),
        runs: 958,
        failures: 2,
        blocks: 60,
        level: 0.01,
        median_ns: Some(1_234_567.0),
        median_interval_ns: Some([1_230_000.0, 1_240_000.0]),
        floor_ns: Some(420_000.0),
        elapsed_s: 4.4,
        variants: Vec::new(),
    });
    owned
}

#[test]
fn a_sentence_and_a_bar_per_factor() {
    insta::assert_snapshot!("explain_80", explained().text(80));
    insta::assert_snapshot!("explain_50", explained().text(50));
    insta::assert_snapshot!("markdown_explain", explained().render(Format::Markdown, &Style::default()));
}

/// The answer has to give the same unexplained part as the row `unexplained` of the table below it.
#[test]
fn the_sentence_says_what_the_row_of_the_unexplained_says() {
    let with = |order: f64, rest: f64| {
        let mut owned = explained();
        let Findings::Explain(found) = &mut owned.findings else { panic!("an explanation") };
        (found.components[3].points_percent, found.components[4].points_percent) = (order, rest);
        owned.text(400).replace('\u{a0}', " ")
    };
    let text = with(4.26, 173.44);
    assert!(text.contains(", 4.3 points indistinguishable from chance, 173.4 points unexplained."), "{text}");
    let text = with(0.04, 1.0);
    assert!(text.contains(", 1.0 point drift, 1.0 point unexplained."), "nothing is left of order: {text}");
    let text = with(-2.0, 3.0);
    assert!(text.contains(", 1.0 point drift, 3.0 points unexplained."), "a share is not negative: {text}");
}

#[test]
fn an_interaction_is_named_or_bounded() {
    let with = |p_adjusted| {
        let mut owned = explained();
        let Findings::Explain(found) = &mut owned.findings else { panic!("an explanation") };
        let factors = ["env-size".to_owned(), "cpu".to_owned()];
        found.interaction =
            Some(Interaction { factors, variance_share: 0.2, low: 0.1, high: 0.3, p_adjusted });
        owned.text(200)
    };
    let named = with(0.002);
    assert!(named.contains("env-size and cpu do together what neither does alone"), "{named}");
    let bounded = with(0.6);
    assert!(bounded.contains("the largest may be env-size with cpu"), "{bounded}");
}

#[test]
fn terminals_without_unicode_get_bars_too() {
    let style = Style { colour: false, width: 80, unicode: false };
    let text = explained().render(Format::Text, &style);
    assert!(text.is_ascii() && text.contains(" #################### "), "{text}");
}

#[test]
fn json_carries_what_others_rely_on() {
    let document: serde_json::Value =
        serde_json::from_str(&explained().render(Format::Json, &Style::default())).unwrap();
    assert_eq!(document["schema"], "fauxplat.explain/2");
    let first = &document["components"][0];
    for field in ["factor", "variance_share", "low", "high", "points_percent"] {
        assert!(!first[field].is_null(), "{field}");
    }
    assert_eq!(document["components"][4]["p_adjusted"], serde_json::Value::Null);
}

#[test]
fn csv_has_a_row_per_factor_and_level() {
    let csv = explained().render(Format::Csv, &Style::default());
    let lines: Vec<&str> = csv.lines().collect();
    assert!(
        lines[0].starts_with("factor,level,runs,variance_share,low,high,points_percent,p_adjusted,ratio")
    );
    assert_eq!(lines.len(), 1 + 5 + 8);
    assert!(lines[1].starts_with("env-size,,,0.58,") && lines[2].starts_with("env-size,16 bytes,480,,"));
}

#[test]
fn without_runs_there_is_nothing_to_say() {
    let mut owned = explained();
    if let Findings::Explain(found) = &mut owned.findings {
        found.components.clear();
    }
    assert!(owned.text(80).starts_with("Too few runs to explain anything."));
}
