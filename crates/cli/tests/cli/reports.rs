//! Reports: their contents and destinations, and failures to write them.

use std::process::{Command, Stdio};

use fauxplat_model::Metric;

use crate::common::{Done, Lab, number, runs, spin};

/// The character with which an escape sequence begins.
const ESCAPE: char = '\u{1b}';

#[test]
fn every_format_of_a_run_parses() {
    let lab = Lab::new();
    lab.run(&["run", "true", "sh -c true", "--runs", "6", "--warmup", "2", "--names", "a,b"]).succeeds();
    let export = |format: &str| lab.run(&["history", "export", "last", "--format", format]).succeeds();
    let whole = export("json").json();
    assert!(
        export("json")
            .out
            .trim_start()
            .trim_start_matches('{')
            .trim_start()
            .starts_with("\"schema\": \"fauxplat.run/2\"")
    );
    let hyperfine = export("hyperfine-json").json();
    for command in 0..2 {
        let times = hyperfine["results"][command]["times"].as_array().unwrap();
        assert_eq!(times.len(), 6, "warm-up runs are no results");
        let wall_ns = number(&runs(&whole, command)[2], "wall_ns") as f64;
        assert!((times[0].as_f64().unwrap() * 1e9 - wall_ns).abs() < 1.0);
    }
    let pyperf = export("pyperf-json").json();
    assert_eq!(pyperf["benchmarks"].as_array().unwrap().len(), 2);
    let github = export("github-action-benchmark").json();
    assert!(
        github
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["name"].is_string() && one["value"].is_number() && one["unit"].is_string())
    );
    let bencher = export("bencher-bmf").json();
    assert_eq!(bencher.as_object().unwrap().len(), 2);
    let markdown = export("markdown").out;
    assert!(markdown.lines().any(|line| line.starts_with("| :-")), "{markdown}");
    assert!(!export("text").out.contains(ESCAPE));
}

/// Scripts pipe hyperfine into jq by `--export-json -`: standard output then has the document and nothing else.
#[test]
fn an_export_to_standard_output_has_it_to_itself() {
    let lab = Lab::new();
    let words = ["run", "true", "-r", "3", "--export-json", "-"];
    let done = lab.run(&words).ends_with(0);
    let found = done.json();
    assert!(found["results"][0]["mean"].is_number(), "{}", done.out);
    assert_eq!(found["results"][0]["times"].as_array().unwrap().len(), 3);
    assert!(done.err.contains("true"), "the report itself goes to standard error: {}", done.err);
    let silent = lab.run(&[&words[..], &["--style", "none"]].concat()).succeeds().json();
    assert!(silent["results"][0]["median"].is_number());
    assert!(!lab.path("-").exists(), "no file is called -");
    let twice = [&words[..], &["--export", "csv=-"]].concat();
    lab.run(&twice).complains(2, &["two outputs would go to this file"]);
    let events = [&words[..], &["--events", "-"]].concat();
    lab.run(&events).complains(2, &["two outputs would go to this file"]);
    let named = lab.run(&["run", "true", "-r", "3", "--format", "json", "--output", "-"]).succeeds();
    assert_eq!(runs(&named.json(), 0).len(), 3);
}

#[test]
fn csv_has_a_header_and_a_row_per_run() {
    let lab = Lab::new();
    let words = ["run", "true", "echo 'a, \"b\"'", "--runs", "5", "--warmup", "1", "--format", "csv"];
    let text = lab.run(&words).succeeds().out;
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert!(Metric::BUILT_IN.iter().all(|metric| header.contains(&metric.field())), "{header:?}");
    assert_eq!(header[..3], ["name", "command", "trial"]);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(rows.len(), 2 * (5 + 1));
    assert_eq!(rows.iter().filter(|row| row.contains(",warmup,")).count(), 2);
    assert_eq!(
        rows.iter().filter(|row| row.contains("\"echo 'a, \"\"b\"\"'\"")).count(),
        6,
        "quotes are doubled"
    );
    let plain = rows.iter().find(|row| row.starts_with("true,true,")).unwrap();
    assert_eq!(plain.split(',').count(), header.len());
}

