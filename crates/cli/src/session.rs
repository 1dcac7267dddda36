//! What every measuring verb does the same way: facts, commands, spawner, store, samples, record.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use fauxplat_analyze::counter_rates;
use fauxplat_load::Loads;
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{
    Background, Command, Definition, Metric, Phase, Placement, RunFindings, Sample, Setup, Source, Sources,
};
use fauxplat_report::Format;
use fauxplat_run::{Counters, Executor, Program, Stopped};
use fauxplat_store::{Experiment, State, Store};
use fauxplat_sys::{clock, signal};
use fauxplat_tuning::Tuned;
use fauxplat_units::{Bytes, Cpu};

use crate::args::OutputArgs;
use crate::commands;
use crate::disturb;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::steering::{Recorder, WarmUp};
use crate::tuning;

/// An experiment under way.
pub(crate) struct Session<'a> {
    pub(crate) header: Header,
    pub(crate) commands: Vec<Command>,
    pub(crate) executor: Executor,
    pub(crate) recorder: Recorder,
    pub(crate) progress: Progress,
    pub(crate) interrupted: bool,
    /// Whether every command was seen to be one process of one thread.
    pub(crate) single_task: bool,
    /// The two CPUs on which commands run at the same moment, if they do.
    pub(crate) duet: Option<[Cpu; 2]>,
    /// Median wall time of the empty static program.
    pub(crate) floor_ns: Option<f64>,
    pub(crate) store: Option<Store>,
    output: &'a OutputArgs,
    started_ns: u64,
    /// The machine as it was changed for this experiment. It is put back at the end, however that comes.
    tuned: Option<Tuned>,
    /// The loads that are held beside all of it.
    load: Option<Loads>,
}

/// Runs of the empty program: enough for a median, and over in a few milliseconds.
const FLOOR_RUNS: usize = 15;

impl<'a> Session<'a> {
    /// Makes everything ready up to the first run.
    ///
    /// # Errors
    /// Anything that is wrong with the commands, the condition or the store.
    pub(crate) fn begin(
        kind: &'static str,
        definition: Definition,
        output: &'a OutputArgs,
        invocation: &[String],
    ) -> Result<Self, Failure> {
        Session::begin_built(kind, definition, output, invocation, &[])
    }

    /// The same with programs that fauxplat built, by the number of their command.
    ///
    /// # Errors
    /// As [`Session::begin`].
    pub(crate) fn begin_built(
        kind: &'static str,
        definition: Definition,
        output: &'a OutputArgs,
        invocation: &[String],
        programs: &[Option<PathBuf>],
    ) -> Result<Self, Failure> {
        let make = |definition: &mut Definition| {
            let machine = fauxplat_topology::discover(Path::new("/"));
            let commands = commands::resolve(definition, &machine.cpu, programs)?;
            let executor = executor(&commands)?;
            Ok((commands, executor))
        };
        Session::with_commands(kind, definition, make, output, invocation)
    }

    /// The same with commands that somebody else makes of the definition, and their executor.
    ///
    /// # Errors
    /// As [`Session::begin`].
    pub(crate) fn with_commands(
        kind: &'static str,
        mut definition: Definition,
        make: impl FnOnce(&mut Definition) -> Result<(Vec<Command>, Executor), Failure>,
        output: &'a OutputArgs,
        invocation: &[String],
    ) -> Result<Self, Failure> {
        signal::stop_on_interrupt().map_err(Failure::machine)?;
        let counters = counters(&definition)?;
        // The facts are those of the machine that is measured, so it is changed first; and what the commands get of
        // that is known before they are made.
        let tuned = tuning::tune(&mut definition, invocation)?;
        let machine = fauxplat_topology::discover(Path::new("/"));
        let (commands, mut executor) = make(&mut definition)?;
        let seed = *definition.seed.get_or_insert_with(clock::fresh_seed);
        let store = open_store(output)?;
        executor.watch(counters);
        let header = Header {
            fauxplat_version: env!("CARGO_PKG_VERSION").to_owned(),
            id: None,
            started: clock::now_rfc3339(),
            invocation: invocation.to_vec(),
            seed,
            machine,
            condition: definition.condition.clone(),
            definition,
            sources: executor.sources(),
            warnings: hazards_of(&commands),
            not_measured: Vec::new(),
        };
        let mut session = Session {
            header,
            commands,
            executor,
            recorder: Recorder::default(),
            progress: Progress::new(output.quiet),
            interrupted: false,
            single_task: false,
            duet: None,
            floor_ns: None,
            store,
            output,
            started_ns: clock::monotonic_ns(),
            tuned: None,
            load: None,
        };
        if let Some(tuned) = tuned {
            session.header.condition.tuned.clone_from(&tuned.changes);
            session.header.warnings.extend(tuning::warnings(&tuned));
            session.tuned = Some(tuned);
        }
        session.settle_placement();
        session.load = disturb::begin(&session.header.condition.load)?;
        session.measure_floor();
        session.record_in_store(kind)?;
        Ok(session)
    }

