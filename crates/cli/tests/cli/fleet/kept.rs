//! Stored runs over fleets: found again, with failures that are ignored, and with foreign files among them.

use crate::common::{Done, Lab};

/// Runs the command line that reports a run again, exactly as fauxplat printed it, in the same folder.
#[test]
fn the_line_that_reports_a_run_again_finds_it() {
    let lab = Lab::new();
    for place in [&["--folder", "my runs"][..], &["--store", "elsewhere/store.sqlite"], &[]] {
        let words = ["fleet", "run", "--on", "local:1", "-r", "2", "--no-answers", "--no-confirm"];
        let done = Done::of(lab.bare(&[&words[..], place, &["true"]].concat())).ends_with(0);
        let line = done.err.split("(fauxplat ").nth(1).and_then(|rest| rest.split(')').next());
        let words: Vec<String> =
            line.unwrap_or_default().replace("'my runs'", "my_runs").split(' ').map(str::to_owned).collect();
        let words: Vec<&str> =
            words.iter().map(|word| if word == "my_runs" { "my runs" } else { word.as_str() }).collect();
        assert!(Done::of(lab.bare(&words)).succeeds().out.contains("true on 1 machine"), "{words:?}");
    }
}

#[test]
fn runs_whose_failure_is_ignored_count_on_every_node() {
    let lab = Lab::new();
    for ignored in ["-i", "-i=1"] {
        let words = ["fleet", "run", "-q", "--on", "local:2", "-r", "2", "--no-confirm", ignored, "false"];
        let found = lab.json(&words);
        assert!(found["nodes"].as_array().unwrap().iter().all(|node| node["runs"] == 2), "{found}");
    }
    let done = lab.run(&["fleet", "run", "-q", "--on", "local:2", "-r", "2", "-i=3", "false"]);
    done.complains(4, &["no machine could be measured"]);
}

#[test]
fn a_pipe_in_a_run_of_a_fleet_is_told_and_the_other_runs_are_listed() {
    let lab = Lab::new();
    let words = ["fleet", "run", "-q", "--on", "local:1", "-r", "2", "--no-answers", "--no-confirm"];
    for command in ["true", "echo beneath"] {
        lab.run(&[&words[..], &[command]].concat()).succeeds();
    }
    lab.shell("cd fleet && run=$(grep -l beneath */run.json) && rm $run && mkfifo $run");
    let done = lab.run(&["fleet", "list"]).ends_with(0);
    assert!(done.out.contains("true") && !done.out.contains("beneath"), "{}", done.out);
    assert!(done.err.contains("no regular file") && done.err.contains("left out"), "{}", done.err);
    lab.run(&["fleet", "report"]).complains(3, &["run.json: it is no regular file"]);
    lab.run(&["fleet", "watch"]).complains(3, &["no regular file"]);
}
