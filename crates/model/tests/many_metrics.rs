//! Test of the limit of the number of metrics in a process. Registered metrics are never freed, so this test runs in a
//! process of its own.

use fauxplat_model::{Metric, MetricError, MetricSpec, OPEN_MAX, Unit};

#[test]
fn one_metric_too_many_is_refused_and_those_that_are_known_stay() {
    let id = |number: usize| format!("simulated:metric-{number}");
    let first = Metric::from_id(&id(0)).unwrap();
    let told = MetricSpec::open(first.spec().id.clone(), Unit::Nanos);
    assert_eq!(Metric::open(told).unwrap(), first, "what is said anew of one counts too");
    assert!((1..OPEN_MAX - 1).all(|number| Metric::from_id(&id(number)).is_ok()));
    let error = Metric::from_id(&id(OPEN_MAX)).unwrap_err();
    assert!(matches!(error, MetricError::TooMany { .. }), "{error}");
    assert!(error.to_string().contains("at most 4096"), "{error}");
    assert_eq!(Metric::from_id(&id(0)), Ok(first));
    assert_eq!(Metric::from_field(&id(OPEN_MAX)), None);
}
