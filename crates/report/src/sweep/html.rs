//! A sweep as one HTML file: nothing is loaded from anywhere, so that it works from a mail or an archive.

use std::io::{self, Write};

use fauxplat_model::document::Record;
use fauxplat_model::{LevelFindings, SweepFindings};
use maud::{Markup, PreEscaped, html};

use super::{grids, sentences, svg};
use crate::html::{drawing, foot, page, table};
use crate::words::{spaced, visible};

/// A closer look at the whole plot without leaving the page: three times as wide, to be scrolled.
const SCRIPT: &str = "\
document.querySelector('#wider').onclick=function(){document.querySelector('#whole').classList.toggle('zoomed')}";

pub(crate) fn write(record: &Record, found: &SweepFindings, out: &mut dyn Write) -> io::Result<()> {
    let (_, conclusion) = sentences::conclusion(found);
    let command = record.commands.first().map_or("", |command| command.command.as_str());
    let title = format!("{} · {}", visible(&found.factor), visible(command));
    let body = html! {
        h1 { (spaced(&conclusion)) }
        p { code { (visible(command)) } }
        (findings(found))
        figure #whole { (drawing(&svg::document(found))) }
        p { button #wider type="button" { "wider / narrower" } }
        (peaks(found))
        (levels(found))
        (foot(record.header))
        script { (PreEscaped(SCRIPT)) }
    };
    page(&title, &body, out)
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
