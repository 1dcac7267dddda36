//! Executes trials: takes them from the feed (`feed.rs`), requests their runs from the launcher, and passes the samples
//! back to the feed.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;

use fauxplat_launch::{Entry, Heard, LaunchError, Launcher, Reply, Request, RunEnd, Table, entry_of};
use fauxplat_model::{Command, Evidence, Metric, MetricSet, Readings, Sample, Setup, Sources, Trial};
use fauxplat_sys::process::Exit;

use crate::again::Again;
use crate::counters::Counters;
use crate::extra::Extra;
use crate::floor::floor_program;
use crate::meter::{LOOK_EVERY_MS, Meters, Over};
use crate::request::{Places, Purpose, helper_entry, numbered_request, outcome_of, request_of};
use crate::{Feed, Next, RunError, Stopped};

#[derive(Debug)]
pub struct Executor {
    pub(crate) launcher: Box<dyn Launcher>,
    /// A second launcher with the same programs, for runs beside those of the first one; `None` if no runs take place
    /// at the same moment.
    pub(crate) partner: Option<Box<dyn Launcher>>,
    pub(crate) commands: Vec<Places>,
    /// Index of the empty static program in the launcher's table of programs, and the memory file that holds this
    /// program; `None` if it could not be made.
    pub(crate) floor: Option<(u32, File)>,
    /// Meters, which read metrics before, during and after each run. If there are any, only one run is under way at a
    /// time, so that a reading belongs to one run.
    meters: Meters,
    /// Counted events of the processor and the kernel, and the set of them that the runs of each block count.
    counters: Counters,
    /// Metrics that a sample can have: those of the launcher, followed by those of the meters.
    metrics: Arc<MetricSet>,
    started_ns: u64,
    next_trial: u32,
    last_wall_ns: u64,
    /// Index of the command whose trial has begun and whose helper `conclude` has not been run yet; `None` if there is
    /// none.
    owed: Option<u16>,
    pub(crate) again: Again,
}

/// Wall time of a run, in nanoseconds, from which on the next run is requested only after the samples of the last one
/// have been stored, so that storing never overlaps with a run. Storing may overlap with shorter runs, because for a
/// run of a tenth of a millisecond the wait would cost more than the overlap.
const TURNS_FROM_NS: u64 = 1_000_000;
/// Maximum time, in nanoseconds, for which replies to the requests of short runs are left to accumulate.
const GATHER_NS: u64 = 4_000_000;
/// Maximum number of attempts to run `conclude`. The request to stop that ended the trial may arrive late and abort the
/// first attempt too, but hardly a further one.
const STOPS_MAX: usize = 3;

impl Executor {
    /// Starts a launcher with the programs of these commands and of their helpers.
    ///
    /// # Errors
    /// Fails if a file that a command's condition names cannot be opened, or the launcher cannot be started.
    pub fn new(
        launch: impl FnOnce(Table) -> Result<Box<dyn Launcher>, LaunchError>,
        commands: &[Command],
        extra: &Extra,
    ) -> Result<Self, LaunchError> {
        let mut table = extra.counters.table();
        let mut add = |entry: Entry| {
            table.entries.push(entry);
            table.entries.len() as u32 - 1
        };
        let mut places = Vec::new();
        let path_bytes = commands.iter().map(|it| it.program.as_os_str().len()).max().unwrap_or(0);
        for (index, command) in commands.iter().enumerate() {
            let path = command.program.display().to_string();
            places.push(Places {
                name: command.name.clone(),
                run: add(extra.add_to(index, entry_of(command, path, command.argv.clone()), path_bytes)),
                prepare: command.prepare.as_ref().map(|argv| add(helper_entry(command, argv, true))),
                conclude: command.conclude.as_ref().map(|argv| add(helper_entry(command, argv, false))),
                begun: 0,
            });
        }
        let floor = commands.first().and_then(|first| {
            let (memory, path) = floor_program()?;
            let entry = entry_of(first, path, vec!["floor".to_owned()]);
            Some((add(Entry { timeout_ns: None, ..entry }), memory))
        });
        let launcher = launch(table)?;
        let metrics = Arc::clone(launcher.metrics());
        let started_ns = launcher.now_ns();
        // Before the first run the duration of the commands is unknown, so they are treated as long runs: requests that
        // were made ahead would start a failing command again.
        let last_wall_ns = TURNS_FROM_NS;
        Ok(Executor {
            launcher,
            partner: None,
            commands: places,
            floor,
            meters: Meters::default(),
            counters: extra.counters.clone(),
            metrics,
            started_ns,
            next_trial: 0,
            last_wall_ns,
            owed: None,
            again: Again::default(),
        })
    }

