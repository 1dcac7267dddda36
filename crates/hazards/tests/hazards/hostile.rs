//! Nonsensical trees: whatever the files contain, every hazard is judged and nothing panics.
//!
//! These tests put FIFOs, links and folders in the places of files; `hazards-tree` in fuzz/ varies the files' bytes.
#![expect(clippy::disallowed_methods, reason = "mkfifo(1) makes the FIFO of a test")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use fauxplat_hazards::{Severity, examine, hazards, warnings};
use fauxplat_units::Nanos;
use proptest::prelude::*;

use crate::fake::{folder, look, machine, one, write};

const FILES: [&str; 30] = [
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/present",
    "sys/devices/system/cpu/isolated",
    "sys/devices/system/cpu/cpufreq/policy0/affected_cpus",
    "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
    "sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq",
    "sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/latency",
    "sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
    "sys/devices/system/node/node0/meminfo",
    "sys/devices/system/node/node1/meminfo",
    "sys/class/hwmon/hwmon0/temp1_input",
    "sys/class/hwmon/hwmon0/temp1_crit",
    "sys/fs/resctrl/schemata",
    "sys/fs/resctrl/info/L3/cbm_mask",
    "sys/fs/cgroup/job/cpu.max",
    "sys/fs/cgroup/job/cpu.stat",
    "proc/stat",
    "proc/interrupts",
    "proc/softirqs",
    "proc/vmstat",
    "proc/meminfo",
    "proc/buddyinfo",
    "proc/diskstats",
    "proc/loadavg",
    "proc/pressure/cpu",
    "proc/self/cgroup",
    "proc/self/mountinfo",
    "proc/7/stat",
    "proc/config.gz",
];

/// Generates random bytes, or text that is nearly valid.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    let line = "(cpu[0-9]{0,3}|CPU0 CPU1|LOC:|[0-9]{1,3}:|some avg10=|total=|MemFree:|Node 0|0::/job|nr_throttled|7 \\(a\\) S)?([ ,=-]?(18446744073709551615|-1|0|1e999|NaN|[0-9]{1,6}|/|cgroup2)){0,24}\n";
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..80),
        proptest::collection::vec(line, 0..6).prop_map(|lines| lines.concat().into_bytes()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_hazard_is_judged_whatever_the_files_say(
        early in proptest::collection::vec(contents(), FILES.len()),
        late in proptest::collection::vec(contents(), FILES.len()),
    ) {
        let [before, after] = [&early, &late].map(|contents| {
            let root = folder();
            for (name, bytes) in FILES.iter().zip(contents) {
                write(root.path(), name, bytes);
            }
            root
        });
        let found = look(before.path(), after.path(), None);
        prop_assert_eq!(found.hazards.len(), hazards().count());
        prop_assert!(found.hazards.is_sorted_by_key(|hazard| hazard.severity));
        for hazard in &found.hazards {
            let is_told = hazard.value.is_some() || hazard.reason.is_some();
            prop_assert!(is_told, "{:?}", hazard);
            let needs_reason = matches!(hazard.severity, Severity::Unknown | Severity::NotApplicable);
            prop_assert!(!needs_reason || hazard.reason.is_some(), "{:?}", hazard);
        }
        for line in warnings(after.path(), None) {
            prop_assert!(!line.contains('\n') && line.ends_with("see `fauxplat doctor`"), "{}", line);
        }
    }
}

#[test]
fn an_empty_root_has_no_hazard() {
    let root = folder();
    for root in [root.path(), Path::new("/nonexistent")] {
        let found = examine(root, None, Nanos(1));
        let present: Vec<_> = found.hazards.iter().filter(|hazard| hazard.severity.is_present()).collect();
        assert!(present.is_empty(), "{present:?}");
        assert!(warnings(root, None).is_empty());
    }
}

#[test]
fn links_in_circles_fifos_and_folders_in_place_of_files_hold_nobody_up() {
    let root = machine::<&str>(&[]);
    for name in ["proc/loadavg", "proc/self/status", "proc/stat"] {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(path.file_name().unwrap(), &path).unwrap();
    }
    fs::create_dir_all(root.path().join("proc/interrupts")).unwrap();
    symlink("..", root.path().join("proc/irq")).unwrap();
    for name in ["proc/vmstat", "dev/kmsg"] {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        make_fifo(&path);
    }
    let found = look(root.path(), root.path(), None);
    for (name, words) in [
        ("load", "/proc/loadavg: "),
        ("device-interrupts", "not a regular file"),
        ("memory-reclaim", "not a regular file"),
        ("traced", "/proc/self/status: "),
    ] {
        let hazard = one(&found, name);
        let reason = hazard.reason.unwrap_or_default();
        assert!(hazard.severity == Severity::Unknown && reason.contains(words), "{name}: {reason}");
    }
    assert_eq!(one(&found, "kernel-log").severity, Severity::None, "nobody writes into the FIFO");
}

fn make_fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[test]
fn a_file_that_may_not_be_read_is_unknown_and_says_why() {
    let root = machine(&[("proc/loadavg", "9 9 9 1/1 1")]);
    fs::set_permissions(root.path().join("proc/loadavg"), fs::Permissions::from_mode(0o000)).unwrap();
    let found = one(&look(root.path(), root.path(), None), "load");
    match fauxplat_sys::process::is_root() {
        true => assert_eq!(found.severity, Severity::High, "root may read everything"),
        false => {
            assert_eq!(found.severity, Severity::Unknown);
            assert!(found.reason.unwrap().contains("/proc/loadavg may not be read (run as root)"));
        }
    }
}

#[test]
fn a_cpu_that_goes_between_two_readings_has_no_figure() {
    let stat = |text: &'static str| machine(&[("proc/stat", text)]);
    let before = stat("cpu0 0 0 0 10 0 0 0 0\ncpu1 0 0 0 10 0 0 0 0\n");
    let after = stat("cpu0 0 0 0 20 0 0 0 0\ncpu2 9 0 0 10 0 0 0 0\n");
    let found = one(&look(before.path(), after.path(), None), "busy-cpus");
    assert_eq!((found.severity, found.value.as_deref()), (Severity::None, Some("0 % busy on average")));
}
