//! Folders for what is made beside an experiment, also below folders in which anybody may make files.
//!
//! Whoever makes one holds its lock (`flock(2)`), which the kernel lets go however its holder ends, in whatever namespace
//! of processes that was. So the next fauxplat can tell one that is in use from one whose owner was killed, and removes it.
//!
//! Machines that share a file system do not always share its locks (`local_lock` in nfs(5), `localflock` of Lustre), so the
//! name says under which boot of which machine the lock counts. Of other boots only what is old is removed.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::files::{exposed, open_itself};
use crate::{clock, process};

/// What their names begin and end with: no name that somebody would give to a folder of their own.
const NAME: (&str, &str) = ("fauxplat-", ".tmp");
/// Letters and digits that are drawn.
const DRAWN: usize = 6;
/// Digits of the boot that stand in the name.
const BOOT: usize = 8;
/// So old is nothing that somebody still works in, on whatever machine.
const OLD: Duration = Duration::from_secs(30 * 86_400);
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
        let prefix = format!("{}{purpose}-{}-", NAME.0, boot());
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
    let boot = boot();
    for entry in fs::read_dir(place).into_iter().flatten().take(NAMES_MAX).flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let Some(of_boot) = boot_in(&name) else { continue };
        let may_go = is_ours_alone(&path) && (of_boot == boot || is_old(&path));
        if may_go && let Ok(Lock::Held(_lock)) = lock(&path) {
            // Whoever else does the same at the same moment has seen to it.
            let _gone_or_not_to_be_removed = fs::remove_dir_all(&path);
        }
    }
}

/// The boot of the machine on which a workplace was made, if this is the name of one.
fn boot_in(name: &OsStr) -> Option<&str> {
    let middle = name.to_str()?.strip_prefix(NAME.0)?.strip_suffix(NAME.1)?;
    let [purpose, boot, drawn] = middle.split('-').collect::<Vec<_>>().try_into().ok()?;
    let is_word = !purpose.is_empty() && purpose.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_drawn = drawn.len() == DRAWN && drawn.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_boot = boot.len() == BOOT && boot.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_word && is_drawn && is_boot).then_some(boot)
}

/// The first digits of the number that this boot of this machine has and no other one, see random(4); zeros where the
/// machine does not say it.
fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let known = id.get(..BOOT).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    known.map_or_else(|| "0".repeat(BOOT), str::to_owned)
}

fn is_old(path: &Path) -> bool {
    let changed = path.symlink_metadata().and_then(|facts| facts.modified());
    let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(clock::realtime_ns());
    changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > OLD))
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
    use std::os::unix::fs::{chown, symlink};
    use std::path::PathBuf;

    use super::*;

    /// A place of our own, whatever the umask and wherever temporary files are.
    fn place() -> TempDir {
        tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempdir().unwrap()
    }

    /// A name that ends so.
    fn name(drawn: &str) -> String {
        format!("fauxplat-aa-{}-{drawn}.tmp", boot())
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
        let ours = name("abcdef");
        let [bare, nameless, of_nothing] =
            [ours.trim_end_matches(".tmp").to_owned(), ours.replace("-aa", ""), ours.replace("aa", "")];
        let names = ["fauxplat-lab-second.tmp".to_owned(), bare, nameless, of_nothing];
        let mut foreign: Vec<PathBuf> = names.iter().map(|name| folder(place.path(), name, 0o700)).collect();
        foreign.push(folder(place.path(), &name("others"), 0o750));
        let file = place.path().join(name("isfile"));
        fs::write(&file, "x").unwrap();
        let link = place.path().join(name("islink"));
        let target = folder(place.path(), "target", 0o700);
        symlink(&target, &link).unwrap();
        foreign.extend([file, link, target.join("content")]);
        let stranger = folder(place.path(), &name("nobody"), 0o700);
        // An ordinary user can only give it to itself.
        if process::is_root() && chown(&stranger, Some(65_534), None).is_ok() {
            foreign.push(stranger);
        }
        remove_forgotten(place.path());
        for path in foreign {
            assert!(path.symlink_metadata().is_ok(), "{}", path.display());
        }
        remove_forgotten(&place.path().join("missing"));
    }

    /// Whose lock may not be seen from here: on another machine, or before this one was started again.
    #[test]
    fn of_another_boot_what_is_old_goes() {
        let place = place();
        let of_another = |drawn: &str| folder(place.path(), &name(drawn).replace(&boot(), "c0ffee00"), 0o700);
        let [fresh, old] = ["fresh0", "old000"].map(of_another);
        let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(clock::realtime_ns());
        File::open(&old).unwrap().set_modified(now - 2 * OLD).unwrap();
        remove_forgotten(place.path());
        assert!(fresh.exists() && !old.exists());
    }

    /// What a workplace has of links leads out of it.
    #[test]
    fn links_in_one_are_not_followed() {
        let place = place();
        let target = folder(place.path(), "target", 0o700);
        let left = folder(place.path(), &name("killed"), 0o700);
        symlink(&target, left.join("link")).unwrap();
        remove_forgotten(place.path());
        assert!(!left.exists() && target.join("content").exists());
    }

    /// Where everybody may rename what they like, a folder of ours may stand under any name.
    #[test]
    fn nothing_goes_where_others_may_rename_it() {
        let place = place();
        let left = folder(place.path(), &name("killed"), 0o700);
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
