//! Facts of machines in `fixtures/sysfs`, of this machine, and of trees that make no sense.

use std::fs;
use std::path::Path;

use fauxplat_model::MachineFacts;
use fauxplat_topology::{allowed, discover, online, present, siblings};
use fauxplat_units::Cpu;
use proptest::prelude::*;

use crate::{fixture, is_of_one_piece};

fn facts(machine: &str) -> String {
    serde_json::to_string_pretty(&discover(&fixture(machine))).unwrap()
}

#[test]
fn a_guest_is_named_by_its_clock() {
    insta::assert_snapshot!(facts("vm-x86"));
}

#[test]
fn a_machine_without_the_flag_has_no_hypervisor_whatever_its_firmware_says() {
    insta::assert_snapshot!(facts("bare-metal-x86"));
}

#[test]
fn arm_gives_numbers_that_are_given_names() {
    insta::assert_snapshot!(facts("vm-arm64"));
}

#[test]
fn a_container_sees_the_host_and_may_use_a_part() {
    // Without `kernel.arch` in the tree, the architecture is this program's own, which the snapshot must not depend on.
    let facts = MachineFacts { architecture: "own".into(), ..discover(&fixture("container")) };
    insta::assert_snapshot!(serde_json::to_string_pretty(&facts).unwrap());
}

#[test]
fn an_offline_cpu_is_not_allowed() {
    assert_eq!(online(&fixture("container")).to_string(), "0-54,56-63");
    assert_eq!(allowed(&fixture("container")).to_string(), "53-54");
}

#[test]
fn a_cpu_that_is_present_may_be_offline() {
    assert_eq!(present(&fixture("bare-metal-x86")).to_string(), "0-9");
    assert_eq!(online(&fixture("bare-metal-x86")).to_string(), "0-7");
    assert_eq!(present(&fixture("vm-arm64")), online(&fixture("vm-arm64")), "the list is missing");
}

#[test]
fn threads_of_one_core_are_siblings() {
    let metal = fixture("bare-metal-x86");
    assert_eq!(siblings(&metal, Cpu(1)).to_string(), "1,5");
    assert!(siblings(&metal, Cpu(7)).is_empty(), "the kernel does not say");
}

#[test]
fn this_machine_has_facts() {
    if !is_of_one_piece() {
        return;
    }
    let facts = discover(Path::new("/"));
    assert!(!facts.kernel.is_empty() && !facts.boot_id.is_empty() && facts.memory_bytes.0 > 1 << 20);
    assert!(!facts.cpu.allowed.is_empty(), "{facts:?}");
    assert_eq!(facts.cpu.allowed.without(&facts.cpu.online).len(), 0);
    let parallel = std::thread::available_parallelism().unwrap().get();
    assert!(parallel <= facts.cpu.allowed.len(), "{parallel} of {}", facts.cpu.allowed);
}

#[test]
fn an_empty_root_gives_defaults() {
    let root = tempfile::tempdir().unwrap();
    let defaults = MachineFacts { architecture: std::env::consts::ARCH.into(), ..MachineFacts::default() };
    assert_eq!(discover(root.path()), defaults);
    assert_eq!(discover(Path::new("/nonexistent")), defaults);
}

#[test]
fn without_sys_the_cpus_come_from_proc() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("proc")).unwrap();
    fs::write(root.path().join("proc/cpuinfo"), "processor : 0\n\nprocessor : 1\n").unwrap();
    assert_eq!(online(root.path()).to_string(), "0-1");
    assert_eq!(allowed(root.path()).to_string(), "0-1");
}

const FILES: [&str; 12] = [
    "proc/cpuinfo",
    "proc/meminfo",
    "proc/self/status",
    "proc/sys/kernel/osrelease",
    "proc/sys/kernel/randomize_va_space",
    "proc/device-tree/hypervisor/compatible",
    "sys/hypervisor/type",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "sys/devices/system/clocksource/clocksource0/available_clocksource",
    "sys/class/dmi/id/sys_vendor",
    "etc/os-release",
];

/// Random bytes, or text that is nearly valid.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    let nearly =
        "(processor|MemTotal|Cpus_allowed_list|flags|PRETTY_NAME)[:= \t]{1,3}[0-9a-z\"',\\\\ -]{0,24}\n";
    prop_oneof![proptest::collection::vec(any::<u8>(), 0..60), nearly.prop_map(String::into_bytes)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn nonsense_never_panics(files in proptest::collection::vec(contents(), FILES.len())) {
        let root = tempfile::tempdir().unwrap();
        for (name, bytes) in FILES.iter().zip(&files) {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let facts = discover(root.path());
        prop_assert!(facts.cpu.online.is_empty() || facts.cpu.allowed.without(&facts.cpu.online).is_empty());
        prop_assert!(!facts.kernel.starts_with(char::is_whitespace));
    }
}
