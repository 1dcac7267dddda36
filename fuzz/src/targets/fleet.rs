//! Answers of a fleet's nodes (lines between banners, and the records in them), the files of a run's folder, and the
//! output of Slurm.

use std::fs;

use fauxplat_analyze::fleet::{FleetQuestion, fleet_compare, fleet_findings, fleet_watch, visit};
use fauxplat_fleet::slurm::words as slurm;
use fauxplat_fleet::wire::{self, Assembly};
use fauxplat_fleet::{Asked, FleetError, RunFolder, Task, checked, evidence, order_in, unpacked};
use fauxplat_model::{FleetEvidence, Metric, NodeOrder, NodePlan, NodeRecord};

/// For the mutator of lines.
pub(crate) const ANSWER_WORDS: &[&str] =
    &["fauxplat-answer/1 ", " 1/1 ", " 2/3 ", "0/0", "32768/32768", "00000000", "KLUv/", "==", "\n", "n1: "];

/// For the mutator of records.
pub(crate) const RECORD_WORDS: &[&str] = &[
    "\"blocks\":[",
    "\"values\":{\"wall\":[",
    "\"commands\":[0,1]",
    "\"answers\":[",
    "\"facts\":{",
    "\"started_utc_ns\":",
    "-9223372036854775808",
    "18446744073709551615",
    "null",
    "0",
    "{}",
];

/// For the mutator of folders.
pub(crate) const FOLDER_WORDS: &[&str] = &[
    "{\"schema\":\"fauxplat.fleet-run/1\",",
    "\"options\":{",
    "\"order\":{",
    "\"nodes\":[",
    "{\"task\":{\"number\":0,",
    "{\"handed\":{\"task\":0,",
    "{\"answer\":{\"task\":0,\"record\":",
    "{\"trouble\":{\"task\":0,\"delivery\":",
    "{\"again\":",
    "\"--order\", \"",
    "|idle|none\n",
    "|down*|Not responding\n",
    "|PENDING|",
    "NodeName=n1 Arch=",
    "ExitCode=",
    "\n",
];

/// Printed lines: the collected answer is bounded in size, and an answer that is sent is received unchanged.
pub(crate) fn answers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut assembly = Assembly::default();
    for part in text.lines().filter_map(wire::part) {
        assembly.add(part);
        let (have, of) = assembly.counts();
        assert!(have <= of);
    }
    if let Some(Ok(answer)) = assembly.answer() {
        assert!(answer.len() <= 64 << 20);
    }
    let _refused = wire::unpacked_word(text.trim());
    let Ok(lines) = wire::lines("token", &text) else { return };
    let mut whole = Assembly::default();
    for line in &lines {
        whole.add(wire::part(&format!("n1: {line}\r")).expect("a line of ours is a part"));
    }
    // An empty answer has no parts to lose.
    if let Some(answer) = whole.answer() {
        assert_eq!(answer.expect("it is whole"), text);
    }
}

/// A foreign record among those of nine nodes that agree: it is refused, or judged.
pub(crate) fn records(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let plan = NodePlan { definition_sha256: "ab".into(), seed: 7 };
    let order = NodeOrder { fleet: "f".into(), plan, fauxplat_version: "1.0".into(), ..NodeOrder::default() };
    let asked = Asked { order, ..Asked::default() };
    let task = Task { number: 0, node: "n1".into(), round: 0, attempt: 1, token: "t".into() };
    let taken = checked(&text, &task, &asked, (0, 1_000_000_000));
    // A record that the envelope's checks refuse may still be in the file of an earlier run.
    let read = || serde_json::from_str::<NodeRecord>(&text).ok();
    let Some(stranger) = taken.ok().or_else(read) else { return };
    let of = |at: usize| NodeRecord { node: format!("n{at}"), ..like(&stranger, at) };
    let records: Vec<NodeRecord> = [stranger.clone()].into_iter().chain((2..11).map(of)).collect();
    let evidence =
        FleetEvidence { records, commands: vec!["a".into(), "b".into()], ..FleetEvidence::default() };
    let question = FleetQuestion::of(Metric::WALL, 1);
    let visits: Vec<_> = evidence.records.iter().filter_map(|record| visit(record, &question)).collect();
    let told = (
        serde_json::to_string(&fleet_findings(&evidence, &question)),
        serde_json::to_string(&fleet_compare(&evidence, &question)),
        serde_json::to_string(&fleet_watch(&visits, "a", &question)),
    );
    assert!(told.0.is_ok() && told.1.is_ok() && told.2.is_ok());
}

