//! Reads CPUs and machine facts from a root path, and writes nothing.
//!
//! The root is `/` on the machine itself and a tree of fixtures in tests. A file that is missing or makes no sense
//! leaves the default of its fact: a container without `/sys` can still be measured in.

mod activity;
mod cpuinfo;
mod cpus;
mod descriptions;
mod hypervisor;
pub mod parse;
mod pick;
mod read;
mod release;
mod tree;

use std::path::Path;

use fauxplat_model::{CpuFacts, MachineFacts};

pub use activity::Watch;
pub use cpus::{allowed, frequencies_khz, online, present, siblings};
pub use pick::{Activities, PickError, pick};
pub use tree::read;

/// What machine this is.
pub fn discover(root: &Path) -> MachineFacts {
    let cpuinfo = read::text(root, "proc/cpuinfo").unwrap_or_default();
    let kernel = |name: &str| read::text(root, &format!("proc/sys/kernel/{name}"));
    MachineFacts {
        kernel: kernel("osrelease").unwrap_or_default(),
        // The file exists since Linux 6.1; before it, this program's own architecture is the best guess.
        architecture: kernel("arch").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        os: release::name(root),
        cpu: CpuFacts {
            model: cpuinfo::model(root, &cpuinfo),
            online: online(root),
            allowed: allowed(root),
            governor: cpus::governor(root),
        },
        memory_bytes: release::memory(root),
        hypervisor: hypervisor::name(root, &cpuinfo),
        boot_id: kernel("random/boot_id").unwrap_or_default(),
        randomize_va_space: kernel("randomize_va_space").and_then(|digit| digit.parse().ok()),
    }
}
