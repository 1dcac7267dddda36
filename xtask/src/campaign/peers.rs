//! The planted pairs of `why`, put to other tools: what each of them shows first.
//!
//! A tool that sorts its output by something else than the difference is given the benefit of the doubt: the row with the
//! largest difference counts as its first one.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{USAGE, why};
use crate::error::ChoreError;

/// Events of the kernel that `perf stat` counts without counters of the processor.
const EVENTS: &str = "task-clock,context-switches,cpu-migrations,page-faults";

/// Runs of each program under a sampling tool.
const RUNS: u32 = 10;

/// Programs of each column.
const NEEDS: [&str; 5] = ["perf", "valgrind", "cg_diff", "inferno-collapse-perf", "inferno-diff-folded"];

/// Prints a table with a row for each pair that `campaign why` has built, or for those whose names have a word.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    if words.iter().any(|word| word.starts_with('-')) {
        return Err(ChoreError::Usage(USAGE));
    }
    for program in NEEDS {
        if !is_there(program) {
            println!(
                "{program} is missing, and so is its column (Debian: linux-perf, valgrind; cargo install inferno)"
            );
        }
    }
    let folder = super::folder("why")?;
    println!("| pair | why | perf stat | perf diff | cg_diff | difference of flame graphs |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for pair in why::pairs()?["pairs"].as_array().into_iter().flatten() {
        let name = why::text_of(pair, "name", "");
        let place = folder.join(name.replace(' ', "-"));
        if !words.is_empty() && !words.iter().any(|word| name.contains(word)) {
            continue;
        }
        if !place.join("why.json").exists() {
            println!("| {name} | not measured: cargo xtask campaign why |");
            continue;
        }
        why::shell(&place, why::text_of(pair, "setup", ":"))?;
        let commands = [why::text_of(pair, "fast", "./fast"), why::text_of(pair, "slow", "./slow")];
        let cells = [
            first_cause(&place.join("why.json"))?,
            of(&place, commands, stat),
            of(&place, commands, diff_of_profiles),
            of(&place, commands, diff_of_counts),
            of(&place, commands, diff_of_flames),
        ];
        why::shell(&place, why::text_of(pair, "cleanup", ":"))?;
        println!("| {name} | {} |", cells.join(" | "));
    }
    Ok(())
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The first cause that `why` named.
fn first_cause(document: &Path) -> Result<String, ChoreError> {
    let text = fs::read_to_string(document).map_err(ChoreError::at(document))?;
    let found: Value = serde_json::from_str(&text).map_err(|error| ChoreError::Bench(error.to_string()))?;
    let first = &found["causes"][0];
    let words = ["kind", "place"].map(|key| first[key].as_str().unwrap_or_default());
    Ok(if words[0].is_empty() { "none".to_owned() } else { words.join(" ").trim().to_owned() })
}

/// A cell of a tool, or why there is none.
fn of(place: &Path, commands: [&str; 2], tool: impl Fn(&Path, [&str; 2]) -> Option<String>) -> String {
    tool(place, commands).unwrap_or_else(|| "nothing".to_owned())
}

/// Standard output of a shell line in a folder; `None` where it fails.
fn said(place: &Path, line: &str) -> Option<String> {
    let done = Command::new("sh").args(["-c", line]).current_dir(place).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The key whose number changes most.
fn largest<K: Clone>(rows: impl Iterator<Item = (K, f64)>) -> Option<(K, f64)> {
    rows.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))
}

/// The software event of `perf stat` whose count has the largest ratio.
fn stat(place: &Path, commands: [&str; 2]) -> Option<String> {
    let counts = |command: &str| -> Option<Vec<(String, f64)>> {
        let line = format!(
            "perf stat -x, -o stat.csv -r 5 -e {EVENTS} -- {command} > /dev/null 2> /dev/null; cat stat.csv"
        );
        let rows = said(place, &line)?;
        let row = |line: &str| {
            let words: Vec<&str> = line.split(',').collect();
            Some(((*words.get(2)?).to_owned(), words.first()?.parse().ok()?))
        };
        Some(rows.lines().filter_map(row).collect())
    };
    let [fast, slow] = [counts(commands[0])?, counts(commands[1])?];
    // A single event more or less is no change of a count.
    let ratio = |(name, count): &(String, f64)| {
        let then = fast.iter().find(|it| it.0 == *name)?.1;
        Some((name.clone(), ((count + 1.0) / (then + 1.0)).ln()))
    };
    let (event, change) = largest(slow.iter().filter_map(ratio))?;
    Some(format!("{event} ×{:.2}", change.exp()))
}

