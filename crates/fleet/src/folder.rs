//! The folder of a run: the whole state of the run, from which it can be resumed however it ended.

use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fauxplat_model::hex;
use fauxplat_sys::files::{self, Exposed, open_regular_with};
use fauxplat_sys::text::read_regular_text;

use crate::FleetError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
    id: String,
}

/// Name of the file with the request of a run. A folder without the file was left by an interrupted start, and is no
/// run.
pub(crate) const ASKED: &str = "run.json";
/// Name of the file with the id of the run, which does not change when the folder is renamed.
const TOKEN: &str = "token";
const TOKEN_BYTES_MAX: usize = 4096;
/// Maximum size in bytes of a file of a run that is read as a whole; the request of a hundred thousand nodes has a
/// tenth of that.
const FILE_BYTES_MAX: usize = 256 << 20;
const LOCK: &str = "lock";

/// Lock on the folder of a run: while this value exists, no other process may collect the run's answers.
#[derive(Debug)]
pub struct Held {
    _lock: File,
}

impl RunFolder {
    /// Creates a folder for a new run below `runs`, the folder of all runs. Only its owner may enter it: another user
    /// with access could answer in place of nodes, and replace the program that is run.
    ///
    /// # Errors
    /// Fails where the folder cannot be created, or where other users may change its parent.
    pub fn make(runs: &Path) -> Result<Self, FleetError> {
        RunFolder::make_of(runs, &uuid()?)
    }

    /// Creates and locks a folder for a new run, and removes folders of runs that were killed while they started.
    ///
    /// # Errors
    /// Returns the errors of [`RunFolder::make`].
    pub fn begin(runs: &Path) -> Result<(Self, Held), FleetError> {
        for entry in fs::read_dir(runs).into_iter().flatten().flatten() {
            if let Some(left) = RunFolder::at(entry.path())
                && entry.file_name() == left.id()
            {
                let _stays = left.clear();
            }
        }
        let begin = || {
            let folder = RunFolder::make(runs)?;
            let held = folder.hold()?;
            Ok((folder, held))
        };
        // Before the lock was taken, another process that starts a run may have removed the folder as abandoned.
        let is_there = |begun: &Result<(Self, Held), FleetError>| {
            begun.as_ref().is_ok_and(|(folder, _)| folder.file(TOKEN).exists())
        };
        let begun = begin();
        if is_there(&begun) { begun } else { begin() }
    }

    /// Creates a folder for a run with a given id, which may come from an untrusted file.
    ///
    /// # Errors
    /// Fails where the id is invalid, the folder cannot be created, or the run exists.
    pub fn make_of(runs: &Path, id: &str) -> Result<Self, FleetError> {
        if !is_uuid(id) {
            let why = format!("a run must be named by a UUID, and {id:?} is none");
            return Err(FleetError::Record { path: runs.to_owned(), why });
        }
        // The mode keeps other users from renaming entries of the folder of all runs, whatever the umask.
        let made = fs::DirBuilder::new().recursive(true).mode(0o755).create(runs);
        made.map_err(FleetError::at(runs))?;
        let folder = RunFolder { path: runs.join(id), id: id.to_owned() };
        let make = |path: &Path| {
            let made = fs::DirBuilder::new().mode(0o700).create(path);
            made.map_err(FleetError::at(path))
        };
        folder.clear()?;
        make(&folder.path)?;
        // The check comes while the folder is empty: until then root has written nothing that another user could
        // redirect.
        folder.check_strangers().inspect_err(|_| drop(fs::remove_dir(&folder.path)))?;
        // The token is written first, so that the folder is recognised as a run's if this process is killed now.
        folder.write(TOKEN, id.as_bytes())?;
        ["out", "errors", "programs"].iter().try_for_each(|name| make(&folder.file(name)))?;
        Ok(folder)
    }

    /// Removes the folder if an interrupted start has left it, since the run could otherwise never be created again.
    /// Other folders are kept.
    fn clear(&self) -> Result<(), FleetError> {
        let is_ours = RunFolder::at(self.path.clone()).is_some_and(|there| there.id == self.id);
        if !is_ours || self.file(ASKED).exists() {
            // A process killed before it wrote the first file leaves an empty folder. Only an empty folder is removed
            // by this call.
            let _kept = fs::remove_dir(&self.path);
            return Ok(());
        }
        let _held = self.hold()?;
        // The folder may have become a run meanwhile.
        if self.file(ASKED).exists() {
            return Ok(());
        }
        fs::remove_dir_all(&self.path).map_err(FleetError::at(&self.path))
    }

