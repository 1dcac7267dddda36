//! Earlier results, of this tool or another, and documents that commands print.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_experiment::Printed;
use fauxplat_lab::{catalog, check, record};
use fauxplat_latency::{LatencyTest, Recording};
use fauxplat_plan::LabSettings;
use fauxplat_report::{read_baseline, read_record};
use serde_json::Value;

/// For the mutator.
pub(crate) const WORDS: &[&str] = &[
    "\"schema\":\"fauxplat.run/1\"",
    "\"commands\":[",
    "\"runs\":[",
    "\"phase\":\"measured\"",
    "\"exit_status\":0",
    "\"wall_ns\":",
    "\"results\":[",
    "\"times\":[",
    "\"measurements\":[",
    "\"time_wall_clock\":{\"value\":",
    "\"benchmarks\":[",
    "\"values\":[",
    "\"metadata\":{",
    "\"command_max_rss\":",
    "\"command\":\"",
    "null",
    "[[[[",
    "{\"a\":",
    "]",
    "}",
    ",",
];

/// A baseline of any format: parsed values are finite and can be compared.
pub(crate) fn baselines(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match read_baseline(&text) {
        Err(error) => in_a_line(&error),
        Ok(series) => {
            let values = series.iter().flat_map(|one| &one.values);
            assert!(!series.is_empty());
            for (_, values) in values {
                assert!(!values.is_empty() && values.iter().all(|value| value.is_finite() && *value >= 0.0));
            }
        }
    }
}

/// For the mutator of records.
pub(crate) const RECORD_WORDS: &[&str] = &[
    "\"schema\":\"fauxplat.aa/1\"",
    "\"schema\":\"fauxplat.lab/1\"",
    "\"schema\":\"fauxplat.latency/1\"",
    "\"commands\":[",
    "\"runs\":[",
    "\"trial\":",
    "\"outcome\":",
    "\"labs\":[",
    "\"claims\":[",
    "\"tests\":[",
    "\"value\":1e308",
    "[[machine]]\nis = \"a\"\nexpect = \"reproduced\"\n",
    "like = \"a\"\n",
    "[machine.gives.",
    "\"a.b.0\" = [1, 2]\n",
    "took 1.5 ms\n",
    "null",
    "18446744073709551615",
];

thread_local! {
    /// A folder with a lab whose made-up machines are the inputs, and a meter of printed output.
    static BENCH: (tempfile::TempDir, PathBuf, Printed) = {
        let folder = super::folder();
        let lab = folder.path().join("known-count");
        fs::create_dir(&lab).expect("a folder for a lab");
        for name in ["lab.toml", "README.md"] {
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../labs/known-count").join(name);
            fs::copy(from, lab.join(name)).expect("a file of a lab");
        }
        let sources = ["t1=took ([^ ]*) ms", "t2=/value", "t3=/a/0/b"].map(|word| word.parse().expect("a source"));
        (folder, lab, Printed::open(&sources).expect("a meter"))
    };
}

/// The text as a record with its runs, a record of labs, made-up machines of a lab, documents of `latency` to be
/// merged, and the output of a command.
pub(crate) fn records(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    runs(&text);
    latencies(&text);
    BENCH.with(|(folder, lab, printed)| {
        labs(&folder.path().join("record"), bytes);
        machines(lab, bytes);
        for found in printed.numbers(bytes) {
            match found {
                Ok(millionths) => assert!((1..i64::MAX as u64).contains(&millionths)),
                Err(why) => assert!(!why.is_empty()),
            }
        }
    });
}

/// Runs in the order in which they were made, each of an existing command.
fn runs(text: &str) {
    match read_record(text) {
        Ok(found) => {
            assert!(found.samples.is_sorted_by_key(|sample| sample.trial));
            assert!(found.samples.iter().all(|sample| usize::from(sample.command) < found.commands.len()));
        }
        Err(error) => in_a_line(&error),
    }
}

/// A record of labs; for its own machine and version, all of its labs count as done.
fn labs(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("a record");
    match record::read(path) {
        Ok(found) => {
            assert_eq!(found.facts(path).labs, found.findings.labs.len());
            let (header, labs) = (found.header.clone(), found.findings.labs.len());
            let done = found.done(&header.machine, &header.fauxplat_version, &Default::default());
            assert!(done.is_ok_and(|done| done.len() == labs), "nothing is asked for, so that all stands");
        }
        Err(failure) => in_a_line(&failure),
    }
}

/// Machines on which a lab's claims are judged; missing parts are listed line by line.
fn machines(lab: &Path, bytes: &[u8]) {
    fs::write(lab.join("outcomes.toml"), bytes).expect("made-up machines");
    let found = catalog::find(&lab.display().to_string(), &LabSettings::new());
    match found.map(|lab| check(&lab)) {
        Ok(checked) => {
            assert!(checked.complaints.iter().all(|line| !line.contains('\n')), "{:?}", checked.complaints);
        }
        Err(failure) => in_a_line(&failure),
    }
}

/// Documents of `latency`, merged with themselves: twice as many readings in the same places.
fn latencies(text: &str) {
    let Ok(mut document) = serde_json::from_str::<Value>(text) else { return };
    let Some(tests) = document.get_mut("tests").map(Value::take) else { return };
    let Ok(tests) = serde_json::from_value::<Vec<LatencyTest>>(tests) else { return };
    for mut test in tests.into_iter().take(20) {
        let Ok(mut recording) = Recording::restore(&test) else { continue };
        let (once, again) = (recording.count(), recording.clone());
        recording.merge(&again);
        assert_eq!(recording.count(), once.saturating_mul(2));
        recording.fill(&mut test);
        assert_eq!(Recording::restore(&test).map(|restored| restored.count()).ok(), Some(recording.count()));
    }
}

fn in_a_line(error: &impl std::fmt::Display) {
    let said = error.to_string();
    assert!(!said.is_empty() && !said.contains('\n'), "one line: {said:?}");
}
