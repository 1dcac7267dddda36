//! Machines at the edges: without CPUs, with thousands of CPUs, and with counters that wrap or decrease.

use std::fmt::Write;
use std::fs;

use fauxplat_hazards::{Examination, Severity, examine, examine_captures, find, hazards, warnings};
use fauxplat_units::Nanos;
use proptest::prelude::*;

use crate::fake::{folder, look, machine, one, write};

/// Checks that everything was judged, and that unknown and inapplicable hazards have a reason.
fn is_whole(found: &Examination) {
    assert_eq!(found.hazards.len(), hazards().count());
    for hazard in &found.hazards {
        let needs_reason = matches!(hazard.severity, Severity::Unknown | Severity::NotApplicable);
        assert!(!needs_reason || hazard.reason.is_some(), "{hazard:?}");
        assert!(hazard.cpus.iter().all(|cpu| cpu.severity.is_present()), "{hazard:?}");
        assert!(
            hazard.tune.is_none() || (hazard.can_tune && hazard.severity != Severity::None),
            "{hazard:?}"
        );
        for text in [&hazard.value, &hazard.reason].into_iter().flatten() {
            assert!(!text.is_empty() && !text.contains(['\n', '\0', '\u{1b}']), "{hazard:?}");
        }
    }
}

#[test]
fn a_machine_without_a_readable_cpu_is_judged() {
    for online in ["", "\n", "garbage", "4294967295", "5-2"] {
        let root = machine(&[
            ("sys/devices/system/cpu/online", online),
            ("sys/devices/system/cpu/present", online),
            ("proc/stat", "cpu  1 1 1 1 1 1 1 1\n"),
            ("proc/interrupts", "\nLOC: \n"),
            ("proc/loadavg", "0.00 0.00 0.00 1/1 1"),
        ]);
        is_whole(&look(root.path(), root.path(), None));
        is_whole(&look(root.path(), root.path(), Some("0-4095")));
        is_whole(&examine(root.path(), None, Nanos(0)));
        assert_eq!(warnings(root.path(), None), [""; 0], "{online:?}");
    }
}

/// A file that was not captured may be there: no hazard of an empty capture is harmless or not applicable.
#[test]
fn nothing_of_an_empty_capture_is_harmless() {
    let root = folder();
    let both = [look(root.path(), root.path(), None), examine(root.path(), None, Nanos(0))];
    for hazard in both.iter().flat_map(|found| &found.hazards) {
        assert_eq!(hazard.severity, Severity::Unknown, "{hazard:?}");
    }
}

const MANY: u64 = 4096;

/// Returns `/proc/stat` and `/proc/interrupts` of [`MANY`] CPUs, each with this count of busy ticks and of interrupts.
fn many(ticks: u64, interrupts: u64) -> [String; 2] {
    let (mut stat, mut table) = (String::new(), String::new());
    for cpu in 0..MANY {
        writeln!(stat, "cpu{cpu} {ticks} 0 0 100 0 0 0 0 0 0").unwrap();
        write!(table, " CPU{cpu}").unwrap();
    }
    table.push_str("\nLOC:");
    (0..MANY).for_each(|_| write!(table, " {interrupts}").unwrap());
    [stat, table + "  Local timer interrupts\n"]
}

#[test]
fn a_machine_with_thousands_of_cpus_is_judged_on_those_that_are_asked_for() {
    let made = |ticks, interrupts| {
        let [stat, table] = many(ticks, interrupts);
        let list = "0-4095";
        let (online, present) = ("sys/devices/system/cpu/online", "sys/devices/system/cpu/present");
        machine(&[(online, list), (present, list), ("proc/stat", &stat), ("proc/interrupts", &table)])
    };
    let (before, after) = (made(0, 0), made(50, 10));
    let all = look(before.path(), after.path(), None);
    is_whole(&all);
    assert_eq!(all.cpus.len(), MANY as usize);
    let busy = one(&all, "busy-cpus");
    assert!(busy.severity.is_present() && busy.cpus.len() <= MANY as usize, "{:?}", busy.severity);
    let last = look(before.path(), after.path(), Some("4095"));
    let told = one(&last, "busy-cpus");
    assert!(told.cpus.iter().all(|found| found.cpu.0 == 4095), "{:?}", told.cpus);
}

