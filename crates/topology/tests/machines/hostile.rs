//! Tests on trees that no kernel makes: no panic, no CPU that the machine lacks, and a warning for each problem.
#![expect(clippy::disallowed_methods, reason = "a named pipe is made by the command for it")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use fauxplat_topology::{Watch, discover, pick, read};
use proptest::prelude::*;

use crate::described;

fn files(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// A way to damage a file.
#[derive(Clone, Debug)]
enum Fate {
    Empty,
    Negative,
    Overflow,
    Loop,
    Folder,
    Gone,
    Garbage(Vec<u8>),
    Says(&'static str),
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::Empty),
        Just(Fate::Negative),
        Just(Fate::Overflow),
        Just(Fate::Loop),
        Just(Fate::Folder),
        Just(Fate::Gone),
        prop::collection::vec(any::<u8>(), 0..200).prop_map(Fate::Garbage),
        prop_oneof![
            Just("0-99999999"),
            Just("0-16383"),
            Just("3-1"),
            Just("18446744073709551616"),
            Just("ffffffff,ffffffff"),
            Just("0K"),
            Just("Unified"),
            Just("10 10 10"),
        ]
        .prop_map(Fate::Says),
    ]
}

fn befall(path: &Path, fate: &Fate) {
    fs::remove_file(path).unwrap();
    match fate {
        Fate::Empty => fs::write(path, "").unwrap(),
        Fate::Negative => fs::write(path, "-12\n").unwrap(),
        Fate::Overflow => fs::write(path, "4294967296-4294967299\n").unwrap(),
        Fate::Loop => symlink(path, path).unwrap(),
        Fate::Folder => fs::create_dir(path).unwrap(),
        Fate::Gone => {}
        Fate::Garbage(bytes) => fs::write(path, bytes).unwrap(),
        Fate::Says(text) => fs::write(path, text).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn nothing_that_a_tree_holds_breaks_the_reader(
        fates in prop::collection::vec((any::<prop::sample::Index>(), fate()), 1..40),
        machine in prop_oneof![Just("arm-three-kinds"), Just("modules"), Just("mainframe")],
    ) {
        let root = described(machine);
        let all = files(root.path());
        let mut done = std::collections::BTreeSet::new();
        for (index, fate) in fates {
            let path = index.get(&all);
            if done.insert(path.clone()) {
                befall(path, &fate);
            }
        }
        let (topology, warnings) = read(root.path());
        prop_assert!(topology.allowed.is_subset(&topology.online) && topology.online.is_subset(&topology.present));
        prop_assert!(topology.groups.iter().all(|group| !group.cpus.is_empty()));
        prop_assert!(warnings.len() <= 21 && warnings.iter().all(|line| !line.contains('\n')), "{warnings:?}");
        for relation in ["one-per-core", "other-core-same-l3:5", "node:0&!isolated", "e-cores"] {
            if let Ok(chosen) = pick(&relation.parse().unwrap(), &topology, None) {
                prop_assert!(chosen.iter().all(|one| topology.allowed.contains(one.cpu)));
            }
        }
        discover(root.path());
        Watch::begin(root.path()).end(&topology, 0);
    }
}

/// The warnings for a machine in which only this file was damaged.
fn lines_about(file: &str, befalls: impl Fn(&Path)) -> Vec<String> {
    let root = described("two-sockets");
    befalls(&root.path().join(file));
    let (topology, warnings) = read(root.path());
    assert_eq!(topology.online.len(), 24, "{file}");
    warnings
}

#[test]
fn each_problem_has_a_line_that_names_the_file() {
    let level = "sys/devices/system/cpu/cpu3/cache/index2/level";
    for (fate, says) in [
        (Fate::Empty, "is empty"),
        (Fate::Negative, "is negative"),
        (Fate::Says("99999999999"), "is too large"),
        (Fate::Says("two"), "is not a number"),
        (Fate::Garbage(vec![0xff; 40]), "is not text"),
        // EISDIR and ELOOP; the text before the number depends on the C library.
        (Fate::Folder, "(os error 21)"),
        (Fate::Loop, "(os error 40)"),
    ] {
        let lines = lines_about(level, |path| befall(path, &fate));
        assert!(
            matches!(lines.as_slice(), [one] if one.starts_with(&format!("/{level}")) && one.contains(says)),
            "{fate:?}: {lines:?}"
        );
    }
    assert_eq!(
        lines_about(level, |path| befall(path, &Fate::Gone)),
        Vec::<String>::new(),
        "it may just have gone"
    );
}

#[test]
fn a_mebibyte_of_garbage_is_one_line() {
    let mask = "sys/devices/system/cpu/cpu3/topology/thread_siblings";
    let lines = lines_about(mask, |path| fs::write(path, "f".repeat(1 << 20)).unwrap());
    assert!(matches!(lines.as_slice(), [one] if one.contains("longer than anything")), "{lines:?}");
    let endless = lines_about(mask, |path| {
        fs::remove_file(path).unwrap();
        symlink("/dev/zero", path).unwrap();
    });
    assert!(matches!(endless.as_slice(), [one] if one.contains("longer than anything")), "{endless:?}");
}

#[test]
fn a_named_pipe_holds_nobody_up() {
    let lines = lines_about("sys/devices/system/node/node1/meminfo", |path| {
        fs::remove_file(path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    });
    assert!(matches!(lines.as_slice(), [one] if one.contains("no line MemTotal")), "{lines:?}");
}

#[test]
fn a_list_of_a_million_cpus_costs_nothing() {
    let root = described("two-sockets");
    for name in ["online", "present", "possible"] {
        fs::write(root.path().join("sys/devices/system/cpu").join(name), "0-1000000\n").unwrap();
    }
    let (topology, warnings) = read(root.path());
    assert!(warnings.iter().any(|line| line.contains("no kernel has")), "{warnings:?}");
    // The refused lists are replaced by the CPUs in `/proc/cpuinfo`.
    assert_eq!(topology.online.to_string(), "0-23");
}

/// Reading stays short even where lists of a million CPUs repeat themselves.
#[test]
fn a_list_that_repeats_itself_costs_nothing() {
    let root = described("two-sockets");
    for name in ["online", "present", "cpu3/topology/thread_siblings"] {
        let file = root.path().join("sys/devices/system/cpu").join(name);
        fs::write(file, "0-1000000,".repeat(3_000_000)).unwrap();
    }
    let blocks: String = (0..400_000).map(|_| "processor : 3\nmodel : 1\nCPU part : 2\n\n").collect();
    fs::write(root.path().join("proc/cpuinfo"), blocks).unwrap();
    let (topology, _) = read(root.path());
    assert_eq!(topology.online, discover(root.path()).cpu.online);
    assert!(topology.present.len() <= 24, "{}", topology.present);
}

#[test]
fn groups_that_overlap_are_told_apart() {
    let lines = lines_about("sys/devices/system/cpu/cpu6/topology/core_siblings", |path| {
        fs::write(path, "00ffffff\n").unwrap();
    });
    assert!(lines.iter().any(|line| line.contains("two groups of the level package")), "{lines:?}");
}
