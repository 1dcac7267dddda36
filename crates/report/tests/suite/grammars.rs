//! Exports for other tools, parsed by independent parsers for the grammars in the documentation of those tools.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::document::Findings;
use fauxplat_model::{Metric, Outcome, TableFindings, TableValue};
use fauxplat_report::{Format, ReportError, SourceFormat, Style, read_baseline, write};
use proptest::prelude::*;
use serde_json::Value;

use crate::common::{self, Owned};
use crate::constructed;

fn written(owned: &Owned, format: Format) -> Result<String, ReportError> {
    let mut out = Vec::new();
    write(&owned.record(), format, &Style::default(), &mut out)?;
    Ok(String::from_utf8(out).expect("exports are UTF-8"))
}

/// A sample of an OpenMetrics exposition: its name, its labels, its value.
pub(crate) type Exposed = (String, BTreeMap<String, String>, f64);

/// Whether a name matches the ABNF of OpenMetrics 1.0.
fn is_metric_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_' || c == ':';
    name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit())
}

/// Parses labels up to the closing brace; also returns the text after it.
fn labels(text: &str) -> (BTreeMap<String, String>, &str) {
    let (mut found, mut rest) = (BTreeMap::new(), text);
    loop {
        let (name, after) = rest.split_once("=\"").expect("a label has a value");
        assert!(is_metric_name(name) && !name.contains(':'), "label {name:?}");
        let (mut value, mut chars) = (String::new(), after.char_indices());
        let end = loop {
            match chars.next().expect("a value ends") {
                (at, '"') => break at,
                (_, '\\') => value.push(match chars.next().expect("an escape has two characters").1 {
                    'n' => '\n',
                    c @ ('"' | '\\') => c,
                    other => panic!("\\{other} is no escape"),
                }),
                (_, c) => value.push(c),
            }
        };
        assert!(found.insert(name.to_owned(), value).is_none(), "the label {name} stands twice");
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (found, rest.strip_prefix("} ").expect("a brace, a blank and a value")),
        }
    }
}

/// Parses an exposition by OpenMetrics 1.0: families do not interleave, each begins with its type, no series occurs
/// twice, and the end is marked.
pub(crate) fn open_metrics(text: &str) -> Vec<Exposed> {
    let body = text.strip_suffix("# EOF\n").expect("it ends with its mark");
    let (mut families, mut series, mut samples) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let (mut family, mut kind) = ("", "");
    for line in body.split_terminator('\n') {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            (family, kind) = rest.split_once(' ').expect("a name and a type");
            assert!(is_metric_name(family) && ["counter", "gauge"].contains(&kind), "{line}");
            assert!(families.insert(family), "{family} begins twice");
        } else if let Some(rest) = line.strip_prefix("# HELP ").or_else(|| line.strip_prefix("# UNIT ")) {
            let (name, words) = rest.split_once(' ').expect("a name and words");
            assert_eq!(name, family, "{line}");
            let is_unit = line.starts_with("# UNIT");
            assert!(!is_unit || family.ends_with(&format!("_{words}")), "{line}");
        } else {
            let (name, rest) = line.split_once('{').expect("a sample has labels here");
            let suffix = if kind == "counter" { "_total" } else { "" };
            assert_eq!(name, format!("{family}{suffix}"), "a sample of another family");
            let (labels, value) = labels(rest);
            let value: f64 = value.parse().expect("a number");
            assert!(kind != "counter" || value >= 0.0, "{line}");
            assert!(series.insert((name.to_owned(), labels.clone())), "twice: {line}");
            samples.push((name.to_owned(), labels, value));
        }
    }
    samples
}

fn table(values: Vec<TableValue>) -> Owned {
    let mut owned = constructed::table();
    let Findings::Table(found) = &mut owned.findings else { unreachable!("it is a table") };
    *found = TableFindings { values, file: "/dev/shm/a \"b\"\\c\nd".into(), ..found.clone() };
    owned
}

fn value(object: u64, object_name: Option<&str>, key: u64, key_name: Option<&str>, value: i64) -> TableValue {
    let owned = |name: Option<&str>| name.map(str::to_owned);
    TableValue {
        object,
        object_name: owned(object_name),
        key,
        key_name: owned(key_name),
        value,
        rate_per_s: None,
    }
}

