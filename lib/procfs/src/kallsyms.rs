//! Symbols of the kernel, `/proc/kallsyms` (see `proc(5)`).

use std::ops::Range;

/// Returns the function in a line: its address, and the range of its name in the line, including the module after it if
/// there is one. `None` for data, for hidden addresses (zero), and for malformed lines.
pub fn symbol(line: &str) -> Option<(u64, Range<usize>)> {
    let mut words = line.trim_end().splitn(3, ' ');
    let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
    let address = u64::from_str_radix(address, 16).ok().filter(|&address| address != 0)?;
    if !matches!(kind, "t" | "T" | "w" | "W" | "i") || name.is_empty() {
        return None;
    }
    let begin = line.len() - line.split_once(' ')?.1.split_once(' ')?.1.len();
    Some((address, begin..begin + name.len()))
}
