//! Work trees and builds of real repositories.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_launch::Capture;
use fauxplat_model::Outcome;
use fauxplat_revisions::{Repository, RevisionError, WORKTREE, Workshop, checkout};
use tempfile::TempDir;

/// A temporary folder with a repository and, beside it, the cache.
struct RepositoryFolder {
    folder: TempDir,
}

impl RepositoryFolder {
    fn new() -> Self {
        let place = RepositoryFolder { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.path("cache")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes a repository whose commits differ in the content of the file `sub/number`; the first commit is tagged.
    fn with_commits(count: usize) -> (Self, PathBuf) {
        let place = RepositoryFolder::new();
        let top = place.path("a repository");
        fs::create_dir(&top).unwrap();
        sh(&top, "git init -q -b main . && mkdir sub && echo ignored > .gitignore");
        for number in 1..=count {
            fs::write(top.join("sub/number"), format!("{number}\n")).unwrap();
            sh(&top, &format!("git add -A && git commit -qm 'number {number}'"));
        }
        sh(&top, "git tag first HEAD~0 && git tag -a -m about annotated && git tag tree HEAD^{tree}");
        (place, top)
    }

    fn workshop(&self, folder: &Path, build: Option<&str>) -> Workshop {
        Workshop::with_cache(folder, build, &self.path("cache")).unwrap()
    }
}

/// Runs a shell line in a folder, with an author and a committer set for git.
fn sh(folder: &Path, line: &str) -> String {
    let names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
    let mut env_set = names.map(|name| (name.to_owned(), "somebody".to_owned())).to_vec();
    env_set.push(("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".to_owned()));
    let done = Capture { cwd: Some(folder.to_owned()), env_set, ..Capture::shell(line) }.run().unwrap();
    assert_eq!(done.outcome, Outcome::Exited(0), "{line}: {}", done.output.text());
    done.output.text().trim().to_owned()
}

/// Lists everything in a repository that must not change when the repository is read. The times of objects are left
/// out: git renews the time of an object that it is asked to write again, so that the object is not pruned.
fn state(top: &Path) -> String {
    let files = "find . -type f ! -path './.git/objects/*' -printf '%p %s %T@\\n'; find .git/objects -type f";
    sh(top, &format!("({files}) | sort; git stash list; git worktree list; git branch -a"))
}

fn quiet(_: &str) {}

#[test]
fn a_checkout_is_the_commit_the_branch_and_local_changes() {
    let (place, top) = RepositoryFolder::with_commits(2);
    let before = state(&top);
    let head = sh(&top, "git rev-parse HEAD");
    let seen = checkout(&top.join("sub")).unwrap();
    assert_eq!((&seen.commit, seen.branch.as_deref(), seen.dirty), (&head, Some("main"), Some(false)));
    assert_eq!(seen.committed_s.unwrap().to_string(), sh(&top, "git log -1 --format=%ct"));
    assert_eq!(state(&top), before);
    // An untracked file is no local change; a modified tracked file is.
    fs::write(top.join("new"), "").unwrap();
    assert_eq!(checkout(&top).unwrap().dirty, Some(false));
    fs::write(top.join("sub/number"), "other").unwrap();
    assert_eq!(checkout(&top).unwrap().dirty, Some(true));
    sh(&top, "git checkout -q -- . && git pack-refs --all && git worktree add -q ../beside -b side HEAD~1");
    assert_eq!(checkout(&top).unwrap().commit, head, "of a packed reference");
    let beside = checkout(&place.path("beside")).unwrap();
    assert_eq!((beside.branch.as_deref(), &beside.commit), (Some("side"), &sh(&top, "git rev-parse HEAD~1")));
    // Without a remote the name is the folder of the repository, which its work trees share.
    let path = |path: &Path| fs::canonicalize(path).unwrap().to_str().map(str::to_owned);
    assert_eq!((&beside.repository, beside.top), (&path(&top), path(&place.path("beside"))));
    sh(&top, "git remote add origin https://ada:secret@example.org/ada/tool.git");
    assert_eq!(checkout(&top.join("sub")).unwrap().repository.as_deref(), Some("example.org/ada/tool"));
    sh(&top, "git checkout -q --detach");
    assert_eq!(checkout(&top).unwrap().branch, None);
    let empty = place.path("empty");
    fs::create_dir(&empty).unwrap();
    sh(&empty, "git init -q");
    assert_eq!(checkout(&empty), None, "before its first commit");
    // Paths in git's files are not trusted.
    fs::write(empty.join(".git/HEAD"), "ref: ../../../etc/passwd\n").unwrap();
    assert_eq!(checkout(&empty), None);
    assert_eq!(checkout(Path::new("/proc")), None);
}

#[test]
fn work_trees_have_their_files_and_the_repository_stays_as_it_is() {
    let (place, top) = RepositoryFolder::with_commits(3);
    let before = state(&top);
    let mut workshop = place.workshop(&top.join("sub"), None);
    for (word, number) in [("HEAD~2", "1\n"), ("annotated", "3\n"), ("main", "3\n")] {
        let revision = workshop.revision(word).unwrap();
        let tree = workshop.tree(&revision, &quiet).unwrap();
        assert_eq!(fs::read_to_string(tree.folder.join("number")).unwrap(), number);
        assert_eq!(tree.notes, [""; 0]);
        // A build that asks git for its version gets the commit of the tree, without local changes.
        let says =
            sh(&tree.folder, "git rev-parse HEAD && git status --porcelain && git describe --always --dirty");
        assert!(says.starts_with(&revision.commit) && !says.contains("dirty"), "{says}");
        let there = tree.top.clone();
        drop(tree);
        assert!(!there.exists());
    }
    assert_eq!(state(&top), before);
}

#[test]
fn local_changes_are_a_revision_and_stay_local() {
    let (place, top) = RepositoryFolder::with_commits(1);
    fs::write(top.join("sub/number"), "changed\n").unwrap();
    fs::write(top.join("new"), "new").unwrap();
    fs::write(top.join("ignored"), "not me").unwrap();
    let before = state(&top);
    let mut workshop = place.workshop(&top, None);
    let revision = workshop.revision(WORKTREE).unwrap();
    assert!(revision.name.starts_with("WORKTREE on "), "{}", revision.name);
    let tree = workshop.tree(&revision, &quiet).unwrap();
    assert_eq!(fs::read_to_string(tree.folder.join("sub/number")).unwrap(), "changed\n");
    assert!(tree.folder.join("new").exists() && !tree.folder.join("ignored").exists());
    assert_eq!(state(&top), before);
    sh(&top, "git stash -q -u");
    let same = workshop.revision(WORKTREE).unwrap();
    assert_eq!(same.tree, workshop.revision("HEAD").unwrap().tree);
    assert!(same.name.starts_with("WORKTREE, which is "), "{}", same.name);
}

#[test]
fn what_was_built_is_not_built_again() {
    let (place, top) = RepositoryFolder::with_commits(2);
    let line = "cat sub/number sub/number > program && echo . >> ../../../../builds";
    let workshop = place.workshop(&top, Some(line));
    let head = workshop.repository.resolve("HEAD").unwrap();
    let said = std::cell::RefCell::new(Vec::new());
    let tell = |line: &str| said.borrow_mut().push(line.to_owned());
    for turn in 0..3 {
        let tree = workshop.tree(&head, &tell).unwrap();
        assert_eq!(fs::read_to_string(tree.folder.join("program")).unwrap(), "2\n2\n");
        assert_eq!((tree.is_new, tree.took_ns.is_some()), (turn == 0, true));
    }
    assert_eq!(said.borrow().as_slice(), [format!("building {}", head.name)]);
    let other = place.workshop(&top, Some("cp sub/number program"));
    assert!(other.tree(&head, &quiet).unwrap().is_new, "another command makes another program");
    // A commit with the same tree uses the built tree.
    sh(&top, "git commit -q --allow-empty -m again");
    let again = workshop.repository.resolve("HEAD").unwrap();
    assert!(again.commit != head.commit && !workshop.tree(&again, &quiet).unwrap().is_new);
    // A command changes a built file while the tree is in use; the second use must not wait for the first.
    let first = workshop.tree(&head, &quiet).unwrap();
    fs::write(first.folder.join("program"), "changed").unwrap();
    assert_eq!(workshop.tree(&again, &quiet).unwrap().top, first.top);
    drop(first);
    assert!(workshop.tree(&head, &quiet).unwrap().is_new);
}

#[test]
fn builds_run_in_the_folder_of_the_call() {
    let (place, top) = RepositoryFolder::with_commits(1);
    let workshop = place.workshop(&top.join("sub"), Some("cp number program"));
    let tree = workshop.tree(&workshop.repository.resolve("HEAD").unwrap(), &quiet).unwrap();
    assert!(tree.top.join("sub/program").exists() && tree.folder.join("program").exists());
}

#[test]
fn a_build_that_fails_names_its_commit_and_is_not_kept() {
    let (place, top) = RepositoryFolder::with_commits(1);
    let workshop = place.workshop(&top, Some("echo 'no such header'; exit 3"));
    let head = workshop.repository.resolve("HEAD").unwrap();
    for _ in 0..2 {
        let error = workshop.tree(&head, &quiet).unwrap_err();
        assert!(matches!(&error, RevisionError::Build { output, .. } if output.contains("no such header")));
        assert!(error.to_string().contains(&head.name) && error.to_string().contains("status 3"), "{error}");
    }
    let count = || fs::read_dir(place.path("cache/commits/trees")).unwrap().count();
    assert!(count() <= 1);
    // A child that another test has just created holds copies of this process's locks until it executes its program.
    let is_emptied = (0..6000).any(|_| {
        drop(place.workshop(&top, None));
        count() == 0 || (std::thread::sleep(std::time::Duration::from_millis(10)), false).1
    });
    assert!(is_emptied);
}

#[test]
fn a_build_that_leaves_nothing_is_told() {
    let (place, top) = RepositoryFolder::with_commits(1);
    let workshop = place.workshop(&top, Some("true"));
    let tree = workshop.tree(&workshop.repository.resolve("HEAD").unwrap(), &quiet);
    // The environment of the test may direct builds elsewhere, for example by CARGO_TARGET_DIR.
    match tree {
        Ok(tree) => assert!(tree.notes[0].contains("left nothing in its work tree"), "{:?}", tree.notes),
        Err(error) => assert!(matches!(error, RevisionError::BuiltElsewhere { .. }), "{error}"),
    }
}

#[test]
fn a_daemon_of_a_build_is_ended_and_told() {
    let (place, top) = RepositoryFolder::with_commits(1);
    let workshop = place.workshop(&top, Some("setsid sleep 86487 & cp sub/number program"));
    let tree = workshop.tree(&workshop.repository.resolve("HEAD").unwrap(), &quiet).unwrap();
    assert!(tree.notes[0].contains("the build left 1 process behind"), "{:?}", tree.notes);
}

#[test]
fn words_that_name_no_commit_are_told_apart() {
    let (_place, top) = RepositoryFolder::with_commits(2);
    let repository = Repository::around(&top).unwrap();
    let error = |word: &str| repository.resolve(word).unwrap_err();
    assert!(matches!(error("tree"), RevisionError::NoCommit { kind, .. } if kind == "tree"));
    assert!(matches!(error("HEAD:sub/number"), RevisionError::NoCommit { kind, .. } if kind == "blob"));
    for none in ["nothing", "", "-q", "HEAD~9", "a b"] {
        assert!(matches!(error(none), RevisionError::NoRevision { .. }), "{none}");
    }
    assert!(matches!(Repository::around(Path::new("/")).unwrap_err(), RevisionError::NoRepository { .. }));
}

#[test]
fn a_detached_head_and_a_bare_repository_are_repositories() {
    let (place, top) = RepositoryFolder::with_commits(2);
    sh(&top, "git checkout -q --detach HEAD~1");
    assert!(Repository::around(&top).unwrap().resolve("HEAD").unwrap().name.ends_with("number 1"));
    sh(&top, "git clone -q --bare . ../bare.git");
    let bare = place.path("bare.git");
    let mut workshop = place.workshop(&bare, None);
    let tree = workshop.tree(&workshop.repository.resolve("main").unwrap(), &quiet).unwrap();
    assert!(tree.folder.join("sub/number").exists());
    assert!(matches!(workshop.revision(WORKTREE).unwrap_err(), RevisionError::Bare { .. }));
}

#[test]
fn of_a_shallow_clone_the_missing_history_is_told() {
    let (place, top) = RepositoryFolder::with_commits(4);
    sh(&top, "git clone -q --depth 2 \"file://$PWD\" ../shallow");
    let workshop = place.workshop(&place.path("shallow"), None);
    assert!(workshop.tree(&workshop.repository.resolve("HEAD~1").unwrap(), &quiet).is_ok());
    let error = workshop.repository.resolve("HEAD~2").unwrap_err().to_string();
    assert!(error.contains("git fetch --unshallow"), "{error}");
}

#[test]
fn submodules_and_pointers_are_told() {
    let (place, top) = RepositoryFolder::with_commits(1);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n";
    fs::write(top.join("big.bin"), pointer).unwrap();
    sh(
        &top,
        "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),lib/other && git add big.bin && git commit -qm x",
    );
    let workshop = place.workshop(&top, None);
    let tree = workshop.tree(&workshop.repository.resolve("HEAD").unwrap(), &quiet).unwrap();
    assert!(tree.notes[0].contains("lib/other") && tree.notes[0].contains("big.bin"), "{:?}", tree.notes);
    // The error of a failed build names missing submodules and LFS files too.
    let workshop = place.workshop(&top, Some("false"));
    let failed =
        workshop.tree(&workshop.repository.resolve("HEAD").unwrap(), &quiet).unwrap_err().to_string();
    assert!(failed.contains("lib/other") && failed.contains("big.bin"), "{failed}");
}

#[test]
fn a_folder_that_a_commit_lacks_is_told() {
    let (place, top) = RepositoryFolder::with_commits(1);
    fs::create_dir(top.join("later")).unwrap();
    fs::write(top.join("later/file"), "x").unwrap();
    sh(&top, "git add -A && git commit -qm later");
    for build in [None, Some("true")] {
        let workshop = place.workshop(&top.join("later"), build);
        let error = workshop.tree(&workshop.repository.resolve("HEAD~1").unwrap(), &quiet).unwrap_err();
        assert!(matches!(error, RevisionError::NoFolder { .. }), "{error}");
    }
}

#[test]
fn merge_bases_and_lines_of_commits() {
    let (_place, top) = RepositoryFolder::with_commits(2);
    sh(&top, "git checkout -q -b side HEAD~1 && echo side > side && git add -A && git commit -qm side");
    sh(
        &top,
        "git checkout -q main && git merge -q -m merge side && echo end > end && git add -A && git commit -qm end",
    );
    sh(&top, "git checkout -q --orphan alone && git commit -qm alone");
    let repository = Repository::around(&top).unwrap();
    let of = |word: &str| repository.resolve(word).unwrap();
    let base = repository.merge_base(&of("main~2"), &of("side")).unwrap();
    assert_eq!(base.commit, of("main~3").commit);
    assert!(matches!(
        repository.merge_base(&of("main"), &of("alone")).unwrap_err(),
        RevisionError::NoMergeBase { .. }
    ));
    let all = repository.line(&of("main~3"), &of("main"), false).unwrap();
    assert_eq!((all.len(), &all[0].revision, &all[4].revision.name), (5, &of("main~3"), &of("main").name));
    let first = repository.line(&of("main~3"), &of("main"), true).unwrap();
    let hashes: Vec<&str> = first.iter().map(|commit| commit.revision.commit.as_str()).collect();
    assert_eq!(hashes, ["main~3", "main~2", "main~1", "main"].map(|word| of(word).commit).each_ref());
    assert!(first.iter().enumerate().skip(1).all(|(place, commit)| commit.parents == [place - 1]));
    assert_eq!(all[3].parents.len(), 2, "the merge has both sides");
    for ends in [["main", "main~1"], ["side", "main~2"], ["alone", "main"]] {
        let [good, bad] = ends.map(of);
        assert!(matches!(repository.line(&good, &bad, false), Err(RevisionError::NotALine { .. })));
    }
    assert!(matches!(repository.line(&of("side"), &of("main"), true), Err(RevisionError::NotALine { .. })));
}
