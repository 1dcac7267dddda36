//! Export of evidence other than runs: objects with a `kind` in JSON, a row for each figure in CSV.

use std::io::Write;

use fauxplat_model::{Event, Evidence, Histogram, Process, Series, ShiftSample, Tree};
use serde::{Serialize, Serializer};

use crate::ReportError;
use crate::words::in_a_cell;

/// The field `evidence` in JSON: every piece except runs, which are listed with their commands. The order is that of
/// recording.
pub(crate) struct Pieces<'a>(pub(crate) &'a [Evidence]);

impl Pieces<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        !self.0.iter().any(|piece| Piece::of(piece).is_some())
    }
}

impl Serialize for Pieces<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().filter_map(Piece::of))
    }
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Piece<'a> {
    Shift(&'a ShiftSample),
    Histogram(&'a Histogram),
    Series(&'a Series),
    Tree(&'a Tree),
    Event(&'a Event),
}

impl<'a> Piece<'a> {
    pub(crate) fn of(evidence: &'a Evidence) -> Option<Self> {
        match evidence {
            Evidence::Run(_) => None,
            Evidence::Shift(shift) => Some(Piece::Shift(shift)),
            Evidence::Histogram(histogram) => Some(Piece::Histogram(histogram)),
            Evidence::Series(series) => Some(Piece::Series(series)),
            Evidence::Tree(tree) => Some(Piece::Tree(tree)),
            Evidence::Event(event) => Some(Piece::Event(event)),
        }
    }
}

/// Columns of the CSV form. The last column is the figure, which the other columns identify.
const COLUMNS: [&str; 10] =
    ["kind", "number", "round", "cell", "worker", "trial", "name", "figure", "at", "value"];

/// Writes one row per figure, for filtering by `kind` and `figure` in a data frame.
pub(crate) fn write_csv(evidence: &[Evidence], out: &mut dyn Write) -> Result<(), ReportError> {
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record(COLUMNS)?;
    let pieces = evidence.iter().filter(|piece| !matches!(piece, Evidence::Run(_)));
    for (number, piece) in pieces.enumerate() {
        let about = About::of(number, piece);
        for Figure { figure, at, value } in figures(piece) {
            let fields = about.fields.iter().chain([&figure, &at, &value]);
            rows.write_record([piece.kind().to_owned()].into_iter().chain(fields.map(|it| in_a_cell(it))))?;
        }
    }
    Ok(rows.flush()?)
}

struct About {
    fields: [String; 6],
}

impl About {
    fn of(number: usize, piece: &Evidence) -> Self {
        let mut fields = [const { String::new() }; 6];
        fields[0] = number.to_string();
        let [_, round, cell, worker, trial, name] = &mut fields;
        match piece {
            Evidence::Run(_) => {}
            Evidence::Shift(it) => {
                (*round, *cell, *worker) = (it.round.to_string(), it.cell.to_string(), it.hand.to_string());
            }
            Evidence::Histogram(it) => {
                (*round, *cell, *name) = (it.round.to_string(), it.cell.to_string(), it.name.clone());
            }
            Evidence::Series(it) => (*trial, *name) = (it.trial.to_string(), it.metric.name().to_owned()),
            Evidence::Tree(it) => *cell = it.command.to_string(),
            Evidence::Event(it) => (*trial, *name) = (optional(it.trial), it.name.clone()),
        }
        About { fields }
    }
}

/// A figure of a piece of evidence. `at` is its position within the piece: a bound, a moment, a lap, a process.
struct Figure {
    figure: String,
    at: String,
    value: String,
}

fn figure(name: &str, at: impl ToString, value: impl ToString) -> Figure {
    Figure { figure: name.to_owned(), at: at.to_string(), value: value.to_string() }
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn figures(piece: &Evidence) -> Vec<Figure> {
    match piece {
        Evidence::Run(_) => Vec::new(),
        Evidence::Shift(shift) => of_shift(shift),
        Evidence::Histogram(it) => {
            let bins = it.bounds.iter().zip(&it.counts).map(|(bound, count)| figure("count", bound, count));
            [figure("missed", "", it.missed)].into_iter().chain(bins).collect()
        }
        Evidence::Series(it) => {
            let name = format!("value{}", it.metric.unit().suffix());
            it.until_ns
                .iter()
                .zip(&it.values)
                .map(|(until_ns, value)| figure(&name, until_ns, value))
                .collect()
        }
        Evidence::Tree(tree) => tree.processes.iter().flat_map(of_process).collect(),
        Evidence::Event(it) => {
            let said = figure("message", it.at_ns, &it.message);
            let figures = it.figures.iter().map(|(name, value)| figure(name, it.at_ns, value));
            [said].into_iter().chain(figures).collect()
        }
    }
}

/// Figures of a shift (a worker's turn of work). A reading that was not measured has no row.
fn of_shift(shift: &ShiftSample) -> Vec<Figure> {
    let handover = shift.handover.as_ref();
    let figures = [
        ("units", Some(shift.units)),
        ("wall_ns", Some(shift.wall_ns)),
        ("cpu_ns", Some(shift.cpu_ns)),
        ("run_delay_ns", shift.run_delay_ns),
        ("steal_ns", shift.steal_ns),
        ("involuntary_switches", Some(shift.involuntary_switches)),
        ("cpu_first", shift.cpus[0].map(|cpu| cpu.0.into())),
        ("cpu_last", shift.cpus[1].map(|cpu| cpu.0.into())),
        ("round_trip_first_ns", shift.round_trips_ns[0]),
        ("round_trip_last_ns", shift.round_trips_ns[1]),
        ("handover_lines", handover.map(|it| it.lines)),
        ("handover_handed_ns", handover.map(|it| it.handed_ns)),
        ("handover_memory_ns", handover.map(|it| it.memory_ns)),
        ("clock_ns", Some(shift.clock_ns)),
    ];
    let figures = figures.into_iter().filter_map(|(name, value)| Some(figure(name, "", value?)));
    let laps = shift.laps_cpu_ns.iter().enumerate().map(|(lap, cpu_ns)| figure("lap_cpu_ns", lap, cpu_ns));
    figures.chain(laps).collect()
}

fn of_process(process: &Process) -> [Figure; 6] {
    let at = process.pid;
    [
        figure("parent", at, process.parent),
        figure("command", at, &process.command),
        figure("cpu_ns", at, process.cpu_ns),
        figure("wall_ns", at, process.wall_ns),
        figure("peak_memory_bytes", at, process.peak_memory_bytes),
        figure("threads", at, process.threads),
    ]
}
