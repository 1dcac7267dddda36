//! The write-ahead journal: every change is announced on the disk before it is made.
//!
//! Records are only appended to the file. A record is a line: the CRC-32 of the text in eight hexadecimal digits, a
//! blank, and the text, which is JSON. The first record contains the writer, the boot and the format. A line without
//! its end announces a change that was never made, since the change follows the record. Any other unreadable line is
//! damage, and then no record of the file is used.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fauxplat_sys::{clock, files, process};
use serde::{Deserialize, Serialize};

use crate::changes::Action;
use crate::error::failed;
use crate::keeper::Keeper;
use crate::knob::Group;
use crate::place::{beside, is_still};
use crate::{Root, TuneError, place};

/// Version of the format that this fauxplat writes, and the latest that it reads.
const FORMAT: u64 = 1;

/// Maximum size in bytes of a journal that is read; a machine of 100,000 tasks needs two megabytes.
const BYTES_MAX: u64 = 256 << 20;

/// The first record of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Opening {
    /// Version of the format of the whole file.
    pub(crate) fauxplat_journal: u64,
    /// Identifier of the boot in which the changes were made; a reboot undoes them.
    pub(crate) boot_id: String,
    /// PID namespace in which the task ids of the journal are valid.
    pub(crate) pid_namespace: String,
    pub(crate) pid: u32,
    pub(crate) uid: u32,
    pub(crate) argv: Vec<String>,
    pub(crate) kernel: String,
    pub(crate) time: String,
}

/// Any record of a journal but the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
enum Record {
    /// A change is about to be made.
    Change { seq: usize, knob: String, group: Group, action: Action },
    /// A change was made, after which this value was read back.
    Got { seq: usize, value: Option<String> },
    /// The machine is to stay tuned until a user restores it, or this guardian does at the time limit.
    Kept { guardian: Option<Keeper> },
    /// These changes were undone, or nothing of them is left to undo.
    Settled { seqs: Vec<usize> },
}

/// A change that the journal announces, and that is not undone yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) seq: usize,
    pub(crate) knob: String,
    pub(crate) group: Group,
    pub(crate) action: Action,
    /// Value read back after the change; the inner `None` if it could not be read, or if the change writes no value.
    /// The outer `None`: the process that made the change ended before it recorded a reading.
    pub(crate) got: Option<Option<String>>,
}

impl Entry {
    /// Returns whether the file had its original value after the writes of its group. The frequency group announces
    /// files that it does not write, since writing a governor may change them.
    pub(crate) fn is_untouched(&self) -> bool {
        let Action::Write { form, old, .. } = &self.action else { return false };
        self.got.as_ref().is_some_and(|got| got.as_ref() == Some(&form.value(old)))
    }
}

/// Content of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Story {
    pub(crate) opening: Opening,
    /// Changes that are not undone yet, in the order in which they were made.
    pub(crate) entries: Vec<Entry>,
    /// Whether the machine is to stay tuned.
    pub(crate) kept: bool,
    /// The guardian that restores the machine at the time limit; `None` without a limit.
    pub(crate) keeper: Option<Keeper>,
    /// Smallest number that no change in the journal has.
    pub(crate) next_seq: usize,
    /// Number of the last record if it is incomplete, else `None`.
    pub(crate) cut: Option<usize>,
}

/// A journal that is being written; the file is locked against other writers.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    entries: usize,
    /// Error number that tells why nothing can be appended: the file is read-only, or its last record is incomplete and
    /// could not be cut off. `None` while records can be appended.
    closed: Option<i32>,
}

/// Time limit of the wait for another writer, and the pause between two attempts. Writing a record takes less; a disk
/// that hangs for longer must not keep the machine from being restored.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

impl Journal {
    /// Creates the journal, which must not exist, and syncs it to the disk. Only the owner can access the journal, and
    /// the folder that is created for it.
    ///
    /// The file gets its name only when it contains its first record, so a journal without a first record is always
    /// damaged.
    pub(crate) fn create(path: &Path, root: &Root, argv: &[String]) -> Result<Self, TuneError> {
        let opening = opening(path, root, argv)?;
        place::prepare(path)?;
        let begun = beside(path, ".new");
        let journal = Journal::begin(path, &begun, &opening);
        let named =
            journal.and_then(|journal| fs::hard_link(&begun, path).map(|()| journal).map_err(failed(path)));
        // `begun` was only a second name of the new journal; if the link could not be made, the file takes space on a
        // full disk.
        let removed = fs::remove_file(&begun);
        named.and_then(|journal| {
            let seen = removed.and_then(|()| sync_folder(path)).map_err(failed(path));
            // Without a synced folder, a power cut could lose the journal's name. The journal announces no change yet,
            // so it is removed.
            seen.inspect_err(|_| drop(fs::remove_file(path))).map(|()| journal)
        })
    }

