//! Metrics that are registered while the process runs: named by an option, a table, a document or the store.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use super::{Interned, Metric, MetricError, OPEN_MAX, TEXT_MAX};
use crate::{Coverage, MetricId, MetricSpec, Unit};

/// The registered metrics, and the number of specifications. Both are bounded, since a further specification of a
/// metric takes memory too.
struct Known {
    by_id: BTreeMap<&'static str, Metric>,
    specs: usize,
}

static KNOWN: RwLock<Known> = RwLock::new(Known { by_id: BTreeMap::new(), specs: 0 });

/// Locks the registered metrics for reading. They are consistent after every step under the lock, so a poisoned lock is
/// still usable.
fn known() -> RwLockReadGuard<'static, Known> {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn find(id: &str) -> Option<Metric> {
    known().by_id.get(id).copied()
}

pub(super) fn intern(spec: MetricSpec) -> Result<Metric, MetricError> {
    check(&spec)?;
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).add(spec)
}

/// Finds a registered metric by its id, or registers it with a specification that is guessed from the id.
pub(super) fn intern_unknown(id: MetricId) -> Result<Metric, MetricError> {
    let spec = MetricSpec::guess(id)?;
    check(&spec)?;
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    match known.by_id.get(spec.id.as_str()) {
        Some(&metric) => Ok(metric),
        None => known.add(spec),
    }
}

/// Finds or registers the metric of a field such as `table:requests_micro_per_s`. If a name itself ends with a unit,
/// the ending is taken as the unit, unless a metric with the longer name is registered. `None` if the unit contradicts
/// the registered metric, since a lookup must not change a specification.
pub(super) fn of_field(field: &str) -> Option<Metric> {
    // Most fields of a document are not metrics; those without a colon are rejected without taking the lock.
    if !field.contains(':') {
        return None;
    }
    if let Some(&metric) = known().by_id.values().find(|metric| metric.field() == field) {
        return Some(metric);
    }
    let units = [Unit::MicroPerSecond, Unit::Millionth, Unit::Bytes, Unit::Nanos, Unit::Count];
    let (id, unit) = units.into_iter().find_map(|unit| Some((field.strip_suffix(unit.suffix())?, unit)))?;
    let (source, name) = id.split_once(':')?;
    let id = MetricId::open(source, name).ok()?;
    let guess = MetricSpec::guess(id.clone()).ok()?;
    if guess.unit == unit {
        return intern_unknown(id).ok().filter(|metric| metric.unit() == unit);
    }
    match find(id.as_str()) {
        Some(known) if *known.spec() != guess || guess.coverage != Coverage::Unknown => None,
        _ => intern(MetricSpec::open(id, unit)).ok(),
    }
}

fn check(spec: &MetricSpec) -> Result<(), MetricError> {
    let id = || spec.id.as_str().to_owned();
    let is_built_in = |metric: &Metric| metric.name() == spec.id.as_str() || metric.field() == spec.field;
    if Metric::BUILT_IN.iter().any(is_built_in) {
        return Err(MetricError::BuiltIn { id: id() });
    }
    if spec.id.source().is_none() {
        return Err(MetricError::BadId { id: id() });
    }
    if [&spec.field, &spec.title, &spec.source].iter().any(|text| text.len() > TEXT_MAX) {
        return Err(MetricError::TooLong { id: id() });
    }
    Ok(())
}

impl Known {
    fn add(&mut self, spec: MetricSpec) -> Result<Metric, MetricError> {
        let earlier = self.by_id.get(spec.id.as_str()).copied();
        if let Some(metric) = earlier.filter(|metric| *metric.spec() == spec) {
            return Ok(metric);
        }
        if self.specs >= OPEN_MAX {
            return Err(MetricError::TooMany { id: spec.id.into() });
        }
        self.specs += 1;
        let number = earlier.map_or(Metric::BUILT_IN.len() + self.by_id.len(), Metric::number) as u16;
        let metric = Metric(Box::leak(Box::new(Interned { number, spec })));
        self.by_id.insert(metric.name(), metric);
        Ok(metric)
    }
}
