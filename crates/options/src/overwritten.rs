//! Reports that would overwrite what the same command line reads, or each other.
//!
//! Every other option and word of the command line counts as something that is read: a table, a baseline, a definition, a
//! store. Files are compared by what they are and not by their names, since a link leads to the same file.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clap::error::ErrorKind;
use clap::parser::ValueSource;

use crate::environment::store_of_environment;

/// Options whose files are written.
const WRITTEN: [&str; 8] = [
    "output",
    "export",
    "events",
    "export_json",
    "export_csv",
    "export_markdown",
    "export_asciidoc",
    "export_orgmode",
];

/// Refuses a report in a file that is read or holds the store, and two reports in one file.
///
/// # Errors
/// There is such a file; the message names both.
pub(crate) fn refuse(found: &ArgMatches) -> Result<(), clap::Error> {
    if let Some((_, below)) = found.subcommand() {
        return refuse(below);
    }
    let file = |(option, value): (&str, &str)| match option {
        "export" => value.split_once('=').map(|(_, file)| PathBuf::from(file)),
        _ => Some(PathBuf::from(value)),
    };
    let written =
        WRITTEN.into_iter().flat_map(|option| values(found, option).map(move |value| (option, value)));
    let written: Vec<(Option<Identity>, PathBuf)> =
        written.filter_map(file).map(|file| (identity(&file), file)).collect();
    if written.is_empty() {
        return Ok(());
    }
    let clash = |what: &Path| {
        let id = identity(what)?;
        written.iter().find(|(written, _)| *written == Some(id)).map(|(_, file)| file)
    };
    for (at, (id, file)) in written.iter().enumerate() {
        let is_same = |(of_other, other): &&(Option<Identity>, PathBuf)| match id {
            Some(_) => of_other == id,
            // Two outputs of one name are refused with all that the line writes, standard output among it.
            None => file != other && is_at(file, other),
        };
        if let Some((_, other)) = written[..at].iter().find(is_same) {
            return Err(error(file, &format!("{} is the same file, and another output", other.display())));
        }
    }
    let open = |file: &&(Option<Identity>, PathBuf)| file.0.is_some() && !is_stream(&file.1);
    for (id, name) in redirected() {
        if let Some((_, file)) = written.iter().filter(open).find(|(written, _)| *written == Some(id)) {
            return Err(error(file, &format!("{name} goes to this file")));
        }
    }
    // `-` is standard input where something is read, and standard output where something is written.
    for word in read(found).filter(|word| *word != "-") {
        // `NAME=FILE` and `FILE:1.0`, as in --table, name a file as well.
        let parts = [Some(word), word.split_once('=').map(|(_, file)| file)];
        let paths = parts
            .into_iter()
            .flatten()
            .flat_map(|part| [part, part.rsplit_once(':').map_or(part, |it| it.0)]);
        if let Some(file) = paths.map(Path::new).find_map(clash) {
            return Err(error(file, &format!("`{word}` names this file as well")));
        }
    }
    match stores(found).find_map(|store| written.iter().find(|(_, file)| is_at(file, &store))) {
        Some((_, file)) => Err(error(file, "a store is or will be in this file")),
        None => Ok(()),
    }
}

/// The files of the store that the line names and of the default one, which keeps what other lines measure.
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

/// Whether a file is this one, which exists.
pub(crate) fn exists_at(file: &Path, place: &Path) -> bool {
    identity(place).is_some_and(|place| identity(file) == Some(place))
}

/// Whether a file is this one, by what it is or, where there is none yet, by its folder and name.
pub(crate) fn is_at(file: &Path, place: &Path) -> bool {
    match (identity(file), identity(place)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => new_at(file).is_some() && new_at(file) == new_at(place),
        _ => false,
    }
}

/// Folder and name of a file that does not exist yet.
fn new_at(file: &Path) -> Option<(PathBuf, &OsStr)> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().ok()?;
    (!file.exists()).then_some((folder, file.file_name()?))
}

fn error(file: &Path, why: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::Io, would_overwrite(file, why))
}

/// The refusal of a report in a file.
pub(crate) fn would_overwrite(file: &Path, why: &str) -> String {
    format!("{}: {why}, and a report would overwrite it: name another file for the report\n", file.display())
}

/// Whether a file name stands for standard output. To open it by name would empty a file to which the shell appends.
pub fn is_stdout(file: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| file == Path::new(name))
}

/// Whether a file name stands for standard error.
pub fn is_stderr(file: &Path) -> bool {
    ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].iter().any(|name| file == Path::new(name))
}

pub(crate) fn is_stream(file: &Path) -> bool {
    is_stdout(file) || is_stderr(file)
}

/// The file that standard output or standard error was redirected to, with the stream's name.
fn redirected() -> impl Iterator<Item = (Identity, &'static str)> {
    let streams = [("/proc/self/fd/1", "standard output"), ("/proc/self/fd/2", "standard error")];
    streams.into_iter().filter_map(|(path, name)| Some((identity(Path::new(path))?, name)))
}

/// The words of the command line that are no report's file: what is measured or read, in whatever option.
fn read(found: &ArgMatches) -> impl Iterator<Item = &str> {
    let is_read = |id: &&clap::Id| {
        // Groups of options are named as types are.
        let is_group = id.as_str().starts_with(|c: char| c.is_ascii_uppercase());
        !is_group && !WRITTEN.contains(&id.as_str())
    };
    found.ids().filter(is_read).flat_map(|id| values(found, id.as_str()))
}

/// The values of an option that were typed.
fn values<'a>(found: &'a ArgMatches, option: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let is_typed = || found.value_source(option) == Some(ValueSource::CommandLine);
    let raw = found.try_get_raw(option).ok().flatten().filter(|_| is_typed());
    raw.into_iter().flatten().filter_map(OsStr::to_str)
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

    /// The refusal of a line, or nothing. `%` stands for a folder with two files and links to the first.
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
            "run %/in --output %/link",
            "run true --store %/fresh --export json=%/fresh",
            "run true --store %/fresh --output %/./fresh-wal",
            "compare true true --store %/fresh --events %/fresh",
        ] {
            let told = refusal(folder.path(), line).unwrap_or_default();
            assert!(told.contains("would overwrite it"), "{line}: {told}");
        }
        for line in [
            "table %/in --output %/other",
            "table %/in --output %/new",
            "table /dev/null --output /dev/null",
            "run new --output new",
            "run true --store none --output %/new",
        ] {
            assert_eq!(refusal(folder.path(), line), None, "{line}");
        }
        assert_eq!(std::fs::read_to_string(at("in")).unwrap(), "precious");
    }
}
