//! Who may change the machine: one at a time.
//!
//! The lock is `flock(2)` on a file beside the journal. It dies with the last process that holds it, so it says that
//! somebody is at work, and nothing about the machine: that is what the journal says. The guardian inherits it, so
//! nobody comes between the end of a tuner and the restoration.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fauxplat_model::Tuner;
use fauxplat_sys::process;

use crate::TuneError;
use crate::journal::{beside, failed};

/// The right to change the machine.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock that belongs to a journal; waits for it, or names the holder.
    pub(crate) fn take(journal: &Path, wait: bool, command: &str) -> Result<Self, TuneError> {
        let (path, fail) = (place(journal), failed(journal));
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(&fail)?;
        }
        let mut options = OpenOptions::new();
        let open = options.read(true).write(true).create(true).truncate(false).mode(0o644);
        let mut file = open.open(&path).map_err(&fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if wait => file.lock().map_err(&fail)?,
            Err(TryLockError::WouldBlock) => {
                return Err(TuneError::Busy { lock: path, holder: told(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        let us = Tuner { pid: std::process::id(), uid: process::user_id(), command: command.to_owned() };
        let text = serde_json::to_string(&us).unwrap_or_default();
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(fail)?;
        Ok(Lock { file })
    }

    /// The lock as the guardian takes it over.
    pub(crate) fn inherited(file: File) -> Self {
        Lock { file }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }
}

/// Who holds the lock now, if anybody does.
pub(crate) fn holder(journal: &Path) -> Option<Tuner> {
    let mut file = File::open(place(journal)).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(told(&mut file)),
        _ => None,
    }
}

fn place(journal: &Path) -> PathBuf {
    beside(journal, ".lock")
}

/// What the holder wrote about itself.
fn told(file: &mut File) -> Tuner {
    let mut text = String::new();
    let read = file.read_to_string(&mut text);
    let unknown = || Tuner { pid: 0, uid: 0, command: "unknown".into() };
    read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_is_first() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("deep/journal");
        let lock = Lock::take(&journal, false, "first words").unwrap();
        let error = Lock::take(&journal, false, "second").unwrap_err();
        let pid = std::process::id();
        assert!(matches!(&error, TuneError::Busy { holder, .. } if holder.pid == pid), "{error}");
        assert!(error.to_string().contains("first words"), "{error}");
        assert_eq!(holder(&journal).unwrap().command, "first words");
        drop(lock);
        assert_eq!(holder(&journal), None);
        Lock::take(&journal, true, "third").unwrap();
    }
}
