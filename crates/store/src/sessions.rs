//! Earlier sessions of a program, and of a pair of programs, on one machine.

use std::collections::BTreeMap;

use fauxplat_model::document::Findings;
use fauxplat_model::{Command, Condition, Definition, MachineFacts, Metric, Phase, Sample};
use rusqlite::types::Value;

use crate::engine::{Values, cell, integer, text};
use crate::machine::MachineKey;
use crate::{State, Store, StoreError, findings, sql};

/// A finished session in which a program ran.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionReadings {
    pub id: i64,
    /// Readings of the measured, successful runs, in their order; never empty.
    pub readings: Vec<f64>,
}

/// A finished session in which two programs ran in shared blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionPairs {
    pub id: i64,
    /// Natural logarithms of the ratio of B to A, one for each block in which both have usable readings, in the order
    /// of the blocks; at least two.
    pub log_ratios: Vec<f64>,
}

/// Prefixes of the names of metrics whose source the user gives: a pattern or a JSON pointer for the output, or a live
/// table.
const METRIC_PRINTED: &str = "printed:";
const METRIC_TABLE: &str = "table:";

/// The metric for which sessions are searched, with the definition that gives its source.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'d> {
    pub metric: Metric,
    /// The definition with the sources of metrics that the user names.
    pub definition: &'d Definition,
}

impl Measured<'_> {
    /// Returns whether the metric has the same source in a stored definition. A name that a user chose may stand for
    /// another number in the output, or for another table.
    fn is_same(self, stored: &str) -> bool {
        let Definition { printed, tables, .. } = self.definition;
        let is_users =
            [METRIC_PRINTED, METRIC_TABLE].iter().any(|source| self.metric.name().starts_with(source));
        let is_equal = |it: Definition| it.printed == *printed && it.tables == *tables;
        !is_users || serde_json::from_str(stored).is_ok_and(is_equal)
    }
}

/// An experiment that contains a command, with the command's number in it.
struct Found {
    id: i64,
    kind: String,
    number: u16,
}

impl Store {
    /// Returns finished sessions on this machine in which the same program ran with the same arguments under the same
    /// condition, oldest first. The variance of its typical reading between sessions is estimated from them. The
    /// machine is the same across boots and CPU affinities, not across kernels. Experiments of `run`, `compare` and
    /// undisturbed calibrations are used, which vary nothing that moves the typical reading. A program without a hash
    /// has no sessions.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn sessions_of(
        &self,
        machine: &MachineFacts,
        command: &Command,
        measured: Measured,
    ) -> Result<Vec<SessionReadings>, StoreError> {
        let metric = measured.metric;
        let mut sessions = Vec::new();
        let mut found = self.holding(machine, command, measured)?;
        found.dedup_by_key(|found| found.id);
        for Found { id, number, .. } in found {
            let mut readings = Vec::new();
            self.samples(id, |sample| {
                let value = read(&sample, metric).filter(|_| sample.command == number);
                readings.extend(value);
            })?;
            sessions.extend((!readings.is_empty()).then_some(SessionReadings { id, readings }));
        }
        Ok(sessions)
    }

    /// Returns finished comparisons on this machine in which the same two programs ran with the same arguments in
    /// shared blocks, under the same condition, oldest first. They decide whether a result is replicated.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn sessions_of_pair(
        &self,
        machine: &MachineFacts,
        (a, b): (&Command, &Command),
        measured: Measured,
    ) -> Result<Vec<SessionPairs>, StoreError> {
        let metric = measured.metric;
        let (of_a, of_b) = (self.holding(machine, a, measured)?, self.holding(machine, b, measured)?);
        let mut sessions: Vec<SessionPairs> = Vec::new();
        for one in of_a.iter().filter(|one| one.kind == "compare") {
            let id = one.id;
            let other = of_b.iter().find(|other| other.id == id && other.number != one.number);
            let is_known = sessions.last().is_some_and(|last| last.id == id);
            let Some(other) = other.filter(|_| !is_known) else { continue };
            let mut blocks = Blocks::default();
            self.samples(id, |sample| blocks.add(&sample, metric, [one.number, other.number]))?;
            let log_ratios = blocks.log_ratios();
            sessions.extend((log_ratios.len() > 1).then_some(SessionPairs { id, log_ratios }));
        }
        Ok(sessions)
    }

    /// Returns finished experiments on a machine that contain a command, oldest first. Programs are identified by the
    /// hash of their content, whatever their path.
    fn holding(
        &self,
        machine: &MachineFacts,
        command: &Command,
        measured: Measured,
    ) -> Result<Vec<Found>, StoreError> {
        let Some(hash) = &command.program_sha256 else { return Ok(Vec::new()) };
        let identity = MachineKey::of(machine)?.identity;
        let asked = [State::Finished.name(), &identity, hash].map(|word| Value::Text(word.to_owned()));
        let held = |row: &Values| {
            let (kind, argv) = (text(cell(row, 1))?, text(cell(row, 2))?);
            let is_meant = same_arguments(argv, command)
                && is_undisturbed(kind, text(cell(row, 4)))
                && same_condition(text(cell(row, 5))?, command)
                && measured.is_same(text(cell(row, 6))?);
            let number = u16::try_from(integer(cell(row, 3))).ok()?;
            is_meant.then(|| Found { id: integer(cell(row, 0)), kind: kind.to_owned(), number })
        };
        Ok(self.engine().read(sql::HOLDING, &asked)?.iter().filter_map(held).collect())
    }
}

