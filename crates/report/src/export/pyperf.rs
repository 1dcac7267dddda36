//! A benchmark suite that pyperf loads (file format 1.0).
//!
//! Each process of a command is one pyperf *run* with one value, since pyperf takes runs for independent.
//! Specification: <https://pyperf.readthedocs.io/en/latest/api.html#json>.

use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Metric, Sample};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::{Timed, timed};
use crate::samples::{ByCommand, is_analysed};
use crate::words::visible;
use crate::{Format, ReportError};

#[derive(Serialize)]
struct Suite<'r, 'a> {
    version: &'static str,
    metadata: SuiteMetadata,
    benchmarks: Vec<Benchmark<'r, 'a>>,
}

/// Metadata of all benchmarks. Empty texts are omitted, since pyperf refuses them.
#[derive(Serialize)]
struct SuiteMetadata {
    unit: &'static str,
    loops: u32,
    date: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    platform: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    cpu_model_name: String,
    fauxplat_version: String,
}

#[derive(Serialize)]
struct Benchmark<'r, 'a> {
    metadata: BenchmarkMetadata,
    runs: Runs<'r, 'a>,
}

#[derive(Serialize)]
struct BenchmarkMetadata {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    command: String,
}

struct Runs<'r, 'a> {
    record: &'r Record<'a>,
    samples: &'r ByCommand<'a>,
    command: usize,
}

#[derive(Serialize)]
struct Run {
    values: [f64; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<RunMetadata>,
}

#[derive(Serialize)]
struct RunMetadata {
    command_max_rss: u64,
}

/// Writes a benchmark for each command that has at least one run with a time above zero: pyperf refuses values of zero.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let samples = ByCommand::new(record);
    let format = Format::PyperfJson.name();
    let benchmarks: Vec<_> = timed(record, format)?
        .iter()
        .map(|timed| Benchmark::of(record, &samples, timed))
        .filter(|benchmark| benchmark.runs.iter().next().is_some())
        .collect();
    if benchmarks.is_empty() {
        return Err(ReportError::NothingToExport { format, reason: "no run took any time" });
    }
    let suite = Suite { version: "1.0", metadata: SuiteMetadata::of(record), benchmarks };
    serde_json::to_writer(&mut *out, &suite)?;
    Ok(out.write_all(b"\n")?)
}

impl SuiteMetadata {
    fn of(record: &Record) -> Self {
        let header = record.header;
        SuiteMetadata {
            unit: "second",
            loops: 1,
            // Python before 3.11 does not parse the `T` and the `Z` of RFC 3339.
            date: header.started.trim_end_matches('Z').replace('T', " "),
            platform: one_line(&format!("Linux-{}-{}", header.machine.kernel, header.machine.architecture)),
            cpu_model_name: one_line(&header.machine.cpu.model),
            fauxplat_version: header.fauxplat_version.clone(),
        }
    }
}

/// A text as metadata have to be: one line without surrounding blanks.
fn one_line(text: &str) -> String {
    visible(text).trim().to_owned()
}

impl<'r, 'a> Benchmark<'r, 'a> {
    fn of(record: &'r Record<'a>, samples: &'r ByCommand<'a>, timed: &Timed<'a>) -> Self {
        let command = one_line(&record.commands[timed.index].command);
        let metadata = BenchmarkMetadata { name: timed.name.clone(), command };
        Benchmark { metadata, runs: Runs { record, samples, command: timed.index } }
    }
}

impl Runs<'_, '_> {
    fn iter(&self) -> impl Iterator<Item = Run> + '_ {
        let command = &self.record.commands[self.command];
        self.samples.of(self.command).filter(|sample| is_analysed(sample, command)).filter_map(Run::of)
    }
}

impl Serialize for Runs<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut runs = serializer.serialize_seq(None)?;
        for run in self.iter() {
            runs.serialize_element(&run)?;
        }
        runs.end()
    }
}

impl Run {
    fn of(sample: &Sample) -> Option<Self> {
        let wall = sample.get(Metric::WALL).filter(|&ns| ns > 0)?;
        let memory = sample.get(Metric::PEAK_MEMORY).filter(|&bytes| bytes > 0);
        let metadata = memory.map(|command_max_rss| RunMetadata { command_max_rss });
        Some(Run { values: [wall as f64 / 1e9], metadata })
    }
}
