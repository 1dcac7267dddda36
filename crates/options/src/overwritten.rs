//! Checks that no file that a command line writes, by reports or by the commands, is also read by that line, and that
//! no two written files are the same.
//!
//! An option or a word that names a file counts as a file that is read: a table, a baseline, a definition, a store.
//! Files are compared by identity and not by name, since a link leads to the same file.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use fauxplat_model::Output;

use crate::environment::store_of_environment;

/// Options that name files for reports.
const REPORTS: [&str; 8] = [
    "output",
    "export",
    "events",
    "export_json",
    "export_csv",
    "export_markdown",
    "export_asciidoc",
    "export_orgmode",
];

/// The option that names the file to which the commands' output is appended.
const STDOUT: &str = "stdout";

/// The way in which a command line writes to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// A report replaces the file.
    Report,
    /// The standard output of the commands is appended to the file.
    Appended,
}

/// A file that a command line writes.
struct Written {
    file: PathBuf,
    identity: Option<Identity>,
    how: How,
}

impl Written {
    fn new(file: PathBuf, how: How) -> Self {
        Written { identity: identity(&file), file, how }
    }
}

/// Refuses to write into a file that is read or holds the store, and to write a file twice. `above` is the definition
/// of the command whose parsed options are `found`.
///
/// # Errors
/// Fails if a file has two such uses. The message names the file and both uses.
pub(crate) fn refuse(found: &ArgMatches, above: &Command) -> Result<(), clap::Error> {
    if let Some((name, below)) = found.subcommand() {
        return above.find_subcommand(name).map_or(Ok(()), |verb| refuse(below, verb));
    }
    let read: Vec<&str> = read(found, above).collect();
    refuse_input_twice(&read)?;
    let written = written(found);
    if written.is_empty() {
        return Ok(());
    }
    refuse_twice(&written)?;
    refuse_redirected(&written, &read)?;
    let clash = |what: &Path| {
        let id = identity(what)?;
        written.iter().find(|written| written.identity == Some(id))
    };
    // The word `-` means standard input for reading and standard output for writing, so it names no common file.
    for word in read.into_iter().filter(|word| *word != "-") {
        // `NAME=FILE` and `FILE:1.0`, as in --table, also name a file.
        let parts = [Some(word), word.split_once('=').map(|(_, file)| file)];
        let paths = parts
            .into_iter()
            .flatten()
            .flat_map(|part| [part, part.rsplit_once(':').map_or(part, |it| it.0)]);
        if let Some(written) = paths.map(Path::new).find_map(clash) {
            return Err(error(written, &format!("`{word}` names this file as well")));
        }
    }
    match stores(found).find_map(|store| written.iter().find(|written| is_at(&written.file, &store))) {
        Some(written) => Err(error(written, "a store is or will be in this file")),
        None => Ok(()),
    }
}

/// The files that the command line writes, including the file for the commands' output in a saved definition.
fn written(found: &ArgMatches) -> Vec<Written> {
    let report = |(option, value): (&str, &str)| match option {
        "export" => value.split_once('=').map(|(_, file)| PathBuf::from(file)),
        _ => Some(PathBuf::from(value)),
    };
    let reports =
        REPORTS.into_iter().flat_map(|option| values(found, option).map(move |value| (option, value)));
    let reports = reports.filter_map(report).map(|file| Written::new(file, How::Report));
    let typed = if is_typed(found, "show_output") { Some("inherit") } else { values(found, STDOUT).next() };
    let typed = typed.map(PathBuf::from);
    let stdout = typed.or_else(|| stdout_of_definition(values(found, "definition").next()?));
    let is_file = |file: &PathBuf| !["null", "inherit"].iter().any(|word| file == Path::new(word));
    let stdout = stdout.filter(is_file).map(|file| Written::new(file, How::Appended));
    reports.chain(stdout).collect()
}

/// The file to which a saved definition appends the commands' output. `None` also for a definition that cannot be read,
/// or only once: that is reported where the definition is needed.
fn stdout_of_definition(file: &str) -> Option<PathBuf> {
    identity(Path::new(file))?;
    let text = fauxplat_sys::text::read_text(Path::new(file), fauxplat_plan::BYTES_MAX).ok()?;
    match fauxplat_plan::parse(&text).ok()?.condition.output {
        Output::File(file) => Some(file),
        Output::Null | Output::Inherit => None,
    }
}

fn refuse_twice(written: &[Written]) -> Result<(), clap::Error> {
    for (at, one) in written.iter().enumerate() {
        let is_same = |other: &&Written| match one.identity {
            Some(_) => other.identity == one.identity,
            // Two files with the same name, including standard output, are refused elsewhere, together with all other
            // files that are written.
            None => one.file != other.file && is_at(&one.file, &other.file),
        };
        if let Some(other) = written[..at].iter().find(is_same) {
            return Err(error(one, &format!("another output, {}, is the same file", other.file.display())));
        }
    }
    Ok(())
}

