//! Files below a root path, and reasons why a file could not be read.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Largest file that is read whole: `/proc/interrupts` of a machine with 1024 CPUs has some ten MiB.
const FILE_BYTES_MAX: u64 = 32 << 20;

/// Largest file that can hold a setting; a longer file is treated as garbage.
const SETTING_BYTES_MAX: usize = 64 << 10;

/// Maximum number of names that are read from a folder; machines have fewer interrupts and tasks.
const NAMES_MAX: usize = 1 << 17;

/// Files and folders that hazards consult beside their own files, and take for a setting that is off where they are not
/// there. A capture without one of them does not show that.
const CONSULTED: [&str; 5] = [
    "proc/cmdline",
    "proc/self/mountinfo",
    "sys/devices/system/node",
    "sys/kernel/security/lockdown",
    "sys/kernel/security/lsm",
];

/// Folder of the control groups, whose files may be missing one by one, but not with their group's folder.
const GROUPS: &str = "sys/fs/cgroup/";

/// Folder of the network devices, each of which has its queues.
const DEVICES: &str = "sys/class/net/";

/// The reason why a value could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Missing {
    /// The file does not exist: this kernel or machine does not have it. What a file that exists does not contain is
    /// named in brackets behind the file.
    #[error("/{0} is not there")]
    Absent(String),
    /// The user is not permitted to read the file.
    #[error("/{0} may not be read (run as root)")]
    Denied(String),
    /// The file cannot be read, or its contents are not understood.
    #[error("/{path}: {what}")]
    Garbage {
        /// The file, below the root.
        path: String,
        what: String,
    },
    /// The hazard needs two readings, and only one was taken.
    #[error("two readings some time apart are needed")]
    NoDelta,
}

impl Missing {
    pub(crate) fn garbage(path: &str, what: impl Into<String>) -> Self {
        Missing::Garbage { path: path.to_owned(), what: what.into() }
    }

    /// Whether a file does not exist, and not only a part of its contents.
    pub(crate) fn is_of_file(&self) -> bool {
        matches!(self, Missing::Absent(path) if !path.contains(" ("))
    }

    fn of(path: &str, error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::Unsupported => {
                Missing::Absent(path.to_owned())
            }
            // A device that disappears, or a CPU that goes offline, while its file is read gives ENODEV.
            _ if error.raw_os_error() == Some(libc::ENODEV) => Missing::Absent(path.to_owned()),
            ErrorKind::PermissionDenied => Missing::Denied(path.to_owned()),
            _ => Missing::garbage(path, error.to_string()),
        }
    }
}

/// A root path: `/`, or a tree of files that shows another machine.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    /// A file that was asked for and may be missing only in this capture, and not on the machine; see
    /// [`Tree::take_cut`].
    cut: Cell<Option<&'static str>>,
}

impl Tree {
    pub(crate) fn new(root: &Path) -> Self {
        Tree { root: root.to_owned(), cut: Cell::new(None) }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns whether the root is that of the running machine, whose files change. A capture shows one moment.
    pub(crate) fn is_live(&self) -> bool {
        self.root == Path::new("/")
    }

    /// Opens a file of any type without blocking, even a FIFO without a writer or a device.
    pub(crate) fn open_any(&self, path: &str) -> Result<File, Missing> {
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(self.root.join(path));
        opened.map_err(|error| self.missing(path, &error))
    }

    /// Returns the error for a path, and notes where a capture lacks what a hazard consults beside its own files.
    fn missing(&self, path: &str, error: &io::Error) -> Missing {
        let missing = Missing::of(path, error);
        if !self.is_live() && missing.is_of_file() {
            let consulted = CONSULTED.into_iter().find(|known| *known == path);
            self.cut.set(self.cut.get().or(consulted).or_else(|| self.part_of(path)));
        }
        missing
    }

    /// The name for files of which a capture with their owner (a process, a device, a control group) has to have one;
    /// `None` for other files.
    fn part_of(&self, path: &str) -> Option<&'static str> {
        let has_folder = || Path::new(path).parent().is_some_and(|folder| self.root.join(folder).is_dir());
        match path {
            _ if path.starts_with(GROUPS) && !has_folder() => Some("sys/fs/cgroup"),
            _ if path.starts_with(DEVICES) => Some("sys/class/net/*/queues"),
            _ if path.starts_with("proc/") && (path.ends_with("/status") || path.ends_with("/task")) => {
                Some("proc/PID/status")
            }
            _ => None,
        }
    }

