//! `fauxplat run`: metrics, numbers of runs, and privileges.

use fauxplat_model::Metric;
use serde_json::Value;

use crate::common::{Lab, all_runs, number, runs};

/// Metrics that some kernels and machines do not provide; they are then listed as not measured.
const OPTIONAL: [Metric; 3] = [Metric::RUN_DELAY, Metric::MIGRATIONS, Metric::STEAL];

/// A line of shell that uses 64 MiB. The kernel counts pages for each CPU before it sums them up, so on a machine with
/// many CPUs a small program may end before any page of it is counted.
const TOUCH_MEMORY: &str = "dd if=/dev/zero of=/dev/null bs=64M count=1 2>/dev/null";

/// Metrics that every run in the document has: all but the one that needs a live table and those that this machine does
/// not provide.
fn read_in(document: &Value) -> impl Iterator<Item = Metric> {
    let document = document.clone();
    Metric::BUILT_IN.iter().copied().filter(move |&metric| {
        let missing = |run: &Value| run[metric.field()].is_null();
        let is_named = document["not_measured"].as_array().is_some_and(|reasons| !reasons.is_empty());
        let is_absent = OPTIONAL.contains(&metric) && is_named && runs(&document, 0)[1..].iter().all(missing);
        metric != Metric::RATE && !is_absent
    })
}

/// Without taskstats a run is looked up in `/proc` only when the one before it took so long that this costs little, as
/// the loop does on any machine.
#[test]
fn every_metric_of_a_short_loop_is_there() {
    for lab in Lab::both() {
        let work = format!("{TOUCH_MEMORY}; i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done");
        let document = lab.json(&["run", "--shell", &work, "--runs", "4"]);
        assert_eq!(document["schema"], "fauxplat.run/2");
        for run in &runs(&document, 0)[1..] {
            for metric in read_in(&document) {
                number(run, metric.field());
            }
            assert!(run["rate_micro_per_s"].is_null(), "no table was named");
            assert!(
                number(run, "wall_ns") > 0
                    && number(run, "cpu_ns") > 0
                    && number(run, "peak_memory_bytes") > 0
            );
            assert!(run["peak_memory_source"].is_string());
            assert_eq!(number(run, "user_ns") + number(run, "system_ns"), number(run, "cpu_ns"));
            assert_eq!(run["exit_status"], 0);
        }
        for metric in read_in(&document) {
            let summary = &document["commands"][0]["summary"][metric.field()];
            let of = |field: &str| {
                summary[field].as_f64().unwrap_or_else(|| panic!("{field} of {}", metric.field()))
            };
            assert!(of("min") <= of("median") && of("median") <= of("max") && of("mean") >= of("min"));
            // An interval of the median takes at least six runs.
            match of("n") < 6.0 {
                true => assert!(summary["low"].is_null() && summary["high"].is_null()),
                false => assert!(of("low") <= of("median") && of("median") <= of("high")),
            }
        }
        for field in
            ["fauxplat_version", "seed", "machine", "condition", "warnings", "not_measured", "sources"]
        {
            assert!(!document[field].is_null(), "{field}");
        }
        let program = document["commands"][0]["program_sha256"].as_str().unwrap();
        assert_eq!(program.len(), 64);
    }
}

/// Metrics that an ordinary user cannot measure are listed, and not shown as zero.
#[test]
fn what_is_not_measured_is_said() {
    let lab = Lab::ordinary();
    let document = lab.json(&["run", "true", "--runs", "2"]);
    if document["sources"]["run_delay"] == "first-thread" {
        assert!(
            document["not_measured"].to_string().contains("CAP_NET_ADMIN"),
            "{}",
            document["not_measured"]
        );
        let text = lab.run(&["run", "-v", "true", "--runs", "2"]).succeeds().out;
        assert!(text.to_lowercase().contains("not measured"), "{text}");
    }
}

#[test]
fn runs_and_warm_ups_are_counted() {
    let lab = Lab::new();
    let document = lab.json(&["run", "true", "sh -c true", "--runs", "7", "--warmup", "2"]);
    for command in 0..2 {
        let phases: Vec<&str> =
            runs(&document, command).iter().map(|run| run["phase"].as_str().unwrap()).collect();
        assert_eq!(phases, [["warmup"; 2].as_slice(), ["measured"; 7].as_slice()].concat());
        assert_eq!(document["commands"][command]["summary"]["wall_ns"]["n"], 7);
    }
    let trials: Vec<u64> = all_runs(&document).iter().map(|(_, run)| number(run, "trial")).collect();
    assert!(trials.iter().copied().eq(0..18), "{trials:?}");
    assert_eq!(runs(&lab.json(&["run", "true", "--runs", "1"]), 0).len(), 1);
}

