//! Profiles for tools that draw and explore them.

mod firefox;
mod folded;
mod pprof;
mod proto;
mod speedscope;

pub(super) use firefox::write as firefox;
pub(super) use folded::write as folded;
pub(super) use pprof::write as pprof;
pub(super) use speedscope::write as speedscope;

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Profile, ProfileFindings};

use crate::ReportError;
use crate::calls::{self, Way};
use crate::format::ONE_PROFILE;
use crate::words::visible;

/// The profiles of a record, if that is what it has.
fn found<'a>(record: &Record<'a>, format: &'static str) -> Result<&'a ProfileFindings, ReportError> {
    match record.findings {
        Findings::Profile(found) => Ok(found),
        _ => Err(ReportError::NothingToExport {
            format,
            reason: "only profiles have stacks; see `fauxplat profile`",
        }),
    }
}

/// The only profile, for formats that hold one.
fn only<'a>(found: &'a ProfileFindings, format: &'static str) -> Result<&'a Profile, ReportError> {
    match found.profiles.as_slice() {
        [only] => Ok(only),
        _ => Err(ReportError::NothingToExport { format, reason: ONE_PROFILE }),
    }
}

/// Seconds that a sample represents; `None` where samples are not of time.
fn seconds_per_sample(profile: &Profile) -> Option<f64> {
    let quality = &profile.quality;
    let seconds = quality.whole_s().filter(|&seconds| seconds > 0.0 && quality.samples > 0)?;
    Some(seconds / quality.samples as f64)
}

/// Names above the functions of a stack: the process, and a mark where callers are missing.
fn above<'w>(way: &'w Way) -> impl Iterator<Item = String> + 'w {
    let process = (!way.process.is_empty()).then(|| visible(way.process));
    process.into_iter().chain(way.mark.map(str::to_owned))
}

/// The ways that have samples of a profile, and these.
fn ways_of(found: &ProfileFindings, profile: usize) -> Vec<(Way<'_>, u64)> {
    let counted = calls::ways(found).into_iter().map(|way| {
        let samples = way.samples(profile);
        (way, samples)
    });
    counted.filter(|(_, samples)| *samples > 0).collect()
}
