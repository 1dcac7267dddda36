//! `suite`: programs whose benchmarks print what the test says, so that nothing depends on the machine.

use serde_json::Value;

use crate::common::{Done, Lab};

/// The harness of these programs, which print lines with a name, a number and a unit.
const LINES: &str = r"lines:^(.+): ([0-9.]+) (\S+)$";

/// Runs a suite that compares two programs, which print these lines, with further words on the command line.
fn suite(lab: &Lab, [a, b]: [&str; 2], words: &[&str]) -> Done {
    let program = |name: &str, text: &str| {
        lab.write(name, text);
        format!("cat {name}")
    };
    let [a, b] = [program("a", a), program("b", b)];
    let mut all = vec!["suite", "--harness", LINES, "--max-time", "60s", "--cpu", "free"];
    all.extend(words);
    let store = lab.file("store.sqlite");
    all.extend(["--store", &store, a.as_str(), b.as_str()]);
    Done::of(lab.bare(&all))
}

fn state<'a>(document: &'a Value, name: &str) -> &'a str {
    let all = document["benchmarks"].as_array().unwrap();
    all.iter().find(|it| it["name"] == name).map_or("absent", |it| it["state"].as_str().unwrap())
}

const A: &str = "slow, \"a\"/1: 5 us\nsame: 7 ns\nrate: 9 MB/s\nzero: 0 ns\nunit: 3 ns\ngone: 1 ns\n";
const B: &str = "slow, \"a\"/1: 6000 ns\nsame: 7 ns\nrate: 12 MB/s\nzero: 0 ns\nunit: 3 B\nnew: 1 ns\n";

#[test]
fn what_programs_print_decides() {
    let lab = Lab::new();
    let document = suite(&lab, [A, B], &["--format", "json"]).succeeds().json();
    assert_eq!(document["schema"], "fauxplat.suite/1");
    let states = ["slow, \"a\"/1", "same", "rate", "zero", "unit"].map(|name| state(&document, name));
    assert_eq!(states, ["slower", "unchanged", "faster", "not-measured", "not-measured"]);
    assert_eq!((&document["new"][0], &document["gone"][0]), (&"new".into(), &"gone".into()));
    assert_eq!(document["stopped_by"], "given-up", "two benchmarks have no pair of readings");
    let stored = lab.last();
    assert_eq!(state(&stored, "rate"), "faster", "the store has the document");
}

#[test]
fn a_gate_fails_and_files_for_other_tools_are_written() {
    let lab = Lab::new();
    let words =
        ["--fail-if", "slower", "--export", "junit=j.xml", "--export", "csv=c.csv", "--format", "markdown"];
    let raw = ["--export", "go-benchmark=raw.txt", "--export", "google-benchmark=raw.json"];
    let words = [&words[..], &raw].concat();
    let done = suite(&lab, [A, B], &words).ends_with(1);
    assert!(done.out.contains("1 slower"), "{}", done.out);
    let junit = lab.read("j.xml");
    assert!(junit.contains("failures=\"1\""), "{junit}");
    assert!(lab.read("c.csv").contains("same,same,unchanged,1"), "{}", lab.read("c.csv"));
    let raw = lab.read("raw.txt");
    let (of_a, of_b) = raw.split_once("side: B\n").unwrap();
    assert!(of_a.contains("side: A\nBenchmarkSlow,_\"a\"_1 1 5000 ns/op\n"), "{raw}");
    assert!(of_b.contains("BenchmarkRate 1 12 MB/s\n"), "{raw}");
    let raw: Value = serde_json::from_str(&lab.read("raw.json")).unwrap();
    let times: Vec<&str> =
        raw["benchmarks"].as_array().unwrap().iter().filter_map(|it| it["name"].as_str()).collect();
    assert!(times.contains(&"A/same") && times.contains(&"B/same"), "{times:?}");
    assert!(!times.iter().any(|name| name.ends_with("rate")), "{times:?}");
    suite(&lab, [A, A], &["--fail-if", "slower", "--filter", "same|rate"]).succeeds();
}

