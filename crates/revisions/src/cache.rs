//! Cache of built work trees.
//!
//! Each tree stays at the path where it was built, since builds write that path into their output; all paths have the
//! same length, since a path is part of a program's stack. Each tree has a lock file: a process that builds the tree
//! holds the lock exclusively, a process that measures holds it shared. A tree that has neither a note about its build
//! nor a locked lock was left by a killed fauxplat and is removed.

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

/// Largest total size of built trees, in bytes; the least recently used trees are removed first.
const BYTES_MAX: u64 = 4 << 30;
/// Maximum size, in bytes, of a note, which lists the files of a tree.
const NOTE_BYTES_MAX: usize = 256 << 20;
/// Length, in characters, of the name of a tree's folder, which is the beginning of the tree's key.
const NAME_CHARACTERS: usize = 16;

/// The cache: built trees, notes about their builds, locks, and the states of searches, each in a folder of its own.
#[derive(Clone, Debug)]
pub(crate) struct Trees {
    folder: PathBuf,
}

/// The note about a tree whose build succeeded.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    /// The whole key; the name of the tree's folder is its beginning.
    key: String,
    files: Snapshot,
    /// Duration of the build in nanoseconds.
    took_ns: u64,
}

/// A tree with a lock that this process holds.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) folder: PathBuf,
    /// Duration of the tree's build in nanoseconds; `None` if the tree has to be built.
    pub(crate) took_ns: Option<u64>,
    key: String,
    note: PathBuf,
    lock: File,
}

impl Trees {
    /// Opens the cache, removes trees that killed processes left, and limits the total size.
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

    /// Folder in which searches for a commit (`bisect`) store their progress.
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

    /// Locks the tree of a key, and returns either a built tree with a shared lock, or an empty folder with an
    /// exclusive lock, in which the caller builds. Waits while another process builds the tree.
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
            // The kernel may release the exclusive lock before it grants the shared one (`flock(2)`), and another
            // process may remove the tree between the two.
            held.took_ns = held.find(false);
        }
        if held.took_ns.is_none() {
            locked(held.lock.lock())?;
            // Another process may have built the tree while this process waited.
            held.took_ns = held.find(true);
        }
        if held.took_ns.is_none() {
            held.empty()?;
        }
        Ok(held)
    }

    /// Removes trees that have no note and that no process is building.
    fn remove_unfinished(&self) {
        for folder in list(&self.folder.join("trees")) {
            let Some(name) = folder.file_name().and_then(|name| name.to_str()) else { continue };
            if !self.place("notes", name).exists() {
                self.remove(name);
            }
        }
    }

    /// Removes the least recently used trees until the others take at most `bytes_max`.
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

    /// Removes a tree unless a process holds its lock; returns whether the tree is gone.
    fn remove(&self, name: &str) -> bool {
        let Some(lock) = self.lock_file(name).ok().filter(|lock| lock.try_lock().is_ok()) else {
            return false;
        };
        // The note is removed first, since a tree without a note is never used.
        let _absent = fs::remove_file(self.place("notes", name));
        let is_gone = fs::remove_dir_all(self.place("trees", name)).is_ok();
        drop(lock);
        is_gone
    }
}

/// Reads the note about a tree; `None` if the note is missing or unreadable.
fn noted(note: &Path) -> Option<Note> {
    serde_json::from_str(&read_regular_text(note, NOTE_BYTES_MAX).ok()?).ok()
}

impl Held {
    /// Duration of the build in nanoseconds; `None` if there is no build, or a file that it left has changed. With
    /// `is_alone`, when this process has locked the tree exclusively, files that were added after the build are
    /// removed.
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
        // The time of last use is lost in a cache without write permission, which can still be read.
        let _unheard = marked;
        Some(note.took_ns)
    }

    /// Replaces the tree by an empty folder.
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

    /// Writes the note that the tree is built, and turns the exclusive lock into a shared lock.
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
