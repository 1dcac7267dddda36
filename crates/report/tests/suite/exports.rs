//! Exports in the formats of other tools, field by field.

use std::collections::BTreeSet;

use fauxplat_model::document::Findings;
use fauxplat_model::{
    Comparison, Dropped, DroppedReason, FailIf, Gate, GateQuestion, GateState, IgnoredFailures, Metric,
    MetricId, MetricSpec, Outcome, Phase, Unit, Verdict,
};
use fauxplat_report::{Format, ReportError, Style, write};
use serde_json::{Value, json};

use crate::common::{self, Owned};
use crate::comparisons::{self, comparison};

fn exported(owned: &Owned, format: Format) -> Value {
    serde_json::from_str(&owned.render(format, &Style::default())).expect("valid JSON")
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn hyperfine_has_the_fields_of_hyperfine() {
    let real: Value = serde_json::from_str(include_str!("../data/hyperfine-1.15.json")).unwrap();
    let mut owned = common::run(&["sort", "gsort"]);
    for sample in &mut owned.samples {
        sample.readings.set(Metric::PEAK_MEMORY, None);
    }
    let ours = exported(&owned, Format::HyperfineJson);
    assert_eq!(keys(&ours), keys(&real));
    assert_eq!(keys(&ours["results"][0]), keys(&real["results"][0]));
}

#[test]
fn hyperfine_counts_in_seconds() {
    let mut owned = common::run(&["sort"]);
    owned.samples[0].phase = Phase::Warmup;
    owned.samples[1].outcome = Outcome::Exited(1);
    owned.samples[2].readings.set(Metric::WALL, Some(5_000_000));
    let ours = exported(&owned, Format::HyperfineJson);
    let entry = &ours["results"][0];
    assert_eq!(entry["times"].as_array().unwrap().len(), 18, "neither warm-up nor failed runs");
    assert_eq!(entry["times"][0], json!(0.005));
    assert_eq!(entry["exit_codes"].as_array().unwrap().len(), 18);
    assert_eq!(entry["memory_usage_byte"].as_array().unwrap().len(), 18);
    assert!((0.005..0.0051).contains(&entry["mean"].as_f64().unwrap()), "{entry}");
    assert_eq!(entry["parameters"], json!({"size": "10"}));
}

#[test]
fn hyperfine_keeps_failures_that_were_to_be_ignored() {
    let mut owned = common::run(&["sort"]);
    owned.commands[0].condition.ignore_failure = IgnoredFailures::All;
    owned.samples[0].outcome = Outcome::Exited(3);
    owned.samples[1].outcome = Outcome::Signaled(11);
    let ours = exported(&owned, Format::HyperfineJson);
    assert_eq!(ours["results"][0]["exit_codes"][0], json!(3));
    assert_eq!(ours["results"][0]["exit_codes"][1], Value::Null);
}

#[test]
fn hyperfine_2_has_the_fields_of_hyperfine_2() {
    let real: Value = serde_json::from_str(include_str!("../data/hyperfine-2.0.json")).unwrap();
    let ours = exported(&common::run(&["sort", "gsort"]), Format::HyperfineJson2);
    assert_eq!(keys(&ours), keys(&real));
    assert_eq!((&ours["schema_version"], &ours["primary_metric"]), (&json!(2), &json!("time_wall_clock")));
    let (entry, theirs) = (&ours["results"][0], &real["results"][0]);
    assert!(keys(theirs).iter().all(|key| *key == "name" || !entry[*key].is_null()), "{entry}");
    assert_eq!(keys(&entry["measurements"][0]), keys(&theirs["measurements"][0]));
    assert_eq!(keys(&entry["summary"]), keys(&theirs["summary"]));
    let wall = &entry["summary"]["time_wall_clock"];
    assert_eq!(keys(wall), keys(&theirs["summary"]["time_wall_clock"]));
    assert!((0.005..0.0051).contains(&wall["mean"].as_f64().unwrap()), "{wall}");
    assert_eq!(entry["measurements"].as_array().unwrap().len(), 20);
    let read = fauxplat_report::read_baseline(&ours.to_string()).unwrap();
    assert_eq!(read[1].name, "gsort", "what is written is read back as a baseline");
}

/// The types of the fields are those of hyperfine 1: numbers of seconds, and lists of such numbers.
#[test]
fn hyperfine_2_has_the_fields_of_hyperfine_1_beside_its_own() {
    let real: Value = serde_json::from_str(include_str!("../data/hyperfine-1.15.json")).unwrap();
    let mut owned = common::run(&["sort", "gsort"]);
    owned.commands[1].name = "renamed".to_owned();
    let ours = exported(&owned, Format::HyperfineJson2);
    let (entry, first) = (&ours["results"][0], exported(&owned, Format::HyperfineJson));
    for (key, theirs) in real["results"][0].as_object().unwrap() {
        assert!(same_type(&entry[key], theirs), "{key}: {} is not of the type of {theirs}", entry[key]);
        assert_eq!(entry[key], first["results"][0][key], "{key}");
    }
    for key in ["mean", "stddev", "median", "user", "system", "min", "max"] {
        assert!(entry[key].is_number(), "{key}: {entry}");
    }
    assert_eq!(entry["times"].as_array().unwrap().len(), entry["exit_codes"].as_array().unwrap().len());
    assert!(entry["times"].as_array().unwrap().iter().all(Value::is_number), "{entry}");
    assert!(entry["exit_codes"].as_array().unwrap().iter().all(|code| *code == json!(0)), "{entry}");
    assert_eq!(entry["parameters"], json!({"size": "10"}));
    assert_eq!(ours["results"][1]["command"], json!("renamed"), "version 1 has the name there");
}

fn same_type(ours: &Value, theirs: &Value) -> bool {
    std::mem::discriminant(ours) == std::mem::discriminant(theirs)
}

#[test]
fn a_summary_in_csv_has_the_columns_of_hyperfine() {
    let text = common::run(&["sort", "a, \u{202e}b"]).render(Format::CsvSummary, &Style::default());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "command,mean,stddev,median,user,system,min,max,parameter_size");
    assert_eq!(lines.len(), 3);
    assert!(lines[1].starts_with("sort,0.005") && lines[1].ends_with(",10"), "{text}");
    assert!(lines[2].starts_with("\"a, \\u{202e}b\",") && !text.contains('\u{202e}'), "{text}");
}