/// A benchmark that is gone is a case of JUnit and a row of CSV, and fails the suite where that is asked for.
#[test]
fn benchmarks_of_one_program_alone_are_told_everywhere() {
    let lab = Lab::new();
    let (a, b) = ("same: 7 ns\ngone: 1 ns\n", "same: 7 ns\nnew: 1 ns\n");
    let exports = ["--export", "junit=j", "--export", "csv=c"];
    suite(&lab, [a, b], &[&exports[..], &["--fail-if", "slower"]].concat()).succeeds();
    let junit = lab.read("j");
    assert!(junit.contains("only in A") && junit.contains("only in B"), "{junit}");
    assert!(junit.contains("failures=\"0\""), "{junit}");
    assert!(lab.read("c").contains("gone,gone,only in A,"), "{}", lab.read("c"));
    let done = suite(&lab, [a, b], &[&exports[..], &["--fail-if", "slower,missing"]].concat()).ends_with(1);
    assert!(
        done.err.contains("--fail-if slower,missing: ") && done.err.contains("only in A"),
        "{}",
        done.err
    );
    assert!(lab.read("j").contains("failures=\"1\""), "{}", lab.read("j"));
    let done = suite(&lab, [a, a], &["--fail-if", "missing"]).succeeds();
    let said = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("The gate missing passes: none is missing"), "{said}");
    suite(&lab, [A, B], &["--filter", "^(same|zero)$", "--fail-if", "missing"]).ends_with(1);
    lab.run(&["compare", "--fail-if", "missing", "true", "true"]).reports_misuse(&["missing"]);
}

#[test]
fn stored_results_are_weaker() {
    let lab = Lab::new();
    let go = |ns: [f64; 4]| ns.map(|ns| format!("BenchmarkX-2 \t 100\t {ns} ns/op\n")).concat() + "PASS\n";
    lab.write("old.txt", &go([100.0, 100.1, 99.9, 100.0]));
    lab.write("new.txt", &go([200.0, 200.2, 199.8, 200.0]));
    lab.write("none.json", "{}");
    Done::of(lab.bare(&["suite", "--from", "none.json", "none.json"]))
        .complains(2, &["none.json", "no benchmarks"]);
    lab.write("rate.txt", "x: 5 MB/s\nx: 6 MB/s\n");
    lab.write("time.txt", "x: 5 ns\nx: 6 ns\n");
    let words = ["suite", "--harness", LINES, "--from", "rate.txt", "time.txt"];
    let units = Done::of(lab.bare(&words)).succeeds().out;
    assert!(units.contains("unit of A is MB/s, and of B ns") && units.contains("not measured"), "{units}");
    let words = ["suite", "--from", "old.txt", "new.txt", "--format", "json", "--level", "5%"];
    let document = Done::of(lab.bare(&words)).succeeds().json();
    assert_eq!((&document["is_weaker"], state(&document, "BenchmarkX")), (&true.into(), "slower"));
}

#[test]
fn programs_without_benchmarks_are_refused() {
    let lab = Lab::new();
    Done::of(lab.bare(&["suite", "true", "true"])).ends_with(2);
    suite(&lab, ["x: 1 ns\n", "y: 1 ns\n"], &[]).ends_with(2);
    suite(&lab, ["nothing\n", "y: 1 ns\n"], &[]).ends_with(4);
    suite(&lab, [A, B], &["--filter", "^none$"]).ends_with(2);
}

/// Benchmarks of a file: one that sleeps longer on one side, one that is equal, and one whose command fails.
const FILE: &str = r#"
[[benchmark]]
name = "sleep {ms}"
command = "{program} {ms}"
parameters = { ms = ["0.004", "0.008"] }

[[benchmark]]
name = "equal"
a = "sleep 0.004"
b = "sleep 0.0040"
margin = "30%"

[[benchmark]]
name = "fails"
a = "true"
b = "false"
"#;

#[test]
fn plain_commands_of_a_file_are_benchmarks() {
    let lab = Lab::new();
    lab.write("suite.toml", FILE);
    lab.write("tenfold", "for i in 1 2 3 4 5 6 7 8 9 10; do sleep $1; done\n");
    let store = lab.file("store.sqlite");
    let words = ["suite", "suite.toml", "sleep", "sh tenfold", "--max-time", "60s", "--store", &store];
    let gated = [&words[..], &["--fail-if", "slower", "--format", "json"]].concat();
    let document = Done::of(lab.bare(&gated)).ends_with(1).json();
    let states = ["sleep 0.004", "sleep 0.008", "equal", "fails"].map(|name| (name, state(&document, name)));
    assert_eq!(states[..2], [("sleep 0.004", "slower"), ("sleep 0.008", "slower")]);
    assert_eq!(states[3], ("fails", "not-measured"));
    assert_ne!(states[2].1, "slower", "two equal sleeps");
    assert_eq!(document["programs"][1], "sh tenfold");
    let failed = Done::of(lab.bare(&[&words[..], &["--filter", "fails"]].concat())).ends_with(4);
    assert!(failed.err.contains("benchmark `fails` failed: B:"), "{}", failed.err);
    let chosen = Done::of(lab.bare(&[&words[..], &["--filter", "0.004"]].concat())).ends_with(0);
    assert!(chosen.out.contains("1 slower"), "{}", chosen.out);
}

