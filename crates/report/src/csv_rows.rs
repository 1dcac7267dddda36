//! CSV with a row for each run and a column for each metric, for spreadsheets and data frames.

use std::io::Write;

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Bound, Metric, Outcome, Phase, Sample, TableFindings, TableValue, metrics_of};

use crate::words::in_a_cell;
use crate::{ReportError, verbs};

/// Columns of runs before those of the metrics.
const BEFORE: [&str; 8] =
    ["name", "command", "trial", "block", "position", "phase", "started_ns", "env_pad_bytes"];

/// Columns of runs after those of the metrics.
const AFTER: [&str; 6] = ["cpu_first", "cpu_last", "left_behind", "exit_status", "outcome", "bounds"];

/// Writes a header line and one row per run, in the order of the experiment. Absent readings are empty fields, and the
/// last column states which numbers are bounds or parts.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    if let Findings::Table(found) = record.findings {
        return values(found, true, out);
    }
    let mut plain = csv::Writer::from_writer(Vec::new());
    if verbs::rows(record.findings, &mut plain)? {
        plain.flush()?;
        return harmless(plain.get_ref(), out);
    }
    let mut rows = csv::Writer::from_writer(out);
    let metrics = metrics_of(record.samples);
    rows.write_record(BEFORE.into_iter().chain(metrics.iter().map(|it| it.field())).chain(AFTER))?;
    let names: Vec<(String, String)> =
        record.commands.iter().map(|it| (in_a_cell(&it.name), in_a_cell(&it.command))).collect();
    for sample in record.samples {
        let (name, command) = names.get(usize::from(sample.command)).map_or(("", ""), |(a, b)| (a, b));
        rows.write_field(name)?;
        rows.write_field(command)?;
        for field in fields(sample, &metrics) {
            rows.write_field(field)?;
        }
        rows.write_record(None::<&[u8]>)?;
    }
    Ok(rows.flush()?)
}

/// Writes the rows with every field escaped, so that foreign names can neither break lines, nor control a terminal, nor
/// change the text direction of neighbouring fields, nor be formulas of a spreadsheet.
fn harmless(rows: &[u8], out: &mut dyn Write) -> Result<(), ReportError> {
    let mut shown = csv::Writer::from_writer(out);
    let mut plain = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(rows);
    for row in plain.records() {
        shown.write_record(row?.iter().map(in_a_cell))?;
    }
    Ok(shown.flush()?)
}

/// Columns of the CSV of a live table.
const OF_TABLE: [&str; 7] = ["elapsed_s", "object", "object_name", "key", "key_name", "value", "rate_per_s"];

/// Writes a row for each value of a live table, and a header line before the first reading.
pub(crate) fn values(found: &TableFindings, first: bool, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut rows = csv::Writer::from_writer(out);
    if first {
        rows.write_record(OF_TABLE)?;
    }
    let elapsed = format!("{:.6}", found.elapsed_ns as f64 / 1e9);
    for TableValue { object, object_name, key, key_name, value, rate_per_s } in &found.values {
        rows.write_record([
            &elapsed,
            &object.to_string(),
            &object_name.as_deref().map(in_a_cell).unwrap_or_default(),
            &key.to_string(),
            &key_name.as_deref().map(in_a_cell).unwrap_or_default(),
            &value.to_string(),
            &optional(*rate_per_s),
        ])?;
    }
    Ok(rows.flush()?)
}

fn fields(sample: &Sample, metrics: &[Metric]) -> impl Iterator<Item = String> {
    let before = [
        sample.trial.to_string(),
        sample.block.to_string(),
        sample.position.to_string(),
        phase(sample.phase).to_owned(),
        sample.started_ns.to_string(),
        sample.env_pad_bytes.to_string(),
    ];
    let readings = metrics.iter().map(|&metric| optional(sample.told(metric).map(|told| told.number)));
    let after = [
        optional(known(sample.cpu_first)),
        optional(known(sample.cpu_last)),
        sample.left_behind.to_string(),
        sample.outcome.exit_status().to_string(),
        outcome(sample.outcome).to_owned(),
        bounds(sample, metrics),
    ];
    before.into_iter().chain(readings).chain(after)
}

/// Names of the metrics whose readings in a run are bounds or parts, such as `peak_memory_bytes:at-most`, separated by
/// blanks; empty if all are values.
fn bounds(sample: &Sample, metrics: &[Metric]) -> String {
    let word = |bound: Bound| match bound {
        Bound::Value => None,
        Bound::AtMost => Some("at-most"),
        Bound::AtLeast => Some("at-least"),
        Bound::FirstThread => Some("first-thread"),
    };
    let said = |&metric: &Metric| Some(format!("{}:{}", metric.field(), word(sample.told(metric)?.bound)?));
    metrics.iter().filter_map(said).collect::<Vec<_>>().join(" ")
}

fn known(cpu: u16) -> Option<u16> {
    (cpu != u16::MAX).then_some(cpu)
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Warmup => "warmup",
        Phase::Measured => "measured",
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Exited(_) => "exited",
        Outcome::Signaled(_) => "signaled",
        Outcome::TimedOut => "timed-out",
    }
}
