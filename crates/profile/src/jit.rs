//! Names of code that programs wrote into their memory themselves: perf maps, which interpreters and virtual machines
//! write where they are asked to (`python -X perf`, `node --perf-basic-prof`).

use std::path::{Path, PathBuf};

/// A map larger than this is not read.
const MAP_MAX: u64 = 256 << 20;

/// The functions of one process.
#[derive(Clone, Debug, Default)]
pub struct PerfMap {
    /// First address, length and name, sorted by address. Where a place was written to twice, the later one counts.
    functions: Vec<(u64, u64, String)>,
}

impl PerfMap {
    /// Reads the map of a process where its maker put it. Only what the process's user, root, or whoever profiles wrote is
    /// believed: anybody may write there.
    pub(crate) fn read(pid: i32, user: Option<u32>) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let path = PathBuf::from(format!("/tmp/perf-{pid}.map"));
        let facts = Path::symlink_metadata(&path).ok().filter(|facts| facts.is_file())?;
        let own = fauxplat_sys::process::user_id();
        if facts.uid() != 0 && facts.uid() != own && Some(facts.uid()) != user {
            return None;
        }
        let bytes = fauxplat_sys::files::read_bounded(&path, MAP_MAX).ok()?;
        Some(PerfMap::parse(&String::from_utf8_lossy(&bytes)))
    }

    /// Reads what such a file says; lines that make no sense are left out.
    pub fn parse(text: &str) -> Self {
        let mut functions: Vec<(u64, u64, String)> = text.lines().filter_map(line).collect();
        // A stable sort keeps later lines behind earlier ones of the same address.
        functions.sort_by_key(|(start, ..)| *start);
        PerfMap { functions }
    }

    /// The function that an address is in.
    pub fn find(&self, address: u64) -> Option<&str> {
        let after = self.functions.partition_point(|(start, ..)| *start <= address);
        let (start, bytes, name) = self.functions.get(after.checked_sub(1)?)?;
        (address - start < *bytes).then_some(name)
    }
}

/// `START SIZE NAME`, hexadecimal numbers without a prefix, and a name that may hold blanks.
fn line(line: &str) -> Option<(u64, u64, String)> {
    let mut words = line.splitn(3, ' ');
    let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
    let (start, bytes) = (number(words.next()?)?, number(words.next()?)?);
    let name = words.next()?.trim();
    (!name.is_empty()).then(|| (start, bytes, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_those_who_wrote_counts() {
        let map = PerfMap::parse(
            "1000 10 py::old:/a b.py\ngarbage\n1000 10 py::new:/a b.py\n0x2000 0x8 two\n3000 8 \n",
        );
        assert_eq!(map.find(0x100f), Some("py::new:/a b.py"));
        assert_eq!(map.find(0x1010), None);
        assert_eq!(map.find(0x2000), Some("two"));
        assert_eq!(map.find(0xfff), None);
    }
}
