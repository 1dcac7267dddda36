//! Structures of the JSON document of a record. Every structure borrows its data, so that nothing is collected before
//! writing.

use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{
    AaStratum, BoundedSummary, Command, Comparison, CounterRates, CounterSeries, Derived, Disagreement,
    LevelChange, Metric, Outcome, Phase, PowerResult, Process, ProfileFindings, QuantileInterval,
    RunFindings, Sample, Source, Summary, Variant, metrics_of,
};
use fauxplat_units::Cpu;
use serde::Serialize as SerializeDerive;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::sweep;
use crate::evidence::Pieces;
use crate::own;
use crate::samples::{ByCommand, P95_FROM, baseline, command_findings, compared};

/// The whole JSON document. `schema` comes first, so that a reader can identify the document by its first bytes.
#[derive(SerializeDerive)]
pub(crate) struct Document<'r, 'a> {
    schema: &'a str,
    #[serde(flatten)]
    header: &'a Header,
    #[serde(flatten)]
    findings: Verdicts<'a>,
    commands: Commands<'r, 'a>,
    /// Evidence other than runs; empty unless requested.
    #[serde(skip_serializing_if = "Pieces::is_empty")]
    pub(super) evidence: Pieces<'r>,
}

/// Findings, whose fields are at the top level of the document.
#[derive(SerializeDerive)]
#[serde(untagged)]
enum Verdicts<'a> {
    /// Findings of `run`, with comparisons if there are several commands.
    Run {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        comparisons: Vec<&'a Comparison>,
    },
    Compare {
        comparisons: &'a [Comparison],
        #[serde(skip_serializing_if = "Option::is_none")]
        baseline: Option<Baseline<'a>>,
        winner: Option<&'a str>,
        floor_ns: Option<f64>,
        elapsed_s: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        duet_cpus: Option<[Cpu; 2]>,
        #[serde(skip_serializing_if = "<[Variant]>::is_empty")]
        variants: &'a [Variant],
        #[serde(skip_serializing_if = "<[Disagreement]>::is_empty")]
        disagreements: &'a [Disagreement],
        #[serde(skip_serializing_if = "Option::is_none")]
        profile: Option<&'a ProfileFindings>,
    },
    Sweep(Box<sweep::SweepEntry<'a>>),
    Aa {
        strata: &'a [AaStratum],
        power: &'a [PowerResult],
        elapsed_s: f64,
    },
    /// Fields that the verb of private findings has made for the document.
    Own(serde_json::Value),
    /// Findings of other verbs, which serialise with the field names of the document.
    Other(&'a Findings),
}

#[derive(SerializeDerive)]
struct Baseline<'a> {
    name: &'a str,
    summary: Summaries<'a>,
}

impl<'a> Baseline<'a> {
    fn of((name, findings): (&'a str, &'a RunFindings)) -> Self {
        Baseline { name, summary: Summaries(Some(findings)) }
    }
}

/// The field `commands`, a list of [`CommandEntry`].
struct Commands<'r, 'a> {
    record: &'r Record<'a>,
    samples: &'r ByCommand<'a>,
}

/// An entry of `commands`: the way in which a command was started, its summary, its runs.
#[derive(SerializeDerive)]
struct CommandEntry<'r, 'a> {
    #[serde(flatten)]
    command: &'a Command,
    #[serde(flatten)]
    outcome: Option<Counts>,
    #[serde(skip_serializing_if = "<[Derived]>::is_empty")]
    derived: &'a [Derived],
    #[serde(skip_serializing_if = "<[LevelChange]>::is_empty")]
    level_changes: &'a [LevelChange],
    #[serde(skip_serializing_if = "<[Process]>::is_empty")]
    tree: &'a [Process],
    #[serde(skip_serializing_if = "<[CounterRates]>::is_empty")]
    rates: &'a [CounterRates],
    #[serde(skip_serializing_if = "<[CounterSeries]>::is_empty")]
    series: &'a [CounterSeries],
    summary: Summaries<'a>,
    runs: Runs<'r, 'a>,
}

