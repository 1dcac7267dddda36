//! Commands, files and definitions that cannot be used.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::{Done, Lab};

#[test]
fn a_command_that_does_not_exist() {
    for lab in Lab::both() {
        lab.run(&["run", "no-such-program --help"])
            .complains(2, &["`no-such-program`", "no such program", "PATH"]);
        lab.run(&["run", "./missing"]).complains(2, &["`./missing`", "no such program"]);
        lab.run(&["compare", "true", "no-such-program"]).complains(2, &["`no-such-program`"]);
        lab.run(&["aa", "no-such-program"]).complains(2, &["`no-such-program`"]);
        lab.run(&["run", "true", "--conclude", "no-such-program"])
            .complains(4, &["conclude", "127", "--show-output"]);
        lab.run(&["run", "env", "--env", "PATH=/nowhere"]).complains(2, &["`env`", "PATH"]);
        // The shell itself exists, so a program that it does not find only shows in the shell's exit status.
        lab.run(&["run", "--shell", "no-such-program"]).complains(4, &["status 127"]);
    }
}

#[test]
fn a_command_that_is_not_executable() {
    for lab in Lab::both() {
        lab.write("data", "x");
        lab.run(&["run", "./data"]).complains(2, &["data", "not executable", "chmod +x"]);
        lab.run(&["run", "/etc"]).complains(2, &["/etc", "a folder"]);
    }
}

/// Only the kernel can tell that these files cannot be executed, which it does when the first run is started.
#[test]
fn a_command_that_the_kernel_refuses() {
    for lab in Lab::both() {
        for (name, text) in [("bare", "true\n"), ("lost", "#!/no/such/interpreter\n"), ("empty", "")] {
            lab.write(name, text);
            fs::set_permissions(lab.path(name), fs::Permissions::from_mode(0o755)).unwrap();
            lab.run(&["run", &format!("./{name}")]).complains(4, &[name, "cannot be executed"]);
        }
    }
    let lab = Lab::ordinary();
    lab.write("private", "#!/bin/sh\n");
    // The file can be executed by others, but not by its owner or group.
    fs::set_permissions(lab.path("private"), fs::Permissions::from_mode(0o001)).unwrap();
    let done = lab.run(&["run", "./private"]);
    if fauxplat_sys::process::is_root() {
        // Where root made the file, the laboratory's user is one of the others: the user may execute the file, but the
        // interpreter may not read it.
        done.complains(4, &["./private", "status"]);
    } else {
        done.complains(4, &["private", "cannot be executed"]);
    }
}

#[test]
fn files_of_the_condition_that_cannot_be_used() {
    for lab in Lab::both() {
        let none = lab.file("none/file");
        lab.run(&["run", "true", "--stdin", &none]).complains(2, &[&none, "No such file"]);
        lab.run(&["run", "true", "--stdout", &none]).complains(2, &[&none, "No such file"]);
        lab.run(&["run", "true", "--cwd", &none]).complains(2, &[&none, "No such file"]);
        lab.run(&["run", "--input", &none]).complains(2, &[&none, "No such file", "--stdin"]);
        lab.run(&["compare", "true", "--baseline", &none]).complains(2, &[&none, "No such file"]);
    }
}

#[test]
fn a_broken_definition_tells_line_and_column() {
    let lab = Lab::new();
    for (text, place, word) in [
        ("warmup = 1\nruns = \n", "line 2, column 8", ""),
        ("[[command]]\ncommand = \"true\"\nnaem = \"x\"\n", "line 3, column 1", "naem"),
        ("# of another version\nquorum = 3\n", "line 2, column 1", "this is fauxplat "),
        ("[condition]\npolicy = \"fast\"\n", "line 2, column 10", "fast"),
        ("[condition]\ncpu = \"9-1\"\n", "line 2, column 7", "9-1"),
        ("warmup = -3\n", "line 1, column 10", "-3"),
        ("# ä\n[rule]\nmetric = \"speed\"\n", "line 3, column 10", "speed"),
        ("[[command]\n", "line 1, column", ""),
    ] {
        let path = lab.write("broken.toml", text);
        lab.run(&["run", "--input", &path]).complains(2, &[&path, place, word]);
        lab.run(&["compare", "--input", &path]).complains(2, &[&path, place, word]);
    }
    fs::write(lab.path("bytes.toml"), b"\xff\xfe").unwrap();
    lab.run(&["run", "--input", &lab.file("bytes.toml")]).complains(2, &["bytes.toml"]);
}

