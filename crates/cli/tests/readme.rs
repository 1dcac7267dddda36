//! What the README shows is true: its commands run, end as they say, and print the words that stand below them.
//!
//! Blocks of `console` are read as a shell session. A line `$ fauxplat …` is run by a shell in a folder of its own with
//! a store of its own; the lines below it are its output, of which every word must be printed again, numbers aside. A
//! line that is nothing but `…` stands for what was cut. `$ echo $?` shows the exit status, which is 0 otherwise. A line
//! `$ make …` is not run, but its target must exist.
#![expect(clippy::disallowed_methods, reason = "the tests start the built binary as a user would")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One command of a session, with what is shown below it.
#[derive(Debug, Default, PartialEq)]
struct Step {
    line: usize,
    command: String,
    shown: Vec<String>,
    status: i32,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The steps of all console blocks, in their order.
fn steps(text: &str) -> Vec<Step> {
    let (mut steps, mut inside) = (Vec::<Step>::new(), false);
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            steps.push(Step { line: index + 1, command: command.to_owned(), ..Step::default() });
        } else if let (true, Some(step)) = (inside, steps.last_mut()) {
            match step.command.strip_suffix('\\') {
                Some(begun) => step.command = format!("{begun}{}", line.trim_start()),
                None => step.shown.push(line.to_owned()),
            }
        }
    }
    with_statuses(steps)
}

/// Gives each step the exit status that an `echo $?` below it shows.
fn with_statuses(steps: Vec<Step>) -> Vec<Step> {
    let mut told: Vec<Step> = Vec::new();
    for step in steps {
        match (step.command.as_str(), told.last_mut()) {
            ("echo $?", Some(before)) => {
                before.status = step.shown[0].trim().parse().expect("a status below echo")
            }
            _ => told.push(step),
        }
    }
    told
}

/// Units that change with the size of a number are part of the number.
const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "min"];

/// Words of three letters and more; what is shorter is a unit, a sign or an option of one letter. A plural belongs to
/// its number, so its last letter goes with it.
fn words(text: &str) -> BTreeSet<String> {
    let letters = |c: char| !c.is_alphabetic() && c != '_';
    text.split(letters)
        .filter(|word| word.chars().count() >= 3 && !UNITS.contains(word))
        .map(|word| word.trim_end_matches('s').to_owned())
        .collect()
}

/// Words that are shown and not printed.
fn missing(shown: &[String], printed: &str) -> Vec<String> {
    let shown: Vec<&str> = shown.iter().map(String::as_str).filter(|line| line.trim() != "…").collect();
    words(&shown.join("\n")).difference(&words(printed)).cloned().collect()
}

/// A folder with what the commands of the README work on: a log such as the demo's, but smaller.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let mut log = String::new();
    for number in 0..6000_u64 {
        let noise = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        writeln!(
            log,
            "host{:03} {} id={noise:06x} took {} ms",
            noise % 200,
            ["INFO", "WARN"][noise as usize % 2],
            noise % 900
        )
        .expect("a string takes everything");
    }
    fs::write(folder.path().join("access.log"), log).expect("a file in that folder");
    publish(&folder.path().join("server.table"));
    for (name, step) in [("before.c", 1), ("after.c", 2)] {
        fs::write(folder.path().join(name), PROGRAM.replace("STEP", &step.to_string()))
            .expect("a file in that folder");
    }
    folder
}

