//! The folder below which all files are read and written: `/`, or a tree made by a test.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct Root {
    path: PathBuf,
    real: bool,
}

/// Maximum size of a file with a value in bytes; a longer file belongs to no knob.
const VALUE_BYTES_MAX: u64 = 4096;
const LIST_BYTES_MAX: u64 = 16 << 20;

/// Number of attempts at a write that a signal interrupts, which does not mean that the kernel refuses the value. The
/// number is limited, since repeated signals may interrupt each attempt.
const TRIES: usize = 100;

impl Root {
    pub fn new(path: &Path) -> Self {
        let real = path.canonicalize().is_ok_and(|path| path == Path::new("/"));
        Root { path: path.to_owned(), real }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the root is that of this machine. Below any other root, ids of tasks have no meaning here.
    pub fn is_real(&self) -> bool {
        self.real
    }

    /// Returns the path of a file below the root.
    pub(crate) fn join(&self, file: &str) -> PathBuf {
        self.path.join(file.trim_start_matches('/'))
    }

    pub(crate) fn has(&self, file: &str) -> bool {
        self.join(file).exists()
    }

    /// Returns the text of a file of at most [`VALUE_BYTES_MAX`], white space included.
    ///
    /// # Errors
    /// Returns the kernel's error, and `InvalidData` for text that is too long or not UTF-8.
    pub(crate) fn read(&self, file: &str) -> io::Result<String> {
        self.read_up_to(file, VALUE_BYTES_MAX)
    }

    /// Returns the text of a file with a list, which may be long; empty if it cannot be read.
    pub(crate) fn read_list(&self, file: &str) -> String {
        self.read_up_to(file, LIST_BYTES_MAX).unwrap_or_default()
    }

    fn read_up_to(&self, file: &str, bytes_max: u64) -> io::Result<String> {
        let mut bytes = Vec::new();
        File::open(self.join(file))?.take(bytes_max + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > bytes_max {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the value is too long for a setting of the kernel",
            ));
        }
        String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text"))
    }

    /// Returns the text of a file without white space at its ends; `None` if it cannot be read.
    pub(crate) fn value(&self, file: &str) -> Option<String> {
        self.read(file).ok().map(|text| text.trim().to_owned())
    }

    /// Writes a value by one `write(2)`, as files of the kernel require. The file has to exist; it is truncated first,
    /// which files of the kernel ignore and plain files need.
    ///
    /// # Errors
    /// Returns the kernel's error, for an invalid value as well as for a missing permission.
    pub(crate) fn write(&self, file: &str, value: &str) -> io::Result<()> {
        let mut open = OpenOptions::new().write(true).truncate(true).open(self.join(file))?;
        let is_interrupted = |error: &io::Error| error.kind() == io::ErrorKind::Interrupted;
        let mut tries = (0..TRIES).map(|_| open.write(value.as_bytes()));
        let done = tries.find(|done| !done.as_ref().is_err_and(is_interrupted));
        match done.unwrap_or_else(|| Err(io::ErrorKind::Interrupted.into()))? {
            written if written == value.len() => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::WriteZero, "the kernel took only a part of the value")),
        }
    }

    /// Checks whether the file can be opened for writing, which changes nothing.
    ///
    /// # Errors
    /// Returns the kernel's error if it cannot.
    pub(crate) fn check_writable(&self, file: &str) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.join(file)).map(drop)
    }

    /// Returns the names of the entries of a folder, in the order of the numbers in them; empty if there is no such
    /// folder.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.join(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_by_key(|name| (number_in(name), name.clone()));
        names
    }

    /// Returns the paths that match a pattern, in which one path component may contain one `*` for any text.
    pub(crate) fn glob(&self, pattern: &str) -> Vec<String> {
        let Some(star) = pattern.find('*') else {
            return if self.has(pattern) { vec![pattern.to_owned()] } else { Vec::new() };
        };
        let folder_end = pattern[..star].rfind('/').map_or(0, |slash| slash + 1);
        let component_end = pattern[star..].find('/').map_or(pattern.len(), |slash| star + slash);
        let (folder, rest) = (&pattern[..folder_end], &pattern[component_end..]);
        let (before, after) = (&pattern[folder_end..star], &pattern[star + 1..component_end]);
        let matches = |name: &&String| {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        };
        let names = self.names(folder);
        let files = names.iter().filter(matches).map(|name| format!("{folder}{name}{rest}"));
        files.filter(|file| self.has(file)).collect()
    }
}

/// Returns the first number in a name, so that `policy10` comes after `policy9`.
fn number_in(name: &str) -> u64 {
    let digits: String =
        name.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = Root::new(folder.path());
        (folder, root)
    }

    #[test]
    fn a_star_stands_for_one_component_in_the_order_of_numbers() {
        let files = [("c/policy10/g", "a"), ("c/policy9/g", "b"), ("c/policy2/other", "c"), ("c/boost", "1")];
        let (_folder, root) = tree(&files);
        assert_eq!(root.glob("c/policy*/g"), ["c/policy9/g", "c/policy10/g"]);
        assert_eq!(root.glob("c/boost"), ["c/boost"]);
        assert!(root.glob("c/nothing*/g").is_empty() && root.glob("d").is_empty());
    }

    #[test]
    fn values_are_short_text_and_files_are_never_made() {
        let long = "x".repeat(5000);
        let (_folder, root) = tree(&[("value", "12\n"), ("long", &long)]);
        assert_eq!(root.value("value").as_deref(), Some("12"));
        root.write("value", "7").unwrap();
        assert_eq!(root.read("value").unwrap(), "7");
        assert_eq!(root.read("long").unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(root.write("new", "1").is_err() && !root.has("new"));
        assert!(root.read("").is_err());
    }

    #[test]
    fn only_the_root_is_the_machine_itself() {
        let (folder, root) = tree(&[]);
        assert!(!root.is_real() && root.path() == folder.path());
        assert!(Root::new(Path::new("/")).is_real() && Root::new(Path::new("/proc/..")).is_real());
    }
}
