//! `--table`: counters that measured programs publish, as a metric of each run and as a series during a run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fauxplat_table::Table;
use serde_json::Value;

use crate::common::{Lab, number, runs};
use crate::table::Shared;

/// A file with a table in which object 1 has this many requests; programs that act as a publisher copy it.
fn published(name: &str, requests: i64) -> Shared {
    let shared = Shared::new(name);
    let table = shared.create();
    table.set(1, 0, requests).unwrap();
    table.set(2, 0, 1).unwrap();
    shared
}

/// Number of requests that a run published, from its rate and its wall time.
#[track_caller]
fn requests(run: &Value) -> u64 {
    let events = number(run, "rate_micro_per_s") as f64 * number(run, "wall_ns") as f64 / 1e15;
    assert!((events - events.round()).abs() < 1e-3, "{events} in {run}");
    events.round() as u64
}

fn of_each(document: &Value) -> Vec<u64> {
    runs(document, 0).iter().map(requests).collect()
}

#[test]
fn a_program_that_creates_its_table_counts_from_nothing() {
    let (full, live) = (published("creates-full", 5000), Shared::new("creates"));
    for lab in Lab::both() {
        let command = format!("cp {} {}", full.file(), live.file());
        // The command of `--conclude` removes the table, which was read before.
        let conclude = format!("rm {}", live.file());
        let table = |selection: &str| format!("requests={}{selection}", live.file());
        for (selection, expected) in [(":1.0", 5000), (":*.0", 5001), (":2", 1), ("", 5001)] {
            let words =
                ["run", &command, "--conclude", &conclude, "--runs", "3", "--table", &table(selection)];
            let document = lab.json(&words);
            assert_eq!(of_each(&document), [expected; 3]);
            assert!(!document["not_measured"].to_string().contains("requests"));
            assert_eq!(document["definition"]["table"][0], table(selection));
        }
        let text = lab
            .run(&["run", "-v", &command, "--conclude", &conclude, "--table", &table(":1.0")])
            .succeeds()
            .out;
        assert!(text.contains("  rate ") && text.contains(&format!("rate: of {}", table(":1.0"))), "{text}");
        assert!(text.contains("requests: "), "{text}");
    }
}

#[test]
fn only_what_rises_during_the_run_counts() {
    let (full, half) = (published("rises-full", 5000), published("rises-half", 3000));
    let (live, lab) = (Shared::new("rises"), Lab::new());
    let table = format!("requests={}:1.0", live.file());
    let onto = |source: &Shared| {
        // The copy overwrites the existing file, as a publisher does that continues counting.
        format!("dd if={} of={} conv=notrunc status=none", source.file(), live.file())
    };
    let prepare = onto(&half);
    fs::copy(&half.path, &live.path).unwrap();
    let document = lab.json(&["run", &onto(&full), "--prepare", &prepare, "--runs", "3", "--table", &table]);
    assert_eq!(of_each(&document), [2000; 3]);
    // The program replaces the table by another file of the same name; that the new values are smaller does not count
    // as a fall.
    let replace = format!("sh -c 'rm {0} && cp {1} {0}'", live.file(), full.file());
    let document = lab.json(&["run", &replace, "--prepare", &prepare, "--runs", "3", "--table", &table]);
    assert_eq!(of_each(&document), [5000; 3]);
    // A counter that does not change has a rate, which is zero.
    let document = lab.json(&["run", "true", "--runs", "3", "--table", &table]);
    assert_eq!(of_each(&document), [0; 3]);
}

