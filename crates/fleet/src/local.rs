//! Nodes that are processes of this machine, for trying out what a run over a fleet does.

use std::collections::HashMap;

use fauxplat_launch::{Errand, Sent, Trace};
use fauxplat_model::Outcome;

use crate::FleetError;
use crate::engine::{Engine, HandedOver, Listed, Said, Standing, Task};
use crate::files::{Files, complaint};
use crate::schedule::cron;
use crate::site::Site;
use fauxplat_model::Every;

/// So many nodes on this machine.
#[derive(Debug)]
pub(crate) struct Local {
    count: u32,
    site: Site,
    running: HashMap<u32, Sent>,
    /// How those ended that have ended, until somebody asks: a process that answered makes room for the next one.
    ended: HashMap<u32, Outcome>,
    /// Processes that an earlier fauxplat began and that go on.
    others: usize,
    files: Files,
}

impl Local {
    /// So many.
    pub(crate) fn new(count: u32, site: Site) -> Self {
        Local {
            count,
            site,
            running: HashMap::new(),
            ended: HashMap::new(),
            others: 0,
            files: Files::default(),
        }
    }

    fn begin(&mut self, task: &Task) -> Result<String, String> {
        let errand = Errand {
            program: self.site.own_program(),
            arguments: self.site.words(task, false),
            env_set: Vec::new(),
            output: self.site.folder.out(task.number),
            errors: self.site.folder.errors(task.number),
        };
        let sent = errand.send().map_err(|error| error.to_string())?;
        let handle = handle_of(sent.trace);
        self.running.insert(task.number, sent);
        Ok(handle)
    }

    fn standing(&mut self, task: &Task, handle: &str) -> Standing {
        self.reap();
        let ended = match self.ended.remove(&task.number) {
            Some(outcome) => Some(outcome),
            None if self.running.contains_key(&task.number) => None,
            // Another process of fauxplat began it, and how it ended nobody knows any more.
            None if trace_of(handle).is_some_and(Trace::is_there) => None,
            None => Some(Outcome::Exited(0)),
        };
        match ended {
            None => Standing::Running,
            Some(outcome) if outcome.is_success() => Standing::Done,
            Some(outcome) => Standing::Failed(failed(outcome, complaint(&self.site.folder, task.number))),
        }
    }

    fn reap(&mut self) {
        let ended: Vec<(u32, Outcome)> =
            self.running.iter_mut().filter_map(|(task, sent)| Some((*task, sent.ended()?))).collect();
        ended.iter().for_each(|(task, _)| drop(self.running.remove(task)));
        self.ended.extend(ended);
    }
}

/// How a process on a node ended, and what it said.
pub(crate) fn failed(outcome: Outcome, said: Option<String>) -> String {
    let how = match outcome {
        Outcome::Exited(status) => format!("status {status}"),
        Outcome::Signaled(signal) => format!("ended by signal {signal}"),
        Outcome::TimedOut => "ended before its time".to_owned(),
    };
    said.map_or(how.clone(), |said| format!("{said} ({how})"))
}

/// A process in one word.
pub(crate) fn handle_of(trace: Trace) -> String {
    format!("{}:{}", trace.pid, trace.ticks)
}

/// The process that such a word stands for.
pub(crate) fn trace_of(handle: &str) -> Option<Trace> {
    let (pid, ticks) = handle.split_once(':')?;
    Some(Trace { pid: pid.parse().ok()?, ticks: ticks.parse().ok()? })
}

impl Engine for Local {
    fn words(&self) -> String {
        format!("local:{}", self.count)
    }

    fn nodes(&self) -> Result<Vec<Listed>, FleetError> {
        Ok((1..=self.count).map(|at| Listed { name: format!("local-{at}"), unable: None }).collect())
    }

    fn hand_over(&mut self, waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError> {
        // They share this machine, so they take turns unless somebody says otherwise.
        self.reap();
        let room = self.site.options.at_once.unwrap_or(1) as usize;
        let free = room.saturating_sub(self.running.len() + self.others);
        let begin = |task: &Task| HandedOver { task: task.number, handle: self.begin(task) };
        Ok(waiting.iter().take(free).map(begin).collect())
    }

    fn look(&mut self, open: &[(Task, String)]) -> Result<Vec<(u32, Standing)>, FleetError> {
        let is_other = |task: &Task, handle: &str| {
            !self.running.contains_key(&task.number) && trace_of(handle).is_some_and(Trace::is_there)
        };
        self.others = open.iter().filter(|(task, handle)| is_other(task, handle)).count();
        Ok(open.iter().map(|(task, handle)| (task.number, self.standing(task, handle))).collect())
    }

    fn said(&mut self, open: &[(Task, String)]) -> Result<Vec<Said>, FleetError> {
        self.files.said(&self.site.folder, open)
    }

    fn cancel(&mut self, open: &[(Task, String)]) -> Result<(), FleetError> {
        open.iter().filter_map(|(_, handle)| trace_of(handle)).for_each(Trace::end);
        Ok(())
    }

    fn pace_ms(&self) -> u64 {
        20
    }

    fn schedule(&self, line: &str, every: Every) -> Vec<String> {
        cron(line, every)
    }
}
