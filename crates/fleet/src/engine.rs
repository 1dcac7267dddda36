//! Interface of engines: programs of the user, such as Slurm or Ansible, that carry orders to machines. Queues,
//! retries, states of nodes and credentials are the engine's responsibility.

use crate::FleetError;
use fauxplat_model::Every;

/// A node (machine) as the engine lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    /// Why no measurement is possible on the node, in the words of the engine; `None` if the node is usable.
    pub unable: Option<String>,
}

/// A measurement that a node is asked for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Task {
    /// Number of the task within the run of the fleet, from 0.
    pub number: u32,
    pub node: String,
    /// Round of the run: 0 for the survey of all nodes, from 1 on for remeasurements of suspects.
    pub round: u32,
    /// Attempt within the round, from 1.
    pub attempt: u32,
    /// Random word that the answer has to repeat, so that no answer is attributed to another task by mistake.
    pub token: String,
}

/// State of a task, as far as the engine knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// The task has not begun, for this reason.
    Waiting(String),
    Running,
    /// The task continues under this other handle.
    Moved(String),
    /// The task has ended: its answer exists, or will appear as soon as the file system shows it.
    Done,
    /// The task has ended without an answer, for this reason.
    Failed(String),
    /// The engine does not know the task.
    Unknown,
}

/// Result of submitting a task to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedOver {
    pub task: u32,
    /// Handle by which the engine knows the task, such as the id of a job or process; or the reason why the engine
    /// refused the task.
    pub handle: Result<String, String>,
}

/// A line that a task printed: a part of its answer, or anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub task: u32,
    pub line: String,
}

pub trait Engine: std::fmt::Debug {
    /// Returns name and argument of the engine, as the user writes them after `--on`.
    fn words(&self) -> String;

    /// Returns all nodes that the engine knows.
    ///
    /// # Errors
    /// Fails where the engine is not installed, or does not answer.
    fn nodes(&self) -> Result<Vec<Listed>, FleetError>;

    /// Submits some tasks from the front of the list, and returns their handles. The caller repeats the call until no
    /// task remains, and reads answers in between.
    ///
    /// # Errors
    /// Fails where the engine does not answer; no task was submitted then.
    fn hand_over(&mut self, waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError>;

    /// Finds tasks among `waiting` that the engine has, since the response to their submission was lost.
    ///
    /// # Errors
    /// Fails where the engine does not answer, so that the state of the tasks is unknown.
    fn adopt(&mut self, _waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError> {
        Ok(Vec::new())
    }

    /// Returns the maximum number of submitted tasks that the engine runs at the same time, if it reports further tasks
    /// as running too; no limit for an engine that reports them as waiting.
    fn side_by_side(&self) -> usize {
        usize::MAX
    }

    /// Returns the states of submitted tasks that have not answered; each is given with its handle.
    ///
    /// # Errors
    /// Fails where the engine does not answer.
    fn look(&mut self, open: &[(Task, String)]) -> Result<Vec<(u32, TaskState)>, FleetError>;

    /// Returns lines that these tasks have printed since the last call; all lines after a restart of fauxplat.
    ///
    /// # Errors
    /// Fails where a file cannot be read.
    fn said(&mut self, open: &[(Task, String)]) -> Result<Vec<Said>, FleetError>;

    /// Cancels exactly these tasks.
    ///
    /// # Errors
    /// Fails where the engine does not answer.
    fn cancel(&mut self, open: &[(Task, String)]) -> Result<(), FleetError>;

    /// Returns the minimum interval between two queries of the engine, in milliseconds.
    fn pace_ms(&self) -> u64;

    /// Returns the maximum delay in milliseconds between the end of a task and the visibility of its answer: network
    /// file systems show files of other machines with a delay.
    fn grace_ms(&self) -> u64 {
        0
    }

    /// Returns whether all nodes get the same order, so that they share a token and do not know the names by which the
    /// engine calls them.
    fn tells_all_the_same(&self) -> bool {
        false
    }

    /// Returns lines for the user to enter, by which the engine's own scheduler runs a command again and again.
    fn schedule(&self, line: &str, every: Every) -> Vec<String>;
}

/// Returns whether a node's name can be passed to other programs unchanged. Names that engines list are foreign text; a
/// name that begins like an option, or has characters that a shell or a host list would interpret, is no host name.
pub(crate) fn is_plain(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty() && name.len() <= 255 && !name.starts_with(['-', '.']) && name.chars().all(fits)
}

/// Creates a listed node; a node whose name cannot be passed to other programs is unusable.
pub(crate) fn listed(name: &str, unable: Option<String>) -> Listed {
    let strange = || format!("its name {name:?} cannot be passed to other programs");
    let unable = if is_plain(name) { unable } else { Some(strange()) };
    Listed { name: name.to_owned(), unable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_shell_would_read_are_not_passed_on() {
        for good in ["n1", "rack-3.node_7.example.org", "10.0.0.1", "N"] {
            assert!(is_plain(good), "{good}");
        }
        let long = "n".repeat(300);
        for bad in
            ["", "-w", "a b", "$(reboot)", "`id`", "a;b", "n[1-3]", "a,b", "a\nb", "../x", "ü", "a'b", &long]
        {
            assert!(!is_plain(bad), "{bad}");
            assert!(listed(bad, None).unable.unwrap().contains("name"), "{bad}");
        }
        assert_eq!(listed("n1", None).unable, None);
    }
}
