//! Planted pairs for `why`: pairs of programs of which one is slower for a known reason, and pairs of equal programs.
//!
//! The pairs are in `crates/verbs/why/pairs`. The result for each is whether the first cause that `why` names is the
//! planted one. The document of each pair is stored, so an interrupted campaign continues with the pairs that are
//! missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::USAGE;
use super::burner::Burner;
use crate::cargo;
use crate::error::ChoreError;

/// Time limit of each pair, as the option `--max-time` of `why` takes it.
const MAX_TIME: &str = "2m";

/// Runs the pairs whose names contain one of the words, or all pairs. `--beside-burner` keeps a CPU busy meanwhile, and
/// `--program PATH` names a fauxplat that is already built.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let (is_busy, words) = match words {
        ["--beside-burner", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (program, words) = match words {
        ["--program", path, rest @ ..] => (PathBuf::from(path), rest),
        _ if words.iter().any(|word| word.starts_with('-')) => return Err(ChoreError::Usage(USAGE)),
        _ => (cargo::build_release()?, words),
    };
    let folder = super::folder(if is_busy { "why-beside-burner" } else { "why" })?;
    let sources = cargo::root().join("crates/verbs/why/pairs");
    let all = pairs()?;
    let _burner = is_busy.then(Burner::start).transpose()?;
    let mut right = [(0, 0); 2];
    for (at, list) in ["pairs", "equal"].into_iter().enumerate() {
        for pair in all[list].as_array().into_iter().flatten() {
            let name = text_of(pair, "name", "");
            if !words.is_empty() && !words.iter().any(|word| name.contains(word)) {
                continue;
            }
            let place = folder.join(name.replace(' ', "-"));
            let document = place.join("why.json");
            let took_s = match document.exists() {
                true => None,
                false => Some(measure(&program, &sources, &place, pair)),
            };
            let told = match took_s {
                Some(Err(error)) => Err(error),
                _ => told(&document, pair),
            };
            let (is_right, line) = told.unwrap_or_else(|error| (false, format!("no answer: {error}")));
            right[at].0 += usize::from(is_right);
            right[at].1 += 1;
            let word = if is_right { "right" } else { "WRONG" };
            println!("{word}: {name}: {line}");
        }
    }
    let [planted, equal] = right;
    println!(
        "{} of {} planted causes named first; no cause named for {} of {} equal pairs",
        planted.0, planted.1, equal.0, equal.1
    );
    Ok(())
}

/// Descriptions of the planted pairs and of the equal ones.
pub(super) fn pairs() -> Result<Value, ChoreError> {
    let file = cargo::root().join("crates/verbs/why/pairs/pairs.json");
    let text = fs::read_to_string(&file).map_err(ChoreError::at(&file))?;
    serde_json::from_str(&text).map_err(|error| ChoreError::Bench(error.to_string()))
}

pub(super) fn text_of<'v>(pair: &'v Value, key: &str, otherwise: &'v str) -> &'v str {
    pair[key].as_str().unwrap_or(otherwise)
}

fn words_of<'v>(pair: &'v Value, key: &str) -> impl Iterator<Item = &'v str> {
    pair[key].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Builds the programs of a pair in the folder `place`, and runs `why` on them.
fn measure(program: &Path, sources: &Path, place: &Path, pair: &Value) -> Result<(), ChoreError> {
    fs::create_dir_all(place).map_err(ChoreError::at(place))?;
    let source = text_of(pair, "source", "work.c");
    for file in [source].into_iter().chain(words_of(pair, "files")) {
        fs::copy(sources.join(file), place.join(file)).map_err(ChoreError::at(sources))?;
    }
    for (name, flags) in
        [("fast", text_of(pair, "fast_flags", "")), ("slow", text_of(pair, "slow_flags", "-DSLOW"))]
    {
        let compiler = match source.rsplit('.').next() {
            Some("c") => "cc",
            Some("cc") => "c++",
            _ => continue,
        };
        let define = pair["define"].as_str().map_or_else(String::new, |define| format!("-D{define}"));
        shell(place, &format!("{compiler} -O1 -g {define} {flags} {source} -o {name} -lm -lpthread"))?;
    }
    shell(place, text_of(pair, "setup", ":"))?;
    let commands = [text_of(pair, "fast", "./fast"), text_of(pair, "slow", "./slow")];
    let asked = ask(program, place, commands);
    shell(place, text_of(pair, "cleanup", ":"))?;
    asked
}

fn ask(program: &Path, place: &Path, commands: [&str; 2]) -> Result<(), ChoreError> {
    let begun = Instant::now();
    let fresh = place.join("why.new");
    let status = Command::new(program)
        .args(["why", "--max-time", MAX_TIME, "--store", "none", "--format", "json", "--output"])
        .arg(&fresh)
        .args(commands)
        .current_dir(place)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(ChoreError::at(program))?;
    if !status.success() {
        return Err(ChoreError::Bench(format!("why: {status} after {:.0} s", begun.elapsed().as_secs_f64())));
    }
    fs::rename(&fresh, place.join("why.json")).map_err(ChoreError::at(place))
}

/// Whether a document names the planted cause first, and a line about that. For equal programs, no cause may be named.
fn told(document: &Path, pair: &Value) -> Result<(bool, String), ChoreError> {
    let text = fs::read_to_string(document).map_err(ChoreError::at(document))?;
    let found: Value = serde_json::from_str(&text).map_err(|error| ChoreError::Bench(error.to_string()))?;
    let causes = found["causes"].as_array().map_or(&[][..], Vec::as_slice);
    let kinds: Vec<&str> = causes.iter().filter_map(|cause| cause["kind"].as_str()).collect();
    let is_named = |kind: &str| kinds.first() == Some(&kind);
    let place = causes.first().and_then(|cause| cause["place"].as_str()).unwrap_or_default();
    let is_right = match pair["kinds"].as_array() {
        None => causes.is_empty(),
        Some(meant) => {
            let is_there = pair["place"].as_str().is_none_or(|meant| place.contains(meant));
            meant.iter().filter_map(Value::as_str).any(is_named) && is_there
        }
    };
    let more_ms = found["more_ns"]["value"].as_f64().unwrap_or(0.0) / 1e6;
    let elapsed_s = found["elapsed_s"].as_f64().unwrap_or(0.0);
    let answer = found["answer"].as_str().unwrap_or("?");
    let shown = if kinds.is_empty() { "no cause".to_owned() } else { kinds[..kinds.len().min(3)].join(", ") };
    Ok((is_right, format!("{answer}, {more_ms:.2} ms more; {shown}; in {place}; {elapsed_s:.0} s")))
}

/// Runs a line of a shell in a folder.
pub(super) fn shell(folder: &Path, line: &str) -> Result<(), ChoreError> {
    let done = Command::new("sh").args(["-c", line]).current_dir(folder).stdout(Stdio::null()).status();
    match done.map_err(ChoreError::at(PathBuf::from("sh")))? {
        status if status.success() => Ok(()),
        status => Err(ChoreError::Bench(format!("`{line}`: {status}"))),
    }
}