#[test]
fn a_definition_is_checked_like_a_command_line() {
    let lab = Lab::new();
    let empty = lab.write("empty.toml", "");
    lab.run(&["run", "--input", &empty]).complains(2, &["no command"]);
    let setting = lab.write("env.toml", "[[command]]\ncommand = \"true\"\nenv = [\"A\"]\n");
    lab.run(&["run", "--input", &setting]).complains(2, &["`A`", "NAME=VALUE"]);
    let shared =
        lab.write("shared.toml", "[condition]\nenv_set = [\"A\"]\n[[command]]\ncommand = \"true\"\n");
    lab.run(&["run", "--input", &shared]).complains(2, &["`A`", "NAME=VALUE"]);
}

#[test]
fn a_baseline_that_cannot_be_read() {
    let lab = Lab::new();
    for (text, word) in [("{", "JSON"), ("{}", "baseline"), ("{\"results\": [{}]}", "results")] {
        let path = lab.write("baseline.json", text);
        lab.run(&["compare", "true", "--baseline", &path]).complains(2, &[&path, word]);
    }
    let few = lab.write("few.json", r#"{"results": [{"command": "true", "times": [0.1, 0.2]}]}"#);
    lab.run(&["compare", "true", "--baseline", &few]).complains(2, &[&few, "2 readings", "at least 6"]);
    let several = lab.write(
        "two.json",
        r#"{"results": [{"command": "a", "times": [0.1]}, {"command": "b", "times": [0.1]}]}"#,
    );
    lab.run(&["compare", "true", "--baseline", &several]).complains(2, &["several", "a | b", "--names"]);
    lab.run(&["compare", "true", "--baseline", "77"]).complains(2, &["`77`"]);
    Lab::new()
        .run(&["compare", "true", "--baseline", "last"])
        .complains(2, &["last", "no earlier experiment"]);
    lab.run_unstored(&["compare", "true", "--baseline", "1"]).complains(2, &["--store is none"]);
}

/// Root may name files of tuning profiles. The contents of such a file can neither control the terminal nor write to
/// other files than those of knobs.
#[test]
fn a_broken_file_of_profiles_is_refused_in_a_line() {
    let lab = Lab::new();
    let deep = format!("a = {}", "[".repeat(500_000));
    let long = "#".repeat((1 << 20) + 1);
    for (text, says) in [
        ("no profile", "profile.toml"),
        ("[mine]\nset = 3\n", "profile.toml"),
        ("[mine]\npurpose = \"p\"\nset = [\"core_pattern=|/bin/sh\"]\n", "core_pattern"),
        ("[mine]\npurpose = \"p\"\nset = [\"/proc/sys/kernel/core_pattern=x\"]\n", "core_pattern"),
        ("[mine]\npurpose = \"p\"\nset = [\"\\u001b[2J=1\"]\n", "[2J"),
        ("[mine]\npurpose = \"p\"\nset = [\"thp=\\u001b[2J\"]\n", "thp"),
        ("[\"\\u001b[2J\"]\nset = 3\n", "profile.toml"),
        (&deep, "profile.toml"),
        (&long, "profile.toml"),
        ("\0\u{1b}[2J", "profile.toml"),
    ] {
        let path = lab.write("profile.toml", text);
        let done = Done::of(lab.bare(&["tune", &path, "--dry-run"]));
        let beginning: String = text.chars().take(60).collect();
        assert!(!done.err.trim_end().contains(char::is_control), "{beginning:?}: {:?}", done.err);
        assert!(done.err.len() < 2000, "{beginning:?}: {} bytes", done.err.len());
        done.complains(2, &[says]);
    }
}
