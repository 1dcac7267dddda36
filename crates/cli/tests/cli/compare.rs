//! `fauxplat compare`: verdicts, gates, baselines, limits.

use serde_json::Value;

use crate::common::{Done, Lab, all_runs, number, runs, spin};

fn first(document: &Value) -> &Value {
    &document["comparisons"][0]
}

fn ratio(comparison: &Value) -> f64 {
    comparison["effect_ratio"].as_f64().unwrap()
}

#[test]
fn ten_times_the_work_is_different_and_the_words_agree() {
    let lab = Lab::new();
    let (one, two) = (spin(6000), spin(60_000));
    let done = lab
        .run(&["compare", &one, &two, "--names", "one,two", "--fail-if", "faster,inconclusive"])
        .succeeds();
    assert!(done.out.contains("two is slower than one by"), "{}", done.out);
    let last = lab.last();
    assert_eq!(last["schema"], "fauxplat.compare/2");
    let comparison = first(&last);
    assert_eq!((comparison["a"].as_str(), comparison["b"].as_str()), (Some("one"), Some("two")));
    assert_eq!(
        (comparison["verdict"].as_str(), comparison["scope"].as_str()),
        (Some("different"), Some("binaries"))
    );
    assert_eq!(
        (comparison["metric"].as_str(), comparison["stopped_by"].as_str()),
        (Some("wall"), Some("verdict"))
    );
    let of = |field: &str| comparison[field].as_f64().unwrap();
    assert!(1.0 < of("ci_low_ratio") && of("ci_low_ratio") <= of("effect_ratio"), "{comparison}");
    assert!(of("effect_ratio") <= of("ci_high_ratio") && of("p_value") <= 0.05, "{comparison}");
    for share in ["order", "residual", "pair_sd", "autocorrelation"] {
        assert!(comparison["variance"][share].is_number(), "{share}");
    }
    assert!(last["floor_ns"].as_f64().unwrap() > 0.0 && last["elapsed_s"].as_f64().unwrap() > 0.0);
    assert!(number(comparison, "pairs") >= 6);

    let done = lab.run(&["compare", &two, &one, "--names", "two,one"]).succeeds();
    assert!(done.out.contains("one is faster than two by"), "{}", done.out);
    assert!(ratio(first(&lab.last())) < 1.0);
}