    fn begin(path: &Path, begun: &Path, opening: &Opening) -> Result<Self, TuneError> {
        let fail = failed(path);
        match fs::remove_file(begun) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(error)),
            _ => {}
        }
        let mut options = File::options();
        options.read(true).append(true).create_new(true).mode(0o600);
        let file = files::open_itself(&mut options, begun).map_err(&fail)?;
        file.lock().map_err(&fail)?;
        let mut journal = Journal { file, path: path.to_owned(), entries: 0, closed: None };
        journal.append(opening)?;
        journal.sync()?;
        Ok(journal)
    }

    /// Opens a journal to record which changes were undone, and waits while another process writes; `None` if there is
    /// no journal. A read-only journal can also be used for a restoration.
    pub(crate) fn reopen(path: &Path) -> Result<Option<Self>, TuneError> {
        let (file, closed) = match files::open_itself(File::options().read(true).append(true), path) {
            Ok(file) => (file, None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => match files::open_itself(File::options().read(true), path) {
                Ok(file) => (file, Some(error.raw_os_error().unwrap_or_default())),
                Err(_) => return Err(failed(path)(error)),
            },
        };
        wait_for_writers(&file);
        // The process that held the lock of the file may have undone everything and removed the file.
        let still = is_still(path, &file);
        Ok(still.then(|| Journal { file, path: path.to_owned(), entries: 0, closed }))
    }

    /// Announces a change, and returns its number once the record is on the disk. The change may be made only after
    /// that.
    pub(crate) fn announce(&mut self, knob: &str, group: Group, action: &Action) -> Result<usize, TuneError> {
        let seq = self.add(knob, group, action)?;
        self.sync()?;
        Ok(seq)
    }

    /// Announces several changes, and returns their numbers once all records are on the disk.
    pub(crate) fn announce_all<'a>(
        &mut self,
        group: Group,
        actions: impl Iterator<Item = (&'a str, &'a Action)>,
    ) -> Result<Vec<usize>, TuneError> {
        let seqs = actions.map(|(knob, action)| self.add(knob, group, action)).collect::<Result<_, _>>()?;
        self.sync()?;
        Ok(seqs)
    }

    /// Adds the record of a change. A record that a restoration would refuse is not written, since a single such record
    /// would make the whole journal damaged.
    fn add(&mut self, knob: &str, group: Group, action: &Action) -> Result<usize, TuneError> {
        if !action.is_plausible() {
            let (path, target, wanted) = (self.path.clone(), action.target(), action.wanted());
            return Err(TuneError::Implausible { path, target, wanted });
        }
        let seq = self.entries;
        self.entries += 1;
        let (knob, action) = (knob.to_owned(), action.clone());
        self.append(&Record::Change { seq, knob, group, action })?;
        Ok(seq)
    }

    /// Records a change that lasts only while this journal is restored: if the restoring process is killed, the next
    /// one undoes the change too. The record need not reach the disk, since after a power cut the machine boots with
    /// default values.
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

    /// Records the value that was read back after a change. The record need not reach the disk, since after a power cut
    /// the machine boots with default values.
    pub(crate) fn got(&mut self, seq: usize, value: Option<String>) -> Result<(), TuneError> {
        self.append(&Record::Got { seq, value })
    }

    pub(crate) fn keep(&mut self, guardian: Option<Keeper>) -> Result<(), TuneError> {
        self.append(&Record::Kept { guardian })?;
        self.sync()
    }

    pub(crate) fn settle(&mut self, seqs: Vec<usize>) -> Result<(), TuneError> {
        self.append(&Record::Settled { seqs })
    }

    pub(crate) fn remove(&self) -> Result<(), TuneError> {
        fs::remove_file(&self.path).map_err(failed(&self.path))?;
        // If a power cut brings the file back, its boot id is no longer that of the present boot.
        let _unseen = sync_folder(&self.path);
        Ok(())
    }

    /// Releases the lock for other processes; to add further records, the journal has to be opened by
    /// [`Journal::reopen`].
    pub(crate) fn close(self) {}

    pub(crate) fn story(&mut self) -> Result<Story, TuneError> {
        read_from(&self.path, &mut self.file)
    }

    fn append(&mut self, record: &impl Serialize) -> Result<(), TuneError> {
        let fail = failed(&self.path);
        let text = serde_json::to_string(record).map_err(|error| fail(io::Error::other(error)))?;
        let line = format!("{} {text}\n", checksum(&text));
        if let Some(reason) = self.closed {
            return Err(fail(io::Error::from_raw_os_error(reason)));
        }
        let before = self.file.metadata().map_err(&fail)?.len();
        self.file.write_all(line.as_bytes()).map_err(|error| {
            // A part of the record may have been written, and records after an incomplete record would be damage.
            if self.file.set_len(before).is_err() {
                self.closed = Some(error.raw_os_error().unwrap_or_default());
            }
            fail(error)
        })
    }

    fn sync(&self) -> Result<(), TuneError> {
        self.file.sync_data().map_err(failed(&self.path))
    }
}

