//! A run over a fleet in progress: submits tasks, stores answers on arrival, and records a reason for every node
//! without an answer.

mod state;
mod told;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use fauxplat_model::{DeliveryState, Remeasurement};
use fauxplat_sys::{clock, signal};

use crate::check::checked;
use crate::engine::{Engine, HandedOver, Said, Task, TaskState};
use crate::folder::{Held, RunFolder, random_hex};
use crate::journal::Journal;
use crate::record::{Asked, Entry, JOURNAL};
use crate::wire::{Added, is_marked, part};
use crate::{FleetError, ask};
use state::{State, Status, nothing_came, replay};
pub use told::{Counts, Limits, Told};

/// Time in nanoseconds for which the engine may fail to answer, before the run is given up.
const ENGINE_PATIENCE_NS: u64 = 600_000_000_000;
/// Interval in milliseconds at which answers are read.
const LOOK_MS: u64 = 20;
/// Maximum number of tasks: rounds times nodes.
const TASKS_MAX: usize = 10_000_000;

#[derive(Debug)]
pub struct Run {
    pub asked: Asked,
    engine: Box<dyn Engine>,
    journal: Journal,
    _held: Held,
    states: Vec<State>,
    limits: Limits,
    started_ns: u64,
    /// Nodes that had not answered when the run was opened, by round, for which another task is created.
    silent: BTreeMap<u32, Vec<String>>,
    /// Settings of the remeasurement of suspects; `None` until they are settled.
    again: Option<Remeasurement>,
    /// Monotonic time in nanoseconds at which the engine first failed to answer; `None` while it answers.
    silent_since_ns: Option<u64>,
}

impl Run {
    /// Opens a run, either a new one or one that was ended at any moment.
    ///
    /// # Errors
    /// Fails where another process collects the run, or where its records cannot be read.
    pub fn open(
        folder: &RunFolder,
        asked: Asked,
        engine: Box<dyn Engine>,
        limits: Limits,
    ) -> Result<Self, FleetError> {
        let held = folder.hold()?;
        let mut states: Vec<State> = Vec::new();
        let mut again = None;
        let journal = Journal::open(&folder.file(JOURNAL), |entry| match entry {
            Entry::Again(plan) => again = Some(plan),
            entry => replay(&mut states, entry),
        })?;
        let started_ns = clock::monotonic_ns();
        states.iter_mut().for_each(|state| state.handed_ns = started_ns);
        let (silent, silent_since_ns) = (BTreeMap::new(), None);
        let mut run = Run {
            asked,
            engine,
            journal,
            _held: held,
            states,
            limits,
            started_ns,
            silent,
            again,
            silent_since_ns,
        };
        run.silent = run.rounds(|_| true).into_iter().map(|round| (round, run.unanswered(round))).collect();
        Ok(run)
    }

    fn rounds(&self, is_such: impl Fn(&State) -> bool) -> BTreeSet<u32> {
        self.states.iter().filter(|state| is_such(state)).map(|state| state.task.round).collect()
    }

    /// Returns the rounds that have unfinished tasks; right after opening, these are tasks that an earlier fauxplat
    /// left.
    pub fn unfinished(&self) -> BTreeSet<u32> {
        self.rounds(|state| !state.is_over())
    }

    fn is_complete(&self, round: u32) -> bool {
        self.of(round).all(|at| self.states[at].is_over())
    }

    /// Returns whether all tasks are over, and all answers are on the disk.
    pub fn is_over(&self) -> bool {
        self.journal.is_flushed() && self.states.iter().all(State::is_over)
    }

    /// Returns whether the user has stopped the run, or its time limit has passed: no new task is begun.
    pub fn is_ended(&self) -> bool {
        signal::stop_requested() || self.is_late()
    }

    /// Returns the nodes of a round whose tasks were all given up.
    fn unanswered(&self, round: u32) -> Vec<String> {
        let hopeful: HashSet<&str> = self
            .of(round)
            .filter(|&at| self.states[at].status != Status::GivenUp)
            .map(|at| self.states[at].task.node.as_str())
            .collect();
        let mut seen = HashSet::new();
        let nodes = self.of(round).map(|at| self.states[at].task.node.clone());
        nodes.filter(|node| !hopeful.contains(node.as_str()) && seen.insert(node.clone())).collect()
    }

