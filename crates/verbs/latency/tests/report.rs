//! Reports of the lateness of activations.

use fauxplat_latency::{LatencyFindings, LatencyReport};
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{Aslr, Condition, CpuFacts, EnvPad, MachineFacts, Policy};
use fauxplat_report::{Format, OwnReport, ReportError, Style, know_reports, unfinished, write};
use serde::Deserialize;
use serde_json::{Value, json};

/// Two tests of a timer, as a document of an earlier version has them: without a summary.
fn found() -> Value {
    let percentiles = |late: u64| {
        json!({
            "min_ns": 900, "mean_ns": 2000.0, "p50_ns": 1500, "p90_ns": 2500, "p99_ns": late / 2, "p999_ns": late,
            "p9999_ns": null, "p99999_ns": null, "max_ns": late,
            "intervals": [
                { "percentile": 50.0, "low_ns": 1500, "high_ns": 1500 },
                { "percentile": 99.0, "low_ns": 2500, "high_ns": late / 2 },
                { "percentile": 99.9, "low_ns": late / 2, "high_ns": null },
            ],
            "histogram": [[900, 20], [1500, 700], [2500, 270], [late / 2, 9], [late, 1]],
        })
    };
    let test = |name: &str, policy: &str, missed: u64| {
        let mut test = percentiles(90_000);
        let more = json!({
            "name": name, "policy": policy, "cpu": 1, "peer": null, "interval_ns": 1_000_000, "slack_ns": 50_000,
            "count": 1000, "missed": missed, "corrected": percentiles(400_000), "lost_share": 0.0021,
            "wall_ns": 1_000_000_000u64, "causes": [{ "cause": "timer", "count": 250, "total_ns": 500_000 }],
        });
        test.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        test
    };
    json!({ "tests": [test("timer", "other", 3), test("timer", "fifo:50", 0)], "elapsed_s": 4.0 })
}

fn header() -> Header {
    Header {
        fauxplat_version: "0.1.0".into(),
        started: "2026-11-02T09:30:00Z".into(),
        invocation: ["/usr/bin/fauxplat", "latency"].map(String::from).to_vec(),
        seed: 42,
        machine: MachineFacts {
            kernel: "6.1.0-26-amd64".into(),
            architecture: "x86_64".into(),
            os: "Debian GNU/Linux 12 (bookworm)".into(),
            cpu: CpuFacts {
                model: "AMD EPYC 7B13".into(),
                online: "0-3".parse().unwrap(),
                allowed: "0-1".parse().unwrap(),
                governor: None,
            },
            hypervisor: Some("KVM".into()),
            ..MachineFacts::default()
        },
        condition: Condition {
            policy: Some(Policy::Other),
            env_pad: EnvPad::Random,
            aslr: Aslr::On,
            ..Condition::default()
        },
        warnings: vec!["the hypervisor took 1.2 % of the time (steal)".into()],
        not_measured: vec!["migrations: perf_event_paranoid is 4 (lower it to 2)".into()],
        ..Header::default()
    }
}

fn written(header: &Header, found: &Value, format: Format, width: usize) -> Result<String, ReportError> {
    know_reports(vec![&LatencyReport]);
    let findings = Findings::deserialize("fauxplat.latency/1", found).expect("the schema is that of a verb");
    let findings = findings.expect("the document is JSON");
    let record = Record { header, commands: &[], samples: &[], findings: &findings };
    let (style, mut out) = (Style { colour: false, width, unicode: true }, Vec::new());
    write(&record, format, &style, &mut out)?;
    Ok(String::from_utf8(out).expect("reports are UTF-8"))
}

fn shown(found: &Value, format: Format, width: usize) -> String {
    written(&header(), found, format, width).expect("memory has room")
}

#[test]
fn people_and_spreadsheets_get_every_test() {
    insta::assert_snapshot!("text", shown(&found(), Format::Text, 80));
    insta::assert_snapshot!("markdown", shown(&found(), Format::Markdown, 80));
    insta::assert_snapshot!("csv", shown(&found(), Format::Csv, 80));
    let page = shown(&found(), Format::Html, 80);
    assert!(page.contains("Latency by percentile") && page.contains("repeat with"), "{page}");
    assert!(shown(&found(), Format::Svg, 80).contains("polyline"));
}

