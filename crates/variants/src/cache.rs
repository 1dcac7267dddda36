//! Cache of built programs: one folder per variant, named by a hash of everything that it was made from.

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fauxplat_launch::words::sha256;
use fauxplat_model::sha256_of_parts;
use fauxplat_sys::{
    files::{self, Exposed},
    process,
    text::read_regular_text,
    workplace::{Workplace, remove_forgotten},
};

use crate::VariantError;
use crate::error::at;

/// Maximum total size, in bytes, of programs from earlier sessions; the least recently used are removed first.
const BYTES_MAX: u64 = 512 << 20;
/// A program that was used within this time may be in use by another fauxplat, and is not removed.
const IN_USE: Duration = Duration::from_secs(3600);
/// Maximum size, in bytes, of a note: a small file of the cache, such as a hash.
pub(crate) const NOTE_BYTES_MAX: usize = 1 << 20;
const PROGRAM: &str = "program";

/// Returns the folder of the cache: `$XDG_CACHE_HOME/fauxplat`, or `~/.cache/fauxplat`.
///
/// # Errors
/// Returns [`VariantError::NoHome`] if neither variable is set.
pub fn default_cache() -> Result<PathBuf, VariantError> {
    // The XDG base directory specification asks that relative paths be ignored.
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    Ok(cache.ok_or(VariantError::NoHome)?.join("fauxplat"))
}

/// The default cache, after a check that no other user can have put programs into it.
///
/// # Errors
/// Fails as [`default_cache`] does; returns [`VariantError::Stranger`] if another user may write to the cache.
pub fn own_cache() -> Result<PathBuf, VariantError> {
    let folder = default_cache()?;
    check_owner(&folder)?;
    Ok(folder)
}

#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// Name of a variant: a hash, in hexadecimal, of everything that the variant is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn of(parts: &[&str]) -> Key {
        Key(sha256_of_parts(parts))
    }
}

impl Cache {
    /// Opens the cache and limits its size. Only its owner may access the cache, since its programs are executed.
    pub(crate) fn open(folder: &Path) -> Result<Self, VariantError> {
        let cache = Cache { folder: std::path::absolute(folder).map_err(at(folder))? };
        check_owner(&cache.folder)?;
        for part in ["variants", "locks"] {
            let path = cache.folder.join(part);
            DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(at(path))?;
        }
        cache.shrink(BYTES_MAX);
        Ok(cache)
    }

    /// Path of a note: a small file of the cache that is not a program.
    pub(crate) fn note(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A temporary directory for building or running, on the same file system as the cached programs.
    pub(crate) fn workplace(&self) -> Result<Workplace, VariantError> {
        Workplace::make("build", &self.folder).map_err(at(&self.folder))
    }

    /// Locks a build against other fauxplats until the returned file is dropped.
    pub(crate) fn lock(&self, key: &Key) -> Result<File, VariantError> {
        let path = self.folder.join("locks").join(&key.0[..16]);
        let file = File::options().create(true).append(true).open(&path).map_err(at(&path))?;
        file.lock().map_err(at(&path))?;
        Ok(file)
    }

    /// Program of a variant and its hash, if the program is present and intact.
    pub(crate) fn find(&self, key: &Key) -> Option<(PathBuf, String)> {
        let folder = self.folder.join("variants").join(&key.0);
        let program = folder.join(PROGRAM);
        let noted = read_regular_text(&folder.join("sha256"), NOTE_BYTES_MAX).ok()?;
        let hash = sha256(&program).filter(|hash| *hash == noted)?;
        // The time of modification records the last use. An error is ignored, so that a cache without write permission
        // can be read.
        let _unheard = File::open(&folder).and_then(|folder| folder.set_modified(now()));
        Some((program, hash))
    }

    /// Moves a built program from a temporary directory into the cache by one rename, so that readers see a complete
    /// entry or none.
    pub(crate) fn keep(&self, key: &Key, program: &Path) -> Result<(PathBuf, String), VariantError> {
        if let Some(there) = self.find(key)
            && Some(&there.1) == sha256(program).as_ref()
        {
            return Ok(there);
        }
        let place = self.workplace()?;
        let inside = place.path().join(PROGRAM);
        // The program is moved, not copied: a file that this process has open for writing cannot be executed
        // (`ETXTBSY`) as long as a child that another thread has just created holds the descriptor.
        fs::rename(program, &inside).map_err(at(program))?;
        let hash = sha256(&inside).unwrap_or_default();
        let note = place.path().join("sha256");
        fs::write(&note, &hash).map_err(at(&note))?;
        let folder = self.folder.join("variants").join(&key.0);
        // An existing entry is incomplete or damaged, or has another program.
        let _unheard = fs::remove_dir_all(&folder);
        match place.persist(&folder) {
            Ok(()) => {}
            Err(_) if folder.join(PROGRAM).exists() => {}
            Err(error) => return Err(at(folder)(error)),
        }
        Ok((folder.join(PROGRAM), hash))
    }

    /// Removes temporary directories whose owners have died, and the least recently used variants, until the remaining
    /// ones take at most `bytes_max`.
    fn shrink(&self, bytes_max: u64) {
        remove_forgotten(&self.folder);
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = self.entries().collect();
        entries.sort_unstable();
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (used, bytes, folder) in entries {
            let in_use = now().duration_since(used).is_ok_and(|age| age < IN_USE);
            if total <= bytes_max || in_use {
                break;
            }
            // Another fauxplat may remove the same entry at the same moment.
            let _unheard = fs::remove_dir_all(folder);
            total -= bytes;
        }
    }

    /// Variants with the time of their last use and their size in bytes.
    fn entries(&self) -> impl Iterator<Item = (SystemTime, u64, PathBuf)> {
        list(&self.folder.join("variants")).filter_map(|folder| {
            let bytes = list(&folder).filter_map(|file| Some(fs::symlink_metadata(file).ok()?.len()));
            Some((used(&folder)?, bytes.sum(), folder))
        })
    }
}

fn list(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn used(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder).ok()?.modified().ok()
}

/// Refuses a cache that another user may have filled: a cache of another owner, and for root also a cache below a
/// folder that others can write to, such as a user's home under sudo.
fn check_owner(cache: &Path) -> Result<(), VariantError> {
    let there = cache.ancestors().find(|folder| folder.exists()).unwrap_or(cache);
    if there != cache && !process::is_root() {
        return Ok(());
    }
    match files::open_to_others(there).map_err(at(there))? {
        Some(Exposed { folder, owner, .. }) => {
            Err(VariantError::Stranger { cache: cache.to_owned(), folder, owner })
        }
        None => Ok(()),
    }
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(fauxplat_sys::clock::realtime_ns())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use tempfile::TempDir;

    use super::*;

    fn cache() -> (TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        own(folder.path());
        let cache = Cache::open(folder.path()).unwrap();
        (folder, cache)
    }

    /// Makes a folder accessible to its owner only, whatever the umask is.
    fn own(folder: &Path) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }

