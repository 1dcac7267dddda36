//! The folder of a run: everything that is known of it, so that it can go on after any end.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::FleetError;

/// The folder of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder(PathBuf);

/// Files that are in it.
const TOKEN: &str = "token";
const LOCK: &str = "lock";

/// A run that this process alone collects, as long as this lives.
#[derive(Debug)]
pub struct Held {
    _lock: File,
}

impl RunFolder {
    /// Makes a folder for a new run below one for all of them. Only its owner may look into it: whoever could write there
    /// could answer in the place of nodes.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make(runs: &Path) -> Result<Self, FleetError> {
        RunFolder::make_of(runs, &uuid()?)
    }

    /// The same for a run that has an id already.
    ///
    /// # Errors
    /// It cannot be made, or is there.
    pub fn make_of(runs: &Path, id: &str) -> Result<Self, FleetError> {
        let path = runs.join(id);
        fs::create_dir_all(runs).map_err(FleetError::at(runs))?;
        let make = |path: &Path| {
            let made = fs::DirBuilder::new().mode(0o700).create(path);
            made.map_err(FleetError::at(path))
        };
        make(&path)?;
        ["out", "errors", "programs"].iter().try_for_each(|name| make(&path.join(name)))?;
        let folder = RunFolder(path);
        folder.write(TOKEN, id.as_bytes())?;
        Ok(folder)
    }

    /// The folder of a run that was begun: by its id below the folder for all of them, by the beginning of its id, or by a path.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn find(runs: &Path, name: &str) -> Result<Self, FleetError> {
        let record = |why: &str| FleetError::Record { path: runs.join(name), why: why.to_owned() };
        if name.contains('/') || Path::new(name).join(TOKEN).exists() {
            let path = std::path::absolute(name).map_err(FleetError::at(Path::new(name)))?;
            return match path.join(TOKEN).exists() {
                true => Ok(RunFolder(path)),
                false => Err(FleetError::Record { path, why: "this is no folder of a fleet run".to_owned() }),
            };
        }
        let mut ids = RunFolder::all(runs)?;
        ids.retain(|folder| folder.id().starts_with(name));
        match ids.as_slice() {
            [] => Err(record("there is no such fleet run (fauxplat fleet list shows those there are)")),
            [_] => Ok(ids.remove(0)),
            _ => Err(record("more than one fleet run begins like this")),
        }
    }

    /// All runs below a folder, the oldest first.
    ///
    /// # Errors
    /// The folder cannot be read; one that is not there has no runs.
    pub fn all(runs: &Path) -> Result<Vec<Self>, FleetError> {
        let entries = match fs::read_dir(runs) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(FleetError::at(runs)(error)),
        };
        let made = |path: &Path| fs::metadata(path.join(TOKEN)).and_then(|facts| facts.modified()).ok();
        let mut found: Vec<_> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter_map(|path| Some((made(&path)?, RunFolder(path))))
            .collect();
        found.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| a.0.cmp(&b.0)));
        Ok(found.into_iter().map(|(_, folder)| folder).collect())
    }

    /// What the run is called.
    pub fn id(&self) -> String {
        self.0.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What a shared folder holds, so that a node can tell whether it sees this one.
    pub(crate) fn token(&self) -> Result<String, FleetError> {
        self.read(TOKEN)
    }

    /// Where the answer of a task goes.
    pub(crate) fn out(&self, task: u32) -> PathBuf {
        self.0.join("out").join(task.to_string())
    }

    /// Where a task complains.
    pub(crate) fn errors(&self, task: u32) -> PathBuf {
        self.0.join("errors").join(task.to_string())
    }

    /// A file of it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file that is there as a whole or not at all, whatever happens.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FleetError> {
        let (path, part) = (self.file(name), self.file(&format!("{name}.part")));
        let write = || {
            let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&part, &path)?;
            // The name is in the folder, and that has to reach the disk as well.
            File::open(&self.0)?.sync_all()
        };
        write().map_err(FleetError::at(&path))
    }

    /// Reads a file of it.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read(&self, name: &str) -> Result<String, FleetError> {
        let path = self.file(name);
        fs::read_to_string(&path).map_err(FleetError::at(&path))
    }

    /// Takes the run for this process alone.
    ///
    /// # Errors
    /// Another process has it.
    pub fn hold(&self) -> Result<Held, FleetError> {
        let path = self.file(LOCK);
        let file = File::options().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = file.map_err(FleetError::at(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Held { _lock: file }),
            Err(TryLockError::WouldBlock) => Err(FleetError::Busy(self.0.clone())),
            Err(TryLockError::Error(error)) => Err(FleetError::at(&path)(error)),
        }
    }
}

/// A random UUID (version 4, RFC 9562).
///
/// # Errors
/// The kernel gives no randomness.
pub fn uuid() -> Result<String, FleetError> {
    let hex = random_hex(16)?;
    // The version, and the variant in two bits.
    let variant = char::from_digit(u32::from_str_radix(&hex[16..17], 16).unwrap_or_default() & 3 | 8, 16)
        .unwrap_or('8');
    Ok(format!("{}-{}-4{}-{variant}{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..]))
}

/// So many random bytes in hexadecimal, see `random(4)`.
pub(crate) fn random_hex(bytes: usize) -> Result<String, FleetError> {
    let path = Path::new("/dev/urandom");
    let mut buffer = vec![0_u8; bytes];
    File::open(path).and_then(|mut file| file.read_exact(&mut buffer)).map_err(FleetError::at(path))?;
    Ok(buffer.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_run_is_found_by_its_id_the_beginning_of_it_and_its_path() {
        let runs = tempfile::tempdir().unwrap();
        let made = RunFolder::make(runs.path()).unwrap();
        assert_eq!(made.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        for name in [&made.id()[..], &made.id()[..5], made.path().to_str().unwrap()] {
            assert_eq!(RunFolder::find(runs.path(), name).unwrap(), made, "{name}");
        }
        let other = RunFolder::make(runs.path()).unwrap();
        assert_eq!(RunFolder::all(runs.path()).unwrap(), [made, other]);
        let said = |name| RunFolder::find(runs.path(), name).unwrap_err().to_string();
        assert!(said("").contains("more than one"));
        assert!(said("x").contains("no such"));
        assert!(said("/").contains("no folder of a fleet run"));
        assert_eq!(RunFolder::all(Path::new("/no/such")).unwrap(), []);
    }

    #[test]
    fn one_process_collects_a_run() {
        let runs = tempfile::tempdir().unwrap();
        let folder = RunFolder::make(runs.path()).unwrap();
        let held = folder.hold().unwrap();
        assert!(folder.hold().unwrap_err().to_string().contains("another fauxplat"));
        drop(held);
        folder.hold().unwrap();
    }
}
