//! Small kernel files as text.

use std::path::Path;

use fauxplat_sys::files::read_bounded;

/// The longest file that is read: `/proc/cpuinfo` of the largest machines has about half of it.
const BYTES_MAX: u64 = 32 << 20;

/// The file below the root without white space and NUL bytes at its ends (device trees end strings with NUL), if it
/// can be read and is not empty.
pub(crate) fn text(root: &Path, path: &str) -> Option<String> {
    let bytes = read_bounded(&root.join(path), BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}
