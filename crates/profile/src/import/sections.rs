//! Checks that the sections of a perf.data lie within the file (`tools/perf/Documentation/perf.data-file-format.txt` of
//! the kernel): the library that reads them allocates any length that a file states.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use super::unpacking::Unpacking;

/// The first eight bytes of a perf.data.
const MAGIC: &[u8; 8] = b"PERFILE2";
/// Header size that a file states if perf wrote it to a pipe.
const PIPE_BYTES: u64 = 16;
/// Upper limit of the size of an event's attributes, in bytes, with room for growth.
const EVENT_MAX: u64 = 4096;
const EVENTS_MAX: u64 = 65_536;
/// Minimum size, in bytes, of an event in the section of event names, by which the number of events is bounded.
const EVENT_MIN: u64 = 64;
/// Number of optional parts that a file may have, and the bits of the parts that are read (`HEADER_CMDLINE`,
/// `HEADER_EVENT_DESC`).
const PARTS: usize = 256;
const CMDLINE: usize = 11;
const EVENT_DESC: usize = 12;
/// Index of the header word with the size of the event types' section, which newer versions of perf leave empty.
const EVENT_TYPES_WORD: usize = 8;
/// Index of the header word with the feature bits from 128 on, which Android's simpleperf uses.
const SIMPLEPERF_WORD: usize = 11;
/// `PERF_RECORD_AUXTRACE`.
const AUXTRACE: u32 = 71;
/// `PERF_RECORD_COMPRESSED`, and its successor.
const COMPRESSED: u32 = 81;
const COMPRESSED2: u32 = 83;
/// Bytes of records that are read at once.
const READ_BYTES: usize = 256 << 10;
/// Words of the header up to and including the feature bits, which say which further sections exist.
const HEADER_WORDS: usize = 13;

/// A section of the file: offset and length.
#[derive(Clone, Copy)]
struct Section {
    offset: u64,
    bytes: u64,
}

impl Section {
    fn end(self, length: u64) -> Result<u64, &'static str> {
        let end = self.offset.checked_add(self.bytes).filter(|&end| end <= length);
        end.ok_or("a part of it would lie beyond its end")
    }
}

/// Checks the header, the sections and the records of a perf.data.
///
/// # Errors
/// Returns the reason why the file is invalid, as the end of a sentence.
pub(super) fn check(file: &File) -> Result<(), &'static str> {
    let length = file.metadata().map_err(|_| "it cannot be read")?.len();
    let words = words(file, 0, HEADER_WORDS).ok_or("it is too short")?;
    if words[0].to_ne_bytes() != *MAGIC {
        return Err("it does not begin like a perf.data");
    }
    if words[1] == PIPE_BYTES {
        return Err("it was written to a pipe; record into a file");
    }
    let of_header = |at: usize| Section { offset: words[at], bytes: words[at + 1] };
    let (event_bytes, events, data) = (words[2], of_header(3), of_header(5));
    events.end(length)?;
    let count = events.bytes / event_bytes.max(1);
    if !(80..=EVENT_MAX).contains(&event_bytes) || count > EVENTS_MAX {
        return Err("its description of events is invalid");
    }
    for event in 0..count {
        // Each event's attributes are followed by the section of its ids.
        let place = events.offset + (event + 1) * event_bytes - 16;
        section(file, place)?.end(length)?;
    }
    parts(file, &words, data.end(length)?, length)?;
    records(file, data)
}

/// Checks the optional sections; the table of their offsets and lengths begins at `table`, after the records.
fn parts(file: &File, header: &[u64], table: u64, length: u64) -> Result<(), &'static str> {
    let part = |bit: usize| -> Result<Option<Section>, &'static str> {
        let is_there = |bit: usize| header[9 + bit / 64] >> (bit % 64) & 1 == 1;
        let before = (0..bit).filter(|&bit| is_there(bit)).count() as u64;
        is_there(bit).then(|| section(file, table.saturating_add(before * 16))).transpose()
    };
    let mut together = 0_u64;
    for bit in 0..PARTS {
        let Some(part) = part(bit)? else { continue };
        part.end(length)?;
        together = together.saturating_add(part.bytes);
    }
    if together > length {
        return Err("its parts overlap");
    }
    if header[SIMPLEPERF_WORD] != 0 {
        return Err("it was written by simpleperf, not by perf");
    }
    match part(EVENT_DESC)? {
        Some(part) => descriptions(file, part).ok_or("its description of events is invalid")?,
        None if header[EVENT_TYPES_WORD] != 0 => return Err("it was written by a perf that is too old"),
        None => {}
    }
    match part(CMDLINE)? {
        Some(part) if number(file, part.offset).is_none_or(|words| words * 4 > part.bytes) => {
            Err("its command is incomplete")
        }
        _ => Ok(()),
    }
}

