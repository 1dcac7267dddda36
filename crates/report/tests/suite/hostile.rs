//! Reports and exports of malicious records, and damaged files as baselines.

use std::collections::BTreeSet;

use fauxplat_model::document::Findings;
use fauxplat_model::{Metric, MetricId, MetricSpec, Outcome, RunFindings, Unit};
use fauxplat_report::{Format, ReportError, Style, read_baseline, write};
use proptest::prelude::*;
use serde_json::Value;

use crate::common::{self, Owned, formats_of_runs};

/// The report in a format; the error is the reason why there is nothing to write.
fn written(owned: &Owned, format: Format) -> Result<String, ReportError> {
    let mut out = Vec::new();
    write(&owned.record(), format, &Style::default(), &mut out)?;
    Ok(String::from_utf8(out).expect("reports are UTF-8"))
}

/// Parses CSV, independently of the crate that writes it, by RFC 4180.
pub(crate) fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut rest = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => field.extend(rest.next()),
            '"' if quoted => {
                quoted = false;
                assert!(matches!(rest.peek(), None | Some(',' | '\n' | '\r')), "text behind a quote");
            }
            '"' => {
                assert!(field.is_empty(), "a quote within a field that is not quoted");
                quoted = true;
            }
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\r' if !quoted && rest.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            c => field.push(c),
        }
    }
    assert!(!quoted && row.is_empty() && field.is_empty(), "the last record has no end");
    rows
}

#[test]
fn csv_keeps_to_rfc_4180_whatever_the_names() {
    let owned = common::run(&["a,b", "say \"hi\"", "two\nlines", ""]);
    let rows = csv(&written(&owned, Format::Csv).unwrap());
    assert_eq!(rows.len(), 1 + owned.samples.len());
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let heads: BTreeSet<&String> = rows[0].iter().collect();
    assert_eq!(heads.len(), rows[0].len(), "a column stands twice");
    let wall = rows[0].iter().position(|head| head == "wall_ns").unwrap();
    let read: Vec<Option<u64>> = rows[1..].iter().map(|row| row[wall].parse().ok()).collect();
    assert_eq!(read, owned.samples.iter().map(|sample| sample.get(Metric::WALL)).collect::<Vec<_>>());
}

/// A record with a hundred user-defined metrics of every unit, measured in every second run.
fn with_many_metrics() -> (Owned, Vec<Metric>) {
    let units = [Unit::Nanos, Unit::Bytes, Unit::Count, Unit::MicroPerSecond];
    let open = |number: usize| {
        let id = MetricId::open("hostile", &format!("m{number}")).unwrap();
        Metric::open(MetricSpec::open(id, units[number % 4])).unwrap()
    };
    let metrics: Vec<Metric> = (0..100).map(open).collect();
    let mut owned = common::run(&["a", "b"]);
    for sample in owned.samples.iter_mut().step_by(2) {
        for (number, &metric) in metrics.iter().enumerate() {
            sample.readings.set(metric, Some(number as u64));
        }
    }
    (owned, metrics)
}

#[test]
fn a_hundred_metrics_are_in_every_format_that_has_all() {
    let (owned, metrics) = with_many_metrics();
    let document: Value = serde_json::from_str(&written(&owned, Format::Json).unwrap()).unwrap();
    let runs = [0, 1].map(|command| &document["commands"][command]["runs"][0]);
    let rows = csv(&written(&owned, Format::Csv).unwrap());
    let go = written(&owned, Format::GoBenchmark).unwrap();
    for (number, metric) in metrics.iter().enumerate() {
        assert_eq!(runs[0][metric.field()], Value::from(number), "{}", metric.name());
        assert_eq!(runs[1][metric.field()], Value::Null, "{}", metric.name());
        assert!(rows[0].iter().any(|head| head == metric.field()), "{}", metric.name());
        assert!(go.contains(&format!(" {}", metric.name())), "{}", metric.name());
    }
    for format in formats_of_runs() {
        written(&owned, format).unwrap();
    }
}

/// Findings of a command without any figure.
fn nothing(failures: usize) -> RunFindings {
    RunFindings { failures, ..RunFindings::default() }
}

#[test]
fn where_nothing_was_measured_nothing_is_claimed() {
    let mut owned = common::run(&["a", "b"]);
    for sample in &mut owned.samples {
        Metric::BUILT_IN.iter().for_each(|&metric| sample.readings.set(metric, None));
    }
    owned.findings = Findings::Run(vec![nothing(0), nothing(0)]);
    for format in formats_of_runs() {
        match written(&owned, format) {
            Ok(text) => assert!(!text.contains("NaN") && !text.contains("inf "), "{format}: {text}"),
            Err(error) => assert!(matches!(error, ReportError::NothingToExport { .. }), "{format}: {error}"),
        }
    }
    let document: Value = serde_json::from_str(&written(&owned, Format::Json).unwrap()).unwrap();
    for run in document["commands"][0]["runs"].as_array().unwrap() {
        assert!(Metric::BUILT_IN.iter().all(|metric| run[metric.field()].is_null()), "{run}");
    }
}

