//! `fauxplat latency --merge`: sums of the histograms of several measurements.

use std::path::{Path, PathBuf};

use fauxplat_experiment::Failure;
use fauxplat_experiment::measure::latency::renew;
use fauxplat_latency::Recording;
use fauxplat_model::document::Findings;
use fauxplat_model::{LatencyFindings, LatencyTest};
use fauxplat_sys::text::read_text;
use serde_json::Value;

use crate::inspection;
use fauxplat_options::OutputArgs;

/// Schema of the documents that can be merged.
const SCHEMA: &str = "fauxplat.latency/1";

/// Adds up the histograms of the tests that measured the same in several documents, and reports the sums. A test that
/// only one document has is reported unchanged.
pub(crate) fn merge(files: &[PathBuf], output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
    let mut header = inspection::header(Path::new("/"), invocation);
    let mut found = LatencyFindings::default();
    let mut recordings: Vec<Recording> = Vec::new();
    for file in files {
        let document = document(file)?;
        found.elapsed_s += document["elapsed_s"].as_f64().unwrap_or(0.0);
        header.warnings.push(origin(file, &document));
        let tests = serde_json::from_value::<Vec<LatencyTest>>(document["tests"].clone());
        for test in tests.map_err(|error| wrong(file, &error))? {
            let recording = Recording::restore(&test).map_err(|error| wrong(file, &error))?;
            match found.tests.iter().position(|known| is_same(known, &test)) {
                Some(at) => recordings[at].merge(&recording),
                None => {
                    found.tests.push(test);
                    recordings.push(recording);
                }
            }
        }
    }
    found.tests.iter_mut().zip(&recordings).for_each(|(test, recording)| renew(test, recording));
    inspection::report(&header, &Findings::Latency(found), output)
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

fn document(file: &Path) -> Result<Value, Failure> {
    let text = read_text(file, fauxplat_report::BASELINE_BYTES_MAX).map_err(|error| wrong(file, &error))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| wrong(file, &error))?;
    match document["schema"].as_str() {
        Some(SCHEMA) => Ok(document),
        other => Err(wrong(file, &format!("its schema is {}, and not {SCHEMA}", other.unwrap_or("missing")))),
    }
}

fn wrong(file: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::input(format!("{}: {why}", file.display()))
}
