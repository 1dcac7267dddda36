//! Selects the runs that are analysed, and defines the value that replaces a reading of zero.

use fauxplat_model::{Metric, Phase, Sample, Unit};

/// Whether a run is analysed: measured, and successful unless failures are ignored.
pub(crate) fn counts(sample: &Sample, ignore_failure: bool) -> bool {
    sample.phase == Phase::Measured && (ignore_failure || sample.outcome.is_success())
}

/// Value that stands for a reading of zero, which has no logarithm: half a microsecond (500 ns) for a time, otherwise
/// half of a unit.
pub(crate) fn least(metric: Metric) -> f64 {
    if metric.unit() == Unit::Nanos { 500.0 } else { 0.5 }
}