#[test]
fn where_every_run_failed_no_tool_gets_a_figure() {
    let mut owned = common::run(&["a"]);
    owned.samples.iter_mut().for_each(|sample| sample.outcome = Outcome::Signaled(9));
    owned.findings = Findings::Run(vec![nothing(owned.samples.len())]);
    let tools = [
        Format::HyperfineJson,
        Format::PyperfJson,
        Format::GithubActionBenchmark,
        Format::BencherBmf,
        Format::GoBenchmark,
        Format::GoogleBenchmark,
    ];
    for format in tools {
        let error = written(&owned, format).unwrap_err();
        assert!(error.to_string().contains("succeeded"), "{error}");
    }
    let text = written(&owned, Format::Text).unwrap();
    assert!(text.contains("20") && text.contains("failed"), "{text}");
}

#[test]
fn no_commands_at_all_are_no_reason_to_fall_over() {
    let mut owned = common::run(&["a"]);
    owned.commands.clear();
    owned.samples.clear();
    owned.findings = Findings::Run(Vec::new());
    for format in formats_of_runs() {
        if let Err(error) = written(&owned, format) {
            assert!(matches!(error, ReportError::NothingToExport { .. }), "{format}: {error}");
        }
    }
}

fn refused(text: &str) -> ReportError {
    read_baseline(text).expect_err("it is broken")
}

#[test]
fn a_baseline_that_is_too_deep_is_refused_at_its_place() {
    for (open, head) in [("[", "{\"results\": "), ("{\"a\":", "{\"schema\": \"x\", \"b\": ")] {
        let error = refused(&format!("{head}{}", open.repeat(100_000)));
        assert!(
            matches!(error, ReportError::BaselineSyntax { line: 1, column, .. } if column > 100),
            "{error}"
        );
    }
}

#[test]
fn numbers_that_no_number_holds_are_refused() {
    let run = |times: &str| format!("{{\"results\":\n[{{\"command\": \"a\", \"times\": [{times}]}}]}}");
    for times in ["1e400", "-1e999", "1, 2, 1e309"] {
        let error = refused(&run(times));
        assert!(matches!(error, ReportError::BaselineSyntax { line: 2, .. }), "{times}: {error}");
    }
    for times in ["NaN", "Infinity", "0x1", "1_000", "+1", ".5", "1."] {
        let error = refused(&run(times));
        assert!(matches!(error, ReportError::BaselineSyntax { line: 2, .. }), "{times}: {error}");
    }
}

#[test]
fn times_that_no_run_can_take_are_no_baseline() {
    for times in ["1e300", "1, -1", "-1e-300"] {
        let error = refused(&format!("{{\"results\": [{{\"command\": \"a\", \"times\": [{times}]}}]}}"));
        assert!(matches!(error, ReportError::BaselineEmpty { .. }), "{times}: {error}");
    }
}

#[test]
fn a_field_that_stands_twice_is_refused_at_its_place() {
    let twice = "{\"results\": [\n{\"command\": \"a\", \"times\": [1],\n \"times\": [2]}]}";
    let error = refused(twice);
    assert!(matches!(error, ReportError::BaselineShape { line: 3, .. }), "{error}");
    assert!(error.to_string().contains("times"), "{error}");
}

#[test]
fn wrong_types_are_refused_at_their_place() {
    let wrong = [
        "{\"results\": {}}",
        "{\"results\": [[]]}",
        "{\"results\": [{\"command\": 1, \"times\": [1]}]}",
        "{\"results\": [{\"command\": \"a\", \"times\": {\"0\": 1}}]}",
        "{\"results\": [{\"command\": \"a\", \"times\": [true]}]}",
        "{\"benchmarks\": \"none\"}",
        "{\"benchmarks\": [{\"runs\": 3}]}",
        "{\"schema\": \"fauxplat.run/1\", \"commands\": 7}",
    ];
    for text in wrong {
        let error = refused(text);
        assert!(
            matches!(error, ReportError::BaselineShape { line: 1, column, .. } if column > 0),
            "{text}: {error}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A document that was truncated, or in which one byte was changed, is either read or refused.
    #[test]
    fn a_damaged_document_is_read_or_refused(at in 0usize..4000, byte in 32u8..127, cut in any::<bool>()) {
        let mut text = common::run(&["sort"]).render(Format::HyperfineJson, &Style::default()).into_bytes();
        let at = at % text.len();
        match cut {
            true => text.truncate(at),
            false => text[at] = byte,
        }
        let Ok(text) = String::from_utf8(text) else { return Ok(()) };
        if let Ok(series) = read_baseline(&text) {
            prop_assert!(series.iter().all(|it| !it.values.is_empty()));
        }
    }

    #[test]
    fn csv_gives_back_every_name_as_it_may_be_shown(name in "[a-z,\"\\n\\r\\x1b\u{202e} ]{0,20}") {
        let mut owned = common::run(&["x"]);
        owned.commands[0].name = name.clone();
        let rows = csv(&written(&owned, Format::Csv).unwrap());
        prop_assert!(rows.iter().all(|row| row.len() == rows[0].len()));
        prop_assert_eq!(rows.len(), 21);
        let shown = name.replace('\n', "\\n").replace('\r', "\\r").replace('\u{1b}', "\\u{1b}");
        prop_assert_eq!(&rows[1][0], &shown.replace('\u{202e}', "\\u{202e}"));
    }
}
