//! Stored results of two times, judged as weaker: nothing ran in turns.

use std::fs;
use std::path::Path;

use fauxplat_experiment::Failure;

use super::Asked;
use crate::analysis;
use crate::error::SuiteError;
use crate::findings::{StoppedBy, SuiteFindings};
use crate::harness::{Harness, Reading, names_of_all, of_file};

/// Judges two files of results of one harness.
///
/// # Errors
/// A file cannot be read, or is not one of the harness.
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
    let is_asked = |name: &str| asked.filter.as_ref().is_none_or(|filter| filter.is_match(name));
    let names = |readings: &[Reading]| -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for reading in readings.iter().filter(|it| is_asked(&it.name)) {
            if !names.contains(&reading.name) {
                names.push(reading.name.clone());
            }
        }
        names
    };
    let (of_a, of_b) = (names(&a), names(&b));
    if let Some((_, empty)) = [&of_a, &of_b].iter().zip(files).find(|(names, _)| names.is_empty()) {
        let which = if asked.filter.is_some() { " that --filter lets through" } else { "" };
        return Err(Failure::usage(SuiteError::NoBenchmarks(empty.display().to_string(), which)));
    }
    let values = |readings: &[Reading], name: &str| -> Vec<f64> {
        readings.iter().filter(|it| it.name == name).map(|it| it.value).collect()
    };
    let unit_in = |readings: &[Reading], name: &str| {
        readings.iter().find(|it| it.name == name).map(|it| it.unit.clone()).unwrap_or_default()
    };
    let common = of_a.iter().filter(|name| of_b.contains(name));
    // Numbers in two units have no ratio, so that those of B are none.
    let row = |name: &String| {
        let (unit, other) = (unit_in(&a, name), unit_in(&b, name));
        let of_b = if unit == other { values(&b, name) } else { Vec::new() };
        (name.clone(), unit, values(&a, name), of_b)
    };
    let rows: Vec<_> = common.map(row).collect();
    if rows.is_empty() {
        return Err(Failure::usage(SuiteError::NothingInCommon(of_a.len(), of_b.len())));
    }
    let other = |these: &[String], those: &[String]| {
        these.iter().filter(|name| !those.contains(name)).cloned().collect()
    };
    let mut benchmarks = analysis::stored(&asked.rule, &rows);
    for it in benchmarks.iter_mut().filter(|it| it.b.is_none()) {
        let [a, b] = [&a, &b].map(|readings| unit_in(readings, &it.name));
        it.trouble = (a != b).then(|| format!("A is in {a} and B in {b}"));
    }
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
        is_weaker: true,
        mean: together.mean,
        common: together.common,
        groups: together.groups,
        benchmarks,
        new: other(&of_b, &of_a),
        gone: other(&of_a, &of_b),
        processes: 0,
        elapsed_s: 0.0,
        stopped_by: StoppedBy::Files,
    })
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn readings(harness: &dyn Harness, text: &str, path: &Path) -> Result<Vec<Reading>, Failure> {
    let told = harness.stored(text);
    Ok(told.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?.readings)
}
