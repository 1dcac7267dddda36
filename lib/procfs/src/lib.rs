//! What the kernel's files say: text in, numbers out. One parser for each file that more than one part of the project
//! reads, so that all of them understand it alike.
//!
//! Whoever calls has read the file, below whatever root it likes; nothing here opens, waits or keeps. Most answers
//! borrow from the text and are worked out when they are asked for, so that looking at one number of a long file costs
//! no more than finding it.
//!
//! # One manner on garbage
//!
//! There are no errors, since none of the callers can do anything about a kernel that writes nonsense:
//!
//! - a line that makes no sense is left out, and the others count;
//! - a number that is none, is negative where that cannot be, or does not fit is absent (`None`), and its neighbours
//!   keep their places; nothing wraps, and a sum or product that does not fit is absent as well;
//! - columns and lines that older kernels lack are absent, never zero; those that newer ones add are passed over;
//! - nothing panics, and nothing allocates more than a few times the length of the text, whatever it says.
//!
//! CPUs are plain numbers here and lists of them are text, which `CpuSet` of `lib/units` reads: that crate has the
//! same rank.

pub mod cgroup;
pub mod cpuinfo;
pub mod kallsyms;
pub mod keyed;
pub mod maps;
pub mod meminfo;
pub mod mounts;
pub mod oom;
pub mod per_cpu;
pub mod pressure;
pub mod stat;
pub mod status;
pub mod task;

/// A number as the kernel prints it: digits alone, since `+5`, which the standard library takes, is nobody's number.
pub fn number(word: &str) -> Option<u64> {
    if word.starts_with('+') { None } else { word.parse().ok() }
}

/// The text of a file that was read into a buffer of bounded size: the whole lines alone, since a line that the end of
/// the buffer cuts would have a last number that is too small.
///
/// A file that ends without a line break loses its last line when the buffer is full, and only then.
pub fn whole_lines(buffer: &[u8], got: usize) -> &str {
    let read = &buffer[..got.min(buffer.len())];
    let text = match std::str::from_utf8(read) {
        Ok(text) => text,
        // What comes before the first byte that is no text is still good.
        Err(error) => std::str::from_utf8(&read[..error.valid_up_to()]).unwrap_or_default(),
    };
    match read.len() < buffer.len() {
        true => text,
        false => text.rfind('\n').map_or("", |end| &text[..=end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits_that_fit() {
        assert_eq!(number("18446744073709551615"), Some(u64::MAX));
        for word in ["18446744073709551616", "", "+1", "-1", "1.0", "0x1", "١"] {
            assert_eq!(number(word), None, "{word}");
        }
    }

    #[test]
    fn a_line_that_the_buffer_cuts_is_left_out() {
        assert_eq!(whole_lines(b"cpu 1\ncpu0 12", 13), "cpu 1\n");
        assert_eq!(whole_lines(b"cpu 1\ncpu0 12\0\0\0", 13), "cpu 1\ncpu0 12");
        assert_eq!(whole_lines(b"cpu", 3), "");
        assert_eq!(whole_lines(b"a\n\xffb\n--", 5), "a\n");
        assert_eq!(whole_lines(b"", 9), "");
    }
}
