//! Exports profiles for tools that draw and explore them.

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

fn found<'a>(record: &Record<'a>, format: &'static str) -> Result<&'a ProfileFindings, ReportError> {
    match record.findings {
        Findings::Profile(found) => Ok(found),
        _ => Err(ReportError::NothingToExport {
            format,
            reason: "only profiles have stacks; see `fauxplat profile`",
        }),
    }
}

/// The only profile, for formats that hold one; fails if there are several.
fn only<'a>(found: &'a ProfileFindings, format: &'static str) -> Result<&'a Profile, ReportError> {
    match found.profiles.as_slice() {
        [only] => Ok(only),
        _ => Err(ReportError::NothingToExport { format, reason: ONE_PROFILE }),
    }
}

/// Seconds per unit of a stack's weight; `None` if samples do not represent time.
fn seconds_per_event(profile: &Profile) -> Option<f64> {
    let (quality, all) = (&profile.quality, profile.quality.weight());
    let seconds = quality.whole_s().filter(|&seconds| seconds > 0.0 && all > 0)?;
    Some(seconds / all as f64)
}

/// Names that precede the functions of a stack: the process, and a mark for missing callers.
fn above<'w>(way: &'w Way) -> impl Iterator<Item = String> + 'w {
    let process = (!way.process.is_empty()).then(|| visible(way.process));
    process.into_iter().chain(way.mark.map(str::to_owned))
}

/// The stacks that have samples in a profile.
fn ways_of(found: &ProfileFindings, profile: usize) -> Vec<Way<'_>> {
    calls::ways(found).into_iter().filter(|way| way.samples(profile) > 0).collect()
}
