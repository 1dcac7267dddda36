//! The write-ahead journal: what is about to be changed is on the disk before it is changed.
//!
//! The file is only ever appended to. A record is one line: the CRC-32 of what follows in eight hexadecimal digits, a
//! blank, and JSON. The first record says who wrote it, in which boot and in which format. A line without its end
//! announces a change that was never made, since the change follows the record; anything else that cannot be read
//! is damage, and then nothing of the file is acted upon.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fauxplat_sys::{clock, process};
use serde::{Deserialize, Serialize};

use crate::changes::Action;
use crate::keeper::Keeper;
use crate::knob::Group;
use crate::{Root, TuneError};

/// Where the journal is unless somebody names another place. `/run` would do for what a boot undoes anyway, but it
/// is not emptied at boot everywhere, and `/var/lib` says that it must not be.
pub const DEFAULT_JOURNAL: &str = "/var/lib/fauxplat/journal";

/// The variable that names another place for all verbs.
const VARIABLE: &str = "FAUXPLAT_JOURNAL";

/// The journal's place.
pub fn default_journal() -> PathBuf {
    std::env::var_os(VARIABLE)
        .filter(|path| !path.is_empty())
        .map_or_else(|| DEFAULT_JOURNAL.into(), PathBuf::from)
}

/// The format that this version writes, and the latest that it reads.
const FORMAT: u64 = 1;

/// No journal is longer: a machine of 100,000 tasks makes two megabytes.
const BYTES_MAX: u64 = 256 << 20;

/// The first record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Opening {
    /// The format of the whole file.
    pub(crate) fauxplat_journal: u64,
    /// The boot in which the changes were made; no other boot knows of them.
    pub(crate) boot_id: String,
    /// The namespace in which task ids mean something.
    pub(crate) pid_namespace: String,
    pub(crate) pid: u32,
    pub(crate) uid: u32,
    pub(crate) argv: Vec<String>,
    pub(crate) kernel: String,
    pub(crate) time: String,
}

/// Any later record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
enum Record {
    /// This is about to be changed.
    Change { seq: usize, knob: String, group: Group, action: Action },
    /// It was, and this is what the kernel made of it.
    Got { seq: usize, value: Option<String> },
    /// The machine is to stay so until somebody restores it, or until this guardian does.
    Kept { guardian: Option<Keeper> },
    /// These changes were taken back, or there is nothing left to take back.
    Settled { seqs: Vec<usize> },
}

/// A change of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) seq: usize,
    pub(crate) knob: String,
    pub(crate) group: Group,
    pub(crate) action: Action,
    /// What the kernel made of it; `None` while it was in flight.
    pub(crate) got: Option<Option<String>>,
}

/// What a journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Story {
    pub(crate) opening: Opening,
    /// Changes that were not yet taken back, in the order in which they were made.
    pub(crate) entries: Vec<Entry>,
    /// Whether the machine was to stay so.
    pub(crate) kept: bool,
    /// Who restores it after a while.
    pub(crate) keeper: Option<Keeper>,
    /// The first number that no change has had.
    pub(crate) next_seq: usize,
    /// Number of the record that is cut off, if the file ends in the middle of one.
    pub(crate) cut: Option<usize>,
}

/// The journal while it is being written. The file is locked against other writers for as long.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    entries: usize,
}

