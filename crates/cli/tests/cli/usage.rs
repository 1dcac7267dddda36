//! Arguments that fauxplat does not accept: one line says what is wrong and where, and the exit code is 2, before
//! anything runs.

use crate::common::{Done, Lab};

#[test]
fn no_command_is_bad_usage() {
    let lab = Lab::new();
    lab.run(&["run"]).complains(2, &["no command"]);
    lab.run(&["compare"]).complains(2, &["command"]);
    lab.run(&["aa"]).complains(2, &["command"]);
    lab.run(&["run", ""]).complains(2, &["empty"]);
    lab.run(&["run", "--shell", " "]).complains(2, &["empty"]);
}

#[test]
fn what_needs_a_shell_names_the_option() {
    let lab = Lab::new();
    for (command, name) in [
        ("yes | head -1", "a pipeline"),
        ("true && true", "a list of commands"),
        ("true; true", "a list of commands"),
        ("echo x > file", "a redirection"),
        ("sleep 1 &", "a background command"),
    ] {
        lab.run(&["run", command]).complains(2, &[command, name, "--shell"]);
    }
    assert!(!lab.path("file").exists());
    lab.run(&["run", "echo 'a"]).complains(2, &["echo 'a", "quote"]);
}

#[test]
fn parameters_must_make_sense() {
    let lab = Lab::new();
    lab.run(&["run", "true", "-L", "size=1,2"]).complains(2, &["`size`", "used nowhere", "{size}"]);
    lab.run(&["run", "echo {a}", "-L", "a=5..1:1"]).complains(2, &["-L a=5..1:1", "5 to 1"]);
    lab.run(&["run", "echo {a}", "-L", "a=1", "-L", "a=2"]).complains(2, &["`a`", "twice"]);
    lab.run(&["run", "echo {a}", "-L", "a"]).complains(2, &["-L a", "NAME=VALUE"]);
    let many = (0..101).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let (a, b) = (format!("a={many}"), format!("b={many}"));
    lab.run(&["run", "echo {a} {b}", "-L", &a, "-L", &b]).complains(2, &["more than 10000 commands"]);
}

#[test]
fn names_and_settings_must_make_sense() {
    let lab = Lab::new();
    lab.run(&["run", "true", "--names", "a,b"]).complains(2, &["--names", "2 names"]);
    for nonsense in ["dirty", "=x", ""] {
        lab.run(&["run", "true", "--env", nonsense]).complains(2, &["--env", nonsense, "NAME=VALUE"]);
    }
    for (option, value, word) in [
        ("--cpu", "x", "CPU list"),
        ("--cpu", "", "names no CPU"),
        ("--policy", "fifo:0", "1 to 99"),
        ("--policy", "batch", "policy"),
        ("--nice", "20", "20"),
        ("--aslr", "maybe", "maybe"),
        ("--env-pad", "9000", "8192"),
        ("--timeout", "soon", "duration"),
        ("--timeout", "5", "5ms"),
        ("--max-time", "10", "no unit"),
        ("--runs", "0", "number of runs"),
        ("--runs", "many", "number of runs"),
        ("--until", "0%", "precision"),
        ("--warmup", "-1", "-1"),
        ("--seed", "x", "x"),
        ("--format", "yaml", "hyperfine-json"),
        ("--colour", "red", "red"),
    ] {
        let given = format!("{option}={value}");
        lab.run(&["run", "true", &given]).reports_misuse(&[option, word]);
    }
}

#[test]
fn decisions_must_make_sense() {
    let lab = Lab::new();
    lab.run(&["compare", "true", "true", "--metric", "speed"]).reports_misuse(&[
        "`speed`",
        "wall",
        "peak-memory",
    ]);
    lab.run(&["compare", "true", "true", "--margin", "200%"]).reports_misuse(&["--margin", "200%"]);
    lab.run(&["compare", "true", "true", "--level", "0"]).reports_misuse(&["--level", "above 0"]);
    lab.run(&["compare", "true", "true", "--max-pairs", "5"]).reports_misuse(&["--max-pairs", "5"]);
    lab.run(&["compare", "true", "true", "--fail-if", "red"]).reports_misuse(&["--fail-if", "red"]);
    lab.run(&["aa", "true", "--strata", "sunny"]).reports_misuse(&["--strata", "sunny"]);
    lab.run(&["aa", "true", "true"]).complains(2, &["one command", "2"]);
    lab.run(&["aa", "echo {a}", "-L", "a=1,2"]).complains(2, &["parameter lists"]);
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    let lab = Lab::new();
    lab.run(&["run", "true", "--runs", "3", "--until", "1%"]).reports_misuse(&["--runs", "--until"]);
    lab.run(&["run", "true", "--margin", "1%"]).reports_misuse(&["--margin"]);
    Done::of(lab.bare(&["sprint", "true"])).reports_misuse(&["sprint"]);
}

