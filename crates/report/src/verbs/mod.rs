//! Contents of each verb's report, the same for every renderer, and rows for spreadsheets.

mod aa;
mod blocks;
mod capacity;
mod compare;
mod contend;
mod counters;
mod explain;
pub(crate) mod fleet;
mod frame;
mod index;
mod lab;
mod limit;
mod load;
mod moved;
mod processes;
pub(crate) mod profile;
mod quantiles;
mod replay;
mod run;
mod series;
mod sessions;
mod sweep;
mod table;
mod tune;
pub mod worker_counts;

use std::io::Write;

use fauxplat_model::CountersFindings;
use fauxplat_model::document::{Findings, Record};

use crate::parts::Piece;
use crate::{View, own};

pub use frame::machine;

/// All pieces of a report, from the answer to the evidence.
pub(crate) fn report(record: &Record, view: &View) -> Vec<Piece> {
    let mut pieces = parts(record, view);
    pieces.extend(match record.findings {
        // A verb that inspects the machine runs no command, so there is no condition to show.
        Findings::Counters(_) => frame::inspected(record.header),
        // Earlier results were compared, or no command was run.
        Findings::Compare(_) if record.commands.is_empty() => frame::inspected(record.header),
        Findings::Own(found) if !own::has_condition(record, found) => frame::inspected(record.header),
        // These verbs measure nothing, or their findings are no experiment.
        Findings::Tune(_) | Findings::TuneList(_) | Findings::Restore(_) | Findings::Table(_) => {
            frame::imprint(record.header)
        }
        _ => frame::foot(record.header),
    });
    pieces
}

fn parts(record: &Record, view: &View) -> Vec<Piece> {
    match record.findings {
        Findings::Run(found) => run::parts(record, found, view),
        Findings::Compare(found) => compare::parts(record, found),
        Findings::Aa(found) => aa::parts(record, found),
        Findings::Sweep(found) => sweep::parts(found),
        Findings::Table(found) => table::parts(found),
        Findings::Counters(CountersFindings { watched: Some(watched), .. }) => series::watched(watched),
        Findings::Counters(found) => counters::parts(found),
        Findings::Capacity(found) => capacity::parts(found),
        Findings::Contend(found) => contend::parts(found),
        Findings::Index(found) => index::parts(record.header, found),
        Findings::Limit(found) => limit::parts(found),
        Findings::Load(found) => load::parts(record.header, found),
        Findings::Profile(found) => profile::parts(found, view),
        Findings::Tune(found) => tune::parts(record.header, found),
        Findings::TuneList(found) => tune::parts_of_list(found),
        Findings::Restore(found) => tune::parts_of_restore(record.header, found),
        Findings::Lab(found) => lab::parts(found),
        Findings::LabCompare(found) => lab::compare::parts(found),
        Findings::Explain(found) => explain::parts(found),
        Findings::Replay(found) => replay::parts(record, found),
        Findings::Fleet(found) => fleet::parts(found),
        Findings::FleetCompare(found) => fleet::parts_of_comparison(found),
        Findings::FleetWatch(found) => fleet::parts_of_watch(found),
        Findings::Own(found) => own::pieces(record, found),
    }
}

/// Writes the rows of CSV for findings that are not listed run by run; returns whether the findings are such.
pub(crate) fn rows(findings: &Findings, rows: &mut csv::Writer<impl Write>) -> csv::Result<bool> {
    match findings {
        Findings::Counters(CountersFindings { watched: Some(watched), .. }) => {
            series::rows(&watched.series, rows)?
        }
        Findings::Counters(found) => found.counters.iter().try_for_each(|one| rows.serialize(one))?,
        Findings::Capacity(found) => found.looks.iter().try_for_each(|look| rows.serialize(look))?,
        Findings::Contend(found) => found.pairs.iter().try_for_each(|pair| rows.serialize(pair))?,
        Findings::Index(found) => found.cpus.iter().try_for_each(|cpu| rows.serialize(cpu))?,
        Findings::Limit(found) => limit::rows(found, rows)?,
        Findings::Load(found) => found.generators.iter().try_for_each(|one| rows.serialize(one))?,
        Findings::Tune(found) => tune::rows(&found.changes).try_for_each(|row| rows.serialize(row))?,
        Findings::Restore(found) => {
            let changes = found.restored.as_ref().map_or(&[][..], |done| &done.changes);
            tune::rows(changes).try_for_each(|row| rows.serialize(row))?;
        }
        Findings::Lab(found) => {
            found.labs.iter().flat_map(lab::rows).try_for_each(|row| rows.serialize(row))?;
        }
        Findings::LabCompare(found) => {
            lab::compare::rows(found).try_for_each(|row| rows.serialize(row))?;
        }
        Findings::Explain(found) => explain::rows(found, rows)?,
        Findings::Replay(found) => replay::rows(found, rows)?,
        Findings::Fleet(found) => fleet::rows(found, rows)?,
        Findings::FleetCompare(found) => fleet::rows_of_comparison(found, rows)?,
        Findings::FleetWatch(found) => fleet::rows_of_watch(found, rows)?,
        Findings::Profile(found) => profile::rows(found, rows)?,
        Findings::Own(found) => match own::rows(found) {
            Some(own) => {
                std::iter::once(&own.headings).chain(&own.rows).try_for_each(|row| rows.write_record(row))?
            }
            None => return Ok(false),
        },
        _ => return Ok(false),
    }
    Ok(true)
}