impl Journal {
    /// Creates the journal, which must not exist, and sees it on the disk.
    ///
    /// It gets its name only with its first record in it, so that a journal without a beginning is always damage.
    pub(crate) fn create(path: &Path, root: &Root, argv: &[String]) -> Result<Self, TuneError> {
        let (fail, begun) = (failed(path), beside(path, ".new"));
        match fs::remove_file(&begun) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(error)),
            _ => {}
        }
        let mut options = OpenOptions::new();
        let file = options.append(true).create_new(true).mode(0o644).open(&begun).map_err(&fail)?;
        file.lock().map_err(&fail)?;
        let mut journal = Journal { file, path: path.to_owned(), entries: 0 };
        journal.append(&opening(root, argv))?;
        journal.sync()?;
        fs::hard_link(&begun, path).map_err(&fail)?;
        fs::remove_file(&begun).and_then(|()| sync_folder(path)).map_err(fail)?;
        Ok(journal)
    }

    /// Opens a journal to add what was taken back; waits while somebody else writes.
    pub(crate) fn reopen(path: &Path) -> Result<Option<Self>, TuneError> {
        let fail = failed(path);
        let file = match OpenOptions::new().read(true).append(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(&fail)?,
        };
        file.lock().map_err(&fail)?;
        // Whoever held the lock before may have taken everything back and removed the file.
        let still = fs::metadata(path).is_ok_and(|now| {
            file.metadata().is_ok_and(|ours| (now.dev(), now.ino()) == (ours.dev(), ours.ino()))
        });
        Ok(still.then(|| Journal { file, path: path.to_owned(), entries: 0 }))
    }

    /// Announces a change, and returns its number once it is on the disk. Only then may it be made.
    pub(crate) fn announce(&mut self, knob: &str, group: Group, action: &Action) -> Result<usize, TuneError> {
        let seq = self.entries;
        self.entries += 1;
        let (knob, action) = (knob.to_owned(), action.clone());
        self.append(&Record::Change { seq, knob, group, action })?;
        self.sync()?;
        Ok(seq)
    }

    /// The same for a change that lasts for the time of a restoration, and is made by whoever restores this story: if they
    /// are ended, the next one puts it back too. It need not reach the disk either: after a power cut the machine is new.
    pub(crate) fn note(
        &mut self,
        knob: &str,
        group: Group,
        action: &Action,
        story: &Story,
    ) -> Result<usize, TuneError> {
        let seq = story.next_seq;
        let (knob, action) = (knob.to_owned(), action.clone());
        self.append(&Record::Change { seq, knob, group, action })?;
        Ok(seq)
    }

    /// Says what became of a change. It need not reach the disk: after a power cut the machine is new anyway.
    pub(crate) fn got(&mut self, seq: usize, value: Option<String>) -> Result<(), TuneError> {
        self.append(&Record::Got { seq, value })
    }

    /// Says that the machine is to stay so.
    pub(crate) fn keep(&mut self, guardian: Option<Keeper>) -> Result<(), TuneError> {
        self.append(&Record::Kept { guardian })?;
        self.sync()
    }

    /// Says which changes were taken back.
    pub(crate) fn settle(&mut self, seqs: Vec<usize>) -> Result<(), TuneError> {
        self.append(&Record::Settled { seqs })
    }

    /// Removes the file: nothing is left to take back.
    pub(crate) fn remove(self) -> Result<(), TuneError> {
        fs::remove_file(&self.path).map_err(failed(&self.path))?;
        sync_folder(&self.path).map_err(failed(&self.path))
    }

    /// Lets others write. What follows is announced after [`Journal::reopen`] alone.
    pub(crate) fn close(self) {}

    /// Everything that the file says.
    pub(crate) fn story(&mut self) -> Result<Story, TuneError> {
        read_from(&self.path, &self.file)
    }

    fn append(&mut self, record: &impl Serialize) -> Result<(), TuneError> {
        let fail = failed(&self.path);
        let text = serde_json::to_string(record).map_err(|error| fail(io::Error::other(error)))?;
        let line = format!("{} {text}\n", checksum(&text));
        self.file.write_all(line.as_bytes()).map_err(fail)
    }

    fn sync(&self) -> Result<(), TuneError> {
        self.file.sync_data().map_err(failed(&self.path))
    }
}

/// Reads a journal; `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Story>, TuneError> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => read_from(path, &opened.map_err(failed(path))?).map(Some),
    }
}

