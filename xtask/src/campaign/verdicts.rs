//! Quality of `compare` on everyday programs: rate of false verdicts, share of decided comparisons, power, and
//! detection of slow runs.
//!
//! A cell is one batch of comparisons for a question about a kind of program. The document of each cell is stored, so
//! an interrupted campaign continues with the cells that are missing; the record summarizes all documents.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{USAGE, kinds::Kind};
use crate::cargo;
use crate::error::ChoreError;

/// A property of `compare` that is tested on a kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Whether identical copies are called different, under this disturbance of `fauxplat aa`.
    Same(&'static str),
    /// Whether `compare` finds that one command takes 2 % more time.
    Shifted,
    /// Whether `compare` finds that one command takes twice as long in one run of twenty.
    Tail,
}

const STRATA: [&str; 3] = ["plain", "drift", "layout"];

impl Question {
    fn of(kind: &Kind) -> Vec<Question> {
        match kind.has_tail {
            true => vec![Question::Tail],
            false => STRATA.into_iter().map(Question::Same).chain([Question::Shifted]).collect(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Question::Same(stratum) => stratum,
            Question::Shifted => "shifted",
            Question::Tail => "tail",
        }
    }

    /// Number of batches, and number of comparisons in each batch.
    fn batches(self) -> (u32, u32) {
        match self {
            Question::Same(_) => (3, 4),
            Question::Shifted => (4, 5),
            Question::Tail => (60, 1),
        }
    }
}

/// Runs the campaign: `[--minutes N] [KIND]…`. After the given number of minutes no batch begins.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let (minutes, wanted) = match words {
        ["--minutes", minutes, wanted @ ..] => {
            (minutes.parse().map_err(|_| ChoreError::Usage(USAGE))?, wanted)
        }
        wanted => (u64::MAX / 60, wanted),
    };
    let folder = super::folder("verdicts")?;
    let kinds = Kind::all(&folder)?;
    if let Some(unknown) = wanted.iter().find(|name| kinds.iter().all(|kind| kind.name != **name)) {
        let known: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        return Err(ChoreError::Bench(format!("there is no kind {unknown}; there are {}", known.join(", "))));
    }
    let kinds: Vec<Kind> =
        kinds.into_iter().filter(|kind| wanted.is_empty() || wanted.contains(&kind.name)).collect();
    let fauxplat = cargo::build_release()?;
    let (begun, limit) = (Instant::now(), Duration::from_secs(minutes.saturating_mul(60)));
    for cell in cells(&kinds).filter(|cell| !cell.file(&folder).exists()) {
        if begun.elapsed() > limit {
            println!("{minutes} minutes are over; the same command goes on");
            break;
        }
        cell.run(&fauxplat, &folder)?;
    }
    let text = record(&kinds, &folder)?;
    let path = folder.join("record.txt");
    fs::write(&path, &text).map_err(ChoreError::at(&path))?;
    println!("\n{text}\nthe record is {}", path.display());
    Ok(())
}

struct Cell<'k> {
    kind: &'k Kind,
    question: Question,
    batch: u32,
}

/// All cells: the first batch of every kind before the second batch of any, so that a campaign that is ended early has
/// tried all kinds.
fn cells(kinds: &[Kind]) -> impl Iterator<Item = Cell<'_>> {
    let most = kinds.iter().flat_map(Question::of).map(|question| question.batches().0).max().unwrap_or(0);
    let of_kind = |batch: u32| {
        move |kind| {
            let asked = Question::of(kind).into_iter().filter(move |question| batch < question.batches().0);
            asked.map(move |question| Cell { kind, question, batch })
        }
    };
    (0..most).flat_map(move |batch| kinds.iter().flat_map(of_kind(batch)))
}

