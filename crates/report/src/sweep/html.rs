//! A sweep as one HTML file: nothing is loaded from anywhere, so that it works from a mail or an archive.

use std::io::{self, Write};

use fauxplat_model::document::{Header, Record};
use fauxplat_model::{LevelFindings, SweepFindings};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{grids, sentences, svg};
use crate::grid::Grid;
use crate::text;
use crate::words::{spaced, visible};

/// Readers' own light or dark theme; tables that scroll by themselves on a narrow screen.
const STYLE: &str = "\
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}figure{margin:1rem 0;overflow-x:auto}svg{max-width:100%;height:auto}\
.zooms{display:flex;flex-wrap:wrap;gap:1rem}.zooms figure{flex:1 1 24rem}figcaption{font-size:.9rem}\
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #8884}\
th:first-child,td:first-child{text-align:left}.faint{opacity:.75;font-size:.9rem}code{overflow-wrap:anywhere}\
.zoomed svg{width:300%;max-width:none}button{font:inherit}";

/// A closer look at the whole plot without leaving the page: three times as wide, to be scrolled.
const SCRIPT: &str = "\
document.querySelector('#wider').onclick=function(){document.querySelector('#whole').classList.toggle('zoomed')}";

pub(crate) fn write(record: &Record, found: &SweepFindings, out: &mut dyn Write) -> io::Result<()> {
    let (_, conclusion) = sentences::conclusion(found);
    let command = record.commands.first().map_or("", |command| command.command.as_str());
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (visible(&found.factor)) " · " (visible(command)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (spaced(&conclusion)) }
                p { code { (visible(command)) } }
                (findings(found))
                figure #whole { (drawing(&svg::document(found))) }
                p { button #wider type="button" { "wider / narrower" } }
                (peaks(found))
                (levels(found))
                (foot(record.header))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    writeln!(out, "{}", page.into_string())
}

/// The sentences below the conclusion.
fn findings(found: &SweepFindings) -> Markup {
    let finding = &found.finding;
    let failing = sentences::failing(found);
    let sentences = failing
        .into_iter()
        .chain(sentences::period(found))
        .chain([sentences::shares(finding)])
        .chain(sentences::parts(finding))
        .chain([sentences::plan(found)]);
    html! { @for sentence in sentences { p { (spaced(&sentence)) } } }
}

/// A drawing inside a page needs no XML declaration, and HTML forbids it.
fn drawing(document: &str) -> Markup {
    PreEscaped(document.split_once("?>").map_or(document, |(_, svg)| svg).to_owned())
}

fn peaks(found: &SweepFindings) -> Markup {
    let Some(sentence) = sentences::peaks(&found.finding) else { return html! {} };
    html! {
        h2 { "Peaks" }
        p { (spaced(&sentence)) }
        @if !found.finding.peaks.is_empty() {
            (table(&grids::peaks(found)))
            div.zooms {
                @for peak in &found.finding.peaks {
                    @if let Some(zoom) = svg::zoom(found, peak) {
                        figure {
                            (drawing(&zoom))
                            figcaption { (spaced(&sentences::peak_caption(found, peak))) }
                        }
                    }
                }
            }
        }
    }
}

/// All levels, folded away where they are many.
fn levels(found: &SweepFindings) -> Markup {
    let visited: Vec<&LevelFindings> = found.levels.iter().filter(|level| level.runs > 0).collect();
    html! {
        details open[visited.len() <= grids::TABLE_LEVELS_MAX] {
            summary { (visited.len()) " levels" }
            (table(&grids::levels(found)))
        }
    }
}

fn table(grid: &Grid) -> Markup {
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
fn foot(header: &Header) -> Markup {
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
