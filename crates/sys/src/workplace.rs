//! Temporary directories for an experiment, which are safe also below directories where any user may create files.
//!
//! A lock file in each directory identifies its owner. The creator holds the lock of that file (`flock(2)`), which the
//! kernel releases however the process ends, in any PID namespace. A later fauxplat can therefore distinguish a
//! directory in use from a directory whose owner was killed, and removes the latter.
//!
//! No other user can create a lock file where only the owner may enter, so the content of a directory with a lock file
//! can be trusted, even if other users can rename the directory. Machines that share a file system do not always share
//! its locks (`local_lock` in `nfs(5)`, `localflock` of Lustre): the lock file names the machine on which the lock
//! counts, and directories of other machines are removed only when they are old.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fauxplat_procfs::mounts::{mountinfo, unescaped};
use tempfile::TempDir;

use crate::files::open_itself;
use crate::{clock, process};

/// Prefix and suffix of the directories' names.
const NAME: (&str, &str) = ("fauxplat-", ".tmp");
/// Name of the lock file, which marks a directory as one of fauxplat.
const MARK: &str = ".fauxplat-workplace";
/// Maximum number of names that are tried: another process may mistake a new directory without a lock file for an
/// abandoned directory, and remove it.
const ATTEMPTS: usize = 16;
/// Maximum number of directory entries that are checked: a user who fills the directory must not delay every
/// experiment.
const NAMES_MAX: usize = 100_000;
/// Age from which on a directory counts as unused, on whatever machine it was created.
const OLD: Duration = Duration::from_secs(30 * 86_400);

/// A new temporary directory with a random name, which only its owner may enter, whatever the umask: it contains
/// programs that are executed, and other users must not be able to replace them. Dropping the value removes the
/// directory.
#[derive(Debug)]
pub struct Workplace {
    folder: TempDir,
    mark: File,
}

impl Workplace {
    /// Creates a temporary directory below `place`; `purpose` is a word in its name.
    ///
    /// # Errors
    /// Returns the errors of `mkdir(2)` and `open(2)`.
    pub fn make(purpose: &str, place: &Path) -> io::Result<Self> {
        let prefix = format!("{}{purpose}-", NAME.0);
        for _ in 0..ATTEMPTS {
            let folder = tempfile::Builder::new()
                .prefix(&prefix)
                .suffix(NAME.1)
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(place)?;
            match marked(folder.path()) {
                Ok(mark) => return Ok(Workplace { folder, mark }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(format!("somebody removes every new folder from {}", place.display())))
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Renames the directory, which is then kept.
    ///
    /// # Errors
    /// Returns the errors of `rename(2)`; the directory is removed then.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        fs::rename(self.path(), path)?;
        let _a_mark_does_no_harm = fs::remove_file(path.join(MARK));
        self.abandon();
        Ok(())
    }

    /// Leaves the directory as a killed process would.
    pub fn abandon(self) {
        // The lock is released explicitly, since a child that is just being created has the descriptor, too.
        let _unlocked = self.mark.unlock();
        drop(self.folder.keep());
    }
}

/// Creates the lock file of a directory. If locking is not supported, the file stays empty, and is not relied upon.
fn marked(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    let mut mark = options.read(true).write(true).create_new(true).mode(0o600).open(folder.join(MARK))?;
    if mark.try_lock().is_ok() {
        mark.write_all(Machine::here().to_text().as_bytes())?;
    }
    Ok(mark)
}

/// Removes the temporary directories of this user below `place` whose owners have ended without removing them. A
/// directory that cannot be checked or removed is kept.
pub fn remove_forgotten(place: &Path) {
    let entries = fs::read_dir(place).into_iter().flatten().take(NAMES_MAX).flatten();
    for path in entries.filter(|entry| is_name(&entry.file_name())).map(|entry| entry.path()) {
        let _stays = remove_if_forgotten(&path);
    }
}

fn is_name(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(NAME.0) && name.ends_with(NAME.1))
}

/// Removes a directory if it is abandoned. All operations are on the opened directory, even if its name refers to
/// another directory meanwhile.
fn remove_if_forgotten(path: &Path) -> io::Result<()> {
    let folder = open_itself(File::options().read(true), path)?;
    let facts = folder.metadata()?;
    if !facts.is_dir() || facts.uid() != process::user_id() || facts.mode() & 0o077 != 0 {
        return Ok(());
    }
    let inside = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    let mut mark = match open_itself(File::options().read(true).write(true), &inside.join(MARK)) {
        // Without a lock file, either the owner was killed early, and then the directory is empty; or the file is about
        // to be created.
        Err(error) if error.kind() == ErrorKind::NotFound => return fs::remove_dir(path),
        mark => mark?,
    };
    let mut text = String::new();
    (&mut mark).take(1024).read_to_string(&mut text)?;
    let is_old = facts.modified().is_ok_and(|modified| age(modified).is_some_and(|age| age > OLD));
    let may_go = is_old || Machine::here().is_that_of(&text);
    if !may_go || mark.try_lock().is_err() || is_mounted_upon(&fs::read_link(&inside)?) {
        return Ok(());
    }
    for entry in fs::read_dir(&inside)? {
        let entry = entry?;
        // The lock file is removed last, so that remaining files can be removed later.
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false if entry.file_name() != MARK => fs::remove_file(entry.path())?,
            false => {}
        }
    }
    fs::remove_file(inside.join(MARK))?;
    fs::remove_dir(path)
}

