//! The pages for users of other tools: each command line of another tool works with fauxplat as its comment says.

use std::fs;
use std::path::Path;

use crate::common::{Done, Lab};

/// The command lines in the fenced block of this kind on a page, with their comments.
fn lines(page: &str, kind: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = fs::read_to_string(path).unwrap();
    let block = text.split(&format!("```{kind}\n")).nth(1).and_then(|rest| rest.split("\n```").next());
    let lines = block.unwrap_or_else(|| panic!("{page} has no block of {kind}")).lines();
    lines
        .map(|line| {
            let (line, comment) = line.rsplit_once(" # ").unwrap_or_else(|| panic!("no comment: {line}"));
            (line.trim().to_owned(), comment.to_owned())
        })
        .collect()
}

/// A laboratory with the files that the command lines use.
fn workplace() -> Lab {
    let lab = Lab::new();
    lab.write("words", "b\na\nb\n");
    lab.write("notes", "needle\n");
    lab.write("main.c", "int main(void) { return 0; }\n");
    lab.write("Makefile", "program: main.c\n\tcc -o program main.c\nclean:\n\trm -f program\n");
    lab
}

/// Runs a command line of another tool as a shell line of fauxplat, in place of the tool's name.
fn ours(lab: &Lab, line: &str, options: &str) -> Done {
    let rest = line.split_once(' ').unwrap().1;
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("{} {options} {rest}", lab.starter().join(" "))]);
    lab.settle(&mut shell);
    Done::of(shell)
}

#[test]
fn lines_of_hyperfine_do_what_they_do_there() {
    let lines = lines("from-hyperfine.md", "hyperfine");
    assert!(lines.len() >= 20, "{lines:?}");
    for (line, comment) in lines {
        let lab = workplace();
        let (count, runs) = comment.split_once(", ").unwrap_or((&comment, ""));
        // Where a command line states no number of runs, a second is enough to see that it works.
        let limit = if runs.is_empty() { "--max-time 1s" } else { "" };
        let done = ours(&lab, &line, &format!("--store none {limit} --export json=record.json"));
        // A comparison may have any verdict; its commands were run.
        assert_eq!(done.code, Some(0), "{line}: {done:?}");
        let record: serde_json::Value = serde_json::from_str(&lab.read("record.json")).unwrap();
        let commands = record["commands"].as_array().unwrap();
        assert_eq!(count.split(' ').next().unwrap(), commands.len().to_string(), "{line}");
        if let Some(runs) = runs.split(' ').next().filter(|runs| !runs.is_empty()) {
            for command in commands {
                let measured = command["runs"].as_array().unwrap().iter();
                let measured = measured.filter(|run| run["phase"] == "measured").count();
                assert_eq!(measured.to_string(), runs, "{line}");
            }
        }
        for file in line.split_whitespace().filter(|word| word.starts_with("result.")) {
            assert!(!lab.read(file).is_empty(), "{line} writes no {file}");
        }
    }
}

#[test]
fn lines_that_mean_something_else_say_what_to_type() {
    for page in
        ["from-hyperfine.md", "from-perf-stat.md", "from-pyperf.md", "from-benchexec.md", "from-poop.md"]
    {
        for (line, word) in lines(page, "refused") {
            let lab = workplace();
            let done = ours(&lab, &line, "--store none").complains(2, &[&word]);
            assert_eq!(done.out, "", "{line}");
        }
    }
}
