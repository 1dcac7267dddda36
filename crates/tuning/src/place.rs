//! Paths of journals and their locks, and checks that no other user could have put them there: the writer of a journal
//! decides what root writes to the machine.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use fauxplat_sys::{files, process};

use crate::error::failed;
use crate::{Root, TuneError};

/// Default paths of the journal: a boot undoes all changes, so the journal need not outlive it, and `/run` is writable
/// where the rest is read-only. The second path is for machines without a writable `/run`.
const DEFAULTS: [&str; 2] = ["/run/fauxplat/journal", "/var/lib/fauxplat/journal"];

/// Environment variable that sets the path of the journal for all verbs.
const VARIABLE: &str = "FAUXPLAT_JOURNAL";

/// Path of the journal: the one that the variable names, else a default path where a journal exists, else the first
/// default path where one can be made.
pub fn default_journal() -> PathBuf {
    std::env::var_os(VARIABLE)
        .filter(|path| !path.is_empty())
        .map_or_else(|| chosen(Path::exists).unwrap_or_else(|| DEFAULTS[0].into()), PathBuf::from)
}

/// The default path at which something exists, else the first at which something can be made.
fn chosen(is_there: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let places = DEFAULTS.map(Path::new);
    let can_be_made = |place: &&&Path| {
        let there = place.ancestors().skip(1).find(|folder| folder.exists());
        there.is_some_and(files::may_write)
    };
    let place = places.iter().find(|place| is_there(place)).or(places.iter().find(can_be_made));
    place.map(|place| place.to_path_buf())
}

/// Path of the lock that belongs to a journal. There is one lock for this machine wherever its journals are, since two
/// tuners would each record the values that the other wrote. A process that cannot have that one (an ordinary user,
/// root where nothing is writable) uses one beside its journal.
pub(crate) fn lock(root: &Root, journal: &Path) -> PathBuf {
    beside(&of_the_machine(root).unwrap_or_else(|| journal.to_owned()), LOCK)
}

const LOCK: &str = ".lock";

/// The default journal path beside which the lock and the note shared by all journals of this machine lie.
fn of_the_machine(root: &Root) -> Option<PathBuf> {
    let is_shared = root.is_real() && process::is_root();
    is_shared.then(|| chosen(|place| beside(place, LOCK).exists()))?
}

/// File with the path of a journal that is not at a default path.
fn note_of_another(root: &Root) -> Option<PathBuf> {
    of_the_machine(root).map(|journal| beside(&journal, ".elsewhere"))
}

/// Paths of other journals that this machine may have.
pub(crate) fn others(root: &Root, journal: &Path) -> Vec<PathBuf> {
    let Some(note) = note_of_another(root) else { return Vec::new() };
    let noted = fs::read_to_string(note).ok().map(PathBuf::from);
    let ours = fs::canonicalize(journal).unwrap_or_else(|_| journal.to_owned());
    let all = DEFAULTS.iter().map(PathBuf::from).chain(noted);
    all.filter(|other| fs::canonicalize(other).is_ok_and(|other| other != ours)).collect()
}

/// Records where the journal of this machine is, so that a tuner with another journal learns of it.
pub(crate) fn note(root: &Root, journal: &Path) -> Result<(), TuneError> {
    let Some(note) = note_of_another(root) else { return Ok(()) };
    if DEFAULTS.iter().any(|place| Path::new(place) == journal) {
        return Ok(());
    }
    let absolute = std::path::absolute(journal).map_err(failed(journal))?;
    prepare(&note)?;
    fs::write(&note, absolute.as_os_str().as_encoded_bytes()).map_err(failed(&note))
}

/// Makes the folder of a journal or lock, for its owner alone, and checks it with [`check_folder`].
pub(crate) fn prepare(path: &Path) -> Result<(), TuneError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed(path))?;
    }
    check_folder(path)
}

/// Refuses a folder in which another user may have written what root would act upon.
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

/// Refuses a path that is no regular file, or that another user may have written. The check is made on the open file,
/// whatever its name refers to by now.
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

/// Path beside the journal, with another suffix.
pub(crate) fn beside(journal: &Path, suffix: &str) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether a name still refers to the open file.
pub(crate) fn is_still(path: &Path, file: &File) -> bool {
    let identity = |facts: fs::Metadata| (facts.dev(), facts.ino());
    let ours = file.metadata().map(identity);
    fs::symlink_metadata(path).is_ok_and(|facts| ours.is_ok_and(|ours| ours == identity(facts)))
}
