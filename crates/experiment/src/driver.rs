//! Drives every experiment: begins it (`begin.rs`), runs the trials that the steering requests, and finishes it.
//!
//! The driver records, stores and reports; the steering chooses the next trials and judges. So a verb consists of a
//! definition, a steering and an analysis, and no verb needs code that runs commands.

use fauxplat_analyze::{add_level_changes, counter_rates, run_findings};
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{Command, Evidence, Metric, Outcome, Phase, Process, RunFindings, Sample, Setup, Tree};
use fauxplat_plan::{Layout, Plan};
use fauxplat_store::{State, Store};
use fauxplat_sys::sched::Aside;
use fauxplat_sys::{clock, pause};
use fauxplat_units::Cpu;
use serde::Serialize;

use crate::doubts::replaced;
use crate::extra::Extra;
use crate::led::Led;
use crate::part::ExperimentPart;
use crate::recorder::Recorder;
use crate::steer::{Standing, Steering, WarmUp};
use crate::surroundings::{Surroundings, loads, tuning};
use crate::{Event, Executor, Failure, Launch, Listeners, Machine, Stopped, shipping};

#[derive(Debug)]
pub struct Driver {
    pub header: Header,
    /// Commands that the experiment runs; empty for verbs that measure threads of fauxplat itself.
    pub commands: Vec<Command>,
    pub surroundings: Surroundings,
    pub(crate) listeners: Listeners,
    pub(crate) launch: Launch,
    pub(crate) machine: Machine,
    pub(crate) kind: &'static str,
    pub(crate) executor: Option<Executor>,
    pub(crate) recorder: Recorder,
    pub(crate) interrupted: bool,
    /// Failure that ended the experiment early, after results worth analysing; `None` if there was none.
    pub(crate) cut_short: Option<Failure>,
    /// Whether a traced run of every command was one process of one thread.
    pub(crate) single_task: bool,
    /// Time that the traced runs of all commands took together, in nanoseconds; zero unless `single_task` is true.
    pub(crate) traced_ns: u64,
    /// The two CPUs on which the commands of a pair run at the same moment (a duet); `None` if they run one after the
    /// other.
    pub(crate) duet: Option<[Cpu; 2]>,
    /// Number of the experiment that this experiment confirms. Its pair was chosen by the findings of that experiment,
    /// which therefore does not count as an earlier session of the pair.
    pub confirms: Option<i64>,
    /// Keeps this process off the CPUs of the duet until the end of the experiment.
    pub(crate) aside: Option<Aside>,
    /// Median wall time of the empty static program, in nanoseconds.
    pub(crate) floor_ns: Option<f64>,
    /// Part of the experiment that is being steered; `None` for an experiment of one part.
    pub(crate) part: Option<ExperimentPart>,
    pub(crate) started_ns: u64,
    pub(crate) is_open: bool,
}

impl Driver {
    pub fn elapsed_s(&self) -> f64 {
        (clock::monotonic_ns() - self.started_ns) as f64 / 1e9
    }