/// Returns files of counters in which every number is the given one.
fn counters(number: u64) -> [(&'static str, String); 8] {
    let n = number;
    [
        ("proc/stat", format!("cpu0 {n} {n} {n} {n} {n} {n} {n} {n} {n} {n}\n")),
        (
            "proc/interrupts",
            format!("  CPU0 CPU1\nLOC: {n} {n} Local timer\nRES: {n} {n} Rescheduling\n 9: {n} {n} disk\n"),
        ),
        ("proc/softirqs", format!("  CPU0 CPU1\nTIMER: {n} {n}\nRCU: {n} {n}\n")),
        (
            "proc/vmstat",
            format!("pgmajfault {n}\npswpin {n}\npswpout {n}\ncompact_stall {n}\nallocstall_normal {n}\n"),
        ),
        ("proc/diskstats", format!("8 0 sda {n} {n} {n} {n} {n} {n} {n} {n} {n} {n} {n}\n")),
        ("proc/pressure/cpu", format!("some avg10=0.00 avg60=0.00 avg300=0.00 total={n}\n")),
        ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", format!("{n}\n")),
        ("proc/7/stat", format!("7 (a) R 1 7 7 0 -1 0 {n} {n} {n} {n} {n} {n} {n} {n} 20 0 1 0 5")),
    ]
}

fn counted(number: u64) -> tempfile::TempDir {
    let root = machine::<&str>(&[]);
    counters(number).iter().for_each(|(name, text)| write(root.path(), name, text.as_bytes()));
    root
}

/// A counter that decreased has no difference; a subtraction that wraps would make it a storm of 2⁶⁴ events.
#[test]
fn counters_that_go_back_are_no_events() {
    let still = counted(1000);
    let quiet = look(still.path(), still.path(), None);
    for (before, after) in [(u64::MAX, 0), (1000, 999), (u64::MAX, u64::MAX - 1), (1 << 63, 5)] {
        let (early, late) = (counted(before), counted(after));
        let found = look(early.path(), late.path(), None);
        is_whole(&found);
        for hazard in
            ["busy-cpus", "device-interrupts", "memory-reclaim", "thermal-throttling", "disk-activity"]
        {
            let Ok(hazard) = find(hazard) else { continue };
            let (now, then) = (one(&found, hazard.name), one(&quiet, hazard.name));
            let worse = now.severity.is_present() && !then.severity.is_present();
            assert!(!worse, "{before} to {after}: {now:?}");
        }
    }
}

#[test]
fn captures_that_are_no_time_apart_have_no_rate() {
    let (before, after) = (counted(0), counted(u64::MAX));
    for apart in [Nanos(0), Nanos(1), Nanos(u64::MAX)] {
        let found = examine_captures(before.path(), after.path(), None, apart);
        is_whole(&found);
        for hazard in &found.hazards {
            let said = hazard.value.clone().unwrap_or_default();
            assert!(!said.contains("NaN") && !said.contains("inf "), "{apart:?}: {hazard:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_counters_did_every_hazard_is_judged(before in any::<u64>(), after in any::<u64>(), apart in any::<u64>()) {
        let (early, late) = (counted(before), counted(after));
        is_whole(&examine_captures(early.path(), late.path(), None, Nanos(apart)));
    }
}

/// Bytes that no kernel file has, in every file that some hazard reads, are reported in one line without control
/// characters.
#[test]
fn what_a_file_says_does_not_reach_a_terminal_as_it_is() {
    let root = folder();
    for hazard in hazards() {
        let words = hazard
            .reads
            .split([' ', ','])
            .filter(|word| word.starts_with("/proc/") || word.starts_with("/sys/"));
        for word in words {
            let name =
                word.trim_start_matches('/').replace("cpuN", "cpu0").replace('*', "0").replace("PID", "7");
            let path = root.path().join(&name);
            if path.exists() || fs::create_dir_all(path.parent().unwrap()).is_err() {
                continue;
            }
            // The write fails if another hazard has a folder of this name.
            let _is_a_folder = fs::write(&path, b"\x1b[31m\x07 \xff\n9\n");
        }
    }
    is_whole(&look(root.path(), root.path(), None));
}

/// Any user can choose a program's name, including escape sequences.
#[test]
fn a_name_that_somebody_chose_does_not_reach_a_terminal_as_it_is() {
    let stat = "7 (a\u{1b}[2J\n) R 1 7 7 0 -1 0 0 0 0 0 40 10 0 0 20 0 1 0 5";
    let rate = ("proc/sys/kernel/perf_event_max_sample_rate", "100000");
    let root = machine(&[("proc/7/stat", stat), ("proc/7/fd/", ""), rate]);
    std::os::unix::fs::symlink("anon_inode:[perf_event]", root.path().join("proc/7/fd/3")).unwrap();
    let found = look(root.path(), root.path(), None);
    is_whole(&found);
    assert_eq!(one(&found, "perf-sampling").value.as_deref(), Some("held by a\\u{1b}[2J\\n"));
}
