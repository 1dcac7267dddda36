//! `fauxplat aa`: comparisons of identical copies, and of copies that do a little more work.

use serde_json::Value;

use crate::common::{Lab, number, spin};

#[test]
fn strata_and_rivals_are_counted() {
    for lab in Lab::both() {
        let words = ["aa", &spin(1500), "-N", "3", "--strata", "plain,layout", "--max-pairs", "8", "--quiet"];
        let document = lab.json(&words);
        assert_eq!(document["schema"], "fauxplat.aa/1");
        let strata = document["strata"].as_array().unwrap();
        let names: Vec<&Value> = strata.iter().map(|stratum| &stratum["name"]).collect();
        assert_eq!(names, ["plain", "layout"]);
        for stratum in strata {
            assert_eq!(number(stratum, "comparisons"), 3);
            let ends = ["false_verdicts", "equivalent", "inconclusive"].map(|field| number(stratum, field));
            assert_eq!(ends.iter().sum::<u64>(), 3, "{stratum}");
            let upper = stratum["rate_upper_95"].as_f64().unwrap();
            // The upper bound of a rate by Clopper and Pearson: with no false answer among n answers, it is 1 -
            // 0.05^(1/n).
            let none = |answers: u64| (1.0 - 0.05f64.powf(1.0 / answers as f64) - upper).abs() < 1e-6;
            let answers = ends[0] + ends[1];
            assert!(upper <= 1.0 && (ends[0] > 0 || answers == 0 || none(answers)), "{stratum}");
            assert!(answers > 0 || upper == 1.0, "{stratum}");
            // The rules of these tools need sixty runs or several seconds, and eight pairs are fewer, so they give no
            // answer.
            let rivals = stratum["rivals"].as_array().unwrap();
            assert!(
                rivals.iter().all(|rival| rival["rule"] != "poop" && rival["rule"] != "pyperf"),
                "{stratum}"
            );
        }
        assert_eq!(document["power"], Value::Array(Vec::new()));
        assert_eq!(document["commands"].as_array().unwrap().len(), 2);
        let left: Vec<_> =
            std::fs::read_dir(lab.folder()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().starts_with("fauxplat-aa")), "{left:?}");
    }
}

#[test]
fn rivals_judge_when_they_have_the_runs_that_they_take() {
    let lab = Lab::new();
    let words = ["aa", &spin(1500), "-N", "1", "--strata", "plain", "--max-pairs", "8", "--rivals"];
    let document = lab.json(&words);
    let rivals = document["strata"][0]["rivals"].as_array().unwrap();
    assert!(rivals.len() >= 5 && rivals.iter().all(|rival| number(rival, "comparisons") == 1), "{rivals:?}");
    // Runs that were made only for the rules of other tools do not count in fauxplat's own comparison.
    assert!(document["strata"][0]["pairs_mean"].as_f64().unwrap() <= 8.0, "{}", document["strata"]);
}

#[test]
fn commands_that_fail_are_compared_where_that_is_wanted() {
    let lab = Lab::new();
    let words =
        ["aa", "sh -c 'exit 3'", "-N", "1", "--strata", "plain", "--max-pairs", "40", "--ignore-failure"];
    let stratum = &lab.json(&words)["strata"][0];
    // Guards against disturbances may drop some pairs on any machine; without `--ignore-failure` all would be dropped.
    assert!(stratum["pairs_mean"].as_f64().unwrap() > 0.0, "{stratum}");
}

#[test]
fn power_is_counted_with_a_known_amount_of_work() {
    let lab = Lab::new();
    // CPU time is compared, since a busy machine lengthens the wall time of a few short pairs by more than the added
    // work does. A shorter loop would be hidden behind the startup of the shell.
    let words = ["aa", &spin(20_000), "-N", "1", "--strata", "plain", "--max-pairs", "8", "--metric", "cpu"];
    let document = lab.json(&[&words[..], &["--power", "5%", "--power-comparisons", "2"]].concat());
    let power = document["power"].as_array().unwrap();
    assert_eq!(power.len(), 1);
    assert!((power[0]["true_ratio"].as_f64().unwrap() - 1.05).abs() < 1e-9);
    assert_eq!((power[0]["stratum"].as_str(), number(&power[0], "comparisons")), (Some("plain"), 2));
    assert!(
        number(&power[0], "found") + number(&power[0], "wrong_sign") + number(&power[0], "equivalent") <= 2
    );
    let effect = power[0]["effect_mean_ratio"].as_f64().unwrap();
    // The size of the effect in so few pairs is up to the machine.
    assert!((0.2..5.0).contains(&effect), "{effect}");
    let text = lab.run(&["history", "show", "last"]).succeeds().out;
    assert!(text.contains("plain"), "{text}");
}

/// Stores a session of 48 pairs of a command with itself, to be replayed.
fn recorded(lab: &Lab) {
    let words =
        ["compare", "--tail-margin", "0.1%", "--margin", "0.001%", "--max-pairs", "48", "--level", "0.01%"];
    lab.run(&[&words[..], &[&spin(1500), &spin(1500)]].concat()).succeeds();
}