/// Returns whether something is mounted in the directory, which must not be removed; true if that is unknown.
fn is_mounted_upon(folder: &Path) -> bool {
    let Ok(text) = fs::read_to_string("/proc/self/mountinfo") else { return true };
    mountinfo(&text).any(|mount| Path::new(&*unescaped(mount.point)).starts_with(folder))
}

fn age(of: SystemTime) -> Option<Duration> {
    let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(clock::realtime_ns());
    now.duration_since(of).ok()
}

struct Machine {
    /// Identifier of this boot, see `random(4)`.
    boot: String,
    name: String,
}

impl Machine {
    fn here() -> Self {
        let read = |name: &str| {
            let text = fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
            text.trim().to_owned()
        };
        Machine { boot: read("random/boot_id"), name: read("hostname") }
    }

    fn to_text(&self) -> String {
        format!("{}\n{}\n", self.boot, self.name)
    }

    /// Returns whether the text was written by this machine, in this boot or an earlier one. A boot identifier or host
    /// name that could not be read never matches.
    fn is_that_of(&self, text: &str) -> bool {
        let mut lines = text.lines();
        let is = |own: &str, line: Option<&str>| !own.is_empty() && line == Some(own);
        is(&self.boot, lines.next()) || is(&self.name, lines.next())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};

    use super::*;

    /// Creates a directory that depends neither on the umask nor on the place of temporary files.
    fn place() -> TempDir {
        tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempdir().unwrap()
    }

    fn name(drawn: &str) -> String {
        format!("{}aa-{drawn}{}", NAME.0, NAME.1)
    }

    /// Creates a directory as left by a killed process, under this name.
    fn left(place: &Path, name: &str) -> PathBuf {
        let killed = Workplace::make("aa", place).unwrap();
        fs::write(killed.path().join("content"), "x").unwrap();
        fs::create_dir_all(killed.path().join("folder/below")).unwrap();
        let (from, to) = (killed.path().to_owned(), place.join(name));
        killed.abandon();
        fs::rename(from, &to).unwrap();
        to
    }

    #[test]
    fn what_somebody_holds_stays_and_what_nobody_holds_goes() {
        let place = place();
        let held = Workplace::make("aa", place.path()).unwrap();
        fs::write(held.path().join("content"), "x").unwrap();
        let left = left(place.path(), &name("killed"));
        remove_forgotten(place.path());
        assert!(held.path().join("content").exists() && !left.exists());
        let path = held.path().to_owned();
        drop(held);
        assert!(!path.exists());
        remove_forgotten(&place.path().join("missing"));
    }