    pub(crate) fn watch(&mut self, meters: Meters) {
        self.metrics = MetricSet::new(self.launcher.metrics().iter().chain(meters.metrics()));
        self.meters = meters;
    }

    pub(crate) fn meters(&self) -> &Meters {
        &self.meters
    }

    /// Removes the meters and clones the counters, for another executor of the same experiment.
    pub(crate) fn take_reading(&mut self) -> (Meters, Counters) {
        (std::mem::take(&mut self.meters), self.counters.clone())
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Sentences for the report about requested metrics of which some of these samples have no reading.
    pub(crate) fn missed(&self, samples: &[Sample]) -> Vec<String> {
        self.meters.not_measured().chain(self.counters.not_measured(samples)).collect()
    }

    /// Kernel interfaces from which the launcher takes its metrics; known after the first run.
    pub fn sources(&self) -> Sources {
        self.launcher.sources()
    }

    /// A sentence about runs without some metrics, because the kernel dropped their exit records (taskstats); empty if
    /// there are no such runs.
    pub fn not_measured(&self) -> Vec<String> {
        let lanes = [Some(&self.launcher), self.partner.as_ref()];
        let runs: u64 = lanes.into_iter().flatten().map(|lane| lane.lossy_runs()).sum();
        let sentence = || {
            format!(
                "CPU time, run-queue wait, peak memory and migrations of {runs} runs: more of their \
                 processes ended than the kernel's buffer of reports (taskstats) had room for"
            )
        };
        (runs > 0).then(sentence).into_iter().collect()
    }

    /// A warning if a command has stopped the process that starts and times the runs; `None` if none has.
    pub(crate) fn meddled(&self) -> Option<String> {
        let lanes = [Some(&self.launcher), self.partner.as_ref()];
        let times: u64 = lanes.into_iter().flatten().map(|lane| lane.stopped_by_others()).sum();
        (times > 0).then(|| {
            format!(
                "a command stopped the process that times it ({times} times) and it was continued: what ran then reads longer than it took"
            )
        })
    }

    /// Runs the trials of the feed until it has no more, or the user ends the runs; returns which of the two happened.
    ///
    /// # Errors
    /// Fails if a command cannot be launched, a helper fails, or the feed returns an error.
    pub fn execute<F: Feed>(&mut self, feed: &mut F) -> Result<Stopped, RunError<F::Error>> {
        let mut under_way: VecDeque<Purpose> = VecDeque::new();
        let done = self.execute_until(feed, &mut under_way);
        match done {
            // With this error the launcher did not answer, and was ended because the user requested it.
            Err(RunError::Launch(LaunchError::Stopped)) => Ok(Stopped::Interrupted),
            Err(error) => {
                self.wind_up(under_way);
                Err(error)
            }
            done => done,
        }
    }

    /// Cleans up after a failure: requested runs are stopped, and `conclude` of the last trial that began is run.
    /// Further errors are ignored, since the first failure is reported.
    fn wind_up(&mut self, under_way: VecDeque<Purpose>) {
        if under_way.iter().any(|purpose| matches!(purpose, Purpose::Trial(_))) {
            self.launcher.abort();
        }
        for purpose in under_way {
            let Ok(reply) = self.launcher.next_reply() else { return };
            self.note_owed(&purpose, &reply);
        }
        if let Some(command) = self.owed.take() {
            let _told = self.conclude(command);
        }
    }

    fn execute_until<F: Feed>(
        &mut self,
        feed: &mut F,
        under_way: &mut VecDeque<Purpose>,
    ) -> Result<Stopped, RunError<F::Error>> {
        let mut queue: VecDeque<Trial> = VecDeque::new();
        // Steps of the present trial (`prepare`, the run, `conclude`) that have not been submitted.
        let mut steps: VecDeque<Purpose> = VecDeque::new();
        let mut done = false;
        let mut stopping = false;
        let mut scene = None;
        let mut heard = Heard::nothing();
        'asking: loop {
            if heard.anew(self.launcher.stops()) {
                stopping = true;
                queue.clear();
                steps.clear();
                self.launcher.abort();
            }
            while !stopping && self.has_room(steps.len(), under_way) {
                if steps.is_empty() {
                    if !queue.is_empty() && feed.is_overdue(self.launcher.now_ns()) {
                        queue.clear();
                        done = true;
                    }
                    self.again.put_before(&mut queue);
                    if queue.is_empty() && !done {
                        match feed.next(self.launcher.now_ns()) {
                            Next::Trials(trials) => queue.extend(trials),
                            Next::Wait => break,
                            Next::Done => done = true,
                        }
                    }
                    let Some(trial) = queue.front() else { break };
                    let wanted = Some(feed.scene(trial));
                    if wanted != scene {
                        if !under_way.is_empty() {
                            break;
                        }
                        feed.enter_scene(trial).map_err(RunError::Feed)?;
                        scene = wanted;
                        // An interrupted setup leaves the surroundings (the scene) of the trial incomplete, so no run
                        // may take place in them.
                        if self.launcher.stop_requested() {
                            continue 'asking;
                        }
                    }
                    let trial = queue.pop_front();
                    if let (Some(trial), Some(beside)) =
                        (&trial, queue.pop_front_if(|next| next.setup.together))
                    {
                        while !under_way.is_empty() {
                            self.settle_some(under_way, feed)?;
                        }
                        self.run_together(&[trial.clone(), beside], feed)?;
                        stopping |= self.launcher.stop_requested();
                        continue;
                    }
                    steps.extend(trial.into_iter().flat_map(|trial| self.steps_of(trial)));
                }
                self.submit_next(&mut steps, under_way);
            }
            if under_way.is_empty() {
                if let Some(command) = self.owed.take().filter(|_| stopping) {
                    self.conclude(command)?;
                }
                return Ok(if stopping { Stopped::Interrupted } else { Stopped::Done });
            }
            self.settle_some(under_way, feed)?;
        }
    }

