//! Verdicts of `compare` about peak memory as an ordinary user, where the reading of a small program is only an upper bound.
//!
//! The true order of the programs is known. A verdict is wrong if it names the wrong order, or calls programs equal of
//! which one takes more. Time does not matter here, so several comparisons run at once.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, thread};

use serde_json::Value;

use super::USAGE;
use crate::cargo;
use crate::error::ChoreError;

/// A user without privileges: `nobody` on every Linux.
const NOBODY: u32 = 65534;
const AT_ONCE: usize = 4;

/// The true relation of the peak memory of the second program to that of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Truth {
    More,
    Less,
    Same,
    /// Unknown, since the readings of both programs are bounds.
    Hidden,
}

const KINDS: [(&str, [&str; 2], Truth); 10] = [
    ("small, small", ["true", "true"], Truth::Hidden),
    ("small, another small", ["true", "sh -c :"], Truth::Hidden),
    ("small, large", ["true", BIG], Truth::More),
    ("large, small", [BIG, "true"], Truth::Less),
    ("small, just above the bound", ["true", "perl -e 1"], Truth::More),
    ("just above the bound, small", ["perl -e 1", "sh -c :"], Truth::Less),
    ("large, the same", [BIG, BIG], Truth::Same),
    ("large, 6 % larger", [BIG, BIGGER], Truth::More),
    ("a large child, small", [CHILD, "sh -c true"], Truth::Less),
    ("small, sometimes large", ["true", SOMETIMES], Truth::More),
];

const BIG: &str = "perl -e '$n = 20_000_000; $x = q(a) x $n'";
const BIGGER: &str = "perl -e '$n = 23_000_000; $x = q(a) x $n'";
const CHILD: &str = "sh -c 'perl -e \"\\$n = 20_000_000; \\$x = q(a) x \\$n\"; true'";
const SOMETIMES: &str = "sh -c 'test $(($$ / 2 % 2)) = 0 || exec true; exec perl -e \"q(a) x 20_000_000\"'";

/// Runs the campaign: `[N]`, the number of comparisons of each kind.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let times: usize = match words {
        [] => 50,
        [times] => times.parse().map_err(|_| ChoreError::Usage(USAGE))?,
        _ => return Err(ChoreError::Usage(USAGE)),
    };
    let folder = super::folder("bounds")?;
    let fauxplat = cargo::build_release()?;
    println!(
        "peak memory as an ordinary user\n{:<30} {:>6} {:>5} {:>5} {:>5} {:>5}",
        "programs", "more", "less", "same", "open", "wrong"
    );
    let mut wrong = 0;
    for (kind, (name, commands, truth)) in KINDS.iter().enumerate() {
        let files: Vec<PathBuf> =
            (0..times).map(|number| folder.join(format!("{kind}-{number}.json"))).collect();
        let open: Vec<&PathBuf> = files.iter().filter(|file| !file.exists()).collect();
        for some in open.chunks(AT_ONCE) {
            thread::scope(|scope| {
                let asked: Vec<_> =
                    some.iter().map(|file| scope.spawn(|| compare(&fauxplat, commands, file))).collect();
                asked.into_iter().try_for_each(|asked| asked.join().expect("a comparison does not panic"))
            })?;
        }
        let mut said = [0; 4];
        let mut wrong_here = 0;
        for file in &files {
            let verdict = verdict(file)?;
            said[verdict as usize] += 1;
            wrong_here += usize::from(is_wrong(verdict, *truth));
        }
        let [more, less, same, open] = said;
        println!("{name:<30} {more:>6} {less:>5} {same:>5} {open:>5} {wrong_here:>5}");
        wrong += wrong_here;
    }
    println!("{wrong} of {} are wrong", KINDS.len() * times);
    Ok(())
}

/// Answer of a comparison, about the second program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    More,
    Less,
    Same,
    Open,
}

fn is_wrong(verdict: Verdict, truth: Truth) -> bool {
    match verdict {
        Verdict::Open => false,
        Verdict::More => truth != Truth::More,
        Verdict::Less => truth != Truth::Less,
        Verdict::Same => truth != Truth::Same,
    }
}

fn compare(fauxplat: &Path, [a, b]: &[&str; 2], document: &Path) -> Result<(), ChoreError> {
    let part = document.with_extension("part");
    let file = fs::File::create(&part).map_err(ChoreError::at(&part))?;
    let mut command = Command::new(fauxplat);
    command.args(["compare", "--metric", "peak-memory", "--max-pairs", "64", "--store", "none", "--quiet"]);
    command.args(["--format", "json", a, b]).current_dir("/").env("HOME", "/nonexistent");
    command.uid(NOBODY).gid(NOBODY).stdout(file).stderr(Stdio::null());
    let status = command.status().map_err(ChoreError::at(fauxplat))?;
    if !status.success() {
        return Err(ChoreError::Bench(format!("`{a}` against `{b}` as user {NOBODY}: {status}")));
    }
    fs::rename(&part, document).map_err(ChoreError::at(document))
}

fn verdict(document: &Path) -> Result<Verdict, ChoreError> {
    let text = fs::read_to_string(document).map_err(ChoreError::at(document))?;
    let found: Value = serde_json::from_str(&text).map_err(|error| ChoreError::Bench(error.to_string()))?;
    let compared = &found["comparisons"][0];
    let effect = compared["effect_ratio"].as_f64();
    match (compared["verdict"].as_str(), effect) {
        (Some("inconclusive"), _) => Ok(Verdict::Open),
        (Some("equivalent"), _) => Ok(Verdict::Same),
        (Some("different"), Some(effect)) => Ok(if effect > 1.0 { Verdict::More } else { Verdict::Less }),
        _ => Err(ChoreError::Bench(format!("{}: no verdict", document.display()))),
    }
}
