//! The samples of a record by command, without copying them.

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Command, Metric, Phase, RunFindings, Sample, Summary, metrics_of};

/// The samples of each command in the order of recording, with an index of four bytes per sample.
pub(crate) struct ByCommand<'a> {
    samples: &'a [Sample],
    /// Indices in `samples`, first those of command 0, then those of command 1, and so on.
    order: Vec<u32>,
    /// Start in `order` of the indices of each command, followed by the end of the last.
    starts: Vec<usize>,
}

impl<'a> ByCommand<'a> {
    pub(crate) fn new(record: &Record<'a>) -> Self {
        let commands = record.commands.len();
        let mut order: Vec<u32> = (0..record.samples.len() as u32).collect();
        order.sort_by_key(|&index| record.samples[index as usize].command);
        let start = |command: usize| {
            order.partition_point(|&index| usize::from(record.samples[index as usize].command) < command)
        };
        let starts = (0..=commands).map(start).collect();
        ByCommand { samples: record.samples, order, starts }
    }

    pub(crate) fn of(&self, command: usize) -> impl Iterator<Item = &'a Sample> + use<'_, 'a> {
        self.order[self.starts[command]..self.starts[command + 1]].iter().map(|&i| &self.samples[i as usize])
    }
}

/// The three metrics that a report shows first: wall time, CPU time and memory, or counts for simulated commands.
pub(crate) fn leading<'f>(found: impl IntoIterator<Item = &'f RunFindings>) -> [Metric; 3] {
    let times = [Metric::WALL, Metric::CPU, Metric::PEAK_MEMORY];
    let measured: Vec<&Summary> = found.into_iter().flat_map(|it| &it.summaries).collect();
    let has = |metric: Metric| measured.iter().any(|it| it.metric == metric);
    let counts =
        ["simulated:instructions", "simulated:l1d-misses", "simulated:llc-misses"].map(Metric::from_name);
    match counts {
        [Some(first), Some(second), Some(third)] if !has(Metric::WALL) && has(first) => {
            [first, second, third]
        }
        _ => times,
    }
}

/// A sentence about the simulator and the simulated machine; `None` if the commands were timed.
pub(crate) fn simulated(record: &Record) -> Option<String> {
    let metric = metrics_of(record.samples).into_iter().find(|it| it.name().starts_with("simulated:"))?;
    Some(format!("Simulated, and not timed: {}.", metric.spec().source))
}

/// Whether a run is analysed: it was measured, and was successful unless failures are ignored.
pub(crate) fn is_analysed(sample: &Sample, command: &Command) -> bool {
    sample.phase == Phase::Measured && (sample.outcome.is_success() || command.condition.ignore_failure.any())
}

pub(crate) fn readings<'s>(
    samples: &'s ByCommand<'_>,
    record: &'s Record<'_>,
    command: usize,
    metric: Metric,
) -> impl Iterator<Item = u64> + use<'s> {
    let analysed = move |sample: &&Sample| is_analysed(sample, &record.commands[command]);
    samples.of(command).filter(analysed).filter_map(move |sample| sample.get(metric))
}

/// The findings of the commands that were run, in the order of `record.commands`; empty for an A/A calibration.
///
/// A comparison with a baseline also has findings about the baseline, which precede the others and have no command.
pub(crate) fn command_findings<'a>(record: &Record<'a>) -> &'a [RunFindings] {
    let all: &[RunFindings] = match record.findings {
        Findings::Run(commands) => commands,
        Findings::Compare(compare) => &compare.commands,
        _ => &[],
    };
    &all[all.len().saturating_sub(record.commands.len())..]
}

/// Name and findings of a baseline from another time, which was compared without being run; `None` if there is none.
pub(crate) fn baseline<'a>(record: &Record<'a>) -> Option<(&'a str, &'a RunFindings)> {
    let Findings::Compare(found) = record.findings else { return None };
    let (comparison, findings) = (found.comparisons.first()?, found.commands.first()?);
    (found.commands.len() > record.commands.len()).then_some((comparison.a.as_str(), findings))
}

/// Names and findings of everything that was compared, a baseline first.
pub(crate) fn compared<'a>(record: &Record<'a>) -> Vec<(&'a str, &'a RunFindings)> {
    let commands = record.commands.iter().map(|command| command.name.as_str()).zip(command_findings(record));
    baseline(record).into_iter().chain(commands).collect()
}

pub(crate) fn summary(findings: &RunFindings, metric: Metric) -> Option<&Summary> {
    findings.summaries.iter().find(|summary| summary.metric == metric)
}

/// Number of runs from which on one of them lies beyond the 95th, or the 99th, percentile. With fewer runs the
/// percentile would only be another name for the slowest run.
pub(crate) const P95_FROM: usize = 20;
pub(crate) const P99_FROM: usize = 100;

/// The 99th percentile of a summary; `None` with fewer than [`P99_FROM`] runs.
pub(crate) fn p99(summary: &Summary) -> Option<f64> {
    summary.p99.filter(|_| summary.n >= P99_FROM)
}