    /// The empty program also shows which sources the spawner could open.
    fn measure_floor(&mut self) {
        let setup = match &self.header.condition.cpu {
            Placement::OneOf(cpus) => Setup { cpus: Some(cpus.iter().take(1).collect()), ..Setup::default() },
            Placement::IdleOf(_) => Setup { idle: true, ..Setup::default() },
            _ => Setup::default(),
        };
        self.floor_ns = median(&self.executor.floor_ns(FLOOR_RUNS, &setup));
        self.header.sources = self.executor.sources();
        self.header.not_measured = not_measured(&self.header.sources);
    }

    fn record_in_store(&mut self, kind: &'static str) -> Result<(), Failure> {
        if let Some(store) = &self.store {
            let experiment = store.begin(&self.header, kind, &self.commands)?;
            self.header.id = Some(experiment.id());
            self.recorder.experiment = Some(experiment);
        }
        Ok(())
    }

    /// Seconds since the session began.
    pub(crate) fn elapsed_s(&self) -> f64 {
        (clock::monotonic_ns() - self.started_ns) as f64 / 1e9
    }

    /// Names of the commands, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.commands.iter().map(|command| command.name.clone()).collect()
    }

    /// Warms every command up; the wall times of the last warm-up runs are left among the samples.
    pub(crate) fn warm_up(&mut self, times: u32) -> Result<(), Failure> {
        let commands = self.commands.len() as u16;
        let ignore_failure = self.header.condition.ignore_failure;
        let mut steering = WarmUp::new(&mut self.recorder, commands, times, ignore_failure, &self.commands);
        let stopped = self.executor.execute(&mut steering)?;
        self.interrupted |= stopped == Stopped::Interrupted;
        Ok(())
    }

    /// A comparison by rate of a command that publishes nothing would end as inconclusive after all its pairs.
    /// It shows after the warm-up.
    pub(crate) fn check_rates(&self) -> Result<(), Failure> {
        if self.interrupted || self.header.definition.rule.metric != Metric::Rate {
            return Ok(());
        }
        let has_rate = |command: u16| median_of(self.samples(), command, Metric::Rate).is_some();
        match (0..self.commands.len() as u16).find(|&command| !has_rate(command)) {
            None => Ok(()),
            Some(command) => Err(Failure::usage(format!(
                "--metric rate: `{}` has none: {}",
                self.commands[usize::from(command)].command,
                self.executor.counters().trouble()
            ))),
        }
    }

    /// Settles what `auto` placement means: single-threaded commands get one CPU per block.
    ///
    /// A program of one thread loses nothing by staying on one CPU, and migrations between runs are the largest
    /// noise of short programs. The CPU is one that is idle, since a burner beside it would be larger noise still. One of several threads or processes would be strangled, so it stays free.
    fn settle_placement(&mut self) {
        if self.header.condition.cpu != Placement::Auto {
            return;
        }
        let allowed = self.header.machine.cpu.allowed.clone();
        let alone = self.different_programs().into_iter().all(|command| self.runs_alone(command));
        self.single_task = alone;
        let placement = match (alone && allowed.len() > 1, self.needs_one_cpu()) {
            (true, false) => Placement::IdleOf(allowed),
            // A load on the same CPU must know which one that is, and a CPU beside a load is never idle.
            (true, true) => Placement::OneOf(allowed),
            (false, _) => Placement::Free,
        };
        self.header.condition.cpu = placement.clone();
        for command in &mut self.commands {
            if command.condition.cpu == Placement::Auto {
                command.condition.cpu = placement.clone();
            }
        }
    }

    /// One command of each program with its arguments: levels of a sweep mostly are one program.
    fn different_programs(&self) -> Vec<u16> {
        let mut seen = HashSet::new();
        let mut first = Vec::new();
        for (index, command) in self.commands.iter().enumerate() {
            if seen.insert((&command.program, command.argv.get(1..))) {
                first.push(index as u16);
            }
        }
        first
    }

    /// Whether a load stands beside some command, at a place that depends on the command's.
    fn needs_one_cpu(&self) -> bool {
        self.commands.iter().any(|command| command.condition.background != Background::None)
    }

    /// Whether a command is one process of one thread, by tracing it once. What cannot be traced may be anything.
    fn runs_alone(&mut self, command: u16) -> bool {
        let tree = self.executor.tree(command).unwrap_or_default();
        matches!(tree.as_slice(), [only] if only.threads == 1)
    }

    /// What the published counters did in the runs of each command.
    pub(crate) fn add_rates(&self, findings: &mut [RunFindings]) {
        let (tables, ignore) = (&self.header.definition.tables, self.header.condition.ignore_failure);
        let series = self.executor.counters().series();
        // A baseline stands before the commands and published nothing here.
        let first = findings.len().saturating_sub(self.commands.len());
        for (command, found) in findings[first..].iter_mut().enumerate() {
            found.rates = counter_rates(tables, &series, self.samples(), command as u16, ignore);
        }
    }

    /// Ends the experiment: store, report, exit status of an interruption.
    ///
    /// # Errors
    /// The report cannot be written, or the store cannot take the findings.
    pub(crate) fn finish(mut self, findings: &Findings, failed: Option<&Failure>) -> Result<(), Failure> {
        self.progress.end();
        disturb::end(self.load.take(), &mut self.header);
        if let Some(tuned) = self.tuned.take() {
            self.header.warnings.extend(tuning::restore(tuned));
        }
        self.warn_of_samples();
        self.header.not_measured.extend(self.executor.counters().not_measured());
        if self.interrupted {
            self.header.warnings.push("interrupted: these are the runs until then".to_owned());
        }
        if let Some(failure) = failed {
            self.header.warnings.push(failure.to_string());
        }
        let state = match (failed, self.interrupted) {
            (Some(_), _) => State::Failed,
            (None, true) => State::Stopped,
            (None, false) => State::Finished,
        };
        let stored = match self.recorder.experiment.take() {
            Some(experiment) => experiment.finish(&self.header, Some(findings), state).map(drop),
            None => Ok(()),
        };
        let record = Record {
            header: &self.header,
            commands: &self.commands,
            samples: &self.recorder.samples,
            findings,
        };
        // A person who gets one line of error has no use for an empty report; a program may count on its document.
        let measured = record.samples.iter().any(|sample| sample.phase == Phase::Measured);
        if measured || failed.is_none() || self.output.format != Format::Text {
            output::write(&record, self.output)?;
        }
        Ok(stored?)
    }

    fn warn_of_samples(&mut self) {
        let left: u32 = self.recorder.samples.iter().map(|sample| u32::from(sample.left_behind)).sum();
        if left > 0 {
            self.header.warnings.push(format!("{left} processes outlived their command and were ended"));
        }
    }

    /// The samples of measured and warm-up runs so far.
    pub(crate) fn samples(&self) -> &[Sample] {
        &self.recorder.samples
    }
}

