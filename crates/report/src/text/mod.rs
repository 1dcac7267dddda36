//! Reports for people at a terminal.

mod aa;
pub(crate) mod chart;
mod columns;
mod compare;
mod frame;
pub(crate) mod page;
mod run;
mod sweep;
mod table;
mod tree;

use std::io::{self, Write};

use fauxplat_model::document::{Findings, Record};

use crate::grid::Grid;
use crate::{ReportError, Style};
use crate::{parts, verbs};

pub(crate) use aa::{POWER_TITLE, RIVALS_TITLE, calibration, elapsed};
pub(crate) use compare::{notes, winner};
pub(crate) use run::along;
pub(crate) use table::{lines, publisher};

pub(crate) use frame::{condition, counters, loads, machine, repeat};
pub(crate) use page::Page;

/// Writes the figures first and what they rest upon below them.
pub(crate) fn write(record: &Record, style: &Style, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut page = page::Page::new(style, out);
    match record.findings {
        Findings::Run(found) => run::write(&mut page, record, found)?,
        Findings::Compare(found) => compare::write(&mut page, record, found)?,
        Findings::Aa(found) => aa::write(&mut page, record, found)?,
        Findings::Sweep(found) => sweep::write(&mut page, found)?,
        Findings::Topo(found) => {
            crate::topo::text(&mut page, found)?;
            return Ok(frame::inspected(&mut page, record.header)?);
        }
        // A look at a table is no experiment: neither machine nor condition says anything about it.
        Findings::Table(found) => return Ok(table::write(&mut page, found)?),
        // Nothing was measured, so there is no condition and nothing to repeat.
        Findings::Tune(_) | Findings::TuneList(_) | Findings::Restore(_) => {
            return Ok(parts::text(&mut page, &verbs::parts(record))?);
        }
        _ => parts::text(&mut page, &verbs::parts(record))?,
    }
    if verbs::is_look(record.findings) {
        return Ok(frame::inspected(&mut page, record.header)?);
    }
    Ok(frame::foot(&mut page, record.header)?)
}

/// Writes a table by itself.
pub(crate) fn write_table(grid: &Grid, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    page::Page::new(style, out).table(0, grid)
}
