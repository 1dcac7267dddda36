//! Tests on other machines than this: captured, described, and nonsensical.
#![expect(clippy::disallowed_macros, reason = "a test says why it skips")]

mod expand;
mod facts;
mod hostile;
mod odd;
mod parts;
mod peers;
mod relations;
mod untold;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use fauxplat_model::{MachineFacts, Topology};
use fauxplat_topology::{discover, read};
use tempfile::TempDir;

fn fixture(machine: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sysfs").join(machine)
}

/// Whether `/sys` belongs to the machine on which the test runs. Where another tree is mounted over it, this process
/// may run on CPUs that the tree does not have.
fn is_of_one_piece() -> bool {
    let ours = fauxplat_sys::sched::affinity(0).unwrap();
    let is_whole =
        ours.iter().all(|cpu| Path::new(&format!("/sys/devices/system/cpu/cpu{}", cpu.0)).is_dir());
    if !is_whole {
        eprintln!("skipped: /sys has no CPU {ours}, on which this runs");
    }
    is_whole
}

/// The parts and facts of a described machine, which must give no warnings. Each machine is expanded and read once.
fn parts_of(machine: &str) -> (Topology, MachineFacts) {
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

fn described(machine: &str) -> TempDir {
    let text = std::fs::read_to_string(fixture("machines").join(format!("{machine}.txt"))).unwrap();
    let root = in_memory();
    expand::expand(&text, root.path()).unwrap();
    root
}

/// A temporary folder in memory: a tree has thousands of small files, which take seconds on some disks.
fn in_memory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}
