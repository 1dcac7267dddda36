//! Bodies of the fuzz targets, which the replay of their corpus on stable Rust shares.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use fauxplat_tuning::{Restore, Root, restore, settings, status};

/// Files of the machine to which journals in the corpus refer, with their content.
const FILES: [(&str, &str); 4] = [
    ("proc/sys/kernel/random/boot_id", "b\n"),
    ("proc/sys/vm/stat_interval", "7\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n"),
    ("sys/fs/cgroup/cpuset/a/cpuset.cpus", "0\n"),
];

/// Folder for the files of one input at a time.
fn folder() -> &'static Mutex<tempfile::TempDir> {
    static FOLDER: OnceLock<Mutex<tempfile::TempDir>> = OnceLock::new();
    FOLDER.get_or_init(|| Mutex::new(tempfile::tempdir().expect("a folder for the machine")))
}

fn values(root: &Path) -> Vec<Option<String>> {
    FILES.iter().map(|(file, _)| fs::read_to_string(root.join(file)).ok()).collect()
}

/// Turns lines into a journal with correct checksums, so that the code behind the check is reached too; an incomplete
/// last line is not changed. Lines with guardians are left out, since a process with the id of a guardian would be
/// killed.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let (whole, rest) = text.rsplit_once('\n').unwrap_or(("", &text));
    let lines = whole.lines().filter(|line| !line.contains("guardian"));
    let seal = |line: &str| format!("{:08x} {line}\n", crc32fast::hash(line.as_bytes()));
    (lines.map(seal).collect::<String>() + rest).into_bytes()
}

/// Shows the status of a machine with this journal, and restores it. A refused journal must not change the machine.
pub(crate) fn journal(bytes: &[u8]) {
    let folder = folder().lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (path, place) = (folder.path().join("root"), folder.path().join("journal"));
    for (file, text) in FILES {
        let file = path.join(file);
        fs::create_dir_all(file.parent().expect("files have folders")).expect("a folder of the machine");
        fs::write(file, text).expect("a file of the machine");
    }
    let (root, before) = (Root::new(&path), values(&path));
    for content in [bytes.to_vec(), sealed(bytes)] {
        fs::write(&place, content).expect("a journal");
        let told = status(&root, &place);
        let force = Restore { force: true, wait: true };
        for how in [Restore::default(), force] {
            let done = restore(&root, &place, how, "test");
            assert!(told.is_ok() || done.is_err(), "what cannot be read is not acted upon");
            if told.is_err() {
                assert_eq!(values(&path), before, "a journal that is refused changes nothing");
            }
        }
        let _gone = fs::remove_file(&place);
    }
}

/// Parses words that name profiles, or knobs and values.
pub(crate) fn words(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // Words with paths are left out, since this target reads no files.
    let words = text.split_whitespace().filter(|word| !word.contains('/') && !word.ends_with(".toml"));
    let words: Vec<String> = words.map(str::to_owned).collect();
    if let Err(error) = settings(&words) {
        assert!(!error.to_string().contains('\n'), "one line: {error}");
    }
}

/// Reads a file of profiles. Its settings, written as words, have to parse to the same settings.
pub(crate) fn profiles(bytes: &[u8]) {
    let folder = folder().lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let path = folder.path().join("mine.toml");
    fs::write(&path, bytes).expect("a file of profiles");
    match settings(&[path.display().to_string()]) {
        Err(error) => assert!(!error.to_string().contains('\n'), "one line: {error}"),
        Ok(read) => {
            let words = read.words();
            let again = settings(&words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
            assert_eq!(again.words(), words);
            assert!(read.by_name().is_empty(), "a file asks for no knob by name");
        }
    }
}