#[test]
fn every_format_of_a_comparison_and_a_calibration() {
    let lab = Lab::new();
    lab.run(&["compare", "true", "sh -c true", "--max-pairs", "6"]).succeeds();
    for format in [
        "text",
        "json",
        "csv",
        "markdown",
        "hyperfine-json",
        "pyperf-json",
        "github-action-benchmark",
        "bencher-bmf",
    ] {
        assert!(
            !lab.run(&["history", "export", "last", "--format", format]).succeeds().out.is_empty(),
            "{format}"
        );
    }
    lab.run(&["aa", &spin(500), "-N", "1", "--strata", "plain", "--max-pairs", "6"]).succeeds();
    for format in ["text", "json", "csv", "markdown"] {
        assert!(
            !lab.run(&["history", "export", "last", "--format", format]).succeeds().out.is_empty(),
            "{format}"
        );
    }
    lab.run(&["history", "export", "last", "--format", "hyperfine-json"])
        .complains(2, &["hyperfine-json", "A/A"]);
}

#[test]
fn a_report_goes_to_the_file_that_was_named() {
    let lab = Lab::new();
    let done =
        lab.run(&["run", "true", "--runs", "2", "--format", "json", "--output", "report.json"]).succeeds();
    assert_eq!(done.out, "");
    let text = lab.read("report.json");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["schema"], "fauxplat.run/2");
}

/// On a full disk the earlier report stays as it was, and half of a new report does not take its place.
#[test]
fn a_report_that_does_not_fit_leaves_the_one_before() {
    let lab = Lab::new();
    lab.shell("mkdir small");
    let script = "mount -t tmpfs -o size=16k none small && echo before > small/report && \"$@\"; \
                  echo $?; cat small/*; ls small | wc -l";
    let words =
        ["run", "true", "-r", "300", "--format", "json", "--output", "small/report", "--store", "none"];
    let Some(done) = lab.with_mounts(script, &words) else { return };
    assert_eq!(done.out, "3\nbefore\n1\n", "{done:?}");
    assert!(done.err.contains("small/report") && done.err.contains("No space left"), "{done:?}");
}

/// Measurements are stored before the report is written, so only the report is lost if writing fails.
#[test]
fn a_report_that_cannot_be_written_names_its_file() {
    for lab in Lab::both() {
        for format in ["text", "json", "csv", "markdown", "pyperf-json"] {
            let done = lab.run(&["run", "true", "--runs", "3", "--format", format, "--output", "/dev/full"]);
            done.complains(3, &["/dev/full", "No space left"]);
            assert_eq!(runs(&lab.last(), 0).len(), 3);
        }
        lab.run(&["run", "true", "--runs", "1", "--output", "none/report"])
            .complains(2, &["none/report", "No such file"]);
        lab.run(&["run", "true", "--runs", "1", "--output", "/"]).complains(2, &["/", "directory"]);
    }
    let lab = Lab::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = lab.command(&["run", "true", "--runs", "1"]);
    let output = command.stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    Done::from(output).complains(3, &["No space left"]);
}

/// A script has to tell a regression from a full disk, so the answer decides the exit code and both are said.
#[test]
fn a_gate_decides_the_exit_code_where_a_report_cannot_be_written() {
    let lab = Lab::new();
    let ends = |words: &[&str], code: i32, told: &str| {
        let done = lab.run(&[words, &["--output", "/dev/full"]].concat()).ends_with(code);
        assert!(done.err.contains("/dev/full") && done.err.contains(told), "{}", done.err);
    };
    let compared = ["compare", "true", "sleep 0.03", "--max-time", "60s"];
    ends(&[&compared[..], &["--fail-if", "different"]].concat(), 1, "--fail-if different");
    lab.run(&["run", "true", "--runs", "12", "--export", "json=old.json"]).succeeds();
    lab.run(&["run", "sleep 0.03", "--runs", "12", "--export", "json=new.json"]).succeeds();
    let stored = ["compare", "--baseline", "old.json", "--with", "new.json"];
    ends(&[&stored[..], &["--fail-if", "different"]].concat(), 1, "--fail-if different");
    ends(&compared, 3, "No space left");
    // The question is decided, so the code of an undecided one would be wrong.
    let faster = ["--fail-if", "faster", "--undecided-code", "125"];
    ends(&[&compared[..], &faster].concat(), 3, "No space left");
    ends(&["run", "false", "--runs", "2"], 4, "false");
}

