//! The folder in which processes of a suite leave what they tell.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fauxplat_sys::text::read_regular;
use fauxplat_sys::workplace::Workplace;

use crate::harness::Output;

/// Bytes of a file that are read at most: results of thousands of benchmarks are some megabytes.
pub(super) const FILE_BYTES_MAX: usize = 256 << 20;

/// Folders below a results folder that are searched: criterion's are as deep as a benchmark's name has slashes.
const DEPTH_MAX: usize = 16;

/// A folder of the suite's own, with the standard output of the last process and the folder for its files.
#[derive(Debug)]
pub struct Desk {
    _folder: Workplace,
    stdout: PathBuf,
    results: PathBuf,
}

impl Desk {
    /// Makes the folder.
    ///
    /// # Errors
    /// There is no room for temporary files.
    pub fn new() -> io::Result<Self> {
        let folder = Workplace::make("suite", &std::env::temp_dir())?;
        let (stdout, results) = (folder.path().join("stdout"), folder.path().join("results"));
        File::create_new(&stdout)?;
        fs::create_dir(&results)?;
        Ok(Desk { _folder: folder, stdout, results })
    }

    /// File to which processes append their standard output.
    pub fn stdout(&self) -> &Path {
        &self.stdout
    }

    /// Folder for the files of a process, as a word of a command line.
    pub(super) fn results(&self) -> String {
        self.results.display().to_string()
    }

    /// Removes what the process before left.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub(super) fn clear(&self) -> io::Result<()> {
        File::options().write(true).open(&self.stdout)?.set_len(0)?;
        fs::remove_dir_all(&self.results)?;
        fs::create_dir(&self.results)
    }

    /// The output of the last process.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn output(&self) -> io::Result<Output> {
        Ok(Output { stdout: text(&self.stdout)?, files: self.files()? })
    }

    /// The files of the last process.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn files(&self) -> io::Result<Vec<(String, String)>> {
        let mut files = Vec::new();
        collect(&self.results, &self.results, 0, &mut files)?;
        files.sort();
        Ok(files)
    }
}

/// A file as text, with a mark in place of bytes that are no UTF-8.
fn text(path: &Path) -> io::Result<String> {
    let named = |error| io::Error::other(format!("{}: {error}", path.display()));
    let bytes = read_regular(path, FILE_BYTES_MAX).map_err(named)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Adds the documents below a folder, by their paths within `root`. Links are not followed.
fn collect(folder: &Path, root: &Path, depth: usize, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let (entry, path) = entry.map(|entry| (entry.file_type(), entry.path()))?;
        let kind = entry?;
        if kind.is_dir() && depth < DEPTH_MAX {
            collect(&path, root, depth + 1, files)?;
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "json") {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            files.push((name, text(&path)?));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_left_is_read_and_cleared() {
        let desk = Desk::new().unwrap();
        fs::write(desk.stdout(), b"a\xffb").unwrap();
        let deep = Path::new(&desk.results()).join("x/y");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("z.json"), "{}").unwrap();
        fs::write(deep.join("z.svg"), "").unwrap();
        let output = desk.output().unwrap();
        assert_eq!(output.stdout, "a\u{fffd}b");
        assert_eq!(output.files, [("x/y/z.json".to_owned(), "{}".to_owned())]);
        desk.clear().unwrap();
        assert_eq!(desk.output().unwrap(), Output::default());
    }
}
