//! The one runner of the laboratory: asks the launcher for what the steering wants, and hands over what comes back.

use std::collections::VecDeque;
use std::fs::File;
use std::path::PathBuf;

use fauxplat_launch::{
    Entry, LaunchError, Launcher, Program, Reply, Request, RunEnd, Spawner, Table, entry_of,
};
use fauxplat_model::{Command, Metric, Process, Sample, Setup, Sources, Trial};
use fauxplat_sys::process::Exit;

use crate::counters::{Counters, LOOK_EVERY_MS};
use crate::floor::floor_program;
use crate::request::{Places, Purpose, helper_entry, outcome_of, plain_request, request_of};
use crate::{Next, RunError, Steering, Stopped};

/// Executes trials of a fixed list of commands.
#[derive(Debug)]
pub struct Executor {
    pub(crate) launcher: Box<dyn Launcher>,
    /// A second launcher with the same programs, for runs at the same moment.
    pub(crate) partner: Option<Box<dyn Launcher>>,
    pub(crate) commands: Vec<Places>,
    /// Index of the floor program in the table, and the memory in which it lives.
    pub(crate) floor: Option<(u32, File)>,
    /// What the commands publish. With counters runs and fauxplat take turns, so that each is read alone.
    counters: Counters,
    started_ns: u64,
    next_trial: u32,
    last_wall_ns: u64,
}

/// From this wall time on the runner and the command take turns, so that storing a sample never runs beside the
/// next one. Below it they overlap: on a run of a tenth of a millisecond waiting would cost more than it protects.
const TURNS_FROM_NS: u64 = 1_000_000;
/// How long the runner lets short runs gather before it looks at them.
const GATHER_NS: u64 = 4_000_000;

impl Executor {
    /// Starts a spawner that holds the commands ready.
    ///
    /// # Errors
    /// A file of a condition cannot be opened, or the spawner cannot be started.
    pub fn new(program: &Program, commands: &[Command]) -> Result<Self, LaunchError> {
        Executor::launched_by(|table| spawner(program, table), commands)
    }

    /// The same with another launcher, made from the table of programs.
    ///
    /// # Errors
    /// Those of the launcher.
    pub fn launched_by(
        launch: impl FnOnce(Table) -> Result<Box<dyn Launcher>, LaunchError>,
        commands: &[Command],
    ) -> Result<Self, LaunchError> {
        Executor::start(launch, commands, |_, entry| entry)
    }

    /// The same with so many iterations of extra work before each command (missing ones have none).
    ///
    /// # Errors
    /// As [`Executor::new`].
    pub fn with_extra_work(
        program: &Program,
        commands: &[Command],
        extra_work: &[u64],
    ) -> Result<Self, LaunchError> {
        let work = |index: usize| extra_work.get(index).copied().unwrap_or(0);
        let complete = |index, entry| Entry { extra_work: work(index), ..entry };
        Executor::start(|table| spawner(program, table), commands, complete)
    }

    /// The same with each command in the control groups of these folders (missing ones in none).
    ///
    /// # Errors
    /// As [`Executor::new`].
    pub fn in_groups(
        program: &Program,
        commands: &[Command],
        groups: &[Vec<PathBuf>],
    ) -> Result<Self, LaunchError> {
        let folders = |index: usize| groups.get(index).cloned().unwrap_or_default();
        let complete = |index, entry| Entry { groups: folders(index), ..entry };
        Executor::start(|table| spawner(program, table), commands, complete)
    }

    fn start(
        launch: impl FnOnce(Table) -> Result<Box<dyn Launcher>, LaunchError>,
        commands: &[Command],
        complete: impl Fn(usize, Entry) -> Entry,
    ) -> Result<Self, LaunchError> {
        let mut table = Table::default();
        let mut add = |entry: Entry| {
            table.entries.push(entry);
            table.entries.len() as u32 - 1
        };
        let mut places = Vec::new();
        for (index, command) in commands.iter().enumerate() {
            let path = command.program.display().to_string();
            let helper = |argv: &Vec<String>| helper_entry(command, argv);
            places.push(Places {
                name: command.name.clone(),
                run: add(complete(index, entry_of(command, path, command.argv.clone()))),
                prepare: command.prepare.as_ref().map(helper).map(&mut add),
                cleanup: command.cleanup.as_ref().map(helper).map(&mut add),
            });
        }
        let floor = commands.first().and_then(|first| {
            let (memory, path) = floor_program()?;
            let entry = entry_of(first, path, vec!["floor".to_owned()]);
            Some((add(Entry { timeout_ns: None, ..entry }), memory))
        });
        let launcher = launch(table)?;
        let started_ns = launcher.now_ns();
        // Before the first run nothing is known of the commands, so they take turns: one that fails is not started
        // again by requests that were made ahead.
        let last_wall_ns = TURNS_FROM_NS;
        Ok(Executor {
            launcher,
            partner: None,
            commands: places,
            floor,
            counters: Counters::default(),
            started_ns,
            next_trial: 0,
            last_wall_ns,
        })
    }