#[test]
fn a_file_that_is_no_suite_is_refused_with_its_fault() {
    let lab = Lab::new();
    let refused = |text: &str, words: &[&str], told: &[&str]| {
        lab.write("suite.toml", text);
        let all = [&["suite", "suite.toml"], words, &["--store", "none"]].concat();
        Done::of(lab.bare(&all)).complains(2, told);
    };
    refused(FILE, &[], &["suite.toml", "sleep 0.004", "give the two programs"]);
    refused("", &[], &["suite.toml", "no benchmarks"]);
    refused("[[benchmark]]\nname = 'x'\n", &[], &["`x`", "both `a` and `b`"]);
    let missing = "[[benchmark]]\nname = 'y'\na = 'true'\nb = 'false'\n\
                   [[benchmark]]\nname = 'x'\na = 'no-such-program'\nb = 'true'\n";
    refused(missing, &[], &["x (A): ", "`no-such-program`: no such program"]);
    refused(FILE, &["sleep", "sleep", "--filter", "^none$"], &["--filter"]);
    refused(FILE, &["sleep", "sleep", "--harness", "go"], &["--harness", "leave the option out"]);
    refused(FILE, &["sleep"], &["two programs"]);
    lab.write("broken.toml", "[[benchmark]]\nname = 'x'\ncommands = 'y'\n");
    Done::of(lab.bare(&["suite", "broken.toml", "--store", "none"])).ends_with(2);
    Done::of(lab.bare(&["suite", "absent.toml", "--store", "none"])).complains(2, &["absent.toml"]);
}

/// The report has the answer of a gate, and says what remains to be done: a benchmark that is within the gate's margin
/// needs no more time.
#[test]
fn a_report_says_what_a_gate_came_to() {
    let lab = Lab::new();
    let text = "rate: 9 MB/s\nsame: 7 ns\n";
    let slow = text.replace('9', "6");
    let done = suite(&lab, [text, &slow], &["--fail-if", "slower"]).ends_with(1);
    let said = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("The gate slower fails: 1 is slower by more than the margin of 3.00 % and 1 is not."),
        "{said}"
    );
    // The change of a rate has the sign of the numbers beside it.
    assert!(said.contains("rate −33.3 %") && said.contains("slower, more is better"), "{said}");
    let done = suite(&lab, [text, text], &["--fail-if", "faster,undecided"]).succeeds();
    let said = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains(
            "The gate faster,undecided passes: 0 are faster by more than the margin of 3.00 % and 2 are not."
        ),
        "{said}"
    );
    assert!(!said.contains("more --max-time") && !said.contains("would take"), "{said}");
}

#[test]
fn the_mean_of_a_suite_is_that_of_its_table() {
    let lab = Lab::new();
    let document = suite(
        &lab,
        ["a: 10 ns\nb: 10 ns\n", "a: 10 ns\nb: 40 ns\n"],
        &["--format", "json", "--export", "text=t"],
    );
    let document = document.succeeds().json();
    let mean = &document["mean"];
    let ends = |end: &str| {
        let all = document["benchmarks"].as_array().unwrap();
        let product: f64 = all.iter().map(|it| it["effect"][end].as_f64().unwrap()).product();
        product.sqrt()
    };
    for end in ["ratio", "low", "high"] {
        assert!((mean[end].as_f64().unwrap() / ends(end) - 1.0).abs() < 1e-9, "{mean}");
    }
    let text = lab.read("t").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("hold together with 99 %"), "{text}");
}

/// A name that a program prints several times stands for several benchmarks, whatever the harness.
#[test]
fn names_that_occur_twice_are_numbered() {
    let lab = Lab::new();
    let document =
        suite(&lab, ["x: 5 ns\nx: 7 ns\n", "x: 5 ns\nx: 9 ns\n"], &["--format", "json"]).succeeds().json();
    assert_eq!([state(&document, "x"), state(&document, "x #2")], ["unchanged", "slower"]);
}