    /// Returns the run whose folder is at this path, with the id in its token file, since a folder may be renamed;
    /// `None` if the folder has no valid id.
    fn at(path: PathBuf) -> Option<Self> {
        let id = read_regular_text(&path.join(TOKEN), TOKEN_BYTES_MAX).ok().filter(|id| is_uuid(id))?;
        Some(RunFolder { path, id })
    }

    /// Finds a run below `runs` by its id or a prefix of its id, by the word `last`, or by a path.
    ///
    /// # Errors
    /// Fails where no run matches, or several do.
    pub fn find(runs: &Path, name: &str) -> Result<Self, FleetError> {
        let record = |why: &str| FleetError::Record { path: runs.join(name), why: why.to_owned() };
        if name.contains('/') || Path::new(name).join(TOKEN).exists() {
            let path = std::path::absolute(name).map_err(FleetError::at(Path::new(name)))?;
            let why = "this is no folder of a fleet run".to_owned();
            return RunFolder::at(path.clone()).ok_or(FleetError::Record { path, why });
        }
        let mut ids = RunFolder::all(runs)?;
        match name {
            // The empty text is a prefix of every id, but stands for no run: it may come from a script whose variable
            // is empty.
            "" => return Err(record("the name of a fleet run is empty")),
            "last" => drop(ids.drain(..ids.len().saturating_sub(1))),
            _ => ids.retain(|folder| folder.id().starts_with(name)),
        }
        match ids.as_slice() {
            [] => Err(record("there is no such fleet run (fauxplat fleet list shows those there are)")),
            [_] => Ok(ids.remove(0)),
            _ => Err(record("the ids of several fleet runs begin like this")),
        }
    }

    /// Returns all runs below a folder, oldest first, without folders of interrupted starts.
    ///
    /// # Errors
    /// Fails where the folder cannot be read; a missing folder has no runs.
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
            .filter(|path| path.join(ASKED).exists())
            .filter_map(|path| Some((made(&path)?, RunFolder::at(path)?)))
            .collect();
        found.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| a.path.cmp(&b.path)));
        Ok(found.into_iter().map(|(_, folder)| folder).collect())
    }

    /// Returns the id of the run: a UUID, so that it can be part of names that a shell reads.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the id in the token file of the folder, by which a node can check whether it sees the same folder.
    pub(crate) fn token(&self) -> Result<String, FleetError> {
        self.read(TOKEN)
    }

    pub(crate) fn out(&self, task: u32) -> PathBuf {
        self.path.join("out").join(task.to_string())
    }

    pub(crate) fn errors(&self, task: u32) -> PathBuf {
        self.path.join("errors").join(task.to_string())
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns a folder within the folder of the run. A symbolic link in its place would lead elsewhere.
    ///
    /// # Errors
    /// Fails where no folder of that name is there.
    pub(crate) fn inner(&self, name: &str) -> Result<PathBuf, FleetError> {
        let path = self.file(name);
        if fs::symlink_metadata(&path).map_err(FleetError::at(&path))?.is_dir() {
            return Ok(path);
        }
        let why = "no folder, where the run has one: remove it, or begin another run".to_owned();
        Err(FleetError::Record { path, why })
    }

    /// Returns whether the run was completed: [`crate::Site::tidy`] then has removed the programs, which a resumed run
    /// would need.
    pub(crate) fn is_tidied(&self) -> bool {
        fs::read_dir(self.file("programs")).is_ok_and(|mut entries| entries.next().is_none())
    }

    /// Writes a file atomically: after any failure the file is complete or absent.
    ///
    /// # Errors
    /// Fails where the file cannot be written.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FleetError> {
        let path = self.file(name);
        files::replace(&path, bytes).map_err(FleetError::at(&path))
    }

    /// # Errors
    /// Fails where the file cannot be read.
    pub(crate) fn read(&self, name: &str) -> Result<String, FleetError> {
        let path = self.file(name);
        read_regular_text(&path, FILE_BYTES_MAX).map_err(FleetError::at(&path))
    }

    /// Refuses a folder that another user owns or can write to, since programs in the folder are executed, with orders
    /// from it. For root, a folder that another user could replace is refused too, such as one in a user's home under
    /// sudo.
    fn check_strangers(&self) -> Result<(), FleetError> {
        match files::open_to_others(&self.path).map_err(FleetError::at(&self.path))? {
            Some(Exposed { folder, owner, .. }) => {
                Err(FleetError::Stranger { run: self.path.clone(), folder, owner })
            }
            None => Ok(()),
        }
    }

    /// # Errors
    /// Fails where another process has the lock, or where another user may have filled the folder.
    pub fn hold(&self) -> Result<Held, FleetError> {
        self.check_strangers()?;
        let path = self.file(LOCK);
        let mut options = File::options();
        let file = open_regular_with(options.write(true).create(true).truncate(false).mode(0o600), &path);
        let file = file.map_err(FleetError::at(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Held { _lock: file }),
            Err(TryLockError::WouldBlock) => Err(FleetError::Busy(self.path.clone())),
            Err(TryLockError::Error(error)) => Err(FleetError::at(&path)(error)),
        }
    }
}

