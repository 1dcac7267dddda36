//! Built work trees that are kept for the next call.
//!
//! Each tree stays at the path where it was built, since builds write that path into what they make; all paths have the
//! same length, since a path is part of a program's stack. A lock file per tree says who uses it: whoever builds has it
//! alone, and whoever measures shares it. A tree without a note of its build, and whose lock nobody has, is what a killed
//! fauxplat left, and is removed.

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fauxplat_sys::clock;
use fauxplat_sys::files::replace;
use fauxplat_sys::text::read_regular_text;
use serde::{Deserialize, Serialize};

use crate::RevisionError;
use crate::error::at;
use crate::snapshot::Snapshot;

/// Largest total size of built trees in bytes; those whose last use is longest ago are removed first.
const BYTES_MAX: u64 = 4 << 30;
/// Maximum size of a note, which lists the files of a tree.
const NOTE_BYTES_MAX: usize = 256 << 20;
/// Characters of a tree's name.
const NAME_CHARACTERS: usize = 16;

/// The folders of the cache.
#[derive(Clone, Debug)]
pub(crate) struct Trees {
    folder: PathBuf,
}

/// The note about a tree whose build has succeeded.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    /// The whole key, of which the folder's name is a part.
    key: String,
    files: Snapshot,
    /// Time that the build took in nanoseconds.
    took_ns: u64,
}

/// A tree whose lock this process has.
#[derive(Debug)]
pub(crate) struct Held {
    /// The tree.
    pub(crate) folder: PathBuf,
    /// Time that its build took in nanoseconds; `None` where it has to be built now.
    pub(crate) took_ns: Option<u64>,
    key: String,
    note: PathBuf,
    lock: File,
}

impl Trees {
    /// Opens the cache below a folder of the user, removes what killed processes left, and makes room.
    pub(crate) fn below(cache: &Path) -> Result<Self, RevisionError> {
        let trees = Trees { folder: cache.join("commits") };
        for part in ["trees", "notes", "locks", "searches"] {
            let path = trees.folder.join(part);
            DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(at(path))?;
        }
        trees.remove_unfinished();
        trees.shrink(BYTES_MAX);
        Ok(trees)
    }

    /// Folder in which searches note how far they came.
    pub(crate) fn searches(&self) -> PathBuf {
        self.folder.join("searches")
    }

    fn place(&self, part: &str, name: &str) -> PathBuf {
        self.folder.join(part).join(name)
    }

    fn lock_file(&self, name: &str) -> Result<File, RevisionError> {
        let path = self.place("locks", name);
        File::options().create(true).append(true).open(&path).map_err(at(path))
    }

    /// The tree of a key: as it was built, or an empty folder that this process has alone. Waits while another process
    /// builds it.
    pub(crate) fn hold(&self, key: &str) -> Result<Held, RevisionError> {
        let name = &key[..NAME_CHARACTERS];
        let (folder, note) = (self.place("trees", name), self.place("notes", name));
        let lock = self.lock_file(name)?;
        let mut held = Held { folder, took_ns: None, key: key.to_owned(), note, lock };
        let locked = |done: std::io::Result<()>| done.map_err(at(self.place("locks", name)));
        let is_alone = held.lock.try_lock().is_ok();
        if !is_alone {
            locked(held.lock.lock_shared())?;
        }
        held.took_ns = held.find(is_alone);
        if held.took_ns.is_some() {
            locked(held.lock.lock_shared())?;
            // Between the two locks another process may have removed the tree to make room.
            held.took_ns = held.find(false);
        }
        if held.took_ns.is_none() {
            locked(held.lock.lock())?;
            // Another process may have built it while this one waited.
            held.took_ns = held.find(true);
        }
        if held.took_ns.is_none() {
            held.empty()?;
        }
        Ok(held)
    }

    /// Removes trees that were never finished and that nobody builds.
    fn remove_unfinished(&self) {
        for folder in list(&self.folder.join("trees")) {
            let Some(name) = folder.file_name().and_then(|name| name.to_str()) else { continue };
            if !self.place("notes", name).exists() {
                self.remove(name);
            }
        }
    }

