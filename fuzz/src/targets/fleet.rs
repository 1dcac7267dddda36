//! What nodes of a fleet send home: lines between banners, and the records in them.

use fauxplat_analyze::fleet::{FleetQuestion, fleet_compare, fleet_findings, fleet_watch, visit};
use fauxplat_fleet::wire::{self, Assembly};
use fauxplat_fleet::{Asked, Task, checked};
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

/// Lines that somebody printed: what is put together is bounded, and what is sent is what comes.
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

/// A record of a stranger among those of nine nodes that agree: it is refused, or judged.
pub(crate) fn records(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let plan = NodePlan { definition_sha256: "ab".into(), seed: 7 };
    let order = NodeOrder { fleet: "f".into(), plan, fauxplat_version: "1.0".into(), ..NodeOrder::default() };
    let asked = Asked { order, ..Asked::default() };
    let task = Task { number: 0, node: "n1".into(), round: 0, attempt: 1, token: "t".into() };
    let taken = checked(&text, &task, &asked, (0, 1_000_000_000));
    // What the envelope refuses may come from an earlier run that is read again.
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

/// A node that measured as the stranger did, and whose times are a little different.
fn like(stranger: &NodeRecord, at: usize) -> NodeRecord {
    let mut record = stranger.clone();
    for value in record.blocks.iter_mut().flat_map(|block| block.values.values_mut()).flatten() {
        *value = value.map(|value| value.wrapping_add(at as u64));
    }
    record
}
