//! What the report of each verb says, once for text and Markdown, and its rows for spreadsheets.
//!
//! `run`, `compare` and `aa` have pages of their own, since they show runs; every other verb has a file here.

pub(crate) mod capacity;
pub(crate) mod contend;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod index;
pub(crate) mod lab;
pub(crate) mod latency;
pub(crate) mod load;
pub(crate) mod tune;

use std::io::Write;

use fauxplat_model::document::{Findings, Record};

use crate::parts::Part;

/// The report as parts, the answer first.
pub(crate) fn parts(record: &Record) -> Vec<Part> {
    match record.findings {
        Findings::Doctor(found) => doctor::parts(found),
        Findings::Capacity(found) => capacity::parts(found),
        Findings::Contend(found) => contend::parts(found),
        Findings::Latency(found) => latency::parts(found),
        Findings::Index(found) => index::parts(record.header, found),
        Findings::Load(found) => load::parts(record.header, found),
        Findings::Tune(found) => tune::parts(record.header, found),
        Findings::TuneList(found) => tune::parts_of_list(found),
        Findings::Restore(found) => tune::parts_of_restore(record.header, found),
        Findings::Lab(found) => lab::parts(found),
        Findings::Explain(found) => explain::parts(found),
        _ => Vec::new(),
    }
}

/// Whether something was looked at and nothing was run, so that no condition held.
pub(crate) fn is_look(findings: &Findings) -> bool {
    matches!(findings, Findings::Doctor(_))
}

/// Writes the rows of findings that have rows of their own; whether there were any.
pub(crate) fn rows(findings: &Findings, rows: &mut csv::Writer<impl Write>) -> csv::Result<bool> {
    match findings {
        Findings::Doctor(found) => doctor::rows(found, rows)?,
        Findings::Capacity(found) => found.looks.iter().try_for_each(|look| rows.serialize(look))?,
        Findings::Contend(found) => found.pairs.iter().try_for_each(|pair| rows.serialize(pair))?,
        Findings::Latency(found) => {
            found.tests.iter().try_for_each(|test| rows.serialize(latency::row(test)))?
        }
        Findings::Index(found) => found.cpus.iter().try_for_each(|cpu| rows.serialize(cpu))?,
        Findings::Load(found) => found.generators.iter().try_for_each(|one| rows.serialize(one))?,
        Findings::Tune(found) => tune::rows(&found.changes).try_for_each(|row| rows.serialize(row))?,
        Findings::Restore(found) => {
            let changes = found.restored.as_ref().map_or(&[][..], |done| &done.changes);
            tune::rows(changes).try_for_each(|row| rows.serialize(row))?;
        }
        Findings::Lab(found) => {
            found.labs.iter().flat_map(lab::rows).try_for_each(|row| rows.serialize(row))?;
        }
        Findings::Explain(found) => explain::rows(found, rows)?,
        _ => return Ok(false),
    }
    Ok(true)
}
