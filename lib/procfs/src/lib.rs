//! Parsers of the kernel's text files: text in, numbers out. A file that several parts of the project read has one
//! parser here, so that all of them interpret it alike.
//!
//! The caller has read the file, below any root; this crate opens no file, does not wait and keeps no state. Most
//! results borrow from the text and are computed when they are requested, so that reading one number of a long file
//! costs no more than finding it.
//!
//! # Malformed input
//!
//! There are no errors, since no caller could handle malformed output of the kernel:
//!
//! - a malformed line is skipped, and the others count;
//! - a number that is malformed, negative where it cannot be, or too large is absent (`None`), and the numbers beside
//!   it keep their positions; nothing wraps, and a sum or product that overflows is absent as well;
//! - columns and lines that older kernels lack are absent, never zero; columns and lines that newer kernels add are
//!   skipped;
//! - nothing panics, and nothing allocates more than a few times the length of the text, whatever its contents.
//!
//! CPUs are plain numbers here, and lists of CPUs are text, which `CpuSet` of `lib/units` parses: that crate has the
//! same rank.
#![warn(missing_docs)]

pub mod cgroup;
pub mod cpuinfo;
pub mod kallsyms;
pub mod keyed;
pub mod limits;
pub mod maps;
pub mod meminfo;
pub mod mounts;
pub mod oom;
pub mod per_cpu;
pub mod pressure;
pub mod stat;
pub mod status;
pub mod task;

/// Parses a number in the kernel's notation: only digits. `+5`, which the standard library accepts, is refused.
pub fn number(word: &str) -> Option<u64> {
    if word.starts_with('+') { None } else { word.parse().ok() }
}

/// Returns the text of a file that was read into a buffer of limited size: only whole lines, since a line that is cut
/// at the end of the buffer would have a last number that is too small.
///
/// A file that ends without a line break loses its last line only if it fills the buffer.
pub fn whole_lines(buffer: &[u8], got: usize) -> &str {
    let read = &buffer[..got.min(buffer.len())];
    let text = match std::str::from_utf8(read) {
        Ok(text) => text,
        // The text before the first invalid byte is still valid.
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
