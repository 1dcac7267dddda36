//! Runs that are simulated and counted: exact, on a stated machine, and never timed.

use std::process::Command;

use serde_json::Value;

use crate::common::{Done, Lab};

/// A program of a known number of instructions: one, then three in each of a million rounds of a loop, and three to
/// exit. With `MORE` there is one more after the loop.
const KNOWN: &str = r#"
.globl _start
_start:
    mov $1000000, %rcx
1:  dec %rcx
    nop
    jne 1b
#ifdef MORE
    nop
#endif
    mov $60, %eax
    xor %edi, %edi
    syscall
"#;

/// A folder with programs of known counts; `None`, with a message, where they cannot be made or simulated.
fn lab() -> Option<Lab> {
    let lab = Lab::new();
    lab.write("known.S", KNOWN);
    let build = |out: &str, more: &[&str]| {
        let words = ["-nostdlib", "-static", "-o", out, "known.S"];
        let done = Command::new("cc").args(words).args(more).current_dir(lab.folder()).status();
        done.is_ok_and(|status| status.success())
    };
    let has_simulator = Command::new("valgrind").arg("--version").output().is_ok();
    let is_here = cfg!(target_arch = "x86_64") && has_simulator;
    if !is_here || !build("known", &[]) || !build("a-known-one-with-a-longer-name", &["-DMORE"]) {
        println!("skipped: no valgrind, no C compiler, or another architecture than x86-64");
        return None;
    }
    Some(lab)
}

fn exact(document: &Value) -> [u64; 3] {
    let exact = &document["comparisons"][0]["exact"];
    ["a", "b", "runs"].map(|name| exact[name].as_u64().unwrap_or_else(|| panic!("{document}")))
}

#[test]
fn counts_of_a_known_program_are_exact() {
    let Some(lab) = lab() else { return };
    let done = lab.run(&["run", "--simulated", "./known"]).succeeds();
    assert!(done.out.contains("3000004") && done.out.contains("I1 32.0 KiB 8-way"), "{}", done.out);
    let last = lab.last();
    let runs = last["commands"][0]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert_eq!(run["simulated:instructions"], 3_000_004);
        assert_eq!(run["simulated:branches"], 1_000_000);
        assert_eq!((&run["wall_ns"], &run["peak_memory_bytes"]), (&Value::Null, &Value::Null));
    }
    assert_eq!(last["condition"]["simulate"], "classic");
}

/// A loop of an odd number of rounds with something behind it: a simulator that translates two rounds at once would
/// count a round too many, and only every other branch.
#[test]
fn what_is_not_executed_is_not_counted() {
    let Some(lab) = lab() else { return };
    lab.write("odd.S", &KNOWN.replace("$1000000", "$999"));
    lab.shell("cc -nostdlib -static -DMORE -o odd odd.S");
    lab.run(&["run", "--simulated", "./odd"]).succeeds();
    let last = lab.last();
    let run = &last["commands"][0]["runs"][0];
    assert_eq!((&run["simulated:instructions"], &run["simulated:branches"]), (&3002.into(), &999.into()));
}

#[test]
fn one_instruction_more_is_found_in_two_runs_of_each() {
    let Some(lab) = lab() else { return };
    let more = "./a-known-one-with-a-longer-name";
    let done = lab.run(&["compare", "--simulated", "./known", more, "--fail-if", "different"]).succeeds();
    assert!(
        done.out.contains("3000005 against 3000004") && done.out.contains("within the margin"),
        "{}",
        done.out
    );
    let last = lab.last();
    assert_eq!(exact(&last), [3_000_004, 3_000_005, 2]);
    let first = &last["comparisons"][0];
    assert_eq!(
        (first["verdict"].as_str(), first["stopped_by"].as_str()),
        (Some("different"), Some("verdict"))
    );
    assert_eq!(last["winner"], "./known");
    let same = lab.run(&["compare", "--simulated", "./known", "./known"]).succeeds();
    assert!(same.out.contains("the same count of instructions (simulated): 3000004"), "{}", same.out);
    assert_eq!(lab.last()["comparisons"][0]["verdict"], "equivalent");
    let three = ["run", "--simulated", more, "./known", more];
    let three = lab.run(&three).succeeds();
    assert!(three.out.contains("3000004 against 3000005"), "{}", three.out);
}

/// Counts that differ between runs of the same program are compared by the statistics for times, with a note.
#[test]
fn counts_that_do_not_repeat_are_judged_like_times() {
    let Some(lab) = lab() else { return };
    let build = |name: &str| {
        let text = "#include <stdlib.h>\n#include <unistd.h>\nint main(void) { unsigned char c; getentropy(&c, 1); \
                    for (volatile int i = 0; i < 9000 + c; i++); }";
        lab.write("drawn.c", text);
        let done = Command::new("cc").args(["-o", name, "drawn.c"]).current_dir(lab.folder()).status();
        assert!(done.unwrap().success());
    };
    build("drawn");
    let words = ["compare", "--simulated", "./drawn", "./drawn", "--max-pairs", "12"];
    lab.run(&words).succeeds();
    let last = lab.last();
    assert_eq!(last["comparisons"][0]["exact"], Value::Null, "{last}");
    assert!(last["warnings"].to_string().contains("does not do the same in each run"), "{last}");
    assert!(last["comparisons"][0]["pairs"].as_u64().unwrap() > 2);
}

#[test]
fn what_cannot_be_simulated_is_refused_with_a_line() {
    let Some(lab) = lab() else { return };
    let run = |words: &[&str]| lab.run(&[words, &["./known"]].concat());
    run(&["compare", "./known", "--simulated", "--metric", "wall"]).complains(2, &["counted and not timed"]);
    run(&["compare", "./known", "--simulated", "--metric", "cpu"]).complains(2, &["simulated:instructions"]);
    run(&["compare", "./known", "--metric", "simulated:loads"]).complains(2, &["--simulated"]);
    run(&["compare", "./known", "--simulated", "--duet"]).complains(2, &["--duet and --simulated"]);
    run(&["run", "--simulated", "--heap", "random"]).complains(2, &["--heap and --simulated"]);
    run(&["run", "--simulated", "--until", "1%"]).complains(2, &["--until and --simulated"]);
    run(&["aa", "--simulated"]).complains(2, &["aa and --simulated"]);
    run(&["run", "--simulate-machine", "big"]).complains(2, &["classic, small, here"]);
    run(&["run", "--simulate-machine", "I1=32768,8,64+D1=32768,8,64+LL=3145728,16,64"])
        .complains(2, &["no power of two"]);
    let mut without = lab.command(&["run", "--simulated", &lab.file("known")]);
    without.env("PATH", "/nowhere");
    Done::of(without).complains(3, &["--simulated needs valgrind"]);
    let forks = "sh -c '(exit 0); (exit 0)'";
    lab.run(&["compare", "--simulated", forks, "./known"])
        .complains(2, &["forked without becoming another program"]);
}
