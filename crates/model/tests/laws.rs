//! Tests of properties that other crates rely on: words are unique, numbers survive a document to the last digit, and
//! the order and arithmetic of the types.

use std::collections::BTreeSet;
use std::fmt::Debug;

use fauxplat_model::*;
use fauxplat_units::{Cpu, CpuSet};
use proptest::prelude::*;
use serde::Serialize;

/// Checks that no two of `all` have the same name, and that documents use these names.
#[track_caller]
fn are_words<T: Copy + Debug + Serialize>(all: &[T], name: impl Fn(T) -> &'static str) {
    let names: BTreeSet<&str> = all.iter().map(|&one| name(one)).collect();
    assert_eq!(names.len(), all.len(), "{all:?}");
    for &one in all {
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name(one).chars().all(is_word), "{one:?}");
        assert_eq!(serde_json::to_value(one).unwrap(), name(one), "{one:?} in documents");
    }
}

#[test]
fn every_word_names_one_thing_and_is_that_of_the_documents() {
    are_words(&LoadKind::ALL, LoadKind::name);
    are_words(&GroupKind::ALL, GroupKind::name);
    are_words(&Way::ALL, Way::name);
    for way in Way::ALL {
        assert_eq!(Way::from_name(way.name()), Some(way));
    }
    assert_eq!(Way::from_name("Padding"), None);
    let factors: BTreeSet<String> = Factor::BUILT_IN.iter().map(Factor::to_string).collect();
    assert_eq!(factors.len(), Factor::BUILT_IN.len());
}

#[test]
fn words_are_padded_where_a_table_asks_for_it() {
    assert_eq!(format!("{:>8}|{:<8}|", LoadKind::Llc, LoadKind::Llc), "     llc|llc     |");
    assert_eq!(format!("{:8}|", Factor::Cpu), "cpu     |");
    assert_eq!(format!("{:6}|", GroupKind::Die), "die   |");
}

#[test]
fn a_parameter_is_a_factor_of_its_own_name_and_of_no_unit() {
    let own = Factor::Parameter("env-size".to_owned());
    assert_eq!((own.name(), own.unit()), ("env-size", None));
    assert!(!own.is_built() && !own.moves_the_stack() && own != Factor::EnvSize);
    // The stack of a program does not depend on its build, so no factor is both a build and moves the stack.
    for factor in &Factor::BUILT_IN {
        assert!(!(factor.is_built() && factor.moves_the_stack()), "{factor}");
        assert!(!factor.is_built() || factor.name().contains('-'), "{factor}");
    }
}

#[test]
fn built_in_metrics_are_found_by_their_names_and_fields_and_by_no_others() {
    for metric in Metric::BUILT_IN.iter().copied() {
        assert_eq!(Metric::from_name(metric.name()), Some(metric));
        assert_eq!(Metric::from_field(metric.field()), Some(metric));
        assert_eq!(Metric::from_id(metric.name()), Ok(metric));
        assert!(metric.field().ends_with(metric.unit().suffix()), "{}", metric.field());
        assert!(metric.is_built_in() && !metric.title().is_empty());
        assert_eq!(serde_json::to_value(metric).unwrap(), metric.name());
    }
    let all = |name: fn(Metric) -> &'static str| {
        Metric::BUILT_IN.iter().map(|&it| name(it)).collect::<BTreeSet<_>>()
    };
    for names in [all(Metric::name), all(Metric::field), all(Metric::title)] {
        assert_eq!(names.len(), Metric::BUILT_IN.len(), "{names:?}");
    }
    for stranger in ["", "Wall", "wall ", "wall_ns", "speed"] {
        assert_eq!(Metric::from_name(stranger), None, "{stranger}");
    }
    assert_eq!(Metric::from_field("wall"), None);
}

#[test]
fn an_id_has_a_source_and_a_name_that_nobody_can_mistake() {
    for (source, name) in [("table", "a:b"), ("region.parse", "calls"), ("x", "é"), ("a-b_c.1", "/")] {
        let id = MetricId::open(source, name).unwrap();
        assert_eq!((id.source(), id.name()), (Some(source), name));
        assert_eq!(MetricId::try_from(id.to_string()), Ok(id));
    }
    let long = "n".repeat(MetricId::MAX_BYTES);
    for (source, name) in [
        ("", "a"),
        ("Table", "a"),
        ("1a", "a"),
        ("a b", "a"),
        ("a", ""),
        ("a", "b c"),
        ("a", "b\n"),
        ("a", "\u{1b}[31m"),
        ("a", &long),
    ] {
        let error = MetricId::open(source, name).unwrap_err();
        assert!(matches!(error, MetricError::BadId { .. }), "{source}:{name}");
        assert!(!error.to_string().is_empty());
    }
    for word in ["", "Wall", "a b", "é", ":"] {
        assert!(MetricId::try_from(word.to_owned()).is_err(), "{word}");
    }
}

fn comparison(metric: Metric, effect_ratio: f64) -> Comparison {
    let document = serde_json::json!({
        "a": "a", "b": "b", "metric": metric, "verdict": "inconclusive", "scope": "binaries",
        "grade": "within-session", "effect_ratio": 1.0, "ci_low_ratio": 0.9, "ci_high_ratio": 1.1,
        "bootstrap_low_ratio": 0.9, "bootstrap_high_ratio": 1.1, "p_value": 1.0, "level": 0.01, "margin": 0.01,
        "anytime": false, "pairs": 8, "dropped_pairs": 0, "dropped": [], "stopped_by": "max-pairs",
        "pairs_needed": null, "secondary": [],
        "variance": {
            "layout": null, "process": null, "order": 0.0, "residual": 1.0, "pair_sd": 0.1, "autocorrelation": 0.0,
            "position_ratio": 1.0, "position_low_ratio": 1.0, "position_high_ratio": 1.0,
        },
    });
    Comparison { effect_ratio, ..serde_json::from_value(document).unwrap() }
}

