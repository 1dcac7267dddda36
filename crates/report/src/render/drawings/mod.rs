//! SVG drawings, each of which can be a separate file or a part of a page.

mod boxes;
mod distribution;
mod effects;
mod flame;
mod fleet_map;
mod heat_map;
mod quantiles;
mod series;

use std::io::Write;

use maud::{Markup, PreEscaped, html};

use crate::ReportError;
use crate::parts::{Medium, Part, Piece, Tree, shown};
use crate::svg;

pub(crate) use flame::SCRIPT as FLAME_SCRIPT;

pub(crate) struct Drawing {
    width: f64,
    height: f64,
    title: String,
    description: String,
    body: Markup,
    /// Style rules of this drawing, besides those that all drawings have.
    style: &'static str,
    /// The script that a drawing has in a separate file. A surrounding page has the same script itself.
    script: &'static str,
}

impl Drawing {
    fn new(width: f64, height: f64, title: &str, description: &str, body: Markup) -> Self {
        let (title, description) = (title.to_owned(), description.to_owned());
        Drawing { width, height, title, description, body, style: "", script: "" }
    }

    fn alive(self, style: &'static str, script: &'static str) -> Self {
        Drawing { style, script, ..self }
    }

    fn document(&self) -> String {
        let body = html! {
            (self.styled())
            @if !self.script.is_empty() {
                // In a CDATA section XML interprets nothing except the section's end, which no script here contains.
                script { (PreEscaped("<![CDATA[")) (PreEscaped(self.script)) (PreEscaped("]]>")) }
            }
        };
        svg::document(self.width, self.height, &self.title, &self.description, &body)
    }

    fn styled(&self) -> Markup {
        html! {
            @if !self.style.is_empty() { style { (PreEscaped(self.style)) } }
            (self.body)
        }
    }

    /// The drawing as a part of a page that has the style rules [`svg::STYLE`].
    pub(crate) fn inline(&self) -> Markup {
        svg::inline(self.width, self.height, &self.title, &self.description, &self.styled())
    }
}

pub(crate) fn draw(part: &Part) -> Option<Drawing> {
    match part {
        Part::Distribution(it) => distribution::draw(it),
        Part::Effects(it) => Some(effects::draw(it)),
        Part::Quantiles(it) => Some(quantiles::draw(it)),
        Part::Series(it) => Some(series::draw(it)),
        Part::HeatMap(it) => Some(heat_map::draw(it)),
        Part::Tree(Tree::Boxes(it)) => Some(boxes::draw(it)),
        Part::Flame(it) => Some(flame::draw(it)),
        Part::FleetMap(it) => Some(fleet_map::draw(it)),
        Part::Sentence(_) | Part::Table(_) | Part::Tree(_) | Part::Notes(_) | Part::Listing(_) => None,
    }
}

/// Writes the first drawing of a report as an SVG file.
pub(crate) fn write(pieces: &[Piece], out: &mut dyn Write) -> Result<(), ReportError> {
    let drawing = shown(pieces, Medium::Page).find_map(|piece| draw(&piece.part));
    let reason = "these findings have no drawing; take text, json, csv, markdown or html";
    let drawing = drawing.ok_or(ReportError::NothingToExport { format: "svg", reason })?;
    Ok(out.write_all(drawing.document().as_bytes())?)
}
