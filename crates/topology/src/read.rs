//! Small kernel files as text.

use std::path::Path;

use fauxplat_sys::files::read_bounded;
use fauxplat_units::CpuSet;

use crate::parse::{self, Said};

/// The longest table that is read: `/proc/cpuinfo` of the largest machines has about half of it.
const TABLE_BYTES_MAX: u64 = 32 << 20;

/// The longest of all other files. A captured tree may hold a file without an end for each of thousands of CPUs.
const TEXT_BYTES_MAX: u64 = 64 << 10;

/// The file below the root without white space and NUL bytes at its ends (device trees end strings with NUL), if it
/// can be read and is not empty.
pub(crate) fn text(root: &Path, path: &str) -> Option<String> {
    trimmed(root, path, TEXT_BYTES_MAX)
}

/// A file with a line for each CPU, interrupt or mount.
pub(crate) fn table(root: &Path, path: &str) -> Option<String> {
    trimmed(root, path, TABLE_BYTES_MAX)
}

/// A list of CPUs that makes sense.
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