/// A node with the foreign record's measurements and slightly different times.
fn like(stranger: &NodeRecord, at: usize) -> NodeRecord {
    let mut record = stranger.clone();
    for value in record.blocks.iter_mut().flat_map(|block| block.values.values_mut()).flatten() {
        *value = value.map(|value| value.wrapping_add(at as u64));
    }
    record
}

thread_local! {
    /// The folder of a run, shared by all inputs of this thread, and the folder of all runs.
    static RUN: (tempfile::TempDir, RunFolder) = {
        let runs = super::folder();
        let folder = RunFolder::make(runs.path()).expect("a folder for a run");
        (runs, folder)
    };
}

/// The text as each file of a run, as a manifest, and as output of Slurm. The journal is tried as it is, and again with
/// correct checksums, so that the code behind them is reached too.
pub(crate) fn folders(bytes: &[u8]) {
    RUN.with(|(_runs, folder)| {
        let asked = kept(folder, bytes);
        for journal in [bytes.to_vec(), sealed(bytes)] {
            fs::write(folder.path().join("journal"), &journal).expect("a journal");
            let lines = journal.iter().filter(|&&byte| byte == b'\n').count();
            match evidence(folder, &asked, &["wall"]) {
                Ok(found) => assert!(found.records.len() <= lines),
                Err(error) => in_a_line(&error),
            }
        }
        manifest(folder, bytes);
    });
    let text = String::from_utf8_lossy(bytes);
    slurm_says(&text);
}

/// The description of a run; writing and reading it again must not change it.
fn kept(folder: &RunFolder, bytes: &[u8]) -> Asked {
    fs::write(folder.path().join("run.json"), bytes).expect("a file of the run");
    match Asked::read(folder) {
        Ok(asked) => {
            asked.keep(folder).expect("it is kept again");
            let again = Asked::read(folder).expect("what was kept is read");
            assert_eq!(again, asked);
            assert!(asked.able().len() <= asked.nodes.len());
            asked
        }
        Err(error) => {
            in_a_line(&error);
            Asked::default()
        }
    }
}

/// Lines with the checksums of a journal; bytes after the last line end are cut off.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let (whole, rest) = text.rsplit_once('\n').unwrap_or(("", &text));
    let seal = |line: &str| format!("{:08x} {line}\n", crc32fast::hash(line.as_bytes()));
    (whole.lines().map(seal).collect::<String>() + rest).into_bytes()
}

/// An order within any text; packing it again gives the same order.
fn manifest(folder: &RunFolder, bytes: &[u8]) {
    let path = folder.path().join("manifest");
    fs::write(&path, bytes).expect("a manifest");
    match order_in(&path) {
        Ok((order, _)) => {
            let word = fauxplat_fleet::Site::packed(&order).expect("it was a word before");
            assert_eq!(unpacked(&word).expect("a word of ours"), order);
        }
        Err(error) => in_a_line(&error),
    }
}

fn in_a_line(error: &FleetError) {
    let said = error.to_string();
    assert!(!said.is_empty() && !said.contains('\n'), "one line: {said:?}");
}

/// Output of `sinfo`, `squeue` and `scontrol`. No message contains control characters, and a name with more than a host
/// name's characters is not asked.
fn slurm_says(text: &str) {
    let nodes = slurm::nodes(text);
    for node in &nodes {
        assert!(!node.name.is_empty() && node.name.trim() == node.name);
        let is_harmless = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        assert!(node.unable.is_some() || node.name.chars().all(is_harmless), "{node:?}");
        assert!(node.unable.as_ref().is_none_or(|why| !why.contains(char::is_control)), "{node:?}");
        if let Some(architecture) = slurm::architecture(text, &node.name) {
            assert!(text.contains(&format!("Arch={architecture}")));
        }
    }
    for job in text.lines().filter_map(slurm::job) {
        assert!(!job.reason.contains(char::is_control), "{job:?}");
        slurm::is_hopeless(&job.reason);
    }
    slurm::exit_code(text);
}