/// What is so wrong with the machine that every reader of the record should know; `doctor` has the rest.
fn hazards_of(commands: &[Command]) -> Vec<String> {
    let cpus = commands.first().and_then(|command| match &command.condition.cpu {
        Placement::Set(cpus) | Placement::OneOf(cpus) | Placement::IdleOf(cpus) => Some(cpus),
        _ => None,
    });
    fauxplat_hazards::warnings(Path::new("/"), cpus)
}

/// Starts a spawner of this very binary.
pub(crate) fn executor(commands: &[Command]) -> Result<Executor, Failure> {
    Ok(Executor::new(&Program::this_binary(crate::SPAWNER_VERB), commands)?)
}

/// The counters of a definition. A comparison by rate needs one.
fn counters(definition: &Definition) -> Result<Counters, Failure> {
    if definition.rule.metric == Metric::Rate && definition.tables.is_empty() {
        return Err(Failure::usage("--metric rate needs a counter: --table NAME=FILE:OBJECT.KEY"));
    }
    if definition.rule.duet && !definition.tables.is_empty() {
        return Err(Failure::usage(
            "--table cannot tell the two commands of a --duet apart: leave one of them out",
        ));
    }
    Ok(Counters::open(&definition.tables)?)
}

/// Opens the store that the options name.
pub(crate) fn open_store(output: &OutputArgs) -> Result<Option<Store>, Failure> {
    match &output.store {
        Some(path) if path.as_os_str() == "none" => Ok(None),
        Some(path) => Ok(Some(Store::open(path)?)),
        None => Ok(Some(Store::open(fauxplat_store::default_path()?)?)),
    }
}

/// What the sources of this machine and these permissions leave out.
fn not_measured(sources: &Sources) -> Vec<String> {
    let mut missing = Vec::new();
    if sources.peak_memory == Source::Rusage {
        let floor = Bytes(sources.peak_memory_floor_bytes);
        missing.push(format!(
            "peak memory below {floor}: less reads as the spawner's own (needs CAP_NET_ADMIN: run as root)"
        ));
    }
    if sources.run_delay == Source::FirstThread {
        missing.push(
            "run-queue wait of other than the first thread (needs CAP_NET_ADMIN for taskstats: run as root)"
                .to_owned(),
        );
    }
    if sources.migrations == Source::FirstThread {
        missing.push(
            "migrations of other than the first thread (needs CAP_PERFMON or kernel.perf_event_paranoid below 1)"
                .to_owned(),
        );
    }
    if sources.run_delay == Source::FirstThread || sources.migrations == Source::FirstThread {
        missing.push(
            "run-queue wait and migrations of runs shorter than 1 ms (reading them would cost as much)"
                .to_owned(),
        );
    }
    missing
}

fn median(values: &[u64]) -> Option<f64> {
    let values: Vec<f64> = values.iter().map(|&value| value as f64).collect();
    fauxplat_stats::describe::median(&values)
}

/// Median of a metric over a command's runs, warm-up runs included.
pub(crate) fn median_of(samples: &[Sample], command: u16, metric: Metric) -> Option<f64> {
    let ours = samples.iter().filter(|sample| sample.command == command);
    median(&ours.filter_map(|sample| sample.get(metric)).collect::<Vec<_>>())
}

/// The experiment that a recorder writes to.
pub(crate) type Writer = Experiment;
