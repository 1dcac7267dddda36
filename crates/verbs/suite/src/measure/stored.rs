//! Judges stored results of two sessions, which is weaker evidence than interleaved runs.

use std::collections::HashSet;
use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_sys::text::read_bytes;
use regex::Regex;

use super::Asked;
use super::desk::FILE_BYTES_MAX;
use crate::analysis::{self, Rule};
use crate::error::SuiteError;
use crate::findings::{Benchmark, StoppedBy, SuiteFindings};
use crate::harness::{Harness, Reading, names_of_all, of_file};

/// Judges two files of results that the same harness wrote.
///
/// # Errors
/// Fails where a file cannot be read or was not written by the harness.
pub fn stored(files: [&Path; 2], asked: &Asked) -> Result<SuiteFindings, Failure> {
    let texts = [read(files[0])?, read(files[1])?];
    let harness = match &asked.harness {
        Some(choice) => choice.harness(),
        None => of_file(&texts[0])
            .ok_or_else(|| SuiteError::NotResults(files[0].display().to_string(), names_of_all()))
            .and_then(|choice| choice.harness()),
    };
    let harness = harness.map_err(Failure::usage)?;
    let [a, b] = [0, 1].map(|side: usize| readings(harness.as_ref(), &texts[side], files[side]));
    let (a, b) = (a?, b?);
    let [of_a, of_b] = [&a, &b].map(|readings| names(readings, asked.filter.as_ref()));
    if let Some((_, empty)) = [&of_a, &of_b].iter().zip(files).find(|(names, _)| names.is_empty()) {
        let which = if asked.filter.is_some() { " that --filter lets through" } else { "" };
        return Err(Failure::usage(SuiteError::NoBenchmarks(empty.display().to_string(), which)));
    }
    let common: Vec<&String> = of_a.iter().filter(|name| of_b.contains(name)).collect();
    if common.is_empty() {
        return Err(Failure::usage(SuiteError::NothingInCommon(of_a.len(), of_b.len())));
    }
    let other = |these: &[String], those: &[String]| {
        these.iter().filter(|name| !those.contains(name)).cloned().collect()
    };
    let benchmarks = judged(&asked.rule, &common, [&a, &b]);
    let together = analysis::Together::of(&benchmarks, asked.rule.margin);
    Ok(SuiteFindings {
        harness: harness.name(),
        programs: files.map(|file| file.display().to_string()),
        are_same_file: None,
        control: asked.rule.control,
        level: asked.rule.level,
        margin: asked.rule.margin,
        fail_if: Vec::new(),
        seed: 0,
        order: None,
        is_weaker: true,
        mean: together.mean,
        common: together.common,
        groups: together.groups,
        parameters: together.parameters,
        benchmarks,
        new: other(&of_b, &of_a),
        gone: other(&of_a, &of_b),
        processes: 0,
        processes_by_side: Default::default(),
        skips_failures: false,
        elapsed_s: 0.0,
        stopped_by: StoppedBy::Files,
    })
}

/// Names of benchmarks that match the filter, without duplicates.
fn names(readings: &[Reading], filter: Option<&Regex>) -> Vec<String> {
    let is_asked = |it: &&Reading| filter.is_none_or(|filter| filter.is_match(&it.name));
    let mut seen = HashSet::new();
    let asked = readings.iter().filter(is_asked).filter(|it| seen.insert(&it.name));
    asked.map(|it| it.name.clone()).collect()
}

/// Findings about the benchmarks that both files have.
fn judged(rule: &Rule, common: &[&String], both: [&[Reading]; 2]) -> Vec<Benchmark> {
    let of = |side: usize, name: &str| -> Vec<&Reading> {
        both[side].iter().filter(|it| it.name == name).collect()
    };
    let unit = |side: usize, name: &str| of(side, name).first().map(|it| it.unit.clone()).unwrap_or_default();
    let values = |side: usize, name: &str| of(side, name).iter().map(|it| it.value).collect::<Vec<f64>>();
    // Numbers in different units have no ratio, so the readings of B are then dropped.
    let row = |name: &&String| {
        let is_alike = unit(0, name) == unit(1, name);
        let of_b = if is_alike { values(1, name) } else { Vec::new() };
        ((*name).clone(), unit(0, name), values(0, name), of_b)
    };
    let mut benchmarks = analysis::stored(rule, &common.iter().map(row).collect::<Vec<_>>());
    for it in benchmarks.iter_mut().filter(|it| it.b.is_none()) {
        let [a, b] = [0, 1].map(|side: usize| unit(side, &it.name));
        it.trouble = (a != b).then(|| format!("the unit of A is {a}, and of B {b}"));
    }
    benchmarks
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = read_bytes(path, FILE_BYTES_MAX)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn readings(harness: &dyn Harness, text: &str, path: &Path) -> Result<Vec<Reading>, Failure> {
    let told = harness.stored(text);
    Ok(told.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?.readings)
}
