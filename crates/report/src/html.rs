//! What all pages have in common: one file from which nothing is loaded, with tables, drawings and the conditions.

use std::io::{self, Write};

use fauxplat_model::document::Header;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::grid::{Grid, Tone};
use crate::parts::Part;
use crate::text;
use crate::words::{spaced, visible};

/// Readers' own light or dark theme; tables that scroll by themselves on a narrow screen.
const STYLE: &str = "\
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}figure{margin:1rem 0;overflow-x:auto}svg{max-width:100%;height:auto}\
.zooms{display:flex;flex-wrap:wrap;gap:1rem}.zooms figure{flex:1 1 24rem}figcaption{font-size:.9rem}\
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #8884}\
th:first-child,td:first-child{text-align:left}.faint{opacity:.75;font-size:.9rem}code{overflow-wrap:anywhere}\
.zoomed svg{width:300%;max-width:none}button{font:inherit}pre{overflow-x:auto}";

/// Writes a page.
pub(crate) fn page(title: &str, body: &Markup, out: &mut dyn Write) -> io::Result<()> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    };
    writeln!(out, "{}", page.into_string())
}

/// A report of parts with a drawing below its answer.
pub(crate) fn report(
    title: &str,
    parts: &[Part],
    picture: &str,
    header: &Header,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (answer, rest) = parts.split_at(parts.len().min(1));
    let body = html! {
        @for part in answer { (piece(part)) }
        figure { (drawing(picture)) }
        @for part in rest { (piece(part)) }
        (foot(header))
    };
    page(title, &body, out)
}

fn piece(part: &Part) -> Markup {
    match part {
        Part::Sentence(Tone::Title, text) => html! { h1 { (spaced(text)) } },
        Part::Sentence(_, text) => html! { p { (spaced(text)) } },
        Part::Table(grid) => table(grid),
        // The drawing shows the same, and more of it.
        Part::Bars(_) => html! {},
        Part::Block { title, lines } => html! {
            h2 { (spaced(title)) }
            ul { @for line in lines { li { (spaced(&line.text)) } } }
        },
    }
}

/// A drawing inside a page needs no XML declaration, and HTML forbids it.
pub(crate) fn drawing(document: &str) -> Markup {
    PreEscaped(document.split_once("?>").map_or(document, |(_, svg)| svg).to_owned())
}

/// A table.
pub(crate) fn table(grid: &Grid) -> Markup {
    html! {
        table {
            thead { tr { @for title in &grid.header { th { (spaced(title)) } } } }
            tbody {
                @for row in &grid.rows { tr { @for cell in &row.cells { td { (spaced(cell)) } } } }
            }
        }
    }
}

/// What the result rests upon.
pub(crate) fn foot(header: &Header) -> Markup {
    html! {
        h2 { "Conditions" }
        @for warning in &header.warnings { p { strong { "Warning: " } (visible(warning)) } }
        ul.faint {
            @for reason in &header.not_measured { li { "not measured: " (visible(reason)) } }
            li { "condition: " (visible(&text::condition(&header.condition))) }
            li { "machine: " (visible(&text::machine(&header.machine))) }
            li { "fauxplat " (header.fauxplat_version) ", " (header.started) ", seed " (header.seed) }
            li { "repeat with: " code { (visible(&text::repeat(header))) } }
        }
    }
}
