//! What the formats for profiles share: the findings, and names that differ.

use fauxplat_model::ProfileFindings;
use fauxplat_model::document::{Findings, Record};

use super::{distinct, one_line};
use crate::ReportError;

/// The findings of a profile that has samples, or the error that there are none.
pub(super) fn found<'a>(
    record: &Record<'a>,
    format: &'static str,
) -> Result<&'a ProfileFindings, ReportError> {
    let nothing = |reason| Err(ReportError::NothingToExport { format, reason });
    match record.findings {
        Findings::Profile(found) if found.profiles.iter().all(|profile| profile.quality.samples == 0) => {
            nothing("no sample was taken")
        }
        Findings::Profile(found) => Ok(found),
        _ => nothing("these findings are no profile; take text, json, csv, markdown or html"),
    }
}

/// A name for each profile, each another one.
pub(super) fn names(found: &ProfileFindings) -> Vec<String> {
    let names = found.profiles.iter().enumerate().map(|(place, profile)| one_line(place, &profile.name));
    distinct(names, |name, count| format!("{name} ({count})"))
}
