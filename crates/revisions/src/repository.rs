//! The user's repository: revisions, their trees, and the commits between two revisions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fauxplat_launch::Captured;
use fauxplat_model::Outcome;

use crate::changes::Changes;
use crate::git::Git;
use crate::local::{self, LocalTree};
use crate::{RevisionError, words};

/// Word that stands for the local changes where a revision is expected.
pub const WORKTREE: &str = "WORKTREE";

/// Maximum number of commits of a line. A search among them keeps a bit for each pair of commits, which says whether
/// the one is an ancestor of the other.
const COMMITS_MAX: usize = 20_000;

/// The user's repository, which is only read.
#[derive(Clone, Debug)]
pub struct Repository {
    git: Git,
    /// The user's work tree; `None` in a bare repository.
    pub(crate) top: Option<PathBuf>,
    /// Folder of the objects, references and settings that all work trees of the repository share.
    common: PathBuf,
    is_shallow: bool,
}

/// A commit, or the local changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Text by which messages name the revision, mostly the word that the user typed.
    pub said: String,
    /// Hash of the commit; for the local changes, the hash of HEAD.
    pub commit: String,
    /// Hash of the tree: equal trees contain equal files.
    pub tree: String,
    /// Name in reports: the short hash and the subject.
    pub name: String,
    /// Folder with the objects of the local changes, which the user's repository does not have; `None` for a commit.
    pub(crate) own_objects: Option<PathBuf>,
}

/// A commit between a good revision and a bad one, with its parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCommit {
    pub revision: Revision,
    /// Indices of the commit's parents in the list of commits on the line.
    pub parents: Vec<usize>,
}

impl Repository {
    /// Opens the repository around a folder.
    ///
    /// # Errors
    /// Fails if there is no repository, or git refuses to read it.
    pub fn around(folder: &Path) -> Result<Self, RevisionError> {
        let git = Git::in_folder(folder)?;
        let words = ["rev-parse", "--is-bare-repository", "--is-shallow-repository", "--git-common-dir"];
        let done = git.call(&words)?;
        let errors = done.errors.text();
        if errors.contains("not a git repository") {
            return Err(RevisionError::NoRepository { folder: folder.to_owned() });
        }
        let answer = match done.outcome {
            Outcome::Exited(0) => done.output.text().into_owned(),
            _ => return Err(git.failed(&words, &done)),
        };
        let mut lines = answer.lines();
        let (is_bare, is_shallow) = (lines.next() == Some("true"), lines.next() == Some("true"));
        let common = folder.join(lines.next().unwrap_or(".git"));
        let common = common.canonicalize().map_err(crate::error::at(common))?;
        let top = if is_bare { None } else { git.try_ask(&["rev-parse", "--show-toplevel"])? };
        Ok(Repository { git, top: top.filter(|top| !top.is_empty()).map(PathBuf::from), common, is_shallow })
    }

    /// Location of the repository for messages: its work tree, or the repository itself if it is bare.
    pub fn place(&self) -> &Path {
        self.top.as_deref().unwrap_or(&self.common)
    }

    pub(crate) fn common(&self) -> &Path {
        &self.common
    }

    pub(crate) fn git(&self) -> &Git {
        &self.git
    }

    /// A folder relative to the top of the work tree; `None` outside of the work tree, and an empty path in a bare
    /// repository.
    pub(crate) fn relative(&self, folder: &Path) -> Option<PathBuf> {
        let Some(top) = &self.top else { return Some(PathBuf::new()) };
        let (folder, top) = (folder.canonicalize().ok()?, top.canonicalize().ok()?);
        folder.strip_prefix(top).ok().map(Path::to_owned)
    }

    /// The commit that a word names.
    ///
    /// # Errors
    /// Fails if the word names nothing, several commits, or an object that is no commit.
    pub fn resolve(&self, word: &str) -> Result<Revision, RevisionError> {
        let commit = self.commit_of(word)?;
        self.revision(word, &commit)
    }

    /// The local changes: all files in the work tree that git does not ignore. Their objects are written below `place`,
    /// which must exist as long as work trees are made from them.
    ///
    /// # Errors
    /// Fails if the repository is bare or has no commit, or git fails.
    pub fn local_changes(&self, place: &Path) -> Result<Revision, RevisionError> {
        let top =
            self.top.as_ref().ok_or_else(|| RevisionError::Bare { repository: self.place().to_owned() })?;
        let head = self.resolve("HEAD")?;
        let LocalTree { tree, objects } = local::write(&self.git, top, &self.common, place)?;
        let name = match tree == head.tree {
            true => format!("{WORKTREE}, which is {}", head.name),
            false => format!("{WORKTREE} on {}", head.name),
        };
        Ok(Revision { said: WORKTREE.to_owned(), tree, name, own_objects: Some(objects), ..head })
    }

