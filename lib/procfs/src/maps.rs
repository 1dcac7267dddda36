//! Memory of a process, `/proc/PID/maps` (see `proc_pid_maps(5)`).

use std::ops::Range;

/// A line of `/proc/PID/maps`: a range of memory, and the file that is mapped there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapsLine<'t> {
    /// Addresses of the range.
    pub addresses: Range<u64>,
    /// Whether the range is executable.
    pub is_code: bool,
    /// Offset of the range in the file, in bytes.
    pub offset: u64,
    /// Major and minor number of the file's device.
    pub device: (u32, u32),
    /// Inode number of the file on that device; 0 without a file.
    pub inode: u64,
    /// Path, or a name in brackets; empty for anonymous memory.
    pub path: &'t str,
}

impl<'t> MapsLine<'t> {
    /// Parses one line; `None` if it is malformed.
    pub fn parse(line: &'t str) -> Option<Self> {
        let mut rest = line;
        let mut word = || {
            let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = behind.trim_start_matches(' ');
            word
        };
        let (start, end) = word().split_once('-')?;
        let addresses = hexadecimal(start)?..hexadecimal(end)?;
        let is_code = word().as_bytes().get(2) == Some(&b'x');
        let offset = hexadecimal(word())?;
        let (major, minor) = word().split_once(':')?;
        let device = (u32::from_str_radix(major, 16).ok()?, u32::from_str_radix(minor, 16).ok()?);
        let inode = word().parse().ok()?;
        if addresses.is_empty() {
            return None;
        }
        Some(MapsLine { addresses, is_code, offset, device, inode, path: rest.trim_end_matches('\n') })
    }
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}
