//! Tests on other machines than this: captured, described, and nonsensical.
#![expect(clippy::disallowed_macros, reason = "a test says why it skips")]

mod drawn;
mod expand;
mod facts;
mod hostile;
mod odd;
mod parts;
mod peer;
mod peers;
mod relations;
mod roots;
mod untold;

use std::path::Path;

use roots::{described, fixture, in_memory, parts_of};

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