/// Samples a program, with its callers, into a file.
fn record(place: &Path, command: &str, file: &str) -> Option<()> {
    let repeated = format!("for i in $(seq {RUNS}); do {command}; done");
    let line = format!(
        "perf record -q -e cpu-clock -F 4000 -g -o {file} -- sh -c '{}' > /dev/null 2> /dev/null",
        repeated.replace('\'', r"'\''")
    );
    said(place, &line).map(|_| ())
}

/// The function of `perf diff` whose share of the samples changes most.
fn diff_of_profiles(place: &Path, commands: [&str; 2]) -> Option<String> {
    record(place, commands[0], "fast.data")?;
    record(place, commands[1], "slow.data")?;
    let rows = said(place, "perf diff --sort symbol fast.data slow.data 2> /dev/null")?;
    // A row has the share before, the change in points, and the function: `12.3%  +4.5%  [.] name`.
    let row = |line: &str| {
        let change =
            line.split_whitespace().find(|word| word.starts_with(['+', '-']) && word.ends_with('%'))?;
        let name = line.split_once("] ")?.1.trim().to_owned();
        Some((name, change.trim_end_matches('%').parse().ok()?))
    };
    let (name, points) = largest(rows.lines().filter_map(row))?;
    Some(format!("{name} {points:+.0} points"))
}

/// The function of `cg_diff` whose instructions change most.
fn diff_of_counts(place: &Path, commands: [&str; 2]) -> Option<String> {
    let count = |command: &str, file: &str| {
        let line = format!(
            "rm -f {file}.*; valgrind --tool=cachegrind --trace-children=yes --cachegrind-out-file={file}.%p {command} \
             > /dev/null 2> /dev/null; mv $(ls -S {file}.* | head -n 1) {file}"
        );
        said(place, &line)
    };
    count(commands[0], "fast.cg")?;
    count(commands[1], "slow.cg")?;
    let rows =
        said(place, "cg_diff --mod-filename='s/.*//' fast.cg slow.cg > both.cg && cg_annotate both.cg")?;
    // A row of the table of functions is `1,234 (56.7%)  file:function`, or without a share.
    let row = |line: &str| {
        let number: f64 = line.split_whitespace().next()?.replace(',', "").parse().ok()?;
        let (_, name) = line.rsplit_once(':')?;
        let is_function = line.contains("???:") || line.contains("  :") || line.contains("):");
        (is_function || !name.contains(' ')).then(|| (name.trim().to_owned(), number))
    };
    let (name, instructions) = largest(rows.lines().filter_map(row))?;
    Some(format!("{name} {:+.1} M instructions", instructions / 1e6))
}

/// The frame of a difference of flame graphs whose own time changes most.
fn diff_of_flames(place: &Path, _: [&str; 2]) -> Option<String> {
    let line = "for s in fast slow; do perf script -i $s.data 2> /dev/null | inferno-collapse-perf > $s.folded; done; \
                inferno-diff-folded fast.folded slow.folded";
    let rows = said(place, line)?;
    let mut own = std::collections::BTreeMap::<String, f64>::new();
    for row in rows.lines() {
        let mut words = row.rsplitn(3, ' ');
        let (after, before) = (words.next()?.parse::<f64>().ok()?, words.next()?.parse::<f64>().ok()?);
        let frame = words.next()?.rsplit(';').next()?.to_owned();
        *own.entry(frame).or_default() += after - before;
    }
    // A sample of the CPU clock weighs the nanoseconds that it stands for.
    let (frame, ns) = largest(own.into_iter())?;
    Some(format!("{frame} {:+.0} ms", ns / 1e6))
}
