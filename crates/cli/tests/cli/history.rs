//! `fauxplat history`: lists, shows, exports and removes earlier results.

use crate::common::{Done, Lab, runs};

#[test]
fn experiments_are_listed_shown_exported_and_removed() {
    let lab = Lab::new();
    lab.run(&["history", "list"]).complains(2, &["store.sqlite", "no such store"]);
    let run = lab.run(&["run", "true", "--runs", "3"]).succeeds().out;
    lab.run(&["compare", "true", "sh -c true", "--max-pairs", "6"]).succeeds();
    lab.run(&["run", "echo hello", "--runs", "2"]).succeeds();

    let list = lab.json(&["history", "list"]);
    assert_eq!(list["schema"], "fauxplat.history/1");
    let experiments = list["experiments"].as_array().unwrap();
    let kinds: Vec<_> =
        experiments.iter().map(|one| (one["id"].as_i64().unwrap(), one["kind"].as_str().unwrap())).collect();
    assert_eq!(kinds, [(1, "run"), (2, "compare"), (3, "run")]);
    assert!(experiments.iter().all(|one| one["state"] == "finished"));
    assert_eq!(experiments[0]["samples"], 3);

    let count = |words: &[&str]| {
        let list = lab.json(&[&["history", "list"], words].concat());
        list["experiments"].as_array().unwrap().len()
    };
    assert_eq!(count(&["--kind", "run"]), 2);
    assert_eq!(count(&["--name", "hello"]), 1);
    assert_eq!(count(&["--limit", "1"]), 1);
    assert_eq!((count(&["--since", "2020"]), count(&["--since", "9999"])), (3, 0));
    let text = lab.run(&["history", "list"]).succeeds().out;
    let first_words: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(["1", "2", "3"].iter().all(|id| first_words.contains(id)), "{text}");

    assert_eq!(lab.run(&["history", "show", "1"]).succeeds().out, run, "the report as it was");
    assert_eq!(runs(&lab.json(&["history", "export", "1"]), 0).len(), 3);
    let exported = lab.run(&["history", "export", "last"]).succeeds().json();
    assert_eq!(exported["commands"][0]["command"], "echo hello");
    assert_eq!(exported["id"], 3);

    lab.run(&["history", "rm", "1", "2"]).succeeds();
    assert_eq!(count(&[]), 1);
    let none = lab.run(&["history", "list", "--kind", "nosuch"]).succeeds().out;
    assert!(none.contains("--kind"), "{none}");
    let elsewhere = lab.file("slip.sqlite");
    Done::of(lab.bare(&["history", "list", "--store", &elsewhere]))
        .complains(2, &["slip.sqlite", "no such store"]);
    assert!(!lab.path("slip.sqlite").exists());
    lab.run(&["history", "show", "1"]).complains(2, &["store.sqlite", "no experiment `1`", "history list"]);
    lab.run(&["history", "rm", "3", "44"]).complains(2, &["`44`"]);
    assert_eq!(count(&[]), 1, "nothing goes where one of them is not there");
    lab.run(&["history", "rm", "last", "3", "last"]).succeeds();
    assert_eq!(lab.run(&["history", "list"]).succeeds().out, "no experiments\n");
}

#[test]
fn an_experiment_that_is_none_is_bad_usage() {
    let lab = Lab::new();
    lab.run(&["run", "true", "--runs", "1"]).succeeds();
    lab.run(&["history", "rm", "last"]).succeeds();
    lab.run(&["history", "show", "last"]).complains(2, &["`last`"]);
    lab.run(&["history", "show", "yesterday"]).complains(2, &["`yesterday`", "last"]);
    lab.run(&["history", "rm", "-1"]).reports_misuse(&["-1"]);
    lab.run(&["history", "rm"]).reports_misuse(&["history rm needs"]);
    lab.run(&["history", "list", "--since", "yesterday"]).reports_misuse(&["yesterday", "2026-11"]);
    lab.run(&["history", "list", "--format", "junit"]).reports_misuse(&["history list", "junit"]);
    lab.run_unstored(&["history", "list"]).complains(2, &["--store none"]);
}

/// Reading a store that does not exist creates no file, whether an option or the environment names the store. Names
/// that a shell or a user probably meant otherwise are refused.
#[test]
fn reading_creates_no_store_and_odd_names_are_refused() {
    let lab = Lab::new();
    let mut command = lab.bare(&["history", "list"]);
    command.env("FAUXPLAT_STORE", lab.path("typo/store.sqlite"));
    Done::of(command).complains(2, &["typo/store.sqlite", "no such store"]);
    assert!(!lab.path("typo").exists());
    assert_eq!(Done::of(lab.bare(&["history", "list"])).succeeds().out, "no experiments\n");
    assert!(!lab.path(".local").exists());
    for (name, hint) in [("-", "standard output"), ("None", "`none`"), ("NONE", "./NONE"), ("~/x", "$HOME/x")]
    {
        Done::of(lab.bare(&["run", "true", "--runs", "1", "--store", name]))
            .complains(2, &["is no store", hint]);
        Done::of(lab.bare(&["history", "list", "--store", name])).complains(2, &["is no store", hint]);
        assert!(!lab.path(name).exists());
    }
    let mut command = lab.bare(&["run", "true", "--runs", "1"]);
    command.env("FAUXPLAT_STORE", "~/x");
    Done::of(command).complains(2, &["$HOME/x"]);
}