/// Returns a random UUID (version 4, RFC 9562).
///
/// # Errors
/// Fails where the kernel provides no random bytes.
pub fn uuid() -> Result<String, FleetError> {
    random().map(fauxplat_model::uuid)
}

/// Returns whether a word is a UUID in the format used here: it becomes part of folder and job names, and must have no
/// meaning to a shell.
pub(crate) fn is_uuid(word: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    word.len() == 36 && word.bytes().enumerate().all(fits)
}

/// Returns sixteen random bytes of the kernel, see `random(4)`.
fn random() -> Result<[u8; 16], FleetError> {
    let (path, mut bytes) = (Path::new("/dev/urandom"), [0; 16]);
    File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).map_err(FleetError::at(path))?;
    Ok(bytes)
}

/// Returns random bytes in hexadecimal; `bytes` is at most 16.
///
/// # Errors
/// Fails where the kernel provides no random bytes.
pub(crate) fn random_hex(bytes: usize) -> Result<String, FleetError> {
    random().map(|random| hex(&random[..bytes]))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_macros, reason = "a skipped test says so")]

    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;
    use crate::private;

    /// Creates the folder of a run that has begun, since it has a request.
    fn begun(runs: &Path) -> RunFolder {
        let made = RunFolder::make(runs).unwrap();
        made.write(ASKED, b"{}").unwrap();
        made
    }

    #[test]
    fn a_run_is_found_by_its_id_the_beginning_of_it_and_its_path() {
        let runs = private();
        let made = begun(runs.path());
        assert_eq!(made.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        for name in [made.id(), &made.id()[..5], made.path().to_str().unwrap()] {
            assert_eq!(RunFolder::find(runs.path(), name).unwrap(), made, "{name}");
        }
        let other = begun(runs.path());
        assert_eq!(RunFolder::all(runs.path()).unwrap(), [made, other]);
        let said = |name| RunFolder::find(runs.path(), name).unwrap_err().to_string();
        assert!(said("").contains("is empty"));
        assert!(RunFolder::find(runs.path(), "last").is_ok());
        assert!(said("x").contains("no such"));
        assert!(said("/").contains("no folder of a fleet run"));
        assert_eq!(RunFolder::all(Path::new("/no/such")).unwrap(), []);
    }

    /// The name of the run on hosts and in Slurm stays the same, and does not depend on the folder's name.
    #[test]
    fn a_folder_that_is_renamed_is_the_same_run() {
        let runs = private();
        let made = begun(runs.path());
        let renamed = runs.path().join("rack 7");
        fs::rename(made.path(), &renamed).unwrap();
        let found = RunFolder::find(runs.path(), renamed.to_str().unwrap()).unwrap();
        assert_eq!((found.id(), found.path()), (made.id(), renamed.as_path()));
        assert_eq!(RunFolder::find(runs.path(), &made.id()[..8]).unwrap(), found);
        fs::write(renamed.join(TOKEN), "$(reboot)").unwrap();
        assert!(RunFolder::find(runs.path(), renamed.to_str().unwrap()).is_err());
        assert_eq!(RunFolder::all(runs.path()).unwrap(), []);
    }

    /// A user who may write to the folder could otherwise block every subcommand forever.
    #[test]
    fn a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for() {
        let runs = private();
        for name in [ASKED, TOKEN, LOCK, "journal", "run.json.part"] {
            let run = begun(runs.path());
            let path = run.file(name);
            let _old = fs::remove_file(&path);
            assert!(fauxplat_sys::pipes::make_pipe(&path).unwrap());
            let done = match name {
                ASKED => crate::Asked::read(&run).map(drop),
                TOKEN => run.token().map(drop),
                LOCK => run.hold().map(drop),
                "journal" => crate::evidence(&run, &crate::Asked::default(), &[]).map(drop),
                _ => run.write(ASKED, b"{}"),
            };
            let said = done.unwrap_err().to_string();
            assert!(said.contains("no regular file"), "{name}: {said}");
            fs::remove_dir_all(run.path()).unwrap();
        }
    }

    #[test]
    fn an_id_that_is_none_makes_no_folder() {
        let runs = private();
        let below = runs.path().join("runs");
        for bad in ["", ".", "../pwned", "/tmp/pwned", "a/../../b", &"a".repeat(36), &uuid().unwrap()[1..]] {
            let said = RunFolder::make_of(&below, bad).unwrap_err().to_string();
            assert!(said.contains("UUID"), "{bad}: {said}");
        }
        assert!(!below.exists() && fs::read_dir(runs.path()).unwrap().next().is_none());
        assert!(is_uuid(&uuid().unwrap()) && !is_uuid(&uuid().unwrap().to_uppercase()));
    }

    #[test]
    fn an_attempt_that_never_became_a_run_is_none_and_stands_in_nobodys_way() {
        let runs = private();
        let id = uuid().unwrap();
        let left = RunFolder::make_of(runs.path(), &id).unwrap();
        assert_eq!(RunFolder::all(runs.path()).unwrap(), []);
        let held = left.hold().unwrap();
        assert!(matches!(RunFolder::make_of(runs.path(), &id), Err(FleetError::Busy(_))), "it is being made");
        drop(held);
        RunFolder::make_of(runs.path(), &id).unwrap().write(ASKED, b"{}").unwrap();
        let said = RunFolder::make_of(runs.path(), &id).unwrap_err().to_string();
        assert!(said.contains("exists"), "a run stays: {said}");
        // A foreign folder that only has a UUID as its name is kept.
        let (other, empty) = (uuid().unwrap(), uuid().unwrap());
        fs::create_dir(runs.path().join(&other)).unwrap();
        fs::write(runs.path().join(&other).join("theirs"), "").unwrap();
        assert!(RunFolder::make_of(runs.path(), &other).is_err());
        assert!(runs.path().join(&other).join("theirs").exists());
        fs::create_dir(runs.path().join(&empty)).unwrap();
        RunFolder::make_of(runs.path(), &empty).unwrap();
    }

    #[test]
    fn who_begins_a_run_removes_what_was_killed_while_it_began() {
        let runs = private();
        let (killed, run) = (RunFolder::make(runs.path()).unwrap(), begun(runs.path()));
        let (beginning, _held) = RunFolder::begin(runs.path()).unwrap();
        let theirs = runs.path().join(uuid().unwrap());
        fs::create_dir(&theirs).unwrap();
        fs::write(theirs.join("theirs"), "").unwrap();
        let (_another, _also_held) = RunFolder::begin(runs.path()).unwrap();
        let is_there = [killed.path(), run.path(), beginning.path(), &theirs].map(Path::exists);
        assert_eq!(is_there, [false, true, true, true]);
    }

    /// Under sudo with the HOME of a user, that user could make root execute any program.
    #[test]
    fn a_folder_that_somebody_else_may_have_filled_is_not_run_from() {
        const NOBODY: u32 = 65_534;
        let own = |folder: &Path| fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
        let home = tempfile::tempdir().unwrap();
        let (above, runs) = (home.path().join("home"), home.path().join("home/runs"));
        fs::create_dir(&above).unwrap();
        [home.path(), &above].into_iter().for_each(own);
        let run = begun(&runs);
        if !fauxplat_sys::process::is_root() || chown(&above, Some(NOBODY), None).is_err() {
            println!("skipped: only root can give a folder to somebody else");
            return;
        }
        let refused = |result: Result<(), FleetError>, why: &str| {
            let error = result.expect_err(why);
            assert!(matches!(error, FleetError::Stranger { .. }), "{why}: {error}");
            assert!(error.to_string().contains("--folder"), "{error}");
        };
        let hold = || run.hold().map(drop);
        refused(hold(), "a home of another user");
        refused(RunFolder::make(&runs).map(drop), "a new run in it");
        assert_eq!(fs::read_dir(&runs).unwrap().count(), 1, "nothing of root's is left in it");
        chown(&above, Some(0), None).unwrap();
        hold().unwrap();
        for folder in [&runs, run.path()] {
            chown(folder, Some(NOBODY), None).unwrap();
            refused(hold(), "a folder of another user");
            chown(folder, Some(0), None).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
            refused(hold(), "a folder that all may write to");
            own(folder);
        }
        hold().unwrap();
    }

    #[test]
    fn one_process_collects_a_run() {
        let runs = private();
        let folder = RunFolder::make(runs.path()).unwrap();
        let held = folder.hold().unwrap();
        assert!(folder.hold().unwrap_err().to_string().contains("another fauxplat"));
        drop(held);
        folder.hold().unwrap();
    }
}
