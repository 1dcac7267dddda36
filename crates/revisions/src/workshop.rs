//! Work trees made and built from the revisions that a command line names.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};

use fauxplat_sys::workplace::{Workplace, remove_forgotten};
use fauxplat_variants::own_cache;

use crate::build::Build;
use crate::cache::{Held, Trees};
use crate::error::at;
use crate::snapshot::Snapshot;
use crate::{Repository, Revision, RevisionError, WORKTREE, tree};

/// The repository, the build and the cache by which work trees of revisions are made.
#[derive(Debug)]
pub struct Workshop {
    pub repository: Repository,
    build: Option<Build>,
    /// Folder in which commands run, relative to the top of every work tree.
    folder: PathBuf,
    cache: PathBuf,
    trees: Trees,
    /// Built trees that are in use, by key. A second lock on a tree would wait for the lock that this process holds
    /// itself.
    in_use: RefCell<BTreeMap<String, Weak<Held>>>,
    /// Folder of the objects of the local changes; `None` until they are first used.
    local: Option<Workplace>,
}

/// A work tree that is ready to be measured. The tree exists as long as this value.
#[derive(Debug)]
pub struct Tree {
    pub revision: Revision,
    pub top: PathBuf,
    /// Folder in which the commands of the tree run.
    pub folder: PathBuf,
    /// Duration of the build in nanoseconds, also if the tree came from the cache; `None` if nothing is built.
    pub took_ns: Option<u64>,
    /// Whether the tree was made by this call, rather than taken from the cache.
    pub is_new: bool,
    /// Notes for the reader of the report.
    pub notes: Vec<String>,
    _keeper: Keeper,
}

/// Guards that keep a work tree from being removed.
#[derive(Debug)]
#[expect(dead_code, reason = "the values are kept for their end")]
enum Keeper {
    /// The shared lock of a tree in the cache.
    Cache(Rc<Held>),
    /// A temporary folder, which is removed when the guard is dropped.
    Once(Workplace),
}

impl Workshop {
    /// Opens a workshop for the repository around a folder. In every work tree, build and commands run in the folder
    /// that has the same path relative to the top.
    ///
    /// # Errors
    /// Fails if there is no repository or the cache cannot be used.
    pub fn around(folder: &Path, build: Option<&str>) -> Result<Self, RevisionError> {
        Workshop::with_cache(folder, build, &own_cache()?)
    }

    /// Like [`Workshop::around`], with the user's cache in another folder, to which no other user can write.
    ///
    /// # Errors
    /// Fails as [`Workshop::around`] does.
    pub fn with_cache(folder: &Path, build: Option<&str>, cache: &Path) -> Result<Self, RevisionError> {
        let repository = Repository::around(folder)?;
        let relative = repository.relative(folder).unwrap_or_default();
        let build = build.map(|line| Build { line: line.to_owned(), folder: relative.display().to_string() });
        // Temporary folders that killed processes left are removed here too, since not every caller begins an
        // experiment.
        remove_forgotten(cache);
        let trees = Trees::below(cache)?;
        Ok(Workshop {
            repository,
            build,
            folder: relative,
            cache: cache.to_owned(),
            trees,
            in_use: RefCell::default(),
            local: None,
        })
    }

    /// Folder in which searches for a commit (`bisect`) store their progress.
    pub fn searches(&self) -> PathBuf {
        self.trees.searches()
    }

    /// The build command with the folder in which it runs; `None` if nothing is built.
    pub fn build(&self) -> Option<&Build> {
        self.build.as_ref()
    }

    /// The revision that a word names, which may be the local changes.
    ///
    /// # Errors
    /// Fails as [`Repository::resolve`] and [`Repository::local_changes`] do.
    pub fn revision(&mut self, word: &str) -> Result<Revision, RevisionError> {
        if word != WORKTREE {
            return self.repository.resolve(word);
        }
        let place = match self.local.take() {
            Some(place) => place,
            None => Workplace::make("objects", &self.cache).map_err(at(&self.cache))?,
        };
        let revision = self.repository.local_changes(place.path());
        self.local = Some(place);
        revision
    }

