//! Reads the files of a kernel folder one by one into the same buffer, and collects problems.

use std::ffi::CStr;
use std::fmt::{Arguments, Write};
use std::io::{self, ErrorKind};
use std::path::Path;

use fauxplat_sys::files::Folder;
use fauxplat_units::{Bytes, CpuSet};

use crate::parse::{self, Said};

/// The buffer for all files of a tree, and the problems found so far, one line each. Problems beyond [`LINES_MAX`] are
/// only counted.
#[derive(Debug)]
pub(crate) struct Reading {
    buffer: Vec<u8>,
    lines: Vec<String>,
    more: usize,
}

/// Size of the buffer: a mask of all CPUs that a kernel can have takes less than half of it.
const FILE_BYTES: usize = 16 << 10;

/// Maximum number of lines about problems: twenty are enough for a tree that makes no sense.
const LINES_MAX: usize = 20;

impl Reading {
    pub(crate) fn begin() -> Self {
        Reading { buffer: vec![0; FILE_BYTES], lines: Vec::new(), more: 0 }
    }

    pub(crate) fn add(&mut self, line: Arguments<'_>) {
        match self.lines.len() < LINES_MAX {
            true => self.lines.push(line.to_string()),
            false => self.more += 1,
        }
    }

    pub(crate) fn into_lines(mut self) -> Vec<String> {
        if self.more > 0 {
            self.lines.push(format!("{} more files of this machine cannot be understood", self.more));
        }
        self.lines
    }
}

pub(crate) struct Files<'p> {
    /// The open folder; `None` where it does not exist or cannot be opened.
    folder: Option<Folder>,
    /// Path of the folder below the root, for messages.
    name: String,
    path: String,
    pub(crate) reading: &'p mut Reading,
}

impl<'p> Files<'p> {
    pub(crate) fn open(root: &Path, name: &str, reading: &'p mut Reading) -> Self {
        let folder = match Folder::open(&root.join(name)) {
            Ok(folder) => Some(folder),
            Err(error) => {
                if !is_missing(&error) {
                    reading.add(format_args!("/{name}: {error}"));
                }
                None
            }
        };
        let (name, path) = (name.to_owned(), String::with_capacity(64));
        Files { folder, name, path, reading }
    }

    /// Reads a file into the buffer and returns its length. `None` where the file cannot be read; every reason except a
    /// missing file is noted as a problem.
    fn bytes(&mut self, path: Arguments<'_>) -> Option<usize> {
        let folder = self.folder.as_ref()?;
        self.path.clear();
        write!(self.path, "{path}\0").ok()?;
        let path = CStr::from_bytes_with_nul(self.path.as_bytes()).ok()?;
        match folder.read(path, &mut self.reading.buffer) {
            Ok(bytes) => Some(bytes),
            Err(error) if is_missing(&error) => None,
            Err(error) => {
                let (name, path) = (&self.name, self.path.trim_end_matches('\0'));
                self.reading.add(format_args!("/{name}/{path}: {error}"));
                None
            }
        }
    }

    /// The parsed value of a file. Contents that make no sense are noted as a problem, and give `None` as a missing
    /// file does.
    fn value<T>(&mut self, path: Arguments<'_>, parse: impl Fn(&str) -> Said<T>) -> Option<T> {
        let bytes = self.bytes(path)?;
        let said = match bytes == self.reading.buffer.len() {
            true => Said::Nonsense("is longer than anything the kernel writes there"),
            false => match std::str::from_utf8(&self.reading.buffer[..bytes]) {
                // Captures may end in NUL bytes, and so do some files of old kernels.
                Ok(text) => parse(text.trim_matches(|c: char| c.is_whitespace() || c == '\0')),
                Err(_) => Said::Nonsense("is not text"),
            },
        };
        match said {
            Said::Value(value) => Some(value),
            Said::Unknown => None,
            Said::Nonsense(reason) => {
                let (name, path) = (&self.name, self.path.trim_end_matches('\0'));
                self.reading.add(format_args!("/{name}/{path} {reason}"));
                None
            }
        }
    }

    pub(crate) fn number(&mut self, path: Arguments<'_>) -> Option<u32> {
        self.value(path, parse::number)
    }

    /// An identifier: `None` where the file gives none, `Some(None)` where the kernel writes the value for "unknown".
    pub(crate) fn identifier(&mut self, path: Arguments<'_>) -> Option<Option<u32>> {
        self.value(path, |text| match parse::number(text) {
            Said::Value(number) => Said::Value(Some(number)),
            Said::Unknown => Said::Value(None),
            Said::Nonsense(reason) => Said::Nonsense(reason),
        })
    }

    /// A list of CPUs, which may be empty.
    pub(crate) fn list(&mut self, path: Arguments<'_>) -> Option<CpuSet> {
        self.value(path, parse::list)
    }

    pub(crate) fn mask(&mut self, path: Arguments<'_>) -> Option<CpuSet> {
        self.value(path, parse::mask)
    }

    pub(crate) fn size(&mut self, path: Arguments<'_>) -> Option<Bytes> {
        self.value(path, parse::size)
    }

    pub(crate) fn distances(&mut self, path: Arguments<'_>) -> Option<Vec<u32>> {
        self.value(path, parse::distances)
    }

    pub(crate) fn node_memory(&mut self, path: Arguments<'_>) -> Option<Bytes> {
        self.value(path, parse::node_memory)
    }

    /// The index of the word that a file holds among the words that the kernel writes there.
    pub(crate) fn word(&mut self, path: Arguments<'_>, words: &[&str]) -> Option<usize> {
        let place = |text: &str| match words.iter().position(|word| *word == text) {
            Some(place) => Said::Value(place),
            None if text.is_empty() => Said::Nonsense("is empty"),
            None => Said::Nonsense("holds none of the words that the kernel writes there"),
        };
        self.value(path, place)
    }
}

/// Whether a file or folder does not exist or has just disappeared, which is usual and no problem.
fn is_missing(error: &io::Error) -> bool {
    /// `ENXIO` and `ENODEV`: errors of sysfs for a device that went away between `open` and `read`.
    const GONE: [i32; 2] = [6, 19];
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
        || error.raw_os_error().is_some_and(|number| GONE.contains(&number))
}