#[test]
fn what_nobody_publishes_is_not_measured_and_not_zero() {
    let (full, half) = (published("nobody-full", 5000), published("nobody-half", 3000));
    let live = Shared::new("nobody");
    for lab in Lab::both() {
        let missing = |command: &str, selection: &str, word: &str| {
            let table = format!("requests={}{selection}", live.file());
            let document = lab.json(&["run", command, "--runs", "2", "--table", &table]);
            assert!(runs(&document, 0).iter().all(|run| run["rate_micro_per_s"].is_null()), "{document}");
            assert!(document["commands"][0]["rates"].is_null());
            let reasons = document["not_measured"].to_string();
            assert!(
                reasons.contains("rate of requests in 2 of 2 runs") && reasons.contains(word),
                "{reasons}"
            );
        };
        missing("true", ":1.0", "No such file");
        let copied = || {
            let _ = fs::remove_file(&live.path);
            fs::copy(&full.path, &live.path).unwrap();
            fs::set_permissions(&live.path, fs::Permissions::from_mode(0o666)).unwrap();
        };
        copied();
        missing("true", ":9.0", "no value");
        missing("true", ":1.3", "no value");
        let fall = format!(
            "sh -c 'dd if={1} of={0} conv=notrunc status=none; dd if={2} of={0} conv=notrunc status=none'",
            live.file(),
            full.file(),
            half.file()
        );
        copied();
        let table = format!("requests={}:1.0", live.file());
        let document = lab.json(&["run", &fall, "--runs", "1", "--table", &table]);
        assert!(document["not_measured"].to_string().contains("fell during the run"), "{document}");
        fs::remove_file(&live.path).unwrap();
    }
}

