//! How real programs behave: servers that a run needs, commands that signal their parent, and error messages that would
//! mislead.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use fauxplat_sys::{process, signal};

use crate::common::{Done, Lab, SIGKILL, alive, eventually, number, pids, runs};

fn program(lab: &Lab, name: &str, text: &str) {
    lab.write(name, text);
    fs::set_permissions(lab.path(name), fs::Permissions::from_mode(0o755)).unwrap();
}

/// A server that a preparation starts serves the run, and does not count as left behind by the command.
#[test]
fn what_a_preparation_leaves_lives_until_its_command_has_run() {
    for lab in Lab::both() {
        program(&lab, "start-a-server", "#!/bin/sh\nsleep 86410 >&- 2>&- &\necho $! > server\n");
        let client = "sh -c 'kill -0 $(cat server)'";
        let words = ["run", client, "--prepare", "./start-a-server", "-r", "3"];
        lab.run(&words).succeeds();
        assert_eq!(alive("sleep 86410"), 0, "it ends with the run that it was made for");
        let last = lab.last();
        assert!(runs(&last, 0).iter().all(|run| number(run, "left_behind") == 0), "{last}");
        assert!(!last["warnings"].to_string().contains("outlived"), "{}", last["warnings"]);
        // The command of --conclude finds the server as well.
        lab.run(&[&words[..], &["--conclude", client]].concat()).succeeds();
        assert_eq!(alive("sleep 86410"), 0);
    }
}

/// CPU time of a server that a preparation started does not count as that of its client.
#[test]
fn what_a_server_uses_is_not_booked_to_its_client() {
    let lab = Lab::new();
    program(&lab, "start", "#!/bin/sh\n(while :; do :; done) >&- 2>&- &\n");
    let document = lab.json(&["run", "sleep 0.2", "--prepare", "./start", "-r", "2"]);
    for run in runs(&document, 0) {
        assert!(number(run, "cpu_ns") < 100_000_000, "a sleep has worked: {run}");
    }
}

#[test]
fn what_a_command_leaves_goes_on_where_that_is_wanted() {
    let lab = Lab::new();
    let words = ["run", "sh -c 'sleep 86412 >&- 2>&- &'", "-r", "2"];
    let done = lab.run(&words).succeeds();
    assert!(done.out.contains("--keep-background"), "the warning names the remedy: {}", done.out);
    assert_eq!(alive("sleep 86412"), 0);
    let done = lab.run(&[&words[..], &["--keep-background"]].concat()).succeeds();
    // A process that was left behind may need a moment until it has become that program.
    let has_begun = eventually(|| alive("sleep 86412") == 2);
    let left = pids("sleep 86412");
    left.iter().for_each(|&pid| signal::send(pid, SIGKILL));
    assert!(has_begun, "{} processes: {}", left.len(), done.out);
    assert!(runs(&lab.last(), 0).iter().all(|run| run["left_behind"] == 0));
    assert!(!done.out.contains("outlived"), "{}", done.out);
}

/// The time limit of a run is kept whatever a command does to its process group or to its parent.
#[test]
fn a_time_limit_wins_against_a_command_that_turns_on_its_watcher() {
    let lab = Lab::new();
    for (line, limit, told) in [
        ("kill -STOP 0; true", "2s", "(SIGSTOP)"),
        ("kill -STOP $$; true", "2s", "was stopped by signal"),
        ("kill -STOP $PPID; exec sleep 86413", "2s", "--timeout"),
        ("kill -STOP $PPID; kill -STOP $$", "2s", "(SIGSTOP)"),
        ("kill -9 0", "2m", "signal 9"),
        // The signal comes in the first instructions of the shell; several attempts may hit different moments.
        ("kill -9 0", "2m", "signal 9"),
        ("kill -9 0", "2m", "signal 9"),
        ("kill -9 0", "2m", "signal 9"),
    ] {
        lab.run(&["run", "--timeout", limit, "--shell", line]).complains(4, &[told]);
        assert_eq!(alive("sleep 86413"), 0, "{line}");
    }
    // Without a time limit the run continues after its command stopped the spawner, and the report tells what happened.
    let done = lab.run(&["run", "-r", "2", "--shell", "kill -STOP $PPID; true"]).succeeds();
    assert!(done.out.contains("stopped the process that times it"), "{}", done.out);
    // Without a time limit the spawner shares the group and is killed; the message gives the reason.
    lab.run(&["run", "-r", "2", "--shell", "kill -9 0"]).ends_with(3);
}