    /// Runs a command's helper `conclude`, if the command has one, also after the user requested a stop, so that
    /// resources prepared by a trial are not left behind. A further request ends `conclude`, too. The exit status of
    /// `conclude` is ignored: the trial may have been stopped before there was anything to clean up.
    pub(crate) fn conclude(&mut self, command: u16) -> Result<(), LaunchError> {
        let Some(entry) = self.helper("conclude", command) else { return Ok(()) };
        let number = self.commands[usize::from(command)].number();
        let before = Heard::so_far(self.launcher.stops());
        for _ in 0..STOPS_MAX {
            self.launcher.submit(numbered_request(entry, number));
            let mut heard = before;
            let reply = self.launcher.reply_unless(&mut heard)?;
            if reply.end != RunEnd::Aborted || before.is_behind(self.launcher.stops()) {
                break;
            }
        }
        Ok(())
    }

    /// Tracks whether the present trial needs its `conclude`: from its first step on, until `conclude` has been run.
    fn note_owed(&mut self, purpose: &Purpose, reply: &Reply) {
        // A run that was stopped before it began has no start time.
        let is_done = reply.end != RunEnd::Aborted;
        let has_begun = is_done || reply.started_ns > 0;
        match purpose {
            Purpose::Helper { role: "conclude", .. } if is_done => self.owed = None,
            Purpose::Helper { command, .. } if has_begun => self.owed = Some(*command),
            Purpose::Trial(trial) if has_begun => self.owed = Some(trial.command),
            _ => {}
        }
    }

