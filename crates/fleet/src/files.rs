//! Reads answers from growing files: each read continues where the last read ended, and the amount of foreign text that
//! is kept is limited.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fauxplat_sys::files::open_regular;

use crate::FleetError;
use crate::engine::{Said, Task};
use crate::folder::RunFolder;
use crate::wire::{TEXT_BYTES_MAX, is_marked};

/// Maximum length in bytes of a line that is read; lines of an answer are much shorter.
const LINE_BYTES_MAX: u64 = 8 << 10;

/// Position in a file that grows while it is read.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    inode: u64,
    /// Size of the file in bytes when it was last checked.
    bytes: u64,
    read_bytes: u64,
    /// Whether the next bytes of the file continue a line longer than [`LINE_BYTES_MAX`], which is dropped.
    is_in_long_line: bool,
}

impl Growing {
    /// Passes to `each` the lines written since the last call, and whether each is complete: an incomplete last line is
    /// passed again when more of it has been written. A file that was replaced is read from its beginning.
    ///
    /// # Errors
    /// Fails where the file cannot be read.
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
        let mut file = open_regular(path)?;
        let facts = file.metadata()?;
        if self.inode != facts.ino() || facts.len() < self.read_bytes {
            *self = Growing { inode: facts.ino(), ..Growing::default() };
        }
        self.bytes = facts.len();
        file.seek(SeekFrom::Start(self.read_bytes))?;
        // Bytes that are written during this call are left to the next one, since a node may write faster than the file
        // is read.
        let mut rest = BufReader::new(file).take(self.bytes - self.read_bytes);
        let mut line = Vec::new();
        while self.line(&mut rest, &mut line, each)? {
            line.clear();
        }
        Ok(())
    }

    /// Reads one line and passes it to `each`; returns false at the end of the file.
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

/// Lines of tasks that the caller has not fetched yet. Of each task, marked lines (parts of an answer) are stored up to
/// twice the size of the largest answer, since an answer may be sent twice, and of all other lines only the last, which
/// is reported if no answer comes.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    bytes: HashMap<u32, usize>,
    said: Vec<Said>,
    last: BTreeMap<u32, String>,
}

impl Heard {
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

    pub(crate) fn take(&mut self) -> Vec<Said> {
        let mut said = std::mem::take(&mut self.said);
        said.extend(std::mem::take(&mut self.last).into_iter().map(|(task, line)| Said { task, line }));
        said
    }
}

/// Minimum time in nanoseconds between two listings of the folder of answers while the answer of an ended task is
/// awaited: the folder may be on a file system that all nodes share, and whose server has other work.
const SOON_NS: u64 = 500_000_000;

/// First interval in nanoseconds between two listings of the folder of answers, while no task is known to have ended.
const IDLE_NS: u64 = 5_000_000_000;

/// Longest interval in nanoseconds between two listings of the folder of answers, and between two queries of an engine,
/// while all tasks wait.
pub(crate) const IDLE_MAX_NS: u64 = 30_000_000_000;

/// Files with the answers of tasks. The cost of looking for them does not grow with the number of nodes: the folder is
/// listed once, and only files that are new, or whose task has ended, are opened.
#[derive(Debug, Default)]
pub(crate) struct Files {
    files: HashMap<u32, Growing>,
    heard: Heard,
    /// Tasks that have ended, whose answers are awaited.
    due: HashSet<u32>,
    /// Monotonic time in nanoseconds of the last listing of the folder; `None` before the first.
    listed_ns: Option<u64>,
    idle_ns: u64,
    #[cfg(test)]
    listings: u32,
}

impl Files {
    /// Records that a task has ended: its answer exists, or will appear as soon as the file system shows it.
    pub(crate) fn expect(&mut self, task: u32) {
        self.due.insert(task);
        self.idle_ns = IDLE_NS;
    }

    /// Returns new lines from the files of tasks that have ended, which are visible at once, since these tasks run on
    /// this machine.
    pub(crate) fn of_ended(
        &mut self,
        folder: &RunFolder,
        open: &[(Task, String)],
    ) -> Result<Vec<Said>, FleetError> {
        let due = std::mem::take(&mut self.due);
        for (task, _) in open.iter().filter(|(task, _)| due.contains(&task.number)) {
            self.read(folder, task.number)?;
        }
        Ok(self.heard.take())
    }

