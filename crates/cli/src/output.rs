//! Everything that is printed.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fauxplat_experiment::{Failure, Kind};
use fauxplat_model::Evidence;
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_report::{Format, ReportError, Style};

use crate::args::{OutputArgs, When};

/// One line on standard error.
pub(crate) fn complain(line: &str) {
    beside_the_report(&format!("fauxplat: {line}\n"));
}

/// A line of somebody else's output, on standard error.
pub(crate) fn quote(line: &str) {
    beside_the_report(&format!("  {line}\n"));
}

/// Whoever closed standard error has read enough; `eprintln!` would panic.
fn beside_the_report(text: &str) {
    let _closed = std::io::stderr().write_all(text.as_bytes());
}

/// Writes a record where the options say.
pub(crate) fn write(record: &Record<'_>, output: &OutputArgs) -> Result<(), Failure> {
    with_writer(output, |style, out| {
        fauxplat_report::write(record, output.format, style, out).map_err(refused)
    })
}

/// Writes a record with the evidence that is no run where the options say.
pub(crate) fn write_with_evidence(
    record: &Record<'_>,
    evidence: &[Evidence],
    output: &OutputArgs,
) -> Result<(), Failure> {
    with_writer(output, |style, out| {
        fauxplat_report::write_with_evidence(record, evidence, output.format, style, out).map_err(refused)
    })
}

/// Writes a record to standard error, beside a command that has standard output to itself.
pub(crate) fn beside(record: &Record<'_>, output: &OutputArgs) -> Result<(), Failure> {
    let error = std::io::stderr();
    let style = style(output, error.is_terminal());
    fauxplat_report::write(record, output.format, &style, &mut error.lock()).map_err(refused)
}

/// Writes plain lines where the options say.
pub(crate) fn lines(text: &str, output: &OutputArgs) -> Result<(), Failure> {
    with_writer(output, |_, out| {
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| Failure::new(Kind::Machine, error))
    })
}

/// Writes a table where the options say.
pub(crate) fn table(headings: &[&str], rows: &[Vec<String>], output: &OutputArgs) -> Result<(), Failure> {
    with_writer(output, |style, out| {
        fauxplat_report::write_table(headings, rows, style, out).map_err(refused)
    })
}

/// The same for rows that end in a sentence: they are as long as they are, and nothing before it is cut for its sake.
pub(crate) fn wide_table(
    headings: &[&str],
    rows: &[Vec<String>],
    output: &OutputArgs,
) -> Result<(), Failure> {
    with_writer(output, |style, out| {
        let style = Style { width: usize::from(u16::MAX), ..*style };
        fauxplat_report::write_table(headings, rows, &style, out).map_err(refused)
    })
}

/// Opens the place for the report. A file is named in every error about it.
fn with_writer(
    output: &OutputArgs,
    body: impl FnOnce(&Style, &mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match &output.output {
        None => body(&style(output, std::io::stdout().is_terminal()), &mut std::io::stdout().lock()),
        // Whoever collects metrics reads the file at any moment.
        Some(path) if output.format == Format::OpenMetrics => {
            replace(path, |out| body(&style(output, false), out))
        }
        Some(path) => {
            let mut file = File::create(path).map_err(|error| Failure::usage(named(path, &error)))?;
            written(path, body(&style(output, false), &mut file))
        }
    }
}

/// A report that cannot be written is the machine's fault; one that there cannot be is that of whoever asked.
fn refused(error: ReportError) -> Failure {
    Failure::new(if matches!(error, ReportError::Io { .. }) { Kind::Machine } else { Kind::Usage }, error)
}

fn named(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// Names the file in the failure, unless what is wrong is what was to be written.
fn written(path: &Path, done: Result<(), Failure>) -> Result<(), Failure> {
    done.map_err(|failure| match failure.kind() {
        Kind::Usage => failure,
        _ => Failure::machine(named(path, &failure)),
    })
}

/// Puts a new file in the place of an old one at once: a reader finds the one or the other, and never half of one.
fn replace(path: &Path, body: impl FnOnce(&mut dyn Write) -> Result<(), Failure>) -> Result<(), Failure> {
    // A pipe or a device cannot be replaced, only written to.
    if path.metadata().is_ok_and(|facts| !facts.is_file()) {
        let file = File::options().write(true).open(path);
        return written(path, body(&mut file.map_err(|error| Failure::usage(named(path, &error)))?));
    }
    // Through a symbolic link, whose target is meant.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".fauxplat-")
        // The collector runs as somebody else; the mask of the process has the last word.
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|error| Failure::usage(named(path, &error)))?;
    written(path, body(&mut file))?;
    file.persist(&target).map(drop).map_err(|error| Failure::machine(named(path, &error.error)))
}

/// Where looks at a live table go, one after the other.
pub(crate) struct Looks<'a> {
    output: &'a OutputArgs,
    place: Place,
    first: bool,
}

enum Place {
    /// A terminal shows the latest look in the place of the one before.
    Screen,
    /// Looks follow each other.
    Stream(Box<dyn Write>),
    /// Each look replaces the file.
    File(PathBuf),
}

impl<'a> Looks<'a> {
    /// Opens the place that the options name.
    pub(crate) fn open(output: &'a OutputArgs) -> Result<Self, Failure> {
        let stdout = std::io::stdout();
        let place = match &output.output {
            Some(path) if output.format == Format::OpenMetrics => Place::File(path.clone()),
            Some(path) => {
                let file = File::create(path).map_err(|error| Failure::usage(named(path, &error)))?;
                Place::Stream(Box::new(file))
            }
            None if stdout.is_terminal() && output.format == Format::Text => Place::Screen,
            None => Place::Stream(Box::new(stdout)),
        };
        Ok(Looks { output, place, first: true })
    }

    /// Shows one look.
    pub(crate) fn show(&mut self, header: &Header, findings: &Findings) -> Result<(), Failure> {
        let record = Record { header, commands: &[], samples: &[], findings };
        let (first, format) = (std::mem::take(&mut self.first), self.output.format);
        match &mut self.place {
            Place::Screen => screen(&record, &style(self.output, true), first),
            Place::Stream(out) => fauxplat_report::write_look(&record, format, first, out).map_err(refused),
            Place::File(path) => {
                replace(path, |out| fauxplat_report::write_look(&record, format, first, out).map_err(refused))
            }
        }
    }
}

/// Draws a report over the one before, as much of it as the terminal has lines.
fn screen(record: &Record<'_>, style: &Style, first: bool) -> Result<(), Failure> {
    let mut text = Vec::new();
    fauxplat_report::write(record, Format::Text, style, &mut text).map_err(refused)?;
    let text = String::from_utf8_lossy(&text);
    let rows = terminal_size::terminal_size().map_or(24, |(_, height)| usize::from(height.0)).max(3);
    let count = text.lines().count();
    let shown = if count < rows { count } else { rows - 2 };
    // The first drawing clears the screen (ED 2); later ones go home and clear what is left of each line (EL) and of
    // the screen (ED), which does not flicker. See ECMA-48.
    let mut drawn = if first { "\x1b[2J\x1b[H".to_owned() } else { "\x1b[H".to_owned() };
    text.lines().take(shown).for_each(|line| drawn += &format!("{line}\x1b[K\r\n"));
    if shown < count {
        drawn += &format!("and {} lines more: choose with --object or --key\x1b[K\r\n", count - shown);
    }
    drawn += "\x1b[J";
    let mut out = std::io::stdout().lock();
    let done = out.write_all(drawn.as_bytes()).and_then(|()| out.flush());
    done.map_err(|error| Failure::new(Kind::Machine, error))
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
