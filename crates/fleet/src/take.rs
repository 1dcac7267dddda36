//! Imports answers that were collected without an engine: logs of pods, or output of another tool.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use fauxplat_model::{Delivery, DeliveryState, NodeOrder, NodeRecord, Remeasurement};
use fauxplat_sys::clock;
use fauxplat_sys::text::{read_bytes, read_text};

use crate::check::checked;
use crate::engine::Task;
use crate::folder::{RunFolder, is_uuid};
use crate::journal::Journal;
use crate::record::{Asked, AskedNode, Entry, JOURNAL};
use crate::wire::{Assembly, TEXT_BYTES_MAX, part};
use crate::{FleetError, ask, engine, site};

/// Maximum size of a manifest in bytes: the order in it is a command-line argument, which is much shorter.
const MANIFEST_BYTES_MAX: usize = 4 << 20;

/// Returns the order (what to measure) in a manifest or any other file, which is the word after `--order`, and the
/// number of nodes that a manifest asks for (`completions`); `None` if there is no such number.
///
/// # Errors
/// Fails where the file contains no order.
pub fn order_in(path: &Path) -> Result<(NodeOrder, Option<u32>), FleetError> {
    let refuse = |why: &str| FleetError::Record { path: path.to_owned(), why: why.to_owned() };
    let text = read_text(path, MANIFEST_BYTES_MAX).map_err(FleetError::at(path))?;
    let rest =
        text.split_once("--order").ok_or_else(|| refuse("the manifest holds no order (--order WORD)"))?.1;
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    let begin = rest.find(is_of_word).ok_or_else(|| refuse("nothing stands behind --order"))?;
    let word = rest[begin..].split(|c| !is_of_word(c)).next().unwrap_or_default();
    let order = site::unpacked(word).map_err(|error| refuse(&error.to_string()))?;
    match is_uuid(&order.fleet) {
        true => Ok((order, completions(&text))),
        // The id becomes the name of a folder, so it has to be a UUID.
        false => Err(refuse(&format!("the order is for the run {:?}, which is no UUID", order.fleet))),
    }
}

