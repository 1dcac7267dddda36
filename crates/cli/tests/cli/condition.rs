//! The condition that a command line states is the one that the measured process has.

use std::fs;

use fauxplat_sys::sched;
use serde_json::Value;

use crate::common::{Lab, number, runs};

#[test]
fn the_environment_is_what_was_said() {
    for lab in Lab::both() {
        let words = [
            "run",
            "cat /proc/self/environ",
            "--env",
            "clean",
            "--env",
            "A=1",
            "--env",
            "B=x y",
            "--env",
            "A=2",
        ];
        let exact = ["--env-pad", "none", "--runs", "1", "--stdout", "clean"];
        lab.run(&[&words[..], &exact].concat()).succeeds();
        assert_eq!(lab.read("clean"), "B=x y\0A=2\0");
        lab.run(&["run", "cat /proc/self/environ", "--env", "C=3", "--runs", "1", "--stdout", "inherited"])
            .succeeds();
        let inherited = lab.read("inherited");
        for setting in ["C=3", "LANG=C.UTF-8", &format!("HOME={}", lab.folder().display())] {
            assert!(inherited.split('\0').any(|one| one == setting), "{setting} is not in {inherited}");
        }
    }
}

#[test]
fn padding_adds_exactly_its_bytes() {
    let lab = Lab::new();
    let words = ["run", "cat /proc/self/environ", "--env", "clean", "--env", "A=1", "--runs", "1"];
    for bytes in [0u64, 1, 5, 14, 100, 4096, 8192] {
        let out = format!("out{bytes}");
        let pad = bytes.to_string();
        let document = lab.json(&[&words[..], &["--env-pad", &pad, "--stdout", &out]].concat());
        assert_eq!(fs::metadata(lab.path(&out)).unwrap().len(), 4 + bytes);
        assert_eq!(number(&runs(&document, 0)[0], "env_pad_bytes"), bytes);
    }
}

/// Random padding displaces the stack equally for all commands of a block, whatever the lengths of their arguments.
#[test]
fn random_padding_is_shared_by_a_block() {
    let lab = Lab::new();
    let line = |file: &str, more: &str| format!("sh -c 'wc -c < /proc/self/environ >> {file}' {more}");
    let (a, b) = (line("a", ""), line("b", "and-many-more-words"));
    let words = ["run", &a, &b, "--runs", "6", "--env", "clean", "--env", "PATH=/usr/bin:/bin"];
    let document = lab.json(&[&words[..], &["--env-pad", "random"]].concat());
    let pads = |command| -> Vec<u64> {
        runs(&document, command).iter().map(|run| number(run, "env_pad_bytes")).collect()
    };
    let argument_bytes = |command: usize| -> u64 {
        let argv = document["commands"][command]["argv"].as_array().unwrap().iter();
        // The space of the arguments on the stack: for each its bytes, a null byte and a pointer.
        argv.map(|argument| argument.as_str().unwrap().len() as u64 + 9).sum()
    };
    let more = argument_bytes(1) - argument_bytes(0);
    for (pad_a, pad_b) in pads(0).into_iter().zip(pads(1)) {
        assert_eq!((pad_a + 4096 - more) % 4096, pad_b % 4096, "the stacks differ");
    }
    let mut different = pads(0);
    different.sort_unstable();
    different.dedup();
    assert!(different.len() > 1, "no block was displaced");
    let written: Vec<u64> = lab.read("a").lines().map(|line| line.trim().parse().unwrap()).collect();
    let offset = written[0] - pads(0)[0];
    assert!(written.iter().zip(pads(0)).all(|(&bytes, pad)| bytes == offset + pad), "{written:?}");
}

#[test]
fn the_stack_moves_only_where_randomisation_is_on() {
    if fs::read_to_string("/proc/sys/kernel/randomize_va_space").is_ok_and(|level| level.trim() == "0") {
        return;
    }
    for lab in Lab::both() {
        let stacks = |aslr: &str| {
            let line = "grep -F [stack] /proc/self/maps";
            let words = ["run", line, "--aslr", aslr, "--env-pad", "none", "--runs", "6", "--stdout", aslr];
            lab.run(&words).succeeds();
            let mut lines: Vec<String> = lab.read(aslr).lines().map(str::to_owned).collect();
            assert_eq!(lines.len(), 6);
            lines.dedup();
            lines.len()
        };
        assert_eq!(stacks("off"), 1);
        assert!(stacks("on") > 1);
    }
}

#[test]
fn working_directory_and_standard_input() {
    for lab in Lab::both() {
        fs::create_dir(lab.path("below")).unwrap();
        lab.readable("below");
        let (below, text) = (lab.file("below"), lab.write("in", "line\n"));
        // `pwd -P`, since the folder may be named by a symbolic link.
        lab.run(&["run", "/bin/pwd -P", "--cwd", &below, "--stdout", &lab.file("pwd"), "--runs", "1"])
            .succeeds();
        assert_eq!(lab.read("pwd").trim(), lab.path("below").canonicalize().unwrap().to_str().unwrap());
        lab.run(&["run", "cat", "--stdin", &text, "--stdout", "cat", "--runs", "3"]).succeeds();
        assert_eq!(lab.read("cat"), "line\n".repeat(3), "every run reads from the beginning");
        lab.run(&["run", "cat", "--stdout", "nothing", "--runs", "1"]).succeeds();
        assert_eq!(lab.read("nothing"), "");
    }
}

