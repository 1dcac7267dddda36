//! Made-up machines: trees of files that are bind-mounted over those of the kernel.

use std::fs;
use std::path::Path;

use crate::cargo::root;
use crate::error::ChoreError;
use crate::expand;

/// Names of three machines described here, and of machines in `fixtures/sysfs/machines`.
pub(super) const NAMES: &[&str] = &[
    "large-l3",
    "no-l3",
    "one-cpu",
    "five-hundred-twelve",
    "arm-three-kinds",
    "mainframe",
    "hybrid",
    "many-l3",
    "power-smt8",
    "cpu0-offline",
];

/// A rented guest that shows the last-level cache of its whole host.
const LARGE_L3: &str = "online 0-1\npackage 0-1\ncore 0-1*\ncache L1d 48K 12 0-1*\ncache L1i 32K 8 0-1*\n\
cache L2 2048K 16 0-1*\ncache L3 491520K 20 0-1\nnode 0 0-1 8388608 10\n";

/// A small board, or a guest whose hypervisor hides the last-level cache.
const NO_L3: &str =
    "online 0-3\npackage 0-3\ncore 0-3*\ncache L1d 32K 8 0-3*\ncache L1i 32K 8 0-3*\nnode 0 0-3 4194304 10\n";

const ONE_CPU: &str = "online 0\npackage 0\ncore 0\ncache L1d 32K 8 0\ncache L1i 32K 8 0\ncache L2 1024K 16 0\nnode 0 0 1048576 10\n";

pub(super) fn lay_out(name: &str, folder: &Path) -> Result<(), ChoreError> {
    let written = |name: &str| {
        let path = root().join("fixtures/sysfs/machines").join(format!("{name}.txt"));
        fs::read_to_string(&path).map_err(ChoreError::at(&path))
    };
    let description = match name {
        "large-l3" => LARGE_L3.to_owned(),
        "no-l3" => NO_L3.to_owned(),
        "one-cpu" => ONE_CPU.to_owned(),
        name => written(name)?,
    };
    expand::expand(&description, folder).map_err(ChoreError::at(folder))
}

/// Lines for a shell that bind-mount the parts of the tree that exist.
pub(super) fn binding(folder: &Path) -> String {
    let places = [
        "sys/devices/system/cpu",
        "sys/devices/system/node",
        "proc/cpuinfo",
        "proc/interrupts",
        "proc/softirqs",
    ];
    let bind = |place: &str| {
        let made_up = folder.join(place);
        format!("[ ! -e '{0}' ] || [ ! -e /{place} ] || mount --bind '{0}' /{place}", made_up.display())
    };
    places.map(bind).join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_of_our_own_can_be_laid_out() {
        // Tests of `topology` lay out the machines of `fixtures`.
        for name in &NAMES[..3] {
            let folder = tempfile::tempdir().unwrap();
            lay_out(name, folder.path()).unwrap();
            assert!(folder.path().join("sys/devices/system/cpu/online").is_file(), "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        lay_out("large-l3", folder.path()).unwrap();
        let size = folder.path().join("sys/devices/system/cpu/cpu0/cache/index3/size");
        assert_eq!(fs::read_to_string(size).unwrap().trim(), "491520K");
    }
}