    fn program(cache: &Cache, text: &str) -> (Workplace, PathBuf) {
        let place = cache.workplace().unwrap();
        let path = place.path().join("out");
        fs::write(&path, text).unwrap();
        (place, path)
    }

    #[test]
    fn what_was_kept_is_found_and_what_was_broken_is_not() {
        let (_folder, cache) = cache();
        let key = Key::of(&["x"]);
        assert_eq!(cache.find(&key), None);
        let kept = cache.keep(&key, &program(&cache, "one").1).unwrap();
        assert_eq!(cache.find(&key), Some(kept.clone()));
        fs::write(&kept.0, "on").unwrap();
        assert_eq!(cache.find(&key), None, "half a program is none");
        let again = cache.keep(&key, &program(&cache, "one").1).unwrap();
        assert_eq!(cache.find(&key), Some(again));
    }

    /// A user who can write to the cache chooses the programs that are executed, since the hash beside a program comes
    /// from the same user.
    #[test]
    fn a_cache_that_somebody_else_may_have_filled_is_refused() {
        use std::os::unix::fs::chown;
        const NOBODY: u32 = 65_534;
        let home = tempfile::tempdir().unwrap();
        let (above, folder) = (home.path().join("home"), home.path().join("home/cache"));
        fs::create_dir(&above).unwrap();
        own(home.path());
        own(&above);
        // An ordinary user cannot give the folder to another user.
        if !fauxplat_sys::process::is_root() || chown(&above, Some(NOBODY), None).is_err() {
            return;
        }
        let refused = |why: &str| {
            let error = Cache::open(&folder).unwrap_err();
            assert!(matches!(error, VariantError::Stranger { .. }), "{why}: {error}");
            assert!(error.to_string().contains("XDG_CACHE_HOME"), "{error}");
        };
        refused("a folder of another user");
        assert!(!folder.exists(), "nothing of root's is left in it");
        chown(&above, Some(0), None).unwrap();
        drop(Cache::open(&folder).unwrap());
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        chown(&folder, Some(NOBODY), None).unwrap();
        refused("another user's cache");
        chown(&folder, Some(0), None).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        refused("one that all may write to");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        fs::set_permissions(&above, fs::Permissions::from_mode(0o777)).unwrap();
        refused("a folder in which all may rename it");
    }

    #[test]
    fn two_at_once_leave_one_whole_program() {
        let (_folder, cache) = cache();
        let key = Key::of(&["x"]);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let _lock = cache.lock(&key).unwrap();
                        cache.keep(&key, &program(&cache, "one").1).unwrap();
                    }
                });
            }
        });
        assert!(cache.find(&key).is_some());
        assert_eq!(fs::read_dir(cache.folder.join("variants")).unwrap().count(), 1);
    }

    /// A workplace is kept, whatever its age, as long as its owner lives: an experiment may run programs from it for a
    /// day.
    #[test]
    fn workplaces_go_with_their_owners_alone() {
        let (_folder, cache) = cache();
        let (held, killed) = (cache.workplace().unwrap(), cache.workplace().unwrap());
        let forgotten = killed.path().to_owned();
        killed.abandon();
        for folder in [held.path(), &*forgotten] {
            fs::create_dir_all(folder.join("00000")).unwrap();
            fs::write(folder.join("00000").join(PROGRAM), "x").unwrap();
            File::open(folder).unwrap().set_modified(now() - Duration::from_secs(86_400)).unwrap();
        }
        cache.shrink(0);
        assert_eq!((held.path().join("00000/program").exists(), forgotten.exists()), (true, false));
    }

    #[test]
    fn the_oldest_go_first_and_what_is_in_use_stays() {
        let (_folder, cache) = cache();
        let keys: Vec<Key> = ["a", "b", "c"].iter().map(|name| Key::of(&[name])).collect();
        for (age, key) in keys.iter().enumerate() {
            let (path, _) = cache.keep(key, &program(&cache, &"x".repeat(1000)).1).unwrap();
            let hours = Duration::from_secs(3600 * (2 + age as u64));
            File::open(path.parent().unwrap()).unwrap().set_modified(now() - hours).unwrap();
        }
        cache.shrink(2500);
        let there: Vec<bool> = keys.iter().map(|key| cache.find(key).is_some()).collect();
        assert_eq!(there, [true, true, false], "the oldest alone");
        cache.shrink(0);
        assert!(keys[..2].iter().all(|key| cache.find(key).is_some()), "looked up a moment ago");
    }
}
