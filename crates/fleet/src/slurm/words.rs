//! Parses output of Slurm's programs, see `sinfo(1)`, `squeue(1)` and `scontrol(1)`.

use crate::ask::one_line;
use crate::engine::{self, Listed};

/// Format of `sinfo`: name of the node, its state, and the reason of the state, which is last since it may contain any
/// character.
pub(super) const NODE_FORMAT: &str = "%N|%T|%E";
/// Format of `squeue`: id of the job, its name, its state, and the reason of the state.
pub(super) const JOB_FORMAT: &str = "%i|%j|%T|%r";

/// Returns the nodes in the output of `sinfo`, each only once even if it is in several partitions.
pub fn nodes(text: &str) -> Vec<Listed> {
    let mut nodes: Vec<Listed> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for line in text.lines() {
        let mut words = line.splitn(3, '|');
        let (Some(name), Some(state)) = (words.next(), words.next()) else { continue };
        let name = name.trim();
        if !name.is_empty() && seen.insert(name.to_owned()) {
            nodes.push(engine::listed(name, unable(state.trim(), words.next().unwrap_or_default())));
        }
    }
    nodes
}

/// Returns why a job for a node in this state would not begin, in Slurm's own words. `None` for a node that is busy or
/// powered down, since such a node becomes available without intervention.
fn unable(state: &str, reason: &str) -> Option<String> {
    const UNABLE: [&str; 8] = ["down", "drain", "fail", "unknown", "inval", "future", "perfctrs", "error"];
    let plain = state.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    // A star means that the node does not respond, see `sinfo(1)` under "NODE STATE CODES".
    let is_silent = state.ends_with('*');
    let is_powered = plain.starts_with("power");
    let is_unable = is_silent || !is_powered && UNABLE.iter().any(|word| plain.contains(word));
    let reason = one_line(reason).filter(|reason| reason != "none");
    // Foreign text that is shown to the user must not contain control characters for the terminal.
    let plain = one_line(plain).unwrap_or_default();
    is_unable.then(|| match (reason, is_silent) {
        (Some(reason), _) => format!("Slurm says that it is {plain}: {reason}"),
        (None, true) => format!("Slurm says that it is {plain} and does not respond"),
        (None, false) => format!("Slurm says that it is {plain}"),
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Job id as printed by Slurm.
    pub id: String,
    pub name: String,
    /// State, in Slurm's word.
    pub state: String,
    /// Reason for which the job waits, in Slurm's words.
    pub reason: String,
}

impl Job {
    pub(super) fn number(&self) -> u64 {
        self.id.parse().unwrap_or_default()
    }
}

/// Parses a line of the output of `squeue`; `None` if it has too few fields.
pub fn job(line: &str) -> Option<Job> {
    let mut words = line.trim().splitn(4, '|').map(str::trim);
    let (id, name, state) = (words.next()?, words.next()?, words.next()?);
    let reason = one_line(words.next()?).unwrap_or_default();
    Some(Job { id: id.to_owned(), name: name.to_owned(), state: state.to_owned(), reason })
}

/// Returns whether a job that waits for this reason waits for a node that is not available, and would wait until an
/// administrator repairs the node.
pub fn is_hopeless(reason: &str) -> bool {
    const HOPELESS: [&str; 5] =
        ["ReqNodeNotAvail", "Nodes required for job are DOWN", "BadConstraints", "launch failed", "NodeDown"];
    HOPELESS.iter().any(|word| reason.contains(word))
}

/// Returns the exit status of a job's script, from the output of `scontrol show job`; `None` if there is none.
pub fn exit_code(text: &str) -> Option<u8> {
    let word = text.split_whitespace().find_map(|word| word.strip_prefix("ExitCode="))?;
    word.split(':').next()?.parse().ok()
}

/// Returns the architecture of a node, from the output of `scontrol show nodes`, which has one node per line; `None`
/// where it is unknown.
pub fn architecture(text: &str, node: &str) -> Option<String> {
    let is_it = |line: &&str| line.split_whitespace().next() == Some(&format!("NodeName={node}"));
    let line = text.lines().find(is_it)?;
    line.split_whitespace().find_map(|word| word.strip_prefix("Arch=")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_nodes_are_waited_for_and_broken_ones_are_told() {
        let text = "n1|idle|none\nn2|allocated|none\nn3|down*|Not responding\nn4|drained|bad DIMM | B2\nn1|idle|none\n\
                    n5|idle~|none\nn6|mixed-|none\nn7|idle*|none\n$(reboot)|idle|none\nn8|powered_down~|none\nn9|drain$|x\n";
        let nodes = nodes(text);
        let of = |name: &str| nodes.iter().find(|node| node.name == name).unwrap().unable.clone();
        assert_eq!(nodes.len(), 10);
        for able in ["n1", "n2", "n5", "n6", "n8"] {
            assert_eq!(of(able), None, "{able}");
        }
        assert_eq!(of("n3").unwrap(), "Slurm says that it is down: Not responding");
        assert_eq!(of("n4").unwrap(), "Slurm says that it is drained: bad DIMM | B2");
        assert_eq!(of("n7").unwrap(), "Slurm says that it is idle and does not respond");
        assert!(of("$(reboot)").unwrap().contains("name"));
    }

    #[test]
    fn jobs_end_and_wait_for_reasons() {
        let waits = job("  17|fauxplat-ab-3|PENDING|Nodes required for job are DOWN, DRAINED or reserved|x ")
            .unwrap();
        assert_eq!(
            (waits.number(), waits.name.as_str(), waits.state.as_str()),
            (17, "fauxplat-ab-3", "PENDING")
        );
        assert!(is_hopeless(&waits.reason) && !is_hopeless("Resources") && !is_hopeless("Licenses"));
        assert_eq!(job("slurm_load_jobs error"), None);
        assert_eq!(exit_code("JobId=3 JobName=x ExitCode=90:0 RunTime=1"), Some(90));
        assert_eq!(exit_code("JobId=3"), None);
    }

    #[test]
    fn the_architecture_is_that_of_the_node_itself() {
        let text = "NodeName=n1 Arch=x86_64 CPUs=1\nNodeName=n10 Arch=aarch64 CPUs=1\nNodeName=n2 CPUs=1\n";
        assert_eq!(architecture(text, "n10").unwrap(), "aarch64");
        assert_eq!(architecture(text, "n1").unwrap(), "x86_64");
        assert_eq!(architecture(text, "n2"), None, "one that never came up");
    }
}