    /// The best common ancestor of two revisions.
    ///
    /// # Errors
    /// Fails if the revisions have no common ancestor.
    pub fn merge_base(&self, a: &Revision, b: &Revision) -> Result<Revision, RevisionError> {
        let found = self.git.try_ask(&["merge-base", &a.commit, &b.commit])?;
        let found = found.ok_or_else(|| RevisionError::NoMergeBase {
            a: a.said.clone(),
            b: b.said.clone(),
            hint: self.hint(": they belong to histories that have nothing in common"),
        })?;
        self.revision(&format!("merge base of {} and {}", a.said, b.said), &found)
    }

    /// The commits from `good` to `bad`, both included, each after its parents. Commits of side branches that do not
    /// descend from `good` are left out, since their changes came with the merge. With `first_parent`, a merge counts
    /// as one commit that contains all changes of its side branch.
    ///
    /// # Errors
    /// Fails unless `good` is an ancestor of `bad`, and where more commits than a search takes lie between them.
    pub fn line(
        &self,
        good: &Revision,
        bad: &Revision,
        first_parent: bool,
    ) -> Result<Vec<LineCommit>, RevisionError> {
        let not_a_line = |hint| RevisionError::NotALine {
            good: good.said.clone(),
            bad: bad.said.clone(),
            hint: self.hint(hint),
        };
        let is_before = self.git.try_ask(&["merge-base", "--is-ancestor", &good.commit, &bad.commit])?;
        if is_before.is_none() || good.commit == bad.commit {
            return Err(not_a_line(""));
        }
        let range = format!("{}..{}", good.commit, bad.commit);
        let way = if first_parent { "--first-parent" } else { "--ancestry-path" };
        let count = self.git.ask(&["rev-list", "--count", way, &range])?;
        refuse_many(&count, [good, bad])?;
        let format = "--format=%H%x00%P%x00%T%x00%h%x00%s";
        let order = ["log", "--no-show-signature", "--topo-order", "--reverse", format, way];
        let listed = self.git.ask(&[&order[..], &[&range]].concat())?;
        let mut line = vec![LineCommit { revision: good.clone(), parents: Vec::new() }];
        let mut known = BTreeMap::from([(good.commit.clone(), 0)]);
        for row in listed.lines() {
            let mut parts = row.splitn(5, '\0');
            let mut next = || parts.next().unwrap_or_default();
            let (hash, parents, tree, short, subject) = (next(), next(), next(), next(), next());
            let parents = parents.split(' ').take(if first_parent { 1 } else { usize::MAX });
            let parents: Vec<usize> = parents.filter_map(|parent| known.get(parent).copied()).collect();
            if parents.is_empty() {
                return Err(not_a_line(" by first parents"));
            }
            known.insert(hash.to_owned(), line.len());
            let name = words::name(short, subject);
            let (said, commit, tree) = (short.to_owned(), hash.to_owned(), tree.to_owned());
            let revision = Revision { said, commit, tree, name, own_objects: None };
            line.push(LineCommit { revision, parents });
        }
        Ok(line)
    }

    /// The lines that differ between two revisions.
    ///
    /// # Errors
    /// Fails if git fails.
    pub fn changes(&self, from: &Revision, to: &Revision) -> Result<Changes, RevisionError> {
        let git = self.git_for(if to.own_objects.is_some() { to } else { from });
        let words = ["-c", "core.quotePath=false", "diff", "--unified=0", "--no-color", "--no-ext-diff"];
        let plain = ["--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/"];
        let diff = git.ask(&[&words[..], &plain, &[&from.tree, &to.tree]].concat())?;
        Ok(Changes::parse(&diff))
    }