#[test]
fn an_exposition_has_every_value_under_its_labels() {
    let owned = table(vec![
        value(0, Some("a\"b\\c\nd"), 1, Some("requests_total"), 7),
        value(1, None, 1, Some("requests_total"), 8),
        value(1, None, 2, Some("lag_seconds"), -5),
        value(1, None, 3, None, i64::MIN),
    ]);
    let samples = open_metrics(&written(&owned, Format::OpenMetrics).unwrap());
    let find = |name: &str, object: &str| {
        let found = samples
            .iter()
            .find(|(one, labels, _)| one == name && labels.get("object").is_some_and(|it| it == object));
        found.map(|(_, labels, value)| (labels["file"].as_str(), *value))
    };
    let file = "/dev/shm/a \"b\"\\c\nd";
    assert_eq!(find("requests_total", "a\"b\\c\nd"), Some((file, 7.0)));
    assert_eq!(find("requests_total", "1"), Some((file, 8.0)));
    assert_eq!(find("lag_seconds", "1"), Some((file, -5.0)));
    assert_eq!(find("fauxplat_table_value", "1"), Some((file, i64::MIN as f64)));
    assert_eq!(samples.len(), 5, "and whether its creator lives");
}

/// Objects with equal names get different labels, since a collector drops the whole exposition if a series occurs
/// twice.
#[test]
fn objects_of_one_name_are_told_apart() {
    let twins = ["worker", "worker", "1"].into_iter().zip([5, 1, 9]);
    let twins = twins.map(|(name, object)| value(object, Some(name), 0, Some("done_total"), object as i64));
    let owned = table(twins.chain([value(2, None, 0, Some("done_total"), 2)]).collect());
    let samples = open_metrics(&written(&owned, Format::OpenMetrics).unwrap());
    let objects: Vec<(&str, f64)> = samples
        .iter()
        .filter_map(|(_, labels, value)| Some((labels.get("object")?.as_str(), *value)))
        .collect();
    assert_eq!(objects, [("worker", 5.0), ("worker (2)", 1.0), ("1", 9.0), ("2", 2.0)]);
}

#[test]
fn a_name_that_no_metric_has_is_spelt_and_told_without_harm() {
    let owned = table(vec![value(0, None, 0, Some("a\u{1b}[2J\u{202e}b"), 1)]);
    let text = written(&owned, Format::OpenMetrics).unwrap();
    assert_eq!(open_metrics(&text)[0].0, "a__2J_b");
    assert!(text.contains("named \\\"a\\\\u{1b}[2J") && !text.contains('\u{1b}'), "{text}");
    let twice = table(vec![value(0, None, 0, Some("a"), 1), value(0, None, 1, Some("a"), 2)]);
    let text = written(&twice, Format::OpenMetrics).unwrap();
    let names: Vec<String> = open_metrics(&text).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names[..2], ["a", "a_key_1"]);
}

fn names() -> impl Strategy<Value = Option<String>> {
    let words = prop_oneof![
        "[a-c](_total|_seconds|_created|_bytes)?",
        "[a-z0-9:_ \"\\\\\n]{0,8}",
        Just("fauxplat_table_value".to_owned())
    ];
    proptest::option::of(words)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_table_is_exposed_or_refused(
        rows in proptest::collection::btree_map((0u64..4, 0u64..4), any::<i64>(), 0..10),
        objects in proptest::collection::vec(names(), 4),
        keys in proptest::collection::vec(names(), 4),
    ) {
        let one = |(&(object, key), &number): (&(u64, u64), &i64)| {
            value(object, objects[object as usize].as_deref(), key, keys[key as usize].as_deref(), number)
        };
        let owned = table(rows.iter().map(one).collect());
        match written(&owned, Format::OpenMetrics) {
            Ok(text) => prop_assert_eq!(open_metrics(&text).len(), rows.len() + 1),
            Err(error) => prop_assert!(matches!(error, ReportError::NotAMetric { .. }), "{}", error),
        }
    }
}

/// A record whose commands have names that are problematic as keys: empty, equal, endless, and equal to the result of
/// numbering.
fn odd_names() -> Owned {
    let endless = "x".repeat(5000);
    common::run(&["", " ", "sort", "sort", "sort (2)", "a\nb", "a\\nb", "\u{1b}[31m", &endless])
}

fn exported(owned: &Owned, format: Format) -> Value {
    serde_json::from_str(&written(owned, format).unwrap()).unwrap()
}

