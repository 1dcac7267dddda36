//! A store that several users share: `--store postgres://…`, `history push` and `pull`, with a database server that the
//! tests start.

use serde_json::Value;

use crate::cluster::{Cluster, LOCKED, shared};
use crate::common::{Done, Lab, runs};

/// Runs fauxplat without `--store`, so that it uses the user's default store, which is in the folder of the laboratory.
fn run(lab: &Lab, words: &[&str]) -> Done {
    Done::of(lab.bare(words))
}

fn listed(lab: &Lab, words: &[&str]) -> Vec<Value> {
    let list = run(lab, &[&["history", "list", "--format", "json"], words].concat()).succeeds().json();
    list["experiments"].as_array().unwrap().clone()
}

#[test]
fn what_is_measured_for_a_shared_store_is_there_at_the_end() {
    let cluster = shared();
    let url = cluster.database("measured");
    let secret = url.replacen('@', ":not-asked-for@", 1);
    let lab = Lab::new();
    let words = ["run", "true", "--runs", "3", "--format", "json", "--store", &secret];
    let report = run(&lab, &words).succeeds();
    assert!(!report.out.contains("not-asked-for") && report.out.contains(":PASSWORD@"), "{}", report.out);
    let uuid = report.json()["uuid"].as_str().unwrap().to_owned();
    assert_eq!((report.json()["id"].as_i64(), listed(&lab, &["--store", &url]).len()), (Some(1), 1));
    let shown = run(&lab, &["history", "export", &uuid, "--store", &url]).succeeds().json();
    assert_eq!((runs(&shown, 0).len(), shown["uuid"].as_str()), (3, Some(uuid.as_str())));
    // The experiment is in the local file, too, without a password in any of its rows.
    assert_eq!(runs(&run(&lab, &["history", "export", &uuid]).succeeds().json(), 0).len(), 3);
    let rows = std::fs::read(lab.path(".local/share/fauxplat/store.sqlite")).unwrap();
    assert!(!rows.windows(13).any(|some| some == b"not-asked-for"));
    run(&lab, &["compare", "--baseline", "1", "true", "--max-pairs", "6", "--store", &url])
        .complains(2, &["3 readings", "at least 6"]);
    let both = || (listed(&lab, &["--store", &url]).len(), listed(&lab, &[]).len());
    let (there, here) = both();
    run(&lab, &["history", "rm", "1", "--store", &url]).succeeds();
    assert_eq!(both(), (there - 1, here));
}

#[test]
fn who_measures_goes_on_without_the_server_and_pushes_when_it_is_back() {
    let mut cluster = Cluster::start();
    let url = cluster.database("lab");
    let lab = Lab::new();
    run(&lab, &["run", "true", "--runs", "2", "--store", &url]).succeeds();
    cluster.kill();
    let report = run(&lab, &["run", "true", "--runs", "4", "--format", "json", "--store", &url]);
    assert_eq!(report.code, Some(0), "{}", report.err);
    assert!(report.json()["id"].is_null(), "no number there yet");
    // The command in the hint can be typed as it is.
    let hint = format!("`fauxplat history push '{url}' 2`");
    let warnings = report.json()["warnings"].to_string();
    assert!(report.err.contains("4 samples of this experiment are not acknowledged"), "{}", report.err);
    assert!(report.err.contains(&hint) && warnings.contains(&hint), "{} {warnings}", report.err);
    run(&lab, &["run", "true", "--runs", "1"]).succeeds();
    run(&lab, &["history", "push", &url]).complains(3, &["not there"]);
    run(&lab, &["history", "list", "--store", &url]).complains(3, &["not there"]);
    cluster.restart();
    let pushed = run(&lab, &["history", "push", &url, "--format", "json"]).succeeds().json();
    assert_eq!(
        (pushed["schema"].as_str(), pushed["carried"][0]["id"].as_i64()),
        (Some("fauxplat.transfer/1"), Some(2))
    );
    let again = run(&lab, &["history", "push", &url, "2"]).succeeds().out;
    assert!(again.contains("0 experiments arrived, 1 was there already"), "{again}");
    assert_eq!(listed(&lab, &["--store", &url]).len(), 2, "the third was measured for nobody else");
    run(&lab, &["history", "push", "--all", &url]).succeeds();

    let other = Lab::new();
    let back = run(&other, &["history", "pull", "--all", &url, "--store", "copy.sqlite"]).succeeds().out;
    assert!(back.contains("3 experiments with 7 samples arrived"), "{back}");
    let copied = listed(&other, &["--store", "copy.sqlite"]);
    let samples: Vec<_> = copied.iter().map(|one| one["samples"].as_i64().unwrap()).collect();
    assert_eq!(samples, [2, 4, 1]);
    run(&other, &["history", "push", "copy.sqlite"]).complains(2, &["which is a file", "--all"]);
}

#[test]
fn a_server_that_will_not_take_it_is_told_before_anything_runs() {
    let cluster = shared();
    cluster.sql("postgres", &format!("CREATE ROLE {} LOGIN PASSWORD '{}'", LOCKED.0, LOCKED.1));
    let url = cluster.database("refusing");
    let lab = Lab::new();
    let refused = |store: &str, code: i32, words: &[&str]| {
        let done = run(&lab, &["run", "touch ran", "--runs", "1", "--store", store]).complains(code, words);
        assert!(!done.err.contains("wrong-word") && !lab.path("ran").exists(), "{}", done.err);
    };
    refused(&url.replacen("owner@", "locked:wrong-word@", 1), 3, &["refuses", "~/.pgpass"]);
    refused(&cluster.url("nowhere"), 3, &["does not exist", "createdb"]);
    refused("postgres://ada:wrong-word@/lab?sslmode=require", 2, &["TLS", "ssh"]);
    refused("mysql://ada:wrong-word@db/lab", 2, &["PostgreSQL"]);
    cluster.sql("refusing", "CREATE TABLE experiment (name TEXT)");
    refused(&url, 2, &["another program", "createdb"]);
    run(&lab, &["history", "pull", "no-such-file", "last"]).complains(2, &["no such store"]);
    run(&lab, &["history", "pul", "postgres://ada:wrong-word@db/lab"]).ends_with(2);
    let typed = run(&lab, &["history", "list", "postgres://ada:wrong-word@db/lab"]).ends_with(2);
    assert!(!typed.err.contains("wrong-word"), "{}", typed.err);
}
