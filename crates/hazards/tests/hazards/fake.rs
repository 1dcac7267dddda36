//! Machines made of files.

use std::fs;
use std::path::Path;

use fauxplat_hazards::{Examination, HazardFinding, examine_captures};
use fauxplat_units::Nanos;
use tempfile::TempDir;

/// Four CPUs on two cores of one node, on no hypervisor, with a process that may use all of them.
const BASE: [(&str, &str); 8] = [
    ("sys/devices/system/cpu/online", "0-3"),
    ("sys/devices/system/cpu/present", "0-3"),
    ("proc/cpuinfo", "processor : 0\nmodel name : Fake CPU\nflags : fpu tsc\n"),
    ("proc/meminfo", "MemTotal: 8000000 kB\n"),
    ("proc/cmdline", "quiet\n"),
    ("proc/self/mountinfo", ""),
    ("sys/kernel/security/lockdown", "[none] integrity confidentiality\n"),
    ("sys/kernel/security/lsm", "capability\n"),
];

/// Creates a root with these files, beside those of [`BASE`]. A name that ends in a slash is a folder.
pub(crate) fn machine<T: AsRef<str>>(files: &[(T, T)]) -> TempDir {
    let root = folder();
    BASE.iter().for_each(|(name, text)| write(root.path(), name, text.as_bytes()));
    for (name, text) in files {
        write(root.path(), name.as_ref(), text.as_ref().as_bytes());
    }
    root
}

/// Creates a folder in memory if possible: hundreds of small trees would otherwise wait for a disk.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Writes one file and creates the folders above it.
pub(crate) fn write(root: &Path, name: &str, bytes: &[u8]) {
    let path = root.join(name);
    if name.ends_with('/') {
        return fs::create_dir_all(path).unwrap();
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Interval between the two captures: a tenth of a second.
pub(crate) const APART: Nanos = Nanos(100_000_000);

/// Returns the findings from two captures that are [`APART`].
pub(crate) fn look(before: &Path, after: &Path, cpus: Option<&str>) -> Examination {
    let cpus = cpus.map(|list| list.parse().unwrap());
    examine_captures(before, after, cpus.as_ref(), APART)
}

pub(crate) fn one(findings: &Examination, name: &str) -> HazardFinding {
    let found = findings.hazards.iter().find(|found| found.name == name);
    found.unwrap_or_else(|| panic!("{name} was not looked at")).clone()
}