    pub fn again(&self) -> Option<&Remeasurement> {
        self.again.as_ref()
    }

    /// Settles which nodes are measured again in which rounds, and records it: a resumed run has further answers, from
    /// which other rounds would follow.
    ///
    /// # Errors
    /// Fails where the settings cannot be recorded.
    pub fn settle(&mut self, again: Remeasurement) -> Result<(), FleetError> {
        self.journal.add(&Entry::Again(again.clone()));
        self.again = Some(again);
        self.journal.flush()
    }

    /// Creates tasks for the nodes of a round that have no task yet (after a full disk only some have one), and further
    /// tasks for nodes that had not answered when this run was opened.
    ///
    /// # Errors
    /// Fails where the tasks cannot be recorded.
    pub fn begin(&mut self, round: u32, nodes: &[String]) -> Result<(), FleetError> {
        let mut due = self.silent.remove(&round).unwrap_or_default();
        let asked: HashSet<&str> = self.of(round).map(|at| self.states[at].task.node.as_str()).collect();
        due.extend(nodes.iter().filter(|node| !asked.contains(node.as_str())).cloned());
        self.ask(&due, round)
    }

    fn of(&self, round: u32) -> impl Iterator<Item = usize> + '_ {
        (0..self.states.len()).filter(move |&at| self.states[at].task.round == round)
    }

    /// Creates tasks for these nodes, with the next attempt number for nodes that had a task before.
    fn ask(&mut self, nodes: &[String], round: u32) -> Result<(), FleetError> {
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

    /// Collects answers until every task of the round is over, the user stops, or the time limit has passed. Tasks that
    /// are still open are then cancelled.
    ///
    /// # Errors
    /// Fails where answers cannot be recorded, or where the engine has failed for good. Open tasks of any round are
    /// cancelled before the error is returned.
    pub fn collect(&mut self, round: u32, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        let done = self.collect_all(round, tell);
        if done.is_err() {
            for round in self.unfinished() {
                // The first error is the one returned. Answers that cannot be recorded now are found again when the run
                // is resumed.
                let _unkept = self.take_back(round, tell);
            }
        }
        done
    }

    fn collect_all(&mut self, round: u32, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        let mut next_look_ns = 0;
        loop {
            self.take_answers(round, tell)?;
            if self.is_complete(round) {
                tell(&Told::Counts(self.counts(round)));
                return Ok(());
            }
            if self.is_ended() {
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

    fn waiting(&self, round: u32) -> Vec<Task> {
        let is_waiting = |at: &usize| self.states[*at].status == Status::Waiting;
        self.of(round).filter(is_waiting).map(|at| self.states[at].task.clone()).collect()
    }

    fn hand_over(&mut self, round: u32, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        let mut waiting = self.waiting(round);
        if self.limits.patience.is_some() {
            // Further tasks would wait in the engine without being reported as waiting, so the time limit of a node
            // would run out for them.
            waiting.truncate(self.engine.side_by_side());
        }
        if waiting.is_empty() {
            return Ok(());
        }
        let handed = match self.engine.hand_over(&waiting) {
            Ok(handed) => handed,
            Err(error) => return self.is_silent(error, tell),
        };
        self.silent_since_ns = None;
        self.are_handed(handed, tell);
        self.journal.flush()
    }

    fn are_handed(&mut self, handed: Vec<HandedOver>, tell: &mut dyn FnMut(&Told)) {
        for HandedOver { task, handle } in handed {
            match handle {
                Ok(handle) => self.is_open(task, handle),
                Err(why) => self.give_up(task, DeliveryState::Failed, Some(why), tell),
            }
        }
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

    /// Handles an error of the engine. A passing error is reported and tolerated for a while: the engine may be
    /// restarting, while its tasks continue.
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
        // An answer only counts once it is on the disk.
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
            self.note(task, DeliveryState::ForAnother, format!("the machine gave the answer {whose}"));
            return;
        }
        if state.assembly.add(part) == Added::Other {
            self.note(
                task,
                DeliveryState::Twice,
                "the machine gave two different answers; the first one counts".to_owned(),
            );
        }
    }

    /// Records a problem that does not prevent the answer of a task, once for each task.
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
        // Output that a task wrote before its end was seen is available now.
        self.take_answers(round, tell)?;
        for (task, standing) in standings {
            if matches!(self.states[task as usize].status, Status::Open(_)) {
                self.judge(task, standing, tell);
            }
        }
        self.journal.flush()
    }

    fn judge(&mut self, task: u32, standing: TaskState, tell: &mut dyn FnMut(&Told)) {
        let now_ns = clock::monotonic_ns();
        let state = &mut self.states[task as usize];
        match standing {
            // Waiting is no fault of the node, so the time limit of the node starts again.
            TaskState::Waiting(_) => state.handed_ns = now_ns,
            TaskState::Running => {
                let patience = self.limits.patience.unwrap_or(Duration::MAX);
                if Duration::from_nanos(now_ns - state.handed_ns) > patience {
                    let why = format!("no answer within {patience:?}");
                    let open = self.open_alone(task);
                    let _gone = self.engine.cancel(&open);
                    self.give_up(task, DeliveryState::Missing, Some(why), tell);
                }
            }
            TaskState::Moved(handle) => self.is_open(task, handle),
            TaskState::Failed(why) => self.give_up(task, DeliveryState::Failed, Some(why), tell),
            TaskState::Done | TaskState::Unknown => {
                let grace_ms = if state.has_spoken() { 0 } else { self.engine.grace_ms() };
                let grace_ns = grace_ms * 1_000_000;
                let since_ns = *state.over_since_ns.get_or_insert(now_ns);
                let is_lost = standing == TaskState::Unknown && !state.has_spoken() && !state.is_retried;
                if now_ns - since_ns >= grace_ns && is_lost {
                    // A controller that crashed may have forgotten the latest tasks, so a lost task is submitted once
                    // more.
                    state.is_retried = true;
                    state.status = Status::Waiting;
                } else if now_ns - since_ns >= grace_ns {
                    let (what, why) = nothing_came(state, &standing);
                    self.give_up(task, what, why, tell);
                }
            }
        }
    }

    /// Returns the task with its handle if it can be cancelled alone; empty if other open tasks have the same handle,
    /// as those for the hosts of one script do.
    fn open_alone(&self, task: u32) -> Vec<(Task, String)> {
        let state = &self.states[task as usize];
        let Status::Open(handle) = &state.status else { return Vec::new() };
        let open_so = |other: &&State| matches!(&other.status, Status::Open(theirs) if theirs == handle);
        match self.states.iter().filter(open_so).count() {
            1 => vec![(state.task.clone(), handle.clone())],
            _ => Vec::new(),
        }
    }

    /// Cancels the open tasks of a round, so that none continues unobserved. Tasks that may continue in spite of that
    /// stay open, so that a resumed run waits for them.
    fn take_back(&mut self, round: u32, tell: &mut dyn FnMut(&Told)) -> Result<(), FleetError> {
        // Tasks whose submission was not confirmed may run as well, so they are looked for first.
        let unsure = match self.engine.adopt(&self.waiting(round)) {
            Ok(handed) => {
                self.are_handed(handed, tell);
                None
            }
            Err(error) => Some(error.to_string()),
        };
        let uncancelled = self.engine.cancel(&self.open_tasks(round)).err().map(|error| error.to_string());
        if let Some(why) = uncancelled.as_ref().or(unsure.as_ref()) {
            tell(&Told::NotCancelled(why.clone()));
        }
        let rest: Vec<u32> = self
            .of(round)
            .filter(|&at| !self.states[at].is_over())
            .map(|at| self.states[at].task.number)
            .collect();
        for task in rest {
            let why = "the run was ended before it answered";
            match (&self.states[task as usize].status, &uncancelled, &unsure) {
                (Status::Open(_), Some(failed), _) => {
                    self.add_trouble(task, format!("{why}, and could not be cancelled: {failed}"));
                }
                (Status::Waiting, _, Some(failed)) => {
                    self.add_trouble(task, format!("{why}, and may have been handed over: {failed}"));
                }
                _ => self.give_up(task, DeliveryState::Missing, Some(why.to_owned()), &mut |_| ()),
            }
        }
        self.journal.flush()
    }

    /// Records that there is no answer to a task for now, and that one may still come.
    fn add_trouble(&mut self, task: u32, why: String) {
        let delivery = self.states[task as usize].delivery(DeliveryState::Missing, Some(why));
        self.journal.add(&Entry::Trouble { task, delivery, is_last: false });
    }
}

#[cfg(test)]
mod tests;
