//! The parts of a machine as a tree, as boxes, as tables, as a drawing, and as `lscpu -p` prints them.

mod boxes;
mod lscpu;
mod objects;
mod pick;
mod picture;
mod rows;
mod tree;

use std::io::{self, Write};

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{MachineFacts, TopoFindings};

use crate::grid::{Grid, Tone};
use crate::text::Page;
use crate::{ReportError, Style};

pub(crate) use rows::csv;

/// The findings of a topology, or the error that there are none.
fn found<'a>(record: &Record<'a>, format: &'static str) -> Result<&'a TopoFindings, ReportError> {
    match record.findings {
        Findings::Topo(found) => Ok(found),
        _ => Err(ReportError::NothingToExport {
            format,
            reason: "these findings are no topology; take text, json, csv or markdown",
        }),
    }
}

/// Writes what `lscpu -p` prints.
pub(crate) fn lscpu(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    Ok(out.write_all(lscpu::page(&found(record, "lscpu")?.topology).as_bytes())?)
}

/// Writes nested boxes as SVG.
pub(crate) fn svg(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let topology = &found(record, "svg")?.topology;
    Ok(out.write_all(picture::draw(topology, &name(&record.header.machine)).as_bytes())?)
}

/// Writes nested boxes in characters.
pub(crate) fn boxes(record: &Record, style: &Style, out: &mut dyn Write) -> Result<(), ReportError> {
    let topology = &found(record, "boxes")?.topology;
    let mut page = Page::new(style, out);
    for line in boxes::draw(topology, page.width, page.unicode()) {
        let line = if page.unicode() { line } else { page.spell(&line) };
        page.line(Tone::Plain, &line)?;
    }
    if let Some(legend) = boxes::legend(topology) {
        page.paragraph(Tone::Faint, 0, &legend)?;
    }
    for note in tree::notes(topology, &[]) {
        page.paragraph(Tone::Plain, 0, &note)?;
    }
    Ok(())
}

/// Writes the tree, or the answer to a relation.
pub(crate) fn text(page: &mut Page, found: &TopoFindings) -> io::Result<()> {
    match &found.pick {
        Some(pick) => pick::write(page, pick, &found.topology),
        None => tree::write(page, &found.topology),
    }
}

/// The tables that Markdown shows, and the sentences below them.
pub(crate) fn tables(found: &TopoFindings) -> (Vec<Grid>, Vec<String>) {
    if let Some(pick) = &found.pick {
        return (vec![pick::table(pick, &found.topology)], pick::notes(pick));
    }
    let topology = &found.topology;
    let mut grids = vec![rows::grid(topology)];
    if topology.kinds.len() > 1 {
        grids.push(tree::kinds(topology));
    }
    if topology.nodes.len() > 1 {
        grids.push(tree::nodes(topology));
    }
    (grids, tree::notes(topology, &[]))
}

/// What a drawing calls the machine.
fn name(machine: &MachineFacts) -> String {
    match machine.cpu.model.is_empty() {
        true => "machine".to_owned(),
        false => machine.cpu.model.clone(),
    }
}
