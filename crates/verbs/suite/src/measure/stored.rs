//! Stored results of two times, judged as weaker: nothing ran in turns.

use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_sys::text::read_bytes;

use super::Asked;
use super::desk::FILE_BYTES_MAX;
use crate::analysis;
use crate::error::SuiteError;
use crate::findings::{StoppedBy, SuiteFindings};
use crate::harness::{Harness, Output, Reading, names_of_all, of_file};

/// Judges two files of results of one harness.
///
/// # Errors
/// A file cannot be read, or is not one of the harness.
pub fn stored(files: [&Path; 2], asked: &Asked) -> Result<SuiteFindings, Failure> {
    let texts = [read(files[0])?, read(files[1])?];
    let harness = match &asked.harness {
        Some(choice) => choice.harness(),
        None => of_file(&texts[0])
            .ok_or_else(|| SuiteError::NotRecognised {
                program: files[0].display().to_string(),
                known: names_of_all(),
            })
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
    let unit = |name: &str| a.iter().find(|it| it.name == name).map(|it| it.unit.clone()).unwrap_or_default();
    let common = of_a.iter().filter(|name| of_b.contains(name));
    let rows: Vec<_> =
        common.map(|name| (name.clone(), unit(name), values(&a, name), values(&b, name))).collect();
    if rows.is_empty() {
        return Err(Failure::usage(SuiteError::NothingInCommon(of_a.len(), of_b.len())));
    }
    let other = |these: &[String], those: &[String]| {
        these.iter().filter(|name| !those.contains(name)).cloned().collect()
    };
    Ok(SuiteFindings {
        harness: harness.name(),
        programs: files.map(|file| file.display().to_string()),
        are_same_file: None,
        control: asked.rule.control,
        level: asked.rule.level,
        margin: asked.rule.margin,
        seed: 0,
        is_weaker: true,
        benchmarks: analysis::stored(&asked.rule, &rows),
        new: other(&of_b, &of_a),
        gone: other(&of_a, &of_b),
        mean: None,
        common: None,
        groups: Vec::new(),
        processes: 0,
        elapsed_s: 0.0,
        stopped_by: StoppedBy::Files,
    })
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = read_bytes(path, FILE_BYTES_MAX)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn readings(harness: &dyn Harness, text: &str, path: &Path) -> Result<Vec<Reading>, Failure> {
    let told = harness.told(&Output::printed(text));
    Ok(told.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?.readings)
}
