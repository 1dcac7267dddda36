//! Writes findings as text, JSON, CSV, Markdown and the formats that CI systems read.
//!
//! Everything is written to any [`Write`]; the crate asks neither the terminal nor the clock. What was measured
//! elsewhere is read back by [`read_baseline`].

mod baseline;
mod bounded;
mod calls;
mod csv_rows;
mod disagreement;
mod error;
mod evidence;
mod export;
mod format;
mod forms;
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

/// The words in which all reports speak: numbers with their units, changes, lists, and marks of names and commands within
/// sentences.
pub mod say {
    pub use crate::parts::spans::{code, emphasis, named, strong};
    pub use crate::words::{
        change, counted, grouped, listed, p_value, percent, quantity, shell_word, visible,
    };
}

use std::io::{BufWriter, Write};

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Comparison, Evidence};

pub use baseline::{
    BASELINE_BYTES_MAX, BaselineSeries, RecordedRuns, SourceFormat, read_baseline, read_record,
};
pub use error::ReportError;
pub use format::{Detail, Format, Style, TimeUnit, View};
pub use forms::{HISTORY, LIST_OF_EXPERIMENTS, LISTS};
pub use json::evidence_json;
pub use own::{
    Case, CaseOutcome, Gauges, OwnReading, OwnReport, Rows, know_reports, readings as own_readings,
};
pub use words::visible;

/// Bytes that are gathered before `out` is called: JSON writers make a call for every bracket.
const BUFFER_BYTES: usize = 64 << 10;

/// Writes an experiment in a format.
///
/// `style` matters for [`Format::Text`] alone. The record is streamed: apart from one column of readings nothing
/// of the size of the samples is held in memory.
///
/// # Errors
///
/// [`ReportError::Io`] when `out` fails, and [`ReportError::NothingToExport`] when the record holds nothing that
/// the format can carry, for instance an A/A calibration as hyperfine's JSON.
pub fn write(record: &Record, format: Format, style: &Style, out: &mut dyn Write) -> Result<(), ReportError> {
    write_viewed(record, format, style, &View::default(), out)
}

/// Writes a record with the user's choice of units, order and detail.
fn write_viewed(
    record: &Record,
    format: Format,
    style: &Style,
    view: &View,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    match format {
        Format::Json => json::write(record, &mut out)?,
        Format::Csv => csv_rows::write(record, &mut out)?,
        _ if render::write(record, format, style, view, &mut out)? => {}
        _ => export::write(record, format, style, &mut out)?,
    }
    Ok(out.flush()?)
}

/// Writes an experiment as [`write`] does, shown as the user wants it, with the evidence that is no run: in JSON as
/// `evidence[]`, in CSV as one row per figure where the experiment has no runs. The other formats have no place for it.
///
/// # Errors
///
/// As [`write`].
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

/// Writes one of several successive readings of a live table in one stream: text as a line for each value, JSON as a
/// line for each reading, CSV with its header before the `first` reading only.
///
/// # Errors
///
/// As [`write`]; [`ReportError::NotFollowed`] for formats of which nothing can follow.
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

/// The verdict of a comparison in words that state what they cover, for a log or a message of a gate.
pub fn verdict_sentence(comparison: &Comparison) -> String {
    let name = words::visible;
    words::spaced(&verdict::sentence(comparison, &name(&comparison.a), &name(&comparison.b)))
}

/// Writes a list with one line for each row, however long the row is: the last column is cut where the line ends.
///
/// # Errors
///
/// [`ReportError::Io`] when `out` fails.
pub fn write_list(
    header: &[&str],
    rows: &[Vec<String>],
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    Ok(render::text::write_list(header, rows, style, out)?)
}

/// Writes a table in the layout of reports, for listings that are no experiment.
///
/// Each row has a cell per title. The first column is shortened where there is no room; what does not fit beside it
/// continues in a second table below.
///
/// # Errors
///
/// [`ReportError::Io`] when `out` fails.
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