    /// Returns new lines of files that have appeared in the folder. The file of a task for whose handle `grows` returns
    /// true is written bit by bit, and is read only after the task has ended; all other files appear complete. The
    /// folder is listed at most twice a second, and ever more rarely while no answer arrives.
    pub(crate) fn appeared(
        &mut self,
        folder: &RunFolder,
        open: &[(Task, String)],
        grows: impl Fn(&str) -> bool,
        now_ns: u64,
    ) -> Result<Vec<Said>, FleetError> {
        if open.is_empty() || !self.is_time(now_ns) {
            return Ok(Vec::new());
        }
        let path = folder.file("out");
        let names: HashSet<u32> = fs::read_dir(&path)
            .map_err(FleetError::at(&path))?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        let idle_ns = self.idle_ns.max(IDLE_NS);
        self.idle_ns = (idle_ns + idle_ns / 2).min(IDLE_MAX_NS);
        let is_first = self.listed_ns.is_none();
        self.listed_ns = Some(now_ns);
        #[cfg(test)]
        {
            self.listings += 1;
        }
        for (task, handle) in open.iter().filter(|(task, _)| names.contains(&task.number)) {
            let is_due = self.due.remove(&task.number);
            let is_new = !grows(handle) && !self.files.contains_key(&task.number);
            if is_due || is_new || is_first {
                self.read(folder, task.number)?;
                self.idle_ns = IDLE_NS;
            }
        }
        let is_open: HashSet<u32> = open.iter().map(|(task, _)| task.number).collect();
        self.due.retain(|task| is_open.contains(task));
        Ok(self.heard.take())
    }

    fn is_time(&self, now_ns: u64) -> bool {
        let wait_ns = if self.due.is_empty() { self.idle_ns.max(IDLE_NS) } else { SOON_NS };
        self.listed_ns.is_none_or(|listed_ns| now_ns - listed_ns >= wait_ns)
    }

    fn read(&mut self, folder: &RunFolder, task: u32) -> Result<(), FleetError> {
        let Files { files, heard, .. } = self;
        files.entry(task).or_default().lines(&folder.out(task), &mut |line, _| heard.add(task, line))
    }
}

/// Number of bytes at the end of a task's error output that are read.
const COMPLAINT_BYTES: u64 = 4096;

/// Returns the last line of a task's error output; `None` if there is none.
pub(crate) fn complaint(folder: &RunFolder, task: u32) -> Option<String> {
    let text = end_of(&folder.errors(task), COMPLAINT_BYTES)?;
    text.lines().rev().find_map(crate::ask::one_line)
}

/// Returns the last bytes of a file, at most this many, as text; `None` if the file cannot be read.
pub(crate) fn end_of(path: &Path, bytes: u64) -> Option<String> {
    let mut file = open_regular(path).ok()?;
    let begin = file.metadata().ok()?.len().saturating_sub(bytes);
    file.seek(SeekFrom::Start(begin)).ok()?;
    let mut end = Vec::new();
    file.take(bytes).read_to_end(&mut end).ok()?;
    Some(String::from_utf8_lossy(&end).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
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
        // The file is replaced by another file of the same length, which is then truncated.
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

    /// A node that prints without end takes no more memory here than a node that answers.
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

    /// A thousand queued nodes cost as little as one node: the folder is listed ever more rarely, until a job ends.
    #[test]
    fn waiting_costs_the_same_whatever_the_size_of_the_fleet() {
        const S: u64 = 1_000_000_000;
        let runs = crate::private();
        let folder = RunFolder::make(runs.path()).unwrap();
        let task =
            |number| Task { number, node: format!("n{number}"), round: 0, attempt: 1, token: "t".into() };
        let open: Vec<(Task, String)> = (0..1000).map(|number| (task(number), number.to_string())).collect();
        let mut files = Files::default();
        let said = |files: &mut Files, now_ns| {
            files.appeared(&folder, &open, |handle| handle == "8", now_ns).unwrap().len()
        };
        // Times of fifty calls a second, for an hour.
        let hour = |from_s: u64| (0..180_000).map(move |at| from_s * S + at * S / 50);
        assert_eq!(hour(0).map(|now_ns| said(&mut files, now_ns)).sum::<usize>(), 0);
        assert!(files.listings < 140, "{}", files.listings);
        let of = |number: u32| {
            let line = format!("fauxplat-answer/1 t 1/1 0 AA==\n{number}\n");
            fs::write(folder.out(number), line).unwrap();
        };
        [7, 8].into_iter().for_each(of);
        // A file that appears complete is read at the next listing; a growing file is read when its task has ended.
        assert_eq!(hour(3600).map(|now_ns| said(&mut files, now_ns)).sum::<usize>(), 2);
        files.expect(8);
        let before = files.listings;
        assert_eq!(said(&mut files, 7201 * S), 2);
        assert_eq!((files.listings - before, files.due.len()), (1, 0));
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