/// Returns the number after `completions`, in JSON or YAML.
fn completions(text: &str) -> Option<u32> {
    let behind = |rest: &str| {
        let rest = rest.trim_start_matches('"').trim_start().strip_prefix(':')?.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    text.split("completions").skip(1).find_map(behind)
}

/// Returns the round of a manifest: the number after `--round`; 0 for the survey.
///
/// # Errors
/// Fails where the file cannot be read.
pub fn round_in(path: &Path) -> Result<u32, FleetError> {
    let text = read_text(path, MANIFEST_BYTES_MAX).map_err(FleetError::at(path))?;
    let rest = text.split_once("--round").map_or("", |(_, rest)| rest);
    let digits: String =
        rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    Ok(digits.parse().unwrap_or(0))
}

/// Records the plan by which suspects are measured again, unless a plan is already recorded, since later answers would
/// lead to a different plan.
///
/// # Errors
/// Fails where another process has the run, or where the plan cannot be recorded.
pub fn settle(folder: &RunFolder, again: &Remeasurement) -> Result<(), FleetError> {
    let _held = folder.hold()?;
    let mut is_settled = false;
    let mut journal = Journal::open(&folder.file(JOURNAL), |entry: Entry| {
        is_settled |= matches!(entry, Entry::Again(_));
    })?;
    if !is_settled {
        journal.add(&Entry::Again(again.clone()));
    }
    journal.flush()
}

/// Adds answers of a remeasurement round from files to a run. An answer of a node that is not in the round, or has
/// already answered, is recorded as a failed delivery.
///
/// # Errors
/// Fails where a file cannot be read, or where the run cannot be written.
pub fn take_round(
    folder: &RunFolder,
    asked: &Asked,
    round: u32,
    files: &[PathBuf],
) -> Result<(), FleetError> {
    let _held = folder.hold()?;
    let (mut tasks, mut answered, mut planned) = (0, HashSet::new(), HashSet::new());
    let mut journal = Journal::open(&folder.file(JOURNAL), |entry: Entry| match entry {
        Entry::Task(task) => tasks = tasks.max(task.number + 1),
        Entry::Answer { record, .. } if record.round == round => drop(answered.insert(record.node)),
        Entry::Again(again) => {
            planned.extend(again.rounds.get(round.wrapping_sub(1) as usize).into_iter().flatten().cloned());
        }
        _ => {}
    })?;
    for (file, number) in files.iter().zip(tasks..) {
        let bytes = read_bytes(file, TEXT_BYTES_MAX).map_err(FleetError::at(file))?;
        let (node, mut entry) = taken(&String::from_utf8_lossy(&bytes), file, (number, round), asked);
        if matches!(entry, Entry::Answer { .. }) {
            let refused = match (planned.contains(&node), answered.insert(node.clone())) {
                (false, _) => {
                    Some((DeliveryState::Garbage, format!("the plan of round {round} lacks this node")))
                }
                (true, false) => {
                    let why = format!("{} is a second answer of this node; the first counts", file.display());
                    Some((DeliveryState::Twice, why))
                }
                (true, true) => None,
            };
            entry = refused.map_or(entry, |refused| trouble(node.clone(), (number, round), refused));
        }
        journal.add(&Entry::Task(task(node, (number, round))));
        journal.add(&entry);
    }
    journal.flush()
}

/// Stores the content of files, one for each node, as a run. A file without a valid answer is recorded as a failed
/// delivery.
///
/// # Errors
/// Fails where a file cannot be read, or where the run cannot be written.
pub fn take(folder: &RunFolder, mut asked: Asked, files: &[PathBuf]) -> Result<Asked, FleetError> {
    let _held = folder.hold()?;
    let mut journal = Journal::open(&folder.file(JOURNAL), |_: Entry| ())?;
    let mut answered = HashSet::new();
    for (file, number) in files.iter().zip(0..) {
        let bytes = read_bytes(file, TEXT_BYTES_MAX).map_err(FleetError::at(file))?;
        let (node, mut entry) = taken(&String::from_utf8_lossy(&bytes), file, (number, 0), &asked);
        if matches!(entry, Entry::Answer { .. }) && !answered.insert(node.clone()) {
            let why = format!("{} is a second answer of this node; the first counts", file.display());
            entry = trouble(node.clone(), (number, 0), (DeliveryState::Twice, why));
        }
        journal.add(&Entry::Task(task(node.clone(), (number, 0))));
        journal.add(&entry);
        if !asked.nodes.iter().any(|known| known.name == node) {
            asked.nodes.push(AskedNode { name: node, unable: None });
        }
    }
    journal.flush()?;
    // The request is written last, since a folder without a request is no run.
    asked.keep(folder)?;
    Ok(asked)
}

/// Creates the task to which an imported file is the answer.
fn task(node: String, (number, round): (u32, u32)) -> Task {
    Task { number, node, round, attempt: 1, token: String::new() }
}

fn trouble(node: String, (number, round): (u32, u32), (state, why): (DeliveryState, String)) -> Entry {
    let delivery = Delivery { node, round, attempt: 1, state, reason: Some(why) };
    Entry::Trouble { task: number, delivery, is_last: true }
}

/// Parses the content of a file, and returns the name of the node and the journal entry. The name is the one in the
/// answer, or that of the file if the answer has none.
fn taken(text: &str, file: &Path, place: (u32, u32), asked: &Asked) -> (String, Entry) {
    let mut assembly = Assembly::default();
    for part in text.lines().filter_map(part) {
        assembly.add(part);
    }
    let of_file = || file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let trouble = |node: String, refusal| (node.clone(), trouble(node, place, refusal));
    let said = text.lines().rev().find_map(ask::one_line);
    let answer = match assembly.answer() {
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return trouble(of_file(), (DeliveryState::Garbage, error.to_string())),
        None => {
            let why = said.map_or("the log is empty".to_owned(), |said| format!("no whole answer: {said:?}"));
            return trouble(of_file(), (DeliveryState::Garbage, why));
        }
    };
    let named = serde_json::from_str::<NodeRecord>(&answer).map(|record| record.node).unwrap_or_default();
    let node = if engine::is_plain(&named) { named } else { of_file() };
    let now_utc_ns = clock::realtime_ns() as i64;
    // The time at which the node got its order is unknown, so a clock that is behind cannot be corrected.
    match checked(&answer, &task(node.clone(), place), asked, (i64::MIN, now_utc_ns)) {
        Ok(record) => (node, Entry::Answer { task: place.0, record: Box::new(record) }),
        Err(refusal) => trouble(node, refusal),
    }
}

#[cfg(test)]
mod tests {
    use crate::site::Site;
    use crate::uuid;

    use super::*;

    /// The second log of a node is a second answer to one task, and no further measurement.
    #[test]
    fn of_two_logs_of_one_node_the_first_counts() {
        let runs = crate::private();
        let folder = RunFolder::make(runs.path()).unwrap();
        let record = NodeRecord {
            schema: NodeRecord::SCHEMA.to_owned(),
            node: "n1".to_owned(),
            attempt: 1,
            ..NodeRecord::default()
        };
        let lines = crate::wire::lines("token", &serde_json::to_string(&record).unwrap()).unwrap().join("\n");
        let log = |name: &str| {
            let path = runs.path().join(name);
            std::fs::write(&path, &lines).unwrap();
            path
        };
        let asked = take(&folder, Asked::default(), &[log("a.log"), log("b.log")]).unwrap();
        assert_eq!(asked.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["n1"]);
        let evidence = crate::evidence(&folder, &asked, &[]).unwrap();
        assert_eq!(evidence.records.len(), 1, "{evidence:?}");
        let told = &evidence.deliveries[0];
        assert!(told.state == DeliveryState::Twice, "{told:?}");
        assert!(told.reason.as_ref().unwrap().contains("b.log"), "{told:?}");
    }

    /// The log of a pod may be of any length.
    #[test]
    fn a_log_without_end_is_refused() {
        let runs = crate::private();
        let folder = RunFolder::make(runs.path()).unwrap();
        let said = |error: FleetError| error.to_string();
        let endless = [PathBuf::from("/dev/zero")];
        assert!(take(&folder, Asked::default(), &endless).map_err(said).unwrap_err().contains("longer than"));
        assert!(order_in(&endless[0]).map_err(said).unwrap_err().contains("longer than 4 MiB"));
    }

    /// Nodes without a log have no name, but were part of the request, so they are reported as missing.
    #[test]
    fn whoever_gave_no_log_is_missing() {
        assert_eq!(completions(r#"{"completionMode": "Indexed", "completions": 20}"#), Some(20));
        assert_eq!(completions("completionMode: Indexed\ncompletions: 7\n"), Some(7));
        assert_eq!(completions("{}"), None);
        let runs = crate::private();
        let folder = RunFolder::make(runs.path()).unwrap();
        let log = runs.path().join("a.log");
        std::fs::write(&log, "panic\n").unwrap();
        let asked = Asked { completions: Some(3), ..Asked::default() };
        let asked = take(&folder, asked, &[log]).unwrap();
        let evidence = crate::evidence(&folder, &asked, &[]).unwrap();
        let nodes: Vec<&str> = evidence.deliveries.iter().map(|it| it.node.as_str()).collect();
        assert_eq!(nodes, ["a", "unnamed-2", "unnamed-3"]);
    }

    #[test]
    fn an_order_names_its_run_by_a_uuid_or_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.json");
        let said = |fleet: &str| {
            let order = NodeOrder { fleet: fleet.to_owned(), ..NodeOrder::default() };
            let text = format!("[\"--order\", \"{}\"]", Site::packed(&order).unwrap());
            std::fs::write(&path, text).unwrap();
            order_in(&path).map(|(order, _)| order.fleet).map_err(|error| error.to_string())
        };
        let id = uuid().unwrap();
        assert_eq!(said(&id), Ok(id));
        for bad in ["", "../../pwned", "/tmp/pwned"] {
            assert!(said(bad).unwrap_err().contains("no UUID"), "{bad}");
        }
    }
}