/// Returns whether stored arguments, without the program's own name, equal the arguments of a command.
fn same_arguments(argv: &str, command: &Command) -> bool {
    let argv: Vec<String> = serde_json::from_str(argv).unwrap_or_default();
    !argv.is_empty() && argv.get(1..) == command.argv.get(1..)
}

/// Returns whether a stored condition requests the same as a command's condition: another input, environment or nice
/// value makes another experiment.
fn same_condition(stored: &str, command: &Command) -> bool {
    let stored: Option<Condition> = serde_json::from_str(stored).ok();
    stored.is_some_and(|stored| stored.asked() == command.condition.asked())
}

/// Returns whether an experiment varied nothing that moves a typical reading: copies that do more work, or copies under
/// a disturbance, say nothing about the variance between sessions.
fn is_undisturbed(kind: &str, findings: Option<&str>) -> bool {
    let plain = |text: &str| match findings::decode("fauxplat.aa/1", text) {
        Some(Findings::Aa(aa)) => {
            aa.power.is_empty() && aa.strata.iter().all(|stratum| stratum.name == "plain")
        }
        _ => false,
    };
    match kind {
        "run" | "compare" => true,
        "aa" => findings.is_none_or(plain),
        _ => false,
    }
}

/// Returns the reading of a measured, successful run; `None` for other runs.
fn read(sample: &Sample, metric: Metric) -> Option<f64> {
    let counts = sample.phase == Phase::Measured && sample.outcome.is_success();
    sample.get(metric).filter(|_| counts).map(|value| value as f64)
}

/// Returns the reading of a measured, successful run if it is positive, so that it has a logarithm.
fn usable(sample: &Sample, metric: Metric) -> Option<f64> {
    read(sample, metric).filter(|&value| value > 0.0)
}

/// For each block and each of two commands: the positions of the command's runs in the block, with the natural
/// logarithms of their readings.
#[derive(Default)]
struct Blocks(BTreeMap<u32, [Vec<(u16, f64)>; 2]>);

impl Blocks {
    fn add(&mut self, sample: &Sample, metric: Metric, commands: [u16; 2]) {
        let place = commands.iter().position(|&command| command == sample.command);
        if let (Some(place), Some(value)) = (place, usable(sample, metric)) {
            self.0.entry(sample.block).or_default()[place].push((sample.position, value.ln()));
        }
    }

    fn log_ratios(&self) -> Vec<f64> {
        let ratio = |[a, b]: &[Vec<(u16, f64)>; 2]| Some(level(b)? - level(a)?);
        self.0.values().filter_map(ratio).collect()
    }
}

/// Returns the mean logarithm of a command's readings in a block; `None` without readings. If its runs follow each
/// other directly, the first run is left out: it ran after a run of another command, whose effects on caches would
/// count.
fn level(runs: &[(u16, f64)]) -> Option<f64> {
    let is_in_a_row = runs.windows(2).all(|two| two[1].0 == two[0].0 + 1);
    let own = if is_in_a_row && runs.len() > 1 { &runs[1..] } else { runs };
    (!own.is_empty()).then(|| own.iter().map(|run| run.1).sum::<f64>() / own.len() as f64)
}