#[test]
fn names_drive_no_terminal_and_a_suite_of_times_takes_some() {
    let lab = Lab::new();
    let name = "a\u{1b}[31m\u{202e}\tb\"<";
    let text = format!("{name}: 5 ns\n");
    let exports = ["csv=c", "junit=j", "go-benchmark=g", "markdown=m", "text=t", "html=h"];
    let words: Vec<&str> = exports.iter().flat_map(|export| ["--export", export]).collect();
    suite(&lab, [&text, &text], &words).succeeds();
    for file in ["c", "j", "g", "m", "t", "h"] {
        let text = lab.read(file);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{file}: {text}");
    }
    assert_eq!(lab.read("j").matches(" time=\"0.000000005\"").count(), 2, "{}", lab.read("j"));
    let text = "size: 5 B\n";
    suite(&lab, [text, text], &["--export", "junit=j"]).succeeds();
    assert!(!lab.read("j").contains(" time="), "a size takes no time: {}", lab.read("j"));
}

#[test]
fn what_would_do_nothing_is_refused() {
    let lab = Lab::new();
    suite(&lab, [A, A], &["--simulated"]).complains(2, &["--simulated"]);
    lab.write("suite.toml", FILE);
    let file = ["suite", "suite.toml", "sleep", "sleep", "--store", "none"];
    Done::of(lab.bare(&[&file[..], &["--simulated"]].concat())).complains(2, &["--simulated"]);
    lab.write("own.toml", "[[benchmark]]\nname = 'x'\na = 'true'\nb = 'true'\n");
    Done::of(lab.bare(&["suite", "own.toml", "a", "b", "--store", "none"])).complains(2, &["{program}"]);
    let go = "BenchmarkX-2 \t 100\t 5 ns/op\nPASS\n";
    lab.write("old.txt", go);
    for option in
        [&["--cpu", "free"][..], &["--timeout", "1s"], &["-i"], &["--seed", "1"], &["--max-time", "1s"]]
    {
        let words = [&["suite", "--from", "old.txt", "old.txt"], option].concat();
        Done::of(lab.bare(&words)).complains(2, &["--from"]);
    }
    lab.write("prose.txt", "nothing of the kind\n");
    let refused = Done::of(lab.bare(&["suite", "--from", "prose.txt", "old.txt"]));
    let refused = refused.complains(2, &["prose.txt", "holds no results"]);
    assert!(!refused.err.contains("--help"), "{}", refused.err);
    let read = Done::of(lab.bare(&["suite", "--from", "old.txt", "old.txt"])).succeeds();
    assert!(!read.out.contains("condition") && !read.out.contains("--seed"), "{}", read.out);
}

/// The output of a failed process counts with `-i`, and is left out with `--skip-failures`.
#[test]
fn failures_are_ignored_or_left_out() {
    let lab = Lab::new();
    lab.write("suite.toml", "[[benchmark]]\nname = 'x'\na = 'sh -c \"exit 3\"'\nb = 'sh -c \"exit 3\"'\n");
    let words = ["suite", "suite.toml", "--max-time", "5s", "--store", "none", "--format", "json"];
    let measured = |more: &[&str]| Done::of(lab.bare(&[&words[..], more].concat()));
    assert_eq!(state(&measured(&[]).ends_with(4).json(), "x"), "not-measured");
    assert_ne!(state(&measured(&["-i"]).succeeds().json(), "x"), "not-measured");
    assert_ne!(state(&measured(&["-i=3"]).succeeds().json(), "x"), "not-measured");
    assert_eq!(state(&measured(&["-i=4"]).ends_with(4).json(), "x"), "not-measured");
    // The first three runs of each side fail, and all later ones succeed.
    lab.write("fails", "echo >> count; test $(wc -l < count) -gt 6\n");
    lab.write("suite.toml", "[[benchmark]]\nname = 'x'\na = 'sh fails'\nb = 'sh fails'\n");
    assert_ne!(state(&measured(&["--skip-failures"]).succeeds().json(), "x"), "not-measured");
}

/// A benchmark whose helper fails does not end the others, and the report is that of the suite.
#[test]
fn a_failing_helper_is_a_failure_of_its_benchmark_alone() {
    let lab = Lab::new();
    for (helper, is_left_out) in [("prepare", false), ("conclude", false), ("prepare", true)] {
        lab.write(
            "suite.toml",
            &format!(
                "[[benchmark]]\nname = 'x'\na = 'sleep 0.002'\nb = 'sleep 0.03'\n\
                 [[benchmark]]\nname = 'y'\na = 'true'\nb = 'true'\n{helper} = 'exit 5'\n"
            ),
        );
        let words =
            ["suite", "suite.toml", "--max-time", "60s", "--format", "json", "--fail-if", "different"];
        let more: &[&str] = if is_left_out { &["--skip-failures"] } else { &[] };
        let done = lab.run(&[&words[..], more].concat()).ends_with(1);
        let document = done.json();
        assert_eq!((state(&document, "x"), state(&document, "y")), ("slower", "not-measured"), "{helper}");
        let trouble = document["benchmarks"].as_array().unwrap().iter().find(|it| it["name"] == "y").unwrap();
        assert!(trouble["trouble"].as_str().unwrap().contains(helper), "{trouble}");
        let words = ["suite", "suite.toml", "--max-time", "60s", "--filter", "y"];
        let done = lab.run(&words).ends_with(4);
        assert!(done.err.contains("benchmark `y` failed") && done.err.contains(helper), "{}", done.err);
    }
}