#[derive(SerializeDerive)]
struct Counts {
    failures: usize,
    runs_with_left_behind: usize,
}

/// The field `summary` of a command: one entry per metric, named as in `runs[]`.
struct Summaries<'a>(Option<&'a RunFindings>);

/// An entry of `summary` for a metric of which some readings are bounds.
#[derive(SerializeDerive)]
struct BoundedEntry {
    n: usize,
    bounds: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
}

/// An entry of `summary`, in the unit that the metric's field name gives.
#[derive(SerializeDerive)]
struct SummaryEntry<'a> {
    n: usize,
    median: f64,
    mean: f64,
    low: Option<f64>,
    high: Option<f64>,
    sd: f64,
    min: f64,
    max: f64,
    p5: Option<f64>,
    p25: f64,
    p75: f64,
    p95: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p99: Option<f64>,
    outliers: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    first_thread: bool,
    #[serde(skip_serializing_if = "<[QuantileInterval]>::is_empty")]
    intervals: &'a [QuantileInterval],
}

/// The field `runs` of a command: its runs in the order of execution.
struct Runs<'r, 'a> {
    samples: &'r ByCommand<'a>,
    command: usize,
    metrics: &'r [Metric],
    memory: Source,
}

#[derive(SerializeDerive)]
struct RunEntry<'a> {
    trial: u32,
    block: u32,
    position: u16,
    phase: Phase,
    started_ns: u64,
    env_pad_bytes: u16,
    #[serde(flatten)]
    readings: Readings<'a>,
    /// Kernel interface from which the peak memory was read, which determines the processes that it covers; `null` if
    /// it was not measured.
    peak_memory_source: Option<Source>,
    /// The CPU on which the run ended.
    cpu: Option<u16>,
    cpu_first: Option<u16>,
    cpu_last: Option<u16>,
    left_behind: u16,
    exit_status: i32,
    outcome: Outcome,
}

/// A field with the reading of each metric; `null` means not measured.
struct Readings<'a> {
    sample: &'a Sample,
    metrics: &'a [Metric],
}

impl<'r, 'a> Document<'r, 'a> {
    pub(crate) fn new(record: &'r Record<'a>, samples: &'r ByCommand<'a>) -> Self {
        Document {
            schema: record.findings.schema(),
            header: record.header,
            findings: Verdicts::of(record),
            commands: Commands { record, samples },
            evidence: Pieces(&[]),
        }
    }
}

impl<'a> Verdicts<'a> {
    fn of(record: &Record<'a>) -> Self {
        match record.findings {
            Findings::Run(found) => Verdicts::Run {
                comparisons: found.iter().filter_map(|it| it.against_first.as_deref()).collect(),
            },
            Findings::Compare(found) => Verdicts::Compare {
                comparisons: &found.comparisons,
                baseline: baseline(record).map(Baseline::of),
                winner: found.winner.and_then(|index| compared(record).get(index).map(|(name, _)| *name)),
                floor_ns: found.floor_ns,
                elapsed_s: found.elapsed_s,
                duet_cpus: found.duet_cpus,
                variants: &found.variants,
                disagreements: &found.disagreements,
                profile: found.profile.as_deref(),
            },
            Findings::Sweep(found) => Verdicts::Sweep(Box::new(sweep::SweepEntry::of(found))),
            Findings::Aa(found) => {
                Verdicts::Aa { strata: &found.strata, power: &found.power, elapsed_s: found.elapsed_s }
            }
            Findings::Own(found) => own::json(found).map_or(Verdicts::Other(record.findings), Verdicts::Own),
            other => Verdicts::Other(other),
        }
    }
}

