//! Folders with the files of the machines in `fixtures/sysfs`. The tests of `topo` share this module.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use fauxplat_model::{MachineFacts, Topology};
use fauxplat_topology::{discover, read};
use tempfile::TempDir;

use crate::expand::expand;

/// A file or folder in `fixtures/sysfs`, which lies above the crate under test.
pub(crate) fn fixture(name: &str) -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut folders = above.map(|folder| folder.join("fixtures/sysfs"));
    folders.find(|folder| folder.is_dir()).expect("the fixtures are there").join(name)
}

/// The parts and facts of a described machine, which must give no warnings. Each machine is expanded and read once.
pub(crate) fn parts_of(machine: &str) -> (Topology, MachineFacts) {
    static KNOWN: LazyLock<Mutex<HashMap<String, (Topology, MachineFacts)>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap();
    let parts = known.entry(machine.to_owned()).or_insert_with(|| {
        let root = described(machine);
        let (topology, warnings) = read(root.path());
        assert_eq!(warnings, Vec::<String>::new(), "{machine}");
        // The architecture is this program's own where the tree does not contain it.
        (topology, MachineFacts { architecture: "own".into(), ..discover(root.path()) })
    });
    parts.clone()
}

pub(crate) fn described(machine: &str) -> TempDir {
    let text = std::fs::read_to_string(fixture("machines").join(format!("{machine}.txt"))).unwrap();
    let root = in_memory();
    expand(&text, root.path()).unwrap();
    root
}

/// A temporary folder in memory: a tree has thousands of small files, which take seconds on some disks.
pub(crate) fn in_memory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}