#[test]
fn a_program_that_cannot_be_loaded_says_what_is_missing() {
    let lab = Lab::new();
    program(&lab, "windows", "#!/bin/sh\r\ntrue\r\n");
    lab.run(&["run", "./windows"]).complains(4, &["windows", "CRLF", "sed -i"]);
    program(&lab, "orphan", "#!/no/such/interpreter -x\n");
    lab.run(&["run", "./orphan"]).complains(4, &["interpreter /no/such/interpreter"]);
    fs::create_dir(lab.path("folder")).unwrap();
    lab.run(&["run", "./folder"]).complains(2, &["folder", "this is a folder"]);
}

#[test]
fn whoever_has_no_place_for_a_store_hears_how_to_do_without() {
    let lab = Lab::ordinary();
    let bare = |home: Option<&str>| {
        let mut command = lab.bare(&["run", "true", "-r", "1"]);
        command.env_remove("HOME").env_remove("XDG_DATA_HOME");
        home.map(|home| command.env("HOME", home));
        Done::of(command)
    };
    bare(None).complains(2, &["--store none"]);
    if lab.starter().len() > 1 || !process::is_root() {
        bare(Some("/proc")).complains(3, &["--store none"]);
    }
}

#[test]
fn a_program_that_is_made_by_what_prepares_it_is_run() {
    let lab = Lab::new();
    lab.run(&["run", "--prepare", "cp /bin/true ./me", "./me", "-r", "2"]).succeeds();
    lab.run(&["run", "--prepare", "true", "./never-made"]).complains(4, &["never-made", "No such file"]);
    lab.run(&["run", "--prepare", "true", "no-such-program"]).complains(2, &["no such program"]);
}

#[test]
fn input_that_can_be_read_once_is_refused_and_a_file_is_read_in_each_run() {
    let lab = Lab::new();
    lab.write("input", "12345");
    let shell = |line: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &line.replace("FAUXPLAT", &lab.starter().join(" "))]);
        lab.settle(&mut shell);
        Done::of(shell)
    };
    let run = "FAUXPLAT run 'wc -c' -r 2 --stdout out --store none --stdin /dev/stdin";
    shell(&format!("echo x | {run}"))
        .complains(2, &["--stdin /dev/stdin", "each run reads from the beginning"]);
    shell(&format!("{run} < input")).succeeds();
    assert_eq!(lab.read("out"), "5\n5\n");
}

#[test]
fn a_report_that_there_cannot_be_leaves_no_file_and_keeps_the_old_one() {
    let lab = Lab::new();
    let words = ["run", "false", "--export-json", "made.json", "--export", "csv-summary=made.csv"];
    lab.run(&words).ends_with(4);
    assert!(!lab.path("made.json").exists() && !lab.path("made.csv").exists());
    lab.write("made.json", "old");
    lab.run(&words).ends_with(4);
    assert_eq!(lab.read("made.json"), "old");
}

#[test]
fn a_stack_that_is_too_small_is_told() {
    let lab = Lab::new();
    for (kib, code) in [("64", 3), ("512", 0)] {
        let mut shell = Command::new("sh");
        let line = format!("ulimit -s {kib} && exec {} run true -r 2 --store none", lab.starter().join(" "));
        shell.args(["-c", &line]);
        lab.settle(&mut shell);
        let done = Done::of(shell).ends_with(code);
        assert!(code == 0 || done.err.contains("ulimit -s"), "{done:?}");
    }
}

#[test]
fn whoever_looks_where_the_output_goes_is_told() {
    let lab = Lab::new();
    lab.write("notes", "needle\n");
    let told =
        |words: &[&str]| lab.run(&[&["run", "grep needle notes", "-r", "2"], words].concat()).succeeds().out;
    assert!(told(&["-v"]).replace("\n  ", " ").contains("stops at the first match"));
    assert!(!told(&["-v", "--stdout", "out"]).contains("stops at the first match"));
}

#[test]
fn a_program_that_is_replaced_while_it_is_measured_is_noticed() {
    let lab = Lab::new();
    lab.shell("cp /bin/true me && cp /bin/echo other");
    let words = ["run", "./me", "-r", "4", "--prepare"];
    let told = |prepare: &str| lab.run(&[&words[..], &[prepare]].concat()).succeeds().out;
    assert!(!told("touch me").contains("was replaced"), "the same bytes are the same program");
    let out = told("cp -f other me");
    assert!(out.contains("was replaced while it was measured"), "{out}");
}
