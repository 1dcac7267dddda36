//! Writes reports, messages and other text to standard output, standard error and files.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fauxplat_experiment::{Failure, Kind};
use fauxplat_model::Evidence;
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_report::{Detail, Format, ReportError, Style};
use fauxplat_sys::workplace::{Workplace, remove_forgotten};
use fauxplat_sys::{inherited, process, signal};

use fauxplat_options::{Export, Look, OutputArgs, is_stderr};

pub(crate) use fauxplat_options::is_stdout;

use crate::created::{Awaited, Fresh, created};
pub(crate) use crate::messages::{beep, complain, quote};
pub(crate) use crate::style::{can_redraw, style};

/// Writes the report of a record in the formats and to the destinations that the options name.
pub(crate) fn write(record: &Record<'_>, output: &OutputArgs) -> Result<(), Failure> {
    report(record, &|_| Vec::new(), &|_| true, output)
}

/// Writes the report of a record in every format and to every destination that the options name. `evidence` returns
/// what a format shows beside the record, and formats for which `is_wanted` is false are left out. If one report fails,
/// the others are still written. A closed pipe is no error, so that the exit code still reports a failed gate or
/// command.
///
/// # Errors
/// Returns the first error of a report that could not be written, with the messages of the others.
pub(crate) fn report(
    record: &Record<'_>,
    evidence: &dyn Fn(Format) -> Vec<Evidence>,
    is_wanted: &dyn Fn(Format) -> bool,
    output: &OutputArgs,
) -> Result<(), Failure> {
    let view = output.view();
    let write = |format: Format, output: &OutputArgs| match is_wanted(format) {
        true => with_writer(output, |style, out| {
            fauxplat_report::write_with_evidence(record, &evidence(format), format, (style, &view), out)
                .map_err(refused)
        }),
        false => Ok(()),
    };
    let beside = output.exports().into_iter().map(|Export { format, file }| {
        let output = OutputArgs { format, output: Some(file), ..output.clone() };
        write(format, &output)
    });
    let beside: Vec<_> = beside.collect();
    let main = match output.style == Look::None && output.output.is_none() {
        true => Ok(()),
        false if gives_way(output) => aside(record, &|format| evidence(format), is_wanted, output),
        false => write(output.format, output),
    };
    let is_told = |written: &Result<(), Failure>| !matches!(written, Err(failure) if failure.is_silent());
    [main].into_iter().chain(beside).filter(is_told).fold(Ok(()), Failure::both)
}

/// Whether the report is a text on a standard stream that shows every warning in full.
pub(crate) fn is_read_whole(output: &OutputArgs) -> bool {
    let is_shown = output.output.is_none() && output.style != Look::None;
    is_shown && output.format == Format::Text && output.view().detail != Detail::Line
}

/// Whether an `--export` writes to standard output, for a program that reads it, so that the report itself goes to
/// standard error.
fn gives_way(output: &OutputArgs) -> bool {
    output.output.is_none() && output.exports().iter().any(|export| is_stdout(&export.file))
}

/// Writes the report to standard error, because an export occupies standard output.
fn aside(
    record: &Record<'_>,
    evidence: &dyn Fn(Format) -> Vec<Evidence>,
    is_wanted: &dyn Fn(Format) -> bool,
    output: &OutputArgs,
) -> Result<(), Failure> {
    if !is_wanted(output.format) {
        return Ok(());
    }
    let error = std::io::stderr();
    let look = (&style(output, error.is_terminal()), &output.view());
    let evidence = evidence(output.format);
    fauxplat_report::write_with_evidence(record, &evidence, output.format, look, &mut error.lock())
        .map_err(refused)
}

/// Tries to open the files of all reports before anything is measured: if opening failed hours later, the results would
/// be lost.
///
/// # Errors
/// Returns an error for the first file that cannot be opened, or that two reports would share.
pub(crate) fn try_files(output: &OutputArgs) -> Result<(), Failure> {
    let mut seen: Vec<PathBuf> = Vec::new();
    let exports = output.exports().into_iter().map(|export| export.file);
    for file in output.output.clone().into_iter().chain(exports) {
        // A report in the same file would overwrite the lines of `--events`.
        let is_shared = seen.contains(&file) || output.events.as_ref() == Some(&file);
        if is_shared && file != Path::new("/dev/null") {
            return Err(Failure::usage(named(&file, &"two outputs would go to this file: name two files")));
        }
        if !is_stdout(&file) && !is_stderr(&file) {
            try_file(&file).map_err(|error| Failure::usage(named(&file, &error)))?;
        }
        seen.push(file);
    }
    Ok(())
}