    /// Watches counters that the commands publish, from the next run on.
    pub fn watch(&mut self, counters: Counters) {
        self.counters = counters;
    }

    /// The counters that are watched.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Hands the counters over, for another executor of the same experiment.
    pub fn take_counters(&mut self) -> Counters {
        std::mem::take(&mut self.counters)
    }

    /// Where the figures come from; known after the first run.
    pub fn sources(&self) -> Sources {
        self.launcher.sources()
    }

    /// What some runs lack that the others have, and why; a sentence each. Nothing where nothing is lacking.
    pub fn not_measured(&self) -> Vec<String> {
        let lanes = [Some(&self.launcher), self.partner.as_ref()];
        let runs: u64 = lanes.into_iter().flatten().map(|lane| lane.lossy_runs()).sum();
        let sentence = || {
            format!(
                "CPU time, run-queue wait, peak memory and migrations of {runs} runs: more of their processes ended than the kernel had room to tell of (taskstats)"
            )
        };
        (runs > 0).then(sentence).into_iter().collect()
    }

    /// Runs what the steering asks for until it has enough.
    ///
    /// # Errors
    /// A command cannot be launched, a helper fails, or the steering refuses a sample.
    pub fn execute<S: Steering>(&mut self, steering: &mut S) -> Result<Stopped, RunError<S::Error>> {
        let mut queue: VecDeque<Trial> = VecDeque::new();
        // What the trial in hand still asks for.
        let mut steps: VecDeque<Purpose> = VecDeque::new();
        let mut under_way: VecDeque<Purpose> = VecDeque::new();
        let mut done = false;
        let mut stopping = false;
        let mut scene = None;
        loop {
            if self.launcher.stop_requested() && !stopping {
                stopping = true;
                queue.clear();
                steps.clear();
                self.launcher.abort();
            }
            while !stopping && self.has_room(steps.len(), under_way.len()) {
                if steps.is_empty() {
                    if queue.is_empty() && !done {
                        match steering.next() {
                            Next::Trials(trials) => queue.extend(trials),
                            Next::Wait => break,
                            Next::Done => done = true,
                        }
                    }
                    let Some(trial) = queue.front() else { break };
                    let wanted = Some(steering.scene(trial));
                    if wanted != scene {
                        if !under_way.is_empty() {
                            break;
                        }
                        steering.enter_scene(trial).map_err(RunError::Steering)?;
                        scene = wanted;
                    }
                    let trial = queue.pop_front();
                    if let (Some(trial), Some(beside)) =
                        (&trial, queue.pop_front_if(|next| next.setup.together))
                    {
                        while !under_way.is_empty() {
                            self.settle_some(&mut under_way, steering)?;
                        }
                        self.run_together(&[trial.clone(), beside], steering)?;
                        stopping |= self.launcher.stop_requested();
                        continue;
                    }
                    steps.extend(trial.into_iter().flat_map(|trial| self.steps_of(trial)));
                }
                self.submit_next(&mut steps, &mut under_way);
            }
            if under_way.is_empty() {
                return Ok(if stopping { Stopped::Interrupted } else { Stopped::Done });
            }
            self.settle_some(&mut under_way, steering)?;
        }
    }

    /// Waits for replies and hands over what they brought.
    fn settle_some<S: Steering>(
        &mut self,
        under_way: &mut VecDeque<Purpose>,
        steering: &mut S,
    ) -> Result<(), RunError<S::Error>> {
        self.gather(under_way.len())?;
        let settled = self.settle_all(under_way, steering);
        // What landed before a failure is kept like everything else.
        steering.landed().map_err(RunError::Steering)?;
        settled
    }

    /// Whether something more may be asked for now. A trial that is begun goes on without a pause, except between
    /// counters, which are read after what prepares and before what cleans up.
    fn has_room(&self, steps: usize, under_way: usize) -> bool {
        if !self.counters.is_empty() {
            return under_way == 0;
        }
        let depth = if self.last_wall_ns < TURNS_FROM_NS { self.launcher.depth() - 4 } else { 1 };
        steps > 0 || under_way < depth
    }

    /// A trial with what belongs before and after it.
    fn steps_of(&self, trial: Trial) -> impl Iterator<Item = Purpose> + use<> {
        let (command, places) = (trial.command, &self.commands[usize::from(trial.command)]);
        let helper = |role, entry: Option<u32>| entry.map(|_| Purpose::Helper { role, command });
        let (before, after) = (helper("prepare", places.prepare), helper("cleanup", places.cleanup));
        before.into_iter().chain([Purpose::Trial(trial)]).chain(after)
    }

