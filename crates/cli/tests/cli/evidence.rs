//! Evidence of an experiment is stored however the experiment ends, and can be exported.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::common::{Done, Lab, SIGKILL, eventually, first_pair, number, runs, spin};

/// Command lines that run for a long time, each with options that make its units of evidence short.
const LONG: [&[&str]; 4] = [
    &["run", "true", "--runs", "100000"],
    &["index", "--all-cpus", "--duration", "10m"],
    &["latency", "timer", "message", "--interval", "100us", "--count", "60000"],
    &["contend", "--duration", "1ms", "--rounds", "1000"],
];

/// The document of the newest experiment as far as it is stored; `None` while there is none.
fn exported(lab: &Lab) -> Option<Value> {
    let done = lab.run(&["history", "export", "last"]);
    (done.code == Some(0)).then(|| done.json())
}

fn pieces(document: &Value) -> &[Value] {
    document["evidence"].as_array().map_or(&[], Vec::as_slice)
}

/// Number of runs and other pieces of evidence in a document.
fn units(document: &Value) -> usize {
    let commands = document["commands"].as_array().map_or(0, Vec::len);
    (0..commands).map(|command| runs(document, command).len()).sum::<usize>() + pieces(document).len()
}

/// The cells of a measurement, such as pairs of CPUs, that have a piece of evidence from this round.
fn cells_of(pieces: &[Value], round: u64) -> BTreeSet<u64> {
    pieces.iter().filter(|piece| number(piece, "round") == round).map(|piece| number(piece, "cell")).collect()
}

#[test]
fn a_killed_experiment_has_all_its_evidence_but_the_unit_in_progress() {
    for words in LONG {
        let lab = Lab::new();
        let mut live = lab.start(words);
        let mut seen = 0;
        let grew = eventually(|| {
            seen = exported(&lab).map_or(0, |document| units(&document));
            seen >= 2 || !live.is_running()
        });
        assert!(grew && live.is_running(), "{words:?} leaves nothing: {:?}", live.end());
        live.signal(SIGKILL);
        live.end();
        let listed = lab.json(&["history", "list"]);
        assert_eq!(listed["experiments"][0]["state"], "interrupted", "{words:?}");
        let document = lab.last();
        assert!(units(&document) >= seen, "{words:?} lost what was stored");
        has_no_gap(words, &document);
        let csv = lab.run(&["history", "export", "last", "--format", "csv"]).succeeds().out;
        let rows = csv.lines().count() - 1;
        assert!(rows >= units(&document), "{words:?}: {rows} rows");
        // The store is usable for the next experiment.
        lab.run(&["run", "true", "--runs", "1"]).succeeds();
    }
}

/// Checks that every round before the last has a piece of evidence for every cell, or that runs are numbered without a
/// gap.
fn has_no_gap(words: &[&str], document: &Value) {
    if words[0] == "run" {
        let trials = runs(document, 0).iter().map(|run| number(run, "trial"));
        assert!(trials.eq(0..runs(document, 0).len() as u64));
        return;
    }
    // Events, such as incidents in the kernel, belong to no cell.
    let pieces: Vec<Value> =
        pieces(document).iter().filter(|piece| piece["kind"] != "event").cloned().collect();
    let last = pieces.iter().map(|piece| number(piece, "round")).max().unwrap();
    let all: BTreeSet<u64> = pieces.iter().map(|piece| number(piece, "cell")).collect();
    for round in 0..last {
        assert_eq!(cells_of(&pieces, round), all, "{words:?}: round {round} of {last}");
    }
}

#[test]
fn every_verb_gives_its_raw_data() {
    let lab = Lab::new();
    let (short, long) = (spin(10), spin(20));
    let with_runs: [&[&str]; 5] = [
        &["run", "true", "--runs", "3", "--tree"],
        &["compare", &short, &long, "--max-pairs", "6"],
        &["aa", "true", "--strata", "plain", "-N", "1"],
        &["sweep", "env-size=0,64", "true", "--blocks", "4"],
        &["explain", "true", "--blocks", "3"],
    ];
    for words in with_runs {
        lab.run(words).succeeds();
        let document = lab.last();
        let wall = |run: &Value| run["wall_ns"].as_u64().is_some_and(|ns| ns > 0);
        assert!(!runs(&document, 0).is_empty() && runs(&document, 0).iter().all(wall), "{words:?}");
        assert!(words[0] != "run" || pieces(&document).iter().any(|piece| piece["kind"] == "tree"));
    }
    let pair = first_pair();
    let with_evidence: [(&[&str], &str); 5] = [
        (&["index", "--duration", "20ms"], "shift"),
        (&["contend", "--capacity", "--duration", "1ms", "--rounds", "5", "--count", "1"], "shift"),
        (&["contend", "--pairs", &pair, "--duration", "1ms", "--rounds", "5", "--max-rounds", "5"], "shift"),
        (&["latency", "timer", "--count", "60"], "histogram"),
        (&["latency", "noise", "--duration", "60ms"], "histogram"),
    ];
    for (words, kind) in with_evidence {
        lab.run(words).ends_with(0);
        let document = lab.last();
        assert!(pieces(&document).iter().any(|piece| piece["kind"] == *kind), "{words:?}");
        let csv = lab.run(&["history", "export", "last", "--format", "csv"]).succeeds().out;
        assert!(csv.lines().skip(1).any(|row| row.starts_with(kind)), "{words:?}: {csv}");
    }
}

/// A limit of the store's file size ends the measurement as a full disk does: measured runs are reported all the same.
#[test]
fn a_store_that_fills_up_takes_no_report_away() {
    for lab in Lab::both() {
        lab.run(&["index", "--duration", "20ms"]).succeeds();
        let bytes = std::fs::metadata(lab.path("store.sqlite")).unwrap().len();
        let store = lab.file("store.sqlite");
        // `ulimit -f` counts blocks of 512 bytes.
        let line = format!(
            "trap '' XFSZ; ulimit -f {}; exec '{}' index --all-cpus --duration 8s --store '{store}'",
            bytes / 512 + 8,
            lab.starter().join("' '")
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]);
        lab.settle(&mut shell);
        let done = Done::of(shell).complains(3, &["store.sqlite", "intact"]);
        assert!(done.out.contains("FauxPlat"), "what was measured is not reported: {done:?}");
        let kept = lab.last();
        has_no_gap(&["index"], &kept);
        assert!(!pieces(&kept).is_empty());
        assert!(!pieces(&lab.json(&["history", "export", "1"])).is_empty(), "what was there before");
        lab.run(&["index", "--duration", "20ms"]).succeeds();
    }
}