/// Reads a journal; `None` if there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Story>, TuneError> {
    match files::open_itself(File::options().read(true), path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => read_from(path, &mut opened.map_err(failed(path))?).map(Some),
    }
}

/// Reads a journal from the file that was opened, and checks that file, since its name may refer to another file by
/// now.
fn read_from(path: &Path, file: &mut File) -> Result<Story, TuneError> {
    place::check_folder(path)?;
    place::check_file(path, file)?;
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.take(BYTES_MAX).read_to_end(&mut bytes));
    read.map_err(failed(path))?;
    parse(path, &bytes)
}

/// Waits until no other process writes to the journal, at most for [`PATIENCE`].
fn wait_for_writers(file: &File) {
    let since_ns = clock::monotonic_ns();
    while matches!(file.try_lock(), Err(TryLockError::WouldBlock))
        && clock::monotonic_ns() - since_ns < PATIENCE.as_nanos() as u64
    {
        std::thread::sleep(PAUSE);
    }
}

/// Parses the bytes of a journal.
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
        None => return Err(damaged(1, "there is no complete line")),
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
        Some(_) => serde_json::from_value(value).map_err(|_| damaged("it lacks fields of a first record")),
        None => Err(damaged("it is no journal of fauxplat")),
    }
}

/// Refuses a record with a path that no knob may write, since a journal must not make root write anywhere else.
fn plausible(record: Record) -> Result<Record, &'static str> {
    match &record {
        Record::Change { action, .. } if !action.is_plausible() => {
            Err("it names a place that no knob leads to")
        }
        _ => Ok(record),
    }
}

/// Returns the text of a line if the checksum at its beginning is correct.
fn checked(line: &[u8]) -> Result<&str, &'static str> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not text")?;
    let (sum, text) = text.split_once(' ').ok_or("it has no checksum")?;
    // The checksums are compared as texts: a hexadecimal digit that became a capital letter is damage as well.
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
            Record::Settled { seqs } => {
                let is_back = |entry: &mut Entry| seqs.contains(&entry.seq);
                for back in self.entries.extract_if(.., is_back).collect::<Vec<_>>() {
                    self.entries.iter_mut().for_each(|entry| entry.action.forget(&back.action));
                }
            }
        }
    }
}

/// Syncs the folder of a file, since the name of a new file is on the disk only once its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn opening(path: &Path, root: &Root, argv: &[String]) -> Result<Opening, TuneError> {
    Ok(Opening {
        fauxplat_journal: FORMAT,
        boot_id: boot_id(path, root)?,
        pid_namespace: pid_namespace(root),
        pid: std::process::id(),
        uid: process::user_id(),
        argv: argv.to_vec(),
        kernel: root.value("proc/sys/kernel/osrelease").unwrap_or_default(),
        time: clock::now_rfc3339(),
    })
}

const BOOT_ID: &str = "proc/sys/kernel/random/boot_id";

/// Returns the identifier of the present boot.
///
/// # Errors
/// Fails where the identifier cannot be read: nobody could tell then whether the values in a journal are the original
/// ones of this boot, or stale ones of an earlier boot.
pub(crate) fn boot_id(path: &Path, root: &Root) -> Result<String, TuneError> {
    root.value(BOOT_ID)
        .filter(|id| !id.is_empty())
        .ok_or_else(|| TuneError::NoBootId { path: path.to_owned(), file: root.join(BOOT_ID) })
}

/// Returns the name of the PID namespace of this process, as `/proc/PID/ns/pid` gives it; empty if it cannot be read.
pub(crate) fn pid_namespace(root: &Root) -> String {
    fs::read_link(root.join("proc/self/ns/pid"))
        .map_or_else(|_| String::new(), |name| name.display().to_string())
}

#[cfg(test)]
mod tests;