fn read_from(path: &Path, file: &File) -> Result<Story, TuneError> {
    let fail = failed(path);
    let facts = file.metadata().map_err(&fail)?;
    // Whoever may write the journal decides what root writes to the machine.
    if facts.uid() != process::user_id() && process::is_root() {
        return Err(TuneError::Foreign { path: path.to_owned(), owner: facts.uid() });
    }
    let mut again = File::open(path).map_err(&fail)?;
    let mut bytes = Vec::new();
    io::Read::by_ref(&mut again).take(BYTES_MAX).read_to_end(&mut bytes).map_err(fail)?;
    parse(path, &bytes)
}

/// The story in the bytes of a journal.
fn parse(path: &Path, bytes: &[u8]) -> Result<Story, TuneError> {
    let damaged = |record: usize, reason: &str| TuneError::Damaged {
        path: path.to_owned(),
        record,
        reason: reason.to_owned(),
    };
    let (whole, rest) = match bytes.iter().rposition(|&byte| byte == b'\n') {
        Some(end) => bytes.split_at(end + 1),
        None => (&bytes[..0], bytes),
    };
    let mut lines = whole.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let opening = match lines.next() {
        Some(line) => read_opening(path, line)?,
        None => return Err(damaged(1, "it has no beginning")),
    };
    let mut story = Story { opening, entries: Vec::new(), kept: false, keeper: None, next_seq: 0, cut: None };
    let mut records = 1;
    for line in lines {
        records += 1;
        let record = checked(line)
            .and_then(|text| serde_json::from_str(text).map_err(|_| "it is no record of this format"))
            .and_then(plausible);
        story.add(record.map_err(|reason| damaged(records, reason))?);
    }
    story.cut = (!rest.is_empty()).then_some(records + 1);
    Ok(story)
}

fn read_opening(path: &Path, line: &[u8]) -> Result<Opening, TuneError> {
    let damaged =
        |reason: &str| TuneError::Damaged { path: path.to_owned(), record: 1, reason: reason.to_owned() };
    let text = checked(line).map_err(damaged)?;
    let value: serde_json::Value = serde_json::from_str(text).map_err(|_| damaged("it is not JSON"))?;
    match value["fauxplat_journal"].as_u64() {
        Some(found) if found > FORMAT => {
            Err(TuneError::Newer { path: path.to_owned(), found, known: FORMAT })
        }
        Some(_) => serde_json::from_value(value).map_err(|_| damaged("it lacks what a journal begins with")),
        None => Err(damaged("it is no journal of fauxplat")),
    }
}

/// A record that only names files of the kernel: a journal is no way to write anywhere else.
fn plausible(record: Record) -> Result<Record, &'static str> {
    match &record {
        Record::Change { action, .. } if !action.is_plausible() => {
            Err("it names a place outside /proc and /sys")
        }
        _ => Ok(record),
    }
}

/// The text of a line whose checksum is right.
fn checked(line: &[u8]) -> Result<&str, &'static str> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not text")?;
    let (sum, text) = text.split_once(' ').ok_or("it has no checksum")?;
    // As it is written, to the letter: a digit that became a capital is damage, too.
    if sum == checksum(text) { Ok(text) } else { Err("its checksum is wrong") }
}

fn checksum(text: &str) -> String {
    format!("{:08x}", crc32fast::hash(text.as_bytes()))
}

impl Story {
    fn add(&mut self, record: Record) {
        match record {
            Record::Change { seq, knob, group, action } => {
                self.next_seq = self.next_seq.max(seq.saturating_add(1));
                self.entries.push(Entry { seq, knob, group, action, got: None });
            }
            Record::Got { seq, value } => {
                if let Some(entry) = self.entries.iter_mut().find(|entry| entry.seq == seq) {
                    entry.got = Some(value);
                }
            }
            Record::Kept { guardian } => (self.kept, self.keeper) = (true, guardian),
            Record::Settled { seqs } => self.entries.retain(|entry| !seqs.contains(&entry.seq)),
        }
    }
}