    /// Returns a file or folder that a hazard consulted since the last call beside its own files, and that is not in
    /// the capture.
    pub(crate) fn take_cut(&self) -> Option<&'static str> {
        self.cut.take()
    }

    /// Opens a regular file; a device or a FIFO in its place is refused.
    pub(crate) fn open(&self, path: &str) -> Result<File, Missing> {
        let file = self.open_any(path)?;
        let kind = file.metadata().map_err(|error| Missing::of(path, &error))?.file_type();
        if kind.is_file() { Ok(file) } else { Err(Missing::garbage(path, "it is not a regular file")) }
    }

    pub(crate) fn bytes(&self, path: &str) -> Result<Vec<u8>, Missing> {
        let mut bytes = Vec::new();
        let read = self.open(path)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
        read.map_err(|error| Missing::of(path, &error))?;
        match bytes.len() as u64 > FILE_BYTES_MAX {
            true => Err(Missing::garbage(path, "it is larger than any file of its kind")),
            false => Ok(bytes),
        }
    }

    /// Returns the whole file as text; bytes that are not UTF-8 are replaced.
    pub(crate) fn long(&self, path: &str) -> Result<String, Missing> {
        let bytes = self.bytes(path)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns a setting: the trimmed text of a file.
    ///
    /// An empty file is garbage, since every caller asks for a file that is never empty.
    pub(crate) fn text(&self, path: &str) -> Result<String, Missing> {
        match self.text_or_empty(path)? {
            text if text.is_empty() => Err(Missing::garbage(path, "it is empty")),
            text => Ok(text),
        }
    }

    /// Returns the trimmed text of a file that may be empty.
    pub(crate) fn text_or_empty(&self, path: &str) -> Result<String, Missing> {
        let bytes = self.bytes(path)?;
        if bytes.len() > SETTING_BYTES_MAX {
            return Err(Missing::garbage(path, "it is larger than any setting"));
        }
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
    }

    /// Returns a setting that is one value, such as a number or a CPU list.
    pub(crate) fn parse<T: FromStr>(&self, path: &str) -> Result<T, Missing> {
        let text = self.text(path)?;
        text.parse().map_err(|_| not_understood(path, &text))
    }

    /// Returns a setting that is a single word of at most 64 letters, digits and `_-.`.
    pub(crate) fn word(&self, path: &str) -> Result<String, Missing> {
        let text = self.text(path)?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if text.len() <= 64 && text.chars().all(is_word) {
            Ok(text)
        } else {
            Err(not_understood(path, &text))
        }
    }

    /// Returns the chosen word of a setting such as `always [madvise] never`.
    pub(crate) fn chosen(&self, path: &str) -> Result<String, Missing> {
        let text = self.text(path)?;
        let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        match inside {
            Some((word, _)) if !word.is_empty() => Ok(word.to_owned()),
            _ => Err(not_understood(path, &text)),
        }
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    /// Returns the names in a folder: first names without a number at their end, and then the others in the order of
    /// these numbers.
    pub(crate) fn names(&self, path: &str) -> Result<Vec<String>, Missing> {
        let entries = fs::read_dir(self.root.join(path)).map_err(|error| self.missing(path, &error))?;
        let names = entries.flatten().take(NAMES_MAX);
        let mut names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into()).collect();
        names.sort_by_cached_key(|name| (trailing_number(name), name.clone()));
        Ok(names)
    }

    /// Returns the targets of the links in a folder; each link read reduces `left`, and reading stops at 0.
    pub(crate) fn links(&self, path: &str, left: &mut usize) -> Result<Vec<String>, Missing> {
        let folder = self.root.join(path);
        let entries = fs::read_dir(&folder).map_err(|error| Missing::of(path, &error))?;
        let mut targets = Vec::new();
        for entry in entries.flatten() {
            let Some(rest) = left.checked_sub(1) else { break };
            *left = rest;
            targets.extend(fs::read_link(entry.path()).map(|target| target.to_string_lossy().into_owned()));
        }
        Ok(targets)
    }

    /// Returns the names in a folder that are a word followed by a number: `policy0`, `cpu12`.
    pub(crate) fn numbered(&self, path: &str, word: &str) -> Result<Vec<String>, Missing> {
        let is_numbered =
            |name: &String| name.strip_prefix(word).is_some_and(|rest| rest.parse::<u32>().is_ok());
        Ok(self.names(path)?.into_iter().filter(is_numbered).collect())
    }
}

/// Returns the error for a file whose contents are not understood; the message quotes as much of the text as fits a
/// line.
pub(crate) fn not_understood(path: &str, text: &str) -> Missing {
    let said: String = text.chars().take(40).collect();
    Missing::garbage(path, format!("`{}` is not understood", said.escape_debug()))
}

