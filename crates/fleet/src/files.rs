//! Reads answers from files that grow: each is read from where the last read ended, and the amount of foreign text that
//! is kept is limited.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::FleetError;
use crate::engine::{Said, Task};
use crate::folder::RunFolder;
use crate::wire::{TEXT_BYTES_MAX, is_marked};

/// Maximum length of a line that is kept; those of an answer are much shorter.
const LINE_BYTES_MAX: u64 = 8 << 10;

/// A file that grows, with the position of the last read.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    inode: u64,
    /// Size of the file at the last look.
    bytes: u64,
    read_bytes: u64,
    /// Whether the following bytes belong to a line that is too long.
    is_in_long_line: bool,
}

impl Growing {
    /// Passes on new lines, and whether each is complete: an incomplete last line is passed on again when there is more
    /// of it. A file that was replaced is read from its beginning.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn lines(&mut self, path: &Path, each: &mut dyn FnMut(&str, bool)) -> Result<(), FleetError> {
        let Ok(facts) = fs::metadata(path) else { return Ok(()) };
        match facts.is_file() && self.has_changed(&facts) {
            true => self.read(path, each).map_err(FleetError::at(path)),
            false => Ok(()),
        }
    }

    fn has_changed(&self, facts: &Metadata) -> bool {
        (self.inode, self.bytes) != (facts.ino(), facts.len())
    }

    fn read(&mut self, path: &Path, each: &mut dyn FnMut(&str, bool)) -> io::Result<()> {
        let mut file = File::open(path)?;
        let facts = file.metadata()?;
        if self.inode != facts.ino() || facts.len() < self.read_bytes {
            *self = Growing { inode: facts.ino(), ..Growing::default() };
        }
        self.bytes = facts.len();
        file.seek(SeekFrom::Start(self.read_bytes))?;
        // Bytes written meanwhile are left to the next call: a node may write faster than they are read.
        let mut rest = BufReader::new(file).take(self.bytes - self.read_bytes);
        let mut line = Vec::new();
        while self.line(&mut rest, &mut line, each)? {
            line.clear();
        }
        Ok(())
    }

    /// Passes on one line; false at the end.
    fn line(
        &mut self,
        rest: &mut impl BufRead,
        line: &mut Vec<u8>,
        each: &mut dyn FnMut(&str, bool),
    ) -> io::Result<bool> {
        let bytes = rest.take(LINE_BYTES_MAX).read_until(b'\n', line)? as u64;
        let is_whole = line.pop_if(|byte| *byte == b'\n').is_some();
        let is_long = !is_whole && bytes == LINE_BYTES_MAX;
        if !self.is_in_long_line && !is_long && bytes > 0 {
            each(String::from_utf8_lossy(line).trim_end_matches('\r'), is_whole);
        }
        let is_passed = is_whole || is_long || self.is_in_long_line;
        self.read_bytes += if is_passed { bytes } else { 0 };
        self.is_in_long_line = !is_whole && (is_long || self.is_in_long_line);
        Ok(is_whole || is_long)
    }
}

/// Lines of tasks that have not been taken yet: for answers as much as two of the largest, since one may be sent twice,
/// and otherwise only the last line, which is all that is reported.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    bytes: HashMap<u32, usize>,
    said: Vec<Said>,
    last: BTreeMap<u32, String>,
}

impl Heard {
    /// Adds a line.
    pub(crate) fn add(&mut self, task: u32, line: &str) {
        if !is_marked(line) {
            if !line.trim().is_empty() {
                self.last.insert(task, line.to_owned());
            }
            return;
        }
        let bytes = self.bytes.entry(task).or_default();
        if *bytes + line.len() <= 2 * TEXT_BYTES_MAX {
            *bytes += line.len();
            self.said.push(Said { task, line: line.to_owned() });
        }
    }

    /// Takes all lines.
    pub(crate) fn take(&mut self) -> Vec<Said> {
        let mut said = std::mem::take(&mut self.said);
        said.extend(std::mem::take(&mut self.last).into_iter().map(|(task, line)| Said { task, line }));
        said
    }
}

/// Files of the tasks' answers.
#[derive(Debug, Default)]
pub(crate) struct Files {
    files: HashMap<u32, Growing>,
    heard: Heard,
}