/// A comparison that cannot begin leaves neither a report nor an experiment behind.
#[test]
fn a_comparison_without_a_partner_is_refused_before_it_begins() {
    let lab = Lab::new();
    let done = lab.run(&["compare", "true"]).complains(2, &["two commands", "--baseline"]);
    assert_eq!(done.out, "");
    let done = lab
        .run(&["compare", "true", "true", "--baseline", "last"])
        .complains(2, &["--baseline", "one command"]);
    assert_eq!(done.out, "");
    assert!(
        !lab.path("store.sqlite").exists()
            || lab.run(&["history", "list"]).succeeds().out == "no experiments\n"
    );
}

#[test]
fn help_and_version_are_answers() {
    let lab = Lab::new();
    let ask = |words: &[&str]| Done::of(lab.bare(words)).succeeds().out;
    assert_eq!(ask(&["--version"]).trim(), concat!("fauxplat ", env!("CARGO_PKG_VERSION")));
    for verb in ["run", "compare", "aa", "history"] {
        assert!(ask(&["--help"]).contains(verb));
        assert!(ask(&[verb, "--help"]).contains("Usage: fauxplat"), "{verb}");
    }
    let words = ask(&["run", "--help"]);
    let words: Vec<&str> = words.split_whitespace().collect();
    assert!(
        words.join(" ").contains("4 the measured command, or one that builds it, failed 130 interrupted")
    );
    assert!(!ask(&["--help"]).contains("__spawner"));
}

#[test]
fn the_hidden_verb_of_the_spawner_fails_cleanly() {
    let lab = Lab::new();
    for words in [
        &[][..],
        &["nonsense"],
        &["a", "b", "c", "d", "e"],
        &["90", "91", "92", "93", "94"],
        &["0"; 5],
        &["-1"; 5],
    ] {
        let words: Vec<&str> = ["__spawner"].iter().chain(words).copied().collect();
        let done = Done::of(lab.bare(&words));
        assert!(done.code.is_some_and(|code| code != 0 && code != 101), "{done:?}");
        assert!(done.err.starts_with("fauxplat: ") && done.err.lines().count() == 1, "{done:?}");
    }
}

#[test]
fn words_that_are_not_utf_8_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let lab = Lab::new();
    let mut command = lab.bare(&["run"]);
    command.arg(std::ffi::OsStr::from_bytes(b"echo \xff"));
    Done::of(command).complains(2, &["UTF-8"]);
}

/// The parser of the command line accepts an option without the option that it requires, if something else on the line
/// conflicts with the required one. fauxplat refuses such lines.
#[test]
fn an_option_that_requires_another_one_is_refused_without_it() {
    let lab = Lab::new();
    for line in [
        "compare --session-gap 1s --anytime true true",
        "compare --other-machine --order ab true true",
        "compare --merge-base --plan true",
        "compare --objects x.o --build true true true",
        "contend --interval 1s --pairs 0:1",
        "contend --count 3 integer-ports",
        "fleet emit kubernetes --image x --nodes 2 --of 3 true",
        "fleet emit kubernetes --image x --nodes 2 --folder f true",
        "suite --merge-base --from a.json b.json",
        "suite --build true --from a.json b.json",
        "why --benchmark x true true",
        "why --merge-base --stored 1",
        "why --build true --stored 1",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let option =
            words.iter().find(|word| word.starts_with("--") && !["--image", "--nodes"].contains(*word));
        lab.run(&words).complains(2, &[option.unwrap()]);
    }
}