fn trailing_number(name: &str) -> Option<u64> {
    name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> (tempfile::TempDir, Tree) {
        let root = tempfile::tempdir().unwrap();
        let tree = Tree::new(root.path());
        (root, tree)
    }

    #[test]
    fn every_reason_for_want_of_a_value_is_told_apart() {
        let (root, tree) = tree();
        assert_eq!(tree.text("a"), Err(Missing::Absent("a".into())));
        fs::write(root.path().join("a"), "").unwrap();
        assert_eq!(tree.text("a").unwrap_err().to_string(), "/a: it is empty");
        assert_eq!(tree.text_or_empty("a"), Ok(String::new()));
        assert_eq!(tree.text("a/b"), Err(Missing::Absent("a/b".into())));
        fs::write(root.path().join("a"), "many\u{7}").unwrap();
        assert_eq!(tree.parse::<u32>("a").unwrap_err().to_string(), r"/a: `many\u{7}` is not understood");
        fs::write(root.path().join("a"), vec![b'x'; 1 << 20]).unwrap();
        assert_eq!(tree.text("a").unwrap_err().to_string(), "/a: it is larger than any setting");
        std::os::unix::fs::symlink("b", root.path().join("b")).unwrap();
        assert!(matches!(tree.text("b"), Err(Missing::Garbage { .. })), "a link to itself");
        assert_eq!(tree.text("").unwrap_err().to_string(), "/: it is not a regular file");
    }

    #[test]
    fn names_are_sorted_as_people_count() {
        let (root, tree) = tree();
        for name in ["cpu10", "cpu9", "cpufreq", "cpu1x", "cpu0"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        assert_eq!(tree.numbered("", "cpu").unwrap(), ["cpu0", "cpu9", "cpu10"]);
        assert!(tree.numbered("none", "cpu").is_err());
    }

    #[test]
    fn the_word_in_brackets_is_the_chosen_one() {
        let (root, tree) = tree();
        fs::write(root.path().join("a"), "always [madvise] never\n").unwrap();
        assert_eq!(tree.chosen("a").unwrap(), "madvise");
        fs::write(root.path().join("a"), "][").unwrap();
        assert!(tree.chosen("a").is_err());
    }

    #[test]
    fn a_word_is_one_of_the_kernels_and_nothing_else() {
        let (root, tree) = tree();
        let word = |text: &[u8]| {
            fs::write(root.path().join("a"), text).unwrap();
            tree.word("a")
        };
        for good in ["performance\n", "  tsc\0", "acpi-cpufreq", "intel_pstate", "2.1"] {
            assert_eq!(word(good.as_bytes()).unwrap(), good.trim_matches(['\n', ' ', '\0']));
        }
        for bad in [&b"two words"[..], b"a\x1b[31m", b"\xff\xfe", b"a/b", &[b'x'; 65]] {
            let told = word(bad).unwrap_err().to_string();
            assert!(
                told.ends_with("is not understood") && !told.contains('\u{1b}') && told.len() < 300,
                "{told}"
            );
        }
        assert!(matches!(word(b" \n"), Err(Missing::Garbage { .. })), "an empty setting is none");
    }

    #[test]
    fn numbers_are_whole_files_of_one_number() {
        let (root, tree) = tree();
        for (text, expected) in
            [("7\n", Some(7)), (" 7 ", Some(7)), ("7 8", None), ("-7", None), ("7.0", None), ("0x7", None)]
        {
            fs::write(root.path().join("n"), text).unwrap();
            assert_eq!(tree.parse::<u64>("n").ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn links_are_read_until_their_number_is_spent() {
        let (root, tree) = tree();
        for number in 0..5 {
            std::os::unix::fs::symlink(format!("to {number}"), root.path().join(number.to_string())).unwrap();
        }
        fs::write(root.path().join("plain"), "").unwrap();
        let mut left = 100;
        let mut all = tree.links("", &mut left).unwrap();
        all.sort();
        assert_eq!((all, left), ((0..5).map(|number| format!("to {number}")).collect(), 94));
        let mut few = 2;
        assert!(tree.links("", &mut few).unwrap().len() <= 2 && few == 0);
        assert!(tree.links("none", &mut left).is_err());
    }

    /// A capture that lacks a file does not show that the machine has none.
    #[test]
    fn what_a_capture_lacks_is_noted_until_it_is_asked_for() {
        let (root, tree) = tree();
        let _missing = (tree.text("proc/cmdline"), tree.text("proc/sys/other"));
        assert_eq!((tree.take_cut(), tree.take_cut()), (Some("proc/cmdline"), None));
        let _missing = tree.text("sys/fs/cgroup/job/cpu.max");
        assert_eq!(tree.take_cut(), Some("sys/fs/cgroup"));
        fs::create_dir_all(root.path().join("sys/fs/cgroup/job")).unwrap();
        let _missing = tree.text("sys/fs/cgroup/job/cpu.max");
        assert_eq!(tree.take_cut(), None, "a group without a limit has no such file");
        let here = Tree::new(Path::new("/"));
        assert!(here.text("sys/fs/cgroup/no-such-group/cpu.max").is_err() && here.take_cut().is_none());
        assert!(Missing::Absent("proc/loadavg".into()).is_of_file());
        assert!(!Missing::Absent("proc/interrupts (MCE)".into()).is_of_file());
    }

    #[test]
    fn the_machine_itself_alone_is_live() {
        assert!(Tree::new(Path::new("/")).is_live());
        assert!(!tree().1.is_live() && !Tree::new(Path::new("/proc")).is_live());
    }
}
