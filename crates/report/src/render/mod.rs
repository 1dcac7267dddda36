//! Renders the parts of reports as text, Markdown, pages and drawings.

mod asciidoc;
mod canvas;
mod chart;
pub(crate) mod drawings;
pub(crate) mod html;
mod listing;
mod markdown;
mod markup;
mod org;
mod pen;
pub(crate) mod text;

use std::io::Write;

use fauxplat_model::document::Record;

use crate::{Format, ReportError, Style, View, verbs};

/// Writes a record in a format that is drawn from the parts of its report; returns false for any other format. `named`
/// is the record with distinct names of commands, which the parts show.
pub(crate) fn write(
    record: &Record,
    named: &Record,
    format: Format,
    (style, view): (&Style, &View),
    out: &mut dyn Write,
) -> Result<bool, ReportError> {
    let report = || verbs::report(named, view);
    match format {
        Format::Text => text::write(&report(), style, view.detail, out)?,
        Format::Markdown => markup::write(&markdown::Markdown, &report(), out)?,
        Format::AsciiDoc => markup::write(&asciidoc::AsciiDoc, &report(), out)?,
        Format::Org => markup::write(&org::Org, &report(), out)?,
        Format::Html => html::write(record, &report(), out)?,
        Format::Svg => drawings::write(&report(), out)?,
        _ => return Ok(false),
    }
    Ok(true)
}
