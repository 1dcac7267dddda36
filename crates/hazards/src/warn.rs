//! The few hazards about which every experiment warns.

use std::path::Path;

use fauxplat_units::CpuSet;

use crate::finding::Severity;
use crate::read::counters::Counters;
use crate::tree::Tree;
use crate::view::View;
use crate::{find, verdict};

/// Hazards that can be judged from a few small files without waiting.
const WATCHED: [&str; 6] = ["governor", "on-battery", "clocksource", "cpu-quota", "steal", "load"];

/// Returns a line for each watched hazard that is high at the moment, from one reading of a few small files.
///
/// A call takes well below 2 ms, since every experiment begins with one. `cpus` are the CPUs to be measured on; by
/// default all on which this process may run.
pub fn warnings(root: &Path, cpus: Option<&CpuSet>) -> Vec<String> {
    let tree = Tree::new(root);
    let counters = Counters::brief(&tree);
    let view = View::new(&tree, root, cpus, &counters);
    let hazards = WATCHED.iter().filter_map(|name| find(name).ok());
    let high = hazards.map(|hazard| (hazard, verdict(hazard, &view)));
    let high = high.filter(|(_, judged)| judged.severity == Severity::High);
    high.map(|(hazard, judged)| {
        format!("{} ({}): {}; see `fauxplat doctor`", hazard.title, hazard.name, judged.value)
    })
    .collect()
}
