//! Runs every test under configurations of machine and user that differ from those of a developer.
//!
//! Test programs are built once, and each is run under each configuration. A program that has passed is recorded by a
//! hash of its contents and of the programs that it starts, so the next campaign only runs programs that are new or
//! have failed.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use super::configuration::Configuration;
use super::program::{self, Tests};
use crate::cargo::{self, Executable};
use crate::error::ChoreError;

/// Runs the campaign: `[--in CONFIGURATION]… [--program NAME]… [PACKAGE]… [-- FILTER]`.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let (words, filters) = match words.iter().position(|word| *word == "--") {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[][..]),
    };
    let (mut wanted, mut named, mut packages) = (Vec::new(), Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--in" => wanted.push(*words.next().ok_or(ChoreError::Usage(super::USAGE))?),
            "--program" => named.push(*words.next().ok_or(ChoreError::Usage(super::USAGE))?),
            option if option.starts_with('-') => return Err(ChoreError::Usage(super::USAGE)),
            package => packages.extend(["--package", package]),
        }
    }
    let folder = super::folder("elsewhere")?;
    let configurations = Configuration::all(&folder);
    if let Some(unknown) = wanted.iter().find(|name| configurations.iter().all(|one| one.name != **name)) {
        let known: Vec<&str> = configurations.iter().map(|one| one.name.as_str()).collect();
        return Err(ChoreError::Bench(format!(
            "there is no configuration {unknown}; there are {}",
            known.join(", ")
        )));
    }
    let mut programs =
        cargo::build_tests(if packages.is_empty() { &["--workspace"][..] } else { &packages })?;
    programs.retain(|one| named.is_empty() || named.contains(&one.name.as_str()));
    let chosen = configurations.iter().filter(|one| wanted.is_empty() || wanted.contains(&one.name.as_str()));
    let reports = chosen.map(|one| under(one, &programs, filters, &folder)).collect::<Result<Vec<_>, _>>()?;
    let record = folder.join("record.txt");
    let text: String = reports.iter().map(|(text, _)| text.as_str()).collect();
    fs::write(&record, &text).map_err(ChoreError::at(&record))?;
    println!("\n{text}\nthe record is {}", record.display());
    match reports.iter().map(|(_, failed)| failed).sum::<usize>() {
        0 => Ok(()),
        failed => Err(ChoreError::Bench(format!(
            "elsewhere: {failed} tests failed; their logs are below {}",
            folder.display()
        ))),
    }
}

/// Runs the programs under one configuration; returns lines for the record, and the number of failed tests.
fn under(
    configuration: &Configuration,
    programs: &[Executable],
    filters: &[&str],
    folder: &Path,
) -> Result<(String, usize), ChoreError> {
    let title = format!("{}: {}", configuration.name, configuration.about);
    if let Some(why) = configuration.missing() {
        return Ok((format!("{title}\n  skipped: {why}\n"), 0));
    }
    let logs = folder.join("log").join(&configuration.name);
    fs::create_dir_all(&logs).map_err(ChoreError::at(&logs))?;
    let mut all = Tests::default();
    let burners = configuration.enter()?;
    for one in programs.iter().filter(|one| configuration.is_about(one)) {
        let place = ResultLocation { logs: &logs, program: one, contents: contents(one)? };
        let tests = match place.known().filter(|_| filters.is_empty()) {
            Some(known) => known,
            None => {
                let tests = program::run(one, configuration, filters, &place.file("log"))?;
                // With filters, only some tests of the program ran, so the result is not recorded for the program.
                if filters.is_empty() {
                    place.note(&tests)?;
                }
                let (passed, failed) = (tests.passed, tests.failed.len());
                println!("{:<24} {:<28} {passed} passed, {failed} failed", configuration.name, one.name);
                tests
            }
        };
        all.passed += tests.passed;
        all.failed.extend(tests.failed.iter().map(|name| format!("{}: {name}", one.name)));
        all.skipped.extend(tests.skipped.iter().map(|why| format!("{}: {why}", one.name)));
    }
    drop(burners);
    let counts = format!(
        "{} passed, {} failed, {} said to be skipped",
        all.passed,
        all.failed.len(),
        all.skipped.len()
    );
    let lines = |word: &str, list: &[String]| {
        list.iter().map(|line| format!("    {word} {line}\n")).collect::<String>()
    };
    let text = format!("{title}\n  {counts}\n{}{}", lines("FAILED", &all.failed), lines("", &all.skipped));
    Ok((text, all.failed.len()))
}

struct ResultLocation<'a> {
    logs: &'a Path,
    program: &'a Executable,
    contents: u64,
}

/// Hash of the contents of a test program, and of the binaries that it starts. Its file name would not do, since cargo
/// derives the name from package and dependencies, and not from the sources.
fn contents(program: &Executable) -> Result<u64, ChoreError> {
    let mut hasher = DefaultHasher::new();
    let mut files = vec![program.path.clone()];
    if program.name.starts_with("cli.") {
        let built = program.path.ancestors().nth(2).unwrap_or(Path::new("."));
        files.extend(["fauxplat", "fauxplat-blink"].map(|name| built.join(name)));
    }
    for file in files {
        fs::read(&file).map_err(ChoreError::at(&file))?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

impl ResultLocation<'_> {
    fn file(&self, kind: &str) -> PathBuf {
        self.logs.join(format!("{}-{:016x}.{kind}", self.program.name, self.contents))
    }

    /// Result of an earlier campaign if all tests passed; `None` if the program has to run again.
    fn known(&self) -> Option<Tests> {
        let text = fs::read_to_string(self.file("passed")).ok()?;
        let mut lines = text.lines();
        let passed = lines.next()?.parse().ok()?;
        let skipped = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
        Some(Tests { passed, failed: Vec::new(), skipped })
    }

    fn note(&self, tests: &Tests) -> Result<(), ChoreError> {
        if !tests.failed.is_empty() {
            return Ok(());
        }
        let text = format!("{}\n{}\n", tests.passed, tests.skipped.join("\n"));
        fs::write(self.file("passed"), text).map_err(ChoreError::at(self.logs))
    }
}