/// Checks that a file can be opened for writing, without changing its contents; a file that did not exist is removed
/// again. Pipes are not opened, since closing a pipe would give its reader an end of file.
fn try_file(file: &Path) -> std::io::Result<()> {
    match file.metadata() {
        Ok(facts) if !facts.is_file() && !facts.is_dir() => Ok(()),
        Ok(_) => File::options().write(true).open(file).map(drop),
        // The target of a link may not exist yet.
        Err(_) if file.is_symlink() => Ok(()),
        Err(_) => {
            File::options().write(true).create_new(true).open(file)?;
            std::fs::remove_file(file)
        }
    }
}

/// Writes the report of a record to standard error, since a measured command occupies standard output.
pub(crate) fn beside(record: &Record<'_>, output: &OutputArgs) -> Result<(), Failure> {
    let error = std::io::stderr();
    let style = style(output, error.is_terminal());
    fauxplat_report::write(record, output.format, &style, &mut error.lock()).map_err(refused)
}

/// Standard output, unless it was closed when fauxplat was started.
///
/// # Errors
/// Fails where standard output was closed: the report would be lost silently.
pub(crate) fn stdout() -> Result<std::io::Stdout, Failure> {
    let why = "standard output is closed, so the report would be lost; name a file with --output FILE";
    if inherited::lacks_stdout() { Err(Failure::machine(why)) } else { Ok(std::io::stdout()) }
}

/// Writes the requested help or version. A closed pipe is no error.
pub(crate) fn help(asked: &clap::Error) -> Result<(), Failure> {
    stdout()?;
    match asked.print() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::machine(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes one name per line to standard output.
pub(crate) fn names(names: &[String]) -> Result<(), Failure> {
    text(&names.iter().map(|name| format!("{name}\n")).collect::<String>())
}

pub(crate) fn text(text: &str) -> Result<(), Failure> {
    stdout()?.write_all(text.as_bytes()).map_err(|error| Failure::new(Kind::Machine, error))
}

/// Writes plain lines to the destination that the options name.
pub(crate) fn lines(text: &str, output: &OutputArgs) -> Result<(), Failure> {
    with_writer(output, |_, out| {
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| Failure::new(Kind::Machine, error))
    })
}

/// Writes a list with one line per row to the destination that the options name.
pub(crate) fn list(headings: &[&str], rows: &[Vec<String>], output: &OutputArgs) -> Result<(), Failure> {
    with_writer(output, |style, out| fauxplat_report::write_list(headings, rows, style, out).map_err(refused))
}

/// Prints a table whose last column holds sentences, at any width: no column is cut to fit the terminal.
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

/// Opens the destination of the report that the options name and runs `body` with its style and writer. Errors about a
/// file contain its name.
fn with_writer(
    output: &OutputArgs,
    body: impl FnOnce(&Style, &mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match output.output.as_deref().filter(|path| !is_stdout(path)) {
        None => {
            let stdout = stdout()?;
            let style = style(output, stdout.is_terminal());
            let mut out = BufWriter::new(unbuffered(stdout));
            body(&style, &mut out)?;
            out.flush().map_err(|error| Failure::new(Kind::Machine, error))
        }
        Some(path) if is_stderr(path) => {
            let error = std::io::stderr();
            body(&style(output, error.is_terminal()), &mut error.lock())
        }
        // Collectors of metrics may read the file at any moment, and on a full disk the previous report is worth more
        // than half of the new one, so the file is replaced atomically.
        Some(path) if output.format == Format::OpenMetrics || can_replace(path) => {
            remove_forgotten(folder_of(&target_of(path)));
            // A metrics file is rewritten often, so waiting for the disk would take too much time.
            let on_disk =
                if output.format == Format::OpenMetrics { OnDisk::Sometime } else { OnDisk::BeforeItsName };
            replace(path, on_disk, |out| body(&style(output, false), out))
        }
        Some(path) => {
            try_file(path).map_err(|error| Failure::usage(named(path, &error)))?;
            written(path, body(&style(output, false), &mut Fresh::of(path)))
        }
    }
}

/// Classifies an error of a report: an I/O error is one of the machine, and any other error means that the user asked
/// for a format that cannot show this report.
fn refused(error: ReportError) -> Failure {
    Failure::new(if matches!(error, ReportError::Io { .. }) { Kind::Machine } else { Kind::Usage }, error)
}

/// The failure of a file that cannot be written: a full disk is one of the machine, and a path that leads nowhere is one
/// of the command line.
fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            Failure::machine(named(path, &format!("the report could not be written: {error}")))
        }
        _ => Failure::usage(named(path, error)),
    }
}