/// A reader that closes the pipe before the first byte is no error.
#[test]
fn a_closed_pipe_is_silent() {
    let lab = Lab::new();
    for format in ["text", "json", "csv", "markdown", "hyperfine-json", "pyperf-json", "bencher-bmf"] {
        let mut command = lab.command(&["run", "true", "--runs", "3", "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let done = Done::from(child.wait_with_output().unwrap());
        assert!(done.code != Some(70) && done.err.is_empty(), "{format}: {done:?}");
    }
    let mut command = lab.command(&["history", "list", "--format", "json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(Done::from(child.wait_with_output().unwrap()).err, "");
    let words = lab.starter().join(" ");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{words} run true --runs 2000 --format csv --store none | head -1")]);
    lab.settle(&mut shell);
    let done = Done::of(shell).succeeds();
    assert_eq!(done.out.lines().count(), 1);
}

/// Runs fauxplat on a terminal made by `script(1)`, with an environment variable; returns the terminal's output.
fn on_a_terminal(lab: &Lab, words: &str, name: &str, value: &str) -> String {
    let line = format!("{} {words} --quiet --store none", lab.starter().join(" "));
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]);
    lab.settle(&mut command);
    command.env("TERM", "xterm").env(name, value);
    Done::of(command).out
}

#[test]
fn colour_only_on_a_terminal_and_never_against_the_users_word() {
    let lab = Lab::new();
    let compare = "compare true 'sleep 0.02' --max-pairs 8";
    assert!(on_a_terminal(&lab, compare, "X", "1").contains(ESCAPE));
    assert!(on_a_terminal(&lab, compare, "NO_COLOR", "").contains(ESCAPE), "an empty NO_COLOR says nothing");
    assert!(!on_a_terminal(&lab, compare, "NO_COLOR", "1").contains(ESCAPE));
    assert!(!on_a_terminal(&lab, compare, "TERM", "dumb").contains(ESCAPE));
    assert!(!on_a_terminal(&lab, &format!("{compare} --colour never"), "X", "1").contains(ESCAPE));
    let words = ["compare", "true", "sleep 0.02", "--max-pairs", "8"];
    assert!(!lab.run(&words).succeeds().out.contains(ESCAPE));
    assert!(lab.run(&[&words[..], &["--colour", "always"]].concat()).succeeds().out.contains(ESCAPE));
}

#[test]
fn text_keeps_to_the_width_and_to_ascii_where_asked() {
    let lab = Lab::new();
    lab.run(&["compare", "true", "sh -c true", "--max-pairs", "6"]).succeeds();
    for columns in ["40", "72", "120"] {
        let mut command = lab.command(&["history", "show", "last"]);
        command.env("COLUMNS", columns);
        let text = Done::of(command).succeeds().out;
        // A command line to be copied is not wrapped.
        let lines = text.lines().filter(|line| !line.starts_with("repeat with: "));
        let widest = lines.map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns.parse().unwrap(), "{widest} > {columns}:\n{text}");
    }
    let mut command = lab.command(&["history", "show", "last"]);
    command.env("LC_ALL", "C");
    let text = Done::of(command).succeeds().out;
    assert!(text.is_ascii(), "{text}");
}

#[test]
fn text_is_brief_unless_all_is_wanted() {
    let lab = Lab::new();
    let brief = lab.run(&["compare", "true", "sh -c true", "--max-pairs", "8"]).succeeds().out;
    assert!(brief.contains("repeat with: ") && !brief.contains("condition: "), "{brief}");
    let shown = |more: &[&str]| lab.run(&[&["history", "show", "last"], more].concat()).succeeds().out;
    assert_eq!(shown(&[]), brief);
    let whole = shown(&["-v"]);
    assert!(whole.contains("condition: ") && whole.contains("bootstrap interval"), "{whole}");
    let line = shown(&["--brief"]);
    assert!(line.starts_with("sh -c true against true: ") && line.lines().count() == 1, "{line}");
    lab.run(&["history", "show", "last", "--format", "markdown", "--brief"])
        .reports_misuse(&["--brief", "markdown"]);
    lab.run(&["run", "true", "-v", "--brief"]).reports_misuse(&["--brief"]);
    let both = lab.run(&["run", "--brief", "true", "sh -c true", "--runs", "3"]).succeeds().out;
    assert_eq!(both.lines().count(), 2, "{both}");
}

/// Progress is shown on terminals only; nothing of it is written into a pipe.
#[test]
fn progress_is_for_terminals() {
    let lab = Lab::new();
    assert_eq!(lab.run(&["run", "sleep 0.05", "--runs", "10"]).succeeds().err, "");
    let line = format!("{} run 'sleep 0.05' --runs 10 --store none", lab.starter().join(" "));
    let shown = |line: &str| {
        let mut command = Command::new("script");
        command.args(["-qec", line, "/dev/null"]);
        lab.settle(&mut command);
        command.env("TERM", "xterm");
        Done::of(command).out
    };
    assert!(shown(&line).contains(" left"));
    assert!(!shown(&format!("{line} --quiet")).contains(" left"));
}
