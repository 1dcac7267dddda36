//! How often a gate finds that a real program (sort, perl, four threads, arithmetic) does a little more work, and how
//! soon a program is called equivalent to itself.
//!
//! The document of each gate is kept, so an interrupted campaign continues with the gates that are missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::USAGE;
use super::burner::Burner;
use super::kinds::{compile, lines, sized_rounds};
use crate::cargo;
use crate::error::ChoreError;

/// Time limit of a gate in seconds.
const LIMIT_S: u32 = 40;
/// Number of runs with each amount of work in the calibration of how much more work takes how much more time.
const CALIBRATION_RUNS: usize = 200;

/// A program whose amount of work is an argument.
struct Subject {
    name: &'static str,
    /// The usual amount of work.
    amount: u64,
    /// Returns the argument vector with which the program does this amount of work.
    command: Box<dyn Fn(u64) -> Result<Vec<String>, ChoreError>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Question {
    /// Whether a gate finds that the program takes this many per cent longer.
    More(f64),
    /// How soon the program is called equivalent to itself.
    Same,
}

impl Question {
    fn percent(self) -> f64 {
        match self {
            Question::More(percent) => percent,
            Question::Same => 0.0,
        }
    }
}

/// Runs the campaign: `[--beside-burner] [PERCENT|same [N]]`, or `printed [PERCENT [N]]`.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    if let ["printed", rest @ ..] = words {
        return run_printed(rest);
    }
    let (is_busy, words) = match words {
        ["--beside-burner", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let question = match words.first() {
        None => Question::More(3.0),
        Some(&"same") => Question::Same,
        Some(percent) => Question::More(percent.parse().map_err(|_| ChoreError::Usage(USAGE))?),
    };
    let times: usize = match words.get(1) {
        None => 20,
        Some(times) => times.parse().map_err(|_| ChoreError::Usage(USAGE))?,
    };
    let folder = super::folder("gates")?;
    let fauxplat = cargo::build_release()?;
    let subjects = subjects(&folder)?;
    let mut commands = Vec::new();
    for subject in &subjects {
        commands.push(subject.pair(&folder, question.percent())?);
    }
    let _burner = is_busy.then(Burner::start).transpose()?;
    let busy = if is_busy { "busy" } else { "alone" };
    let document = |subject: &Subject, number: usize| {
        folder.join(format!("{}-{question:?}-{busy}-{number}.json", subject.name))
    };
    for number in 0..times {
        for (subject, pair) in subjects.iter().zip(&commands) {
            let document = document(subject, number);
            if !document.exists() {
                compare(&fauxplat, pair, question, &[], &document)?;
            }
        }
    }
    let beside = if is_busy { "a process that burns a CPU" } else { "no load of its own" };
    println!("{}", head(question, &format!("{LIMIT_S} s, beside {beside}")));
    for subject in &subjects {
        let files: Vec<PathBuf> = (0..times).map(|number| document(subject, number)).collect();
        println!("{}", told(subject.name, question, &files)?);
    }
    Ok(())
}

/// Runs gates on a number that a program prints with 3 % of noise. As nothing but that noise affects the number,
/// several gates run at the same time.
fn run_printed(words: &[&str]) -> Result<(), ChoreError> {
    const AT_ONCE: usize = 4;
    let read = |word: &&str| word.parse::<f64>().map_err(|_| ChoreError::Usage(USAGE));
    let percent = words.first().map_or(Ok(3.0), read)?;
    let times = words.get(1).map_or(Ok(20.0), read)? as usize;
    let folder = super::folder("gates")?;
    let fauxplat = cargo::build_release()?;
    let program = compile("verdict/noisy", &folder)?.display().to_string();
    let pair = [line(std::slice::from_ref(&program)), line(&[program.clone(), percent.to_string()])];
    let question = Question::More(percent);
    let files: Vec<PathBuf> =
        (0..times).map(|number| folder.join(format!("printed-{question:?}-{number}.json"))).collect();
    let options = ["--metric-from", "lat=lat ([0-9.]+)", "--metric", "printed:lat", "--max-time", "20s"];
    let open: Vec<&PathBuf> = files.iter().filter(|file| !file.exists()).collect();
    for some in open.chunks(AT_ONCE) {
        std::thread::scope(|scope| {
            let (fauxplat, pair, options) = (&fauxplat, &pair, &options);
            let ask = |file: &'_ PathBuf| {
                let file = file.clone();
                scope.spawn(move || compare(fauxplat, pair, question, options, &file))
            };
            let asked: Vec<_> = some.iter().map(|file| ask(file)).collect();
            asked.into_iter().try_for_each(|gate| gate.join().expect("a gate does not panic"))
        })?;
    }
    println!("{}", head(question, &format!("20 s, {AT_ONCE} gates at once")));
    println!("{}", told("printed", question, &files)?);
    Ok(())
}

