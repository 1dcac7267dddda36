//! Tests that readings behave like a map from metrics to values, however they were constructed.

use std::collections::BTreeMap;
use std::sync::Arc;

use fauxplat_model::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn metrics() -> Vec<Metric> {
    let open = ["simulated:a", "simulated:b", "pmu:c", "table:d"].map(|id| Metric::from_id(id).unwrap());
    [Metric::WALL, Metric::CPU, Metric::RATE].into_iter().chain(open).collect()
}

#[derive(Clone, Debug)]
enum Change {
    Value(Metric, Option<u64>),
    Counted(Metric, Counted),
}

fn change() -> impl Strategy<Value = Change> {
    let metric = || select(metrics());
    let counted =
        (0u64..10, 0u64..10).prop_map(|(enabled_ns, running_ns)| Counted { enabled_ns, running_ns });
    prop_oneof![
        (metric(), proptest::option::of(0u64..10)).prop_map(|(metric, value)| Change::Value(metric, value)),
        (metric(), counted).prop_map(|(metric, counted)| Change::Counted(metric, counted)),
    ]
}

/// Expected readings: value and counting times of each metric.
type Told = BTreeMap<Metric, (Option<u64>, Option<Counted>)>;

/// Readings that began with the metrics `begin` and went through `changes`, and their expected contents.
fn made(begin: &[Metric], changes: &[Change]) -> (Readings, Told) {
    let (mut readings, mut told) = (Readings::new(MetricSet::new(begin.iter().copied()), []), Told::new());
    for change in changes {
        match *change {
            Change::Value(metric, value) => {
                readings.set(metric, value);
                told.entry(metric).or_default().0 = value;
            }
            Change::Counted(metric, counted) => {
                readings.set_counted(metric, counted);
                told.entry(metric).or_default().1 = Some(counted);
            }
        }
    }
    told.retain(|_, (value, counted)| value.is_some() || counted.is_some());
    (readings, told)
}

fn begin() -> impl Strategy<Value = Vec<Metric>> {
    vec(select(metrics()), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn readings_say_what_was_last_set(begin in begin(), changes in vec(change(), 0..20)) {
        let (readings, told) = made(&begin, &changes);
        for metric in metrics() {
            let (value, counted) = told.get(&metric).copied().unwrap_or_default();
            prop_assert_eq!((readings.get(metric), readings.counted(metric)), (value, counted), "{:?}", metric);
        }
        let iterated: BTreeMap<Metric, u64> = readings.iter().filter_map(|(it, value)| Some((it, value?))).collect();
        let set = told.iter().filter_map(|(&metric, &(value, _))| Some((metric, value?))).collect();
        prop_assert_eq!(iterated, set);
    }

    /// Equality is symmetric and independent of the sets of metrics on both sides.
    #[test]
    fn readings_are_equal_exactly_if_they_say_the_same(
        begins in [begin(), begin()], changes in [vec(change(), 0..3), vec(change(), 0..3)]
    ) {
        let [(a, told_a), (b, told_b)] = [0, 1].map(|index| made(&begins[index], &changes[index]));
        prop_assert_eq!(a == b, told_a == told_b);
        prop_assert_eq!(b == a, told_a == told_b);
    }

    /// A metric that is added to the readings of one run must not affect other runs that shared its set.
    #[test]
    fn no_run_changes_what_another_one_holds(changes in vec(change(), 1..10)) {
        let shared = MetricSet::new([Metric::WALL]);
        let one = Readings::new(Arc::clone(&shared), [Reading::new(5)]);
        let mut other = one.clone();
        for change in &changes {
            match *change {
                Change::Value(metric, value) => other.set(metric, value),
                Change::Counted(metric, counted) => other.set_counted(metric, counted),
            }
        }
        prop_assert_eq!(one.iter().collect::<Vec<_>>(), [(Metric::WALL, Some(5))]);
        prop_assert_eq!(shared.len(), 1);
    }
}

#[test]
#[should_panic(expected = "2 readings of 1 metrics")]
fn more_values_than_metrics_is_a_bug_that_is_told() {
    Readings::new(MetricSet::new([Metric::WALL]), [Reading::new(1), Reading::new(2)]);
}

/// The metrics of several samples: the built-in ones come first, and no metric occurs twice.
#[test]
fn the_metrics_of_samples_are_those_of_any_of_them_in_a_fixed_order() {
    let [a, b] = ["simulated:a", "simulated:b"].map(|id| Metric::from_id(id).unwrap());
    let samples = [
        Sample::of(Readings::from([(b, 1)])),
        Sample::of(Readings::none()),
        Sample::of(Readings::from([(a, 1), (b, 2)])),
    ];
    let expected: Vec<Metric> = Metric::BUILT_IN.iter().copied().chain([a, b]).collect();
    assert_eq!(metrics_of(&samples), expected);
    assert_eq!(metrics_of(samples.iter().rev()), expected);
    assert_eq!(metrics_of([]), Metric::BUILT_IN);
}