fn named(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// Adds the file's name to the error of writing a file, unless the error is about the contents.
fn written(path: &Path, done: Result<(), Failure>) -> Result<(), Failure> {
    done.map_err(|failure| match failure.kind() {
        Kind::Usage => failure,
        _ => Failure::machine(named(path, &failure)),
    })
}

/// Writes the report of a record to a file, which is replaced as a whole.
///
/// # Errors
/// Returns the error of the file.
pub(crate) fn keep(
    record: &Record<'_>,
    format: Format,
    file: &Path,
    output: &OutputArgs,
) -> Result<(), Failure> {
    let style = style(output, false);
    replace(file, OnDisk::BeforeItsName, |out| {
        fauxplat_report::write(record, format, &style, out).map_err(refused)
    })
}

/// Checks whether [`keep`] could write a file.
///
/// # Errors
/// Returns the error with which [`keep`] would fail.
pub(crate) fn try_place(path: &Path) -> Result<(), Failure> {
    let tried = match path.metadata() {
        Ok(facts) if !facts.is_file() => try_file(path),
        _ => {
            let target = target_of(path);
            remove_forgotten(folder_of(&target));
            Workplace::make("report", folder_of(&target)).map(drop)
        }
    };
    tried.map_err(|error| Failure::usage(named(path, &error)))
}

/// The file to replace for a path: for a symbolic link its target, so that the link itself stays.
fn target_of(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether the file can be replaced by a new one without loss: it belongs to this user, has no second hard link, and
/// its folder is writable.
fn can_replace(path: &Path) -> bool {
    let target = target_of(path);
    let is_ours = match target.metadata() {
        Ok(facts) => facts.is_file() && facts.nlink() == 1 && facts.uid() == process::user_id(),
        // The target of a link may not exist yet, and the link has to stay.
        Err(_) => !path.is_symlink(),
    };
    // On a full disk, writing in place would destroy the old report and not hold the new one.
    let is_writable = match Workplace::make("report", folder_of(&target)) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem),
    };
    is_ours && is_writable
}

/// When the contents of a file that replaces another one have to be on the disk: before the file gets its name, where a
/// later comparison may depend on the report, or at any time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnDisk {
    BeforeItsName,
    Sometime,
}

/// Replaces a file atomically: readers find either the old or the new contents.
///
/// A process that is killed while replacing a file leaves a folder beside the file, which the next writer removes.
fn replace(
    path: &Path,
    on_disk: OnDisk,
    body: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // A pipe or a device cannot be replaced, only written to.
    if path.metadata().is_ok_and(|facts| !facts.is_file()) {
        return written(path, body(&mut created(path).map_err(|error| Failure::usage(named(path, &error)))?));
    }
    let target = target_of(path);
    let fail = |error: std::io::Error| unwritable(path, &error);
    let place = Workplace::make("report", folder_of(&target)).map_err(fail)?;
    let fresh = place.path().join("report");
    let mut file = File::create(&fresh).map_err(fail)?;
    written(path, body(&mut file))?;
    if let Ok(facts) = target.metadata() {
        file.set_permissions(facts.permissions()).map_err(fail)?;
    }
    if on_disk == OnDisk::BeforeItsName {
        file.sync_all().map_err(|error| Failure::machine(named(path, &error)))?;
    }
    std::fs::rename(&fresh, &target).map_err(|error| Failure::machine(named(path, &error)))
}

