//! Files that fauxplat creates in world-writable folders: no other user may enter them or know their names.

use std::fs;
use std::process::Command;

use crate::common::{Done, Lab};

/// A script that prints permissions and names in the temporary directory while it is measured, and those of the folder
/// with the page for region marks.
const LOOK: &str = r#"#!/bin/sh
find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'fauxplat*' -printf '%m %f\n' >> "$HOME/seen"
test -z "$FAUXPLAT_REGIONS" || find "${FAUXPLAT_REGIONS%/*}" -maxdepth 0 -printf '%m %f\n' >> "$HOME/seen"
echo n=1
"#;

/// Runs fauxplat with a umask of zero; returns the names with this beginning that the script saw.
fn seen(lab: &Lab, beginning: &str, words: &[&str]) -> Vec<String> {
    let _of_another_run = fs::remove_file(lab.path("seen"));
    let mut command = Command::new("sh");
    command.args(["-c", "umask 0; exec \"$@\"", "sh"]).args(lab.starter()).args(words);
    command.args(["--store", "none", "--quiet"]);
    lab.settle(&mut command);
    command.env("TMPDIR", lab.path("tmp"));
    let done = Done::of(command);
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    let text = lab.read("seen");
    let all: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(' ')).collect();
    for (mode, name) in &all {
        assert_eq!(u32::from_str_radix(mode, 8).unwrap() & 0o077, 0, "{name} has {mode}");
    }
    all.iter().map(|(_, name)| (*name).to_owned()).filter(|name| name.starts_with(beginning)).collect()
}

/// The folders contain programs that are executed: in a folder that others may write to, they could be replaced.
#[test]
fn what_lies_in_tmp_is_its_owners_alone_whatever_the_umask() {
    let lab = Lab::new();
    fs::create_dir(lab.path("tmp")).unwrap();
    let look = format!("'{}'", lab.write("look", LOOK));
    lab.shell("chmod 755 look");
    let once = ["run", &look, "--runs", "1"];
    let with = |more: [&'static str; 2]| [&once[..], &more].concat();
    for (beginning, words) in [
        ("fauxplat-output-", with(["--metric-from", "n=n=([0-9]+)"])),
        ("fauxplat-regions-", with(["--region", "parse"])),
        ("fauxplat-cwd-", vec!["sweep", "cwd-length=300,310", &look, "--blocks", "2", "--exhaustive"]),
        ("fauxplat-aa-", vec!["aa", &look, "-N", "1", "--strata", "plain", "--max-pairs", "8"]),
    ] {
        let names = [seen(&lab, beginning, &words), seen(&lab, beginning, &words)];
        assert!(names.iter().all(|names| !names.is_empty()), "{beginning}: {names:?}");
        assert_ne!(names[0][0], names[1][0], "a name that can be known before can be taken before");
    }
    assert_eq!(fs::read_dir(lab.path("tmp")).unwrap().count(), 0, "nothing is left");
}