/// Makes the checks of `pyperf.Benchmark` when it loads a file: metadata are non-empty lines without surrounding
/// blanks, names are distinct, and every value is above zero.
#[test]
fn pyperf_could_load_it_whatever_the_names() {
    let mut owned = odd_names();
    owned.header.machine.cpu.model = " a\tb\n".into();
    owned.header.machine.kernel = "\u{1b}[0m".into();
    owned.samples[0].outcome = Outcome::TimedOut;
    owned.samples[10].readings.set(Metric::WALL, None);
    let suite = exported(&owned, Format::PyperfJson);
    let is_metadata =
        |text: &str| !text.is_empty() && text.trim() == text && !text.contains(char::is_control);
    let texts = |metadata: &Value| -> Vec<String> {
        metadata.as_object().unwrap().values().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    assert!(texts(&suite["metadata"]).iter().all(|text| is_metadata(text)), "{}", suite["metadata"]);
    let mut names = BTreeSet::new();
    let mut runs = 0;
    for benchmark in suite["benchmarks"].as_array().unwrap() {
        assert!(
            texts(&benchmark["metadata"]).iter().all(|text| is_metadata(text)),
            "{}",
            benchmark["metadata"]
        );
        assert!(names.insert(benchmark["metadata"]["name"].as_str().unwrap().to_owned()));
        for run in benchmark["runs"].as_array().unwrap() {
            assert!(run["values"][0].as_f64().unwrap() > 0.0, "{run}");
            runs += 1;
        }
    }
    assert_eq!((names.len(), runs), (9, owned.samples.len() - 2));
}

/// Bencher requires that names of benchmarks have 1 to 1024 characters, and that measures are numbers.
#[test]
fn bencher_could_take_it_whatever_the_names() {
    let benchmarks = exported(&odd_names(), Format::BencherBmf);
    let benchmarks = benchmarks.as_object().unwrap();
    assert_eq!(benchmarks.len(), 9, "{:?}", benchmarks.keys());
    for (name, measures) in benchmarks {
        assert!((1..=1024).contains(&name.chars().count()), "{name}");
        for (measure, figures) in measures.as_object().unwrap() {
            let of = |field: &str| figures[field].as_f64().unwrap_or_else(|| panic!("{measure}: {figures}"));
            assert!(
                of("lower_value") <= of("value") && of("value") <= of("upper_value"),
                "{measure}: {figures}"
            );
        }
    }
}

#[test]
fn github_action_benchmark_could_take_it_whatever_the_names() {
    let entries = exported(&odd_names(), Format::GithubActionBenchmark);
    let entries = entries.as_array().unwrap();
    let names: BTreeSet<&str> = entries.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!((entries.len(), names.len()), (27, 27), "the action takes entries of one name for one");
    for entry in entries {
        assert!(entry["value"].is_f64() && !entry["unit"].as_str().unwrap().is_empty(), "{entry}");
        let half = entry["range"].as_str().and_then(|range| range.strip_prefix("± ")).unwrap();
        assert!(half.parse::<f64>().unwrap() >= 0.0, "{entry}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// An export in the format of another tool can be read as a baseline, and returns the record's times to the
    /// precision of the file's seconds.
    #[test]
    fn exports_come_back_as_baselines(walls in proptest::collection::vec(1u64..1 << 50, 1..30)) {
        let mut owned = common::run(&["a"]);
        owned.samples.truncate(walls.len());
        let walls = &walls[..owned.samples.len()];
        for (sample, &wall) in owned.samples.iter_mut().zip(walls) {
            sample.readings.set(Metric::WALL, Some(wall));
        }
        for (format, of) in [
            (Format::HyperfineJson, SourceFormat::Hyperfine),
            (Format::PyperfJson, SourceFormat::Pyperf),
            (Format::Json, SourceFormat::Fauxplat),
        ] {
            let read = read_baseline(&written(&owned, format).unwrap()).unwrap();
            prop_assert_eq!((read.len(), read[0].format, read[0].name.as_str()), (1, of, "a"));
            let values = read[0].get(Metric::WALL).unwrap();
            prop_assert_eq!(values.len(), walls.len());
            for (value, &wall) in values.iter().zip(walls) {
                prop_assert!((value - wall as f64).abs() <= wall as f64 * 1e-15, "{}: {} {}", format, value, wall);
            }
        }
    }
}
