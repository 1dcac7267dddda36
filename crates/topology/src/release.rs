//! The distribution and the memory.

use std::path::Path;

use fauxplat_procfs::meminfo;
use fauxplat_units::Bytes;

use crate::read;

/// Name of the distribution from the first file in the order of `os-release(5)`; empty where unknown.
pub(crate) fn name(root: &Path) -> String {
    let file = read::text(root, "etc/os-release").or_else(|| read::text(root, "usr/lib/os-release"));
    let text = file.unwrap_or_default();
    let value =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=').map(unquote));
    value("PRETTY_NAME").or_else(|| value("NAME")).unwrap_or_default()
}

/// A value as a shell reads it, without quotes and backslashes.
fn unquote(value: &str) -> String {
    let value = value.trim();
    let inner =
        ['"', '\''].iter().find_map(|&quote| value.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(value);
    let mut characters = inner.chars();
    let mut plain = String::with_capacity(inner.len());
    while let Some(character) = characters.next() {
        plain.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    plain
}

/// `MemTotal`: the machine's memory without the part that the kernel reserved for itself; 0 where unknown.
pub(crate) fn memory(root: &Path) -> Bytes {
    let text = read::text(root, "proc/meminfo").unwrap_or_default();
    Bytes(meminfo::bytes(&text, "MemTotal").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_a_shell_reads_them() {
        assert_eq!(unquote("\"Debian GNU/Linux 13 (trixie)\""), "Debian GNU/Linux 13 (trixie)");
        assert_eq!(unquote("'A'"), "A");
        assert_eq!(unquote("Arch"), "Arch");
        assert_eq!(unquote(r#""The \"best\" \$5""#), "The \"best\" $5");
        assert_eq!(unquote("\""), "\"");
    }
}
