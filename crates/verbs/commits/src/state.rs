//! Progress of a search for a commit, stored after each step so that a later call can continue an interrupted search.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use fauxplat_sys::files::replace;
use fauxplat_sys::text::read_regular_text;
use serde::{Deserialize, Serialize};

use crate::error::{BisectError, at};
use crate::findings::{Compared, Step};

/// Version of the format of the stored file; a file with another version is ignored.
const VERSION: u32 = 1;

/// Largest size of the stored file in bytes.
const NOTE_BYTES_MAX: usize = 64 << 20;

/// Results of a search so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// Reading of the bad end divided by that of the good end; `None` until the ends were compared and shown to differ.
    pub ends: Option<Compared>,
    /// Whether readings rise from the good end to the bad end.
    pub up: bool,
    /// Difference from an end by which a commit counts as unlike that end, as a logarithm.
    pub near: f64,
    pub steps: Vec<Step>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    version: u32,
    key: String,
    known: Known,
}

/// The stored file of a search, with a lock that keeps other processes from making the same search.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    key: String,
    _lock: File,
}

impl State {
    /// Locks the file of a search in a folder. `key` identifies the search.
    ///
    /// # Errors
    /// Returns [`BisectError::Twice`] if another process makes the same search, and fails if the lock file cannot be
    /// opened.
    pub fn open(folder: &Path, key: &str) -> Result<Self, BisectError> {
        let name = &key[..key.len().min(16)];
        let lock_path = folder.join(format!("{name}.lock"));
        let lock = File::options().create(true).append(true).open(&lock_path).map_err(at(&lock_path))?;
        if lock.try_lock().is_err() {
            return Err(BisectError::Twice);
        }
        Ok(State { path: folder.join(format!("{name}.json")), key: key.to_owned(), _lock: lock })
    }

    /// Results of earlier calls; empty if there were none, or the file is unreadable.
    pub fn known(&self) -> Known {
        let text = read_regular_text(&self.path, NOTE_BYTES_MAX).ok();
        let note: Option<Note> = text.and_then(|text| serde_json::from_str(&text).ok());
        note.filter(|note| note.version == VERSION && note.key == self.key)
            .map(|note| note.known)
            .unwrap_or_default()
    }

    /// Stores the results, replacing the file atomically.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn note(&self, known: &Known) -> Result<(), BisectError> {
        let note = Note { version: VERSION, key: self.key.clone(), known: known.clone() };
        let text = serde_json::to_vec(&note).map_err(|error| at(&self.path)(error.into()))?;
        replace(&self.path, &text).map_err(at(&self.path))
    }

    /// Removes the stored file of the search, since the search is over or begins anew.
    pub fn forget(&self) {
        let _absent = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_goes_on_and_another_one_does_not_take_its_steps() {
        let folder = tempfile::tempdir().unwrap();
        let key = "0123456789abcdef-one";
        let known = Known { up: true, near: 0.1 + 0.2, ..Known::default() };
        let state = State::open(folder.path(), key).unwrap();
        state.note(&known).unwrap();
        assert!(matches!(State::open(folder.path(), key), Err(BisectError::Twice)));
        drop(state);
        assert_eq!(State::open(folder.path(), key).unwrap().known(), known);
        let other = State::open(folder.path(), "0123456789abcdef-two").unwrap();
        assert_eq!(other.known(), Known::default());
        drop(other);
        fs::write(folder.path().join("0123456789abcdef.json"), "{").unwrap();
        let state = State::open(folder.path(), key).unwrap();
        assert_eq!(state.known(), Known::default());
        state.note(&known).unwrap();
        state.forget();
        assert_eq!(state.known(), Known::default());
    }
}
