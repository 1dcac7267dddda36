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
        let place = std::env::temp_dir();
        let of_place = |error: io::Error| {
            let why = format!("{}: {error}; TMPDIR may name another folder", place.display());
            io::Error::new(error.kind(), why)
        };
        let folder = Workplace::make("suite", &place).map_err(of_place)?;
        let (stdout, results) = (folder.path().join("stdout"), folder.path().join("results"));
        File::create_new(&stdout).map_err(of_place)?;
        fs::create_dir(&results).map_err(of_place)?;
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
        let emptied = File::options().write(true).open(&self.stdout).and_then(|file| file.set_len(0));
        emptied.map_err(|error| named(&self.stdout, &error))?;
        let renewed = fs::remove_dir_all(&self.results).and_then(|()| fs::create_dir(&self.results));
        renewed.map_err(|error| named(&self.results, &error))
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

/// The error with the path at which it occurred.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Content of a file as text, with invalid UTF-8 replaced.
fn text(path: &Path) -> io::Result<String> {
    let bytes = read_regular(path, FILE_BYTES_MAX)
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Adds the JSON files below a folder to `files`, by their paths within `root`. Symbolic links are not followed.
fn collect(folder: &Path, root: &Path, depth: usize, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder).map_err(|error| named(folder, &error))? {
        let entry = entry.map_err(|error| named(folder, &error))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(|error| named(&path, &error))?;
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

    /// An error such as *No space left on device* helps only with the place where it occurred.
    #[test]
    fn errors_name_the_path() {
        let desk = Desk::new().unwrap();
        fs::remove_dir(desk.results()).unwrap();
        for error in [desk.output().unwrap_err(), desk.clear().unwrap_err()] {
            assert!(error.to_string().starts_with(&desk.results()), "{error}");
        }
        fs::remove_file(desk.stdout()).unwrap();
        let error = desk.clear().unwrap_err().to_string();
        assert!(error.starts_with(&desk.stdout().display().to_string()), "{error}");
    }
}
