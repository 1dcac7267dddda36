//! A run under way: tasks are handed over, answers are kept as they come, and whoever gives none is told with the reason.

mod state;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use fauxplat_model::DeliveryState;
use fauxplat_sys::{clock, signal};

use crate::check::checked;
use crate::engine::{Engine, HandedOver, Said, Standing, Task};
use crate::folder::{Held, RunFolder, random_hex};
use crate::journal::Journal;
use crate::record::{Asked, Entry, JOURNAL};
use crate::wire::{Added, is_marked, part};
use crate::{FleetError, ask};
use state::{State, Status, nothing_came, replay};

/// What is told while a run goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// A node answered, or is given up with the reason.
    Node {
        /// Its name.
        node: String,
        /// Why it gave nothing; absent where it answered.
        trouble: Option<String>,
    },
    /// How many tasks of a round were answered or given up, run, wait, and are there in all.
    Counts(Counts),
    /// The engine does not answer, and is asked again.
    Engine(String),
}

/// How far a round has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The round.
    pub round: u32,
    /// Tasks that were answered.
    pub answered: usize,
    /// Tasks that are given up.
    pub given_up: usize,
    /// Tasks that were handed over.
    pub open: usize,
    /// All.
    pub of: usize,
}

/// Limits of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The whole of it.
    pub max_time: Option<Duration>,
    /// A node that runs and does not answer for this long is given up.
    pub patience: Option<Duration>,
}

/// An engine that does not answer for this long is given up.
const ENGINE_PATIENCE_NS: u64 = 600_000_000_000;
/// How often answers are looked for.
const LOOK_MS: u64 = 20;
/// The largest number of rounds times nodes: tasks have numbers.
const TASKS_MAX: usize = 10_000_000;

/// A run under way.
#[derive(Debug)]
pub struct Run {
    /// What was asked.
    pub asked: Asked,
    engine: Box<dyn Engine>,
    journal: Journal,
    _held: Held,
    states: Vec<State>,
    limits: Limits,
    started_ns: u64,
    /// Since when the engine does not answer.
    silent_since_ns: Option<u64>,
}

impl Run {
    /// Opens a run: a new one, or one that was ended at any moment.
    ///
    /// # Errors
    /// Another process collects it, or what is known of it cannot be read.
    pub fn open(
        folder: &RunFolder,
        asked: Asked,
        engine: Box<dyn Engine>,
        limits: Limits,
    ) -> Result<Self, FleetError> {
        let held = folder.hold()?;
        let mut states: Vec<State> = Vec::new();
        let journal = Journal::open(&folder.file(JOURNAL), |entry| replay(&mut states, entry))?;
        let started_ns = clock::monotonic_ns();
        states.iter_mut().for_each(|state| state.handed_ns = started_ns);
        Ok(Run { asked, engine, journal, _held: held, states, limits, started_ns, silent_since_ns: None })
    }

    /// Whether a round was begun, however it ended.
    pub fn has_begun(&self, round: u32) -> bool {
        self.states.iter().any(|state| state.task.round == round)
    }

    /// Whether all tasks of a round are over.
    pub fn is_complete(&self, round: u32) -> bool {
        self.of(round).all(|at| self.states[at].is_over())
    }

    /// Whether nothing is expected of anybody any more.
    pub fn is_over(&self) -> bool {
        self.states.iter().all(State::is_over)
    }

    /// Nodes of a round that gave nothing, however often they were asked.
    pub fn unanswered(&self, round: u32) -> Vec<String> {
        let answered: HashSet<&str> = self
            .of(round)
            .filter(|&at| self.states[at].status == Status::Answered)
            .map(|at| self.states[at].task.node.as_str())
            .collect();
        let mut seen = HashSet::new();
        let nodes = self.of(round).map(|at| self.states[at].task.node.clone());
        nodes.filter(|node| !answered.contains(node.as_str()) && seen.insert(node.clone())).collect()
    }

