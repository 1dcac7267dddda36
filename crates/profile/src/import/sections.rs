//! Whether the sections of a perf.data lie within it (`tools/perf/Documentation/perf.data-file-format.txt` of the kernel):
//! whoever reads them for us makes room for whatever length a stranger wrote.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// How every such file begins.
const MAGIC: &[u8; 8] = b"PERFILE2";
/// The header of a file that was written to a pipe ends after this.
const PIPE_BYTES: u64 = 16;
/// The description of an event is not longer than this, with what grew since.
const EVENT_MAX: u64 = 4096;
/// More events than this are none.
const EVENTS_MAX: u64 = 65_536;
/// Header up to the bits that say which further sections there are, and those.
const HEADER_WORDS: usize = 13;

/// A part of the file.
#[derive(Clone, Copy)]
struct Section {
    offset: u64,
    bytes: u64,
}

impl Section {
    fn end(self, length: u64) -> Result<u64, &'static str> {
        let end = self.offset.checked_add(self.bytes).filter(|&end| end <= length);
        end.ok_or("a part of it lies behind its end")
    }
}

/// Checks them.
///
/// # Errors
/// What is wrong, as the end of a sentence.
pub(super) fn check(file: &File) -> Result<(), &'static str> {
    let length = file.metadata().map_err(|_| "it cannot be read")?.len();
    let words = words(file, 0, HEADER_WORDS).ok_or("it is too short")?;
    if words[0].to_ne_bytes() != *MAGIC {
        return Err("it does not begin as such files do");
    }
    if words[1] == PIPE_BYTES {
        return Err("it was written to a pipe; record into a file");
    }
    let section = |at: usize| Section { offset: words[at], bytes: words[at + 1] };
    let (event_bytes, events, data) = (words[2], section(3), section(5));
    events.end(length)?;
    let count = events.bytes / event_bytes.max(1);
    if !(80..=EVENT_MAX).contains(&event_bytes) || count > EVENTS_MAX {
        return Err("its events are not described as such files do");
    }
    for event in 0..count {
        // Behind its description each event has the place of its numbers.
        let place = events.offset + (event + 1) * event_bytes - 16;
        self::section(file, place)?.end(length)?;
    }
    let features: u32 = words[9..HEADER_WORDS].iter().map(|word| word.count_ones()).sum();
    let table = data.end(length)?;
    (0..u64::from(features)).try_for_each(|feature| section_of(file, table, feature)?.end(length).map(drop))
}

fn section_of(file: &File, table: u64, number: u64) -> Result<Section, &'static str> {
    section(file, table.saturating_add(number * 16))
}

fn section(file: &File, place: u64) -> Result<Section, &'static str> {
    let words = words(file, place, 2).ok_or("a part of it lies behind its end")?;
    Ok(Section { offset: words[0], bytes: words[1] })
}

fn words(file: &File, place: u64, count: usize) -> Option<Vec<u64>> {
    let mut bytes = vec![0; count * 8];
    file.read_exact_at(&mut bytes, place).ok()?;
    let (words, _) = bytes.as_chunks::<8>();
    Some(words.iter().map(|word| u64::from_ne_bytes(*word)).collect())
}
