//! Paths of journals and of their locks, and checks that no other user could have written these files, since a journal
//! decides what root writes to the machine.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use fauxplat_sys::{files, process};

use crate::error::failed;
use crate::{Root, TuneError};

/// Default paths of the journal. A reboot undoes all changes, so the journal need not outlive it, and `/run` is
/// writable even if other file systems are read-only. The second path is for machines without a writable `/run`.
const DEFAULTS: [&str; 2] = ["/run/fauxplat/journal", "/var/lib/fauxplat/journal"];

/// Environment variable with the path of the journal for all subcommands.
const VARIABLE: &str = "FAUXPLAT_JOURNAL";

/// Returns the path of the journal: the one in the variable, otherwise a default path where a journal exists, otherwise
/// the first default path where a journal can be created.
pub fn default_journal() -> PathBuf {
    std::env::var_os(VARIABLE)
        .filter(|path| !path.is_empty())
        .map_or_else(|| chosen(Path::exists).unwrap_or_else(|| DEFAULTS[0].into()), PathBuf::from)
}

/// Returns the first default path for which `is_there` returns true, otherwise the first where a file can be created.
fn chosen(is_there: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let places = DEFAULTS.map(Path::new);
    let can_be_made = |place: &&&Path| {
        let there = place.ancestors().skip(1).find(|folder| folder.exists());
        there.is_some_and(files::may_write)
    };
    let place = places.iter().find(|place| is_there(place)).or(places.iter().find(can_be_made));
    place.map(|place| place.to_path_buf())
}

/// Returns the path of the lock for a journal. This machine has one lock, wherever its journals are, since two
/// processes that tune would each record values that the other wrote. A process that cannot use that lock (of an
/// ordinary user, or of root where nothing is writable) uses a lock file beside its journal.
pub(crate) fn lock(root: &Root, journal: &Path) -> PathBuf {
    beside(&of_the_machine(root).unwrap_or_else(|| journal.to_owned()), LOCK)
}

/// Suffix of a lock file.
const LOCK: &str = ".lock";

/// Returns the default path of a journal beside which this machine has its only lock and the note about a journal
/// elsewhere; `None` for a process that uses neither: below another root, without being root, or where no default path
/// can be written to.
fn of_the_machine(root: &Root) -> Option<PathBuf> {
    let is_shared = root.is_real() && process::is_root();
    is_shared.then(|| chosen(|place| beside(place, LOCK).exists()))?
}

/// Returns the path of the note, which contains the path of a journal that is at none of the default paths.
fn note_of_another(root: &Root) -> Option<PathBuf> {
    of_the_machine(root).map(|journal| beside(&journal, ".elsewhere"))
}

/// Returns the paths at which this machine has other journals than this one.
pub(crate) fn others(root: &Root, journal: &Path) -> Vec<PathBuf> {
    let Some(note) = note_of_another(root) else { return Vec::new() };
    let noted = fs::read_to_string(note).ok().map(PathBuf::from);
    let ours = fs::canonicalize(journal).unwrap_or_else(|_| journal.to_owned());
    let all = DEFAULTS.iter().map(PathBuf::from).chain(noted);
    all.filter(|other| fs::canonicalize(other).is_ok_and(|other| other != ours)).collect()
}

/// Records where the journal is if its path is no default path, so that a process with another journal finds it.
pub(crate) fn note(root: &Root, journal: &Path) -> Result<(), TuneError> {
    let Some(note) = note_of_another(root) else { return Ok(()) };
    if DEFAULTS.iter().any(|place| Path::new(place) == journal) {
        return Ok(());
    }
    let absolute = std::path::absolute(journal).map_err(failed(journal))?;
    prepare(&note)?;
    fs::write(&note, absolute.as_os_str().as_encoded_bytes()).map_err(failed(&note))
}

/// Creates the folder of a journal or lock, accessible only to its owner, and checks it by [`check_folder`].
pub(crate) fn prepare(path: &Path) -> Result<(), TuneError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed(path))?;
    }
    check_folder(path)
}

/// Refuses, for root, a path in whose folder another user may have written files.
pub(crate) fn check_folder(path: &Path) -> Result<(), TuneError> {
    if !process::is_root() {
        return Ok(());
    }
    match files::exposed(path).map_err(failed(path))? {
        None => Ok(()),
        Some(files::Exposed { folder, owner, mode }) => {
            Err(TuneError::Exposed { path: path.to_owned(), culprit: folder, owner, mode })
        }
    }
}

/// Refuses a file that is not regular, or that another user may have written. The open file is checked, since its name
/// may refer to another file by now.
pub(crate) fn check_file(path: &Path, file: &File) -> Result<(), TuneError> {
    let facts = file.metadata().map_err(failed(path))?;
    if !facts.is_file() {
        return Err(failed(path)(io::Error::other("it is no regular file")));
    }
    if !process::is_root() {
        return Ok(());
    }
    let (owner, mode) = (facts.uid(), facts.mode() & 0o7777);
    if owner != 0 {
        return Err(TuneError::Foreign { path: path.to_owned(), owner });
    }
    if mode & 0o022 != 0 {
        return Err(TuneError::Exposed { path: path.to_owned(), culprit: path.to_owned(), owner, mode });
    }
    Ok(())
}

/// Returns the path of a journal with a suffix.
pub(crate) fn beside(journal: &Path, suffix: &str) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns whether a path still refers to the open file.
pub(crate) fn is_still(path: &Path, file: &File) -> bool {
    let identity = |facts: fs::Metadata| (facts.dev(), facts.ino());
    let ours = file.metadata().map(identity);
    fs::symlink_metadata(path).is_ok_and(|facts| ours.is_ok_and(|ours| ours == identity(facts)))
}
