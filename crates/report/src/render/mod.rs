//! Parts as they are read: text, Markdown, pages, drawings.

mod canvas;
mod chart;
mod drawings;
mod html;
mod markdown;
mod pen;
pub(crate) mod text;

use std::io::Write;

use fauxplat_model::document::Record;

use crate::{Format, ReportError, Style, verbs};

/// Writes a format that is made of parts; whether it is one.
pub(crate) fn write(
    record: &Record,
    format: Format,
    style: &Style,
    out: &mut dyn Write,
) -> Result<bool, ReportError> {
    match format {
        Format::Text => text::write(&verbs::report(record), style, out)?,
        Format::Markdown => markdown::write(&verbs::report(record), out)?,
        Format::Html => html::write(record, &verbs::report(record), out)?,
        Format::Svg => drawings::write(&verbs::report(record), out)?,
        _ => return Ok(false),
    }
    Ok(true)
}