/// The outcome of a JUnit test case agrees with the exit code: a failure where a gate fails, whatever the verdict is.
#[test]
fn junit_fails_where_a_gate_does() {
    use FailIf::{Different, Faster, Inconclusive, Slower, Undecided};
    let counts = |gates: &[FailIf], verdict, ratio: f64| {
        let is_beyond = (verdict == Verdict::Different).then_some(true);
        let shown = comparison("sort", "gsort", verdict, ratio, 0.005);
        let mut owned = comparisons::compare(Comparison { beyond_margin: is_beyond, ..shown });
        owned.header.definition.rule.fail_if = gates.to_vec();
        let text = owned.render(Format::JUnit, &Style::default());
        [r#"failures="1""#, r#"skipped="1""#].map(|count| text.contains(count))
    };
    let (failed, skipped, passed) = ([true, false], [false, true], [false, false]);
    for (gates, verdict, ratio, expected) in [
        (&[Slower][..], Verdict::Different, 1.1, failed),
        (&[Slower], Verdict::Different, 0.9, passed),
        (&[Faster], Verdict::Different, 0.9, failed),
        (&[Faster], Verdict::Different, 1.1, passed),
        (&[Different], Verdict::Different, 0.9, failed),
        (&[Undecided], Verdict::Different, 1.1, passed),
        (&[Inconclusive], Verdict::Different, 1.1, passed),
        (&[Inconclusive], Verdict::Inconclusive, 1.0101, failed),
        (&[Slower], Verdict::Inconclusive, 1.0101, skipped),
        (&[Slower, Undecided], Verdict::Inconclusive, 1.0101, failed),
    ] {
        assert_eq!(counts(gates, verdict, ratio), expected, "{gates:?} {verdict:?} {ratio}");
    }
}

#[test]
fn junit_says_which_verdict_fails() {
    let case = |verdict, ratio: f64| {
        let is_beyond = (verdict == Verdict::Different).then_some((ratio - 1.0).abs() > 0.05);
        let shown = comparison("sort", "<g&sort>", verdict, ratio, 0.005);
        let owned = comparisons::compare(Comparison { beyond_margin: is_beyond, ..shown });
        owned.render(Format::JUnit, &Style::default())
    };
    let slower = case(Verdict::Different, 1.1);
    assert!(slower.contains("failures=\"1\"") && slower.contains("<failure message=\""), "{slower}");
    assert!(slower.contains("name=\"&lt;g&amp;sort&gt; against sort\""), "{slower}");
    // As with `--fail-if slower`, a difference within the margin is no failure.
    let within = case(Verdict::Different, 1.006);
    assert!(within.contains("failures=\"0\" errors=\"0\" skipped=\"0\""), "{within}");
    let faster = case(Verdict::Different, 0.9);
    assert!(faster.contains("failures=\"0\" errors=\"0\" skipped=\"0\""), "{faster}");
    let open = case(Verdict::Inconclusive, 1.0);
    assert!(open.contains("skipped=\"1\"") && open.contains("<skipped message="), "{open}");
    let runs = common::run(&["sort", "gsort"]).render(Format::JUnit, &Style::default());
    assert!(runs.contains("tests=\"2\" failures=\"0\""), "{runs}");
}

/// Formats for programs say how many runs of which command failed, as the report for people does.
#[test]
fn failed_runs_are_counted_for_ci_and_for_tables() {
    let mut skipped = comparison("sort", "gsort", Verdict::Equivalent, 1.0, 0.005);
    skipped.dropped_pairs = 3;
    skipped.dropped = vec![Dropped { reason: DroppedReason::FailedRun, pairs: 3 }];
    let mut owned = comparisons::compare(skipped);
    let whole = owned.render(Format::CsvSummary, &Style::default());
    assert!(!whole.contains("failed_runs"), "{whole}");
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    found.commands[1].failures = 3;
    let junit = owned.render(Format::JUnit, &Style::default());
    let told = "3 of 35 pairs were dropped (3 for a failed run). 3 runs failed: gsort.";
    assert!(junit.contains(told), "{junit}");
    assert!(!junit.contains("failed: sort"), "{junit}");
    let text = owned.render(Format::CsvSummary, &Style::default());
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[0].ends_with(",parameter_size,failed_runs"), "{text}");
    assert!(rows[1].ends_with(",10,0") && rows[2].ends_with(",10,3"), "{text}");
}

