//! Transmission of an answer as short lines of ASCII, each with its number and a checksum.
//!
//! Between a node and this machine there may be shells with banners, tools that prefix each line with the name of the
//! node, and file systems that show an incomplete file. Lines that are no part of an answer are skipped, damaged parts
//! are ignored, and an answer is complete when all of its parts have arrived.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::FleetError;

/// Marker at the beginning of every line of an answer.
const MARK: &str = "fauxplat-answer/1";
/// Number of bytes of the packed answer in a line, so that lines are well below the maximum line length of tools.
const PART_BYTES: usize = 1500;
/// Maximum number of parts of an answer, limited since a node is untrusted.
const PARTS_MAX: usize = 32 << 10;
const ANSWER_BYTES_MAX: u64 = 64 << 20;
/// Maximum total size of the lines of an answer, in bytes.
pub(crate) const TEXT_BYTES_MAX: usize = PARTS_MAX * (PART_BYTES * 4 / 3 + 200);

/// Packs an answer, and returns the lines that transmit it.
///
/// # Errors
/// Fails where the answer is too long.
pub fn lines(token: &str, answer: &str) -> Result<Vec<String>, FleetError> {
    let too_long = || FleetError::TooLong { what: "the answer of a node", bytes: answer.len() as u64 };
    if answer.len() as u64 > ANSWER_BYTES_MAX {
        return Err(too_long());
    }
    let packed = zstd::encode_all(answer.as_bytes(), 0).map_err(|_| too_long())?;
    let of = packed.len().div_ceil(PART_BYTES);
    if of > PARTS_MAX {
        return Err(too_long());
    }
    let line = |(at, part): (usize, &[u8])| {
        let checksum = crc32fast::hash(part);
        format!("{MARK} {token} {}/{of} {checksum:08x} {}", at + 1, STANDARD.encode(part))
    };
    Ok(packed.chunks(PART_BYTES).enumerate().map(line).collect())
}

/// A part of an answer, decoded from a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerPart {
    /// Token of the answered task.
    pub token: String,
    at: usize,
    of: usize,
    bytes: Vec<u8>,
}

/// Returns the part of an answer that a line contains, whatever text precedes and follows it; `None` if the line has no
/// part, or the part is damaged.
pub fn part(line: &str) -> Option<AnswerPart> {
    let mut words = line[line.find(MARK)? + MARK.len()..].split_whitespace();
    let (token, place, checksum, text) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let (at, of) = place.split_once('/')?;
    let (at, of): (usize, usize) = (at.parse().ok()?, of.parse().ok()?);
    let is_ours = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    let bytes = STANDARD.decode(text.split(|c| !is_ours(c)).next()?).ok()?;
    let is_whole = u32::from_str_radix(checksum, 16) == Ok(crc32fast::hash(&bytes));
    let is_taken = (1..=PART_BYTES).contains(&bytes.len()) && (1..=of).contains(&at) && of <= PARTS_MAX;
    (is_whole && is_taken).then(|| AnswerPart { token: token.to_owned(), at: at - 1, of, bytes })
}

/// Returns whether a line has the marker of an answer, even if the rest is damaged.
pub fn is_marked(line: &str) -> bool {
    line.contains(MARK)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    New,
    /// The part is equal to an earlier part with the same number.
    Again,
    /// The part differs from an earlier part with the same number, so there are two answers.
    Other,
}

/// The parts of an answer received so far. Memory is used for received parts alone, since an untrusted line may
/// announce any number of them.
#[derive(Debug, Default)]
pub struct Assembly {
    parts: BTreeMap<usize, Vec<u8>>,
    of: usize,
}

impl Assembly {
    pub fn add(&mut self, part: AnswerPart) -> Added {
        if self.of == 0 {
            self.of = part.of;
        }
        if self.of != part.of {
            return Added::Other;
        }
        match self.parts.entry(part.at) {
            Entry::Occupied(known) if *known.get() == part.bytes => Added::Again,
            Entry::Occupied(_) => Added::Other,
            Entry::Vacant(place) => {
                place.insert(part.bytes);
                Added::New
            }
        }
    }

    /// Returns the number of parts received, and the total number of parts of the answer.
    pub fn counts(&self) -> (usize, usize) {
        (self.parts.len(), self.of)
    }

    /// Returns the answer once all of its parts are there, and `None` before.
    ///
    /// # Errors
    /// Fails where the content is not valid.
    pub fn answer(&self) -> Option<Result<String, FleetError>> {
        let (have, of) = self.counts();
        (of > 0 && have == of).then(|| unpack(&self.parts.values().flatten().copied().collect::<Vec<u8>>()))
    }
}

/// Unpacks a text up to [`ANSWER_BYTES_MAX`], since a few packed bytes may expand to very many.
fn unpack(packed: &[u8]) -> Result<String, FleetError> {
    let mut text = String::new();
    let garbage = |error: std::io::Error| FleetError::Garbage(error.to_string());
    let unpacked = zstd::Decoder::new(packed).map_err(garbage)?;
    let bytes = unpacked.take(ANSWER_BYTES_MAX + 1).read_to_string(&mut text).map_err(garbage)?;
    match bytes as u64 > ANSWER_BYTES_MAX {
        true => Err(FleetError::TooLong { what: "the answer of a node", bytes: bytes as u64 }),
        false => Ok(text),
    }
}

