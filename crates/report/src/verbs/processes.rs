//! Pieces for the process tree of a command.

use std::collections::HashMap;

use fauxplat_model::{Metric, Outcome, Process};

use crate::parts::{Branch, Part, Piece, Tone, Tree};
use crate::words::{counted, quantity, visible};

/// The process tree with its title; empty unless it was requested.
pub(super) fn pieces(processes: &[Process]) -> Vec<Piece> {
    if processes.is_empty() {
        return Vec::new();
    }
    let tree = Tree::Columns {
        header: vec!["process", "pid", "parent", "CPU time", "wall time", "peak memory", "threads", "ended"],
        dispensable: vec![6, 2, 7],
        branches: ordered(processes).into_iter().map(|(depth, process)| branch(depth, process)).collect(),
    };
    vec![Piece::heading(title(processes.len())).at(1).joined(), Piece::new(Part::Tree(tree)).joined()]
}

/// Title of the process tree, which has `listed` processes. A list of the maximum length is called incomplete.
fn title(listed: usize) -> String {
    let first = if listed < Process::LISTED_MAX { "" } else { "the first " };
    format!("process tree: {first}{}", counted(listed, "process", "processes"))
}

fn branch(depth: usize, process: &Process) -> Branch {
    let tone = if process.outcome.is_none() { Tone::Doubt } else { Tone::Plain };
    let beside = vec![
        process.pid.to_string(),
        process.parent.to_string(),
        quantity(Metric::CPU, process.cpu_ns as f64),
        quantity(Metric::WALL, process.wall_ns as f64),
        quantity(Metric::PEAK_MEMORY, process.peak_memory_bytes as f64),
        process.threads.to_string(),
        ended(process.outcome),
    ];
    Branch { tone, depth, text: visible(&process.command), beside }
}

fn ended(outcome: Option<Outcome>) -> String {
    match outcome {
        None => "left behind".to_owned(),
        Some(Outcome::Exited(status)) => format!("status {status}"),
        Some(Outcome::Signaled(signal)) => format!("signal {signal}"),
        Some(Outcome::TimedOut) => "timed out".to_owned(),
    }
}

/// The processes with their depth, each after its parent. In a damaged record a pid may occur twice and parents may
/// form a cycle, so each process is visited only once.
fn ordered(processes: &[Process]) -> Vec<(usize, &Process)> {
    let mut children: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, process) in processes.iter().enumerate().rev() {
        children.entry(process.parent).or_default().push(index);
    }
    let known: HashMap<u32, usize> =
        processes.iter().enumerate().map(|(index, it)| (it.pid, index)).collect();
    let is_root = |index: &usize| !known.contains_key(&processes[*index].parent);
    let (roots, others): (Vec<usize>, Vec<usize>) = (0..processes.len()).partition(is_root);
    let mut visited = vec![false; processes.len()];
    let mut order = Vec::with_capacity(processes.len());
    for start in roots.into_iter().chain(others) {
        let mut stack = vec![(0, start)];
        while let Some((depth, index)) = stack.pop() {
            if !std::mem::replace(&mut visited[index], true) {
                order.push((depth, &processes[index]));
                let below = children.get(&processes[index].pid).into_iter().flatten();
                stack.extend(below.map(|&child| (depth + 1, child)));
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, parent: u32) -> Process {
        let outcome = Some(Outcome::Exited(0));
        Process {
            pid,
            parent,
            command: String::new(),
            cpu_ns: 0,
            wall_ns: 0,
            peak_memory_bytes: 0,
            threads: 1,
            outcome,
        }
    }

    #[test]
    fn children_follow_their_parents() {
        let tree = [process(1, 0), process(2, 1), process(3, 1), process(4, 2)];
        let order: Vec<_> = ordered(&tree).into_iter().map(|(depth, it)| (depth, it.pid)).collect();
        assert_eq!(order, [(0, 1), (1, 2), (2, 4), (1, 3)]);
    }

    /// The title of a list of the maximum length must not let it seem complete.
    #[test]
    fn a_list_that_is_as_long_as_it_may_be_is_called_the_first() {
        assert!(title(Process::LISTED_MAX).starts_with("process tree: the first 10000"));
        assert!(title(2).starts_with("process tree: 2"));
    }

    #[test]
    fn circles_and_repeated_pids_lose_nobody() {
        let tree = [process(1, 2), process(2, 1), process(3, 3), process(5, 0), process(5, 5)];
        assert_eq!(ordered(&tree).len(), tree.len());
    }
}
