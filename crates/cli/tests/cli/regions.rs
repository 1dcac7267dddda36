//! Regions that programs mark: their metrics in all languages, and marks without a partner.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Lab, number, runs};
use crate::counters::counts_both_modes;

/// Path of a file in the library for region marks: its header, its module or an example.
fn library(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib/region").join(name).display().to_string()
}

/// A laboratory with an example that was compiled to `marked`; `None` without a compiler.
fn compiled(compiler: &str, source: &str) -> Option<Lab> {
    let lab = Lab::new();
    let (out, include) = (lab.file("marked"), library("include"));
    let words = ["-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", &include, "-o", &out];
    match Command::new(compiler).args(words).arg(library(source)).status() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: {compiler} is not installed");
            None
        }
        done => {
            assert!(done.unwrap().success(), "{source} compiles");
            Some(lab)
        }
    }
}

/// The runs of the first command with their readings, and everything that fauxplat printed.
fn marked(lab: &Lab, words: &[&str]) -> (Vec<Value>, String) {
    let done =
        lab.run(&[&["run", "-r", "3", "--region", "parse", "--region", "sort"], words].concat()).succeeds();
    (runs(&lab.last(), 0).clone(), format!("{}{}", done.out, done.err))
}

fn calls(run: &Value) -> [Option<u64>; 2] {
    ["parse", "sort"].map(|name| run[format!("region.{name}:calls")].as_u64())
}

#[test]
fn calls_time_and_counts_are_those_inside() {
    let Some(lab) = compiled("cc", "examples/marked.c").filter(counts_both_modes) else { return };
    let (all, _) = marked(&lab, &["-e", "task-clock,page-faults", "./marked plain"]);
    assert_eq!(all.len(), 3);
    for run in &all {
        assert_eq!(calls(run), [Some(5), Some(10)]);
        let [parse, sort] = ["parse", "sort"]
            .map(|name| ["wall_ns", "task-clock_ns"].map(|of| number(run, &format!("region.{name}:{of}"))));
        assert!(sort[0] > 0 && sort[1] > 0 && parse[0] > sort[0], "{run}");
        assert!(
            parse[0] < number(run, "wall_ns") && parse[1] < number(run, "software:task-clock_ns"),
            "{run}"
        );
        assert!(run["region.parse:page-faults"].as_u64() < run["software:page-faults"].as_u64(), "{run}");
    }
}

#[test]
fn recursion_threads_and_children_are_counted_once_each() {
    let Some(lab) = compiled("cc", "examples/marked.c").filter(counts_both_modes) else { return };
    for (way, parse) in [("recursive", 1), ("threads", 400), ("forked", 2)] {
        let (all, said) = marked(&lab, &["-e", "page-faults", &format!("./marked {way}")]);
        assert!(all.iter().all(|run| calls(run) == [Some(parse), None]), "{way}: {all:?}");
        assert!(all.iter().all(|run| run["region.parse:page-faults"].is_u64()), "{way}: {all:?}");
        assert!(!said.contains("parse, "), "{said}");
    }
}

fn not_measured(lab: &Lab) -> String {
    lab.last()["not_measured"].to_string()
}

#[test]
fn marks_without_a_partner_are_said() {
    let Some(lab) = compiled("cc", "examples/marked.c") else { return };
    let cases = [
        ("crossed", [Some(1), Some(1)], "region sort, 3 marks: the region was ended where it had not begun"),
        ("unended", [Some(5), Some(10)], "region parse, 3 times: the region was begun and not ended"),
        ("none", [None, None], "region sort in 3 of 3 runs: no program marked any region"),
        ("deep", [None, None], "no program marked it; marked were r0, r1"),
        ("scribble", [None, Some(10)], "written over its page"),
    ];
    for (way, expected, words) in cases {
        let (all, _) = marked(&lab, &[&format!("./marked {way}")]);
        assert!(all.iter().all(|run| calls(run) == expected), "{way}: {all:?}");
        assert!(not_measured(&lab).contains(words), "{way}: {}", not_measured(&lab));
    }
}

