//! Files of real machines: `fixtures/` has bare metal, guests and a container.

use std::path::Path;

use fauxplat_procfs::{cpuinfo, keyed, meminfo, status};

fn captured(machine: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/sysfs")
        .join(machine)
        .join("proc")
        .join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_machine_has_memory_and_a_process_that_may_run_somewhere() {
    for machine in ["bare-metal-x86", "vm-x86", "vm-arm64", "container"] {
        let total = meminfo::bytes(&captured(machine, "meminfo"), "MemTotal");
        assert!(total.is_some_and(|bytes| bytes > 1 << 28 && bytes % 1024 == 0), "{machine}: {total:?}");
        let own = captured(machine, "self/status");
        let list = status::cpus_allowed_list(&own).unwrap_or_default();
        assert!(list.starts_with(|c: char| c.is_ascii_digit()), "{machine}: {list}");
    }
}

#[test]
fn cpus_are_counted_on_every_architecture() {
    for machine in ["bare-metal-x86", "vm-x86", "vm-arm64", "container"] {
        let text = captured(machine, "cpuinfo");
        let listed: Vec<u32> = cpuinfo::processors(&text).collect();
        assert!(
            !listed.is_empty() && listed.iter().copied().eq(0..listed.len() as u32),
            "{machine}: {listed:?}"
        );
    }
    let arm = captured("vm-arm64", "cpuinfo");
    assert!(keyed::value(&arm, "CPU implementer").is_some_and(|number| number.starts_with("0x")));
    assert_eq!(keyed::value(&arm, "model name"), None);
}
