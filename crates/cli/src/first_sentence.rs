//! The first sentence of a report, for notifications.

use fauxplat_model::Metric;
use fauxplat_model::document::{Findings, Record};
use fauxplat_report::{Format, Style};
use fauxplat_units::Nanos;

/// The first line of the text report. For a single command that line is only the command's name, so the median is
/// added.
pub(crate) fn first_sentence(record: &Record<'_>) -> String {
    let style = Style { colour: false, width: usize::from(u16::MAX), unicode: true };
    let mut text = Vec::new();
    let _in_memory = fauxplat_report::write(record, Format::Text, &style, &mut text);
    let first = String::from_utf8_lossy(&text).lines().next().unwrap_or_default().trim().to_owned();
    match median(record.findings) {
        Some(median) => format!("{first}: median wall time {median}"),
        None => first,
    }
}

/// The median wall time if `run` measured a single command; else `None`.
fn median(findings: &Findings) -> Option<Nanos> {
    let Findings::Run(found) = findings else { return None };
    let [only] = found.as_slice() else { return None };
    let wall = only.summaries.iter().find(|summary| summary.metric == Metric::WALL)?;
    Some(Nanos(wall.median as u64))
}
