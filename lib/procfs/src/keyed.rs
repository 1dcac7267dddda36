//! Files of `key: value` or `key value` lines: `/proc/PID/status`, `/proc/meminfo`, `/proc/cpuinfo`, `/proc/vmstat`,
//! `cpu.stat` and many more.

use crate::number as parse;

/// Splits a line into its trimmed key and value, at the colon or, without a colon, at the first blank.
pub fn split(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':').or_else(|| line.split_once([' ', '\t']))?;
    Some((key.trim(), value.trim()))
}

/// Returns the value of the first line whose whole key is `key`; an empty value is `None`.
pub fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    // Most lines have other keys and are skipped by their first letters.
    let lines = text.lines().filter(|line| line.trim_start().starts_with(key));
    let found = lines.filter_map(split).find(|(found, _)| *found == key);
    found.map(|(_, value)| value).filter(|value| !value.is_empty())
}

/// Returns the value of a key as a number; a unit after it, such as `kB`, is ignored.
pub fn number(text: &str, key: &str) -> Option<u64> {
    parse(value(text, key)?.split_ascii_whitespace().next()?)
}

/// Returns the value of a key with the unit `kB`, which in the kernel's files means 1024 bytes, as a number of bytes;
/// absent for any other unit.
pub fn bytes(text: &str, key: &str) -> Option<u64> {
    in_bytes(value(text, key)?)
}

pub(crate) fn in_bytes(value: &str) -> Option<u64> {
    parse(value.strip_suffix("kB")?.trim_end())?.checked_mul(1024)
}

/// Returns the value of a key that consists of hexadecimal digits, such as the masks of signals and capabilities.
pub fn mask(text: &str, key: &str) -> Option<u64> {
    let digits = value(text, key)?;
    let is_mask = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_mask.then(|| u64::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Name:\ta: b\nVmHWM:\t    1536 kB\npswpin 3\npswpout 4\nse.nr_migrations      :      12\n\
        cpu\t\t: POWER9\ncpu cores : 2\nEmpty:\nCapEff:\t000001ffffffffff\n";

    #[test]
    fn keys_are_whole() {
        assert_eq!(
            (number(TEXT, "pswpin"), number(TEXT, "pswpout"), number(TEXT, "pswp")),
            (Some(3), Some(4), None)
        );
        assert_eq!((value(TEXT, "cpu"), value(TEXT, "cpu cores")), (Some("POWER9"), Some("2")));
        assert_eq!((value(TEXT, "Name"), value(TEXT, "Empty"), value(TEXT, "")), (Some("a: b"), None, None));
        assert_eq!(number(TEXT, "se.nr_migrations"), Some(12));
    }

    #[test]
    fn kilobytes_are_of_1024_and_nothing_else() {
        assert_eq!((bytes(TEXT, "VmHWM"), number(TEXT, "VmHWM")), (Some(1536 * 1024), Some(1536)));
        assert_eq!((bytes("A: 5", "A"), bytes("A: 5 MB", "A"), bytes("A: kB", "A")), (None, None, None));
        assert_eq!(bytes("A: 18446744073709551615 kB", "A"), None);
    }

    #[test]
    fn masks_are_hexadecimal_and_fit() {
        assert_eq!(mask(TEXT, "CapEff"), Some(0x1ff_ffff_ffff));
        assert_eq!(
            (mask("A: +1", "A"), mask("A: 10000000000000000", "A"), mask("A: xy", "A")),
            (None, None, None)
        );
    }
}
