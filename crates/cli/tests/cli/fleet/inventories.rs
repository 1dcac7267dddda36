//! Hosts of an inventory, by programs that say what ClusterShell says: names that a shell would read, another architecture.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use crate::common::{Done, Lab};

const WORDS: &str = include_str!("inventory.sh");

/// A laboratory with these programs and hosts.
fn lab(programs: &[&str], hosts: &str) -> Lab {
    let lab = Lab::new();
    for folder in ["bin", "fake"] {
        fs::create_dir(lab.path(folder)).unwrap();
    }
    let said = lab.write("bin/said", WORDS);
    fs::set_permissions(&said, fs::Permissions::from_mode(0o755)).unwrap();
    programs.iter().for_each(|name| symlink(&said, lab.path("bin").join(name)).unwrap());
    lab.write("fake/hosts", hosts);
    lab
}

fn run(lab: &Lab) -> Value {
    let words = ["fleet", "run", "-q", "--on", "clush:@all", "-r", "2", "--no-confirm", "--format", "json"];
    let mut command = lab.command(&[&words[..], &["echo 7"]].concat());
    command.env("PATH", format!("{}:/usr/bin:/bin", lab.file("bin"))).env("FAKE", lab.file("fake"));
    Done::of(command).succeeds().json()
}

fn reason(document: &Value, name: &str) -> String {
    let deliveries = document["deliveries"].as_array().unwrap();
    let of = deliveries.iter().find(|it| it["node"] == name).unwrap_or_else(|| panic!("{name}: {document}"));
    of["reason"].as_str().unwrap().to_owned()
}

/// Such names reach neither the tool nor a shell, and whoever has a plain one is measured.
#[test]
fn names_full_of_characters_of_a_shell_are_told_and_go_nowhere() {
    let strange =
        ["$(touch pwned)", ";touch pwned", "-w all", "`touch pwned`", "a b", "n1|tee pwned", "../n1"];
    let lab = lab(&["nodeset", "clush"], &format!("n1\n{}\n", strange.join("\n")));
    let found = run(&lab);
    let of =
        |name: &str| found["nodes"].as_array().unwrap().iter().find(|node| node["node"] == name).cloned();
    assert_eq!(of("n1").unwrap()["runs"], 2, "{found}");
    for name in strange {
        assert_eq!(of(name).unwrap()["state"], "missing", "{name}: {found}");
        assert!(reason(&found, name).contains("name"), "{name}: {}", reason(&found, name));
    }
    assert!(!lab.path("pwned").exists());
    let called = lab.read("fake/called");
    assert!(called.lines().count() >= 2 && !called.contains("pwned"), "{called}");
}

/// The program that was shipped is none of that machine's.
#[test]
fn a_host_of_another_architecture_says_which() {
    let lab = lab(&["nodeset", "clush", "uname"], "n1\n");
    let found = run(&lab);
    assert!(reason(&found, "n1").contains("no program was shipped for sparc64"), "{found}");
}