/// Checks the section of event names: number of events, and for each event the attributes, ids and name.
fn descriptions(file: &File, part: Section) -> Option<()> {
    let end = part.offset + part.bytes;
    let (count, attribute_bytes) = (number(file, part.offset)?, number(file, part.offset + 4)?);
    let mut place = part.offset + 8;
    for _ in 0..count {
        place = place.checked_add(attribute_bytes)?;
        let ids = number(file, place)?;
        let name_bytes = number(file, place.checked_add(4)?)?;
        place = place.checked_add(8 + name_bytes + ids * 8).filter(|&place| place <= end)?;
    }
    // The library allocates space for all ids before it reads the first.
    (count.checked_mul(attribute_bytes.max(EVENT_MIN))? <= part.bytes).then_some(())
}

/// Checks the records: the data after a processor trace must be as long as stated, and compressed records are unpacked
/// to limit their size, since the library keeps all unpacked bytes.
fn records(file: &File, data: Section) -> Result<(), &'static str> {
    let cut = "its records are incomplete";
    let mut unpacking = Unpacking::new(data.bytes);
    let mut reader = BufReader::with_capacity(READ_BYTES, file);
    reader.seek(SeekFrom::Start(data.offset)).map_err(|_| cut)?;
    let mut left = data.bytes;
    while left > 0 {
        let mut header = [0; 16];
        let known = if left < 16 { 8 } else { 16 };
        reader.read_exact(&mut header[..known]).map_err(|_| cut)?;
        let [kind, rest, ..] = header.as_chunks::<4>().0 else { return Err(cut) };
        let mut bytes = u64::from(u16::from_ne_bytes([rest[2], rest[3]]));
        if u32::from_ne_bytes(*kind) == AUXTRACE {
            let trace = u64::from_ne_bytes(header.as_chunks::<8>().0[1]);
            bytes = bytes.checked_add(trace).ok_or(cut)?;
        }
        if bytes < 8 || bytes > left {
            return Err(cut);
        }
        left -= bytes;
        let kind = u32::from_ne_bytes(*kind);
        let mut read = known as i64;
        if [COMPRESSED, COMPRESSED2].contains(&kind) {
            let mut record = vec![0; bytes as usize];
            reader.seek_relative(-read).and_then(|()| reader.read_exact(&mut record)).map_err(|_| cut)?;
            unpacking.take(packed(kind, &record).ok_or(cut)?)?;
            read = bytes as i64;
        }
        reader.seek_relative(bytes as i64 - read).map_err(|_| cut)?;
    }
    // The next reader of the file starts at its beginning.
    reader.rewind().map_err(|_| cut)
}

/// Returns the compressed bytes of a record. A record of the kind [`COMPRESSED2`] states their number, since records
/// are padded to eight bytes.
fn packed(kind: u32, record: &[u8]) -> Option<&[u8]> {
    if kind == COMPRESSED {
        return record.get(8..);
    }
    let bytes = u64::from_ne_bytes(record.get(8..16)?.try_into().ok()?);
    record.get(16..)?.get(..usize::try_from(bytes).ok()?)
}

/// Reads a number of 32 bits at the offset `place`; `None` behind the end of the file.
fn number(file: &File, place: u64) -> Option<u64> {
    let mut bytes = [0; 4];
    file.read_exact_at(&mut bytes, place).ok()?;
    Some(u32::from_ne_bytes(bytes).into())
}

fn section(file: &File, place: u64) -> Result<Section, &'static str> {
    let words = words(file, place, 2).ok_or("a part of it would lie beyond its end")?;
    Ok(Section { offset: words[0], bytes: words[1] })
}

fn words(file: &File, place: u64, count: usize) -> Option<Vec<u64>> {
    let mut bytes = vec![0; count * 8];
    file.read_exact_at(&mut bytes, place).ok()?;
    let (words, _) = bytes.as_chunks::<8>();
    Some(words.iter().map(|word| u64::from_ne_bytes(*word)).collect())
}
