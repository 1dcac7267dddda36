//! The formats of other tools, so that existing pipelines can read fauxplat's results.

mod bencher;
mod csv_summary;
mod fleet_metrics;
mod github;
mod go_benchmark;
mod google_benchmark;
mod hyperfine;
mod hyperfine_2;
mod junit;
pub(crate) mod openmetrics;
mod profile;
mod pyperf;
mod slurm_drain;

use std::io::Write;

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Comparison, Metric, RunFindings, Summary};

use crate::apart::distinct;
use crate::format::UNTIMED;
use crate::samples::{command_findings, summary};
use crate::words::{shorten, visible};
use crate::{Format, ReportError, Style, own};

/// Writes a record in the format of another tool. Every format without a writer elsewhere belongs here.
pub(crate) fn write(
    record: &Record,
    format: Format,
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    match format {
        Format::HyperfineJson => hyperfine::write(record, out),
        Format::HyperfineJson2 => hyperfine_2::write(record, out),
        Format::CsvSummary => csv_summary::write(record, out),
        Format::JUnit => junit::write(record, out),
        Format::PyperfJson => pyperf::write(record, out),
        Format::GithubActionBenchmark => github::write(record, out),
        Format::BencherBmf => bencher::write(record, out),
        Format::GoBenchmark => go_benchmark::write(record, out),
        Format::GoogleBenchmark => google_benchmark::write(record, out),
        Format::OpenMetrics => match record.findings {
            Findings::Fleet(found) => Ok(fleet_metrics::write(found, out)?),
            Findings::Own(found) => openmetrics::gauges(found, out),
            _ => openmetrics::write(record, out),
        },
        Format::Folded => profile::folded(record, out),
        Format::Speedscope => profile::speedscope(record, out),
        Format::Firefox => profile::firefox(record, out),
        Format::Pprof => profile::pprof(record, out),
        Format::SlurmDrain => slurm_drain::write(record, out),
        // All other formats belong to a single verb.
        _ => own::export(record, format, style, out),
    }
}

/// Maximum length of a name in columns: Bencher accepts at most 1024 characters, and a number may be appended.
const NAME_MAX: usize = 1000;

pub(crate) struct Timed<'a> {
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) findings: &'a RunFindings,
    pub(crate) wall: &'a Summary,
}

/// The commands that have readings of the wall time, under distinct names. Fails if there are none.
pub(crate) fn timed<'a>(record: &Record<'a>, format: &'static str) -> Result<Vec<Timed<'a>>, ReportError> {
    let nothing = |reason| Err(ReportError::NothingToExport { format, reason });
    match record.findings {
        Findings::Aa(_) => {
            return nothing("an A/A calibration has no figure per command; take text, json, csv or markdown");
        }
        Findings::Sweep(_) => {
            return nothing("a sweep compares levels; take text, json, csv, markdown, svg or html");
        }
        _ => {}
    }
    if matches!(record.findings, Findings::Profile(_)) {
        return nothing(
            "runs that are sampled are not timed; take text, json, html, svg, folded, speedscope, firefox or pprof",
        );
    }
    if matches!(record.findings, Findings::Table(_)) {
        return nothing("a live table has no command; take text, json, csv, markdown or openmetrics");
    }
    if !matches!(record.findings, Findings::Run(_) | Findings::Compare(_)) {
        return nothing("these findings have no figure per command; take text, json, csv or markdown");
    }
    let commands: Vec<_> = command_findings(record)
        .iter()
        .zip(names(record))
        .enumerate()
        .filter_map(|(index, (findings, name))| {
            Some(Timed { index, name, findings, wall: summary(findings, Metric::WALL)? })
        })
        .collect();
    match commands.is_empty() {
        true if record.header.condition.simulate.is_some() => nothing(UNTIMED),
        true => nothing("no run of any command succeeded"),
        false => Ok(commands),
    }
}

/// The comparisons of a command (by its index) with its reference that answer the question of `--fail-if`.
pub(crate) fn gated<'a>(record: &Record<'a>, command: usize) -> impl Iterator<Item = &'a Comparison> {
    let comparisons: &[Comparison] = match record.findings {
        Findings::Compare(found) => &found.comparisons,
        _ => &[],
    };
    // All commands but the first are compared with the first, metric by metric; with a baseline, the only command is
    // compared.
    let others = record.commands.len().saturating_sub(1);
    let metrics = match record.findings {
        Findings::Compare(found) => found.metrics().len(),
        _ => 0,
    };
    let is_own = move |at: usize| match others {
        0 => true,
        _ => command > 0 && at < metrics * others && at % others == command - 1,
    };
    let own = comparisons.iter().enumerate().filter(move |(at, _)| is_own(*at)).map(|(_, it)| it);
    own.filter(|it| it.gate.is_some())
}

/// Distinct names of the commands, since the other tools use names as keys.
pub(crate) fn names(record: &Record) -> Vec<String> {
    let names = record.commands.iter().enumerate().map(|(index, command)| one_line(index, &command.name));
    distinct(names, |name, count| format!("{name} ({count})"))
}

/// A command's name in a form that every format accepts: one visible, non-empty line of bounded length. An empty name
/// becomes `command` and the number.
fn one_line(index: usize, name: &str) -> String {
    match shorten(visible(name).trim(), NAME_MAX, "...") {
        name if name.is_empty() => format!("command {}", index + 1),
        name => name,
    }
}
