//! Reads a baseline from pyperf's JSON: values in seconds per loop iteration; metadata of the suite, the benchmark and
//! the run.

use fauxplat_model::Metric;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{BaselineSeries, SourceFormat, complete, parse};
use crate::ReportError;

const EXPECTED: &str = "pyperf JSON: each of `benchmarks` needs `runs`, each with `values` in seconds";

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    metadata: Map<String, Value>,
    benchmarks: Vec<Benchmark>,
}

#[derive(Deserialize)]
struct Benchmark {
    #[serde(default)]
    metadata: Map<String, Value>,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    metadata: Map<String, Value>,
    /// Values of the run in seconds; absent in pyperf's calibration runs.
    #[serde(default)]
    values: Vec<f64>,
}

pub(super) fn read(text: &str) -> Result<Vec<BaselineSeries>, ReportError> {
    let Document { metadata, benchmarks } = parse(text, EXPECTED)?;
    let timed =
        |benchmark: &&Benchmark| benchmark.text(&metadata, "unit").is_none_or(|unit| unit == "second");
    Ok(benchmarks.iter().filter(timed).map(|benchmark| benchmark.series(&metadata)).collect())
}

impl Benchmark {
    /// Text of the metadata under a key; `None` if there is none. pyperf moves metadata that all runs share to the
    /// benchmark, and metadata that all benchmarks share to the suite.
    fn text<'m>(&'m self, suite: &'m Map<String, Value>, key: &str) -> Option<&'m str> {
        let run = self.runs.first().and_then(|run| run.metadata.get(key));
        run.or_else(|| self.metadata.get(key)).or_else(|| suite.get(key))?.as_str()
    }

    fn series(&self, suite: &Map<String, Value>) -> BaselineSeries {
        let measuring = || self.runs.iter().filter(|run| !run.values.is_empty());
        let wall = measuring().flat_map(|run| &run.values).map(|seconds| seconds * 1e9).collect();
        let memory = measuring().map(|run| run.metadata.get("command_max_rss")?.as_f64()).collect();
        BaselineSeries {
            name: self.text(suite, "name").unwrap_or_default().to_owned(),
            values: complete([(Metric::WALL, Some(wall)), (Metric::PEAK_MEMORY, memory)]),
            format: SourceFormat::Pyperf,
            when: self.text(suite, "date").map(str::to_owned),
            machine: None,
        }
    }
}
