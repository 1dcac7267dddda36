//! The JSON of Google Benchmark, which its `compare.py` reads.
//!
//! Form: <https://github.com/google/benchmark/blob/main/docs/user_guide.md#output-formats>.

use std::io::Write;

use fauxplat_model::Metric;
use fauxplat_model::document::{Findings, Header, OwnFindings, Record};
use serde::Serialize;

use super::timed;
use crate::samples::{ByCommand, is_analysed};
use crate::words::visible;
use crate::{Format, ReportError, own};

/// Description of the measurement. Fields without a value are left out.
#[derive(Serialize)]
struct Context<'a> {
    date: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_name: Option<&'a str>,
    executable: &'static str,
    fauxplat_version: &'a str,
}

/// A run as a repetition of a benchmark.
#[derive(Serialize)]
struct Repetition<'a> {
    name: &'a str,
    run_name: &'a str,
    run_type: &'static str,
    repetition_index: usize,
    threads: u32,
    iterations: u32,
    real_time: f64,
    cpu_time: f64,
    time_unit: &'static str,
}

impl<'a> Repetition<'a> {
    fn new(name: &'a str, repetition_index: usize, [real_time, cpu_time]: [f64; 2]) -> Self {
        Repetition {
            name,
            run_name: name,
            run_type: "iteration",
            repetition_index,
            threads: 1,
            iterations: 1,
            real_time,
            cpu_time,
            time_unit: "ns",
        }
    }
}

/// Writes a repetition for every analysed run that has a reading of the wall time. Where CPU time was not measured, the
/// wall time stands for it, since `compare.py` needs both.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    if let Findings::Own(found) = record.findings {
        return write_readings(record.header, found, out);
    }
    let commands = timed(record, Format::GoogleBenchmark.name())?;
    let samples = ByCommand::new(record);
    begin(record.header, out)?;
    let mut is_first = true;
    for timed in &commands {
        let command = &record.commands[timed.index];
        let runs = samples.of(timed.index).filter(|run| is_analysed(run, command));
        let times = runs.filter_map(|run| {
            let wall_ns = run.get(Metric::WALL)?;
            Some([wall_ns, run.get(Metric::CPU).unwrap_or(wall_ns)].map(|ns| ns as f64))
        });
        for (number, times) in times.enumerate() {
            next(&Repetition::new(&timed.name, number, times), &mut is_first, out)?;
        }
    }
    end(out)
}

/// Writes a repetition for every time of a document whose type is private to a verb. The name begins with the side, so
/// that `compare.py filters FILE ^A/ ^B/` compares both sides. Readings of other units have no place in the form.
fn write_readings(header: &Header, found: &OwnFindings, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut readings = own::readings(found).unwrap_or_default();
    readings.retain(|reading| reading.unit == "ns");
    if readings.is_empty() {
        let reason = "these findings have no single readings of a time; take text, json, csv or markdown";
        return Err(ReportError::NothingToExport { format: Format::GoogleBenchmark.name(), reason });
    }
    begin(header, out)?;
    let (mut name, mut number, mut is_first) = (String::new(), 0, true);
    for reading in readings {
        let of = format!("{}/{}", reading.side, visible(&reading.benchmark));
        number = if of == name { number + 1 } else { 0 };
        name = of;
        next(&Repetition::new(&name, number, [reading.value; 2]), &mut is_first, out)?;
    }
    end(out)
}

fn begin(header: &Header, out: &mut dyn Write) -> Result<(), ReportError> {
    let context = Context {
        date: &header.started,
        host_name: header.origin.host.as_deref(),
        executable: "fauxplat",
        fauxplat_version: &header.fauxplat_version,
    };
    out.write_all(b"{\"context\": ")?;
    serde_json::to_writer(&mut *out, &context)?;
    Ok(out.write_all(b",\n\"benchmarks\": [")?)
}

fn next(repetition: &Repetition, is_first: &mut bool, out: &mut dyn Write) -> Result<(), ReportError> {
    let between: &[u8] = if *is_first { b"\n" } else { b",\n" };
    out.write_all(between)?;
    *is_first = false;
    Ok(serde_json::to_writer(&mut *out, repetition)?)
}

fn end(out: &mut dyn Write) -> Result<(), ReportError> {
    Ok(out.write_all(b"\n]}\n")?)
}
