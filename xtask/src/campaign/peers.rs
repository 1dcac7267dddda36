//! Runs other tools on the planted pairs of `why`, and prints what each shows first.
//!
//! For a tool that does not sort its output by the difference, the row with the largest difference counts as its first
//! one.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{USAGE, why};
use crate::error::ChoreError;

/// Events of the kernel that `perf stat` counts even without hardware counters.
const EVENTS: &str = "task-clock,context-switches,cpu-migrations,page-faults";

/// Number of runs of each program under a sampling tool.
const RUNS: u32 = 10;

/// Programs that each column of the table needs.
const NEEDS: [&str; 5] = ["perf", "valgrind", "cg_diff", "inferno-collapse-perf", "inferno-diff-folded"];

/// Prints a table with a row for each pair that `campaign why` has built, or only for pairs whose names contain a word.
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

/// First cause that a document of `why` names; `none` if it names none.
fn first_cause(document: &Path) -> Result<String, ChoreError> {
    let text = fs::read_to_string(document).map_err(ChoreError::at(document))?;
    let found: Value = serde_json::from_str(&text).map_err(|error| ChoreError::Bench(error.to_string()))?;
    let first = &found["causes"][0];
    let words = ["kind", "place"].map(|key| first[key].as_str().unwrap_or_default());
    Ok(if words[0].is_empty() { "none".to_owned() } else { words.join(" ").trim().to_owned() })
}

/// Cell of a tool's column; `nothing` if the tool shows nothing.
fn of(place: &Path, commands: [&str; 2], tool: impl Fn(&Path, [&str; 2]) -> Option<String>) -> String {
    tool(place, commands).unwrap_or_else(|| "nothing".to_owned())
}

/// Standard output of a shell line in a folder; `None` if the line fails.
fn said(place: &Path, line: &str) -> Option<String> {
    let done = Command::new("sh").args(["-c", line]).current_dir(place).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The key whose number has the largest absolute value, and that number.
fn largest<K: Clone>(rows: impl Iterator<Item = (K, f64)>) -> Option<(K, f64)> {
    rows.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))
}

/// Name of the software event of `perf stat` whose count has the largest ratio, and that ratio.
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
    // The counts of both programs are increased by one, so that a single event more or less is no large change.
    let ratio = |(name, count): &(String, f64)| {
        let then = fast.iter().find(|it| it.0 == *name)?.1;
        Some((name.clone(), ((count + 1.0) / (then + 1.0)).ln()))
    };
    let (event, change) = largest(slow.iter().filter_map(ratio))?;
    Some(format!("{event} ×{:.2}", change.exp()))
}

/// Samples a program with call stacks, and writes the samples to a file.
fn record(place: &Path, command: &str, file: &str) -> Option<()> {
    let repeated = format!("for i in $(seq {RUNS}); do {command}; done");
    let line = format!(
        "perf record -q -e cpu-clock -F 4000 -g -o {file} -- sh -c '{}' > /dev/null 2> /dev/null",
        repeated.replace('\'', r"'\''")
    );
    said(place, &line).map(|_| ())
}

/// Function of `perf diff` whose share of the samples changes most, and that change.
fn diff_of_profiles(place: &Path, commands: [&str; 2]) -> Option<String> {
    record(place, commands[0], "fast.data")?;
    record(place, commands[1], "slow.data")?;
    let rows = said(place, "perf diff --sort symbol fast.data slow.data 2> /dev/null")?;
    // A row has the share before, the change in percentage points, and the function: `12.3%  +4.5%  [.] name`.
    let row = |line: &str| {
        let change =
            line.split_whitespace().find(|word| word.starts_with(['+', '-']) && word.ends_with('%'))?;
        let name = line.split_once("] ")?.1.trim().to_owned();
        Some((name, change.trim_end_matches('%').parse().ok()?))
    };
    let (name, points) = largest(rows.lines().filter_map(row))?;
    Some(format!("{name} {points:+.0} points"))
}

/// Function of `cg_diff` whose number of instructions changes most, and that change.
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
    // A row of the table of functions is `1,234 (56.7%)  file:function`, or the same without the percentage.
    let row = |line: &str| {
        let number: f64 = line.split_whitespace().next()?.replace(',', "").parse().ok()?;
        let (_, name) = line.rsplit_once(':')?;
        let is_function = line.contains("???:") || line.contains("  :") || line.contains("):");
        (is_function || !name.contains(' ')).then(|| (name.trim().to_owned(), number))
    };
    let (name, instructions) = largest(rows.lines().filter_map(row))?;
    Some(format!("{name} {:+.1} M instructions", instructions / 1e6))
}

/// Frame of a differential flame graph whose own time changes most, and that change.
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
    // The weight of a sample of the CPU clock is the number of nanoseconds that it stands for.
    let (frame, ns) = largest(own.into_iter())?;
    Some(format!("{frame} {:+.0} ms", ns / 1e6))
}