    #[test]
    fn what_is_to_stay_has_no_mark() {
        let place = place();
        let kept = Workplace::make("aa", place.path()).unwrap();
        fs::write(kept.path().join("content"), "x").unwrap();
        kept.persist(&place.path().join(name("chosen"))).unwrap();
        remove_forgotten(place.path());
        let names: Vec<_> = fs::read_dir(place.path().join(name("chosen"))).unwrap().flatten().collect();
        assert_eq!((names.len(), names[0].file_name().to_str()), (1, Some("content")));
    }

    /// Paths with names as fauxplat gives them, none of which is a temporary directory of this user: a directory
    /// without a lock file, a directory that the group may enter, a file, a link to a directory, and a directory of
    /// another user.
    #[test]
    fn what_is_not_ours_stays() {
        let place = place();
        let unmarked = left(place.path(), &name("unmarked"));
        fs::remove_file(unmarked.join(MARK)).unwrap();
        let open = left(place.path(), &name("open"));
        fs::set_permissions(&open, Permissions::from_mode(0o750)).unwrap();
        let (file, link) = (place.path().join(name("file")), place.path().join(name("link")));
        fs::write(&file, "x").unwrap();
        symlink(left(place.path(), "elsewhere"), &link).unwrap();
        let mut foreign = vec![unmarked.join("content"), open.join("content"), file, link.join("content")];
        let strangers = left(place.path(), &name("nobody"));
        // An ordinary user cannot give the directory to another user.
        if process::is_root() && chown(&strangers, Some(65_534), None).is_ok() {
            foreign.push(strangers.join("content"));
        }
        remove_forgotten(place.path());
        for path in foreign {
            assert!(path.exists(), "{}", path.display());
        }
    }

    #[test]
    fn links_in_one_are_not_followed() {
        let place = place();
        let (target, left) = (left(place.path(), "target"), left(place.path(), &name("killed")));
        for link in [left.join("link"), left.join("folder/link")] {
            symlink(&target, link).unwrap();
        }
        remove_forgotten(place.path());
        assert!(!left.exists() && target.join("content").exists());
    }

    /// Directories of other machines, whose lock may not be visible here, and directories that had no lock.
    #[test]
    fn of_other_machines_what_is_old_goes() {
        let place = place();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_nanos(clock::realtime_ns()) - 2 * OLD;
        for text in ["", "another boot\nanother name\n", "\n\n"] {
            let fresh = left(place.path(), &name("fresh"));
            let old = left(place.path(), &name("old"));
            [&fresh, &old].iter().for_each(|folder| fs::write(folder.join(MARK), text).unwrap());
            File::open(&old).unwrap().set_modified(long_ago).unwrap();
            remove_forgotten(place.path());
            assert!(fresh.join("content").exists() && !old.exists(), "{text:?}");
            fs::remove_dir_all(fresh).unwrap();
        }
    }

    #[test]
    fn of_an_earlier_boot_of_this_machine_it_goes() {
        let place = place();
        let name_of_this = Machine::here().name;
        let folder = left(place.path(), &name("killed"));
        fs::write(folder.join(MARK), format!("another boot\n{name_of_this}\n")).unwrap();
        remove_forgotten(place.path());
        assert_eq!(folder.exists(), name_of_this.is_empty());
    }

    #[test]
    fn what_is_mounted_somewhere_in_it_is_seen() {
        let text = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let mount = mountinfo(&text).find(|mount| mount.point.matches('/').count() > 1).unwrap();
        let point = unescaped(mount.point).into_owned();
        assert!(is_mounted_upon(Path::new(&point)) && is_mounted_upon(Path::new(&point).parent().unwrap()));
        assert!(!is_mounted_upon(place().path()));
    }

    /// Between its creation and its lock file a directory looks abandoned.
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
