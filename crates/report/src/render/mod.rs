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

/// Writes a record in a format that is drawn from the parts of its report; returns false for any other format.
pub(crate) fn write(
    record: &Record,
    format: Format,
    style: &Style,
    view: &View,
    out: &mut dyn Write,
) -> Result<bool, ReportError> {
    match format {
        Format::Text => text::write(&verbs::report(record, view), style, view.detail, out)?,
        Format::Markdown => markup::write(&markdown::Markdown, &verbs::report(record, view), out)?,
        Format::AsciiDoc => markup::write(&asciidoc::AsciiDoc, &verbs::report(record, view), out)?,
        Format::Org => markup::write(&org::Org, &verbs::report(record, view), out)?,
        Format::Html => html::write(record, &verbs::report(record, view), out)?,
        Format::Svg => drawings::write(&verbs::report(record, view), out)?,
        _ => return Ok(false),
    }
    Ok(true)
}