/// Number of symbolic links that the kernel follows in a path.
const LINKS_MAX: u32 = 40;

/// Names by which an option can mean standard input.
const STDIN: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Refuses a line in which two words mean standard input.
fn refuse_input_twice(read: &[&str]) -> Result<(), clap::Error> {
    let inputs: Vec<&&str> = read.iter().filter(|word| STDIN.contains(word)).collect();
    match inputs.as_slice() {
        [one, other, ..] => Err(clap::Error::raw(
            ErrorKind::Io,
            format!(
                "`{one}` and `{other}` are both standard input, which can be read once: name a file for one of them\n"
            ),
        )),
        _ => Ok(()),
    }
}

/// Refuses to write into files to which standard output or error is redirected, or from which standard input comes if
/// the command line reads it.
fn refuse_redirected(written: &[Written], read: &[&str]) -> Result<(), clap::Error> {
    let reads_input = read.iter().any(|word| STDIN.contains(word));
    let input = reads_input.then(|| identity(Path::new("/proc/self/fd/0"))).flatten();
    let streams = redirected()
        .map(|(id, name)| (id, format!("{name} goes to this file")))
        .chain(input.map(|id| (id, "standard input, which is read, comes from this file".to_owned())));
    let open = |written: &&Written| written.identity.is_some() && !is_stream(&written.file);
    for (id, why) in streams {
        if let Some(written) = written.iter().filter(open).find(|written| written.identity == Some(id)) {
            return Err(error(written, &why));
        }
    }
    Ok(())
}

/// The files of the store that the line names, and of the default store, in which other command lines store results.
fn stores(found: &ArgMatches) -> impl Iterator<Item = PathBuf> {
    let of_environment = store_of_environment();
    let named = values(found, "store").next().map(Path::new);
    let files = [named, of_environment.as_deref(), None]
        .into_iter()
        .filter_map(|named| fauxplat_store::local_path(named).ok());
    let files: Vec<PathBuf> = files.collect();
    files.into_iter().flat_map(|file| {
        ["", "-wal", "-shm", "-journal"].map(|suffix| {
            let mut name = file.clone().into_os_string();
            name.push(suffix);
            PathBuf::from(name)
        })
    })
}

/// Whether two paths lead to the same existing file.
pub(crate) fn exists_at(file: &Path, place: &Path) -> bool {
    identity(place).is_some_and(|place| identity(file) == Some(place))
}

/// Whether two paths lead to the same file, by identity or, for a file that does not exist yet, by folder and name.
pub(crate) fn is_at(file: &Path, place: &Path) -> bool {
    match (identity(file), identity(place)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => new_at(file).is_some() && new_at(file) == new_at(place),
        _ => false,
    }
}

/// Folder and name of a file that does not exist yet. For a symbolic link to such a file, folder and name of the link's
/// target. `None` if the file exists or the folder does not.
fn new_at(file: &Path) -> Option<(PathBuf, OsString)> {
    let mut file = file.to_owned();
    for _ in 0..LINKS_MAX {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        match file.read_link() {
            Ok(target) => file = folder.join(target),
            Err(_) => return (!file.exists()).then_some((folder, file.file_name()?.to_owned())),
        }
    }
    None
}

fn error(written: &Written, why: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::Io, refusal(&written.file, written.how, why) + "\n")
}

/// The message that refuses to write into a file because of `why`, with advice.
pub(crate) fn refusal(file: &Path, how: How, why: &str) -> String {
    let cure = match how {
        How::Report => "a report would overwrite it: name another file for the report",
        How::Appended => "the commands' output would be appended to it: name another file for --stdout",
    };
    format!("{}: {why}, and {cure}", file.display())
}

/// Whether a file name means standard output. Opening such a name as a file would truncate a file to which the shell
/// appends.
pub fn is_stdout(file: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| file == Path::new(name))
}

/// Whether a file name means standard error.
pub fn is_stderr(file: &Path) -> bool {
    ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].iter().any(|name| file == Path::new(name))
}

pub(crate) fn is_stream(file: &Path) -> bool {
    is_stdout(file) || is_stderr(file)
}

/// The files to which standard output and standard error were redirected, with the name of the stream.
fn redirected() -> impl Iterator<Item = (Identity, &'static str)> {
    let streams = [("/proc/self/fd/1", "standard output"), ("/proc/self/fd/2", "standard error")];
    streams.into_iter().filter_map(|(path, name)| Some((identity(Path::new(path))?, name)))
}

