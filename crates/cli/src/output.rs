//! Everything that is printed.
#![expect(clippy::disallowed_macros, reason = "this is the module that prints")]

use std::fs::File;
use std::io::{IsTerminal, Write};

use fauxplat_model::document::Record;
use fauxplat_report::Style;

use crate::args::{OutputArgs, When};
use crate::failure::Failure;

/// One line on standard error.
pub(crate) fn complain(line: &str) {
    eprintln!("fauxplat: {line}");
}

/// Writes a record where the options say.
pub(crate) fn write(record: &Record<'_>, output: &OutputArgs) -> Result<(), Failure> {
    with_writer(output, |style, out| Ok(fauxplat_report::write(record, output.format, style, out)?))
}

/// Writes plain lines where the options say.
pub(crate) fn lines(text: &str, output: &OutputArgs) -> Result<(), Failure> {
    with_writer(output, |_, out| {
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| Failure::new(crate::failure::MACHINE, error))
    })
}

/// Writes a table where the options say.
pub(crate) fn table(headings: &[&str], rows: &[Vec<String>], output: &OutputArgs) -> Result<(), Failure> {
    with_writer(output, |style, out| Ok(fauxplat_report::write_table(headings, rows, style, out)?))
}

/// Opens the place for the report. A file is named in every error about it.
fn with_writer(
    output: &OutputArgs,
    body: impl FnOnce(&Style, &mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match &output.output {
        None => body(&style(output, std::io::stdout().is_terminal()), &mut std::io::stdout().lock()),
        Some(path) => {
            let name = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
            let mut file = File::create(path).map_err(|error| Failure::usage(name(&error)))?;
            body(&style(output, false), &mut file).map_err(|failure| Failure::machine(name(&failure)))
        }
    }
}

/// Colour only on a terminal and never against the user's word (NO_COLOR, see no-color.org); width of the terminal.
fn style(output: &OutputArgs, terminal: bool) -> Style {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    let colour = match output.colour {
        When::Always => true,
        When::Never => false,
        When::Auto => terminal && !no_colour && !dumb,
    };
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = columns.or_else(|| if terminal { seen() } else { None }).unwrap_or(Style::default().width);
    Style { colour, width, unicode: speaks_unicode() }
}

/// Whether the locale is UTF-8. In a pipe without any locale UTF-8 is the better guess than question marks.
fn speaks_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    set.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
