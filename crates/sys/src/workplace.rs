//! Folders for what is made beside an experiment, also below folders in which anybody may make files.
//!
//! Whoever makes one holds its lock (`flock(2)`), which the kernel lets go however its holder ends, in whatever namespace
//! of processes that was. So the next fauxplat can tell one that is in use from one whose owner was killed, and removes it.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::files::{exposed, open_itself};
use crate::process;

/// What their names begin and end with: no name that somebody would give to a folder of their own.
const NAME: (&str, &str) = ("fauxplat-", ".tmp");
/// Letters and digits that are drawn.
const DRAWN: usize = 8;
/// A name may be drawn while somebody takes it for forgotten, which ends at once.
const ATTEMPTS: usize = 16;
/// So many names of a folder are looked at: whoever fills it must not hold up every experiment.
const NAMES_MAX: usize = 100_000;

/// A folder that did not exist, under a name that is drawn, which nobody else may enter whatever the umask: programs that are
/// executed lie in one, and others could put theirs in their place. It is gone when this is dropped.
#[derive(Debug)]
pub struct Workplace {
    folder: TempDir,
    /// None where the file system knows no locks of folders, as NFS: then nobody can take one for forgotten either.
    _lock: Option<File>,
}

impl Workplace {
    /// Makes one for a purpose, a word, below a place.
    ///
    /// # Errors
    /// Those of `mkdir(2)` and `open(2)`.
    pub fn make(purpose: &str, place: &Path) -> io::Result<Self> {
        let prefix = format!("{}{purpose}-", NAME.0);
        for _ in 0..ATTEMPTS {
            let folder = tempfile::Builder::new()
                .prefix(&prefix)
                .suffix(NAME.1)
                .rand_bytes(DRAWN)
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(place)?;
            match lock(folder.path()) {
                Ok(Lock::Held(lock)) if is_at(&lock, folder.path()) => {
                    return Ok(Workplace { folder, _lock: Some(lock) });
                }
                Ok(Lock::Unknown) => return Ok(Workplace { folder, _lock: None }),
                // Before it was locked, somebody has taken it for forgotten.
                Ok(Lock::Held(_) | Lock::Others) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(format!("somebody removes every new folder from {}", place.display())))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves the folder where it is, under whatever name it has by now.
    pub fn keep(self) {
        drop(self.folder.keep());
    }
}

/// Removes the workplaces of this user below a place whose owners have ended without removing them. What cannot be asked or
/// removed stays, and so does everything where others could put another folder under the name of one.
pub fn remove_forgotten(place: &Path) {
    for folder in workplaces(place) {
        if let Ok(Lock::Held(_lock)) = lock(&folder) {
            // Whoever else does the same at the same moment has seen to it.
            let _gone_or_not_to_be_removed = fs::remove_dir_all(&folder);
        }
    }
}

/// Those of this user, whoever holds them.
fn workplaces(place: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().take(NAMES_MAX).flatten();
    let named = entries.filter(|entry| is_name(&entry.file_name())).map(|entry| entry.path());
    named.filter(|path| is_ours_alone(path))
}

fn is_name(name: &OsStr) -> bool {
    let middle = || name.to_str()?.strip_prefix(NAME.0)?.strip_suffix(NAME.1)?.rsplit_once('-');
    middle().is_some_and(|(purpose, drawn)| {
        let is_word = !purpose.is_empty() && purpose.bytes().all(|byte| byte.is_ascii_lowercase());
        is_word && drawn.len() == DRAWN && drawn.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn is_ours_alone(path: &Path) -> bool {
    let Ok(facts) = path.symlink_metadata() else { return false };
    let is_ours = facts.is_dir() && facts.uid() == process::user_id() && facts.mode() & 0o077 == 0;
    is_ours && exposed(&path.join("any")).is_ok_and(|place| place.is_none())
}

/// What came of asking for the lock of a folder.
enum Lock {
    Held(File),
    Others,
    /// There is no telling.
    Unknown,
}

fn lock(folder: &Path) -> io::Result<Lock> {
    let folder = open_itself(File::options().read(true), folder)?;
    Ok(match folder.try_lock() {
        Ok(()) => Lock::Held(folder),
        Err(TryLockError::WouldBlock) => Lock::Others,
        Err(TryLockError::Error(_)) => Lock::Unknown,
    })
}

fn is_at(opened: &File, path: &Path) -> bool {
    let same = || {
        let (opened, named) = (opened.metadata().ok()?, path.symlink_metadata().ok()?);
        Some((opened.dev(), opened.ino()) == (named.dev(), named.ino()))
    };
    same() == Some(true)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A place of our own, whatever the umask and wherever temporary files are.
    fn place() -> TempDir {
        tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempdir().unwrap()
    }

    fn folder(place: &Path, name: &str, mode: u32) -> PathBuf {
        let path = place.join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("content"), "x").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn what_somebody_holds_stays_and_what_nobody_holds_goes() {
        let place = place();
        let held = Workplace::make("aa", place.path()).unwrap();
        fs::write(held.path().join("content"), "x").unwrap();
        let killed = Workplace::make("aa", place.path()).unwrap();
        let left = killed.path().to_owned();
        killed.keep();
        remove_forgotten(place.path());
        assert!(held.path().join("content").exists() && !left.exists());
        let path = held.path().to_owned();
        drop(held);
        assert!(!path.exists());
    }

    /// Names, owners and kinds that ours do not have.
    #[test]
    fn what_is_not_ours_stays() {
        let place = place();
        let names = [
            "fauxplat-lab-second.tmp",
            "fauxplat-lab-abcdefgh",
            "fauxplat-abcdefgh.tmp",
            "fauxplat--abcdefgh.tmp",
        ];
        let mut foreign: Vec<PathBuf> = names.iter().map(|name| folder(place.path(), name, 0o700)).collect();
        foreign.push(folder(place.path(), "fauxplat-aa-others00.tmp", 0o750));
        let file = place.path().join("fauxplat-aa-justfile.tmp");
        fs::write(&file, "x").unwrap();
        let link = place.path().join("fauxplat-aa-linkonly.tmp");
        let target = folder(place.path(), "target", 0o700);
        symlink(&target, &link).unwrap();
        foreign.extend([file, link, target.join("content")]);
        if process::is_root() {
            let stranger = folder(place.path(), "fauxplat-aa-stranger.tmp", 0o700);
            std::os::unix::fs::chown(&stranger, Some(65_534), None).unwrap();
            foreign.push(stranger);
        }
        remove_forgotten(place.path());
        for path in foreign {
            assert!(path.symlink_metadata().is_ok(), "{}", path.display());
        }
        remove_forgotten(&place.path().join("missing"));
    }

    /// What a workplace has of links leads out of it.
    #[test]
    fn links_in_one_are_not_followed() {
        let place = place();
        let target = folder(place.path(), "target", 0o700);
        let left = folder(place.path(), "fauxplat-aa-leftover.tmp", 0o700);
        symlink(&target, left.join("link")).unwrap();
        remove_forgotten(place.path());
        assert!(!left.exists() && target.join("content").exists());
    }

    /// Where everybody may rename what they like, a folder of ours may stand under any name.
    #[test]
    fn nothing_goes_where_others_may_rename_it() {
        let place = place();
        let left = folder(place.path(), "fauxplat-aa-leftover.tmp", 0o700);
        fs::set_permissions(place.path(), Permissions::from_mode(0o777)).unwrap();
        remove_forgotten(place.path());
        assert!(left.exists());
        fs::set_permissions(place.path(), Permissions::from_mode(0o1777)).unwrap();
        remove_forgotten(place.path());
        assert!(!left.exists(), "only its owner may rename it there");
    }

    /// Between its birth and its lock one looks forgotten.
    #[test]
    fn who_makes_one_while_others_remove_has_it() {
        let place = place();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..500).for_each(|_| remove_forgotten(place.path())));
                scope.spawn(|| {
                    for _ in 0..250 {
                        let held = Workplace::make("aa", place.path()).unwrap();
                        fs::write(held.path().join("content"), "x").unwrap();
                    }
                });
            }
        });
        remove_forgotten(place.path());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