    /// Removes the trees whose last use is longest ago, until the rest takes at most `bytes_max`.
    fn shrink(&self, bytes_max: u64) {
        let entries = list(&self.folder.join("notes")).filter_map(|note| {
            let read = noted(&note)?;
            Some((fs::metadata(&note).ok()?.modified().ok()?, read.files.bytes(), note))
        });
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = entries.collect();
        entries.sort_unstable();
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, note) in entries {
            if total <= bytes_max {
                break;
            }
            if note.file_name().and_then(|name| name.to_str()).is_some_and(|name| self.remove(name)) {
                total -= bytes;
            }
        }
    }

    /// Removes a tree, unless somebody has its lock; says whether it is gone.
    fn remove(&self, name: &str) -> bool {
        let Some(lock) = self.lock_file(name).ok().filter(|lock| lock.try_lock().is_ok()) else {
            return false;
        };
        // The note goes first: a tree without one is never used.
        let _absent = fs::remove_file(self.place("notes", name));
        let is_gone = fs::remove_dir_all(self.place("trees", name)).is_ok();
        drop(lock);
        is_gone
    }
}

/// The note about a tree; `None` where there is none that can be read.
fn noted(note: &Path) -> Option<Note> {
    serde_json::from_str(&read_regular_text(note, NOTE_BYTES_MAX).ok()?).ok()
}

impl Held {
    /// Time that the build took, if the tree is there as its build left it. Files that came later are removed where this
    /// process has the tree alone.
    fn find(&self, is_alone: bool) -> Option<u64> {
        let note = noted(&self.note)?;
        let now = Snapshot::of(&self.folder);
        if note.key != self.key || !note.files.is_in(&now) {
            return None;
        }
        if is_alone {
            let came_later = note.files.new_in(&now, &self.folder);
            came_later.iter().try_for_each(fs::remove_file).ok()?;
        }
        let marked = File::options().append(true).open(&self.note).and_then(|note| {
            let now_ns = std::time::Duration::from_nanos(clock::realtime_ns());
            note.set_modified(SystemTime::UNIX_EPOCH + now_ns)
        });
        // A cache that cannot be written to can still be read.
        let _unheard = marked;
        Some(note.took_ns)
    }

    /// Begins anew with an empty folder.
    fn empty(&self) -> Result<(), RevisionError> {
        let _absent = fs::remove_file(&self.note);
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(at(&self.folder)(error));
            }
            _ => {}
        }
        DirBuilder::new().mode(0o700).create(&self.folder).map_err(at(&self.folder))
    }

    /// Notes that the tree is built, and shares its lock from now on.
    pub(crate) fn keep(&mut self, files: Snapshot, took_ns: u64) -> Result<(), RevisionError> {
        let note = Note { key: self.key.clone(), files, took_ns };
        let text = serde_json::to_vec(&note).map_err(|error| at(&self.note)(error.into()))?;
        replace(&self.note, &text).map_err(at(&self.note))?;
        self.lock.lock_shared().map_err(at(&self.note))
    }
}

fn list(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::sha256;

    fn built(trees: &Trees, key: &str, text: &str) -> PathBuf {
        let mut held = trees.hold(key).unwrap();
        assert_eq!(held.took_ns, None);
        fs::write(held.folder.join("program"), text).unwrap();
        held.keep(Snapshot::of(&held.folder), 7).unwrap();
        held.folder.clone()
    }

    #[test]
    fn a_built_tree_is_found_and_a_changed_one_is_not() {
        let place = tempfile::tempdir().unwrap();
        let trees = Trees::below(place.path()).unwrap();
        let (a, b) = (sha256("a"), sha256("b"));
        let folder = built(&trees, &a, "1");
        fs::write(folder.join("output"), "x").unwrap();
        assert_eq!(trees.hold(&a).unwrap().took_ns, Some(7));
        assert!(!folder.join("output").exists(), "what commands left is removed");
        assert_eq!(trees.hold(&b).unwrap().folder.as_os_str().len(), folder.as_os_str().len());
        fs::write(folder.join("program"), "12").unwrap();
        assert_eq!(trees.hold(&a).unwrap().took_ns, None);
        assert!(!folder.join("program").exists());
    }

    #[test]
    fn what_was_never_finished_goes_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().unwrap();
        let trees = Trees::below(place.path()).unwrap();
        let unfinished = trees.hold(&sha256("a")).unwrap();
        let other = Trees::below(place.path()).unwrap();
        assert!(unfinished.folder.exists());
        let folder = unfinished.folder.clone();
        drop(unfinished);
        other.remove_unfinished();
        assert!(!folder.exists());
        let kept = built(&trees, &sha256("b"), "123");
        let used = trees.hold(&sha256("b")).unwrap();
        trees.shrink(0);
        assert!(kept.exists());
        drop(used);
        trees.shrink(0);
        assert!(!kept.exists());
    }
}
