//! The report of `topo`: the parts of a machine as a tree, as tables, and as nested boxes.

mod boxes;
mod lscpu;
mod nested;
mod objects;
mod pick;
mod rows;
mod tree;

use std::io::Write;

use fauxplat_model::document::{Header, Record};
use fauxplat_model::{MachineFacts, Topology};
use fauxplat_report::parts::{Medium, Note, Notes, Piece, Tone};
use fauxplat_report::say::machine;
use fauxplat_report::{Case, Format, OwnReport, ReportError, Rows, Style, write_pieces};
use serde::Deserialize;
use serde_json::{Error, Value};

use crate::findings::{SCHEMA, TopoFindings};
use crate::json;

/// The report of the document of `topo`.
#[derive(Debug)]
pub struct TopoReport;

impl OwnReport for TopoReport {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Svg, Format::Boxes, Format::Lscpu]
    }

    fn pieces(&self, record: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        Ok(pieces(record.header, &TopoFindings::deserialize(document)?))
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        Ok(rows::rows(&TopoFindings::deserialize(document)?.topology))
    }

    fn cases(&self, _: &Value) -> Result<Vec<Case>, Error> {
        Ok(Vec::new())
    }

    fn json(&self, document: &Value) -> Result<Option<Value>, Error> {
        let found = TopoFindings::deserialize(document)?;
        serde_json::to_value(json::Document::of(&found)).map(Some)
    }

    fn export(
        &self,
        document: &Value,
        format: Format,
        style: &Style,
        out: &mut dyn Write,
    ) -> Result<(), ReportError> {
        let topology = TopoFindings::deserialize(document)?.topology;
        match format {
            Format::Lscpu => Ok(out.write_all(lscpu::page(&topology).as_bytes())?),
            _ => write_pieces(&in_characters(&topology, style), style, out),
        }
    }
}

fn pieces(header: &Header, found: &TopoFindings) -> Vec<Piece> {
    let topology = &found.topology;
    let drawn = Piece::boxes(boxes::boxes(topology, &name(&header.machine)));
    if let Some(pick) = &found.pick {
        return pick::pieces(pick, topology).into_iter().chain([drawn]).collect();
    }
    let elsewhere: &'static [Medium] = &[Medium::Comment, Medium::Page];
    let table = Piece::table(rows::grid(topology)).at(0);
    let mut pieces = vec![Piece::answer(Tone::Title, machine(&header.machine)).only(elsewhere), drawn];
    // A terminal shows the tree first; a page or a comment shows every CPU first.
    let mut tree = tree::pieces(topology).into_iter();
    pieces.extend(tree.next().map(|branches| branches.only(&[Medium::Terminal])));
    pieces.push(table.only(elsewhere));
    pieces.extend(tree);
    pieces
}

/// The machine as nested boxes for a terminal, and sentences below.
fn in_characters(topology: &Topology, style: &Style) -> Vec<Piece> {
    let drawn = nested::draw(topology, style.columns(), style.unicode).into_iter();
    let lines = drawn.map(|line| Note { tone: Tone::Plain, unbroken: true, ..Note::fact("", vec![line]) });
    // Folded notes have no title in a terminal.
    let drawing = Notes { title: String::new(), folded: true, lines: lines.collect() };
    let legend = nested::legend(topology).map(|legend| Piece::said(Tone::Faint, legend));
    let notes = tree::notes(topology, &[]).into_iter().map(Piece::plain);
    let below = legend.into_iter().chain(notes).map(Piece::joined);
    std::iter::once(Piece::notes(drawing)).chain(below).collect()
}

fn name(machine: &MachineFacts) -> String {
    match machine.cpu.model.is_empty() {
        true => "machine".to_owned(),
        false => machine.cpu.model.clone(),
    }
}