    fn of(&self, round: u32) -> impl Iterator<Item = usize> + '_ {
        (0..self.states.len()).filter(move |&at| self.states[at].task.round == round)
    }

    /// Asks these nodes, once more if they were asked before.
    ///
    /// # Errors
    /// It cannot be recorded.
    pub fn ask(&mut self, nodes: &[String], round: u32) -> Result<(), FleetError> {
        if self.states.len() + nodes.len() > TASKS_MAX {
            return Err(FleetError::TooLong { what: "the list of tasks", bytes: self.states.len() as u64 });
        }
        let mut attempts: HashMap<String, u32> = HashMap::new();
        for at in self.of(round) {
            let task = &self.states[at].task;
            attempts
                .entry(task.node.clone())
                .and_modify(|most| *most = task.attempt.max(*most))
                .or_insert(task.attempt);
        }
        let shared = random_hex(8)?;
        for node in nodes {
            let token = if self.engine.tells_all_the_same() { shared.clone() } else { random_hex(8)? };
            let attempt = attempts.get(node).map_or(1, |attempt| attempt + 1);
            let task = Task { number: self.states.len() as u32, node: node.clone(), round, attempt, token };
            self.journal.add(&Entry::Task(task.clone()));
            self.states.push(State::new(task));
        }
        self.journal.flush()
    }

    /// Goes on until every task of the round is over, the user stops, or time is up. What was open then is taken back.
    ///
    /// # Errors
    /// Answers cannot be kept, or the engine is gone for good.
    pub fn collect(&mut self, round: u32, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        let mut next_look_ns = 0;
        loop {
            self.take_answers(round, tell)?;
            if self.is_complete(round) {
                tell(&Told::Counts(self.counts(round)));
                return Ok(());
            }
            if signal::stop_requested() || self.is_late() {
                return self.take_back(round, tell);
            }
            self.hand_over(round, tell)?;
            let now_ns = clock::monotonic_ns();
            if now_ns >= next_look_ns {
                self.look(round, tell)?;
                tell(&Told::Counts(self.counts(round)));
                next_look_ns = clock::monotonic_ns() + self.engine.pace_ms() * 1_000_000;
            }
            std::thread::sleep(Duration::from_millis(LOOK_MS));
        }
    }

    fn is_late(&self) -> bool {
        let elapsed = Duration::from_nanos(clock::monotonic_ns() - self.started_ns);
        self.limits.max_time.is_some_and(|limit| elapsed >= limit)
    }

    fn counts(&self, round: u32) -> Counts {
        let mut counts = Counts { round, ..Counts::default() };
        for at in self.of(round) {
            counts.of += 1;
            match self.states[at].status {
                Status::Answered => counts.answered += 1,
                Status::GivenUp => counts.given_up += 1,
                Status::Open(_) => counts.open += 1,
                Status::Waiting => {}
            }
        }
        counts
    }

    fn open_tasks(&self, round: u32) -> Vec<(Task, String)> {
        let open = |at: usize| match &self.states[at].status {
            Status::Open(handle) => Some((self.states[at].task.clone(), handle.clone())),
            _ => None,
        };
        self.of(round).filter_map(open).collect()
    }

    fn hand_over(&mut self, round: u32, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        let is_waiting = |at: &usize| self.states[*at].status == Status::Waiting;
        let waiting: Vec<Task> =
            self.of(round).filter(is_waiting).map(|at| self.states[at].task.clone()).collect();
        if waiting.is_empty() {
            return Ok(());
        }
        let handed = match self.engine.hand_over(&waiting) {
            Ok(handed) => handed,
            Err(error) => return self.is_silent(error, tell),
        };
        self.silent_since_ns = None;
        for HandedOver { task, handle } in handed {
            match handle {
                Ok(handle) => self.is_open(task, handle),
                Err(why) => self.give_up(task, DeliveryState::Failed, Some(why), tell),
            }
        }
        self.journal.flush()
    }

    fn is_open(&mut self, task: u32, handle: String) {
        let at_utc_ns = clock::realtime_ns() as i64;
        self.journal.add(&Entry::Handed { task, handle: handle.clone(), at_utc_ns });
        let state = &mut self.states[task as usize];
        state.handed_utc_ns = at_utc_ns;
        state.handed_ns = clock::monotonic_ns();
        state.over_since_ns = None;
        state.status = Status::Open(handle);
    }

    /// An engine that does not answer may be starting again; what it was told goes on meanwhile.
    fn is_silent(&mut self, error: FleetError, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        let now_ns = clock::monotonic_ns();
        match self.silent_since_ns {
            _ if !error.is_passing() => Err(error),
            None => {
                self.silent_since_ns = Some(now_ns);
                tell(&Told::Engine(error.to_string()));
                Ok(())
            }
            Some(since_ns) if now_ns - since_ns > ENGINE_PATIENCE_NS => Err(error),
            Some(_) => Ok(()),
        }
    }

    fn take_answers(&mut self, round: u32, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        let said = self.engine.said(&self.open_tasks(round))?;
        said.into_iter().for_each(|said| self.hear(said));
        let is_open = |at: &usize| matches!(self.states[*at].status, Status::Open(_));
        let whole: Vec<(usize, Result<String, FleetError>)> = self
            .of(round)
            .filter(is_open)
            .filter_map(|at| Some((at, self.states[at].assembly.answer()?)))
            .collect();
        let kept: Vec<usize> = whole.iter().map(|(at, _)| *at).collect();
        for (at, answer) in whole {
            self.take_answer(at, answer, tell);
        }
        // Only what is on the disk has arrived.
        self.journal.flush()?;
        for at in kept {
            if self.states[at].status == Status::Answered {
                tell(&Told::Node { node: self.states[at].task.node.clone(), trouble: None });
            }
        }
        Ok(())
    }

    fn take_answer(&mut self, at: usize, answer: Result<String, FleetError>, tell: &mut dyn FnMut(&Told)) {
        let state = &self.states[at];
        let times = (state.handed_utc_ns, clock::realtime_ns() as i64);
        let record = answer
            .map_err(|error| (DeliveryState::Garbage, error.to_string()))
            .and_then(|text| checked(&text, &state.task, &self.asked, times));
        let number = state.task.number;
        match record {
            Ok(record) => {
                self.journal.add(&Entry::Answer { task: number, record: Box::new(record) });
                self.states[at].status = Status::Answered;
            }
            Err((state, why)) => self.give_up(number, state, Some(why), tell),
        }
    }

    fn hear(&mut self, Said { task, line }: Said) {
        let Some(state) = self.states.get_mut(task as usize) else { return };
        let Some(part) = part(&line) else {
            let said = if is_marked(&line) { None } else { ask::one_line(&line) };
            state.said = said.or(state.said.take());
            return;
        };
        if part.token != state.task.token {
            let other = self.states.iter().find(|other| other.task.token == part.token);
            let whose = other.map_or("of another run".to_owned(), |other| format!("of {}", other.task.node));
            self.states[task as usize].said = Some(format!("the answer {whose}"));
            self.note(task, DeliveryState::ForAnother, format!("it gave the answer {whose}"));
            return;
        }
        if state.assembly.add(part) == Added::Other {
            self.note(
                task,
                DeliveryState::Twice,
                "it answered twice, and not the same; the first answer counts".to_owned(),
            );
        }
    }

    /// Something that is told once, and does not keep the task from being answered.
    fn note(&mut self, task: u32, state: DeliveryState, why: String) {
        let of = &mut self.states[task as usize];
        if !std::mem::replace(&mut of.is_told_twice, true) {
            let delivery = of.delivery(state, Some(why));
            self.journal.add(&Entry::Trouble { task, delivery, is_last: false });
        }
    }

    fn give_up(
        &mut self,
        task: u32,
        state: DeliveryState,
        reason: Option<String>,
        tell: &mut dyn FnMut(&Told),
    ) {
        let of = &mut self.states[task as usize];
        of.status = Status::GivenUp;
        let delivery = of.delivery(state, reason.clone());
        let trouble = Some(reason.unwrap_or_else(|| state.words().to_owned()));
        tell(&Told::Node { node: of.task.node.clone(), trouble });
        self.journal.add(&Entry::Trouble { task, delivery, is_last: true });
    }

    fn look(&mut self, round: u32, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        let open = self.open_tasks(round);
        if open.is_empty() {
            return Ok(());
        }
        let standings = match self.engine.look(&open) {
            Ok(standings) => standings,
            Err(error) => return self.is_silent(error, tell),
        };
        self.silent_since_ns = None;
        // What was written before a task was seen to be over is there now.
        self.take_answers(round, tell)?;
        for (task, standing) in standings {
            if matches!(self.states[task as usize].status, Status::Open(_)) {
                self.judge(task, standing, tell);
            }
        }
        self.journal.flush()
    }

    fn judge(&mut self, task: u32, standing: Standing, tell: &mut dyn FnMut(&Told)) {
        let now_ns = clock::monotonic_ns();
        let state = &mut self.states[task as usize];
        match standing {
            // Waiting is no fault of the node.
            Standing::Waiting(_) => state.handed_ns = now_ns,
            Standing::Running => {
                let patience = self.limits.patience.map_or(u64::MAX, |limit| limit.as_nanos() as u64);
                if now_ns - state.handed_ns > patience {
                    let why = format!("no answer within {} s", patience / 1_000_000_000);
                    if !self.engine.tells_all_the_same() {
                        let _gone = self.engine.cancel(&self.open_task(task));
                    }
                    self.give_up(task, DeliveryState::Missing, Some(why), tell);
                }
            }
            Standing::Moved(handle) => self.is_open(task, handle),
            Standing::Failed(why) => self.give_up(task, DeliveryState::Failed, Some(why), tell),
            Standing::Done | Standing::Unknown => {
                let grace_ms = if state.has_spoken() { 0 } else { self.engine.grace_ms() };
                let grace_ns = grace_ms * 1_000_000;
                let since_ns = *state.over_since_ns.get_or_insert(now_ns);
                let is_lost = standing == Standing::Unknown && !state.has_spoken() && !state.is_retried;
                if now_ns - since_ns >= grace_ns && is_lost {
                    // A controller that crashed may have forgotten what it was told last.
                    state.is_retried = true;
                    state.status = Status::Waiting;
                } else if now_ns - since_ns >= grace_ns {
                    let (what, why) = nothing_came(state, &standing);
                    self.give_up(task, what, why, tell);
                }
            }
        }
    }

    fn open_task(&self, task: u32) -> Vec<(Task, String)> {
        let round = self.states[task as usize].task.round;
        self.open_tasks(round).into_iter().filter(|(open, _)| open.number == task).collect()
    }

    /// Takes back what is open, so that nothing goes on that nobody waits for.
    fn take_back(&mut self, round: u32, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        let done = self.engine.cancel(&self.open_tasks(round));
        if let Err(error) = done {
            tell(&Told::Engine(error.to_string()));
        }
        let rest: Vec<u32> = self
            .of(round)
            .filter(|&at| !self.states[at].is_over())
            .map(|at| self.states[at].task.number)
            .collect();
        for task in rest {
            let why = "the run was ended before it answered".to_owned();
            self.give_up(task, DeliveryState::Missing, Some(why), &mut |_| ());
        }
        self.journal.flush()
    }
}

#[cfg(test)]
mod tests;
