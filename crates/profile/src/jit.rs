//! Names of generated code: perf maps, which interpreters and virtual machines write on request (`python -X perf`,
//! `node --perf-basic-prof`).

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Limit of a map's size in bytes; larger maps are not read.
const MAP_MAX: u64 = 256 << 20;

#[derive(Clone, Debug, Default)]
pub struct PerfMap {
    /// First address, length and name of each function, sorted by address. If an address occurs twice, the later entry
    /// counts.
    functions: Vec<(u64, u64, String)>,
}

impl PerfMap {
    /// Reads the map of a process. A process in a container wrote it below its own folder for temporary files,
    /// `temporary`, under its process id in the container, `inner`; without such a map, `/tmp` of this machine is
    /// searched, under `pid`. Anybody may write to such folders, so a map counts only if it was written by the
    /// process's user, by root, or by the profiling user.
    pub(crate) fn read(
        temporary: Option<&Path>,
        (pid, inner): (i32, u32),
        user: Option<u32>,
    ) -> Option<Self> {
        let own =
            temporary.and_then(|folder| PerfMap::read_file(&folder.join(format!("perf-{inner}.map")), user));
        own.or_else(|| PerfMap::read_file(Path::new(&format!("/tmp/perf-{pid}.map")), user))
    }

    fn read_file(path: &Path, user: Option<u32>) -> Option<Self> {
        let named = path.symlink_metadata().ok().filter(|facts| facts.is_file())?;
        let file = fauxplat_sys::files::open_at_once(path, false).ok()?;
        // The opened file must be the file that was examined, and not the target of a link that was put there
        // meanwhile.
        let facts = file.metadata().ok()?;
        let is_same = (facts.dev(), facts.ino()) == (named.dev(), named.ino());
        if !is_same || facts.len() > MAP_MAX || !is_believed(facts.uid(), user) {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MAP_MAX).read_to_end(&mut bytes).ok()?;
        Some(PerfMap::parse(&String::from_utf8_lossy(&bytes)))
    }

    /// Parses the text of a map; malformed lines are ignored.
    pub fn parse(text: &str) -> Self {
        let mut functions: Vec<(u64, u64, String)> = text.lines().filter_map(line).collect();
        // A stable sort keeps later lines after earlier lines with the same address.
        functions.sort_by_key(|(start, ..)| *start);
        PerfMap { functions }
    }

    /// Returns whether a Python interpreter wrote the map.
    pub(crate) fn is_of_python(&self) -> bool {
        self.functions.iter().any(|(.., name)| name.starts_with("py::"))
    }

    /// Returns the function that contains an address.
    pub fn find(&self, address: u64) -> Option<&str> {
        let after = self.functions.partition_point(|(start, ..)| *start <= address);
        let (start, bytes, name) = self.functions.get(after.checked_sub(1)?)?;
        (address - start < *bytes).then_some(name)
    }
}

/// Returns whether a map written by `writer` is trusted for a process of `user`. Root and the profiling user are always
/// trusted.
fn is_believed(writer: u32, user: Option<u32>) -> bool {
    writer == 0 || writer == fauxplat_sys::process::user_id() || Some(writer) == user
}

/// Parses `START SIZE NAME`: hexadecimal numbers without a prefix, and a name that may contain blanks.
fn line(line: &str) -> Option<(u64, u64, String)> {
    let mut words = line.splitn(3, ' ');
    let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
    let (start, bytes) = (number(words.next()?)?, number(words.next()?)?);
    let name = words.next()?.trim();
    (!name.is_empty()).then(|| (start, bytes, name.to_owned()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_macros, reason = "a skipped test says so")]

    use super::*;

    #[test]
    fn only_a_file_of_the_processs_user_of_root_or_of_whoever_profiles_counts() {
        let folder = tempfile::tempdir().unwrap();
        // The user ids differ from the user who runs the tests.
        let ours = std::os::unix::fs::MetadataExt::uid(&folder.path().metadata().unwrap());
        let (writer, another) = (ours + 1, ours + 2);
        let (path, link) = (folder.path().join("perf-1.map"), folder.path().join("perf-2.map"));
        std::fs::write(&path, "1000 10 ours\n").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let found = |path: &Path, user| PerfMap::read_file(path, user).is_some();
        assert!(found(&path, None) && found(&path, Some(another)), "whoever profiles wrote it");
        assert!(!found(&link, None), "a link may lead anywhere");
        assert!(is_believed(0, Some(another)), "root may write what it likes");
        if std::os::unix::fs::chown(&path, Some(writer), None).is_err() {
            return println!("skipped: it takes root to have a file of another user");
        }
        assert!(found(&path, Some(writer)), "the user of the process wrote it");
        assert!(!found(&path, Some(another)) && !found(&path, None), "a stranger wrote it");
    }

    #[test]
    fn the_last_of_those_who_wrote_counts() {
        let map = PerfMap::parse(
            "1000 10 py::old:/a b.py\ngarbage\n1000 10 py::new:/a b.py\n0x2000 0x8 two\n3000 8 \n",
        );
        assert_eq!(map.find(0x100f), Some("py::new:/a b.py"));
        assert_eq!(map.find(0x1010), None);
        assert_eq!(map.find(0x2000), Some("two"));
        assert_eq!(map.find(0xfff), None);
        assert!(map.is_of_python() && !PerfMap::parse("1000 10 LazyCompile:~f\n").is_of_python());
    }
}