/// Documents of earlier versions have no summary, and each field keeps its name and its value.
#[test]
fn documents_keep_their_fields() {
    let whole: LatencyFindings = serde_json::from_value(found()).unwrap();
    assert_eq!((whole.tests.len(), whole.summary.as_str()), (2, ""));
    let Value::Object(mut again) = whole.document().unwrap().document else { panic!("it is no object") };
    assert_eq!(again.remove("summary"), Some(json!("")));
    let mut told = found();
    for test in told["tests"].as_array_mut().unwrap() {
        // Fields that this document does not have yet.
        test["sd_ns"] = json!(0.0);
        test["corrected"]["sd_ns"] = json!(0.0);
    }
    assert_eq!(Value::Object(again), told);
    let json: Value = serde_json::from_str(&shown(&found(), Format::Json, 80)).unwrap();
    assert_eq!((&json["schema"], &json["tests"]), (&json!("fauxplat.latency/1"), &found()["tests"]));
}

/// If tests are too short for a percentile, the answer names them in the order of the longest delay of each.
#[test]
fn the_best_test_comes_before_the_worst() {
    let first = |found: &Value| {
        shown(found, Format::Text, 200).lines().next().unwrap_or_default().replace('\u{a0}', " ")
    };
    let answer = |times: [(Option<u64>, u64); 2]| {
        let mut found = found();
        for (test, (p99_ns, max_ns)) in found["tests"].as_array_mut().unwrap().iter_mut().zip(times) {
            (test["corrected"]["p99_ns"], test["corrected"]["max_ns"]) = (p99_ns.into(), max_ns.into());
            test["slack_ns"] = Value::Null;
        }
        first(&found)
    };
    let mut silent = found();
    (silent["tests"][0]["count"], silent["tests"][0]["missed"]) = (0.into(), 0.into());
    let silent = first(&silent);
    assert!(silent.contains("half within") && silent.contains("; nothing arrived at timer"), "{silent}");
    let (other, fifo) = ("(timer, CPU 1, other)", "(timer, CPU 1, fifo:50)");
    let short = format!("2 tests: all within 503.0 µs {fifo} to 2.023 ms {other}");
    assert_eq!(answer([(None, 2_023_000), (None, 503_000)]), short);
    let mixed = format!("2 tests: 99 % within 80.00 µs {other} to 503.0 µs {fifo}");
    assert_eq!(answer([(Some(80_000), 900_000), (None, 503_000)]), mixed);
    let mixed = format!("2 tests: 99 % within 33.00 µs {fifo} to 80.00 µs {other}");
    assert_eq!(answer([(Some(80_000), 900_000), (None, 33_000)]), mixed);
}

/// The line that repeats an experiment has a seed, which `--merge` refuses.
#[test]
fn merged_documents_have_no_condition_and_are_not_repeated() {
    let merged = Header { condition: Condition::default(), ..header() };
    let text = written(&merged, &found(), Format::Text, 80).unwrap();
    assert!(
        text.contains("machine:") && !text.contains("condition:") && !text.contains("repeat with"),
        "{text}"
    );
}

/// The store has experiments that were killed before they had findings.
#[test]
fn an_unfinished_experiment_has_no_tests() {
    know_reports(vec![&LatencyReport]);
    let unfinished = unfinished("latency").expect("the verb is known");
    assert_eq!(unfinished.schema, LatencyReport.schema());
    assert_eq!(LatencyFindings::deserialize(&unfinished.document).unwrap(), LatencyFindings::default());
    assert!(shown(&unfinished.document, Format::Text, 80).starts_with("Nothing was measured."));
}

#[test]
fn there_is_nothing_for_readers_of_timings() {
    for format in [
        Format::HyperfineJson,
        Format::PyperfJson,
        Format::GithubActionBenchmark,
        Format::BencherBmf,
        Format::JUnit,
    ] {
        let error = written(&header(), &found(), format, 80).unwrap_err();
        assert!(matches!(error, ReportError::NothingToExport { .. }), "{format}: {error}");
        assert!(format.suits("latency").is_err(), "{format}");
    }
}
