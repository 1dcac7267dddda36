//! The parts of the described machines and of this one.

use fauxplat_model::GroupKind;
use fauxplat_topology::read;

use crate::{is_of_one_piece, parts_of};

#[test]
fn modules_are_cores_with_a_shared_cache() {
    let (topology, _) = parts_of("modules");
    let cores: Vec<String> = topology.level(GroupKind::Core).map(|core| core.cpus.to_string()).collect();
    assert_eq!(cores, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn this_machine_is_read_like_the_others() {
    if !is_of_one_piece() {
        return;
    }
    let (topology, warnings) = read(std::path::Path::new("/"));
    assert_eq!(warnings, Vec::<String>::new());
    assert!(!topology.allowed.is_empty() && topology.allowed.is_subset(&topology.online));
    assert_eq!(topology.cpus.len(), topology.present.len());
}