#[test]
fn less_of_a_time_is_better_and_more_of_a_rate_and_no_number_is_neither() {
    for (metric, less) in [(Metric::WALL, true), (Metric::PEAK_MEMORY, true), (Metric::RATE, false)] {
        assert_eq!(comparison(metric, 0.9).b_is_better(), less, "{}", metric.name());
        assert_eq!(comparison(metric, 1.1).b_is_better(), !less, "{}", metric.name());
        for neither in [1.0, f64::NAN] {
            assert!(!comparison(metric, neither).b_is_better(), "{} {neither}", metric.name());
        }
    }
}

#[test]
fn a_run_ends_with_the_status_that_a_shell_would_show() {
    for (outcome, status) in [
        (Outcome::Exited(0), 0),
        (Outcome::Exited(255), 255),
        (Outcome::Signaled(9), 137),
        (Outcome::Signaled(11), 139),
    ] {
        assert_eq!((outcome.exit_status(), outcome.is_success()), (status, status == 0), "{outcome:?}");
    }
    assert!(!Outcome::TimedOut.is_success() && Outcome::TimedOut.exit_status() != 0);
}

fn set(list: &str) -> CpuSet {
    list.parse().unwrap()
}

/// A machine with two packages of two cores with two threads each, of which one CPU is offline.
fn machine() -> Topology {
    let group = |level, number, cpus: &str| Group { level, number, id: None, cpus: set(cpus) };
    let cache = |number, level, kind, cpus: &str| Cache {
        number,
        level,
        kind,
        id: None,
        size: None,
        line: None,
        ways: None,
        cpus: set(cpus),
    };
    Topology {
        present: set("0-7"),
        online: set("0-6"),
        groups: vec![
            group(GroupKind::Package, 0, "0-3"),
            group(GroupKind::Package, 1, "4-7"),
            group(GroupKind::Core, 0, "0,2"),
            group(GroupKind::Core, 1, "1,3"),
        ],
        caches: vec![
            cache(0, 1, CacheKind::Instruction, "0-3"),
            cache(0, 1, CacheKind::Data, "0,2"),
            cache(0, 2, CacheKind::Unified, "0,2"),
        ],
        nodes: vec![NumaNode { node: 4, cpus: set("0-6"), memory: None, distances: vec![10] }],
        ..Topology::default()
    }
}

#[test]
fn a_cpu_is_in_one_part_of_each_level_or_in_none() {
    let machine = machine();
    let number = |level, cpu| machine.group_of(level, Cpu(cpu)).map(|group| group.number);
    assert_eq!([0, 3, 4, 7].map(|cpu| number(GroupKind::Package, cpu)), [Some(0), Some(0), Some(1), Some(1)]);
    assert_eq!([0, 2, 3, 4].map(|cpu| number(GroupKind::Core, cpu)), [Some(0), Some(0), Some(1), None]);
    assert_eq!(number(GroupKind::Die, 0), None);
    assert_eq!(machine.level(GroupKind::Core).count(), 2);
    // Instruction caches do not count: the first-level cache of CPU 0 is its data cache.
    let name = |level, cpu| machine.cache_of(level, Cpu(cpu)).map(Cache::name);
    assert_eq!([name(1, 0), name(1, 1), name(2, 2)], [Some("L1d".into()), None, Some("L2".into())]);
    assert_eq!(machine.caches[0].name(), "L1i");
    assert_eq!([0, 7].map(|cpu| machine.node_of(Cpu(cpu)).map(|node| node.node)), [Some(4), None]);
    assert!(machine.kind_of(Cpu(0)).is_none());
    assert_eq!(machine.offline(), set("7"));
    assert!(Topology::default().offline().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Stored numbers must be read back exactly, or a stored experiment would show other figures than those printed
    /// when it was made.
    #[test]
    fn figures_survive_a_document_to_the_last_digit(figure in any::<f64>().prop_filter("a number", |it| it.is_finite())) {
        let text = serde_json::to_string(&figure).unwrap();
        prop_assert_eq!(serde_json::from_str::<f64>(&text).unwrap().to_bits(), figure.to_bits(), "{}", text);
        let claim = LabMeasured { value: figure, low: figure, high: figure };
        let document = serde_json::to_value(claim).unwrap();
        prop_assert_eq!(serde_json::from_value::<LabMeasured>(document).unwrap(), claim);
    }
}

proptest! {
    // Metrics are registered for the life of the process and their number is bounded, so the number of cases must not
    // be raised.
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_open_metric_is_found_by_its_field(name in "[a-z]{1,8}", unit in 0usize..4) {
        let unit = [Unit::Nanos, Unit::Bytes, Unit::Count, Unit::MicroPerSecond][unit];
        let id = MetricId::open("laws", &format!("{name}{}", unit.suffix().len())).unwrap();
        let metric = Metric::open(MetricSpec::open(id, unit)).unwrap();
        prop_assert_eq!(Metric::from_field(metric.field()), Some(metric));
        prop_assert_eq!(Metric::from_id(metric.name()), Ok(metric));
        prop_assert!(!metric.is_built_in() && metric.unit() == unit);
    }
}