#[test]
fn sessions_begin_anew_and_are_counted_once() {
    let lab = Lab::new();
    // Each session has a new spawner, and every run prints its parent's process id.
    let parent = "echo $PPID >> parents; :";
    let words = ["compare", "--sessions", "3", "--max-pairs", "90", "--shell", parent, parent, "--seed", "5"];
    lab.run(&words).succeeds();
    let last = lab.last();
    let found = first(&last);
    assert_eq!(found["grade"], "replicated");
    let sessions = found["replication"]["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 3, "{found}");
    assert_eq!(last["plan"].as_array().map(Vec::len), Some(3), "{}", last["plan"]);
    assert_eq!(last["definition"]["rule"]["sessions"]["count"], 3);
    let parents: std::collections::BTreeSet<String> =
        lab.read("parents").lines().map(str::to_owned).collect();
    assert!(parents.len() >= 3, "{parents:?}");
    // The definition in the document states the sessions that were asked for.
    assert!(last["definition"]["rule"]["sessions"]["gap_s"].as_f64() == Some(0.0));
}

#[test]
fn sessions_are_refused_where_they_mean_nothing() {
    let lab = Lab::new();
    let compare = |words: &[&str]| lab.run(&[&["compare", "true", "true"][..], words].concat());
    compare(&["--sessions", "2"]).reports_misuse(&["--sessions: 2 is not among 3 to 200"]);
    compare(&["--session-gap", "5s"]).reports_misuse(&["--sessions"]);
    compare(&["--sessions", "3", "--session-gap", "8000h"]).reports_misuse(&["--session-gap"]);
    compare(&["--sessions", "3", "--anytime"]).reports_misuse(&["--anytime"]);
    compare(&["--sessions", "3", "--plan"]).reports_misuse(&["--plan"]);
    compare(&["--sessions", "3", "--estimand", "mean"]).reports_misuse(&["--estimand"]);
    compare(&["--anytime", "--estimand", "mean"]).reports_misuse(&["--estimand"]);
    compare(&["--duet", "--order", "ab"]).reports_misuse(&["--order"]);
    lab.run(&["compare", "true", "--baseline", "1", "--order", "ab"]).reports_misuse(&["--order"]);
    lab.write("three.toml", "[rule.sessions]\ncount = 3\n[[command]]\ncommand = \"true\"\n");
    lab.run(&["aa", "--definition", "three.toml"]).reports_misuse(&["one session"]);
}

#[test]
fn a_pause_between_sessions_is_interrupted_and_what_was_measured_is_judged() {
    let lab = Lab::new();
    let words = ["compare", "--sessions", "3", "--max-pairs", "60", "--session-gap", "1h", "--shell"];
    let line = "echo x >> log; :";
    let live = lab.start(&[&words[..], &[line, line, "--format", "json"]].concat());
    // Waits for a warm-up and twenty pairs.
    let lines = || std::fs::read_to_string(lab.path("log")).map_or(0, |log| log.lines().count());
    assert!(crate::common::eventually(|| lines() >= 42), "{}", lines());
    live.signal(crate::common::SIGINT);
    let found = live.end().ends_with(130).json();
    assert_eq!(
        (first(&found)["grade"].as_str(), number(first(&found), "pairs") > 0),
        (Some("within-session"), true)
    );
    assert!(found["warnings"].to_string().contains("interrupted"));
}

#[test]
fn gates_fail_with_exit_code_1_after_the_report() {
    let lab = Lab::new();
    let (one, two) = (spin(3000), spin(60_000));
    let words = ["compare", &one, &two, "--names", "one,two", "--format", "json", "--fail-if"];
    let done = lab.run(&[&words[..], &["slower"]].concat()).complains(1, &["--fail-if slower", "two", "one"]);
    assert_eq!(first(&done.json())["verdict"], "different");
    lab.run(&[&words[..], &["inconclusive,different"]].concat()).complains(1, &["--fail-if different"]);
    lab.run(&[&words[..], &["faster"]].concat()).succeeds();
    let open = ["compare", "true", "true", "--max-pairs", "6", "--margin", "0.0001%", "--level", "0.1%"];
    lab.run(&[&open[..], &["--fail-if", "inconclusive"]].concat()).complains(1, &["--fail-if inconclusive"]);
}

/// With an error level of one in a thousand, a verdict takes at least six pairs.
#[test]
fn a_program_does_not_differ_from_itself() {
    let lab = Lab::new();
    let command = spin(3000);
    let words =
        ["compare", &command, &command, "--level", "0.1%", "--max-pairs", "24", "--fail-if", "different"];
    let done = lab.run(&words).succeeds();
    assert!(done.out.contains("equivalent") || done.out.contains("inconclusive"), "{}", done.out);
}

/// The speed of a machine may change between sessions, so only a difference far beyond that is sure to be found.
#[test]
fn stored_results_and_files_serve_as_a_baseline() {
    let lab = Lab::new();
    lab.run(&["run", "sleep 0.01", "--runs", "12", "--names", "old"]).succeeds();
    lab.run(&["history", "export", "last", "--format", "hyperfine-json", "--output", "hyperfine.json"])
        .succeeds();
    lab.run(&["history", "export", "last", "--output", "fauxplat.json"]).succeeds();
    // The first of these comparisons becomes the last experiment of the store itself.
    for baseline in ["last", "1", "hyperfine.json", "fauxplat.json"] {
        let words = ["compare", "sleep 0.3", "--names", "new", "--baseline", baseline, "--max-pairs", "8"];
        let done = lab
            .run(&[&words[..], &["--fail-if", "slower"]].concat())
            .complains(1, &["--fail-if slower", "new"]);
        assert!(done.out.contains("Weaker evidence: new measured slower than old"), "{}", done.out);
        let last = lab.last();
        assert_eq!(first(&last)["grade"], "against-baseline", "{baseline}");
        assert!(ratio(first(&last)) > 2.0, "{baseline}");
        assert!(last["baseline"]["name"].as_str().unwrap().starts_with("old"), "{}", last["baseline"]);
        assert_eq!(last["commands"].as_array().unwrap().len(), 1);
    }
    let wanting = ["compare", "true", "--baseline", "hyperfine.json", "--metric", "migrations"];
    lab.run(&wanting).complains(2, &["hyperfine.json", "0 readings of migrations"]);
}

#[test]
fn two_stored_results_are_compared_without_a_run() {
    let lab = Lab::new();
    lab.run(&["run", "sleep 0.01", "--runs", "12", "--names", "old"]).succeeds();
    lab.run(&["history", "export", "last", "--output", "old.json"]).succeeds();
    lab.run(&["run", "sleep 0.3", "--runs", "12", "--names", "new"]).succeeds();
    for (old, new) in [("1", "2"), ("old.json", "last"), ("old.json", "2")] {
        let words = ["compare", "--baseline", old, "--with", new, "--fail-if", "slower"];
        let done = lab.run(&words).complains(1, &["--fail-if slower", "new"]);
        assert!(done.out.contains("Weaker evidence: new"), "{}", done.out);
        let document = lab.json(&words[..5]);
        assert_eq!(first(&document)["grade"], "against-baseline", "{old} {new}");
        assert!(ratio(first(&document)) > 2.0, "{document}");
        assert_eq!(document["commands"].as_array().unwrap().len(), 1);
    }
    assert_eq!(lab.last()["schema"], "fauxplat.run/2", "what was only compared is not stored");
    lab.run(&["compare", "--baseline", "1", "--with", "2", "true"]).reports_misuse(&["--with"]);
    lab.run(&["compare", "--baseline", "1", "--with", "nothing.json"]).complains(2, &["nothing.json"]);
}

#[test]
fn a_baseline_of_another_machine_is_refused_or_said() {
    let lab = Lab::new();
    lab.run(&["run", "sleep 0.01", "--runs", "12", "--names", "old"]).succeeds();
    lab.run(&["history", "export", "last", "--output", "here.json"]).succeeds();
    let mut document: Value =
        serde_json::from_str(&std::fs::read_to_string(lab.folder().join("here.json")).unwrap()).unwrap();
    document["machine"]["kernel"] = "1.2.3".into();
    std::fs::write(lab.folder().join("there.json"), document.to_string()).unwrap();
    let words = ["compare", "sleep 0.01", "--baseline", "there.json", "--max-pairs", "8"];
    lab.run(&words).complains(2, &["another machine", "kernel 1.2.3 there", "--other-machine"]);
    let done = lab.run(&[&words[..], &["--other-machine"]].concat()).succeeds();
    assert!(done.out.contains("measured on another machine"), "{}", done.out);
    lab.run(&["compare", "--baseline", "there.json", "--with", "1"]).complains(2, &["another machine"]);
}

#[test]
fn any_metric_can_decide() {
    let lab = Lab::new();
    let words =
        ["compare", "--shell=default", "true", "head -c 20M /dev/zero | tail", "--names", "small,large"];
    let document = lab.json(&[&words[..], &["--metric", "peak-memory"]].concat());
    let comparison = first(&document);
    assert_eq!(
        (comparison["metric"].as_str(), comparison["verdict"].as_str()),
        (Some("peak-memory"), Some("different"))
    );
    assert!(ratio(comparison) > 1.0, "{comparison}");
    let secondary = comparison["secondary"].as_array().unwrap();
    assert!(
        secondary.iter().any(|one| one["metric"] == "wall")
            && secondary.iter().all(|one| one["metric"] != "peak-memory")
    );
    let text = lab.run(&["history", "show", "last"]).succeeds().out;
    assert!(text.contains("large has more peak memory than small"), "{text}");
}

#[test]
fn a_verdict_that_may_be_watched() {
    let lab = Lab::new();
    let document = lab.json(&["compare", &spin(3000), &spin(60_000), "--anytime"]);
    assert_eq!(
        (first(&document)["anytime"].clone(), first(&document)["verdict"].clone()),
        (true.into(), "different".into())
    );
}

#[test]
fn three_commands_are_compared_with_the_first() {
    let lab = Lab::new();
    let commands = [spin(3000), spin(60_000), spin(120_000)];
    let words = ["compare", &commands[0], &commands[1], &commands[2], "--names", "a,b,c"];
    let document = lab.json(&words);
    let comparisons = document["comparisons"].as_array().unwrap();
    let pairs: Vec<(&str, &str)> =
        comparisons.iter().map(|one| (one["a"].as_str().unwrap(), one["b"].as_str().unwrap())).collect();
    assert_eq!(pairs[..2], [("a", "b"), ("a", "c")]);
    assert!(comparisons[..2].iter().all(|one| one["verdict"] == "different" && ratio(one) > 1.0));
    assert_eq!(document["winner"], "a");
    let measured = |(_, run): &&(usize, &Value)| run["phase"] == "measured";
    let all = all_runs(&document);
    for block in all.iter().filter(measured).collect::<Vec<_>>().chunks_exact(6) {
        let mut commands: Vec<usize> = block.iter().map(|(command, _)| *command).collect();
        assert!(commands.chunks(2).all(|two| two[0] == two[1]), "each command follows itself: {commands:?}");
        commands.sort_unstable();
        assert_eq!(commands, [0, 0, 1, 1, 2, 2], "a block holds every command twice");
    }
}

#[test]
fn time_limits_end_a_comparison() {
    let lab = Lab::new();
    let words =
        ["compare", "sleep 0.02", "sleep 0.02", "--margin", "0.0001%", "--level", "0.1%", "--max-time", "1s"];
    let document = lab.json(&words);
    assert_eq!(
        (first(&document)["verdict"].clone(), first(&document)["stopped_by"].clone()),
        ("inconclusive".into(), "max-time".into())
    );
    assert!(number(first(&document), "pairs") < 128);
    let document = lab.json(&[&words[..7], &["--max-pairs", "8"]].concat());
    assert_eq!(number(first(&document), "pairs") + number(first(&document), "dropped_pairs"), 8);
    assert_eq!(first(&document)["stopped_by"], "max-pairs");
}

/// Block, position and command of every measured run, in order, up to the end of the shorter of two experiments.
fn orders(lab: &Lab, seed: &str) -> Vec<(u64, u64, usize)> {
    let words = [
        "compare",
        "sleep 0.004",
        "sleep 0.004",
        "--margin",
        "0.0001%",
        "--level",
        "0.1%",
        "--max-pairs",
        "8",
    ];
    let document = lab.json(&[&words[..], &["--seed", seed]].concat());
    assert_eq!(document["seed"].to_string(), seed);
    let measured = |(_, run): &(usize, &Value)| run["phase"] == "measured";
    let place = |(command, run): (usize, &Value)| (number(run, "block"), number(run, "position"), command);
    all_runs(&document).into_iter().filter(measured).map(place).collect()
}

#[test]
fn the_seed_fixes_the_order() {
    let lab = Lab::new();
    let (once, again, other) = (orders(&lab, "11"), orders(&lab, "11"), orders(&lab, "12"));
    assert_eq!(once.len(), 16);
    assert_eq!(once, again);
    assert_ne!(once, other);
}

#[test]
fn without_a_seed_one_is_drawn_and_reported() {
    let lab = Lab::new();
    let seed = || number(&lab.json(&["run", "true", "--runs", "1"]), "seed");
    assert_ne!(seed(), seed());
}

/// The first runs of each command are warm-up runs and do not count.
#[test]
fn a_comparison_warms_up() {
    let lab = Lab::new();
    let document = lab.json(&["compare", "true", "true", "--max-pairs", "6", "--warmup", "3"]);
    let warm = |command| runs(&document, command).iter().filter(|run| run["phase"] == "warmup").count();
    assert_eq!((warm(0), warm(1)), (3, 3));
}

#[test]
fn several_metrics_are_decided_each_with_its_margin() {
    let lab = Lab::new();
    // The commands differ by so much that no disturbance can hide it.
    let (one, two) = (spin(3000), spin(60_000));
    let metrics =
        ["--metric", "wall,peak-memory", "--margin", "wall=1%,peak-memory=64KiB", "--max-pairs", "64"];
    let words = [&["compare", "-v", &one, &two, "--names", "one,two"][..], &metrics].concat();
    let done = lab.run(&words).succeeds();
    for said in ["two is slower than one by", "peak memory", "wall time", "adjusted over the metrics"] {
        assert!(done.out.contains(said), "{said}: {}", done.out);
    }
    let last = lab.last();
    let metrics: Vec<_> = last["comparisons"].as_array().unwrap().iter().map(|it| &it["metric"]).collect();
    assert_eq!(metrics, ["wall", "peak-memory"]);
    let memory = &last["comparisons"][1];
    assert_eq!((memory["margin_absolute"].as_f64(), memory["pairs"].is_number()), (Some(65536.0), true));
    assert!(memory["margin"].as_f64().unwrap() > 0.0 && first(&last)["margin"] == 0.01);
    assert!(first(&last).get("margin_absolute").is_none());
    // A gate examines all metrics. The stored definition lists several metrics like a single one.
    lab.run(&[&words[..], &["--fail-if", "slower"]].concat())
        .complains(1, &["--fail-if slower", "two against one", "in wall time"]);
    let shown = lab.run(&["history", "show", "last"]).succeeds();
    assert!(shown.out.contains("peak memory"), "{}", shown.out);
    let done =
        lab.run(&["compare", "--baseline", "last", "--metric", "wall,peak-memory", &one, "--names", "one"]);
    assert!(done.succeeds().out.contains("peak memory"));
}

#[test]
fn metrics_and_margins_that_do_not_fit_are_refused_before_anything_runs() {
    let lab = Lab::new();
    let refused = |words: &[&str], said: &[&str]| {
        lab.run(&[&["compare", "touch ran", "touch ran"], words].concat()).complains(2, said);
    };
    refused(&["--metric", "wall,wall"], &["`wall` is asked for twice"]);
    refused(&["--margin", "cpu=1%"], &["`cpu` is not among", "--metric wall,cpu"]);
    refused(&["--margin", "wall=5"], &["neither a share such as 1% nor an amount"]);
    let misused = |words: &[&str], said: &[&str]| {
        lab.run(&[&["compare", "touch ran", "touch ran"], words].concat()).reports_misuse(said);
    };
    misused(&["--metric", "wall,peek-memory"], &["no metric `peek-memory` (did you mean peak-memory?)"]);
    misused(&["--margin", "64KiB"], &["peak-memory=64KiB"]);
    assert!(!lab.folder().join("ran").exists());
}

#[test]
fn what_commands_print_is_a_metric_that_can_decide() {
    let lab = Lab::new();
    let rate = |rate: &str| format!("echo rate 1, rate {rate} per second");
    let (one, two) = (rate("50.5"), rate("101"));
    let words =
        ["--metric-from", "+speed[/s]=rate ([0-9.]+)", "--metric", "printed:speed", "--max-pairs", "16"];
    let done = lab.run(&[&["compare", "--names", "one,two", &one, &two], &words[..]].concat()).succeeds();
    assert!(done.out.contains("two has a higher speed (/s) than one"), "{}", done.out);
    let last = lab.last();
    assert_eq!(
        (first(&last)["metric"].as_str(), last["winner"].as_str()),
        (Some("printed:speed"), Some("two"))
    );
    assert_eq!(number(&runs(&last, 0)[0], "printed:speed_millionths"), 50_500_000);
    assert_eq!(last["definition"]["metric_from"][0], "+speed[/s]=rate ([0-9.]+)");
}

/// The direction of a metric that the user defined (more is better) is known to another fauxplat process only from the
/// store. Without it, the gate would be inverted.
#[test]
fn a_stored_comparison_says_what_it_said() {
    let lab = Lab::new();
    let words = [
        "compare",
        "--names",
        "one,two",
        "echo rate 101",
        "echo rate 50.5",
        "--metric-from",
        "+speed[/s]=rate ([0-9.]+)",
        "--metric",
        "printed:speed",
        "--max-pairs",
        "20",
        "--fail-if",
        "slower",
    ];
    let live = lab.run(&words);
    assert!(live.code == Some(1) && live.out.contains("lower speed (/s)"), "{}", live.out);
    assert_eq!(lab.run(&["history", "show", "last"]).succeeds().out, live.out);
    let cases = lab.run(&["history", "show", "last", "--format", "junit"]).succeeds().out;
    assert!(cases.contains("failures=\"1\""), "{cases}");
}

/// Six pairs are too few for a decision. A gate that also fails without one (`undecided`) then fails by its exit code
/// and in the report for CI.
#[test]
fn a_strict_gate_fails_in_every_report() {
    let lab = Lab::new();
    let gate = |gate: &str| {
        let done = lab.run(&[
            "compare",
            "true",
            "sh -c true",
            "--max-pairs",
            "6",
            "--fail-if",
            gate,
            "--format",
            "junit",
        ]);
        (done.code, done.out)
    };
    let (code, cases) = gate("slower,undecided");
    assert!(code == Some(1) && cases.contains("failures=\"1\""), "{cases}");
    let (code, cases) = gate("slower");
    assert!(code == Some(0) && cases.contains("skipped=\"1\""), "{cases}");
}

#[test]
fn json_that_commands_print_is_read_by_a_pointer() {
    let lab = Lab::new();
    let printed = ["run", "--runs", "3", "--metric-from", "ops=/ops/0", "--metric-from", "none=/none"];
    let done = lab.run(&[&printed[..], &["echo '{\"ops\":[1.25]}'"]].concat()).succeeds();
    let last = lab.last();
    for run in runs(&last, 0) {
        assert_eq!(number(run, "printed:ops_millionths"), 1_250_000);
    }
    assert!(last["warnings"].to_string().contains("has no `/none`"), "{}", last["warnings"]);
    assert!(done.out.contains("asked for and not measured: printed:none"), "{}", done.out);
}

#[test]
fn a_printed_metric_that_is_not_there_ends_it_before_it_begins() {
    let lab = Lab::new();
    let compare = |words: &[&str]| lab.run(&[&["compare", "echo x", "echo y"], words].concat());
    let decides = ["--metric", "printed:speed"];
    compare(&decides).complains(2, &["--metric printed:speed", "--metric-from"]);
    compare(&[&decides[..], &["--metric-from", "speed=is ([0-9]+)"]].concat())
        .complains(2, &["--metric printed:speed", "nothing that the command printed matches"]);
    compare(&[&decides[..], &["--metric-from", "speed=is"]].concat()).complains(2, &["has no group"]);
    let elsewhere = |to: &str| compare(&["--metric-from", "speed=(.)", "--stdout", to]);
    ["inherit", "null"].iter().for_each(|to| drop(elsewhere(to).complains(2, &["--stdout"])));
}

/// A gate with `--confirm` fails only if a second measurement shows the same.
#[test]
fn a_gate_is_confirmed_before_it_fails() {
    let lab = Lab::new();
    let gate = ["--fail-if", "slower", "--confirm", "--level", "0.1%", "--max-pairs", "200"];
    let compare = |words: &[&str]| lab.run(&[&["compare"], words, &gate].concat());
    let stored = || lab.json(&["history", "list"])["experiments"].as_array().unwrap().len();
    let done = compare(&["true", "sleep 0.2", "--events", "told"]).ends_with(1);
    assert!(done.err.contains("measured again to confirm it"), "{done:?}");
    let told = lab.read("told");
    assert_eq!(told.matches("\"event\":\"begun\"").count(), 2, "both measurements stand in it: {told}");
    assert_eq!((stored(), done.out.matches("repeat with: ").count()), (2, 1), "{}", done.out);
    assert!(lab.last()["warnings"].to_string().contains("this one agrees"));
    let counting = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n";
    let slow_at_first = "sh -c 'test $(cat n) = 1 && sleep 0.2; exit 0'";
    let done =
        compare(&["sh -c 'test $(cat n) = 9 && sleep 0.2; exit 0'", slow_at_first, "--setup", counting]);
    assert!(done.err.contains("measured again"), "{done:?}");
    assert_eq!((done.ends_with(0).err.lines().count(), stored()), (1, 4));
    assert!(lab.last()["warnings"].to_string().contains("does not agree"));
    lab.run(&["compare", "true", "true", "--confirm"]).reports_misuse(&["--fail-if"]);
}

/// A confirming measurement is made because of the first one's result, so it does not count as a replication of that.
/// For later comparisons it counts as an earlier session.
#[test]
fn what_is_confirmed_is_no_earlier_session() {
    let lab = Lab::new();
    // The ratio of two sleeps is the same in every session, whatever else the machine does.
    let words = ["compare", "sleep 0.03", "sleep 0.3", "--max-pairs", "32"];
    lab.run(&words).succeeds();
    lab.run(&[&words[..], &["--fail-if", "slower", "--confirm"]].concat()).ends_with(1);
    assert_eq!(first(&lab.last())["grade"], "within-session");
    lab.run(&words).succeeds();
    assert_eq!(first(&lab.last())["grade"], "replicated");
}

#[test]
fn a_level_at_which_nothing_could_be_shown_is_refused() {
    let lab = Lab::new();
    lab.run(&["compare", "true", "true", "--level", "0.001%"]).complains(2, &["--level 0.001 %", "0.002 %"]);
    lab.run(&["aa", "true", "--level", "0.001%"]).complains(2, &["--level 0.001 %", "0.002 %"]);
}

/// A run of each command shows that it is a single task, and is its warm-up where the time is short.
#[test]
fn slow_commands_run_no_more_often_than_their_pair_needs() {
    let lab = Lab::new();
    let line = |time: &str| format!("sh -c 'echo x >> log; exec sleep {time}'");
    let (a, b) = (line("0.5"), line("0.52"));
    let words = ["compare", "--store", "none", "--max-time", "100ms", &a, &b];
    Done::of(lab.bare(&words)).succeeds();
    let runs = lab.read("log").lines().count();
    assert!((2..=4).contains(&runs), "{runs} runs");
}