    /// Waits for replies of the launcher, and passes their samples to the feed.
    fn settle_some<F: Feed>(
        &mut self,
        under_way: &mut VecDeque<Purpose>,
        feed: &mut F,
    ) -> Result<(), RunError<F::Error>> {
        self.gather(under_way.len())?;
        let settled = self.settle_all(under_way, feed);
        // Samples that arrived before a failure are stored like all others.
        feed.landed().map_err(RunError::Feed)?;
        settled
    }

    /// Whether another step of a trial may be submitted now. Steps of a trial follow each other without a pause, except
    /// with meters, which are read after `prepare` and before `conclude`. The end of `prepare` is awaited, since a
    /// trial whose `prepare` failed does not begin.
    fn has_room(&self, steps: usize, under_way: &VecDeque<Purpose>) -> bool {
        // A run that is to be repeated is submitted after the end of all submitted runs and before all others.
        if !self.meters.is_empty() || self.again.is_due() && steps == 0 {
            return under_way.is_empty();
        }
        if matches!(under_way.back(), Some(Purpose::Helper { role: "prepare", .. })) {
            return false;
        }
        let depth = if self.last_wall_ns < TURNS_FROM_NS { self.launcher.depth() - 4 } else { 1 };
        steps > 0 || under_way.len() < depth
    }

    fn steps_of(&mut self, trial: Trial) -> impl Iterator<Item = Purpose> + use<> {
        let (command, places) = (trial.command, &mut self.commands[usize::from(trial.command)]);
        places.begun += 1;
        let helper = |role, entry: Option<u32>| entry.map(|_| Purpose::Helper { role, command });
        let (before, after) = (helper("prepare", places.prepare), helper("conclude", places.conclude));
        before.into_iter().chain([Purpose::Trial(trial)]).chain(after)
    }

    fn submit_next(&mut self, steps: &mut VecDeque<Purpose>, under_way: &mut VecDeque<Purpose>) {
        let Some(step) = steps.pop_front() else { return };
        let request = match &step {
            Purpose::Helper { role, command } => {
                let number = self.commands[usize::from(*command)].number();
                numbered_request(self.entry_of_helper(role, *command), number)
            }
            Purpose::Trial(trial) => {
                self.meters.begin();
                let places = &self.commands[usize::from(trial.command)];
                let request = request_of(places.run, &trial.setup, trial.position);
                let counter_set = self.counters.set_of(trial.block);
                Request { number: places.number(), counter_set, ..request }
            }
        };
        self.launcher.submit(request);
        under_way.push_back(step);
    }

    pub(crate) fn helper(&self, role: &str, command: u16) -> Option<u32> {
        let places = &self.commands[usize::from(command)];
        if role == "prepare" { places.prepare } else { places.conclude }
    }

    fn entry_of_helper(&self, role: &str, command: u16) -> u32 {
        self.helper(role, command).unwrap_or(self.commands[usize::from(command)].run)
    }

    /// Sleeps until the launcher has a reply. Replies of short runs are left to accumulate, so that this process does
    /// not wake up during each run, but only until half of the requested runs should have ended: the launcher must not
    /// become idle.
    fn gather(&mut self, under_way: usize) -> Result<(), LaunchError> {
        if self.last_wall_ns > 0 && self.last_wall_ns < TURNS_FROM_NS && under_way > 1 {
            let half_of_them_ns = under_way as u64 * self.last_wall_ns / 2;
            self.launcher.sleep(half_of_them_ns.min(GATHER_NS));
        }
        if self.meters.is_empty() {
            return self.launcher.wait(1000);
        }
        self.launcher.wait(LOOK_EVERY_MS)?;
        self.meters.look(self.launcher.now_ns());
        Ok(())
    }