/// An experiment stores its commit and label, and a series follows a command over several experiments.
#[test]
fn sessions_are_followed_over_time() {
    let lab = Lab::new();
    for _ in 0..4 {
        lab.run(&["run", "--names", "nothing", "true", "--runs", "4", "--label", "a label"]).succeeds();
    }
    let shown = lab.json(&["history", "show", "last"]);
    assert_eq!(shown["origin"]["label"], "a label");
    assert!(
        shown["origin"]["user"].is_string() && shown["origin"]["host"].is_string(),
        "{}",
        shown["origin"]
    );
    let trend = lab.json(&["history", "trend", "nothing"]);
    assert_eq!(
        (&trend["schema"], &trend["series"][0]["session_count"]),
        (&"fauxplat.history-trend/1".into(), &4.into())
    );
    assert_eq!(trend["series"][0]["sessions"][3]["label"], "a label");
    for format in ["text", "csv", "markdown", "html", "svg", "openmetrics"] {
        let out = lab.run(&["history", "trend", "nothing", "--format", format]).succeeds().out;
        assert!(!out.is_empty(), "{format}");
        lab.run(&["history", "trend", "--format", if format == "svg" { "csv" } else { format }]).succeeds();
    }
    for format in ["csv", "markdown", "asciidoc", "org", "html"] {
        let out = lab.run(&["history", "list", "--format", format]).succeeds().out;
        assert!(out.contains("a label"), "{format}: {out}");
    }
    let list = lab.run(&["history", "list"]).succeeds().out;
    assert_eq!(list.lines().count(), 5, "{list}");
    lab.run(&["history", "note", "last", "new compiler"]).succeeds();
    lab.run(&["history", "note", "last", " "]).complains(2, &["a note is one line"]);
    assert_eq!(
        lab.json(&["history", "trend", "nothing"])["series"][0]["sessions"][3]["notes"][0],
        "new compiler"
    );
    for verb in [&["trend"][..], &["trend", "nothing"], &["gate", "nothing"]] {
        let words = [&["history"][..], verb, &["--machine", "nowhere"]].concat();
        lab.run(&words).complains(2, &["--machine nowhere", "no session in wall"]);
    }
    lab.run(&["history", "trend", "something"]).complains(2, &["no benchmark `something`"]);
    let gate = lab.run(&["history", "gate", "nothing", "--margin", "90%", "--format", "json"]);
    assert_eq!(gate.json()["schema"], "fauxplat.history-gate/1");
    let junit = lab.run(&["history", "gate", "nothing", "--margin", "90%", "--format", "junit"]).out;
    assert!(junit.contains("testcase"), "{junit}");
    lab.run(&["history", "pages", &lab.file("pages")]).ends_with(0);
    assert!(lab.path("pages/index.html").is_file());
    lab.run(&["history", "rm", "1", "2"]).succeeds();
    assert!(lab.run(&["history", "vacuum"]).succeeds().out.contains("now"));
}

/// A gate by a name that two programs have is refused with the way to choose one.
#[test]
fn a_gate_judges_one_series() {
    let lab = Lab::new();
    for line in ["true", "sh -c true"] {
        lab.run(&["run", "--names", "same", line, "--runs", "2"]).succeeds();
    }
    lab.run(&["history", "gate", "same"]).complains(2, &["2 series have the name `same`", "--of sh"]);
    let gate = lab.run(&["history", "gate", "same", "--of", "true", "--format", "json"]).json();
    assert_eq!((&gate["benchmark"], &gate["program"]), (&"same".into(), &"true".into()));
    assert_eq!(lab.json(&["history", "trend", "same"])["series"].as_array().map(Vec::len), Some(2));
    lab.run(&["history", "trend", "--of", "elsewhere"]).complains(2, &["--of elsewhere"]);
}

/// Pages are written neither through links nor over files of something else, and a refusal says what to do.
#[test]
fn pages_are_made_in_folders_of_pages_alone() {
    let lab = Lab::ordinary();
    lab.run(&["run", "true", "--runs", "2"]).succeeds();
    let pages = |name: &str| lab.run(&["history", "pages", &lab.file(name)]);
    lab.shell("mkdir -m 777 victim list link && mkdir -m 555 closed && ln -s ../victim link/benchmarks");
    lab.shell("umask 022; echo precious > victim/keep.html && echo {} > list/pages.json && mkfifo pipe");
    pages("link").complains(2, &["link/benchmarks", "a symbolic link", "remove it"]);
    pages("list").complains(2, &["list/pages.json", "no list of pages", "another folder"]);
    pages("victim").complains(2, &["victim", "keep.html", "left as it is"]);
    pages("pipe").complains(2, &["pipe", "a named pipe where pages need a folder"]);
    pages("closed").complains(3, &["closed", "nothing was written", "another folder"]);
    pages("closed/below").complains(3, &["closed/below", "nothing was written"]);
    assert_eq!(lab.read("victim/keep.html"), "precious\n");
    for name in ["victim", "list", "link"] {
        assert_eq!(std::fs::read_dir(lab.path(name)).unwrap().count(), 1, "{name}");
    }
}

/// Without `--store` the store is in the user's data directory.
#[test]
fn the_store_is_in_the_users_data_directory() {
    let lab = Lab::new();
    Done::of(lab.bare(&["run", "true", "--runs", "1"])).succeeds();
    assert!(lab.path(".local/share/fauxplat/store.sqlite").is_file());
    let mut command = lab.bare(&["run", "true", "--runs", "1"]);
    command.env("XDG_DATA_HOME", lab.path("data"));
    Done::of(command).succeeds();
    assert!(lab.path("data/fauxplat/store.sqlite").is_file());
    let mut command = lab.bare(&["run", "true", "--runs", "1"]);
    command.env_remove("HOME");
    Done::of(command).complains(2, &["HOME", "--store PATH"]);
}