#[test]
fn a_recorded_session_says_what_would_be_found() {
    let lab = Lab::new();
    recorded(&lab);
    let words = ["aa", "--replay", "last", "-N", "4", "--max-pairs", "24", "--seed", "1"];
    let document = lab.json(&words);
    assert_eq!(document["schema"], "fauxplat.replay/1");
    assert_eq!(document["source"], "experiment 1");
    assert!(number(&document, "pairs") >= 24, "{document}");
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows[0]["injected"], "nothing");
    let ratio = |row: &Value| row["injected"]["shift"]["ratio"].as_f64();
    assert!(rows.iter().any(|row| ratio(row).is_some_and(|ratio| (ratio - 1.01).abs() < 1e-9)), "{rows:?}");
    for row in rows {
        let ends = ["different", "wrong_sign", "equivalent", "inconclusive"].map(|end| number(row, end));
        assert_eq!((number(row, "comparisons"), ends.iter().sum::<u64>()), (4, 4), "{row}");
    }
    // With a seed, a replay draws equal comparisons again; a replay stores nothing.
    assert_eq!(lab.json(&words)["rows"], document["rows"]);
    assert_eq!(lab.json(&["history", "list"])["experiments"].as_array().unwrap().len(), 1);
    let text = lab.run(&words).succeeds().out;
    assert!(text.contains("False equivalent at a difference of exactly the margin"), "{text}");
}

#[test]
fn a_document_is_replayed_like_a_session_of_the_store() {
    let lab = Lab::new();
    recorded(&lab);
    let file = lab.file("session.json");
    lab.run(&["history", "show", "last", "--format", "json", "--output", &file]).succeeds();
    let options = ["-N", "2", "--max-pairs", "16", "--seed", "3"];
    let by = |session: &str| lab.json(&[&["aa", "--replay", session], &options[..]].concat());
    assert_eq!(by(&file)["rows"], by("1")["rows"]);
}

#[test]
fn what_is_no_session_of_copies_is_refused() {
    let lab = Lab::new();
    lab.run(&["aa", "--replay", "7"]).reports_misuse(&["7"]);
    lab.run(&["aa", "--replay", "last"]).reports_misuse(&["the store holds no experiment"]);
    lab.run(&["compare", "--max-pairs", "8", &spin(1500), &spin(3000)]).succeeds();
    lab.run(&["aa", "--replay", "last"])
        .reports_misuse(&["experiment 1", "no comparison of a program with itself"]);
    lab.run(&["compare", "--max-pairs", "8", &spin(1500), &spin(1500)]).succeeds();
    lab.run(&["aa", "--replay", "last"]).reports_misuse(&["experiment 2", "too few"]);
    let words = ["aa", &spin(1500), "-N", "1", "--strata", "plain,layout", "--max-pairs", "8"];
    lab.run(&words).succeeds();
    lab.run(&["aa", "--replay", "last"]).reports_misuse(&["experiment 3", "--strata plain"]);
    let torn = lab.write("torn.json", "{\"commands\": [");
    lab.run(&["aa", "--replay", &torn]).reports_misuse(&["torn.json"]);
    lab.run(&["aa", "--replay", "nowhere.json"]).reports_misuse(&["nowhere.json"]);
}

#[test]
fn a_plan_says_what_would_be_found_before_anything_is_compared() {
    let lab = Lab::new();
    let document = lab.json(&["compare", "--plan", "--max-pairs", "16", &spin(1500)]);
    assert_eq!(document["schema"], "fauxplat.replay/1");
    assert!(number(&document, "pairs") >= 48 && !document["rows"].as_array().unwrap().is_empty());
    assert!(!document["commands"][0]["runs"].as_array().unwrap().is_empty());
    lab.run(&["compare", "--plan"]).reports_misuse(&["--plan needs the command"]);
    lab.run(&["compare", "--plan", "-L", "n=1,2", "echo {n}"]).reports_misuse(&["--plan", "parameter"]);
}

/// A change that a stratum makes for its copies, such as their layout, has no effect on the next stratum.
#[test]
fn strata_leave_nothing_to_each_other() {
    let lab = Lab::new();
    let command = "sh -c 'echo ${FAUXPLAT_LAYOUT:-none} >> log'";
    let words = ["aa", command, "-N", "1", "--strata", "layout,plain", "--max-pairs", "6", "--quiet"];
    let strata = lab.json(&words)["strata"].clone();
    assert_eq!((&strata[0]["name"], &strata[1]["name"]), (&"layout".into(), &"plain".into()));
    let text = lab.read("log");
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.iter().rposition(|line| line.starts_with('y')).unwrap();
    assert!(lines.len() > from + 12 && lines[from + 1..].iter().all(|line| *line == "none"), "{text}");
    lab.run(&["aa", "true", "-N", "1", "--power", "1%", "--metric", "peak-memory"])
        .complains(2, &["--power", "peak-memory"]);
}
