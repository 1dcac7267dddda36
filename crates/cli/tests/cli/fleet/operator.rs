//! Properties on which the operator of a fleet relies: exit codes, gates, and a report about every machine that was
//! asked.

use serde_json::Value;

use crate::common::{Done, Lab, SIGKILL, eventually};

/// Words of a command line by which a number that the command prints becomes the judged metric.
const PRINTED: [&str; 3] = ["--metric-from", "t=([0-9.]+)", "cat value"];

#[test]
fn a_fleet_on_which_nobody_could_be_measured_is_no_success() {
    let lab = Lab::new();
    let done = lab.run(&["fleet", "run", "-q", "--on", "local:3", "-r", "2", "false"]);
    assert!(done.out.contains("3 are missing"), "{}", done.out);
    done.complains(4, &["no machine could be measured", "local-"]);
    for format in ["text", "json", "openmetrics"] {
        lab.run(&["fleet", "report", "--format", format]).complains(4, &["no machine could be measured"]);
    }
    lab.run(&["fleet", "watch"]).complains(3, &["no machine was measured in any run"]);
}

#[test]
fn a_gate_of_a_fleet_fails_where_the_report_says_so() {
    let lab = Lab::new();
    // The command fails in all runs of the node that measures first: these runs have the same parent process.
    let command = "sh -c '[ -e first ] || echo $PPID > first; [ $(cat first) != $PPID ]'";
    let words = ["fleet", "run", "-q", "--on", "local:2", "-r", "2", "--no-answers", "--no-confirm"];
    let gate = ["--fail-if", "confirmed,wrong-answer,missing"];
    let done = lab.run(&[&words[..], &gate, &[command]].concat());
    // A gate without an answer is told beside one that fails.
    let told = |done: Done, gate: &str| {
        let lines: Vec<String> = done.ends_with(1).err.lines().map(str::to_owned).collect();
        let [open, failed] = lines.as_slice() else { panic!("two lines: {lines:?}") };
        assert!(open.contains("cannot be answered: no machine could be compared"), "{lines:?}");
        assert!(failed.contains(gate), "{lines:?}");
    };
    told(done, "--fail-if missing: local-1");
    lab.run(&["fleet", "report"]).succeeds();
    lab.run(&["fleet", "report", "--fail-if", "missing"]).complains(1, &["--fail-if missing: local-1"]);
    lab.run(&["fleet", "report", "--fail-if", "unreached,notice"]).succeeds();
    // A single machine is compared with no other, so whether it is slow is not known.
    for gate in ["suspect", "confirmed,unreached", "explained"] {
        let unanswered = ["cannot be answered: no machine could be compared"];
        lab.run(&["fleet", "report", "--fail-if", gate]).complains(3, &unanswered);
    }
    told(lab.run(&["fleet", "report", "--fail-if", "suspect,uncompared"]), "uncompared: local-2");
    lab.run(&["fleet", "watch", "--fail-if", "uncompared"]).complains(1, &["uncompared: local-2"]);
    lab.run(&["fleet", "report", "--fail-if", "slow"]).reports_misuse(&["slow", "wrong-answer"]);
}

/// fauxplat is killed after one answer of three: the two others are missing in every report.
#[test]
fn machines_that_were_asked_and_not_heard_are_missing() {
    let lab = Lab::new();
    let command = "sh -c 'echo x >> begun; while [ $(wc -l < begun) -gt 2 ]; do sleep 0.02; done'";
    let words = ["fleet", "run", "-q", "--on", "local:3", "-r", "2", "--no-answers", "--cpu", "free"];
    let live = lab.start(&[&words[..], &[command]].concat());
    let journal = || {
        let runs = std::fs::read_dir(lab.path("fleet")).into_iter().flatten().flatten();
        runs.filter_map(|entry| std::fs::read_to_string(entry.path().join("journal")).ok())
            .collect::<String>()
    };
    assert!(eventually(|| journal().contains("\"answer\":") && lab.read("begun").lines().count() > 2));
    live.signal(SIGKILL);
    live.end();
    lab.write("begun", "");
    let text = lab.run(&["fleet", "report", "--brief"]).succeeds().out;
    assert!(text.contains("2 are missing"), "{text}");
    let metrics = lab.run(&["fleet", "report", "--format", "openmetrics"]).succeeds().out;
    let line = metrics.lines().find(|line| line.contains("state=\"missing\"} ") && !line.contains("node="));
    assert!(line.is_some_and(|line| line.ends_with("} 2")), "{metrics}");
    lab.run(&["fleet", "report", "--fail-if", "missing"]).complains(1, &["local-2, local-3"]);
}

#[test]
fn a_machine_that_changed_fails_the_gate_of_watch_and_of_the_report() {
    let lab = Lab::new();
    for at in 0..12 {
        lab.write("value", &format!("{}\n", if at < 9 { 100 + at % 3 } else { 300 + at % 2 }));
        let words = ["fleet", "run", "-q", "--on", "local:1", "-r", "2", "--no-confirm"];
        lab.run(&[&words[..], &PRINTED].concat()).succeeds();
        if at < 2 {
            let changed = ["fleet", "report", "--fail-if", "changed"];
            lab.run(&changed).complains(3, &["changed cannot be answered", "too few"]);
        }
    }
    for verb in ["watch", "report"] {
        lab.run(&["fleet", verb, "--fail-if", "changed"]).complains(1, &["--fail-if changed: local-1"]);
    }
    let text = lab.run(&["fleet", "watch"]).succeeds().out;
    assert!(text.contains("local-1 (") && text.contains("of 10 cases from"), "{text}");
}

