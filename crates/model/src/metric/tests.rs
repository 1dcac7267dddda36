//! Tests of open metrics: ids, later specifications, documents and sets.

use super::*;

fn requests() -> Metric {
    Metric::open(MetricSpec::of_table("requests").unwrap()).unwrap()
}

#[test]
fn an_open_metric_is_one_however_it_is_named() {
    let metric = requests();
    assert_eq!(Metric::from_name("table:requests"), Some(metric));
    assert_eq!(Metric::from_id("table:requests"), Ok(metric));
    assert_eq!(Metric::from_field("table:requests_micro_per_s"), Some(metric));
    assert_eq!((metric.unit(), metric.more_is_better()), (Unit::MicroPerSecond, true));
    assert!(!metric.is_built_in() && metric > Metric::RATE);
    assert_eq!(Metric::from_id("table:bytes-sent").unwrap().field(), "table:bytes-sent_micro_per_s");
}

#[test]
fn of_an_unknown_id_what_is_learnt_later_stands() {
    let guess = Metric::from_id("simulated:stalls").unwrap();
    assert_eq!((guess.unit(), guess.field()), (Unit::Count, "simulated:stalls"));
    let mut spec = MetricSpec::open(guess.spec().id.clone(), Unit::Nanos);
    spec.title = "stalls".into();
    let told = Metric::open(spec).unwrap();
    assert_eq!(guess, told);
    assert_eq!(Metric::from_id("simulated:stalls").unwrap().title(), "stalls");
    let field = Metric::from_field("simulated:waits_ns").unwrap();
    assert_eq!((field.name(), field.unit()), ("simulated:waits", Unit::Nanos));
}

#[test]
fn metrics_are_their_ids_in_documents() {
    let [wall, open]: [Metric; 2] = serde_json::from_str(r#"["wall", "pmu:instructions"]"#).unwrap();
    assert_eq!((wall, open.name()), (Metric::WALL, "pmu:instructions"));
    assert_eq!(serde_json::to_string(&[wall, open]).unwrap(), r#"["wall","pmu:instructions"]"#);
    for bad in ["speed", "", ":x", "pmu:", "Pmu:x", "pmu:a b", "pmu:a\n", "sysx"] {
        assert!(serde_json::from_str::<Metric>(&serde_json::to_string(bad).unwrap()).is_err(), "{bad:?}");
    }
    let long = format!("pmu:{}", "x".repeat(MetricId::MAX_BYTES));
    let error = Metric::from_id(&long).unwrap_err().to_string();
    assert!(error.contains("SOURCE:NAME"), "{error}");
}

#[test]
fn a_spec_survives_as_a_document_and_cannot_take_a_built_in_place() {
    let spec = MetricSpec::of_table("requests").unwrap();
    let text = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<MetricSpec>(&text).unwrap(), spec);
    let wall = Metric::open(Metric::WALL.spec().clone()).unwrap_err();
    assert!(matches!(wall, MetricError::BuiltIn { .. }), "{wall}");
    let field = MetricSpec { field: "wall_ns".into(), ..spec.clone() };
    assert!(matches!(Metric::open(field), Err(MetricError::BuiltIn { .. })));
    let title = MetricSpec { title: "x".repeat(TEXT_MAX + 1).into(), ..spec };
    assert!(matches!(Metric::open(title), Err(MetricError::TooLong { .. })));
}

#[test]
fn a_set_keeps_its_order_and_finds_each_metric_once() {
    let metric = requests();
    let set = MetricSet::new([Metric::RATE, metric, Metric::WALL, metric]);
    assert_eq!(set.iter().collect::<Vec<_>>(), [Metric::RATE, metric, Metric::WALL]);
    assert_eq!((set.len(), set.is_empty(), MetricSet::default().is_empty()), (3, false, true));
    assert_eq!([metric, Metric::WALL, Metric::CPU].map(|it| set.place(it)), [Some(1), Some(2), None]);
}
