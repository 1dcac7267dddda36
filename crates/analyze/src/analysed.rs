//! Which runs are analysed.

use fauxplat_model::{Phase, Sample};

/// Whether a run is analysed: measured, and successful unless failures are ignored.
pub(crate) fn counts(sample: &Sample, ignore_failure: bool) -> bool {
    sample.phase == Phase::Measured && (ignore_failure || sample.outcome.is_success())
}