/// Benchmarks that were not measured are told apart from undecided ones, in the report and in the message of the gate.
#[test]
fn a_gate_tells_what_was_not_measured_from_what_is_open() {
    let lab = Lab::new();
    lab.write(
        "suite.toml",
        "[[benchmark]]\nname = 'x'\na = 'true'\nb = 'true'\n[[benchmark]]\nname = 'y'\na = 'false'\nb = 'false'\n",
    );
    let words = ["suite", "suite.toml", "--max-time", "4s", "--fail-if", "slower,undecided"];
    let done = lab.run(&words).ends_with(1);
    let text = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("1 was not measured") && !text.contains("2 are not decided"), "{text}");
    let told = done.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("1 benchmark not measured"), "{told}");
}

/// The gate `inconclusive` fails benchmarks without a verdict and no others, in every format. Beside another gate,
/// sampling goes on until there is a verdict.
#[test]
fn a_gate_about_verdicts_passes_where_each_benchmark_has_a_verdict() {
    let lab = Lab::new();
    let text = "rate: 9 MB/s\nsame: 7 ns\n";
    let slow = text.replace('9', "6");
    let words = ["--fail-if", "inconclusive", "--export", "junit=j.xml"];
    let done = suite(&lab, [text, &slow], &words).succeeds();
    assert!(done.out.contains("gate inconclusive passes: 0 have no verdict."), "{}", done.out);
    assert!(lab.read("j.xml").contains("failures=\"0\""), "{}", lab.read("j.xml"));
    suite(&lab, [text, text], &["--fail-if", "slower,inconclusive"]).succeeds();
    let zero = "none: 0 ns\nsame: 7 ns\n";
    let slow = zero.replace('7', "9");
    let done = suite(&lab, [zero, &slow], &["--fail-if", "slower,inconclusive"]).ends_with(1);
    let told =
        ["--fail-if slower,inconclusive: ", "1 benchmark beyond the margin", "1 benchmark not measured"];
    assert!(told.iter().all(|words| done.err.contains(words)), "{}", done.err);
}

/// A suite of which nothing could be read has not been measured, and does not end with status 0.
#[test]
fn a_suite_without_any_reading_fails() {
    let lab = Lab::new();
    let done = suite(&lab, ["none: 0 ns\n"; 2], &[]).ends_with(4);
    assert!(done.err.contains("no benchmark was measured; `none`"), "{}", done.err);
    let done = suite(&lab, ["none: 0 ns\n"; 2], &["--fail-if", "slower"]).ends_with(4);
    assert!(done.out.contains("The gate slower has no answer"), "{}", done.out);
    assert!(!done.out.contains("passes"), "{}", done.out);
}

/// An export without any reading is an error, but it does not hide what the gate says.
#[test]
fn a_gate_decides_also_where_an_export_has_nothing_to_write() {
    let lab = Lab::new();
    let export = ["--export", "go-benchmark=raw.txt"];
    let units = ["unit: 3 ns\n", "unit: 3 B\n"];
    let gated = suite(&lab, units, &[&export[..], &["--fail-if", "slower,undecided"]].concat()).ends_with(1);
    assert!(
        gated.err.contains("--fail-if slower,undecided") && gated.err.contains("go-benchmark"),
        "{}",
        gated.err
    );
}

/// The definition in the document has what was asked of the suite.
#[test]
fn the_definition_of_a_suite_has_its_rule() {
    let lab = Lab::new();
    let words = ["--margin", "4%", "--level", "2%", "--fail-if", "faster", "--format", "json"];
    let document = suite(&lab, ["same: 7 ns\n"; 2], &words).succeeds().json();
    let rule = &document["definition"]["rule"];
    assert_eq!((rule["margin"].as_f64(), rule["level"].as_f64()), (Some(0.04), Some(0.02)), "{rule}");
    assert_eq!(
        (rule["max_time_s"].as_f64(), rule["max_pairs"].as_u64()),
        (Some(60.0), Some(100_000)),
        "{rule}"
    );
    assert_eq!((&rule["fail_if"][0], &rule["order"]), (&"faster".into(), &"ab".into()), "{rule}");
}
