//! From words of the command line to built work trees.

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

/// Makes and builds work trees of one repository.
#[derive(Debug)]
pub struct Workshop {
    /// The user's repository.
    pub repository: Repository,
    build: Option<Build>,
    /// Folder below the top of every work tree in which commands run.
    folder: PathBuf,
    cache: PathBuf,
    trees: Trees,
    /// Built trees that are in use: asking for the lock of one a second time would wait for this process itself.
    in_use: RefCell<BTreeMap<String, Weak<Held>>>,
    /// Objects of the local changes.
    local: Option<Workplace>,
}

/// A work tree that is ready to be measured, for as long as this lives.
#[derive(Debug)]
pub struct Tree {
    /// The revision that the tree holds.
    pub revision: Revision,
    /// Top of the work tree.
    pub top: PathBuf,
    /// Folder in which its commands run.
    pub folder: PathBuf,
    /// Time that the build took in nanoseconds, now or when the kept tree was built; `None` where nothing is built.
    pub took_ns: Option<u64>,
    /// Whether the build was done now.
    pub is_new: bool,
    /// Sentences for the reader.
    pub notes: Vec<String>,
    _keeper: Keeper,
}

/// The guards that keep a work tree where it is.
#[derive(Debug)]
#[expect(dead_code, reason = "the values are kept for their end")]
enum Keeper {
    /// The lock of a tree that stays in the cache.
    Cache(Rc<Held>),
    /// A folder that is removed with this.
    Once(Workplace),
}

impl Workshop {
    /// A workshop for the repository around a folder, in whose place in every work tree the build and the commands run.
    ///
    /// # Errors
    /// There is no repository; the cache cannot be used.
    pub fn around(folder: &Path, build: Option<&str>) -> Result<Self, RevisionError> {
        Workshop::with_cache(folder, build, &own_cache()?)
    }

    /// As [`Workshop::around`], with the cache of the user in another folder, which no other user can write to.
    ///
    /// # Errors
    /// As [`Workshop::around`].
    pub fn with_cache(folder: &Path, build: Option<&str>, cache: &Path) -> Result<Self, RevisionError> {
        let repository = Repository::around(folder)?;
        let relative = repository.relative(folder).unwrap_or_default();
        let build = build.map(|line| Build { line: line.to_owned(), folder: relative.display().to_string() });
        // Folders that killed processes left are removed here too, since not every caller begins an experiment.
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

    /// Folder in which searches note how far they came.
    pub fn searches(&self) -> PathBuf {
        self.trees.searches()
    }

    /// The build command with the folder in which it runs; `None` where nothing is built.
    pub fn build(&self) -> Option<&Build> {
        self.build.as_ref()
    }

    /// The revision that a word names, local changes included.
    ///
    /// # Errors
    /// As [`Repository::resolve`] and [`Repository::local_changes`].
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

    /// The work tree of a revision, built. `tell` hears of a build before it begins.
    ///
    /// # Errors
    /// The tree cannot be made; the build fails.
    pub fn tree(&self, revision: &Revision, tell: &dyn Fn(&str)) -> Result<Tree, RevisionError> {
        match &self.build {
            Some(build) => self.built(build, revision, tell),
            None => self.plain(revision),
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
            let took_ns = build.run(revision, &held.folder)?;
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

    /// A work tree that nothing is built in: made faster than found.
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
