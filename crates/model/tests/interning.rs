//! Tests of the registration of metrics by many threads, and of the lookup of fields. Registered metrics are never
//! freed, so these tests run in a process of their own.

use std::collections::BTreeSet;
use std::sync::Barrier;

use fauxplat_model::{Better, Metric, MetricId, MetricSpec, Unit};

/// Names 200 metrics, after all threads have reached `start`, in an order that is different for each thread; returns
/// the metrics in order.
fn named_by_thread(thread: usize, start: &Barrier) -> Vec<Metric> {
    start.wait();
    let mut found: Vec<Metric> = (0..200)
        .map(|step| Metric::from_id(&format!("threads:m{}", (step * 7 + thread * 13) % 200)).unwrap())
        .collect();
    found.sort();
    found
}

#[test]
fn threads_that_name_a_metric_at_once_get_the_same_one() {
    let start = Barrier::new(8);
    let found: Vec<Vec<Metric>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|thread| (thread, &start)).collect();
        let running: Vec<_> = threads
            .into_iter()
            .map(|(thread, start)| scope.spawn(move || named_by_thread(thread, start)))
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
    let addresses: BTreeSet<*const MetricSpec> =
        found.iter().flatten().map(|metric| std::ptr::from_ref(metric.spec())).collect();
    assert_eq!(addresses.len(), 200, "each is kept once");
}

/// A handle of a metric stays valid, with its first specification, when the metric gets a better specification later.
#[test]
fn a_handle_outlives_what_is_learnt_later() {
    let early = Metric::from_id("later:latency").unwrap();
    let id = early.spec().id.clone();
    let told =
        Metric::open(MetricSpec { better: Better::More, ..MetricSpec::open(id, Unit::Nanos) }).unwrap();
    assert_eq!((early, early.unit()), (told, Unit::Count));
    assert_eq!(std::cmp::Ordering::Equal, early.cmp(&told));
    let now = Metric::from_id("later:latency").unwrap();
    assert!(now.unit() == Unit::Nanos && now.more_is_better());
}

/// Looking up a field, which any document may name, must not change the specification of a metric.
#[test]
fn a_field_that_is_looked_up_changes_nothing_that_was_told() {
    let requests = Metric::open(MetricSpec::of_table("looked-up").unwrap()).unwrap();
    let told = MetricSpec {
        title: "cycles".into(),
        ..MetricSpec::open(MetricId::open("pmu", "told").unwrap(), Unit::Count)
    };
    let cycles = Metric::open(told.clone()).unwrap();
    for field in
        ["table:looked-up", "table:looked-up_ns", "pmu:told_ns", "pmu:told_bytes", "pmu:told_micro_per_s"]
    {
        let found = Metric::from_field(field);
        assert!(found.is_none_or(|metric| metric.field() == field), "{field} is {found:?}, another unit's");
    }
    assert_eq!(Metric::from_id("table:looked-up").unwrap().spec(), requests.spec());
    assert_eq!(*Metric::from_id("pmu:told").unwrap().spec(), told);
    assert_eq!(Metric::from_field("pmu:told"), Some(cycles));
    assert_eq!(Metric::from_field("table:looked-up_micro_per_s"), Some(requests));
}

/// Fields of documents that are no metrics, and invalid ids.
#[test]
fn what_is_no_metric_is_none() {
    for field in [
        "",
        ":",
        "a:",
        ":a",
        "_ns",
        ":_ns",
        "pmu:_ns",
        "Pmu:x_ns",
        "pmu:a b_ns",
        "pmu:a\u{0}",
        "wall",
        "wall_ns_ns",
    ] {
        assert_eq!(Metric::from_field(field), None, "{field:?}");
    }
    for id in ["wall:", "sys:", "é:x", "-a:x", "a:x\ty", "a:\u{a0}", "sys "] {
        assert!(Metric::from_id(id).is_err(), "{id:?}");
        assert!(MetricId::try_from(id.to_owned()).is_err(), "{id:?}");
    }
    assert_eq!(Metric::from_id("sys"), Ok(Metric::SYSTEM));
    assert_eq!(Metric::from_id("a:b:c").unwrap().spec().id.source(), Some("a"));
}