fn subjects(folder: &Path) -> Result<Vec<Subject>, ChoreError> {
    let (work, threads) = (compile("work", folder)?, compile("verdict/threads", folder)?);
    let of_work = sized_rounds(folder, &work, &[], 5.0)?;
    let of_threads = sized_rounds(folder, &threads, &["4"], 4.0)?;
    let place = folder.to_owned();
    Ok(vec![
        Subject {
            name: "sort",
            amount: 8000,
            command: Box::new(move |amount| {
                let file = place.join(format!("numbers-{amount}.txt"));
                fs::write(&file, lines(amount as usize)).map_err(ChoreError::at(&file))?;
                Ok(words(["sort", "-n", &file.display().to_string()]))
            }),
        },
        Subject {
            name: "perl",
            amount: 60_000,
            command: Box::new(|amount| {
                Ok(words(["perl", "-e", &format!("for $i (1 .. {amount}) {{ $x += $i }}")]))
            }),
        },
        Subject {
            name: "threads",
            amount: of_threads,
            command: Box::new(move |amount| {
                Ok(words([&threads.display().to_string(), "4", &amount.to_string()]))
            }),
        },
        Subject {
            name: "arithmetic",
            amount: of_work,
            command: Box::new(move |amount| Ok(words([&work.display().to_string(), &amount.to_string()]))),
        },
    ])
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// Returns the words as a command line for a shell; no word may contain a single quote.
fn line(words: &[String]) -> String {
    words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ")
}

impl Subject {
    /// Command lines of the program, and of the program with so much more work that it takes `percent` more time here.
    /// The necessary share of additional work is measured once and stored.
    fn pair(&self, folder: &Path, percent: f64) -> Result<[String; 2], ChoreError> {
        let known = folder.join(format!("{}-more", self.name));
        let share: f64 = match fs::read_to_string(&known) {
            Ok(share) => share.trim().parse().map_err(|_| ChoreError::Bench(known.display().to_string()))?,
            Err(_) => {
                let share = self.work_for_its_time()?;
                fs::write(&known, share.to_string()).map_err(ChoreError::at(&known))?;
                share
            }
        };
        let more = (self.amount as f64 * share * percent / 100.0).round() as u64;
        Ok([line(&(self.command)(self.amount)?), line(&(self.command)(self.amount + more)?)])
    }

    /// Multiple of the usual amount of work that doubles the program's time when it is added: one, plus the share of
    /// start-up time, which does not grow with the work. Measured with two amounts of work in turns.
    fn work_for_its_time(&self) -> Result<f64, ChoreError> {
        const MORE: f64 = 2.0;
        let commands =
            [(self.command)(self.amount)?, (self.command)((self.amount as f64 * MORE).round() as u64)?];
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..CALIBRATION_RUNS {
            for (command, times) in commands.iter().zip(&mut times) {
                times.push(timed(command)?);
            }
        }
        let [usual, more] = times.map(median);
        Ok((MORE - 1.0) * usual / (more - usual))
    }
}

/// Wall time of a command in seconds.
fn timed(words: &[String]) -> Result<f64, ChoreError> {
    let begun = Instant::now();
    let status = Command::new(&words[0]).args(&words[1..]).stdout(Stdio::null()).status();
    match status.map_err(ChoreError::at(PathBuf::from(&words[0])))? {
        status if status.success() => Ok(begun.elapsed().as_secs_f64()),
        status => Err(ChoreError::Bench(format!("`{}`: {status}", line(words)))),
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn compare(
    fauxplat: &Path,
    [a, b]: &[String; 2],
    question: Question,
    options: &[&str],
    document: &Path,
) -> Result<(), ChoreError> {
    let part = document.with_extension("part");
    let mut command = Command::new(fauxplat);
    command.args(["compare", "--margin", "1%"]);
    if !options.contains(&"--max-time") {
        command.args(["--max-time", &format!("{LIMIT_S}s")]);
    }
    command.args(options);
    if question != Question::Same {
        command.args(["--fail-if", "slower"]);
    }
    command.args([
        "--quiet",
        "--store",
        "none",
        "--format",
        "json",
        "--output",
        &part.display().to_string(),
        a,
        b,
    ]);
    // A gate that fails exits with 1 and prints a message; the document also contains its state.
    let status = command.stderr(Stdio::null()).status().map_err(ChoreError::at(fauxplat))?;
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(ChoreError::Bench(format!("`{a}` against `{b}`: {status}")));
    }
    fs::rename(&part, document).map_err(ChoreError::at(document))
}

fn head(question: Question, beside: &str) -> String {
    match question {
        Question::More(percent) => format!(
            "--fail-if slower at +{percent} %, margin 1 %, {beside}\n{:<12} {:>6} {:>7} {:>9} {:>14} {:>7} {:>15}",
            "program", "raised", "passed", "undecided", "median effect", "pairs", "seconds, most"
        ),
        Question::Same => format!(
            "the same program twice, margin 1 %, {beside}\n{:<12} {:>6} {:>8} {:>10} {:>9} {:>7} {:>15}",
            "program", "whole", "typical", "different", "open", "pairs", "seconds, most"
        ),
    }
}

/// Figures from several documents, one number per document.
struct Numbers {
    effects: Vec<f64>,
    pairs: Vec<f64>,
    seconds: Vec<f64>,
}

/// Row of a program, under the headings of [`head`].
fn told(name: &str, question: Question, files: &[PathBuf]) -> Result<String, ChoreError> {
    let mut states = [0; 4];
    let mut numbers = Numbers { effects: Vec::new(), pairs: Vec::new(), seconds: Vec::new() };
    for file in files {
        let text = fs::read_to_string(file).map_err(ChoreError::at(file))?;
        let found: Value =
            serde_json::from_str(&text).map_err(|error| ChoreError::Bench(error.to_string()))?;
        let compared = &found["comparisons"][0];
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (state, verdict, extent) =
            (word(&compared["gate"]["state"]), word(&compared["verdict"]), word(&compared["extent"]));
        states[match (question, state.as_str(), verdict.as_str(), extent.as_str()) {
            (Question::More(_), "beyond", ..) | (Question::Same, _, "equivalent", "whole") => 0,
            (Question::More(_), "within", ..) | (Question::Same, _, "equivalent", _) => 1,
            (Question::More(_), "undecided", ..) | (Question::Same, _, "different", _) => 2,
            (Question::Same, _, "inconclusive", _) => 3,
            _ => return Err(ChoreError::Bench(format!("{}: no state", file.display()))),
        }] += 1;
        numbers.effects.push(100.0 * (compared["effect_ratio"].as_f64().unwrap_or(f64::NAN) - 1.0));
        numbers.pairs.push(compared["pairs"].as_f64().unwrap_or(0.0));
        numbers.seconds.push(found["elapsed_s"].as_f64().unwrap_or(0.0));
    }
    let most_s = numbers.seconds.iter().fold(0.0, |most: f64, &it| most.max(it));
    let [effect, pairs, seconds] = [numbers.effects, numbers.pairs, numbers.seconds].map(median);
    let [first, second, third, open] = states;
    Ok(match question {
        Question::More(_) => format!(
            "{name:<12} {first:>6} {second:>7} {third:>9} {effect:>13.2}% {pairs:>7.0} {seconds:>7.1}, {most_s:>6.1}"
        ),
        Question::Same => format!(
            "{name:<12} {first:>6} {second:>8} {third:>10} {open:>9} {pairs:>7.0} {seconds:>7.1}, {most_s:>6.1}"
        ),
    })
}
