//! CSV with a row for each command: the table of hyperfine's `--export-csv`, which existing scripts can read.
//!
//! Specification: <https://docs.rs/crate/hyperfine/1.20.0/source/src/export/csv.rs>; times in seconds.

use std::collections::BTreeSet;
use std::io::Write;

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Gate, GateState, Metric};

use super::{Timed, gated, timed};
use crate::samples::{command_findings, summary};
use crate::words::in_a_cell;
use crate::{Format, ReportError};

const COLUMNS: [&str; 8] = ["command", "mean", "stddev", "median", "user", "system", "min", "max"];

/// Column for the number of failed runs, which is there if a run of any command failed.
const FAILED_COLUMN: &str = "failed_runs";

/// Last columns, which are there if the rule has a gate. If several metrics decide, each of them has these columns too,
/// with its name at the end.
const GATE_COLUMNS: [&str; 2] = ["gate", "gate_detectable"];

/// Writes a row for each command that has readings of the wall time, with a column for each parameter.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let commands = timed(record, Format::CsvSummary.name())?;
    let parameters: BTreeSet<&str> = record
        .commands
        .iter()
        .flat_map(|command| command.parameters.iter().map(|(name, _)| name.as_str()))
        .collect();
    let mut rows = csv::Writer::from_writer(out);
    let titles = parameters.iter().map(|name| format!("parameter_{name}"));
    let is_gated = commands.iter().any(|it| gated(record, it.index).next().is_some());
    let metrics = several(record);
    let gate_titles = gate_titles(&metrics).into_iter().filter(|_| is_gated);
    let has_failed = command_findings(record).iter().any(|it| it.failures > 0);
    let failed_title = has_failed.then(|| FAILED_COLUMN.to_owned());
    let columns = COLUMNS.map(str::to_owned).into_iter().chain(titles).chain(failed_title);
    rows.write_record(columns.chain(gate_titles))?;
    for command in &commands {
        let values = parameters.iter().map(|name| value(record, command, name));
        let failed = has_failed.then(|| command.findings.failures.to_string());
        let gates = gates(record, command, &metrics).into_iter().filter(|_| is_gated);
        rows.write_record(figures(command).into_iter().chain(values).chain(failed).chain(gates))?;
    }
    Ok(rows.flush()?)
}

/// The metrics that decide, if there are several; otherwise none.
fn several(record: &Record) -> Vec<Metric> {
    let metrics = match record.findings {
        Findings::Compare(found) => found.metrics(),
        _ => Vec::new(),
    };
    if metrics.len() > 1 { metrics } else { Vec::new() }
}

fn gate_titles(metrics: &[Metric]) -> Vec<String> {
    let of = |metric: &Metric| GATE_COLUMNS.map(|title| format!("{title}_{}", metric.name()));
    GATE_COLUMNS.map(str::to_owned).into_iter().chain(metrics.iter().flat_map(of)).collect()
}

/// Cells for the answer of a gate: of the metric whose answer says most (beyond, then undecided, then within), then of
/// each metric. All are empty for the reference.
fn gates(record: &Record, command: &Timed, metrics: &[Metric]) -> Vec<String> {
    let rank = |gate: &Gate| match gate.state {
        GateState::Beyond => 0,
        GateState::Undecided => 1,
        GateState::Within => 2,
    };
    let own: Vec<(Metric, Gate)> =
        gated(record, command.index).filter_map(|it| Some((it.metric, it.gate?))).collect();
    let worst = own.iter().map(|(_, gate)| *gate).min_by_key(rank);
    let of = |metric: &Metric| own.iter().find(|(other, _)| other == metric).map(|(_, gate)| *gate);
    std::iter::once(worst).chain(metrics.iter().map(of)).flat_map(gate_cells).collect()
}

/// Cells for the answer of a gate, and for the change that it could have detected, as a ratio minus one.
fn gate_cells(gate: Option<Gate>) -> [String; 2] {
    let state = gate.map_or("", |gate| match gate.state {
        GateState::Beyond => "beyond",
        GateState::Within => "within",
        GateState::Undecided => "undecided",
    });
    let detectable = gate.and_then(|gate| gate.detectable);
    [state.to_owned(), detectable.map_or_else(String::new, |it| it.to_string())]
}

fn figures(command: &Timed) -> [String; 8] {
    let seconds = |ns: f64| (ns / 1e9).to_string();
    let mean = |metric| summary(command.findings, metric).map_or_else(String::new, |it| seconds(it.mean));
    let wall = command.wall;
    let sd = if wall.n > 1 { seconds(wall.sd) } else { String::new() };
    [
        in_a_cell(&command.name),
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
    value.map_or_else(String::new, |(_, value)| in_a_cell(value))
}
