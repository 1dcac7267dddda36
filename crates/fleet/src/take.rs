//! Answers that somebody else collected: the logs of pods, or whatever a tool has written that fauxplat does not talk to.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_model::{Delivery, DeliveryState, NodeOrder, NodeRecord};
use fauxplat_sys::clock;

use crate::check::checked;
use crate::engine::Task;
use crate::folder::{RunFolder, is_uuid};
use crate::journal::Journal;
use crate::record::{Asked, AskedNode, Entry, JOURNAL};
use crate::wire::{Assembly, part};
use crate::{FleetError, ask, engine, site};

/// The order that stands in a manifest, or in any file: the word behind `--order`.
///
/// # Errors
/// There is none.
pub fn order_in(path: &Path) -> Result<NodeOrder, FleetError> {
    let refuse = |why: &str| FleetError::Record { path: path.to_owned(), why: why.to_owned() };
    let text = fs::read_to_string(path).map_err(FleetError::at(path))?;
    let rest =
        text.split_once("--order").ok_or_else(|| refuse("it holds no order of fauxplat (--order WORD)"))?.1;
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    let begin = rest.find(is_of_word).ok_or_else(|| refuse("nothing stands behind --order"))?;
    let word = rest[begin..].split(|c| !is_of_word(c)).next().unwrap_or_default();
    let order = site::unpacked(word).map_err(|error| refuse(&error.to_string()))?;
    match is_uuid(&order.fleet) {
        true => Ok(order),
        // It becomes the name of a folder.
        false => Err(refuse(&format!("its order is for the run {:?}, which is no UUID", order.fleet))),
    }
}

/// Keeps what stands in files, one for each node, as a run. What is in a file and is no answer is told.
///
/// # Errors
/// A file cannot be read, or the run cannot be kept.
pub fn take(folder: &RunFolder, mut asked: Asked, files: &[PathBuf]) -> Result<Asked, FleetError> {
    let _held = folder.hold()?;
    let mut journal = Journal::open(&folder.file(JOURNAL), |_: Entry| ())?;
    for (file, number) in files.iter().zip(0..) {
        let bytes = fs::read(file).map_err(FleetError::at(file))?;
        let (node, entry) = taken(&String::from_utf8_lossy(&bytes), file, number, &asked);
        journal.add(&Entry::Task(task(node.clone(), number)));
        journal.add(&entry);
        asked.nodes.push(AskedNode { name: node, unable: None });
    }
    journal.flush()?;
    // Last of all: a folder without it is no run.
    asked.keep(folder)?;
    Ok(asked)
}

fn task(node: String, number: u32) -> Task {
    Task { number, node, round: 0, attempt: 1, token: String::new() }
}

/// What a file holds: the node by its own name, and by that of the file where nothing else is known.
fn taken(text: &str, file: &Path, number: u32, asked: &Asked) -> (String, Entry) {
    let mut assembly = Assembly::default();
    for part in text.lines().filter_map(part) {
        assembly.add(part);
    }
    let of_file = || file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let trouble = |node: String, (state, why): (DeliveryState, String)| {
        let delivery = Delivery { node: node.clone(), round: 0, attempt: 1, state, reason: Some(why) };
        (node, Entry::Trouble { task: number, delivery, is_last: true })
    };
    let said = text.lines().rev().find_map(ask::one_line);
    let answer = match assembly.answer() {
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return trouble(of_file(), (DeliveryState::Garbage, error.to_string())),
        None => {
            let why = said.map_or("it is empty".to_owned(), |said| format!("no whole answer: {said:?}"));
            return trouble(of_file(), (DeliveryState::Garbage, why));
        }
    };
    let named = serde_json::from_str::<NodeRecord>(&answer).map(|record| record.node).unwrap_or_default();
    let node = if engine::is_plain(&named) { named } else { of_file() };
    let now_utc_ns = clock::realtime_ns() as i64;
    // Nobody knows when it was asked, so its clock is only known not to be ahead.
    match checked(&answer, &task(node.clone(), number), asked, (i64::MIN, now_utc_ns)) {
        Ok(record) => (node, Entry::Answer { task: number, record: Box::new(record) }),
        Err(refusal) => trouble(node, refusal),
    }
}

#[cfg(test)]
mod tests {
    use crate::site::Site;
    use crate::uuid;

    use super::*;

    #[test]
    fn an_order_names_its_run_by_a_uuid_or_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.json");
        let said = |fleet: &str| {
            let order = NodeOrder { fleet: fleet.to_owned(), ..NodeOrder::default() };
            let text = format!("[\"--order\", \"{}\"]", Site::packed(&order).unwrap());
            fs::write(&path, text).unwrap();
            order_in(&path).map(|order| order.fleet).map_err(|error| error.to_string())
        };
        let id = uuid().unwrap();
        assert_eq!(said(&id), Ok(id));
        for bad in ["", "../../pwned", "/tmp/pwned"] {
            assert!(said(bad).unwrap_err().contains("no UUID"), "{bad}");
        }
    }
}
