//! `latency --merge`: sums of the histograms of several measurements.

use std::path::{Path, PathBuf};

use fauxplat_model::document::Header;
use fauxplat_sys::text::read_text;
use serde::Deserialize;
use serde_json::Value;

use crate::LatencyError;
use crate::findings::{LatencyFindings, LatencyTest, SCHEMA};
use crate::instruments::Recording;

/// Adds up the histograms of the tests that measured the same in several documents. A test that only one document has
/// is taken over unchanged. The header gets a warning about the origin of each document.
///
/// # Errors
/// Fails with [`LatencyError::Document`] for a file that is no document of `latency`, or has no histograms.
pub(crate) fn merge(files: &[PathBuf], header: &mut Header) -> Result<LatencyFindings, LatencyError> {
    let mut elapsed_s = 0.0;
    let mut tests: Vec<LatencyTest> = Vec::new();
    let mut recordings: Vec<Recording> = Vec::new();
    for file in files {
        let document = document(file)?;
        elapsed_s += document["elapsed_s"].as_f64().unwrap_or(0.0);
        header.warnings.push(origin(file, &document));
        let further = Vec::<LatencyTest>::deserialize(&document["tests"]);
        for test in further.map_err(|error| wrong(file, &error))? {
            let recording = Recording::restore(&test).map_err(|error| wrong(file, &error))?;
            match tests.iter().position(|known| is_same(known, &test)) {
                Some(at) => recordings[at].merge(&recording),
                None => {
                    tests.push(test);
                    recordings.push(recording);
                }
            }
        }
    }
    tests.iter_mut().zip(&recordings).for_each(|(test, recording)| recording.fill(test));
    Ok(LatencyFindings::new(tests, Vec::new(), elapsed_s))
}

/// Whether two tests measured the same quantity, with the same settings, on the same CPUs.
fn is_same(a: &LatencyTest, b: &LatencyTest) -> bool {
    let question = |it: &LatencyTest| {
        (it.name.clone(), it.policy, it.cpu, it.peer, it.interval_ns, it.slack_ns, it.lines.clone())
    };
    question(a) == question(b)
}

/// A sentence about the origin of a document's figures: its date, machine and kernel, since documents of different
/// machines may be merged.
fn origin(file: &Path, document: &Value) -> String {
    let word = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or("?").to_owned();
    format!(
        "merged: {}, measured {} on {} under Linux {}",
        file.display(),
        word("/started"),
        word("/machine/cpu/model"),
        word("/machine/kernel")
    )
}

fn document(file: &Path) -> Result<Value, LatencyError> {
    let text = read_text(file, fauxplat_report::BASELINE_BYTES_MAX).map_err(|error| wrong(file, &error))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| wrong(file, &error))?;
    match document["schema"].as_str() {
        Some(SCHEMA) => Ok(document),
        other => Err(wrong(file, &format!("its schema is {}, and not {SCHEMA}", other.unwrap_or("missing")))),
    }
}

fn wrong(file: &Path, why: &dyn std::fmt::Display) -> LatencyError {
    LatencyError::Document { file: file.to_owned(), reason: why.to_string() }
}
