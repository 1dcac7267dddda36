//! Runs the commands that the README and the pages of the verbs show: they end as shown, and print the words below
//! them.
//!
//! Blocks of `console` are read as a shell session. A line `$ fauxplat …` is run by a shell in a folder of its own with
//! a store of its own; the lines below it are its output, of which every word must be printed again, numbers aside. A
//! line that is nothing but `…` stands for omitted output. `$ echo $?` shows the exit status, which is 0 otherwise. A
//! line `$ make …` is not run, but its target must exist. Output that depends on the machine (its CPUs, caches,
//! counters, the size of an effect) is omitted: the test has to pass on any machine.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the tests start the built binary as a user would, and say what they tried again"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// A command of a session, with the output shown below it.
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

/// The documents whose commands are run: the README, a page for each verb, and pages for users of other tools.
fn shown_documents() -> Vec<String> {
    let folder = root().join("docs/verbs");
    let pages = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let names = pages.flatten().map(|entry| format!("docs/verbs/{}", entry.file_name().display()));
    let others = ["perf-stat", "pyperf", "benchexec", "cyclictest", "poop"];
    let others = others.map(|tool| format!("docs/from-{tool}.md"));
    let mut names: Vec<String> = names.chain(["README.md".to_owned()]).chain(others).collect();
    names.sort();
    names
}

/// The verbs, by the list that `--help` prints.
fn verbs() -> Vec<String> {
    let step = Step { command: "fauxplat --help".to_owned(), ..Step::default() };
    let (status, help) = run(&step, Path::new("/"));
    assert_eq!(status, 0, "{help}");
    let list = help.split("Usage:").next();
    let is_entry = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names =
        list.unwrap_or_default().lines().filter(is_entry).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The steps of all `console` blocks of a document, in their order.
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

/// Units that depend on the size of a number; they are treated as a part of the number and not compared.
const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "min"];

/// Words of at least three letters; shorter ones are units, signs or options. Plural and singular of a word depend on a
/// number, so a final `s` is cut.
fn words(text: &str) -> BTreeSet<String> {
    let letters = |c: char| !c.is_alphabetic() && c != '_';
    text.split(letters)
        .filter(|word| word.chars().count() >= 3 && !UNITS.contains(word))
        .map(|word| word.trim_end_matches('s').to_owned())
        .collect()
}

/// Words that a document shows and the command did not print.
fn missing(shown: &[String], printed: &str) -> Vec<String> {
    let shown: Vec<&str> = shown.iter().map(String::as_str).filter(|line| line.trim() != "…").collect();
    words(&shown.join("\n")).difference(&words(printed)).cloned().collect()
}

