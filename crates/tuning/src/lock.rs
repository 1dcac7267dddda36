//! The lock for tuning: one process at a time may change the machine.
//!
//! The lock is `flock(2)` on a file that only its owner may open, since any user who may read a file may lock it. The
//! lock ends with the last process that holds it, so it shows that a process is at work, but nothing about the state of
//! the machine, which the journal records. The guardian inherits the lock, so that no other process can tune between
//! the end of the tuning process and the restoration.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fauxplat_model::Tuner;
use fauxplat_sys::{files, process, signal};

use crate::error::failed;
use crate::place::is_still;
use crate::{Root, TuneError, place};

/// The held lock, which is the right to change the machine.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock for the journal at this path. If another process has the lock, waits for it, or without `wait`
    /// fails and names that process.
    pub(crate) fn take(root: &Root, journal: &Path, wait: bool, command: &str) -> Result<Self, TuneError> {
        let path = place::lock(root, journal);
        place::prepare(&path)?;
        loop {
            let mut file = open(&path).map_err(failed(&path))?;
            if !hold(&file, wait).map_err(failed(&path))? {
                return Err(not_held(&mut file, path));
            }
            if is_still(&path, &file) {
                name(&mut file, command);
                return Ok(Lock { file });
            }
        }
    }

    /// Takes the lock to restore the machine. `None` if no lock file can be created (on a full or read-only file
    /// system), where no other process can tune either.
    pub(crate) fn take_to_restore(
        root: &Root,
        journal: &Path,
        wait: bool,
        command: &str,
    ) -> Result<Option<Self>, TuneError> {
        match Lock::take(root, journal, wait, command) {
            Err(TuneError::Journal { .. }) => {}
            taken => return taken.map(Some),
        }
        // A lock file that cannot be opened for writing can still be locked, so that two restorations do not run at
        // once.
        let path = place::lock(root, journal);
        let Ok(mut file) = files::open_itself(File::options().read(true), &path) else { return Ok(None) };
        match hold(&file, wait) {
            Ok(false) => Err(not_held(&mut file, path)),
            Ok(true) | Err(_) => Ok(Some(Lock { file })),
        }
    }

    /// Returns the lock of the descriptor that the guardian inherits.
    pub(crate) fn inherited(file: File) -> Self {
        Lock { file }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }
}

/// Opens the lock file, which only its owner may open. A file that other users may open is replaced, since they may
/// hold its lock: an earlier version created such files.
fn open(path: &Path) -> io::Result<File> {
    loop {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = files::open_itself(&mut options, path)?;
        let facts = file.metadata()?;
        if facts.is_file() && facts.uid() == process::user_id() && facts.mode() & 0o077 == 0 {
            return Ok(file);
        }
        fs::remove_file(path)?;
    }
}

const PAUSE: Duration = Duration::from_millis(10);

/// Number of attempts without `wait`, since a process that asks for the holder ([`holder`]) has the lock for a moment.
const TRIES: u32 = 5;

/// Takes the lock; with `wait`, waits until it is free or the user interrupts. Returns whether this process has the
/// lock.
fn hold(file: &File, wait: bool) -> io::Result<bool> {
    for attempt in 1.. {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if signal::stop_requested() || (!wait && attempt >= TRIES) => break,
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
    Ok(false)
}

/// Returns the error for a lock that another process holds. Nothing was changed, since only the holder of the lock
/// changes anything.
fn not_held(file: &mut File, lock: PathBuf) -> TuneError {
    match signal::stop_requested() {
        true => TuneError::StillWaiting { lock },
        false => TuneError::Busy { holder: told(file), lock },
    }
}

/// Writes the identity of this process into the lock file. Errors are ignored, since a full disk need not prevent
/// locking.
fn name(file: &mut File, command: &str) {
    let us = Tuner { pid: std::process::id(), uid: process::user_id(), command: command.to_owned() };
    let text = serde_json::to_string(&us).unwrap_or_default();
    let _unnamed = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
}

/// Returns the process that holds the lock for this journal; `None` if the lock is free.
pub(crate) fn holder(root: &Root, journal: &Path) -> Option<Tuner> {
    let path = place::lock(root, journal);
    let mut file = files::open_itself(File::options().read(true), &path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(told(&mut file)),
        _ => None,
    }
}

/// Returns the identity that the holder wrote into the lock file.
fn told(file: &mut File) -> Tuner {
    let mut text = String::new();
    let read = file.take(TOLD_BYTES_MAX).read_to_string(&mut text);
    let unknown = || Tuner { pid: 0, uid: 0, command: "unknown".into() };
    read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_else(unknown)
}

/// Maximum size in bytes of the holder's identity that is read; no command line is longer.
const TOLD_BYTES_MAX: u64 = 4 << 20;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Creates a folder that only its owner may write to, whatever the umask.
    fn private_folder() -> tempfile::TempDir {
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o700)).tempdir().unwrap()
    }

    #[test]
    fn the_second_is_told_who_is_first() {
        let folder = private_folder();
        let (root, journal) = (Root::new(folder.path()), folder.path().join("deep/journal"));
        let lock = Lock::take(&root, &journal, false, "first words").unwrap();
        let error = Lock::take(&root, &journal, false, "second").unwrap_err();
        let pid = std::process::id();
        assert!(matches!(&error, TuneError::Busy { holder, .. } if holder.pid == pid), "{error}");
        assert!(error.to_string().contains("first words"), "{error}");
        assert_eq!(holder(&root, &journal).unwrap().command, "first words");
        drop(lock);
        // A child process of another test may hold the file for a moment, until it executes another program.
        let is_free = |_| holder(&root, &journal).is_none() || (std::thread::sleep(PAUSE), false).1;
        assert!((0..6_000).any(is_free));
        Lock::take(&root, &journal, true, "third").unwrap();
    }

    #[test]
    fn a_lock_that_others_may_open_is_nobodys() {
        use std::os::unix::fs::symlink;
        let folder = private_folder();
        let (root, journal) = (Root::new(folder.path()), folder.path().join("journal"));
        let path = place::lock(&root, &journal);
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let stranger = File::open(&path).unwrap();
        stranger.lock_shared().unwrap();
        let lock = Lock::take(&root, &journal, false, "ours").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        drop(lock);
        // The target of a link is not touched.
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "precious").unwrap();
        fs::remove_file(&path).unwrap();
        symlink(&elsewhere, &path).unwrap();
        let error = Lock::take(&root, &journal, false, "ours").unwrap_err();
        assert!(matches!(error, TuneError::Journal { .. }), "{error}");
        assert_eq!(fs::read_to_string(elsewhere).unwrap(), "precious");
    }
}
