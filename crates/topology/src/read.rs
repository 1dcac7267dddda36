//! Small kernel files as text.

use std::path::Path;

use fauxplat_sys::files::read_bounded;
use fauxplat_units::CpuSet;

use crate::parse::{self, Said};

/// Size limit of tables, in bytes; `/proc/cpuinfo` of the largest machines has about half of it.
const TABLE_BYTES_MAX: u64 = 32 << 20;

/// Size limit of all other files, in bytes: a captured tree may contain an endless file for each of thousands of CPUs.
const TEXT_BYTES_MAX: u64 = 64 << 10;

/// A file below the root, without white space and NUL bytes at its ends (strings of device trees end with NUL). `None`
/// where the file is empty or cannot be read.
pub(crate) fn text(root: &Path, path: &str) -> Option<String> {
    trimmed(root, path, TEXT_BYTES_MAX)
}

/// Like [`text`], for a file with a line for each CPU, interrupt or mount.
pub(crate) fn table(root: &Path, path: &str) -> Option<String> {
    trimmed(root, path, TABLE_BYTES_MAX)
}

/// A list of CPUs; `None` where the file is missing or makes no sense.
pub(crate) fn list(root: &Path, path: &str) -> Option<CpuSet> {
    match parse::list(&text(root, path)?) {
        Said::Value(cpus) => Some(cpus),
        Said::Unknown | Said::Nonsense(_) => None,
    }
}

fn trimmed(root: &Path, path: &str, bytes_max: u64) -> Option<String> {
    let bytes = read_bounded(&root.join(path), bytes_max).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}
