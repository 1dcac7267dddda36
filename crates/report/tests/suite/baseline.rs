//! Reads back results of earlier sessions and of other tools. The tools themselves wrote the files in `data`.

use fauxplat_model::{Metric, Outcome, Phase};
use fauxplat_report::{BaselineSeries, Format, ReportError, SourceFormat, Style, read_baseline};

use crate::common::{self, Owned};
use crate::comparisons;

fn read_back(owned: &Owned, format: Format) -> Vec<BaselineSeries> {
    read_baseline(&owned.render(format, &Style::default())).expect("what is written is readable")
}

fn refused(text: &str) -> String {
    read_baseline(text).expect_err("it is broken").to_string()
}

/// The duration of a command that failed at once, recorded with hyperfine's `--ignore-failure`, must not serve as a
/// baseline.
#[test]
fn runs_of_hyperfine_that_failed_are_no_baseline() {
    let version_1 = |codes: &str| {
        let text =
            format!(r#"{{"results": [{{"command": "x", "times": [0.1, 0.2], "exit_codes": {codes}}}]}}"#);
        fauxplat_report::read_baseline(&text)
    };
    assert_eq!(version_1("[0, 0]").unwrap()[0].get(Metric::WALL), Some(&[1e8, 2e8][..]));
    assert_eq!(version_1("[3, 0]").unwrap()[0].get(Metric::WALL), Some(&[2e8][..]));
    for codes in ["[3, 3]", "[null, 1]"] {
        let error = version_1(codes).unwrap_err().to_string();
        assert!(error.contains("no successful run"), "{error}");
    }
    let run = |code: &str| format!(r#"{{"time_wall_clock": {{"value": 0.1}}{code}}}"#);
    let version_2 = |code: &str| {
        let text = format!(r#"{{"results": [{{"command": "x", "measurements": [{}]}}]}}"#, run(code));
        fauxplat_report::read_baseline(&text).is_ok()
    };
    assert!(version_2("") && version_2(r#", "exit_code": 0"#));
    assert!(!version_2(r#", "exit_code": 3"#) && !version_2(r#", "exit_code": null"#));
}

#[test]
fn hyperfine_1() {
    let series = read_baseline(include_str!("../data/hyperfine-1.15.json")).unwrap();
    let names: Vec<_> = series.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["sleep 0.001", "sleep 0.002"]);
    assert_eq!(series[0].format, SourceFormat::Hyperfine);
    assert_eq!(series[0].get(Metric::WALL), Some(&[2_411_313.0, 2_062_230.0][..]));
    assert_eq!(series[0].get(Metric::PEAK_MEMORY), None);
}

#[test]
fn hyperfine_2() {
    let series = read_baseline(include_str!("../data/hyperfine-2.0.json")).unwrap();
    assert_eq!(series.len(), 2);
    assert_eq!(series[0].name, "short");
    assert!(series[0].when.as_ref().is_some_and(|when| when.starts_with("2026-")), "{:?}", series[0].when);
    for metric in [Metric::WALL, Metric::CPU, Metric::USER, Metric::SYSTEM, Metric::PEAK_MEMORY] {
        assert_eq!(series[1].get(metric).map(<[f64]>::len), Some(3), "{metric:?}");
    }
    assert!(series[1].get(Metric::WALL).unwrap().iter().all(|&ns| ns > 2e6 && ns < 1e8));
}

#[test]
fn pyperf() {
    let series = read_baseline(include_str!("../data/pyperf-2.10.json")).unwrap();
    assert_eq!(series.len(), 1);
    assert_eq!(series[0].name, "sleep");
    assert_eq!(series[0].format, SourceFormat::Pyperf);
    assert_eq!(series[0].get(Metric::WALL).map(<[f64]>::len), Some(4));
    assert!(series[0].get(Metric::WALL).unwrap().iter().all(|&ns| ns > 1e6 && ns < 1e8));
    assert!(series[0].when.as_ref().is_some_and(|when| when.starts_with("2026-")), "{:?}", series[0].when);
}

#[test]
fn our_own_documents() {
    let mut owned = common::run(&["sort", "gsort"]);
    owned.samples[0].phase = Phase::Warmup;
    owned.samples[2].outcome = Outcome::TimedOut;
    let series = read_back(&owned, Format::Json);
    assert_eq!(series.len(), 2);
    assert_eq!(series[0].name, "sort");
    assert_eq!(series[0].format, SourceFormat::Fauxplat);
    assert_eq!(series[0].when.as_deref(), Some("2026-11-02T09:30:00Z"));
    assert_eq!(series[0].get(Metric::WALL).map(<[f64]>::len), Some(18));
    assert_eq!(
        series[1].get(Metric::WALL).map(|it| it[0]),
        owned.samples[1].get(Metric::WALL).map(|ns| ns as f64)
    );
    assert_eq!(series[0].get(Metric::MIGRATIONS), None, "it was not measured");
    assert_eq!(read_back(&comparisons::compare_three(), Format::Json).len(), 3);
}

#[test]
fn a_metric_that_some_runs_lack_is_left_out() {
    let mut owned = common::run(&["sort"]);
    owned.samples[7].readings.set(Metric::USER, None);
    let series = read_back(&owned, Format::Json);
    assert_eq!(series[0].get(Metric::USER), None);
    assert!(series[0].get(Metric::SYSTEM).is_some());
}

#[test]
fn our_own_exports() {
    let owned = common::run(&["sort", "gsort"]);
    let wall = |series: &[BaselineSeries]| series[1].get(Metric::WALL).map(|it| it[3].round());
    let expected = owned.samples[7].get(Metric::WALL).map(|ns| ns as f64);
    assert_eq!(wall(&read_back(&owned, Format::HyperfineJson)), expected);
    assert_eq!(wall(&read_back(&owned, Format::PyperfJson)), expected);
    assert!(read_back(&owned, Format::PyperfJson)[0].get(Metric::PEAK_MEMORY).is_some());
}

#[test]
fn broken_json_has_a_place() {
    let said = [refused("{\"results\": [\n  {\"command\": }"), refused("")];
    let whole = common::run(&["sort"]).render(Format::Json, &Style::default());
    let error = read_baseline(&whole[..whole.len() / 2]).unwrap_err();
    assert!(matches!(error, ReportError::BaselineSyntax { line, .. } if line > 10), "{error}");
    insta::assert_snapshot!("broken_json_has_a_place", said.join("\n"));
}

#[test]
fn another_shape_is_told_with_its_place() {
    let said = [
        refused("{\"results\": [\n {\"command\": \"a\", \"times\": [1, \"x\"]}]}"),
        refused("{\"results\": [{\"command\": \"a\"}]}"),
        refused("{\"benchmarks\": [{\"metadata\": {}}]}"),
        refused(
            "{\"schema\": \"fauxplat.run/1\",\n\"commands\": [{\"name\": \"a\", \"runs\": [{\"wall_ns\": 1}]}]}",
        ),
    ];
    insta::assert_snapshot!("another_shape_is_told_with_its_place", said.join("\n"));
}

#[test]
fn another_kind_is_told_what_was_expected() {
    let said = [refused("{\"version\": 3}"), refused("[1, 2]"), refused("{\"schema\": \"fauxplat.run/9\"}")];
    insta::assert_snapshot!("another_kind_is_told_what_was_expected", said.join("\n"));
}

#[test]
fn a_baseline_without_runs_is_refused() {
    let said = [refused("{\"results\": [{\"command\": \"a\", \"times\": []}]}")];
    let mut failed = common::run(&["sort"]);
    failed.samples.iter_mut().for_each(|sample| sample.outcome = Outcome::Exited(1));
    assert!(matches!(
        read_baseline(&failed.render(Format::Json, &Style::default())),
        Err(ReportError::BaselineEmpty { .. })
    ));
    insta::assert_snapshot!("a_baseline_without_runs_is_refused", said.join("\n"));
}

#[test]
fn metrics_that_only_this_experiment_has_are_read_back() {
    let mut owned = common::run(&["a", "b"]);
    let requests = Metric::from_id("table:requests").unwrap();
    for sample in &mut owned.samples {
        let value = u64::from(sample.trial) + 1;
        sample.readings.set(requests, (sample.command == 0).then_some(value));
    }
    let series = read_back(&owned, Format::Json);
    let expected = owned.samples.iter().filter(|it| it.phase == Phase::Measured && it.outcome.is_success());
    let expected: Vec<f64> = expected.filter_map(|it| it.get(requests)).map(|it| it as f64).collect();
    assert_eq!(series[0].get(requests), Some(&expected[..]));
    assert_eq!(series[1].get(requests), None);
}
