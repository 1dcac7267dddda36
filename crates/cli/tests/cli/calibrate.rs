//! `fauxplat aa`: comparisons of identical copies, and of copies that do a little more.

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
            // Clopper and Pearson: without any false one in n answers the bound is 1 - 0.05^(1/n).
            let none = |answers: u64| (1.0 - 0.05f64.powf(1.0 / answers as f64) - upper).abs() < 1e-6;
            let answers = ends[0] + ends[1];
            assert!(upper <= 1.0 && (ends[0] > 0 || answers == 0 || none(answers)), "{stratum}");
            assert!(answers > 0 || upper == 1.0, "{stratum}");
            // Sixty runs and seconds are what other tools ask for; eight pairs are fewer.
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
    // What was run for them is none of ours.
    assert!(document["strata"][0]["pairs_mean"].as_f64().unwrap() <= 8.0, "{}", document["strata"]);
}

#[test]
fn commands_that_fail_are_compared_where_that_is_wanted() {
    let lab = Lab::new();
    let words =
        ["aa", "sh -c 'exit 3'", "-N", "1", "--strata", "plain", "--max-pairs", "8", "--ignore-failure"];
    let stratum = &lab.json(&words)["strata"][0];
    assert!(stratum["pairs_mean"].as_f64().unwrap() >= 6.0, "{stratum}");
}

#[test]
fn power_is_counted_with_a_known_amount_of_work() {
    let lab = Lab::new();
    // CPU time, since a busy machine lengthens the wall time of a few short pairs by more than the work does.
    let words = ["aa", &spin(1500), "-N", "1", "--strata", "plain", "--max-pairs", "8", "--metric", "cpu"];
    let document = lab.json(&[&words[..], &["--power", "5%", "--power-comparisons", "2"]].concat());
    let power = document["power"].as_array().unwrap();
    assert_eq!(power.len(), 1);
    assert!((power[0]["true_ratio"].as_f64().unwrap() - 1.05).abs() < 1e-9);
    assert_eq!((power[0]["stratum"].as_str(), number(&power[0], "comparisons")), (Some("plain"), 2));
    assert!(
        number(&power[0], "found") + number(&power[0], "wrong_sign") + number(&power[0], "equivalent") <= 2
    );
    let effect = power[0]["effect_mean_ratio"].as_f64().unwrap();
    assert!((0.7..1.6).contains(&effect), "{effect}");
    let text = lab.run(&["history", "show", "last"]).succeeds().out;
    assert!(text.contains("plain"), "{text}");
}