impl Serialize for Commands<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let findings = command_findings(self.record);
        let metrics = metrics_of(self.record.samples);
        let entry = |(index, command)| {
            let found = findings.get(index);
            CommandEntry {
                command,
                outcome: found.map(Counts::of),
                derived: found.map_or(&[], |found| &found.derived),
                level_changes: found.map_or(&[], |found| &found.level_changes),
                tree: found.map_or(&[], |found| &found.tree),
                rates: found.map_or(&[], |found| &found.rates),
                series: found.map_or(&[], |found| &found.series),
                summary: Summaries(found),
                runs: Runs {
                    samples: self.samples,
                    command: index,
                    metrics: &metrics,
                    memory: self.record.header.sources.peak_memory,
                },
            }
        };
        serializer.collect_seq(self.record.commands.iter().enumerate().map(entry))
    }
}

impl Counts {
    fn of(found: &RunFindings) -> Self {
        Counts { failures: found.failures, runs_with_left_behind: found.runs_with_left_behind }
    }
}

impl Serialize for Summaries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for summary in self.0.iter().flat_map(|found| &found.summaries) {
            map.serialize_entry(summary.metric.field(), &SummaryEntry::of(summary))?;
        }
        for &BoundedSummary { metric, n, bounds, at_most, at_least } in
            self.0.iter().flat_map(|found| &found.bounded)
        {
            map.serialize_entry(metric.field(), &BoundedEntry { n, bounds, at_most, at_least })?;
        }
        map.end()
    }
}

impl<'a> SummaryEntry<'a> {
    fn of(summary: &'a Summary) -> Self {
        let p99 = crate::samples::p99(summary);
        let &Summary { n, median, mean, sd, min, max, outliers, first_thread, .. } = summary;
        let [low, high] = summary.interval().map_or([None; 2], |ends| ends.map(Some));
        let [p5, p25, p75, p95] = summary.percentiles;
        let [p5, p95] = [p5, p95].map(|value| Some(value).filter(|_| n >= P95_FROM));
        let intervals = &summary.intervals;
        SummaryEntry {
            n,
            median,
            mean,
            low,
            high,
            sd,
            min,
            max,
            p5,
            p25,
            p75,
            p95,
            p99,
            outliers,
            first_thread,
            intervals,
        }
    }
}

impl Serialize for Runs<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut runs = serializer.serialize_seq(None)?;
        for sample in self.samples.of(self.command) {
            runs.serialize_element(&RunEntry::of(sample, self.metrics, self.memory))?;
        }
        runs.end()
    }
}

impl<'a> RunEntry<'a> {
    fn of(sample: &'a Sample, metrics: &'a [Metric], memory: Source) -> Self {
        let known = |cpu: u16| (cpu != u16::MAX).then_some(cpu);
        RunEntry {
            trial: sample.trial,
            block: sample.block,
            position: sample.position,
            phase: sample.phase,
            started_ns: sample.started_ns,
            env_pad_bytes: sample.env_pad_bytes,
            readings: Readings { sample, metrics },
            peak_memory_source: sample.told(Metric::PEAK_MEMORY).map(|_| memory),
            cpu: known(sample.cpu_last),
            cpu_first: known(sample.cpu_first),
            cpu_last: known(sample.cpu_last),
            left_behind: sample.left_behind,
            exit_status: sample.outcome.exit_status(),
            outcome: sample.outcome,
        }
    }
}

/// A single run in the form of an entry of `runs[]`, with the index of its command.
#[derive(SerializeDerive)]
pub(crate) struct LoneRun<'a> {
    kind: &'static str,
    command: u16,
    #[serde(flatten)]
    run: RunEntry<'a>,
}

impl<'a> LoneRun<'a> {
    /// Creates an entry with a field for each of the given metrics.
    pub(crate) fn of(sample: &'a Sample, metrics: &'a [Metric], memory: Source) -> Self {
        LoneRun { kind: "run", command: sample.command, run: RunEntry::of(sample, metrics, memory) }
    }
}

impl Serialize for Readings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.metrics.iter().map(|metric| (metric.field(), self.sample.told(*metric))))
    }
}
