//! What carries plans to machines: whoever is installed already. Queues, retries, states of nodes and credentials stay
//! there; here is only what is asked of it and what it says.

use crate::FleetError;
use fauxplat_model::Every;

/// A node as the engine lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What the engine calls it.
    pub name: String,
    /// Why nothing can be measured there, in the words of the engine.
    pub unable: Option<String>,
}

/// One measurement on one node.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Task {
    /// Its number in the run, from 0.
    pub number: u32,
    /// On which node.
    pub node: String,
    /// Which round: 0 for the survey of all nodes, from 1 on for those of suspects.
    pub round: u32,
    /// Which attempt at that round, from 1.
    pub attempt: u32,
    /// What its answer has to say, so that nobody answers for another by mistake.
    pub token: String,
}

/// How a task stands, as far as the engine knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It has not begun, and why.
    Waiting(String),
    /// It runs.
    Running,
    /// It goes on under another handle.
    Moved(String),
    /// It is over: its answer is there, or will be as soon as the file system shows it.
    Done,
    /// It is over, and there will be no answer, and why.
    Failed(String),
    /// The engine knows nothing of it.
    Unknown,
}

/// A task that was handed over, and by which words the engine knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedOver {
    /// The number of the task.
    pub task: u32,
    /// A job's number, or a process; or why the engine did not take it.
    pub handle: Result<String, String>,
}

/// A line that a task wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The number of the task.
    pub task: u32,
    /// The line.
    pub line: String,
}

/// An engine.
pub trait Engine: std::fmt::Debug {
    /// Its name and what it was told, as after `--on`.
    fn words(&self) -> String;

    /// The nodes that it knows.
    ///
    /// # Errors
    /// It is not installed, or does not answer.
    fn nodes(&self) -> Result<Vec<Listed>, FleetError>;

    /// Takes a few tasks off the front, hands them over and says what became of each. It is asked again until none is left, so
    /// that answers are looked for meanwhile.
    ///
    /// # Errors
    /// It does not answer at all. Nothing was handed over then.
    fn hand_over(&mut self, waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError>;

    /// Those of the waiting tasks that were handed over although nobody said so, as when the answer to a submission was
    /// lost.
    ///
    /// # Errors
    /// It does not answer, and so it is not known.
    fn adopt(&mut self, _waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError> {
        Ok(Vec::new())
    }

    /// How many of the tasks that are handed over at once go on side by side, where nobody is told that the others wait.
    fn side_by_side(&self) -> usize {
        usize::MAX
    }

    /// How tasks stand that were handed over and have not answered.
    ///
    /// # Errors
    /// It does not answer.
    fn look(&mut self, open: &[(Task, String)]) -> Result<Vec<(u32, Standing)>, FleetError>;

    /// What tasks wrote since the last time; after a new start, everything.
    ///
    /// # Errors
    /// A file cannot be read.
    fn said(&mut self, open: &[(Task, String)]) -> Result<Vec<Said>, FleetError>;

    /// Takes back what was handed over: these tasks and nobody else's.
    ///
    /// # Errors
    /// It does not answer.
    fn cancel(&mut self, open: &[(Task, String)]) -> Result<(), FleetError>;

    /// How often it may be asked, in milliseconds.
    fn pace_ms(&self) -> u64;

    /// How long an answer may take to be seen after its task is over, in milliseconds: file systems over a network show what
    /// was written elsewhere with a delay.
    fn grace_ms(&self) -> u64 {
        0
    }

    /// Whether one order goes to all nodes at once, so that they share a token and do not know what they are called here.
    fn tells_all_the_same(&self) -> bool {
        false
    }

    /// The lines by which its own means repeat a command every so often, for whoever has to enter them.
    fn schedule(&self, line: &str, every: Every) -> Vec<String>;
}

/// Whether a name can be passed to other programs as it is: what engines list is foreign text, and a name that begins like
/// an option, or holds what a shell or a list of hosts would read, is none of a host.
pub(crate) fn is_plain(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty() && name.len() <= 255 && !name.starts_with(['-', '.']) && name.chars().all(fits)
}

/// The same for a node that was listed: one with another name is not asked.
pub(crate) fn listed(name: &str, unable: Option<String>) -> Listed {
    let strange = || format!("its name {name:?} is none that can be passed on");
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
