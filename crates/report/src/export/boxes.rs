//! A topology as nested boxes, drawn with characters.

use std::io::Write;

use fauxplat_model::TopoFindings;
use fauxplat_model::document::{Findings, Record};

use crate::parts::Tone;
use crate::render::text::Page;
use crate::verbs::topo;
use crate::{ReportError, Style};

pub(super) fn found<'a>(record: &Record<'a>, format: &'static str) -> Result<&'a TopoFindings, ReportError> {
    match record.findings {
        Findings::Topo(found) => Ok(found),
        _ => Err(ReportError::NothingToExport {
            format,
            reason: "these findings are no topology; take text, json, csv, markdown or html",
        }),
    }
}

pub(crate) fn write(record: &Record, style: &Style, out: &mut dyn Write) -> Result<(), ReportError> {
    let topology = &found(record, "boxes")?.topology;
    let mut page = Page::new(style, out);
    let (lines, notes) = topo::in_characters(topology, page.pen.width, page.pen.unicode);
    for line in lines {
        page.line(Tone::Plain, &page.pen.spell(&line))?;
    }
    Ok(notes.iter().try_for_each(|(tone, note)| page.paragraph(*tone, 0, note))?)
}