    fn settle_all<F: Feed>(
        &mut self,
        under_way: &mut VecDeque<Purpose>,
        feed: &mut F,
    ) -> Result<(), RunError<F::Error>> {
        while let Some(reply) = self.launcher.try_reply() {
            let Some(purpose) = under_way.pop_front() else { break };
            self.note_owed(&purpose, &reply);
            match purpose {
                _ if reply.end == RunEnd::Aborted => {}
                Purpose::Trial(trial) if self.again.spoils(&reply) => self.again.push(trial),
                purpose => self.settle(purpose, reply, feed)?,
            }
        }
        Ok(())
    }

    pub(crate) fn settle<F: Feed>(
        &mut self,
        purpose: Purpose,
        reply: Reply,
        feed: &mut F,
    ) -> Result<(), RunError<F::Error>> {
        match purpose {
            Purpose::Helper { role, command } => {
                let outcome = outcome_of(reply.end);
                let entry = self.entry_of_helper(role, command);
                if let Some(error) = self.launcher.start_error(entry, reply.end) {
                    return Err(error.into());
                }
                match outcome.is_success() {
                    true => Ok(()),
                    false => Err(RunError::Helper {
                        role,
                        command: self.commands[usize::from(command)].name.clone(),
                        status: outcome.exit_status(),
                    }),
                }
            }
            Purpose::Trial(trial) => {
                let entry = self.commands[usize::from(trial.command)].run;
                if let Some(error) = self.launcher.start_error(entry, reply.end) {
                    return Err(error.into());
                }
                let sample = self.sample_of(&trial, reply);
                let number = sample.trial;
                feed.sample(sample).map_err(RunError::Feed)?;
                let mut along = self.meters.series_of(number);
                along.try_for_each(|series| feed.evidence(Evidence::Series(series))).map_err(RunError::Feed)
            }
        }
    }

    fn sample_of(&mut self, trial: &Trial, reply: Reply) -> Sample {
        let number = self.next_trial;
        self.next_trial += 1;
        let own = self.launcher.metrics().len();
        let mut readings = Readings::with_parts(Arc::clone(&self.metrics), own, reply.readings);
        self.launcher.sources().mark(&mut readings);
        self.last_wall_ns = readings.get(Metric::WALL).unwrap_or(0);
        // If two runs take place at the same moment, it is unknown which of them changed the counters that the meters
        // read.
        if !trial.setup.together {
            let run = Over { trial: number, started_ns: reply.started_ns, wall_ns: self.last_wall_ns };
            self.meters.end(run, &mut readings);
        }
        Sample {
            trial: number,
            block: trial.block,
            command: trial.command,
            position: trial.position,
            phase: trial.phase,
            outcome: outcome_of(reply.end),
            cpu_first: reply.cpu_first,
            cpu_last: reply.cpu_last,
            left_behind: reply.left_behind,
            env_pad_bytes: reply.pad_bytes,
            started_ns: reply.started_ns.saturating_sub(self.started_ns),
            readings,
        }
    }

    /// Readings of up to `runs` runs of the empty static program under the first command's condition and this setup;
    /// runs that fail are left out.
    pub fn floor(&mut self, runs: usize, setup: &Setup) -> Vec<Readings> {
        let Some((entry, _)) = self.floor else { return Vec::new() };
        let (request, metrics) = (request_of(entry, setup, 0), Arc::clone(self.launcher.metrics()));
        let replies = (0..runs).map_while(|_| self.launcher.answer(request).ok());
        let good = replies.filter(|reply| reply.end == RunEnd::Ended(Exit::Status(0)) && !reply.paused);
        good.map(|reply| Readings::with_parts(Arc::clone(&metrics), metrics.len(), reply.readings)).collect()
    }
}