#[test]
fn helpers_run_around_every_run() {
    let lab = Lab::new();
    let words = ["run", "sh -c 'printf x >> log'", "--prepare", "printf p >> log"];
    lab.run(&[&words[..], &["--conclude", "printf c >> log", "--warmup", "1", "--runs", "3"]].concat())
        .succeeds();
    assert_eq!(lab.read("log"), "pxc".repeat(4));
    assert_eq!(runs(&lab.last(), 0).len(), 4, "helpers are not measured");
}

const SAVED: &str = r#"
warmup = 1
runs = 3
seed = 7
prepare = "true"

[[command]]
command = "printf %s {a}"
name = "first {a}"

[[command]]
command = "true {a}"

[[parameter]]
name = "a"
values = ["1", "2"]

[condition]
env = "clean"
env_set = ["X=1"]
env_pad = "100"
nice = 11
aslr = "off"
timeout = "60s"
cpu = "free"
"#;

/// Options of the command line override a saved definition.
#[test]
fn a_saved_definition_equals_its_command_line() {
    let lab = Lab::new();
    let path = lab.write("saved.toml", SAVED);
    let saved = lab.json(&["run", "--input", &path]);
    let words = [
        "run",
        "printf %s {a}",
        "true {a}",
        "--names",
        "first {a}",
        "-L",
        "a=1,2",
        "--warmup",
        "1",
        "--runs",
        "3",
    ];
    let more = [
        "--seed",
        "7",
        "--prepare",
        "true",
        "--env",
        "clean",
        "--env",
        "X=1",
        "--env-pad",
        "100",
        "--nice",
        "11",
    ];
    let rest = ["--aslr", "off", "--timeout", "60s", "--cpu", "free"];
    let typed = lab.json(&[&words[..], &more, &rest].concat());
    assert_eq!(saved["definition"], typed["definition"]);
    assert_eq!(saved["condition"], typed["condition"]);
    for (saved, typed) in
        saved["commands"].as_array().unwrap().iter().zip(typed["commands"].as_array().unwrap())
    {
        for field in
            ["name", "command", "argv", "program", "program_sha256", "parameters", "prepare", "condition"]
        {
            assert_eq!(saved[field], typed[field], "{field}");
        }
    }
    assert_eq!(saved["commands"][1]["name"], "first 2");
    let changed = lab.json(&["run", "--input", &path, "--runs", "2", "--nice", "12", "-L", "a=5"]);
    assert_eq!(
        (changed["definition"]["runs"].clone(), changed["condition"]["nice"].clone()),
        ("2".into(), 12.into())
    );
    assert_eq!(changed["commands"][0]["name"], "first 5");
}

/// Values that a process inherits, such as its nice value, are read from the process before it begins, stored, and
/// shown in the report.
#[test]
fn the_condition_that_is_told_is_the_one_that_held() {
    let nice = sched::nice().saturating_add(5).min(19);
    for lab in Lab::both() {
        let words = ["run", "sh -c 'cut -d\" \" -f19,41 /proc/self/stat > seen'", "-r", "1"];
        let done = lab.start_under(&["nice", "-n", "5"], &[&words[..], &["-v"]].concat()).end().succeeds();
        assert_eq!(lab.read("seen"), format!("{nice} 0\n"));
        assert!(done.out.replace("\n  ", " ").contains(&format!("nice {nice} inherited")), "{}", done.out);
        let held = &lab.last()["commands"][0]["condition"]["held"];
        assert_eq!((&held["nice"], &held["policy"]), (&nice.into(), &"other".into()), "{held}");
        assert!(held["env_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{held}");
        assert!(held["groups"].as_array().is_some_and(|groups| !groups.is_empty()), "{held}");
        assert!(held["limits"]["open-files"].as_u64().is_some(), "{held}");
        assert_eq!(lab.last()["commands"][0]["condition"]["nice"], Value::Null, "nobody asked for it");
    }
}

#[test]
fn an_inherited_real_time_policy_is_told_and_an_ordinary_one_undoes_it() {
    let lab = Lab::new();
    if !sched::may_raise_priority() {
        eprintln!("skipped: only root can begin with a real-time policy");
        return;
    }
    let words = ["run", "sh -c 'cut -d\" \" -f41 /proc/self/stat > seen'", "-r", "1", "-v"];
    for (start, policy, number) in [("-f", "fifo:10", "1\n"), ("-r", "rr:10", "2\n")] {
        let done = lab.start_under(&["chrt", start, "10"], &words).end().succeeds();
        assert_eq!(lab.read("seen"), number);
        assert!(
            done.out.replace("\n  ", " ").contains(&format!("policy {policy} inherited")),
            "{}",
            done.out
        );
        assert_eq!(lab.last()["condition"]["held"]["policy"], policy);
        let asked = [&words[..], &["--policy", "other"]].concat();
        lab.start_under(&["chrt", start, "10"], &asked).end().succeeds();
        assert_eq!(lab.read("seen"), "0\n", "--policy other is no operation");
        let condition = &lab.last()["commands"][0]["condition"];
        assert_eq!((&condition["policy"], &condition["held"]["policy"]), (&"other".into(), &"other".into()));
    }
}

/// A resource limit is a part of the condition, whether fauxplat or its caller has set it.
#[test]
fn limits_stand_in_the_condition() {
    let lab = Lab::new();
    let mut shell = std::process::Command::new("sh");
    let line = format!("ulimit -t 1000; exec {} run true -r 2 -v --store none", lab.starter().join(" "));
    shell.args(["-c", &line]);
    lab.settle(&mut shell);
    let done = crate::common::Done::of(shell).succeeds();
    assert!(done.out.replace("\n  ", " ").contains("limited by cpu-time 1000 (ulimit)"), "{}", done.out);
}
