//! Drawings: every one can be a file of its own, or be part of a page.

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

/// A drawing in pixels.
pub(crate) struct Drawing {
    width: f64,
    height: f64,
    title: String,
    description: String,
    body: Markup,
    /// Rules beside those of all drawings.
    style: &'static str,
    /// The script of a drawing that is a file of its own; a page around it has the same script.
    script: &'static str,
}

impl Drawing {
    fn new(width: f64, height: f64, title: &str, description: &str, body: Markup) -> Self {
        let (title, description) = (title.to_owned(), description.to_owned());
        Drawing { width, height, title, description, body, style: "", script: "" }
    }

    /// The drawing with its own style rules and script.
    fn alive(self, style: &'static str, script: &'static str) -> Self {
        Drawing { style, script, ..self }
    }

    /// The drawing as a file.
    fn document(&self) -> String {
        let body = html! {
            (self.styled())
            @if !self.script.is_empty() {
                // XML reads nothing in a section of characters but its end, which no script here has.
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

    /// The drawing inside a page that has [`svg::STYLE`].
    pub(crate) fn inline(&self) -> Markup {
        svg::inline(self.width, self.height, &self.title, &self.description, &self.styled())
    }
}

/// The drawing of a part, if it has one.
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

/// Writes the first drawing of a report that has one.
pub(crate) fn write(pieces: &[Piece], out: &mut dyn Write) -> Result<(), ReportError> {
    let drawing = shown(pieces, Medium::Page).find_map(|piece| draw(&piece.part));
    let reason = "these findings have no drawing; take text, json, csv, markdown or html";
    let drawing = drawing.ok_or(ReportError::NothingToExport { format: "svg", reason })?;
    Ok(out.write_all(drawing.document().as_bytes())?)
}