/// Decides a comparison by a region. The second command is slower before the region, and equal within it.
#[test]
fn a_region_decides() {
    let Some(lab) = compiled("cc", "examples/marked.c") else { return };
    let slow_start = "sh -c 'sleep 0.01; exec ./marked plain'";
    lab.run(&[
        "compare",
        "--max-pairs",
        "200",
        "--metric",
        "region.sort:calls",
        "./marked plain",
        slow_start,
    ])
    .succeeds();
    let last = lab.last();
    assert!(runs(&last, 0).iter().chain(runs(&last, 1)).all(|run| run["region.sort:calls"] == 10), "{last}");
    assert_eq!(last["comparisons"][0]["verdict"], "equivalent", "{last}");
    let by =
        |metric: &str| lab.run(&["compare", "--max-pairs", "10", "--metric", metric, "./marked", "./marked"]);
    by("region.sort:nothing").reports_misuse(&["`nothing`"]);
    if !counts_both_modes(&lab) {
        return;
    }
    by("region.sort:page-faults").succeeds();
    assert!(runs(&lab.last(), 0).iter().all(|run| run["region.sort:page-faults"].is_u64()));
}

#[test]
fn what_cannot_be_is_refused() {
    let lab = Lab::new();
    let long = "x".repeat(64);
    for (words, why) in [
        (&["--region", "Parse"][..], "a-z 0-9"),
        (&["--region=-x"], "--region -x"),
        (&["--region", &long], "63"),
        (&["--region", "a", "--region", "a"], "twice"),
        (&["--region", "a", "--simulated"], "--simulated"),
    ] {
        lab.run(&[&["run"], words, &["true"]].concat()).reports_misuse(&[why]);
    }
    let many = "page-faults,minor-faults,major-faults,context-switches,cpu-migrations,task-clock,cpu-clock,alignment-faults,\
                emulation-faults";
    if counts_both_modes(&lab) {
        lab.run(&["run", "--region", "a", "-e", many, "true"]).reports_misuse(&["8 events at most"]);
    }
    lab.run(&["compare", "--duet", "--region", "a", "true", "true"]).reports_misuse(&["--duet"]);
}

#[test]
fn blocks_of_cplusplus_end_their_regions() {
    let Some(lab) = compiled("c++", "examples/marked.cpp") else { return };
    let (all, _) = marked(&lab, &["./marked"]);
    assert!(all.iter().all(|run| calls(run) == [Some(6), None]), "{all:?}");
}

#[test]
fn python_marks_by_slots_of_its_own() {
    let lab = Lab::new();
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: python3 is not installed");
        return;
    }
    if !counts_both_modes(&lab) {
        return;
    }
    let path = format!("PYTHONPATH={}", library("python"));
    let cases = [("plain", [5, 5]), ("threads", [100, 100]), ("forked", [3, 2])];
    for (way, expected) in cases {
        let line = format!("python3 -B {} {way}", library("examples/marked.py"));
        let (all, _) = marked(&lab, &["--env", &path, "-e", "page-faults,task-clock", &line]);
        for run in &all {
            assert_eq!(calls(run), expected.map(Some), "{way}: {run}");
            assert!(run["region.sort:page-faults"].is_u64(), "{way}: {run}");
            assert!(
                number(run, "region.parse:task-clock_ns") >= number(run, "region.sort:task-clock_ns"),
                "{way}: {run}"
            );
        }
    }
    let line = format!("python3 -B {} crossed", library("examples/marked.py"));
    marked(&lab, &["--env", &path, &line]);
    let said = not_measured(&lab);
    assert!(said.contains("begun and never ended") && said.contains("region sort, 3 marks"), "{said}");
}

/// The variable that an outer fauxplat set must not be inherited. A page that the program has replaced by a file that
/// cannot be read is reported.
#[test]
fn the_page_is_that_of_this_run_and_nothing_else() {
    let Some(lab) = compiled("cc", "examples/marked.c") else { return };
    let (all, _) = marked(&lab, &["--env", "FAUXPLAT_REGIONS=/nowhere", "./marked plain"]);
    assert!(all.iter().all(|run| calls(run) == [Some(5), Some(10)]), "{all:?}");
    lab.write("replace.sh", "rm $FAUXPLAT_REGIONS; mkfifo $FAUXPLAT_REGIONS");
    let (all, _) = marked(&lab, &["sh replace.sh"]);
    assert!(all.iter().all(|run| calls(run) == [None, None]), "{all:?}");
    assert!(not_measured(&lab).contains("cannot be read"), "{}", not_measured(&lab));
}

/// The page for region marks is in a folder that only its owner may enter.
#[test]
fn the_folder_of_the_page_is_its_owners() {
    for lab in Lab::both() {
        let line =
            "sh -c 'stat -c \"%a %U\" \"${FAUXPLAT_REGIONS%/*}\" >> seen; env -u FAUXPLAT_REGIONS true'";
        lab.run(&["run", "-r", "1", "--shell=none", "--region", "parse", line]).succeeds();
        assert!(lab.read("seen").starts_with("700 "), "{}", lab.read("seen"));
    }
}
