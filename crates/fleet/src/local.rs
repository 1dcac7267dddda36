//! An engine whose nodes are processes of this machine, to try out a run over a fleet.

use std::collections::HashMap;

use fauxplat_launch::{Errand, LaunchError, Sent, Trace};
use fauxplat_model::Outcome;

use crate::FleetError;
use crate::engine::{Engine, HandedOver, Listed, Said, Task, TaskState};
use crate::files::{Files, complaint};
use crate::schedule::cron;
use crate::site::Site;
use fauxplat_model::Every;

#[derive(Debug)]
pub(crate) struct Local {
    count: u32,
    site: Site,
    running: HashMap<u32, Sent>,
    /// Outcomes of processes that have ended, until [`Engine::look`] asks for them: an ended process is no longer among
    /// those that run.
    ended: HashMap<u32, Outcome>,
    /// Processes that an earlier fauxplat process started and that may still run.
    others: Vec<Trace>,
    files: Files,
}

impl Local {
    pub(crate) fn new(count: u32, site: Site) -> Self {
        Local {
            count,
            site,
            running: HashMap::new(),
            ended: HashMap::new(),
            others: Vec::new(),
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
        let sent = errand.send().map_err(|error| refused(&error))?;
        let handle = handle_of(sent.trace);
        self.running.insert(task.number, sent);
        Ok(handle)
    }

    fn standing(&mut self, task: &Task, handle: &str) -> TaskState {
        self.reap();
        let said = || complaint(&self.site.folder, task.number);
        let ended = self.ended.remove(&task.number);
        let is_there =
            self.running.contains_key(&task.number) || trace_of(handle).is_some_and(Trace::is_there);
        if ended.is_some() || !is_there {
            self.files.expect(task.number);
        }
        match ended {
            Some(outcome) if outcome.is_success() => TaskState::Done,
            Some(outcome) => TaskState::Failed(failed(outcome, said())),
            None if is_there => TaskState::Running,
            None => gone(said()),
        }
    }

    fn reap(&mut self) {
        let ended: Vec<(u32, Outcome)> =
            self.running.iter_mut().filter_map(|(task, sent)| Some((*task, sent.ended()?))).collect();
        ended.iter().for_each(|(task, _)| drop(self.running.remove(task)));
        self.ended.extend(ended);
    }
}

/// Returns the message about a process that could not be started; its program is the copy in the folder of the run.
fn refused(error: &LaunchError) -> String {
    let hint = match error {
        LaunchError::File { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
            "; where the file system is mounted noexec, --folder DIR names a folder in which programs may run"
        }
        _ => "",
    };
    format!("{error}{hint}")
}

/// Returns the message about a process that failed on a node; `said` is the last line of its error output.
pub(crate) fn failed(outcome: Outcome, said: Option<String>) -> String {
    let how = match outcome {
        Outcome::Exited(status) => format!("status {status}"),
        Outcome::Signaled(signal) => format!("ended by signal {signal}"),
        Outcome::TimedOut => "ended before its time".to_owned(),
    };
    said.map_or(how.clone(), |said| format!("{said} ({how})"))
}

/// Returns the state of a task that an earlier fauxplat started and whose process is gone: its exit status is unknown.
/// A last line in its error output, `said`, counts as a failure.
pub(crate) fn gone(said: Option<String>) -> TaskState {
    let told =
        |said| TaskState::Failed(format!("{said} (how it ended is not known: an earlier fauxplat began it)"));
    said.map_or(TaskState::Done, told)
}

/// Returns the handle of a process: its id and start time.
pub(crate) fn handle_of(trace: Trace) -> String {
    format!("{}:{}", trace.pid, trace.ticks)
}

/// Parses a handle that [`handle_of`] returned.
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
        // All nodes share this machine, so they take turns unless `at_once` permits more.
        self.reap();
        let room = self.site.options.at_once.unwrap_or(1) as usize;
        let others = self.others.iter().filter(|trace| trace.is_there()).count();
        let free = room.saturating_sub(self.running.len() + others);
        let begin = |task: &Task| HandedOver { task: task.number, handle: self.begin(task) };
        Ok(waiting.iter().take(free).map(begin).collect())
    }

    fn look(&mut self, open: &[(Task, String)]) -> Result<Vec<(u32, TaskState)>, FleetError> {
        Ok(open.iter().map(|(task, handle)| (task.number, self.standing(task, handle))).collect())
    }

    fn said(&mut self, open: &[(Task, String)]) -> Result<Vec<Said>, FleetError> {
        // A run calls `said` before it submits tasks, and `look` only after: the list is needed for the submission.
        let others = open.iter().filter(|(task, _)| !self.running.contains_key(&task.number));
        self.others = others.filter_map(|(_, handle)| trace_of(handle)).collect();
        self.files.of_ended(&self.site.folder, open)
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

#[cfg(test)]
mod tests {
    use fauxplat_launch::Capture;

    use super::*;
    use crate::folder::RunFolder;
    use crate::site::EngineOptions;

    /// Returns an engine that runs this script in place of fauxplat.
    fn local(runs: &std::path::Path, script: &str) -> Local {
        let folder = RunFolder::make(runs).unwrap();
        let site = Site { folder, order: String::new(), options: EngineOptions::default() };
        // Another process writes the script: a child of another test may inherit a file that this process has open for
        // writing, and such a file cannot be executed meanwhile.
        let line = r#"printf '%s' "$1" > "$2" && chmod 700 "$2""#;
        let path = site.own_program().display().to_string();
        let arguments = ["-c", line, "sh", script, &path].map(str::to_owned).into();
        let done = Capture { program: "/bin/sh".into(), arguments, ..Capture::default() }.run().unwrap();
        assert!(done.outcome.is_success());
        Local::new(2, site)
    }

    fn task(number: u32) -> Task {
        Task { number, node: format!("local-{}", number + 1), round: 0, attempt: 1, token: "t".into() }
    }

    /// Returns the handle of a started task, and a new engine that knows only the handle, as after a restart of
    /// fauxplat.
    fn begun(runs: &std::path::Path, script: &str) -> (String, Sent, Local) {
        let mut earlier = local(runs, script);
        let handle = earlier.hand_over(&[task(0)]).unwrap()[0].handle.clone().unwrap();
        let sent = earlier.running.remove(&0).unwrap();
        (handle, sent, Local::new(2, earlier.site.clone()))
    }

    fn wait(sent: &mut Sent) {
        while sent.ended().is_none() {
            std::thread::yield_now();
        }
    }

    /// Two nodes that measure on one machine at the same time would disturb each other.
    #[test]
    fn a_node_that_an_earlier_fauxplat_began_has_its_turn() {
        let runs = crate::private();
        let (handle, mut sent, mut local) = begun(runs.path(), "#!/bin/sh\nexec sleep 1000\n");
        let open = [(task(0), handle)];
        local.said(&open).unwrap();
        assert_eq!(local.hand_over(&[task(1)]).unwrap(), []);
        sent.trace.end();
        wait(&mut sent);
        assert_eq!(local.hand_over(&[task(1)]).unwrap().len(), 1);
        local.running.values().for_each(|sent| sent.trace.end());
        local.running.values_mut().for_each(wait);
    }

    #[test]
    fn what_a_node_complained_of_is_told_by_whoever_comes_later() {
        let runs = crate::private();
        let (handle, mut sent, mut local) =
            begun(runs.path(), "#!/bin/sh\necho no room in /tmp >&2; exit 3\n");
        wait(&mut sent);
        let standings = local.look(&[(task(0), handle)]).unwrap();
        assert!(
            matches!(&standings[0].1, TaskState::Failed(why) if why.starts_with("no room in /tmp (")),
            "{standings:?}"
        );
        assert_eq!(gone(None), TaskState::Done, "what is silent may have answered");
    }
}
