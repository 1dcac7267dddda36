//! CSV with a row for each command: the table of hyperfine's `--export-csv`, whose columns scripts know.
//!
//! Its shape: <https://docs.rs/crate/hyperfine/1.20.0/source/src/export/csv.rs>; times in seconds.

use std::collections::BTreeSet;
use std::io::Write;

use fauxplat_model::Metric;
use fauxplat_model::document::Record;

use super::{Timed, timed};
use crate::samples::summary;
use crate::{Format, ReportError};

const COLUMNS: [&str; 8] = ["command", "mean", "stddev", "median", "user", "system", "min", "max"];

/// Writes the commands that have a wall time, with a column for each parameter.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let commands = timed(record, Format::CsvSummary.name())?;
    let parameters: BTreeSet<&str> = record
        .commands
        .iter()
        .flat_map(|command| command.parameters.iter().map(|(name, _)| name.as_str()))
        .collect();
    let mut rows = csv::Writer::from_writer(out);
    let titles = parameters.iter().map(|name| format!("parameter_{name}"));
    rows.write_record(COLUMNS.map(str::to_owned).into_iter().chain(titles))?;
    for command in &commands {
        let values = parameters.iter().map(|name| value(record, command, name));
        rows.write_record(figures(command).into_iter().chain(values))?;
    }
    Ok(rows.flush()?)
}

fn figures(command: &Timed) -> [String; 8] {
    let seconds = |ns: f64| (ns / 1e9).to_string();
    let mean = |metric| summary(command.findings, metric).map_or_else(String::new, |it| seconds(it.mean));
    let wall = command.wall;
    let sd = if wall.n > 1 { seconds(wall.sd) } else { String::new() };
    [
        command.name.clone(),
        seconds(wall.mean),
        sd,
        seconds(wall.median),
        mean(Metric::USER),
        mean(Metric::SYSTEM),
        seconds(wall.min),
        seconds(wall.max),
    ]
}

fn value(record: &Record, command: &Timed, name: &str) -> String {
    let parameters = &record.commands[command.index].parameters;
    let value = parameters.iter().find(|(other, _)| other == name);
    value.map_or_else(String::new, |(_, value)| crate::words::visible(value))
}