/// Each metric that decides has a gate of its own, and the first columns have the worst answer of all.
#[test]
fn each_metric_has_its_gate_in_a_summary() {
    let mut owned = comparisons::compare_metrics();
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    let answers = [(GateState::Within, 0.0184), (GateState::Undecided, 0.03)];
    for (comparison, (state, detectable)) in found.comparisons.iter_mut().zip(answers) {
        let (question, margin) = (GateQuestion::Slower, comparison.margin);
        comparison.gate = Some(Gate { question, margin, state, detectable: Some(detectable) });
    }
    let text = owned.render(Format::CsvSummary, &Style::default());
    let rows: Vec<&str> = text.lines().collect();
    let each = ",gate_wall,gate_detectable_wall,gate_peak-memory,gate_detectable_peak-memory";
    assert!(rows[0].ends_with(&format!(",gate,gate_detectable{each}")), "{text}");
    assert!(rows[1].ends_with(",10,,,,,,"), "the reference has no gate: {text}");
    assert!(rows[2].ends_with(",10,undecided,0.03,within,0.0184,undecided,0.03"), "{text}");
}

/// The action shows `extra` alone, so it has the answer of every gate, also of a metric without an entry.
#[test]
fn github_action_benchmark_has_the_gate_of_every_metric() {
    let metric =
        Metric::open(MetricSpec::open(MetricId::open("printed", "of-the-action").unwrap(), Unit::Millionth))
            .unwrap();
    let mut owned = comparisons::compare_metrics();
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    let answers = [(Metric::WALL, GateState::Within), (metric, GateState::Beyond)];
    for (comparison, (metric, state)) in found.comparisons.iter_mut().zip(answers) {
        let (question, margin) = (GateQuestion::Different, comparison.margin);
        comparison.metric = metric;
        comparison.gate = Some(Gate { question, margin, state, detectable: None });
    }
    let entries = exported(&owned, Format::GithubActionBenchmark);
    let gates: Vec<&str> =
        entries.as_array().unwrap().iter().map(|it| it["extra"].as_str().unwrap()).collect();
    let told: Vec<&&str> = gates.iter().filter(|extra| extra.contains("change")).collect();
    assert_eq!(told.len(), 1, "the reference has no gate, and one entry has both: {gates:?}");
    let both = format!("; no change beyond 1 %; {}: change: different by more than", metric.title());
    assert!(told[0].contains(&both), "{gates:?}");
}