/// The arguments of a pod's container, which contain the order.
fn arguments(pod: &Value) -> Vec<String> {
    let words = pod["containers"][0]["args"].as_array().unwrap();
    words.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// Carries a pod's order out on a node where the program prints this value.
fn log_of(lab: &Lab, node: &str, value: u32, words: &[String]) -> String {
    lab.write("value", &format!("{value}\n"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = lab.bare(&words);
    command.env("FAUXPLAT_NODE", node);
    let log = Done::of(command).succeeds().out;
    lab.write(&format!("{node}.log"), &log)
}

/// A suspect of Kubernetes is measured again by further manifests, and then confirmed.
#[test]
fn suspects_of_kubernetes_are_confirmed() {
    let lab = Lab::new();
    let value = |node: &str| match node {
        "node-9" => 200,
        other => 100 + other.trim_start_matches("node-").parse::<u32>().unwrap(),
    };
    let words = ["fleet", "emit", "kubernetes", "--image", "x", "--nodes", "11", "-r", "2"];
    let text = lab.run(&[&words[..], &PRINTED].concat()).succeeds().out;
    let manifest = lab.write("manifest.json", &text);
    let document: Value = serde_json::from_str(&text).unwrap();
    let pod = arguments(&document["spec"]["template"]["spec"]);
    let logs: Vec<String> =
        (0..10).map(|at| format!("node-{at}")).map(|node| log_of(&lab, &node, value(&node), &pod)).collect();
    let logs: Vec<&str> = logs.iter().map(String::as_str).collect();
    let found = lab.json(&[&["fleet", "take", &*manifest][..], &logs].concat());
    let state = |found: &Value, node: &str| {
        let nodes = found["nodes"].as_array().unwrap();
        nodes.iter().find(|it| it["node"] == node).unwrap()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (state(&found, "node-9").as_str(), state(&found, "unnamed-11").as_str()),
        ("suspect", "missing")
    );
    let rounds = found["again"]["rounds"].as_array().unwrap().len();
    for round in 1..=rounds {
        let round = round.to_string();
        let words = ["fleet", "emit", "kubernetes", "--image", "x", "--round", &round];
        let text = lab.run(&words).succeeds().out;
        let manifest = lab.write(&format!("round-{round}.json"), &text);
        let document: Value = serde_json::from_str(&text).unwrap();
        let mut logs = Vec::new();
        for job in document["items"].as_array().unwrap() {
            let pod = &job["spec"]["template"]["spec"];
            let terms = &pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
            let node = terms["nodeSelectorTerms"][0]["matchFields"][0]["values"][0].as_str().unwrap();
            logs.push(log_of(&lab, node, value(node), &arguments(pod)));
        }
        assert_eq!(logs.len(), 3, "the suspect and two beside it");
        let logs: Vec<&str> = logs.iter().map(String::as_str).collect();
        lab.run(&[&["fleet", "take", &*manifest][..], &logs].concat()).succeeds();
    }
    let found = lab.json(&["fleet", "report"]);
    assert_eq!(state(&found, "node-9"), "confirmed", "{found}");
    lab.run(&["fleet", "report", "--fail-if", "confirmed"]).complains(1, &["confirmed: node-9"]);
    let words = ["fleet", "emit", "kubernetes", "--image", "x", "--round", "7"];
    lab.run(&words).complains(2, &["--round 7"]);
}

#[test]
fn facts_are_listed_and_runs_are_removed() {
    let lab = Lab::new();
    for _ in 0..2 {
        lab.run(&["fleet", "run", "-q", "--on", "local:2", "-r", "2", "--no-confirm", "true"]).succeeds();
    }
    assert!(lab.run(&["fleet", "facts"]).succeeds().out.contains("agree in all facts"));
    let list = lab.json(&["fleet", "list"]);
    let folder = list["runs"][1]["folder"].as_str().unwrap();
    let path = format!("{folder}/journal");
    let text = std::fs::read_to_string(&path).unwrap();
    // The second machine's answer is changed to report another kernel; each line of an answer has a checksum.
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let kernel = format!("\"kernel\":\"{}\"", release.trim());
    let changed: String = text
        .lines()
        .map(|line| line.split_once(' ').unwrap().1)
        .map(|line| match line.contains("\"node\":\"local-2\"") {
            true => line.replace(&kernel, "\"kernel\":\"0.1\""),
            false => line.to_owned(),
        })
        .map(|line| format!("{:08x} {line}\n", crc32fast::hash(line.as_bytes())))
        .collect();
    std::fs::write(&path, changed).unwrap();
    let found = lab.json(&["fleet", "facts"]);
    assert_eq!(
        (found["differ"].as_array().unwrap().len(), &found["differ"][0]["fact"]),
        (2, &"kernel".into())
    );
    assert_eq!(
        (&found["changed"][0]["after"], &found["changed"][0]["nodes"][0]),
        (&"0.1".into(), &"local-2".into())
    );
    let first = list["runs"][0]["id"].as_str().unwrap();
    lab.run(&["fleet", "rm", first, "nothing"]).complains(2, &["no such fleet run"]);
    assert_eq!(lab.json(&["fleet", "list"])["runs"].as_array().unwrap().len(), 2);
    lab.run(&["fleet", "rm", first]).succeeds();
    assert_eq!(lab.json(&["fleet", "list"])["runs"].as_array().unwrap().len(), 1);
}
