//! Sizes and times of the files of a work tree, which show whether a file changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Files below a folder, each with its size in bytes and its time of modification in nanoseconds. The folder `.git` is
/// left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Snapshot(BTreeMap<String, (u64, i64)>);

impl Snapshot {
    /// Takes a snapshot of the files below a folder. Unreadable files and folders are left out.
    pub(crate) fn of(top: &Path) -> Self {
        let (mut files, mut folders) = (BTreeMap::new(), vec![top.to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let Ok(facts) = path.symlink_metadata() else { continue };
                match facts.is_dir() {
                    true if folder == top && entry.file_name() == ".git" => {}
                    true => folders.push(path),
                    false => {
                        let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
                        let changed_ns = facts.mtime() * 1_000_000_000 + facts.mtime_nsec();
                        files.insert(name, (facts.len(), changed_ns));
                    }
                }
            }
        }
        Snapshot(files)
    }

    /// Total size of the files, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.values().map(|(bytes, _)| bytes).sum()
    }

    /// Whether `other` contains every file of this snapshot, with the same size and time.
    pub(crate) fn is_in(&self, other: &Snapshot) -> bool {
        self.0.iter().all(|(name, facts)| other.0.get(name) == Some(facts))
    }

    /// Paths below `top` of the files in `other` that this snapshot lacks.
    pub(crate) fn new_in(&self, other: &Snapshot, top: &Path) -> Vec<PathBuf> {
        other.0.keys().filter(|name| !self.0.contains_key(*name)).map(|name| top.join(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_new_files_are_seen_and_those_of_git_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::create_dir_all(top.join(".git")).unwrap();
        fs::write(top.join("a/b/c"), "1").unwrap();
        let first = Snapshot::of(top);
        fs::write(top.join(".git/x"), "x").unwrap();
        assert_eq!(first, Snapshot::of(top));
        fs::write(top.join("new"), "123").unwrap();
        let second = Snapshot::of(top);
        assert!(first.is_in(&second) && !second.is_in(&first));
        assert_eq!(first.new_in(&second, top), [top.join("new")]);
        fs::write(top.join("a/b/c"), "12").unwrap();
        assert!(!first.is_in(&Snapshot::of(top)));
        assert_eq!(Snapshot::of(top).bytes(), 5);
    }
}
