//! The folder for the output of a suite's processes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fauxplat_sys::text::read_regular;
use fauxplat_sys::workplace::Workplace;

use crate::harness::Output;

/// Maximum number of bytes that are read of a file; results of thousands of benchmarks are a few megabytes.
pub(super) const FILE_BYTES_MAX: usize = 256 << 20;

/// Depth to which a folder of results is searched; criterion makes a folder for each slash in a benchmark's name.
const DEPTH_MAX: usize = 16;

/// A temporary folder with the standard output and the results files of the latest process.
#[derive(Debug)]
pub struct Desk {
    _folder: Workplace,
    stdout: PathBuf,
    results: PathBuf,
}

impl Desk {
    /// Creates the temporary folder.
    ///
    /// # Errors
    /// Fails where temporary files cannot be created.
    pub fn new() -> io::Result<Self> {
        let folder = Workplace::make("suite", &std::env::temp_dir())?;
        let (stdout, results) = (folder.path().join("stdout"), folder.path().join("results"));
        File::create_new(&stdout)?;
        fs::create_dir(&results)?;
        Ok(Desk { _folder: folder, stdout, results })
    }

    /// Path of the file to which processes append their standard output.
    pub fn stdout(&self) -> &Path {
        &self.stdout
    }

    /// Path of the folder to which a process writes its results files.
    pub(super) fn results(&self) -> String {
        self.results.display().to_string()
    }

    /// Deletes the output of the previous process.
    ///
    /// # Errors
    /// Fails where a file cannot be removed.
    pub(super) fn clear(&self) -> io::Result<()> {
        File::options().write(true).open(&self.stdout)?.set_len(0)?;
        fs::remove_dir_all(&self.results)?;
        fs::create_dir(&self.results)
    }

    /// Standard output and results files of the latest process.
    ///
    /// # Errors
    /// Fails where a file cannot be read.
    pub(super) fn output(&self) -> io::Result<Output> {
        Ok(Output { stdout: text(&self.stdout)?, files: self.files()? })
    }

    /// Results files of the latest process: path within the folder of results, and text.
    ///
    /// # Errors
    /// Fails where a file cannot be read.
    pub(super) fn files(&self) -> io::Result<Vec<(String, String)>> {
        let mut files = Vec::new();
        collect(&self.results, &self.results, 0, &mut files)?;
        files.sort();
        Ok(files)
    }
}

/// Content of a file as text, with invalid UTF-8 replaced.
fn text(path: &Path) -> io::Result<String> {
    let named = |error| io::Error::other(format!("{}: {error}", path.display()));
    let bytes = read_regular(path, FILE_BYTES_MAX).map_err(named)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Adds the JSON files below a folder to `files`, by their paths within `root`. Symbolic links are not followed.
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