/// The typed values of all options of the verb that name files for reading.
fn read<'a>(found: &'a ArgMatches, verb: &Command) -> impl Iterator<Item = &'a str> + use<'a> {
    let read: Vec<String> =
        verb.get_arguments().filter(|arg| reads_file(arg)).map(|arg| arg.get_id().to_string()).collect();
    read.into_iter().flat_map(|id| values(found, &id).collect::<Vec<_>>())
}

/// Whether the value of an option or word is a file for reading, judged by the value's type or the name of the value.
/// Commands and names do not count as files, even if a file has the same name.
fn reads_file(arg: &Arg) -> bool {
    let id = arg.get_id().as_str();
    let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let says = |name: &&str| arg.get_value_names().is_some_and(|all| all.iter().any(|it| it.contains(name)));
    !REPORTS.contains(&id) && id != STDOUT && (is_path || ["FILE", "PROGRAM"].iter().any(says))
}

/// The typed values of an option.
fn values<'a>(found: &'a ArgMatches, option: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let raw = found.try_get_raw(option).ok().flatten().filter(|_| is_typed(found, option));
    raw.into_iter().flatten().filter_map(OsStr::to_str)
}

/// Whether an option was typed. The verb may lack the option.
fn is_typed(found: &ArgMatches, option: &str) -> bool {
    found.ids().any(|id| id == option) && found.value_source(option) == Some(ValueSource::CommandLine)
}

/// Device and inode of a regular file.
type Identity = (u64, u64);

fn identity(file: &Path) -> Option<Identity> {
    let facts = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((facts.dev(), facts.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// The message that refuses a command line; `None` if it is accepted. `%` in the line stands for a folder with two
    /// files and links to the first.
    fn refusal(folder: &Path, line: &str) -> Option<String> {
        let line = line.replace('%', &folder.display().to_string());
        let words: Vec<String> = format!("fauxplat {line}").split(' ').map(str::to_owned).collect();
        parse(&words).err().map(|error| error.to_string())
    }

    #[test]
    fn what_is_read_is_not_overwritten_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("in"), "precious").unwrap();
        std::fs::write(at("other"), "").unwrap();
        std::os::unix::fs::symlink(at("in"), at("link")).unwrap();
        std::fs::hard_link(at("in"), at("hard")).unwrap();
        std::os::unix::fs::symlink("fresh", at("dangling")).unwrap();
        std::os::unix::fs::symlink(at("dangling"), at("twice")).unwrap();
        std::fs::write(
            at("given.toml"),
            format!(
                "[[command]]\ncommand = \"cat\"\n[condition]\noutput = {{ file = \"{}\" }}\n",
                at("in").display()
            ),
        )
        .unwrap();
        for line in [
            "table %/in --output %/in",
            "table %/in --output=%/link",
            "table %/in -o%/hard",
            "table %/other --names %/in --export json=%/in",
            "run --definition %/in --output %/in",
            "run --stdin %/in --export-json %/link true",
            "run --table a=%/in:1.0 --output %/in true",
            "compare --baseline %/in --events %/link true",
            "fleet take %/other %/in --output %/hard",
            "run --output %/in --export csv=%/link true",
            "run --export json=%/fresh --export csv=%/dangling true",
            "run true --store %/fresh --export json=%/dangling",
            "run true --store %/fresh --export json=%/fresh",
            "run true --store %/fresh --output %/./fresh-wal",
            "compare true true --store %/fresh --events %/fresh",
        ] {
            let told = refusal(folder.path(), line).unwrap_or_default();
            assert!(told.contains("would overwrite it"), "{line}: {told}");
        }
        for line in [
            "compare true --baseline %/in --stdout %/in",
            "run --definition %/in --stdout %/link",
            "run --stdin %/in --stdout %/hard cat",
            "run --store %/fresh --stdout %/fresh true",
            "compare --table a=%/in:1.0 --stdout %/in true true",
            "aa --replay %/in --stdout %/in",
            "run --stdout %/twice --export json=%/fresh true",
            "run --definition %/given.toml --stdin %/in cat",
            "compare --definition %/given.toml --baseline %/link true",
        ] {
            let told = refusal(folder.path(), line).unwrap_or_default();
            assert!(told.contains("would be appended to it"), "{line}: {told}");
        }
        for line in [
            "table %/in --output %/other",
            "table %/in --output %/new",
            "table /dev/null --output /dev/null",
            "run new --output new",
            "run %/in --output %/in",
            "run -n %/in --export csv=%/in true",
            "run --names %/in,%/other --export csv=%/in true true",
            "run --env A=%/in --output %/in true",
            "run --stdout inherit --output %/in true",
            "run --definition %/given.toml --stdout null --stdin %/in cat",
            "run --definition %/given.toml --show-output --stdin %/in cat",
            "run true --store none --output %/new",
        ] {
            assert_eq!(refusal(folder.path(), line), None, "{line}");
        }
        assert_eq!(std::fs::read_to_string(at("in")).unwrap(), "precious");
    }
}