/// A program in two versions that answer alike.
const PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n  unsigned long n = atol(v[c - 1]), sum = \
                       0;\n  for (unsigned long i = 0; i < n * STEP; i += STEP) sum += (i / STEP) ^ sum >> 3;\n  printf(\"%lu\\n\", \
                       sum);\n}\n";

/// The counters of a server, which is this process.
fn publish(path: &Path) {
    let options = fauxplat_table::Options::new().dense_keys(2).max_hashed_objects(100).on_disk(true);
    let table: fauxplat_table::Table = options.create(path).expect("a table in that folder");
    for (object, key, value) in [(1, 0, 5120), (1, 1, 655_360), (2, 0, 1024), (2, 1, 131_072)] {
        table.set(object, key, value).expect("there is room");
    }
}

/// Runs one step as a shell would; status, and everything that was printed.
fn run(step: &Step, folder: &Path) -> (i32, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_fauxplat"));
    let path =
        format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let done = Command::new("sh")
        .args(["-c", &step.command])
        .current_dir(folder)
        .env("PATH", path)
        .env("XDG_DATA_HOME", folder.join("data"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("COLUMNS")
        .output()
        .expect("a shell");
    let printed = [done.stdout, done.stderr].concat();
    (done.status.code().unwrap_or(-1), String::from_utf8_lossy(&printed).into_owned())
}

#[test]
fn every_command_of_the_readme_does_what_is_shown() {
    let folder = workplace();
    let steps = steps(&read("README.md"));
    let ours: Vec<&Step> = steps.iter().filter(|step| step.command.starts_with("fauxplat ")).collect();
    assert!(ours.len() >= 8, "README.md shows only {} commands", ours.len());
    for step in ours {
        let (status, printed) = run(step, folder.path());
        let place = format!("README.md:{}: $ {}", step.line, step.command);
        assert_eq!(status, step.status, "{place}\n{printed}");
        let missing = missing(&step.shown, &printed);
        assert!(missing.is_empty(), "{place}\ndoes not print {missing:?} any more, but\n{printed}");
    }
}

#[test]
fn every_command_of_the_readme_is_checked() {
    for Step { line, command, .. } in steps(&read("README.md")) {
        let known = command.starts_with("fauxplat ") || command.starts_with("make ");
        assert!(
            known,
            "README.md:{line}: `{command}` is neither fauxplat nor make; show it in another kind of block"
        );
    }
}

#[test]
fn every_make_line_names_a_target() {
    let makefile = read("Makefile");
    let lines = steps(&read("README.md"));
    let named = lines.iter().filter_map(|step| step.command.strip_prefix("make ")?.split(' ').next());
    let named: Vec<&str> = named.collect();
    assert_eq!(named[..2], ["demo", "test"], "README.md opens with the two commands");
    for target in named {
        assert!(
            makefile.lines().any(|line| line.starts_with(&format!("{target}:"))),
            "make {target}: no such target"
        );
    }
}

#[test]
fn every_link_leads_to_a_file() {
    for name in ["README.md", "ARCHITECTURE.md", "BIAS.md", "GLOSSARY.md", "CONTRIBUTING.md", "CHANGELOG.md"]
    {
        let text = read(name);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for target in targets.filter(|target| !target.is_empty() && !target.contains("://")) {
            assert!(root().join(target).exists(), "{name}: the link to {target} leads nowhere");
        }
    }
}

/// The value of a line `key = value` of a manifest, without quotes.
fn value<'a>(manifest: &'a str, key: &str) -> &'a str {
    let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
    line.unwrap_or_else(|| panic!("no {key} in\n{manifest}")).trim().trim_matches('"')
}

#[test]
fn every_crate_stands_on_the_map_with_its_layer() {
    let map = read("ARCHITECTURE.md");
    for place in ["lib", "crates"] {
        for entry in fs::read_dir(root().join(place)).expect("a folder of crates").flatten() {
            let path = format!("{place}/{}", entry.file_name().display());
            let Ok(manifest) = fs::read_to_string(entry.path().join("Cargo.toml")) else { continue };
            let row = format!("| {} | {} | `{path}` |", value(&manifest, "rank"), value(&manifest, "column"));
            assert!(map.contains(&row), "the code map of ARCHITECTURE.md lacks a row that begins with {row}");
        }
    }
}

#[test]
fn a_word_that_is_not_printed_is_noticed() {
    let shown = ["  sort    5.020 ms   slower".to_owned(), "…".to_owned()];
    assert_eq!(missing(&shown, "sort 7.1 s faster"), ["slower"]);
    assert_eq!(missing(&shown, "is slower than sorts"), Vec::<String>::new());
}

#[test]
fn a_session_is_read_with_its_output_and_its_statuses() {
    let text =
        "```console\n$ fauxplat run \\\n    x\nshown\n$ echo $?\n4\n```\nprose\n```text\n$ not this\n```\n";
    let step = Step { line: 2, command: "fauxplat run x".into(), shown: vec!["shown".into()], status: 4 };
    assert_eq!(steps(text), [step]);
}