impl Files {
    /// New lines of every file that has grown.
    pub(crate) fn said(
        &mut self,
        folder: &RunFolder,
        open: &[(Task, String)],
    ) -> Result<Vec<Said>, FleetError> {
        let Files { files, heard } = self;
        for (task, _) in open {
            let file = files.entry(task.number).or_default();
            file.lines(&folder.out(task.number), &mut |line, _| heard.add(task.number, line))?;
        }
        Ok(heard.take())
    }
}

/// Number of bytes at the end of an error file that are read.
const COMPLAINT_BYTES: u64 = 4096;

/// Last line of a task's error output.
pub(crate) fn complaint(folder: &RunFolder, task: u32) -> Option<String> {
    let text = end_of(&folder.errors(task), COMPLAINT_BYTES)?;
    text.lines().rev().find_map(crate::ask::one_line)
}

/// Text of up to this many bytes at the end of a file.
pub(crate) fn end_of(path: &Path, bytes: u64) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let begin = file.metadata().ok()?.len().saturating_sub(bytes);
    file.seek(SeekFrom::Start(begin)).ok()?;
    let mut end = Vec::new();
    file.take(bytes).read_to_end(&mut end).ok()?;
    Some(String::from_utf8_lossy(&end).into_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn append(path: &Path, text: &str) {
        let mut file = File::options().append(true).create(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn a_file_is_read_on_from_where_it_was_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut file = Growing::default();
        let mut lines = || {
            let mut lines = Vec::new();
            file.lines(&path, &mut |line, is_whole| lines.push((line.to_owned(), is_whole))).unwrap();
            lines
        };
        let of = |lines: &[(&str, bool)]| -> Vec<(String, bool)> {
            lines.iter().map(|(line, is_whole)| ((*line).to_owned(), *is_whole)).collect()
        };
        assert_eq!(lines(), []);
        append(&path, "one\r\ntw");
        assert_eq!(lines(), of(&[("one", true), ("tw", false)]));
        assert_eq!(lines(), []);
        append(&path, "o\n");
        assert_eq!(lines(), of(&[("two", true)]));
        // The file is replaced by one of the same length, and then truncated.
        fs::write(folder.path().join("next"), "1\n22\n333\n").unwrap();
        fs::rename(folder.path().join("next"), &path).unwrap();
        assert_eq!(lines(), of(&[("1", true), ("22", true), ("333", true)]));
        fs::write(&path, "4\n").unwrap();
        assert_eq!(lines(), of(&[("4", true)]));
    }

    #[test]
    fn lines_without_end_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut file = Growing::default();
        let mut longest = 0;
        let mut lines = |path: &Path| {
            let mut lines = Vec::new();
            file.lines(path, &mut |line, is_whole| {
                longest = longest.max(line.len());
                lines.extend(is_whole.then(|| line.to_owned()));
            })
            .unwrap();
            lines
        };
        append(&path, &format!("a\n{}", "x".repeat(1 << 20)));
        assert_eq!(lines(&path), ["a"]);
        append(&path, &"y".repeat(3));
        assert!(lines(&path).is_empty());
        append(&path, "z\nb\n");
        assert_eq!(lines(&path), ["b"]);
        assert!(longest < LINE_BYTES_MAX as usize);
    }

    /// A node that prints without end costs no more memory than one that gives an answer.
    #[test]
    fn of_what_is_no_answer_the_last_line_is_kept() {
        let mut heard = Heard::default();
        for at in 0..1000 {
            heard.add(7, &format!("line {at}"));
        }
        heard.add(7, "  ");
        heard.add(8, "fauxplat-answer/1 t 1/1 0 AA==");
        let said = heard.take();
        let line = |task: u32| -> Vec<&str> {
            said.iter().filter(|said| said.task == task).map(|said| said.line.as_str()).collect()
        };
        assert_eq!((line(7), line(8)), (vec!["line 999"], vec!["fauxplat-answer/1 t 1/1 0 AA=="]));
        let part = format!("fauxplat-answer/1 t 1/1 0 {}", "A".repeat(1 << 20));
        let count = (0..500).map(|_| heard.add(8, &part)).count();
        assert!(count == 500 && heard.take().len() < 200);
        assert!(heard.take().is_empty());
    }

    #[test]
    fn the_end_of_complaints_is_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("errors");
        append(&path, &format!("{}\nlast\n", "x".repeat(100_000)));
        assert_eq!(end_of(&path, 6).unwrap(), "\nlast\n");
        assert_eq!(end_of(&path, 1 << 20).unwrap().len(), 100_006);
        assert_eq!(end_of(&folder.path().join("none"), 6), None);
    }
}
