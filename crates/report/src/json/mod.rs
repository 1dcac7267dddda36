//! The whole record as JSON, streamed. `docs/json.md` describes every field.

mod document;
mod layout;
mod sweep;

use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Evidence, Metric, Source};
use serde::Serialize;

use crate::ReportError;
use crate::evidence::{Piece, Pieces};
use crate::samples::ByCommand;

/// A piece of evidence as a JSON object with its `kind`, for streams of events. `memory` is the kernel interface from
/// which the peak memory of runs is read.
pub fn evidence_json(evidence: &Evidence, memory: Source) -> serde_json::Value {
    let value = match evidence {
        Evidence::Run(sample) => {
            let metrics: Vec<Metric> = sample.readings.metrics().iter().collect();
            serde_json::to_value(document::LoneRun::of(sample, &metrics, memory))
        }
        other => serde_json::to_value(Piece::of(other)),
    };
    value.unwrap_or_default()
}

/// Writes the record as one line, for streams of several documents.
pub(crate) fn write_line(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let samples = ByCommand::new(record);
    serde_json::to_writer(&mut *out, &document::Document::new(record, &samples))?;
    Ok(out.write_all(b"\n")?)
}

/// Writes the record with one line per run, so that the text stays readable and greppable.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    write_all(record, Pieces(&[]), out)
}

/// Writes the record together with evidence other than runs.
pub(crate) fn write_all(record: &Record, evidence: Pieces, out: &mut dyn Write) -> Result<(), ReportError> {
    let samples = ByCommand::new(record);
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, layout::LinePerRun::default());
    let mut document = document::Document::new(record, &samples);
    document.evidence = evidence;
    document.serialize(&mut serializer)?;
    Ok(out.write_all(b"\n")?)
}