/// An error about the journal.
pub(crate) fn failed(path: &Path) -> impl Fn(io::Error) -> TuneError {
    let path = path.to_owned();
    move |source| TuneError::Journal { path: path.clone(), source }
}

/// A file beside the journal.
pub(crate) fn beside(journal: &Path, suffix: &str) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A new name in a folder is on the disk only when the folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn opening(root: &Root, argv: &[String]) -> Opening {
    Opening {
        fauxplat_journal: FORMAT,
        boot_id: boot_id(root),
        pid_namespace: pid_namespace(root),
        pid: std::process::id(),
        uid: process::user_id(),
        argv: argv.to_vec(),
        kernel: root.value("proc/sys/kernel/osrelease").unwrap_or_default(),
        time: clock::now_rfc3339(),
    }
}

/// The identifier of this boot; empty where the root has none.
pub(crate) fn boot_id(root: &Root) -> String {
    root.value("proc/sys/kernel/random/boot_id").unwrap_or_default()
}

/// The namespace of process ids, as `/proc/PID/ns/pid` names it.
pub(crate) fn pid_namespace(root: &Root) -> String {
    fs::read_link(root.join("proc/self/ns/pid"))
        .map_or_else(|_| String::new(), |name| name.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(folder: &Path) -> PathBuf {
        let (path, root) = (folder.join("journal"), Root::new(folder));
        let mut journal = Journal::create(&path, &root, &["fauxplat".into(), "tune".into()]).unwrap();
        for want in ["1", "2"] {
            let file = format!("proc/{want}");
            let action =
                Action::Write { file, form: Default::default(), old: "0\n".into(), want: want.into() };
            let seq = journal.announce("ksm", Group::Memory, &action).unwrap();
            journal.got(seq, Some(want.into())).unwrap();
        }
        path
    }

    #[test]
    fn a_journal_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = journal(folder.path());
        let story = read(&path).unwrap().unwrap();
        assert_eq!((story.entries.len(), story.kept, story.cut), (2, false, None));
        assert_eq!(story.entries[1].got, Some(Some("2".into())));
        let mut again = Journal::reopen(&path).unwrap().unwrap();
        again.settle(vec![0]).unwrap();
        again.keep(None).unwrap();
        let story = read(&path).unwrap().unwrap();
        assert_eq!((story.entries.len(), story.entries[0].seq, story.kept), (1, 1, true));
        again.remove().unwrap();
        assert_eq!(read(&path).unwrap(), None);
        assert!(Journal::reopen(&path).unwrap().is_none());
    }

    /// A cut is told wherever it falls, every changed byte is found, and neither panics.
    #[test]
    fn damage_is_found_at_every_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = journal(folder.path());
        let bytes = fs::read(&path).unwrap();
        for end in 0..bytes.len() {
            match parse(&path, &bytes[..end]) {
                Ok(story) => assert_eq!(story.cut.is_none(), bytes[end - 1] == b'\n', "cut at {end}"),
                Err(error) => assert!(matches!(error, TuneError::Damaged { record: 1, .. }), "{error}"),
            }
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x15;
            let read = parse(&path, &changed);
            let cut = |story: &Story| story.cut.is_some();
            assert!(read.as_ref().map_or(true, cut), "byte {at}: {read:?}");
        }
    }

    #[test]
    fn a_later_format_is_named_and_not_guessed_at() {
        let text = format!("{{\"fauxplat_journal\":{},\"anything\":[]}}", FORMAT + 1);
        let line = format!("{:08x} {text}\nwhatever follows\n", crc32fast::hash(text.as_bytes()));
        let error = parse(Path::new("j"), line.as_bytes()).unwrap_err();
        assert!(matches!(error, TuneError::Newer { found: 2, known: 1, .. }), "{error}");
    }
}