    /// Runs these commands instead of those of the experiment, and returns their samples, which are not recorded.
    /// `extra_work` has, for each command, the iterations of work that it does before each run.
    ///
    /// # Errors
    /// Fails as [`Driver::steer`] does.
    pub fn aside(
        &self,
        commands: &[Command],
        extra_work: &[u64],
        steering: &mut dyn Steering,
    ) -> Result<Vec<Sample>, Failure> {
        aside((&self.machine, &self.launch), commands, extra_work, steering)
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    pub fn names(&self) -> Vec<String> {
        self.commands.iter().map(|command| command.name.clone()).collect()
    }

    /// The samples of the experiment so far, of measured and warm-up runs.
    pub fn samples(&self) -> &[Sample] {
        &self.recorder.samples
    }

    /// The store; `None` if the experiment is not recorded.
    pub fn store(&self) -> Option<&Store> {
        self.recorder.store()
    }

    /// Continues the experiment without a store if the experiment cannot be begun in it; [`Finished::stored`] tells
    /// why.
    pub fn do_without_store(&mut self) {
        self.recorder.do_without_store();
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    pub fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// Records a failure that ends the experiment early, unless an earlier one is recorded. Results so far are
    /// analysed, and reported with the failure.
    pub(crate) fn cut_short(&mut self, failure: Failure) {
        self.cut_short.get_or_insert(failure);
    }

    /// Whether no further run is made, because the user or a failure has ended the experiment.
    pub(crate) fn is_over(&self) -> bool {
        self.interrupted || self.cut_short.is_some()
    }

    /// Reports a warning about something that may spoil the result, and adds it to the record.
    pub fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        self.listeners.tell(&Event::Warning(&warning));
        self.header.warnings.push(warning);
    }

    pub fn tell(&self, standing: &Standing) {
        self.listeners.tell(&Event::Progress(standing));
    }

    /// Records the plan from which the following trials are drawn.
    ///
    /// # Errors
    /// Returns the store's error if the experiment cannot be begun in it.
    pub fn plan(&mut self, plan: &impl Serialize) -> Result<(), Failure> {
        self.open_record()?;
        let plan = serde_json::to_value(plan).map_err(Failure::machine)?;
        self.listeners.tell(&Event::Plan(&plan));
        self.recorder.plan(plan);
        Ok(())
    }

    /// Stores and reports a piece of evidence other than a run.
    ///
    /// # Errors
    /// Returns the store's error if the experiment cannot be begun in it.
    pub(crate) fn record(&mut self, evidence: Evidence) -> Result<(), Failure> {
        self.open_record()?;
        self.listeners.tell(&Event::Evidence(self.recorder.record(evidence)));
        Ok(())
    }

    /// Begins the record in the store and reports its beginning to the listeners, unless that has been done.
    ///
    /// # Errors
    /// Returns the store's error if it cannot be written.
    pub(crate) fn open_record(&mut self) -> Result<(), Failure> {
        if !self.is_open {
            self.is_open = true;
            self.recorder.open(&mut self.header, self.kind, &self.commands)?;
            let (kind, header, commands) = (self.kind, &self.header, &self.commands);
            self.listeners.tell(&Event::Begun { kind, header, commands });
        }
        Ok(())
    }

    /// Runs the trials that the steering requests, until it requests no more or the user interrupts.
    ///
    /// # Errors
    /// Fails if a command cannot be launched or fails, or the experiment cannot be begun in the store.
    pub fn steer(&mut self, steering: &mut dyn Steering) -> Result<Stopped, Failure> {
        self.open_record()?;
        let executor = self.executor.as_mut().ok_or_else(|| Failure::usage("there is no command to run"))?;
        let mut led = Led {
            steering,
            recorder: &mut self.recorder,
            surroundings: &mut self.surroundings,
            machine: &self.machine,
            commands: &self.commands,
            listeners: &self.listeners,
            part: self.part.as_ref(),
        };
        let stopped = executor.execute(&mut led)?;
        self.interrupted |= stopped == Stopped::Interrupted;
        Ok(stopped)
    }

    /// Runs every command `times` times without measuring; the samples are recorded as warm-up runs.
    ///
    /// # Errors
    /// Fails as [`Driver::steer`] does.
    pub fn warm_up(&mut self, times: u32) -> Result<(), Failure> {
        let commands = self.commands.len() as u16;
        self.steer(&mut WarmUp::new(commands, times)).map(drop)
    }

    /// Replaces the executor by one that runs the present commands (`self.commands`). `extra_work` has, for each
    /// command, the iterations of work that it does before each run; an empty slice stands for none.
    ///
    /// # Errors
    /// Fails if the commands cannot be launched.
    pub fn replace_commands(&mut self, extra_work: &[u64]) -> Result<(), Failure> {
        let (meters, counters) = self.executor.as_mut().map(Executor::take_reading).unwrap_or_default();
        let (work, groups) = (extra_work.to_vec(), self.surroundings.groups.folders(&self.commands));
        let extra = Extra { work, groups, counters, ..Extra::read_by(&meters) };
        let mut executor = self.launch.executor(&self.commands, &extra)?;
        executor.watch(meters);
        self.executor = Some(executor);
        Ok(())
    }

    /// A plan in which each block runs every command once, under the condition that all commands share.
    pub(crate) fn single_plan(&self) -> Plan {
        let condition = &self.header.condition;
        Plan {
            commands: self.commands.len() as u16,
            placement: condition.cpu.clone(),
            env_pad: condition.env_pad,
            heap: condition.heap,
            layout: Layout::Single,
            seed: self.header.seed,
        }
    }

    /// The setup (CPUs, padding) that `Driver::single_plan` draws for a block.
    pub fn setup_of_block(&self, block: u32) -> Setup {
        self.single_plan().setup(block)
    }

    /// Setup for an untimed run of a command: the setup of the block whose number is the number of the command's trials
    /// so far.
    fn setup_of(&self, command: u16) -> Setup {
        let number = self.executor.as_ref().map_or(0, |executor| executor.begun(command));
        self.single_plan().setup(number)
    }

    /// Process tree of one untimed, traced run of a command; `None` if the user stopped the run.
    ///
    /// # Errors
    /// Fails if the command cannot be launched.
    pub fn tree(&mut self, command: u16) -> Result<Option<Vec<Process>>, Failure> {
        let setup = self.setup_of(command);
        self.recorder.note_run();
        match &mut self.executor {
            Some(executor) => executor.tree(command, &setup),
            None => Ok(None),
        }
    }

    /// Traces one untimed run of a command and stores its process tree as evidence. Stores nothing if the user stopped
    /// the run.
    ///
    /// # Errors
    /// Fails if the command cannot be launched, or with the store's error.
    pub fn record_tree(&mut self, command: u16) -> Result<Vec<Process>, Failure> {
        let Some(processes) = self.tree(command)? else {
            self.interrupt();
            return Ok(Vec::new());
        };
        self.record(Evidence::Tree(Tree { command, processes: processes.clone() }))?;
        Ok(processes)
    }

    /// Adds the rates of published counters to the findings of each command.
    pub fn add_rates(&self, findings: &mut [RunFindings]) {
        let Some(executor) = &self.executor else { return };
        let (tables, ignore) = (&self.header.definition.tables, self.header.condition.ignore_failure.any());
        let series = executor.meters().rates();
        // The findings of a baseline come before those of the commands, and a baseline published no rates.
        let first = findings.len().saturating_sub(self.commands.len());
        for (command, found) in findings[first..].iter_mut().enumerate() {
            found.rates = counter_rates(tables, &series, self.samples(), command as u16, ignore);
        }
    }

    /// Adds to the findings of each command the changes of its level in a metric. Counts of simulated runs have none.
    pub(crate) fn add_level_changes(&self, findings: &mut [RunFindings], metric: Metric) {
        let ignore_failure = self.header.condition.ignore_failure.any();
        // The findings of a baseline come before those of the commands.
        let first = findings.len().saturating_sub(self.commands.len());
        if self.header.condition.simulate.is_none() {
            add_level_changes(&mut findings[first..], self.samples(), metric, ignore_failure);
        }
    }

    /// Runs a command once, and calls `attach` with its process id while the process exists and its program has not
    /// begun. A counter or profiler thus attaches before the first instruction. The run is no sample. Returns `None` if
    /// the user stopped the run.
    ///
    /// # Errors
    /// Fails if the command cannot be launched or `attach` fails.
    pub fn hold(
        &mut self,
        command: u16,
        attach: impl FnOnce(i32) -> Result<(), Failure>,
    ) -> Result<Option<Outcome>, Failure> {
        let setup = self.setup_of(command);
        self.recorder.note_run();
        let listeners = &self.listeners;
        let Some(executor) = &mut self.executor else { return Ok(None) };
        executor.hold(command, &setup, |pid| {
            listeners.tell(&Event::Held { command, pid });
            attach(pid)
        })
    }

    /// Findings of the runs so far, for experiments that end before their analysis.
    pub fn run_findings(&self) -> Findings {
        let ignore_failure = self.header.condition.ignore_failure.any();
        Findings::Run(run_findings(self.samples(), self.commands.len(), ignore_failure))
    }

    pub fn end_loads(&mut self) {
        loads::end(self.surroundings.loads.take(), &mut self.header);
    }

    /// Ends the experiment: removes its surroundings and stores the findings. A failure of the store becomes part of
    /// the report, and does not prevent it.
    pub fn finish(mut self, findings: Findings, failed: Option<Failure>) -> Finished {
        let opened = self.open_record();
        self.end_loads();
        if let Some(tuned) = self.surroundings.tuned.take() {
            self.header.warnings.extend(tuning::restore(tuned));
        }
        let is_cut_short = failed.is_none() && self.cut_short.is_some();
        let failed = failed.or(self.cut_short.take());
        self.note_end(failed.as_ref());
        self.header.plan = self.recorder.plans();
        let whole = opened.and_then(|()| self.recorder.complete());
        self.header.warnings.extend(whole.as_ref().err().map(ToString::to_string));
        let state = match (failed.is_some() || whole.is_err(), self.interrupted) {
            (true, _) => State::Failed,
            (false, true) => State::Stopped,
            (false, false) => State::Finished,
        };
        // Cleanup comes after all runs, and the results are valid even if it fails.
        let uncleaned = self.surroundings.cleanup.run();
        self.header.warnings.extend(uncleaned.as_ref().map(ToString::to_string));
        let is_cut_short = is_cut_short || failed.is_none() && uncleaned.is_some();
        let stored = whole.and(self.recorder.finish(&self.header, &findings, state));
        let waiting = shipping::ship(&stored, &self.recorder, &mut self.header, self.interrupted);
        let finished = Finished {
            header: self.header,
            commands: self.commands,
            samples: self.recorder.samples,
            evidence: self.recorder.evidence,
            findings,
            is_cut_short,
            stored,
            waiting,
            failed: failed.or(uncleaned),
        };
        let record = finished.record();
        self.listeners.tell(&Event::Finished { state: state.name(), record: &record });
        finished
    }

    /// Ends an experiment that a failure left without an analysis, with the findings of its runs.
    pub fn give_up(self, failure: Failure) -> Finished {
        let findings = self.run_findings();
        self.finish(findings, Some(failure))
    }

    fn note_end(&mut self, failed: Option<&Failure>) {
        let left: u32 = self.samples().iter().map(|sample| u32::from(sample.left_behind)).sum();
        if left > 0 {
            self.header.warnings.push(format!(
                "{left} processes outlived their command and were ended (--keep-background lets them go on)"
            ));
        }
        if let Some(executor) = &self.executor {
            let missing = executor.missed(&self.recorder.samples);
            crate::header::miss(&mut self.header, missing);
            self.header.not_measured.extend(executor.not_measured());
            self.header.warnings.extend(executor.meddled());
            self.header.warnings.extend(executor.meters().warnings());
        }
        self.header.warnings.extend(replaced(&self.commands, self.elapsed_s()));
        self.header.warnings.extend(stopped_for_a_while(self.executor.is_some()));
        if self.interrupted {
            self.header.warnings.push("interrupted: this is what was measured until then".to_owned());
        }
        self.header.warnings.extend(failed.map(ToString::to_string));
    }
}

fn stopped_for_a_while(is_of_commands: bool) -> Option<String> {
    let pauses = pause::pauses();
    let times = if pauses == 1 { "once" } else { &format!("{pauses} times") };
    let effect = match is_of_commands {
        true => "timed runs were repeated, and results that cannot be (profile, limit) include that time",
        false => "what was measured meanwhile includes that time",
    };
    (pauses > 0).then(|| format!("fauxplat was stopped {times} (SIGTSTP) and continued; {effect}"))
}

#[derive(Debug)]
pub struct Finished {
    header: Header,
    commands: Vec<Command>,
    samples: Vec<Sample>,
    evidence: Vec<Evidence>,
    findings: Findings,
    /// Whether a failure ended the experiment early after results worth reporting, or its cleanup failed.
    is_cut_short: bool,
    /// The store's error, if it did not accept everything that was measured, or the findings.
    pub stored: Result<(), Failure>,
    /// Sentences about data that a shared store has not acknowledged, and how they will be sent later; also among the
    /// warnings.
    pub waiting: Vec<String>,
    pub failed: Option<Failure>,
}

impl Finished {
    pub fn record(&self) -> Record<'_> {
        Record {
            header: &self.header,
            commands: &self.commands,
            samples: &self.samples,
            findings: &self.findings,
        }
    }

    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// Whether there is anything to report. If a failure came before the first measured run, only its message is
    /// printed, without an empty report.
    pub fn has_measured(&self) -> bool {
        let is_sampled = matches!(&self.findings, Findings::Profile(found) if !found.stacks.is_empty());
        let is_watched = matches!(&self.findings, Findings::Limit(found) if !found.groups.is_empty());
        let has_run = self.samples.iter().any(|sample| sample.phase == Phase::Measured);
        self.failed.is_none() || self.is_cut_short || has_run || is_sampled || is_watched
    }
}

/// Makes runs that are not part of any record, such as those by which a search chooses the commands to compare.
///
/// # Errors
/// Fails as [`Driver::steer`] does.
pub fn aside(
    (machine, launch): (&Machine, &Launch),
    commands: &[Command],
    extra_work: &[u64],
    steering: &mut dyn Steering,
) -> Result<Vec<Sample>, Failure> {
    let extra = Extra { work: extra_work.to_vec(), ..Extra::default() };
    let mut executor = launch.executor(commands, &extra)?;
    let (mut recorder, mut surroundings) = (Recorder::default(), Surroundings::default());
    let listeners = Listeners::default();
    let mut led = Led {
        steering,
        recorder: &mut recorder,
        surroundings: &mut surroundings,
        machine,
        commands,
        listeners: &listeners,
        part: None,
    };
    executor.execute(&mut led)?;
    Ok(recorder.samples)
}
