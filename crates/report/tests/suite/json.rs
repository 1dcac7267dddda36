//! The JSON document: every name on which other programs rely.

use fauxplat_model::document::Findings;
use fauxplat_model::{Phase, Verdict};
use fauxplat_report::{Format, Style};
use serde_json::{Value, json};

use crate::common::{self, Owned};
use crate::comparisons::{self, comparison};

fn document(owned: &Owned) -> Value {
    serde_json::from_str(&owned.render(Format::Json, &Style::default())).expect("valid JSON")
}

fn has(value: &Value, names: &[&str]) {
    for name in names {
        assert!(value.get(name).is_some(), "`{name}` is missing from {value}");
    }
}

const HEADER: [&str; 7] =
    ["schema", "fauxplat_version", "seed", "machine", "condition", "warnings", "not_measured"];

#[test]
fn the_schema_stands_first() {
    for (owned, schema) in [
        (common::run(&["a"]), "fauxplat.run/2"),
        (comparisons::compare_three(), "fauxplat.compare/2"),
        (common::aa(), "fauxplat.aa/1"),
    ] {
        let text = owned.render(Format::Json, &Style::default());
        assert!(text.starts_with(&format!("{{\n  \"schema\": \"{schema}\",\n")), "{}", &text[..80]);
        assert!(text.ends_with("}\n"));
        has(&document(&owned), &HEADER);
    }
}

#[test]
fn a_run_has_its_names() {
    let mut owned = common::troubled_run();
    owned.samples[0].phase = Phase::Warmup;
    let document = document(&owned);
    has(
        &document["commands"][0],
        &["command", "runs", "summary", "name", "argv", "program_sha256", "failures", "tree"],
    );
    let run = &document["commands"][0]["runs"][1];
    has(run, &["wall_ns", "user_ns", "system_ns", "run_delay_ns", "peak_memory_bytes", "voluntary_switches"]);
    has(run, &["involuntary_switches", "migrations", "minor_faults", "major_faults", "steal_ns", "cpu"]);
    has(
        run,
        &[
            "exit_status",
            "block",
            "position",
            "phase",
            "env_pad_bytes",
            "started_ns",
            "cpu_first",
            "cpu_last",
        ],
    );
    has(
        run,
        &["cpu_ns", "block_input_bytes", "block_output_bytes", "left_behind", "trial", "peak_memory_source"],
    );
    has(
        &document["commands"][0]["summary"]["wall_ns"],
        &["n", "median", "mean", "low", "high", "sd", "min", "max"],
    );
    assert_eq!(document["commands"][0]["runs"][0]["phase"], json!("warmup"));
    assert_eq!(document["commands"][0]["runs"][3]["exit_status"], json!(137));
    assert_eq!(document["commands"][0]["runs"][3]["outcome"], json!({"signaled": 9}));
}

#[test]
fn what_was_not_measured_is_null() {
    let document = document(&common::run(&["a"]));
    let run = &document["commands"][0]["runs"][0];
    assert_eq!(run["migrations"], Value::Null);
    assert_eq!(run["cpu"], Value::Null, "an unknown CPU is not CPU 65535");
    assert_eq!(run["cpu_first"], json!(1));
    assert_eq!(run["steal_ns"], json!(0));
    assert_eq!(document["commands"][0]["summary"].get("migrations"), None);
}

#[test]
fn a_comparison_has_its_names() {
    let mut it = comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055);
    it.ci_high_ratio = f64::NAN;
    let document = document(&comparisons::compare(it));
    let comparison = &document["comparisons"][0];
    has(
        comparison,
        &["a", "b", "metric", "verdict", "scope", "effect_ratio", "ci_low_ratio", "ci_high_ratio"],
    );
    has(
        comparison,
        &["p_value", "pairs", "dropped_pairs", "variance", "grade", "level", "margin", "secondary"],
    );
    has(&comparison["variance"], &["layout", "process", "order", "residual"]);
    assert_eq!(comparison["verdict"], json!("different"));
    assert_eq!(comparison["scope"], json!("binaries"));
    assert_eq!(comparison["metric"], json!("wall"));
    assert_eq!(comparison["ci_high_ratio"], Value::Null, "JSON has no NaN");
    assert_eq!(document["floor_ns"], json!(450_000.0));
    assert_eq!(document["commands"][1]["runs"].as_array().unwrap().len(), 20);
    assert_eq!(document["winner"], Value::Null);
}

#[test]
fn a_calibration_has_its_names() {
    let document = document(&common::aa());
    has(&document["strata"][0], &["name", "comparisons", "false_verdicts", "rate_upper_95", "rivals"]);
    has(&document["strata"][0]["rivals"][0], &["rule", "false_verdicts"]);
    has(&document["power"][0], &["true_ratio", "comparisons", "found", "pairs_mean"]);
}

#[test]
fn the_winner_is_named() {
    assert_eq!(document(&comparisons::compare_three())["winner"], json!("rsort data"));
}

#[test]
fn samples_of_unknown_commands_do_not_break_the_document() {
    let mut owned = common::run(&["a"]);
    owned.samples[4].command = 9;
    assert_eq!(document(&owned)["commands"][0]["runs"].as_array().unwrap().len(), 19);
    owned.findings = Findings::Run(Vec::new());
    assert_eq!(document(&owned)["commands"][0]["summary"], json!({}));
}

#[test]
fn the_layout_is_stable() {
    let mut owned = common::run(&["sort"]);
    owned.samples.truncate(2);
    let Findings::Run(found) = &mut owned.findings else { unreachable!("`run` was asked for") };
    found[0].summaries.truncate(1);
    insta::assert_snapshot!("json_run", owned.render(Format::Json, &Style::default()));
}

#[test]
fn a_baseline_stands_beside_the_commands() {
    let document = document(&comparisons::against_baseline());
    assert_eq!(document["baseline"]["name"], json!("last week's sort"));
    assert_eq!(document["baseline"]["summary"]["wall_ns"]["median"], json!(4_900_000.0));
    assert_eq!(document["winner"], json!("last week's sort"));
    assert_eq!(document["commands"].as_array().unwrap().len(), 1);
    assert_eq!(document["commands"][0]["summary"]["wall_ns"]["median"], json!(5_022_950.0));
    assert_eq!(document["comparisons"][0]["grade"], json!("against-baseline"));
}
