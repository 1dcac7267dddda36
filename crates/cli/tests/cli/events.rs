//! `--events`: an experiment as lines of JSON while it runs.

use serde_json::Value;

use crate::common::Lab;

/// The lines of a file of events, each a JSON object.
fn lines(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["schema"] == "fauxplat.event/1"), "{text}");
    lines
}

fn of<'a>(lines: &'a [Value], event: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["event"] == event).collect()
}

#[test]
fn a_run_is_told_from_its_beginning_to_its_end() {
    let lab = Lab::new();
    let path = lab.file("events");
    let document = lab.json(&["run", "true", "--runs", "5", "--warmup", "2", "--events", &path]);
    let lines = lines(&path);
    assert_eq!((&lines[0]["event"], &lines[0]["kind"]), (&"begun".into(), &"run".into()));
    assert_eq!(lines[0]["commands"][0]["command"], "true");
    assert_eq!(lines.last().unwrap()["event"], "finished");
    assert_eq!(lines.last().unwrap()["state"], "finished");
    let runs = of(&lines, "evidence");
    assert_eq!(runs.len(), 7, "five runs and two that warm up");
    assert!(runs.iter().all(|run| run["kind"] == "run"));
    // The event lines have the same figures as the document, whichever figures this machine provides.
    let reported = document["commands"][0]["runs"].as_array().unwrap();
    for (told, reported) in runs.iter().zip(reported) {
        assert_eq!((&told["wall_ns"], &told["trial"]), (&reported["wall_ns"], &reported["trial"]));
    }
    let plans = of(&lines, "plan");
    assert_eq!(plans.len(), 1);
    assert_eq!(document["plan"][0], plans[0]["plan"], "the plan is part of the record");
    let shares: Vec<f64> = of(&lines, "block").iter().map(|it| it["share"].as_f64().unwrap()).collect();
    assert!(shares.is_sorted() && shares.last() == Some(&1.0), "{shares:?}");
}

#[test]
fn verbs_without_commands_tell_their_evidence() {
    let lab = Lab::new();
    for (verb, kind) in [
        (&["index", "--duration", "50ms"][..], "shift"),
        (&["latency", "timer", "--count", "20", "--policy", "other"], "histogram"),
    ] {
        let path = lab.file(verb[0]);
        let document = lab.json(&[verb, &["--events", &path]].concat());
        let lines = lines(&path);
        let told = of(&lines, "evidence");
        assert!(
            !told.is_empty() && told.iter().all(|it| it["kind"] == kind || it["kind"] == "event"),
            "{verb:?}"
        );
        let reported = document["evidence"].as_array().unwrap();
        assert_eq!(told.len(), reported.len(), "{verb:?}");
        assert!(document["plan"].is_array(), "{verb:?}");
    }
}

#[test]
fn the_stream_does_not_mix_with_the_report_and_survives_its_reader() {
    let lab = Lab::new();
    let refused = lab.run(&["run", "true", "--runs", "2", "--events", "-"]);
    refused.complains(2, &["--events -", "--output"]);
    let report = lab.file("report");
    let mixed = lab.run(&["run", "true", "--runs", "2", "--events", "-", "--output", &report]).ends_with(0);
    assert!(mixed.out.lines().all(|line| line.starts_with('{')), "{}", mixed.out);
    assert!(std::fs::read_to_string(&report).unwrap().contains("wall time"));
    let nowhere = lab.run(&["run", "true", "--runs", "2", "--events", "/no/such/folder/events"]);
    nowhere.complains(2, &["--events /no/such/folder/events"]);
}

/// On a full device no further events are written, but the experiment continues and is reported; the answer of a gate
/// and the failure of a command decide the exit code.
#[test]
fn events_that_a_full_disk_does_not_hold_are_named() {
    let lab = Lab::new();
    let lost = "--events /dev/full: the events could not be written";
    let full = lab.run(&["run", "true", "--runs", "2", "--events", "/dev/full"]).complains(3, &[lost]);
    assert!(full.out.contains("wall time"));
    let report = lab.file("report");
    let mut command = lab.command(&["run", "true", "--runs", "2", "--events", "-", "--output", &report]);
    let device = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let done = command.stdout(device).output().unwrap();
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(String::from_utf8_lossy(&done.stderr).contains("--events -: the events could not"), "{done:?}");
    let gate = ["compare", "true", "sleep 0.2", "--fail-if", "slower", "--events", "/dev/full"];
    let failing = ["run", "false", "--runs", "2", "--events", "/dev/full"];
    for (words, code) in [(&gate[..], 1), (&failing[..], 4)] {
        let done = lab.run(words).ends_with(code);
        assert_eq!((done.err.lines().count(), done.err.contains(lost)), (2, true), "{done:?}");
    }
}

#[test]
fn a_command_that_fails_is_told_to_have_failed() {
    let lab = Lab::new();
    let path = lab.file("events");
    lab.run(&["run", "false", "--runs", "3", "--events", &path]).complains(4, &["status 1"]);
    let lines = lines(&path);
    assert_eq!(lines.last().unwrap()["state"], "failed");
    let warnings = lines.last().unwrap()["warnings"].as_array().unwrap().clone();
    assert!(warnings.iter().any(|it| it.as_str().unwrap().contains("status 1")), "{warnings:?}");
}