/// Writes successive readings of a live table to one destination.
pub(crate) struct Looks<'a> {
    output: &'a OutputArgs,
    place: Destination,
    first: bool,
}

enum Destination {
    /// A terminal, where each reading replaces the one before.
    Screen,
    /// A file or pipe that gets the readings one after the other.
    Stream(Stoppable),
    /// A file that each reading replaces.
    File(PathBuf),
}

/// A writer that accepts no more output once the user has asked to stop: a reading may have a million lines, and the
/// process that reads them may have stopped reading.
struct Stoppable(Box<dyn Write>);

/// Standard output without the standard library's buffer. Writes of that buffer would continue after a signal until the
/// reader takes them. Where standard output cannot be duplicated, the library's own handle is used, which ignores the
/// error.
fn unbuffered(stdout: std::io::Stdout) -> Box<dyn Write> {
    match stdout.as_fd().try_clone_to_owned() {
        Ok(own) => Box::new(Awaited::new(File::from(own))),
        Err(_) => Box::new(stdout),
    }
}

impl Write for Stoppable {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match signal::stop_requested() {
            true => Err(std::io::Error::other("the user has asked to stop")),
            false => self.0.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

impl<'a> Looks<'a> {
    /// Opens the destination that the options name.
    ///
    /// # Errors
    /// Fails where the destination cannot be opened, or where an option applies to a single report only.
    pub(crate) fn open(output: &'a OutputArgs) -> Result<Self, Failure> {
        if !output.exports().is_empty() {
            return Err(Failure::usage(
                "--export writes one report at the end, and --watch has none: leave --watch out, or name the format and the file of the looks with --format and --output",
            ));
        }
        let stdout = stdout();
        let place = match output.output.as_deref().filter(|path| !is_stdout(path)) {
            Some(path) if output.format == Format::OpenMetrics => {
                remove_forgotten(folder_of(&target_of(path)));
                Destination::File(path.to_owned())
            }
            Some(path) => {
                let file = created(path).map_err(|error| Failure::usage(named(path, &error)))?;
                Destination::Stream(Stoppable(Box::new(file)))
            }
            None => {
                let stdout = stdout?;
                match stdout.is_terminal() && output.format == Format::Text {
                    true => Destination::Screen,
                    false => Destination::Stream(Stoppable(unbuffered(stdout))),
                }
            }
        };
        Ok(Looks { output, place, first: true })
    }

    pub(crate) fn show(&mut self, header: &Header, findings: &Findings) -> Result<(), Failure> {
        let record = Record { header, commands: &[], samples: &[], findings };
        let (first, format) = (std::mem::take(&mut self.first), self.output.format);
        match &mut self.place {
            Destination::Screen => screen(&record, &style(self.output, true), first),
            Destination::Stream(out) => match fauxplat_report::write_look(&record, format, first, out) {
                // The user has asked to stop, so an incomplete reading is no error.
                Err(_) if signal::stop_requested() => Ok(()),
                written => written.map_err(refused),
            },
            Destination::File(path) => replace(path, OnDisk::Sometime, |out| {
                fauxplat_report::write_look(&record, format, first, out).map_err(refused)
            }),
        }
    }
}

/// Draws a report over the previous one, with at most as many lines as the terminal has.
fn screen(record: &Record<'_>, style: &Style, first: bool) -> Result<(), Failure> {
    let mut text = Vec::new();
    fauxplat_report::write(record, Format::Text, style, &mut text).map_err(refused)?;
    let text = String::from_utf8_lossy(&text);
    let rows = terminal_size::terminal_size().map_or(24, |(_, height)| usize::from(height.0)).max(3);
    let count = text.lines().count();
    let shown = if count < rows { count } else { rows - 2 };
    // The first drawing clears the screen (ED 2). Later ones move the cursor home and clear the rest of each line (EL)
    // and of the screen (ED), which does not flicker. See ECMA-48.
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