/// A folder with files for a document's commands: a log such as the demo's, but smaller.
fn workplace() -> tempfile::TempDir {
    // Folders that others may write to are refused, so the mode does not depend on the umask.
    let for_us = fs::Permissions::from_mode(0o700);
    let folder =
        tempfile::Builder::new().permissions(for_us).tempdir().expect("a folder for temporary files");
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

/// Source of a program that computes the same answer with any `STEP`, and takes a different time.
const PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n  unsigned long n = atol(v[c - 1]), sum = \
                       0;\n  for (unsigned long i = 0; i < n * STEP; i += STEP) sum += (i / STEP) ^ sum >> 3;\n  printf(\"%lu\\n\", \
                       sum);\n}\n";

/// Creates a live table with counters, as a server would publish them.
fn publish(path: &Path) {
    let options = fauxplat_table::Options::new().dense_keys(2).max_hashed_objects(100).on_disk(true);
    let table: fauxplat_table::Table = options.create(path).expect("a table in that folder");
    for (object, key, value) in [(1, 0, 5120), (1, 1, 655_360), (2, 0, 1024), (2, 1, 131_072)] {
        table.set(object, key, value).expect("there is room");
    }
}

/// Runs one step by a shell; returns the exit status and everything that was printed.
fn run(step: &Step, folder: &Path) -> (i32, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_fauxplat"));
    let path =
        format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    // A command that never ends is ended, and its status says so.
    let done = Command::new("timeout")
        .args(["600", "sh", "-c", &step.command])
        .current_dir(folder)
        .env("PATH", path)
        .env("XDG_DATA_HOME", folder.join("data"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("FAUXPLAT_CONFIG", "none")
        // Tables leave columns out where the terminal is narrow.
        .env("COLUMNS", "250")
        .output()
        .expect("a shell");
    let printed = [done.stdout, done.stderr].concat();
    (done.status.code().unwrap_or(-1), String::from_utf8_lossy(&printed).into_owned())
}

/// Differences between a document and the output of its commands, run in a new folder, preceded by the number of
/// commands that were run.
fn failures(name: &str) -> (usize, Vec<String>) {
    let folder = workplace();
    let steps = steps(&read(name));
    let ours: Vec<&Step> = steps.iter().filter(|step| step.command.starts_with("fauxplat ")).collect();
    let mut failures = Vec::new();
    for step in &ours {
        let (status, printed) = run(step, folder.path());
        let place = format!("{name}:{}: $ {}", step.line, step.command);
        let missing = missing(&step.shown, &printed);
        if status != step.status {
            failures.push(format!("{place}\nends with {status}\n{printed}"));
        } else if !missing.is_empty() {
            failures.push(format!("{place}\ndoes not print {missing:?} any more, but\n{printed}"));
        }
    }
    (ours.len(), failures)
}

/// Words in reports of `compare` and `sweep` that ended without a verdict, because their time or runs were used up.
const NO_ANSWER: [&str; 3] = ["inconclusive", "is undecided", "cannot be excluded either"];

/// Whether a failed command ended without a verdict. Reports are wrapped, also between the words that say so, so the
/// lines are joined first.
fn is_in_doubt(failure: &str) -> bool {
    let line = failure.split_whitespace().collect::<Vec<_>>().join(" ");
    NO_ANSWER.iter().any(|words| line.contains(words))
}

/// The result of [`failures`]. As long as all failures are missing verdicts, which a disturbance of the machine can
/// cause, all commands are run again, up to three times in all.
fn settled_failures(name: &str) -> (usize, Vec<String>) {
    let is_settled = |failed: &[String]| failed.is_empty() || !failed.iter().all(|it| is_in_doubt(it));
    let mut result = failures(name);
    for _ in 0..2 {
        if is_settled(&result.1) {
            break;
        }
        println!("tried again: {}", result.1.join("\n"));
        result = failures(name);
    }
    result
}

/// Two documents are run at the same time: no output that they show depends on speed.
#[test]
fn every_command_of_the_documents_does_what_is_shown() {
    let (open, found) = (Mutex::new(shown_documents()), Mutex::new((0, Vec::new())));
    let work = || {
        loop {
            let Some(name) = open.lock().unwrap().pop() else { return };
            let (count, failures) = settled_failures(&name);
            let mut found = found.lock().unwrap();
            found.0 += count;
            found.1.extend(failures);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let (count, failures) = found.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(count >= 40, "the documents show only {count} commands");
}

#[test]
fn every_command_of_the_documents_is_checked() {
    for name in shown_documents() {
        for Step { line, command, .. } in steps(&read(&name)) {
            let known = command.starts_with("fauxplat ") || command.starts_with("make ");
            assert!(
                known,
                "{name}:{line}: `{command}` is neither fauxplat nor make; show it in another kind of block"
            );
        }
    }
}

#[test]
fn every_verb_has_a_page_that_the_readme_names_and_that_shows_it() {
    let (readme, verbs) = (read("README.md"), verbs());
    assert!(verbs.len() >= 16, "{verbs:?}");
    for verb in verbs {
        let page = read(&format!("docs/verbs/{verb}.md"));
        let shows = steps(&page).iter().any(|step| step.command.starts_with(&format!("fauxplat {verb} ")));
        assert!(
            shows || page.contains(&format!("$ fauxplat {verb}")),
            "docs/verbs/{verb}.md does not show {verb}"
        );
        let row = readme.lines().find(|line| line.starts_with("| [`") && line.contains(&format!("`{verb}`")));
        assert!(row.is_some(), "the table of verbs in README.md lacks {verb}");
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

/// All documents that lie in these folders of the repository.
fn documents(folders: &[&str]) -> Vec<PathBuf> {
    let entries =
        folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).expect("a folder").flatten());
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

#[test]
fn every_link_leads_to_a_file() {
    let documents = documents(&[".", "docs", "docs/verbs", "docs/methods", "records/simulated"]);
    assert!(documents.len() >= 30, "{documents:?}");
    for path in documents {
        let text = fs::read_to_string(&path).expect("a document");
        let folder = path.parent().expect("a folder");
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for target in targets.filter(|target| !target.is_empty() && !target.contains("://")) {
            assert!(folder.join(target).exists(), "{}: the link to {target} leads nowhere", path.display());
        }
    }
}

/// Whether a source file has a test of this name: a function with the attribute `test`, or, in a program without the
/// usual test harness, an entry of the program's own list, by its function (`("what it says", function)`) or by its
/// text (`test("what it says", …)`).
fn has_test(source: &str, name: &str) -> bool {
    let flat = source.split_whitespace().collect::<Vec<_>>().join(" ");
    let with_attribute = format!("#[test] fn {name}(");
    let listed = [format!("\", {name})"), format!("\", {name}, )"), format!("test(\"{name}\", ")];
    flat.contains(&with_attribute) || listed.iter().any(|entry| flat.contains(entry))
}

#[test]
fn a_function_that_is_no_test_is_told_from_one() {
    let source = "#[test]\nfn one() {}\nfn helper() {}\n(\"two\", two),\n(\n\"three\",\nthree,\n),\ntest(\"a disk\", &|| few());";
    assert!(["one", "two", "three", "a disk"].iter().all(|name| has_test(source, name)));
    assert!(!["helper", "few", "four"].iter().any(|name| has_test(source, name)));
}

/// Promises of docs/security.md name a file and a test in it.
#[test]
fn every_promise_of_security_names_a_test_that_there_is() {
    let text = read("docs/security.md");
    let spans: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let named = spans.windows(2).filter(|pair| pair[0].ends_with(".rs")).collect::<Vec<_>>();
    assert!(named.len() >= 30, "{named:?}");
    for pair in named {
        let (file, name) = (pair[0], pair[1]);
        assert!(has_test(&read(file), name), "docs/security.md: {file} has no test `{name}`");
    }
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.contains(" … | test |"));
    let silent: Vec<&str> = rows.filter(|row| !row.starts_with("| ---") && !row.contains(".rs` `")).collect();
    assert_eq!(silent, [""; 0], "without a test");
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
fn what_found_no_answer_is_told_from_what_is_wrong() {
    for page in [
        "inconclusive: 3 more pairs",
        "n moves the wall time, but whether by more than ±1 % is\n  undecided: x",
    ] {
        assert!(is_in_doubt(page), "{page}");
    }
    let sweep = "n showed no effect beyond drift on the wall time (p = 0.3), but a small one cannot\n  be excluded either: x";
    assert!(is_in_doubt(sweep));
    assert!(!is_in_doubt("does not print [\"differ\"] any more, but\nn has no effect beyond drift"));
}

#[test]
fn a_session_is_read_with_its_output_and_its_statuses() {
    let text =
        "```console\n$ fauxplat run \\\n    x\nshown\n$ echo $?\n4\n```\nprose\n```text\n$ not this\n```\n";
    let step = Step { line: 2, command: "fauxplat run x".into(), shown: vec!["shown".into()], status: 4 };
    assert_eq!(steps(text), [step]);
}