#[test]
fn a_file_that_is_no_table_is_refused_before_any_run() {
    let lab = Lab::ordinary();
    let file = lab.write("file", &"x".repeat(200));
    let table = format!("requests={file}");
    for verb in ["run", "aa"] {
        lab.run(&[verb, "true", "--table", &table]).complains(2, &[&file, "not a usable table"]);
    }
    lab.run(&["compare", "true", "true", "--table", &table]).complains(2, &[&file, "not a usable table"]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    lab.run(&["run", "true", "--table", &table]).complains(3, &[&file, "Permission denied"]);
    lab.run(&["run", "true", "--table", "requests"]).complains(2, &["NAME=FILE"]);
    lab.run(&["compare", "true", "true", "--metric", "rate"]).complains(2, &["--metric rate", "--table"]);
    let nowhere = format!("requests={}", lab.file("nowhere"));
    lab.run(&["compare", "true", "true", "--duet", "--table", &nowhere]).complains(2, &["--table", "--duet"]);
    let words = ["compare", "true", "true", "--metric", "rate", "--table", &nowhere];
    lab.run(&words).complains(2, &["--metric rate", "`true`", "No such file"]);
}

/// Two servers that take the same time, of which one gets twenty times as much done: a difference that no disturbance
/// of the wall time hides.
#[test]
fn more_of_a_rate_is_better_in_words_gates_and_winners() {
    let (little, much) = (published("compare-little", 1000), published("compare-much", 20_000));
    let (live, lab) = (Shared::new("compare"), Lab::new());
    let server =
        |source: &Shared| format!("sh -c 'rm -f {1}; cp {0} {1}; sleep 0.03'", source.file(), live.file());
    let table = format!("requests={}:1.0", live.file());
    let compare = |a: &Shared, b: &Shared, more: &[&str]| {
        let (a, b) = (server(a), server(b));
        let words = ["compare", "--names", "a,b", &a, &b, "--metric", "rate", "--table", &table];
        lab.run(&[&words[..], more].concat())
    };
    let better = compare(&little, &much, &["--fail-if", "slower"]).succeeds().out;
    let words: Vec<&str> = better.split_whitespace().collect();
    assert!(words.join(" ").starts_with("b has a higher rate than a by "), "{better}");
    assert!(
        better.contains("times as fast") && better.contains("/s") && better.contains("median rate"),
        "{better}"
    );
    compare(&little, &much, &["--fail-if", "faster"]).complains(1, &["--fail-if faster"]);
    let worse = compare(&much, &little, &["--fail-if", "slower"]);
    assert_eq!(worse.code, Some(1), "{worse:?}");
    assert!(worse.out.starts_with("b has a lower rate than a by "), "{worse:?}");
    let document = compare(&much, &little, &["--format", "json"]).succeeds().json();
    assert_eq!(
        (document["winner"].as_str(), document["comparisons"][0]["metric"].as_str()),
        (Some("a"), Some("rate"))
    );
    assert_eq!(document["commands"][1]["rates"][0]["counter"], table);
    lab.run(&["history", "show", "last"]).succeeds();
}

/// Returns a function that adds to a counter until `stop` is set.
fn steadily<'a>(table: &'a Table, stop: &'a AtomicBool) -> impl FnOnce() + Send + 'a {
    || {
        while !stop.load(Ordering::Relaxed) {
            table.add(1, 0, 1).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn a_long_run_has_a_series() {
    let (shared, lab) = (Shared::new("series"), Lab::new());
    let (table, stop) = (shared.create(), AtomicBool::new(false));
    table.set(1, 0, 1).unwrap();
    let counters = ["--table", &format!("ticks={}:1.0", shared.file()), "--table", "other=/no/such/table"];
    let document = std::thread::scope(|scope| {
        scope.spawn(steadily(&table, &stop));
        let document = lab.json(&[&["run", "sleep 0.55", "--runs", "2"][..], &counters].concat());
        stop.store(true, Ordering::Relaxed);
        document
    });
    let rates = document["commands"][0]["rates"].as_array().unwrap();
    assert_eq!((rates.len(), rates[0]["series"].as_array().unwrap().len()), (1, 2));
    for (series, run) in rates[0]["series"].as_array().unwrap().iter().zip(runs(&document, 0)) {
        let until: Vec<u64> =
            series["until_ns"].as_array().unwrap().iter().map(|ns| ns.as_u64().unwrap()).collect();
        assert!(until.len() >= 2 && until.is_sorted(), "{series}");
        assert_eq!((until.last().copied(), &series["trial"]), (Some(number(run, "wall_ns")), &run["trial"]));
        // The events of all intervals add up to those of the whole run.
        let rate = |index: usize| series["rate_per_s"][index].as_f64().unwrap();
        let length = |index: usize| until[index] - if index == 0 { 0 } else { until[index - 1] };
        let events: f64 = (0..until.len()).map(|index| rate(index) * length(index) as f64 / 1e9).sum();
        assert!((events - requests(run) as f64).abs() < 1e-3, "{events} in {run}");
    }
    let of = |field: &str| rates[0][field].as_f64().unwrap();
    assert!(
        0.0 <= of("min_per_s")
            && of("min_per_s") <= of("median_per_s")
            && of("median_per_s") <= of("max_per_s")
    );
    assert!(document["not_measured"].to_string().contains("rate of other in 2 of 2 runs"));
}

#[test]
fn a_calibration_and_a_saved_definition_know_tables_too() {
    let (full, live, lab) = (published("saved-full", 1000), Shared::new("saved"), Lab::new());
    let server = format!("sh -c 'rm -f {1}; cp {0} {1}; sleep 0.02'", full.file(), live.file());
    let text = format!(
        "table = [\"requests={}:1.0\"]\nruns = 2\n[[command]]\ncommand = \"{server}\"\n[rule]\nmetric = \"rate\"\n",
        live.file()
    );
    let path = lab.write("saved.toml", &text);
    assert_eq!(of_each(&lab.json(&["run", "--input", &path])), [1000; 2]);
    let words = ["aa", "--input", &path, "--comparisons", "1", "--strata", "plain", "--max-pairs", "6"];
    let document = lab.json(&words);
    let measured = runs(&document, 0).iter().filter(|run| run["phase"] == "measured");
    assert!(measured.map(requests).all(|requests| requests == 1000));
    assert_eq!(number(&document["strata"][0], "comparisons"), 1);
}

/// Object and key of the counter with this number: four counters for each object, so that a small table can have a
/// hundred counters.
fn place(number: u64) -> (u64, u64) {
    (1 + number / 4, number % 4)
}

/// Every counter is a metric of its own: in the report of the run, and from the store alone.
#[test]
fn a_hundred_counters_are_a_hundred_metrics() {
    const COUNTERS: u64 = 100;
    let (full, live, lab) = (Shared::new("hundred-full"), Shared::new("hundred"), Lab::new());
    let table = full.create();
    let sources: Vec<String> = (0..COUNTERS)
        .map(|number| {
            let (object, key) = place(number);
            table.set(object, key, 1000 + number as i64).unwrap();
            format!("--table=m{number}={}:{object}.{key}", live.file())
        })
        .collect();
    let (command, conclude) = (format!("cp {} {}", full.file(), live.file()), format!("rm {}", live.file()));
    let mut words = vec!["run", &command, "--conclude", &conclude, "--runs", "3"];
    words.extend(sources.iter().map(String::as_str));

    let field = |number: u64| format!("table:m{number}_micro_per_s");
    let check = |document: &Value| {
        assert_eq!(runs(document, 0).len(), 3);
        for run in runs(document, 0) {
            for number in 0..COUNTERS {
                let events =
                    self::number(run, &field(number)) as f64 * self::number(run, "wall_ns") as f64 / 1e15;
                assert!((events - (1000 + number) as f64).abs() < 1e-3, "{number}: {events}");
            }
            assert_eq!(run["rate_micro_per_s"], run["table:m0_micro_per_s"]);
        }
        let summary = document["commands"][0]["summary"].as_object().unwrap();
        assert!((0..COUNTERS).all(|number| summary.contains_key(&field(number))), "{:?}", summary.keys());
    };
    check(&lab.json(&words));
    check(&lab.run(&["history", "export", "last"]).succeeds().json());
    for words in [&words[..], &["history", "export", "last"]] {
        let csv = lab.run(&[words, &["--format", "csv"]].concat()).succeeds().out;
        let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let columns: Vec<usize> = (0..COUNTERS)
            .map(|number| header.iter().position(|name| *name == field(number)).expect("a column"))
            .collect();
        let rows: Vec<_> = rows.collect();
        assert_eq!(rows.len(), 3);
        assert!(rows.iter().all(|row| columns.iter().all(|&at| row[at].parse::<u64>().unwrap() > 0)));
    }
    let text = lab.run(&["history", "show", "last"]).succeeds().out;
    assert!(text.contains("rate of m99") && !text.contains("rate of m0 "), "{text}");
}

#[test]
fn any_counter_can_decide() {
    let (little, much) = (published("decide-little", 1000), published("decide-much", 20_000));
    let (live, lab) = (Shared::new("decide"), Lab::new());
    let server =
        |source: &Shared| format!("sh -c 'rm -f {1}; cp {0} {1}; sleep 0.03'", source.file(), live.file());
    let [other, table] = ["other=/no/such/table".to_owned(), format!("requests={}:1.0", live.file())];
    let (a, b) = (server(&little), server(&much));
    let words = ["compare", "--names", "a,b", &a, &b, "--table", &other, "--table", &table, "--metric"];
    let document = lab.run(&[&words[..], &["table:requests", "--format", "json"]].concat()).succeeds().json();
    assert_eq!(
        (document["winner"].as_str(), document["comparisons"][0]["metric"].as_str()),
        (Some("b"), Some("table:requests"))
    );
    lab.run(&[&words[..], &["table:other"]].concat())
        .complains(2, &["table:other", "`sh -c", "No such file"]);
    lab.run(&[&words[..], &["table:nobody"]].concat()).complains(2, &["table:nobody", "--table"]);
    lab.run(&[&words[..], &["nobody:cycles"]].concat()).complains(2, &["nobody:cycles", "--table"]);
    lab.run(&[&words[..], &["speed"]].concat()).reports_misuse(&["no metric `speed`", "table:NAME"]);
    lab.run(&[&words[..], &["table:a b"]].concat()).reports_misuse(&["table:a b", "SOURCE:NAME"]);
}