/// Names of commands are shown and never act as markup, in each language by its means.
#[test]
fn reports_in_other_markup_hold_tables_and_names() {
    let owned = common::run(&["a | b *c* #d", "plain"]);
    let ascii = owned.render(Format::AsciiDoc, &Style::default());
    assert!(ascii.contains("|===\n") && ascii.contains("``a &#124; b &#42;c&#42; &#35;d``"), "{ascii}");
    let org = owned.render(Format::Org, &Style::default());
    assert!(org.lines().any(|line| line.starts_with("|---+---")), "{org}");
    assert!(org.contains("a \\vert{} b") && org.contains("~plain~"), "{org}");
    assert!(!org.lines().any(|line| line.starts_with("| a | b")), "{org}");
}

#[test]
fn pyperf_gets_one_value_per_process() {
    let mut owned = common::run(&["sort", "sort"]);
    owned.samples[0].readings.set(Metric::WALL, Some(0));
    let ours = exported(&owned, Format::PyperfJson);
    assert_eq!(ours["version"], json!("1.0"));
    assert_eq!(ours["metadata"]["unit"], json!("second"));
    assert_eq!(ours["metadata"]["date"], json!("2026-11-02 09:30:00"));
    assert_eq!(ours["benchmarks"][0]["metadata"]["name"], json!("sort"));
    assert_eq!(ours["benchmarks"][1]["metadata"]["name"], json!("sort (2)"), "names are keys there");
    let runs = ours["benchmarks"][0]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 19, "pyperf refuses a value of zero");
    assert!(runs.iter().all(|run| run["values"].as_array().unwrap().len() == 1));
    assert!(runs[0]["metadata"]["command_max_rss"].is_u64());
}