#[test]
fn without_a_number_there_are_at_least_ten_runs() {
    let lab = Lab::new();
    assert!(runs(&lab.json(&["run", "sleep 0.4"]), 0).len() >= 10);
}

#[test]
fn until_a_precision_is_reached() {
    let lab = Lab::new();
    let document = lab.json(&["run", "sleep 0.1", "--until", "5%"]);
    let wall = &document["commands"][0]["summary"]["wall_ns"];
    let of = |field: &str| wall[field].as_f64().unwrap();
    assert!(of("low") > 0.94 * of("median") && of("high") < 1.06 * of("median"), "{wall}");
    assert_eq!(document["definition"]["runs"], "5%");
}

#[test]
fn every_combination_of_parameters_is_a_command() {
    let lab = Lab::new();
    let document =
        lab.json(&["run", "echo {a}-{b}", "-L", "a=1,2", "-L", "b=x,y", "--runs", "2", "--stdout", "out"]);
    let commands = document["commands"].as_array().unwrap();
    let lines: Vec<&Value> = commands.iter().map(|command| &command["command"]).collect();
    assert_eq!(lines, ["echo 1-x", "echo 1-y", "echo 2-x", "echo 2-y"]);
    assert_eq!(commands[1]["parameters"], serde_json::json!([["a", "1"], ["b", "y"]]));
    assert!(commands.iter().all(|command| command["runs"].as_array().unwrap().len() == 2));
    let mut written: Vec<String> = lab.read("out").lines().map(str::to_owned).collect();
    written.sort_unstable();
    assert_eq!(written, ["1-x", "1-x", "1-y", "1-y", "2-x", "2-x", "2-y", "2-y"]);
}

#[test]
fn the_tree_lists_the_children_of_a_sub_shell() {
    for lab in Lab::both() {
        let line = format!("sleep 0.01; (sleep 0.02; true); {TOUCH_MEMORY}; true");
        let words = ["run", "--tree", "--shell", &line, "--runs", "1"];
        let document = lab.json(&words);
        let tree = document["commands"][0]["tree"].as_array().unwrap();
        let commands: Vec<&str> = tree.iter().map(|process| process["command"].as_str().unwrap()).collect();
        assert_eq!(commands.len(), 5, "{commands:?}");
        assert_eq!(
            commands.iter().filter(|command| command.starts_with("sleep 0.0")).count(),
            2,
            "{commands:?}"
        );
        let pid = |process: &Value| number(process, "pid");
        assert!(
            tree[1..].iter().all(|one| tree.iter().any(|other| pid(other) == number(one, "parent"))),
            "{tree:?}"
        );
        let slow = tree.iter().find(|process| process["command"] == "sleep 0.02").unwrap();
        assert_ne!(number(slow, "parent"), pid(&tree[0]), "it is the sub-shell's child");
        for process in tree {
            assert_eq!(process["outcome"]["exited"], 0, "{process}");
            assert!(number(process, "wall_ns") > 0, "{process}");
        }
        let large = tree.iter().find(|it| it["command"].as_str().is_some_and(|line| line.starts_with("dd ")));
        assert!(number(large.unwrap(), "peak_memory_bytes") > 32 << 20, "{tree:?}");
        assert!(number(&tree[0], "wall_ns") > number(slow, "wall_ns"));
        let text = lab.run(&words).succeeds().out;
        assert!(text.contains("sleep 0.02"), "{text}");
    }
}

/// The loop runs in a child of the shell, and its CPU time must count as the command's.
#[test]
fn a_pipeline_is_counted_as_a_whole() {
    for lab in Lab::both() {
        let work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let pipeline = format!("{{ {work}; }} | cat");
        let document = lab.json(&["run", "--shell", work, &pipeline, "true", "--runs", "3"]);
        let least = |command| runs(&document, command).iter().map(|run| number(run, "cpu_ns")).min().unwrap();
        assert!(least(1) as f64 > 0.33 * least(0) as f64, "{} of {}", least(1), least(0));
        assert!((least(2) as f64) < 0.33 * least(1) as f64, "{} of {}", least(2), least(1));
    }
}