    /// Asks for the next step.
    fn submit_next(&mut self, steps: &mut VecDeque<Purpose>, under_way: &mut VecDeque<Purpose>) {
        let Some(step) = steps.pop_front() else { return };
        let request = match &step {
            Purpose::Helper { role, command } => plain_request(self.entry_of_helper(role, *command)),
            Purpose::Trial(trial) => {
                self.counters.begin();
                request_of(self.commands[usize::from(trial.command)].run, &trial.setup, trial.position)
            }
        };
        self.launcher.submit(request);
        under_way.push_back(step);
    }

    /// Where the helper of a command stands in the table, if it has one.
    pub(crate) fn helper(&self, role: &str, command: u16) -> Option<u32> {
        let places = &self.commands[usize::from(command)];
        if role == "prepare" { places.prepare } else { places.cleanup }
    }

    /// The same for a helper that was asked for.
    fn entry_of_helper(&self, role: &str, command: u16) -> u32 {
        self.helper(role, command).unwrap_or(self.commands[usize::from(command)].run)
    }

    /// Sleeps until there is something to take. Short runs are let gather, so that this process does not wake up
    /// beside each of them.
    fn gather(&mut self, under_way: usize) -> Result<(), LaunchError> {
        if self.last_wall_ns > 0 && self.last_wall_ns < TURNS_FROM_NS && under_way > 1 {
            self.launcher.sleep(GATHER_NS);
        }
        if self.counters.is_empty() {
            return self.launcher.wait(1000);
        }
        self.launcher.wait(LOOK_EVERY_MS)?;
        self.counters.look(self.launcher.now_ns());
        Ok(())
    }

    /// Takes every reply that is there.
    fn settle_all<S: Steering>(
        &mut self,
        under_way: &mut VecDeque<Purpose>,
        steering: &mut S,
    ) -> Result<(), RunError<S::Error>> {
        while let Some(reply) = self.launcher.try_reply() {
            let Some(purpose) = under_way.pop_front() else { break };
            if reply.end != RunEnd::Aborted {
                self.settle(purpose, &reply, steering)?;
            }
        }
        Ok(())
    }

    pub(crate) fn settle<S: Steering>(
        &mut self,
        purpose: Purpose,
        reply: &Reply,
        steering: &mut S,
    ) -> Result<(), RunError<S::Error>> {
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
                steering.sample(&sample).map_err(RunError::Steering)
            }
        }
    }

    fn sample_of(&mut self, trial: &Trial, reply: &Reply) -> Sample {
        let number = self.next_trial;
        self.next_trial += 1;
        self.last_wall_ns = reply.readings[Metric::Wall as usize].get().unwrap_or(0);
        let mut readings = reply.readings;
        // Of two runs at the same moment nobody could say which counted.
        if !trial.setup.together {
            readings[Metric::Rate as usize] = self.counters.end(number, reply.started_ns, self.last_wall_ns);
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

    /// Wall times of the empty static program under the first command's condition and this setup, in nanoseconds.
    pub fn floor_ns(&mut self, runs: usize, setup: &Setup) -> Vec<u64> {
        let Some((entry, _)) = self.floor else { return Vec::new() };
        let request = request_of(entry, setup, 0);
        let replies = (0..runs).filter_map(|_| self.launcher.answer(request).ok());
        let good = replies.filter(|reply| reply.end == RunEnd::Ended(Exit::Status(0)));
        good.filter_map(|reply| reply.readings[Metric::Wall as usize].get()).collect()
    }

    /// One run of a command that is traced and not timed: its process tree.
    ///
    /// # Errors
    /// The command cannot be launched.
    pub fn tree(&mut self, command: u16) -> Result<Vec<Process>, LaunchError> {
        let places = self.commands[usize::from(command)].clone();
        if let Some(prepare) = places.prepare {
            self.launcher.answer(plain_request(prepare))?;
        }
        let reply = self.launcher.answer(Request { traced: true, ..plain_request(places.run) })?;
        if let Some(error) = self.launcher.start_error(places.run, reply.end) {
            return Err(error);
        }
        let tree = self.launcher.tree();
        if let Some(cleanup) = places.cleanup {
            self.launcher.answer(plain_request(cleanup))?;
        }
        Ok(tree)
    }
}

/// The launcher of real programs.
fn spawner(program: &Program, table: Table) -> Result<Box<dyn Launcher>, LaunchError> {
    Ok(Box::new(Spawner::start(program, table)?))
}
