//! Writes findings as text, JSON, CSV, Markdown and the formats that CI systems read.
//!
//! The output goes to any [`Write`]; the crate inspects neither the terminal nor the clock. [`read_baseline`] reads
//! earlier results back.

mod apart;
mod baseline;
mod bounded;
mod calls;
mod csv_rows;
mod disagreement;
mod error;
mod error_lines;
mod evidence;
mod export;
mod format;
mod forms;
mod functions;
mod json;
mod own;
pub mod page;
pub mod parts;
mod relation;
mod render;
mod samples;
pub mod svg;
mod tables;
mod verbs;
mod verdict;
mod words;

/// Functions for the wording of all reports: numbers with their units, changes, lists, and marks of names and commands
/// within sentences.
pub mod say {
    pub use crate::bounded::interval_of_changes;
    pub use crate::functions::{function, without_arguments};
    pub use crate::parts::spans::{code, emphasis, named, strong};
    pub use crate::verbs::machine;
    pub use crate::words::{
        Scale, TIE, change, counted, grouped, listed, p_value, percent, quantity, round_percent, shell_word,
        shorten, visible,
    };
}

use std::io::{BufWriter, Write};

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Comparison, Evidence};

use apart::Apart;
pub use baseline::{
    BASELINE_BYTES_MAX, BaselineSeries, RecordedRuns, SourceFormat, read_baseline, read_record,
};
pub use error::ReportError;
pub use error_lines::error_lines;
pub use format::{Detail, Format, Style, TimeUnit, View};
pub use forms::{HISTORY, LIST_OF_EXPERIMENTS, LISTS};
pub use json::evidence_json;
pub use own::{
    Case, CaseOutcome, Gauges, OwnReading, OwnReport, Rows, know_reports, readings as own_readings,
    unfinished,
};
pub use verbs::worker_counts;
pub use words::visible;

/// Number of bytes that are buffered before they are written to `out`, since JSON writers make a call for every
/// bracket.
const BUFFER_BYTES: usize = 64 << 10;

/// Writes the record of an experiment in a format.
///
/// `style` affects [`Format::Text`] alone. The record is streamed: apart from one column of readings, memory does not
/// grow with the number of samples.
///
/// # Errors
///
/// Fails with [`ReportError::Io`] if `out` fails, and with [`ReportError::NothingToExport`] if the record holds nothing
/// that the format can represent, for instance an A/A calibration as hyperfine's JSON.
pub fn write(record: &Record, format: Format, style: &Style, out: &mut dyn Write) -> Result<(), ReportError> {
    write_viewed(record, format, style, &View::default(), out)
}

fn write_viewed(
    record: &Record,
    format: Format,
    style: &Style,
    view: &View,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    let apart = Apart::of(record);
    let named = apart.as_ref().map_or_else(|| record.clone(), |apart| apart.record(record));
    match format {
        // Documents have the names that were given, and the exports of other tools number names by themselves.
        Format::Json => json::write(record, &mut out)?,
        Format::Csv => csv_rows::write(&named, &mut out)?,
        Format::JUnit => export::write(&named, format, style, &mut out)?,
        _ if render::write(record, &named, format, (style, view), &mut out)? => {}
        _ => export::write(record, format, style, &mut out)?,
    }
    Ok(out.flush()?)
}

/// Writes a record like [`write()`], in the user's view, with the evidence other than runs: in JSON as
/// `evidence[]`, in CSV as one row per figure if the experiment has no runs. Other formats omit this evidence.
///
/// # Errors
///
/// Fails as [`write()`].
pub fn write_with_evidence(
    record: &Record,
    evidence: &[Evidence],
    format: Format,
    (style, view): (&Style, &View),
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let pieces = evidence::Pieces(evidence);
    if pieces.is_empty() {
        return write_viewed(record, format, style, view, out);
    }
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    match format {
        Format::Json => json::write_all(record, pieces, &mut out)?,
        Format::Csv if record.samples.is_empty() => evidence::write_csv(evidence, &mut out)?,
        _ => return write_viewed(record, format, style, view, &mut out),
    }
    Ok(out.flush()?)
}

/// Writes one of several successive readings of a live table to a stream: text with a line for each value, JSON with a
/// line for each reading, CSV with a header before the `first` reading only.
///
/// # Errors
///
/// Fails as [`write()`], and with [`ReportError::NotFollowed`] for formats that cannot represent successive readings.
pub fn write_look(
    record: &Record,
    format: Format,
    first: bool,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    match (format, record.findings) {
        (Format::Text, Findings::Table(found)) => render::text::lines(found, first, &mut out)?,
        (Format::Csv, Findings::Table(found)) => csv_rows::values(found, first, &mut out)?,
        (Format::Json, _) => json::write_line(record, &mut out)?,
        (Format::OpenMetrics, _) => export::openmetrics::write(record, &mut out)?,
        (other, _) => return Err(ReportError::NotFollowed(other.name())),
    }
    Ok(out.flush()?)
}

/// The verdict of a comparison as a sentence that states what it holds for, for a log or the message of a gate.
pub fn verdict_sentence(comparison: &Comparison) -> String {
    let name = words::visible;
    words::spaced(&verdict::sentence(comparison, &name(&comparison.a), &name(&comparison.b)))
}

/// Writes pieces as text, for a format of a verb that is text without the frame of a report.
///
/// # Errors
///
/// Fails with [`ReportError::Io`] if `out` fails.
pub fn write_pieces(pieces: &[parts::Piece], style: &Style, out: &mut dyn Write) -> Result<(), ReportError> {
    Ok(render::text::write(pieces, style, Detail::Full, out)?)
}

/// Writes a list with one line for each row. Lines that are wider than the terminal are cut at the end, in the last
/// column.
///
/// # Errors
///
/// Fails with [`ReportError::Io`] if `out` fails.
pub fn write_list(
    header: &[&str],
    rows: &[Vec<String>],
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    Ok(render::text::write_list(header, rows, style, out)?)
}

/// Writes a table in the layout of reports, for listings that are not experiments.
///
/// Each row has a cell per title. The first column is shortened if there is no room; columns that do not fit continue
/// in a second table below.
///
/// # Errors
///
/// Fails with [`ReportError::Io`] if `out` fails.
pub fn write_table(
    header: &[&str],
    rows: &[Vec<String>],
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let mut grid = parts::Grid::named(header, &[]);
    for row in rows {
        let cells = row.iter().map(|cell| words::visible(cell)).chain(std::iter::repeat(String::new()));
        grid.push(parts::Tone::Plain, cells.take(header.len()).collect());
    }
    Ok(render::text::write_table(&grid, style, out)?)
}
