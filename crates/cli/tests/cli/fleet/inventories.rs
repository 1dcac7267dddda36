//! Runs over the hosts of an inventory, by programs that imitate ClusterShell: host names with special characters of a
//! shell, and hosts of another architecture.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{Done, Lab, SIGINT, alive, eventually};
use fauxplat_sys::signal;

const WORDS: &str = include_str!("inventory.sh");

/// A laboratory in which these tools are imitated and know these hosts.
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

/// The command that starts a run over these hosts.
fn asked(lab: &Lab, on: &str, command: &str) -> Command {
    let words = ["fleet", "run", "-q", "--on", on, "-r", "2", "--no-confirm", "--format", "json"];
    let mut command = lab.command(&[&words[..], &["--cpu", "free", command]].concat());
    command.env("PATH", format!("{}:/usr/bin:/bin", lab.file("bin"))).env("FAKE", lab.file("fake"));
    command
}

/// Runs over the hosts, checks the exit code, and returns the findings.
fn run(lab: &Lab, code: i32) -> Value {
    let done = Done::of(asked(lab, "clush:@all", "echo 7"));
    assert_eq!(done.code, Some(code), "{}", done.err);
    let found = done.json();
    // An imitated tool still has to remove the shipped program, and works only as long as this laboratory exists.
    assert!(eventually(|| !place(lab).exists()));
    found
}

/// The folder on the hosts to which the program was shipped, by the log of the imitated tool.
fn place(lab: &Lab) -> PathBuf {
    let called = lab.read("fake/called");
    let word = called.split_whitespace().find(|word| word.starts_with("d=/tmp/fauxplat-")).unwrap();
    PathBuf::from(word.trim_start_matches("d=").trim_end_matches(';'))
}

/// Writes a command that runs as long as its laboratory exists, and returns the words of its process's command line.
fn endless(lab: &Lab, name: &str) -> String {
    let file = lab.write(name, "#!/bin/sh\nwhile [ -e \"$0\" ]; do sleep 0.05; done\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    format!("/bin/sh {file}")
}

fn reason(document: &Value, name: &str) -> String {
    let deliveries = document["deliveries"].as_array().unwrap();
    let of = deliveries.iter().find(|it| it["node"] == name).unwrap_or_else(|| panic!("{name}: {document}"));
    of["reason"].as_str().unwrap().to_owned()
}

/// Names with special characters of a shell are passed neither to the tool nor to a shell, and machines with plain
/// names are measured.
#[test]
fn names_full_of_characters_of_a_shell_are_told_and_go_nowhere() {
    let strange =
        ["$(touch pwned)", ";touch pwned", "-w all", "`touch pwned`", "a b", "n1|tee pwned", "../n1"];
    let lab = lab(&["nodeset", "clush"], &format!("n1\n{}\n", strange.join("\n")));
    let found = run(&lab, 0);
    let of =
        |name: &str| found["nodes"].as_array().unwrap().iter().find(|node| node["node"] == name).cloned();
    assert_eq!(of("n1").unwrap()["runs"], 2, "{found}");
    for name in strange {
        assert_eq!(of(name).unwrap()["state"], "unreached", "{name}: {found}");
        assert!(reason(&found, name).contains("name"), "{name}: {}", reason(&found, name));
    }
    assert!(!lab.path("pwned").exists());
    let called = lab.read("fake/called");
    assert!(called.lines().count() >= 2 && !called.contains("pwned"), "{called}");
}

/// A host of another architecture than the shipped program's reports which architecture it has.
#[test]
fn a_host_of_another_architecture_says_which() {
    let lab = lab(&["nodeset", "clush", "uname"], "n1\n");
    let found = run(&lab, 3);
    assert!(reason(&found, "n1").contains("no program was shipped for sparc64"), "{found}");
}

/// Ctrl-C ends the work on hosts although the connection to them stays, and the hosts are left as they were.
#[test]
fn hosts_end_what_nobody_waits_for() {
    let lab = lab(&["nodeset", "clush"], "n1\n");
    let words = endless(&lab, "measured-on-a-host");
    let mut command = asked(&lab, "clush:@all", "./measured-on-a-host");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(eventually(|| alive(&words) == 1));
    let place = place(&lab);
    assert!(place.is_dir());
    signal::send(child.id() as i32, SIGINT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(eventually(|| alive(&words) == 0));
    assert!(eventually(|| !place.exists()), "{place:?}");
}

/// A broken connection closes the node's output, which is the node's only sign that nothing reads its answer.
#[test]
fn a_node_that_nobody_hears_ends() {
    let lab = Lab::new();
    let words = endless(&lab, "measured-unheard");
    let version = env!("CARGO_PKG_VERSION");
    let definition = r#"{"command":[{"command":"./measured-unheard"}],"runs":"3"}"#;
    let order = lab.write(
        "order.json",
        &format!(
            r#"{{"schema":"fauxplat.node-order/1","fauxplat_version":"{version}","fleet":"f","node":"n1",
                "plan":{{"definition_sha256":"ab","seed":7}},"attempt":1,"definition":{definition},"answers":false}}"#
        ),
    );
    let mut command = lab.bare(&["node", &order]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    assert!(eventually(|| alive(&words) == 1));
    drop(child.stdout.take());
    assert!(eventually(|| child.try_wait().unwrap().is_some()));
    assert_eq!(alive(&words), 0);
}

/// Measures hosts of one domain, with a real pdsh where it is installed, and with a shell script in place of ssh.
#[test]
fn hosts_of_one_domain_are_told_from_each_other() {
    if !Path::new("/usr/bin/pdsh").exists() {
        println!("pdsh is not installed: what its labels look like is not tried");
        return;
    }
    let lab = lab(&[], "");
    let ssh = lab.write("bin/ssh", "#!/bin/sh\nfor line in \"$@\"; do :; done\nexec sh -c \"$line\"\n");
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = asked(&lab, "pdsh:n[1-2].example.org", "echo 7");
    command.args(["--program-there", env!("CARGO_BIN_EXE_fauxplat")]);
    let found = Done::of(command).succeeds().json();
    let nodes = found["nodes"].as_array().unwrap();
    let mut names: Vec<&str> = nodes.iter().map(|node| node["node"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["n1.example.org", "n2.example.org"], "{found}");
    assert!(nodes.iter().all(|node| node["runs"] == 2), "{found}");
}