    /// Git with access to the objects of a revision, since those of local changes are not in the user's repository.
    fn git_for(&self, revision: &Revision) -> Git {
        match &revision.own_objects {
            Some(objects) => self.git.with("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects),
            None => self.git.clone(),
        }
    }

    /// A sentence about the submodules and the files in git LFS, whose contents a work tree of the revision lacks;
    /// `None` if there are none.
    ///
    /// # Errors
    /// Fails if git fails.
    pub fn lacks(&self, revision: &Revision) -> Result<Option<String>, RevisionError> {
        let git = self.git_for(revision);
        let listed = git.ask(&["ls-tree", "-r", "--full-tree", &revision.tree])?;
        let modules = listed.lines().filter_map(|line| line.strip_prefix("160000 commit "));
        let modules: Vec<&str> = modules.filter_map(|line| line.split('\t').nth(1)).collect();
        let mut pointers = git.call(&[
            "grep",
            "-lI",
            "--full-name",
            "^version https://git-lfs.github.com/spec/v1",
            &revision.tree,
        ])?;
        if pointers.outcome != Outcome::Exited(0) {
            pointers.output = fauxplat_launch::Written::default();
        }
        let pointers = pointers.output.text().into_owned();
        let pointers: Vec<&str> =
            pointers.lines().filter_map(|line| line.split_once(':')).map(|it| it.1).collect();
        Ok(words::lacks(&modules, &pointers))
    }

    /// A commit by its hash. `said` is the word that messages use for it.
    ///
    /// # Errors
    /// Fails if git fails.
    pub fn revision(&self, said: &str, commit: &str) -> Result<Revision, RevisionError> {
        let told = self.git.ask(&["log", "-1", "--no-show-signature", "--format=%T%x00%h%x00%s", commit])?;
        let mut parts = told.split('\0');
        let mut next = || parts.next().unwrap_or_default().to_owned();
        let (tree, short, subject) = (next(), next(), next());
        let name = words::name(&short, &subject);
        Ok(Revision { said: said.to_owned(), commit: commit.to_owned(), tree, name, own_objects: None })
    }

    fn commit_of(&self, word: &str) -> Result<String, RevisionError> {
        let none = || RevisionError::NoRevision {
            revision: word.to_owned(),
            repository: self.place().to_owned(),
            hint: self.hint(""),
        };
        // Git would read a word with a hyphen at its beginning as an option.
        if word.is_empty() || word.starts_with('-') {
            return Err(none());
        }
        let peeled = format!("{word}^{{commit}}");
        let done = self.git.call(&["rev-parse", "--verify", &peeled])?;
        match done.outcome {
            Outcome::Exited(0) => Ok(done.output.text().trim_end().to_owned()),
            _ => Err(self.no_commit(word, &done).unwrap_or_else(none)),
        }
    }

    /// The error for a word that names something other than a single commit; `None` if the word names nothing.
    fn no_commit(&self, word: &str, done: &Captured) -> Option<RevisionError> {
        let errors = done.errors.text();
        let revision = word.to_owned();
        if errors.contains("ambiguous") && errors.contains("candidates") {
            return Some(RevisionError::Ambiguous { revision });
        }
        if errors.contains("dubious ownership") {
            return Some(self.git.failed(&["rev-parse"], done));
        }
        // `^{}` leads from a tag to the tagged object, and is invalid after `HEAD:file`.
        let kind = |word: &str| self.git.try_ask(&["cat-file", "-t", word]).ok().flatten();
        let kind = kind(&format!("{word}^{{}}")).or_else(|| kind(word))?;
        Some(RevisionError::NoCommit { revision, kind })
    }

    /// Returns the hint `usual`, or in a shallow clone the hint that the clone's history is incomplete.
    fn hint(&self, usual: &'static str) -> &'static str {
        match self.is_shallow {
            true => ", which is a shallow clone: `git fetch --unshallow` brings the history that is missing",
            false => usual,
        }
    }
}

/// Refuses a line of more commits than a search takes; `count` is git's answer.
fn refuse_many(count: &str, [good, bad]: [&Revision; 2]) -> Result<(), RevisionError> {
    match count.trim().parse::<usize>() {
        Ok(commits) if commits > COMMITS_MAX => Err(RevisionError::TooMany {
            good: good.said.clone(),
            bad: bad.said.clone(),
            commits,
            most: COMMITS_MAX,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_more_commits_than_a_search_takes_is_refused() {
        let revision = |said: &str| Revision {
            said: said.to_owned(),
            commit: String::new(),
            tree: String::new(),
            name: String::new(),
            own_objects: None,
        };
        let (good, bad) = (revision("v1"), revision("v2"));
        let told = |count: &str| refuse_many(count, [&good, &bad]).map_err(|error| error.to_string());
        assert_eq!(told("20000\n"), Ok(()));
        let refusal = told("20001\n").unwrap_err();
        assert!(refusal.contains("20001 commits") && refusal.contains("at most 20000"), "{refusal}");
    }
}
