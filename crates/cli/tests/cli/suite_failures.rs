//! `suite`: programs of which some processes fail, or give no reading.

use crate::common::{Done, Lab};

/// The harness of these programs, which print lines with a name, a number and a unit.
const LINES: &str = r"lines:^(.+): ([0-9.]+) (\S+)$";

/// Runs a suite that compares two programs; B executes `third` in every third of its runs, and else prints what A
/// prints. Each suite needs another `name`.
fn suite(lab: &Lab, (name, third): (&str, &str), words: &[&str]) -> Done {
    let usual = "echo 'same: 7 ns'; echo 'rate: 9 MB/s'";
    lab.write("a", &format!("{usual}\n"));
    let count = format!("echo >> {name}.count\ncase $(($(wc -l < {name}.count) % 3)) in\n");
    lab.write(name, &format!("{count}0) {third} ;;\n*) {usual} ;;\nesac\n"));
    let (store, b) = (lab.file("store.sqlite"), format!("sh {name}"));
    let mut all = vec!["suite", "--harness", LINES, "--max-time", "60s", "--cpu", "free"];
    all.extend(words);
    all.extend(["--store", &store, "sh a", b.as_str()]);
    Done::of(lab.bare(&all))
}

/// Text in which each run of blanks is one.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Processes that fail are said in every format for people, although each benchmark is decided by the other ones.
#[test]
fn a_share_of_failed_processes_is_said_and_fails_the_suite() {
    let lab = Lab::new();
    let exports = ["--export", "junit=j", "--export", "markdown=m", "--export", "html=h"];
    let words = [&exports[..], &["--fail-if", "slower"]].concat();
    let done = suite(&lab, ("fails", "exit 7"), &words).ends_with(4);
    assert!(
        done.err.contains("benchmark `same` failed, and 1 more: B: its process ended with"),
        "{}",
        done.err
    );
    for text in [&done.out, &lab.read("j"), &lab.read("m"), &lab.read("h")] {
        let said = spaced(text);
        assert!(said.contains("B failed in ") && said.contains("ended with status 7"), "{said}");
        assert!(!said.contains("A failed in "), "{said}");
    }
    assert!(lab.read("j").contains("failures=\"3\""), "{}", lab.read("j"));

    let done = suite(&lab, ("skips", "exit 7"), &[&words[..], &["--skip-failures"]].concat()).succeeds();
    for text in [&done.out, &lab.read("j"), &lab.read("m"), &lab.read("h")] {
        assert!(spaced(text).contains("B failed in "), "{text}");
    }
    assert!(lab.read("j").contains("failures=\"0\""), "{}", lab.read("j"));
    let stored = lab.last();
    let of_b = &stored["processes_by_side"][1];
    assert!(of_b["failed"]["count"].as_u64() > Some(1), "{of_b}");
    assert_eq!(of_b["failed"]["why"][0], "ended with status 7");
    assert_eq!(stored["benchmarks"][0]["state"], "unchanged");
}

/// A benchmark that some processes do not print is no failure, and is said.
#[test]
fn a_share_of_processes_without_a_benchmark_is_said() {
    let lab = Lab::new();
    let words = ["--export", "junit=j", "--fail-if", "slower"];
    let done = suite(&lab, ("lacks", "echo 'rate: 9 MB/s'"), &words).succeeds();
    let said = spaced(&done.out);
    assert!(said.contains("There was no usable reading of same from B in "), "{said}");
    assert!(!said.contains("failed in"), "{said}");
    assert!(lab.read("j").contains("B gave no usable reading in "), "{}", lab.read("j"));
}

/// Where benchmarks are given up, the question of the gate stays open, and the report says that and why.
#[test]
fn benchmarks_that_are_given_up_answer_no_gate() {
    let lab = Lab::new();
    lab.write("a", "echo 'same: 7 ns'\n");
    lab.write("b", "echo >> count; test $(wc -l < count) -lt 5 || exit 7; echo 'same: 7 ns'\n");
    let store = lab.file("store.sqlite");
    let words = ["suite", "--harness", LINES, "--max-time", "60s", "--fail-if", "slower", "--store", &store];
    let done = Done::of(lab.bare(&[&words[..], &["sh a", "sh b"]].concat())).ends_with(4);
    let said = spaced(&done.out);
    assert!(said.contains("Benchmarks given up before they answered the gate"), "{said}");
    assert!(said.contains("same (B: its process ended with status 7)"), "{said}");
    assert!(!said.contains("sampling has ended"), "{said}");
    let stored = lab.last();
    assert_eq!(stored["stopped_by"], "given-up");
    assert_eq!(stored["benchmarks"][0]["is_given_up"], true);
    assert_eq!(stored["benchmarks"][0]["gate"], "undecided");
}

/// A single process lists the benchmarks; a benchmark that B prints in later processes is not gone.
#[test]
fn a_benchmark_that_is_printed_later_is_not_gone() {
    let lab = Lab::new();
    lab.write("a", "echo 'late: 1 ns'; echo 'same: 7 ns'\n");
    lab.write("b", "echo >> count; test $(wc -l < count) -lt 2 || echo 'late: 1 ns'; echo 'same: 7 ns'\n");
    let store = lab.file("store.sqlite");
    let words = ["suite", "--harness", LINES, "--max-time", "60s", "--store", &store, "sh a", "sh b"];
    Done::of(lab.bare(&words)).succeeds();
    let stored = lab.last();
    assert_eq!(stored["gone"].as_array().map(Vec::len), Some(0));
    let late = stored["benchmarks"].as_array().unwrap().iter().find(|it| it["name"] == "late").unwrap();
    assert_eq!(late["state"], "not-measured");
    let why = late["trouble"].as_str().unwrap();
    assert!(why.starts_with("B did not print it when its benchmarks were listed, and did in "), "{why}");
}