#[test]
fn equal_names_are_told_apart_where_names_are_shown() {
    let mut owned = comparisons::compare(comparison("sort", "sort", Verdict::Different, 1.1, 0.005));
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    found.commands[1].summaries[0].median = 6_000_000.0;
    for format in [Format::Text, Format::Csv, Format::Markdown, Format::Html, Format::JUnit] {
        let text = owned.render(format, &Style::default());
        assert!(text.contains("sort (2)"), "{format}: {text}");
    }
    let junit = owned.render(Format::JUnit, &Style::default());
    assert!(junit.contains(r#"name="sort (2) against sort""#), "{junit}");
    assert!(junit.contains(r#"time="0.006000000""#), "the time is that of the second command: {junit}");
    assert_eq!(exported(&owned, Format::Json)["comparisons"][0]["b"], json!("sort"));
}

/// Names that differ by a blank alone are one name for a reader.
#[test]
fn names_that_differ_by_blanks_are_told_apart() {
    let shown = comparison("sort data", " sort\u{a0} data ", Verdict::Different, 1.1, 0.005);
    let owned = comparisons::compare(shown);
    for format in [Format::Text, Format::Csv, Format::Markdown, Format::Html, Format::JUnit] {
        let text = owned.render(format, &Style::default());
        assert!(text.contains("sort data (2)"), "{format}: {text}");
    }
    assert_eq!(exported(&owned, Format::Json)["comparisons"][0]["b"], json!(" sort\u{a0} data "));
}

#[test]
fn the_winner_and_the_runner_up_keep_their_numbers() {
    let mut owned = comparisons::compare_with_runner_up();
    owned.commands.iter_mut().for_each(|command| command.name = "sort".to_owned());
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    for comparison in &mut found.comparisons {
        (comparison.a, comparison.b) = ("sort".to_owned(), "sort".to_owned());
    }
    let junit = owned.render(Format::JUnit, &Style::default());
    for case in ["sort (2) against sort\"", "sort (3) against sort\"", "sort (3) against sort (2)\""] {
        assert!(junit.contains(&format!("name=\"{case}")), "{case}: {junit}");
    }
}

#[test]
fn github_action_benchmark_gets_fixed_units() {
    let ours = exported(&common::run(&["sort", "gsort"]), Format::GithubActionBenchmark);
    assert_eq!(ours.as_array().unwrap().len(), 6);
    assert_eq!(keys(&ours[0]), ["extra", "name", "range", "unit", "value"].into());
    assert_eq!(ours[0]["name"], json!("sort: wall time"));
    assert_eq!(ours[0]["unit"], json!("ms"));
    assert!((5.0..5.1).contains(&ours[0]["value"].as_f64().unwrap()));
    assert!(ours[0]["range"].as_str().unwrap().starts_with("± 0.0"));
    assert_eq!(ours[2]["unit"], json!("MiB"));
}

#[test]
fn bencher_gets_latency_in_nanoseconds() {
    let ours = exported(&common::run(&["sort", "gsort"]), Format::BencherBmf);
    assert_eq!(keys(&ours), ["gsort", "sort"].into());
    assert_eq!(keys(&ours["sort"]["latency"]), ["lower_value", "upper_value", "value"].into());
    assert!((5e6..5.1e6).contains(&ours["sort"]["latency"]["value"].as_f64().unwrap()));
    assert!(ours["sort"].get("peak-memory").is_some());
}

#[test]
fn comparisons_are_exported_like_runs() {
    let compared = comparisons::compare(comparison("sort", "gsort", Verdict::Equivalent, 1.0, 0.005));
    assert_eq!(exported(&compared, Format::HyperfineJson)["results"].as_array().unwrap().len(), 2);
}

#[test]
fn a_calibration_cannot_be_exported() {
    let exports = [
        Format::HyperfineJson,
        Format::HyperfineJson2,
        Format::CsvSummary,
        Format::JUnit,
        Format::PyperfJson,
        Format::GithubActionBenchmark,
        Format::BencherBmf,
        Format::GoBenchmark,
        Format::GoogleBenchmark,
    ];
    for format in exports {
        let error = write(&common::aa().record(), format, &Style::default(), &mut Vec::new()).unwrap_err();
        assert!(matches!(error, ReportError::NothingToExport { .. }), "{error}");
        assert!(error.to_string().contains(format.name()), "{error}");
    }
}

#[test]
fn csv_has_a_row_per_run_and_empty_fields_for_what_is_absent() {
    let mut owned = common::run(&["sort, \"quoted\"\nand broken"]);
    owned.samples.truncate(3);
    insta::assert_snapshot!("csv", owned.render(Format::Csv, &Style::default()));
}

/// A writer that accepts a number of bytes and then fails, like a full disk.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0 {
            0 => Err(std::io::ErrorKind::StorageFull.into()),
            room => {
                self.0 -= room.min(bytes.len());
                Ok(room.min(bytes.len()))
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_in_every_format() {
    for format in common::formats_of_runs() {
        let error =
            write(&common::run(&["sort"]).record(), format, &Style::default(), &mut Full(100)).unwrap_err();
        let ReportError::Io(error) = error else { panic!("{format}: {error}") };
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{format}");
    }
}

#[test]
fn a_few_runs_have_no_drawing_and_say_so() {
    let mut few = common::run(&["sort"]);
    few.samples.truncate(4);
    for format in [Format::Svg, Format::Boxes, Format::Lscpu, Format::OpenMetrics] {
        let mut out = Vec::new();
        let error = write(&few.record(), format, &Style::default(), &mut out).unwrap_err();
        assert!(matches!(error, ReportError::NothingToExport { .. }) && out.is_empty(), "{format}: {error}");
    }
}

/// A line of Go's benchmark format: the name, and each figure with its unit.
type GoLine<'t> = (&'t str, Vec<(f64, &'t str)>);

/// Parses the format, independently of the code that writes it, by the grammar
/// <https://go.dev/design/14313-benchmark-format>: keys, and lines of results.
fn go_benchmarks(text: &str) -> (Vec<(&str, &str)>, Vec<GoLine<'_>>) {
    let (mut keys, mut results) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if !line.starts_with("Benchmark") {
            let (key, value) = line.split_once(": ").expect("a key and a value");
            assert!(key.starts_with(|c: char| c.is_ascii_lowercase()) && !key.contains(' '), "{line}");
            keys.push((key, value));
            continue;
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        assert!(fields.len() >= 4 && fields.len().is_multiple_of(2), "{line}");
        assert!(fields[0]["Benchmark".len()..].starts_with(char::is_uppercase), "{line}");
        assert!(fields[1].parse::<u64>().is_ok_and(|iterations| iterations > 0), "{line}");
        let figures: Vec<(f64, &str)> =
            fields[2..].chunks(2).map(|pair| (pair[0].parse().expect("a number"), pair[1])).collect();
        let units: BTreeSet<&str> = figures.iter().map(|(_, unit)| *unit).collect();
        assert_eq!(units.len(), figures.len(), "a unit stands twice: {line}");
        results.push((fields[0], figures));
    }
    (keys, results)
}

#[test]
fn go_benchmark_has_a_line_per_run_and_names_without_blanks() {
    let mut owned = common::run(&["sort a\nb/c -8", "sort a\tb/c -8", "\u{202e}é"]);
    owned.samples[0].phase = Phase::Warmup;
    owned.samples[1].outcome = Outcome::Exited(1);
    owned.samples[2].readings.set(Metric::PEAK_MEMORY, None);
    let text = owned.render(Format::GoBenchmark, &Style::default());
    let (keys, results) = go_benchmarks(&text);
    assert_eq!(keys[..2], [("goos", "linux"), ("goarch", "amd64")]);
    assert_eq!(results.len(), owned.samples.len() - 2, "neither warm-up nor failed runs");
    let names: BTreeSet<&str> = results.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    // In a name, a hyphen followed by a number would be taken for the number of CPUs, and a slash would begin the name
    // of a part.
    let is_cpus = |name: &&str| name.rsplit_once('-').is_some_and(|(_, end)| end.parse::<u32>().is_ok());
    assert!(!names.iter().any(|name| name.contains('/') || is_cpus(name)), "{names:?}");
    for (_, figures) in &results {
        assert_eq!(figures[0].1, "ns/op");
    }
    let with_memory =
        results.iter().filter(|(_, figures)| figures.iter().any(|(_, unit)| *unit == "peak-memory-bytes"));
    assert_eq!(with_memory.count(), results.len() - 1, "what was not measured is left out");
}

#[test]
fn go_benchmark_gives_figures_as_they_were_read() {
    let mut owned = common::run(&["sort"]);
    owned.samples.truncate(1);
    owned.samples[0].readings.set(Metric::WALL, Some(u64::MAX >> 1));
    owned.samples[0].readings.set(Metric::RATE, Some(2_500_000));
    let text = owned.render(Format::GoBenchmark, &Style::default());
    assert!(text.contains(&format!("BenchmarkSort 1 {} ns/op ", u64::MAX >> 1)), "{text}");
    assert!(text.contains(" 2.5 rate/s"), "{text}");
}

#[test]
fn google_benchmark_has_a_repetition_per_run() {
    let mut owned = common::run(&["sort", "sort -n"]);
    owned.samples[0].phase = Phase::Warmup;
    owned.samples[2].readings.set(Metric::CPU, None);
    let document = exported(&owned, Format::GoogleBenchmark);
    let all = document["benchmarks"].as_array().unwrap();
    assert_eq!(all.len(), owned.samples.len() - 1, "no warm-up runs");
    assert!(all.iter().all(|it| it["time_unit"] == "ns" && it["run_type"] == "iteration"));
    let of = |name: &str| all.iter().filter(|it| it["name"] == name).collect::<Vec<_>>();
    assert_eq!(of("sort").len() + of("sort -n").len(), all.len());
    let numbers: Vec<u64> = of("sort -n").iter().filter_map(|it| it["repetition_index"].as_u64()).collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    assert!(all.iter().all(|it| it["real_time"].as_f64() > Some(0.0) && it["cpu_time"].is_number()));
    assert!(document["context"]["date"].is_string());
}