/// A small program never shows the memory of the process that started it, in the first run or the hundredth.
#[test]
fn peak_memory_of_a_small_program_stays_small() {
    let lab = Lab::new();
    let document = lab.json(&["run", "true", "--runs", "100"]);
    let floor = number(&document["sources"], "peak_memory_floor_bytes");
    // Libraries and page sizes differ from machine to machine; the process that starts the programs uses more memory
    // than this limit.
    let limit = if document["sources"]["peak_memory"] == "taskstats" { 8 << 20 } else { floor.max(8 << 20) };
    let peaks = runs(&document, 0).iter().filter_map(|run| run["peak_memory_bytes"].as_u64());
    assert_eq!(peaks.filter(|&peak| peak > limit).collect::<Vec<_>>(), [0; 0]);
}

/// `tail` has to store input without a line end. The small command that alternates with it must not get that peak.
#[test]
fn peak_memory_is_the_commands_own() {
    const MIB: u64 = 1 << 20;
    for lab in Lab::both() {
        let document = lab.json(&["run", "--shell", "head -c 50M /dev/zero | tail", "true", "--runs", "3"]);
        let peak = |run: &Value| run["peak_memory_bytes"].as_u64();
        let peaks = |command| -> Vec<u64> { runs(&document, command).iter().filter_map(peak).collect() };
        assert_eq!(peaks(0).len(), 3);
        // For `true`, the kernel may have counted nothing yet when it ends.
        assert!(peaks(0).iter().all(|&peak| (50 * MIB..70 * MIB).contains(&peak)), "{:?}", peaks(0));
        assert!(peaks(1).iter().all(|&peak| peak < 10 * MIB), "{:?}", peaks(1));
    }
}

/// The traced run gets the number after the timed runs. If the time limit ends the traced run, no process is left
/// behind.
#[test]
fn a_run_that_is_traced_has_its_number_and_its_end() {
    let lab = Lab::new();
    lab.run(&["run", "--runs", "3", "--tree", "--prepare", "mkdir prepared$FAUXPLAT_RUN", "true"]).succeeds();
    assert!((0..4).all(|number| lab.path(&format!("prepared{number}")).exists()));
    let words = ["run", "--runs", "1", "--ignore-failure", "--timeout", "100ms", "--tree", "sleep 600"];
    let done = lab.run(&words);
    assert!(done.out.contains("timed out") && !done.out.contains("left behind"), "{done:?}");
}

/// A definition states the number of runs, and the command line overrides it.
#[test]
fn bounds_of_the_command_line_go_before_a_number_of_the_definition() {
    let lab = Lab::new();
    lab.write("saved.toml", "runs = 3\n[[command]]\ncommand = \"true\"\n");
    let document = lab.json(&["run", "--definition", "saved.toml", "--min-runs", "12", "--max-runs", "12"]);
    assert_eq!(crate::common::runs(&document, 0).len(), 12);
}

/// A gate needs a comparison, so `run` names the verb that answers a gate instead of ignoring the gate.
#[test]
fn a_gate_of_a_definition_is_refused_and_not_ignored() {
    let lab = Lab::new();
    for rule in ["fail_if = [\"slower\"]", "gate = \"slower\""] {
        lab.write("gated.toml", &format!("[rule]\n{rule}\n[[command]]\ncommand = \"touch ran\"\n"));
        let done = lab.run(&["run", "--definition", "gated.toml"]);
        done.complains(2, &["gated.toml", "fail_if: slower", "fauxplat compare --definition gated.toml"]);
    }
    assert!(!lab.path("ran").exists(), "nothing is run before the refusal");
}

/// A command of which no run succeeded is still listed in a JUnit report.
#[test]
fn a_command_of_which_no_run_succeeds_has_its_case() {
    let lab = Lab::new();
    let junit = lab.file("report.xml");
    lab.run(&[
        "run",
        "--skip-failures",
        "--runs",
        "3",
        "--export",
        &format!("junit={junit}"),
        "true",
        "false",
    ]);
    let report = lab.read("report.xml");
    assert!(report.contains("tests=\"2\" failures=\"1\""), "{report}");
}
