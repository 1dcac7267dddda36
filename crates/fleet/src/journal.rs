//! An append-only file of the events of a run, one per line, with a checksum each. Flushed lines survive any end of the
//! process, and an incomplete last line is ignored.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use fauxplat_sys::files::{open_regular, open_regular_with};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::FleetError;

#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    waiting: String,
}

impl Journal {
    /// Opens the journal, and passes its entries to `each`. An incomplete last line was never confirmed as written, and
    /// is cut off; damage before that is an error, since all entries after it would be lost silently.
    ///
    /// # Errors
    /// Fails where the journal cannot be read or written, or is damaged.
    pub(crate) fn open<E: DeserializeOwned>(path: &Path, each: impl FnMut(E)) -> Result<Self, FleetError> {
        let file = open_regular_with(File::options().read(true).append(true).create(true), path);
        let file = file.map_err(FleetError::at(path))?;
        let good_bytes = read(&file, path, each)?;
        file.set_len(good_bytes).map_err(FleetError::at(path))?;
        Ok(Journal { file, path: path.to_owned(), waiting: String::new() })
    }

    /// Passes the entries of a journal to `each` without changing the file, and returns whether the file ends within a
    /// line.
    ///
    /// # Errors
    /// Returns the errors of [`Journal::open`].
    pub(crate) fn entries<E: DeserializeOwned>(path: &Path, each: impl FnMut(E)) -> Result<bool, FleetError> {
        let file = open_regular(path).map_err(FleetError::at(path))?;
        let good_bytes = read(&file, path, each)?;
        Ok(file.metadata().map_err(FleetError::at(path))?.len() > good_bytes)
    }

    /// Adds an entry to the journal, which is durable after the next [`Journal::flush`].
    pub(crate) fn add(&mut self, entry: &impl Serialize) {
        // Entries are plain data, which always has a JSON form.
        let text = serde_json::to_string(entry).unwrap_or_default();
        self.waiting += &format!("{:08x} {text}\n", crc32fast::hash(text.as_bytes()));
    }

    pub(crate) fn is_flushed(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns a journal that cannot be written, as on a full disk.
    #[cfg(test)]
    pub(crate) fn on_a_full_disk() -> Self {
        let path = PathBuf::from("/dev/full");
        let file = File::options().append(true).open(&path).expect("Linux has it, see `full(4)`");
        Journal { file, path, waiting: String::new() }
    }

    /// Writes the entries added since the last flush, and waits until they are on the disk. If the disk is full, no
    /// partial entry remains in the file, and the entries wait for the next flush.
    ///
    /// # Errors
    /// Fails where the file cannot be written.
    pub(crate) fn flush(&mut self) -> Result<(), FleetError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let end = self.file.metadata().map_err(FleetError::at(&self.path))?.len();
        let written = self.file.write_all(self.waiting.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // A partial line would make the next line unreadable as well.
            let _cut = self.file.set_len(end);
            return Err(FleetError::at(&self.path)(error));
        }
        self.waiting.clear();
        Ok(())
    }
}

/// Passes the entries of a journal to `each`, and returns their total size in bytes. Entries are read one by one: there
/// may be ten thousand answers, and only parts of each are needed.
fn read<E: DeserializeOwned>(file: &File, path: &Path, mut each: impl FnMut(E)) -> Result<u64, FleetError> {
    let mut lines = BufReader::new(file);
    let (mut line, mut number, mut good_bytes) = (Vec::new(), 0, 0);
    loop {
        line.clear();
        let bytes = lines.read_until(b'\n', &mut line).map_err(FleetError::at(path))?;
        if line.pop() != Some(b'\n') {
            return Ok(good_bytes);
        }
        number += 1;
        let damaged = |why: String| FleetError::Record {
            path: path.to_owned(),
            why: format!("line {number} is damaged ({why})"),
        };
        each(entry(&line).map_err(damaged)?);
        good_bytes += bytes as u64;
    }
}

/// Parses a line of a journal, given without its line end.
fn entry<E: DeserializeOwned>(line: &[u8]) -> Result<E, String> {
    let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    let (checksum, text) = text.split_once(' ').ok_or("the line has no checksum")?;
    match u32::from_str_radix(checksum, 16) == Ok(crc32fast::hash(text.as_bytes())) {
        true => serde_json::from_str(text).map_err(|error| error.to_string()),
        false => Err("the checksum does not match".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(path: &Path) -> Result<(Journal, Vec<u32>), FleetError> {
        let mut entries = Vec::new();
        Ok((Journal::open(path, |entry| entries.push(entry))?, entries))
    }

    #[test]
    fn what_was_flushed_is_there_and_half_a_line_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, none) = opened(&path).unwrap();
        assert!(none.is_empty());
        (0..3).for_each(|entry: u32| journal.add(&entry));
        journal.flush().unwrap();
        journal.add(&3_u32);
        drop(journal);
        // A process was killed in the middle of a line.
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"00000000 17").unwrap();
        let (mut journal, entries) = opened(&path).unwrap();
        assert_eq!(entries, [0, 1, 2]);
        journal.add(&4_u32);
        journal.flush().unwrap();
        let mut entries: Vec<u32> = Vec::new();
        let is_cut = Journal::entries(&path, |entry| entries.push(entry)).unwrap();
        assert_eq!((entries.as_slice(), is_cut), (&[0, 1, 2, 4][..], false));
        File::options().append(true).open(&path).unwrap().write_all(b"0").unwrap();
        assert!(Journal::entries(&path, |_: u32| ()).unwrap(), "it ends within a line");
    }

    #[test]
    fn damage_before_the_end_is_no_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, _) = opened(&path).unwrap();
        [10_u32, 20].iter().for_each(|entry| journal.add(entry));
        journal.flush().unwrap();
        let text = std::fs::read_to_string(&path).unwrap().replacen(" 10", " 11", 1);
        std::fs::write(&path, text).unwrap();
        let said = opened(&path).unwrap_err().to_string();
        assert!(said.contains("line 1") && said.contains("checksum"), "{said}");
    }
}