impl Cell<'_> {
    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.{}.{}.json", self.kind.name, self.question.name(), self.batch))
    }

    fn run(&self, fauxplat: &Path, folder: &Path) -> Result<(), ChoreError> {
        let (file, part) = (self.file(folder), folder.join("part.json"));
        let each = self.question.batches().1.to_string();
        let mut command = Command::new(fauxplat);
        match self.question {
            Question::Same(stratum) => command.args(["aa", "-N", &each, "--strata", stratum]),
            Question::Shifted => command.args(["aa", "-N", "1", "--strata", "plain", "--power", "2%"]),
            Question::Tail => command.arg("compare"),
        };
        if self.question == Question::Shifted {
            command.args(["--power-comparisons", &each]);
        }
        if let Some(seconds) = self.kind.seconds {
            command.arg("--max-time").arg(format!("{seconds}s"));
        }
        command.args(["--quiet", "--store", "none", "--format", "json"]).args(&self.kind.commands);
        let begun = Instant::now();
        let output = command.output().map_err(ChoreError::at(fauxplat))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(ChoreError::Bench(format!("{}: {}", file.display(), said.trim())));
        }
        println!(
            "{:<12} {:<8} {:>2} {:6.1} s",
            self.kind.name,
            self.question.name(),
            self.batch,
            begun.elapsed().as_secs_f64()
        );
        fs::write(&part, &output.stdout).map_err(ChoreError::at(&part))?;
        fs::rename(&part, &file).map_err(ChoreError::at(&file))
    }
}

/// Sums over all documents of a question about a kind.
#[derive(Default)]
struct Sums {
    comparisons: u64,
    different: u64,
    equivalent: u64,
    pairs: f64,
}

impl Sums {
    fn add(&mut self, counted: &Value, different: &str) {
        let number = |name: &str| counted[name].as_u64().unwrap_or(0);
        self.comparisons += number("comparisons");
        self.different += number(different);
        self.equivalent += number("equivalent");
        self.pairs += counted["pairs_mean"].as_f64().unwrap_or(0.0) * number("comparisons") as f64;
    }

    fn pairs(&self) -> f64 {
        self.pairs / self.comparisons.max(1) as f64
    }
}

fn documents(kind: &Kind, question: Question, folder: &Path) -> Result<Vec<Value>, ChoreError> {
    let batches = 0..question.batches().0;
    let files = batches.map(|batch| Cell { kind, question, batch }.file(folder)).filter(|file| file.exists());
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).map_err(ChoreError::at(&file))?;
        serde_json::from_str(&text).map_err(|error| ChoreError::Bench(format!("{}: {error}", file.display())))
    };
    files.map(read).collect()
}

fn record(kinds: &[Kind], folder: &Path) -> Result<String, ChoreError> {
    let mut lines = vec![format!(
        "{:<12} {:>30} {:>12} {:>22} {:>8}",
        "kind", "identical: called different", "equivalent", "2 % more: found", "pairs"
    )];
    let mut all = Sums::default();
    for kind in kinds.iter().filter(|kind| !kind.has_tail) {
        let (mut same, mut shifted) = (Sums::default(), Sums::default());
        for stratum in STRATA {
            for document in documents(kind, Question::Same(stratum), folder)? {
                same.add(&document["strata"][0], "false_verdicts");
                all.add(&document["strata"][0], "false_verdicts");
            }
        }
        for document in documents(kind, Question::Shifted, folder)? {
            shifted.add(&document["power"][0], "found");
        }
        lines.push(format!(
            "{:<12} {:>23} of {:>3} {:>5} of {:>3} {:>15} of {:>3} {:>3.0}/{:.0}",
            kind.name,
            same.different,
            same.comparisons,
            same.equivalent,
            same.comparisons,
            shifted.different,
            shifted.comparisons,
            same.pairs(),
            shifted.pairs()
        ));
    }
    lines.push(format!(
        "all: {} of {} identical pairs were called different (goal: at most 8 of 400), {} equivalent",
        all.different, all.comparisons, all.equivalent
    ));
    for kind in kinds.iter().filter(|kind| kind.has_tail) {
        lines.push(tails(kind, folder)?);
    }
    Ok(lines.join("\n") + "\n")
}

fn tails(kind: &Kind, folder: &Path) -> Result<String, ChoreError> {
    let documents = documents(kind, Question::Tail, folder)?;
    let comparisons: Vec<&Value> = documents.iter().map(|document| &document["comparisons"][0]).collect();
    let count = |is: &dyn Fn(&&&Value) -> bool| comparisons.iter().filter(is).count();
    let in_tail =
        |it: &&&Value| it["difference_in"].as_array().is_some_and(|list| list.contains(&"tail".into()));
    Ok(format!(
        "{}: of {}, slow runs are named in {} (goal: 54 of 60), equivalent as a whole in {} (goal: 0), in typical runs in {}",
        kind.name,
        comparisons.len(),
        count(&in_tail),
        count(&|it| it["extent"] == "whole"),
        count(&|it| it["extent"] == "typical"),
    ))
}
