//! Reads CPUs and machine facts from a root path, and writes nothing.
//!
//! The root is `/` on the machine itself and a tree of fixtures in tests. A file that is missing or makes no sense
//! leaves the fact at its default, so a container without `/sys` can still be measured.

mod activity;
mod common;
mod cpuinfo;
mod cpus;
mod descriptions;
mod hypervisor;
mod identity;
mod origin;
pub mod parse;
mod pick;
mod read;
mod release;
mod tree;

use std::path::Path;

use fauxplat_model::{CpuFacts, MachineFacts, Topology};

pub use activity::{CpuActivity, Watch};
pub use cpus::{allowed, frequencies_khz, online, present, siblings};
pub use identity::{identity, throttles};
pub use origin::origin;
pub use pick::{Activities, Chosen, PickError, pick};

use common::Common;

/// The amount of detail that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Details that trees and boxes show. Identifiers, line sizes and ways of caches, a quarter of all files, are left
    /// out.
    Shown,
    Whole,
}

/// Facts about a machine: kernel, CPUs, memory, hypervisor.
pub fn discover(root: &Path) -> MachineFacts {
    facts(&Common::read(root))
}

/// The parts of a machine, and warnings. The root is `/` for this machine, and another folder for a captured one.
///
/// Missing parts are left out; parts that make no sense are left out with a warning that names the file. No content of
/// the tree makes the call fail: a container without `/sys` has CPUs and no parts.
pub fn read(root: &Path) -> (Topology, Vec<String>) {
    tree::read(&Common::read(root), Depth::Whole)
}

/// Facts and parts of a machine; files that both need are read once.
pub fn survey(root: &Path, depth: Depth) -> (MachineFacts, Topology, Vec<String>) {
    let common = Common::read(root);
    let (topology, warnings) = tree::read(&common, depth);
    (facts(&common), topology, warnings)
}

fn facts(common: &Common<'_>) -> MachineFacts {
    let (root, cpuinfo) = (common.root, common.cpuinfo.as_str());
    let kernel = |name: &str| read::text(root, &format!("proc/sys/kernel/{name}"));
    let online = online(root);
    MachineFacts {
        kernel: kernel("osrelease").unwrap_or_default(),
        architecture: common.architecture.clone(),
        os: release::name(root),
        cpu: CpuFacts {
            model: cpuinfo::model(root, cpuinfo),
            allowed: cpus::allowed_of(&online, &common.status),
            governor: cpus::governor(root, &online),
            online,
        },
        memory_bytes: release::memory(root),
        hypervisor: hypervisor::name(root, cpuinfo),
        boot_id: kernel("random/boot_id").unwrap_or_default(),
        randomize_va_space: kernel("randomize_va_space").and_then(|digit| digit.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    /// A temporary root folder with the given files of a machine.
    pub(crate) fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }
}
