//! Findings become text, JSON, CSV, Markdown and the formats that CI systems read.
//!
//! Everything is written to any [`Write`]; the crate asks neither the terminal nor the clock. What was measured
//! elsewhere is read back by [`read_baseline`].

mod baseline;
mod csv_rows;
mod drawings;
mod error;
mod evidence;
mod export;
mod format;
mod grid;
mod html;
mod json;
mod markdown;
mod parts;
mod samples;
pub mod svg;
mod sweep;
mod tables;
mod text;
mod topo;
mod verbs;
mod verdict;
mod words;

use std::io::{BufWriter, Write};

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Comparison, Evidence};

pub use baseline::{BaselineSeries, SourceFormat, read_baseline};
pub use error::ReportError;
pub use format::{Format, Style};

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
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    match format {
        Format::Text => text::write(record, style, &mut out)?,
        Format::Json => json::write(record, &mut out)?,
        Format::Csv => csv_rows::write(record, &mut out)?,
        Format::Markdown => markdown::write(record, &mut out)?,
        Format::HyperfineJson => export::hyperfine::write(record, &mut out)?,
        Format::PyperfJson => export::pyperf::write(record, &mut out)?,
        Format::GithubActionBenchmark => export::github::write(record, &mut out)?,
        Format::BencherBmf => export::bencher::write(record, &mut out)?,
        Format::Svg => drawing(record, &mut out)?,
        Format::Html => page(record, &mut out)?,
        Format::Boxes => topo::boxes(record, style, &mut out)?,
        Format::Lscpu => topo::lscpu(record, &mut out)?,
        Format::OpenMetrics => export::openmetrics::write(record, &mut out)?,
    }
    Ok(out.flush()?)
}

/// Writes an experiment as [`write`] does, with the evidence that is no run: in JSON as `evidence[]`, in CSV as one row per
/// figure where the experiment has no runs. The other formats have no place for it.
///
/// # Errors
///
/// As [`write`].
pub fn write_with_evidence(
    record: &Record,
    evidence: &[Evidence],
    format: Format,
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let pieces = evidence::Pieces(evidence);
    if pieces.is_empty() {
        return write(record, format, style, out);
    }
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    match format {
        Format::Json => json::write_all(record, pieces, &mut out)?,
        Format::Csv if record.samples.is_empty() => evidence::write_csv(evidence, &mut out)?,
        _ => return write(record, format, style, &mut out),
    }
    Ok(out.flush()?)
}

/// Writes one of several looks at a live table that follow each other in one stream: text as a line per value, JSON as
/// one line per look, CSV with its header before the `first` look only.
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
        (Format::Text, Findings::Table(found)) => text::lines(found, first, &mut out)?,
        (Format::Csv, Findings::Table(found)) => csv_rows::values(found, first, &mut out)?,
        (Format::Json, _) => json::write_line(record, &mut out)?,
        (Format::OpenMetrics, _) => export::openmetrics::write(record, &mut out)?,
        (other, _) => return Err(ReportError::NotFollowed(other)),
    }
    Ok(out.flush()?)
}

/// The drawing of findings that have one.
fn drawing(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    match record.findings {
        Findings::Topo(_) => topo::svg(record, out),
        Findings::Sweep(found) => Ok(out.write_all(sweep::svg::document(found).as_bytes())?),
        Findings::Contend(found) => Ok(out.write_all(drawings::heat::document(found).as_bytes())?),
        Findings::Latency(found) => Ok(out.write_all(drawings::percentiles::document(found).as_bytes())?),
        _ => Err(undrawn("svg")),
    }
}

/// The page of findings that have one.
fn page(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    match record.findings {
        Findings::Sweep(found) => Ok(sweep::html::write(record, found, out)?),
        Findings::Contend(found) => {
            let picture = drawings::heat::document(found);
            Ok(html::report("Contention", &verbs::parts(record), &picture, record.header, out)?)
        }
        Findings::Latency(found) => {
            let picture = drawings::percentiles::document(found);
            Ok(html::report("Latency", &verbs::parts(record), &picture, record.header, out)?)
        }
        _ => Err(undrawn("html")),
    }
}

fn undrawn(format: &'static str) -> ReportError {
    let reason = "these findings have no such form; take text, json, csv or markdown";
    ReportError::NothingToExport { format, reason }
}

/// The verdict of a comparison in words that state what they cover, for a log or a message of a gate.
pub fn verdict_sentence(comparison: &Comparison) -> String {
    let name = words::visible;
    words::spaced(&verdict::sentence(comparison, &name(&comparison.a), &name(&comparison.b)))
}

/// Writes any table as the reports draw theirs, for listings that are no experiment.
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
    let mut grid = grid::Grid::named(header, &[]);
    for row in rows {
        let cells = row.iter().map(|cell| words::visible(cell)).chain(std::iter::repeat(String::new()));
        grid.push(grid::Tone::Plain, cells.take(header.len()).collect());
    }
    Ok(text::write_table(&grid, style, out)?)
}