/// Packs a text into one word of a command line.
///
/// # Errors
/// Fails where the text is too long.
pub fn packed_word(text: &str) -> Result<String, FleetError> {
    let packed =
        zstd::encode_all(text.as_bytes(), 0).map_err(|error| FleetError::Garbage(error.to_string()))?;
    let word = STANDARD.encode(packed);
    // The kernel accepts arguments of up to 128 KiB (`MAX_ARG_STRLEN` in `execve(2)`).
    match word.len() > 100_000 {
        true => Err(FleetError::TooLong { what: "the plan for the nodes", bytes: word.len() as u64 }),
        false => Ok(word),
    }
}

/// Unpacks a text from a word that [`packed_word`] returned.
///
/// # Errors
/// Fails where the word is invalid.
pub fn unpacked_word(word: &str) -> Result<String, FleetError> {
    let packed = STANDARD.decode(word).map_err(|error| FleetError::Garbage(error.to_string()))?;
    unpack(&packed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assembled(text: &str) -> Option<String> {
        let mut assembly = Assembly::default();
        for part in text.lines().filter_map(part) {
            assembly.add(part);
        }
        assembly.answer().map(Result::unwrap)
    }

    /// Text that does not compress well, so that there are several lines.
    fn long() -> String {
        (0..5000u64).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_string()).collect()
    }

    #[test]
    fn an_answer_passes_between_banners_and_behind_names() {
        let answer = long();
        let lines = lines("abc", &answer).unwrap();
        assert!(lines.len() > 5 && lines.iter().all(|line| line.len() < 2200 && line.is_ascii()));
        let dressed: Vec<String> = lines.iter().map(|line| format!("n1: {line}\r")).collect();
        let text = format!("Welcome!\n{}\nlogout\n", dressed.join("\nn1: noise\n"));
        assert_eq!(assembled(&text).unwrap(), answer);
        assert!(lines.iter().all(|line| part(line).unwrap().token == "abc"));
    }

    #[test]
    fn what_is_cut_or_damaged_is_not_whole() {
        let lines = lines("t", &long()).unwrap();
        assert_eq!(assembled(&lines[1..].join("\n")), None);
        let last = lines.last().unwrap();
        assert_eq!(part(&last[..last.len() - 9]), None);
        assert_eq!(part(&last.replacen("A", "B", 1)).is_some(), !last.contains('A'));
        for bad in
            ["", "fauxplat-answer/1", "fauxplat-answer/1 t 0/1 0 ", "fauxplat-answer/1 t 2/1 00000000 AA=="]
        {
            assert_eq!(part(bad), None, "{bad}");
        }
    }

    #[test]
    fn whoever_answers_twice_is_seen() {
        let (one, two) = (lines("t", "{\"a\":1}").unwrap(), lines("t", "{\"a\":2}").unwrap());
        let mut assembly = Assembly::default();
        assert_eq!(assembly.add(part(&one[0]).unwrap()), Added::New);
        assert_eq!(assembly.add(part(&one[0]).unwrap()), Added::Again);
        assert_eq!(assembly.add(part(&two[0]).unwrap()), Added::Other);
        assert_eq!(assembly.answer().unwrap().unwrap(), "{\"a\":1}");
    }

    /// A line of an untrusted node may announce very many other lines, or be very long itself.
    #[test]
    fn there_is_room_for_the_parts_that_came() {
        let line = |of: usize, bytes: &[u8]| {
            format!("{MARK} t 1/{of} {:08x} {}", crc32fast::hash(bytes), STANDARD.encode(bytes))
        };
        let mut assembly = Assembly::default();
        assembly.add(part(&line(PARTS_MAX, &[1; PART_BYTES])).unwrap());
        assert_eq!((assembly.counts(), assembly.parts.len()), ((1, PARTS_MAX), 1));
        assert_eq!(part(&line(1, &[1; PART_BYTES + 1])), None);
        let longest = &lines("a-token", &long()).unwrap()[0];
        assert!(longest.len() < TEXT_BYTES_MAX / PARTS_MAX, "{}", longest.len());
    }

    /// A few bytes from an untrusted node may expand to gigabytes.
    #[test]
    fn nothing_is_unpacked_beyond_the_largest_answer() {
        let bomb = zstd::encode_all(std::io::repeat(b' ').take(ANSWER_BYTES_MAX + 9), 0).unwrap();
        assert!(bomb.len() < 100_000);
        assert!(matches!(unpack(&bomb), Err(FleetError::TooLong { .. })));
        assert!(unpacked_word("!").is_err() && unpacked_word("AAAA").is_err());
        assert_eq!(unpacked_word(&packed_word("{}").unwrap()).unwrap(), "{}");
    }

    proptest! {
        #[test]
        fn any_line_is_a_part_or_nothing(line in "\\PC*", tail in "[a-f0-9/ ]{0,40}") {
            let _ = part(&line);
            let _ = part(&format!("{MARK} {tail}{line}"));
        }
    }
}