    /// Makes the work tree of a revision and builds it. `tell` is called before a build begins.
    ///
    /// # Errors
    /// Fails if the tree cannot be made or the build fails.
    pub fn tree(&self, revision: &Revision, tell: &dyn Fn(&str)) -> Result<Tree, RevisionError> {
        match &self.build {
            Some(build) => self.built(build, revision, tell),
            None => self.plain(revision),
        }
    }

    /// Adds to the error of a failed build the contents that the work tree lacks, which are the most frequent cause.
    fn with_lacks(&self, revision: &Revision, error: RevisionError) -> RevisionError {
        let lacks = self.repository.lacks(revision).ok().flatten();
        match (error, lacks) {
            (RevisionError::Build { commit, line, how, output }, Some(lacks)) => {
                RevisionError::Build { commit, line, how: format!("{how} ({lacks})"), output }
            }
            (error, _) => error,
        }
    }

    fn built(&self, build: &Build, revision: &Revision, tell: &dyn Fn(&str)) -> Result<Tree, RevisionError> {
        let key = build.key(revision);
        let known = self.in_use.borrow().get(&key).and_then(Weak::upgrade);
        if let Some(held) = known {
            let (top, took_ns) = (held.folder.clone(), held.took_ns);
            return self.ready(revision, top, Keeper::Cache(held), (took_ns, false), Vec::new());
        }
        let mut held = self.trees.hold(&key)?;
        let is_new = held.took_ns.is_none();
        let mut notes = Vec::new();
        if is_new {
            tell(&format!("building {}", revision.name));
            tree::make(&self.repository, revision, &held.folder)?;
            let before = Snapshot::of(&held.folder);
            let built = build.run(revision, &held.folder);
            let (took_ns, left) = built.map_err(|error| self.with_lacks(revision, error))?;
            notes.extend(left.map(|said| format!("{}: the build {said}", revision.name)));
            let after = Snapshot::of(&held.folder);
            if after == before {
                notes.push(build.left_nothing(revision)?);
            }
            held.took_ns = Some(took_ns);
            held.keep(after, took_ns)?;
        }
        let (top, took_ns, held) = (held.folder.clone(), held.took_ns, Rc::new(held));
        self.in_use.borrow_mut().insert(key, Rc::downgrade(&held));
        self.ready(revision, top, Keeper::Cache(held), (took_ns, is_new), notes)
    }

    /// Makes a work tree in which nothing is built. Such a tree is not cached, since making it takes less time than
    /// checking one in the cache.
    fn plain(&self, revision: &Revision) -> Result<Tree, RevisionError> {
        let place = Workplace::make("tree", &self.cache).map_err(at(&self.cache))?;
        let top = place.path().join("tree");
        std::fs::create_dir(&top).map_err(at(&top))?;
        tree::make(&self.repository, revision, &top)?;
        self.ready(revision, top, Keeper::Once(place), (None, true), Vec::new())
    }

    fn ready(
        &self,
        revision: &Revision,
        top: PathBuf,
        keeper: Keeper,
        (took_ns, is_new): (Option<u64>, bool),
        mut notes: Vec<String>,
    ) -> Result<Tree, RevisionError> {
        let folder = top.join(&self.folder);
        if !folder.is_dir() {
            let (commit, folder) = (revision.name.clone(), self.folder.display().to_string());
            return Err(RevisionError::NoFolder { commit, folder });
        }
        let lacks = self.repository.lacks(revision)?;
        notes.extend(lacks.map(|lacks| format!("the work tree of {}: {lacks}", revision.name)));
        Ok(Tree { revision: revision.clone(), top, folder, took_ns, is_new, notes, _keeper: keeper })
    }
}
