//! Manual pages as the program prints and writes them.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::common::{Done, Lab};

/// Names and texts of the pages in a folder that fauxplat has filled.
fn written(lab: &Lab) -> BTreeMap<String, String> {
    Done::of(lab.bare(&["man", "--output", "new/pages"])).succeeds();
    let entries = fs::read_dir(lab.path("new/pages")).unwrap().map(Result::unwrap);
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect()
}

#[test]
fn every_verb_has_a_page_with_its_sections() {
    let lab = Lab::new();
    let pages = written(&lab);
    for verb in [&[][..], &["compare"], &["why"], &["fleet"], &["fleet", "run"], &["topo", "pick"]] {
        let printed = Done::of(lab.bare(&[&["man"], verb].concat())).succeeds().out;
        let file = format!("{}.1", [&["fauxplat"], verb].concat().join("-"));
        assert!(pages[&file] == printed, "{file} is not what `fauxplat man` prints");
        for part in [".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS"] {
            assert!(printed.contains(part), "{file} lacks {part}");
        }
    }
    assert!(pages["fauxplat.1"].contains(".SH \"EXIT STATUS\""));
    // The list of verbs in the overview names the page of each verb.
    let overview = &pages["fauxplat.1"];
    for name in pages.keys().filter_map(|file| file.strip_suffix(".1")).filter(|name| name.contains('-')) {
        let verb = name.split('-').nth(1).unwrap();
        assert!(overview.contains(&format!("fauxplat\\-{verb}(1)")), "{name} is missing in the overview");
    }
    for (verb, part) in [("man", "manual page"), ("completions", "completions of a shell")] {
        let printed = Done::of(lab.bare(&["man", verb])).succeeds().out;
        assert!(printed.contains(part) && printed.contains(".SH SYNOPSIS"), "{verb}: {printed}");
    }
    let of_help = |words: &[&str]| Done::of(lab.bare(&[&["man", "help"], words].concat())).succeeds().out;
    assert!(of_help(&[]) == *overview && of_help(&["compare"]) == pages["fauxplat-compare.1"]);
    assert!(!pages.contains_key("fauxplat-node.1") && !pages.contains_key("fauxplat-help.1"));
}

/// Reads every page with `man`, which warns of roff requests that it does not know.
#[test]
fn man_reads_every_page_without_a_warning() {
    if !Command::new("man").arg("--version").output().is_ok_and(|done| done.status.success()) {
        return println!("skipped: the man of man-db is not installed");
    }
    let lab = Lab::new();
    for file in written(&lab).keys() {
        let mut man = Command::new("man");
        man.args(["--warnings", "-l", "-Tutf8", "-Z"]).arg(lab.path("new/pages").join(file));
        lab.settle(&mut man);
        man.env("LC_ALL", "C.UTF-8").env("MANWIDTH", "200");
        let read = Done::of(man).succeeds();
        assert!(read.err.is_empty() && read.out.len() > 1000, "{file}: {}", read.err);
    }
}

#[test]
fn a_page_that_is_not_there_is_refused() {
    let lab = Lab::new();
    let file = lab.write("file", "");
    for (words, told) in [
        (&["man", "nosuch"][..], "no verb `nosuch`"),
        (&["man", "fleet", "compare", "more"], "no verb `fleet compare more`"),
        (&["man", "node"], "no verb `node`"),
        (&["man", "__words"], "no verb `__words`"),
        (&["man", "compare", "--output", "pages"], "cannot be used with"),
        (&["man", "--output", &file], &file),
    ] {
        let done = Done::of(lab.bare(words)).ends_with(2);
        assert!(done.err.contains(told), "{words:?}: {}", done.err);
    }
    assert!(!lab.path("pages").exists());
}
