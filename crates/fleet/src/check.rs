//! Checks whether the answer of a node is acceptable. A node is untrusted: its record may belong to another node or
//! another version, have wrong times, or be damaged.

use fauxplat_model::{DeliveryState, NodeRecord};

use crate::ask::one_line;
use crate::engine::Task;
use crate::record::Asked;

/// Largest clock skew, in nanoseconds, that is not corrected; clocks that are synchronised over a network differ by
/// less.
const SKEW_NS: i64 = 60_000_000_000;

/// Reason why an answer is not accepted: the state of its delivery, and one line that can be shown on a terminal.
pub type Refusal = (DeliveryState, String);

/// Returns the record in the answer to a task. If the node's clock is wrong, the record's times are corrected by
/// `times`: the time at which the task was submitted, and the present time, in nanoseconds of UTC.
///
/// # Errors
/// Returns the reason why the answer is not accepted.
pub fn checked(text: &str, task: &Task, asked: &Asked, times: (i64, i64)) -> Result<NodeRecord, Refusal> {
    // Reasons quote text of the node, so they are made safe for a terminal.
    taken(text, task, asked, times).map_err(|(state, why)| (state, one_line(&why).unwrap_or_default()))
}

fn taken(
    text: &str,
    task: &Task,
    asked: &Asked,
    (handed_utc_ns, now_utc_ns): (i64, i64),
) -> Result<NodeRecord, Refusal> {
    let garbage = |why: String| (DeliveryState::Garbage, why);
    let mut record: NodeRecord = serde_json::from_str(text).map_err(|error| garbage(error.to_string()))?;
    if record.schema != NodeRecord::SCHEMA {
        return Err(garbage(format!("its schema is {:?}, and not {}", record.schema, NodeRecord::SCHEMA)));
    }
    if record.fauxplat_version != asked.order.fauxplat_version {
        let (theirs, ours) = (&record.fauxplat_version, &asked.order.fauxplat_version);
        return Err((DeliveryState::Failed, format!("fauxplat {theirs} answered, and {ours} is needed")));
    }
    if record.fleet != asked.order.fleet || record.plan != asked.order.plan {
        return Err(garbage("its answer is for another run".to_owned()));
    }
    if !record.node.is_empty() && record.node != task.node {
        return Err((DeliveryState::ForAnother, format!("its answer is of a node called {:?}", record.node)));
    }
    if (record.round, record.attempt) != (task.round, task.attempt) {
        return Err(garbage(format!("its answer is for round {}, attempt {}", record.round, record.attempt)));
    }
    record.node.clone_from(&task.node);
    set_clock_right(&mut record, handed_utc_ns, now_utc_ns);
    Ok(record)
}

/// Corrects the times of a record: a node cannot have begun before its task was submitted, nor ended after its answer
/// arrived.
fn set_clock_right(record: &mut NodeRecord, handed_utc_ns: i64, now_utc_ns: i64) {
    let early_ns = handed_utc_ns.saturating_sub(record.started_utc_ns);
    let late_ns = record.ended_utc_ns.saturating_sub(now_utc_ns);
    let ahead_ns = match (late_ns > SKEW_NS, early_ns > SKEW_NS) {
        (true, _) => late_ns,
        (false, true) => -early_ns,
        (false, false) => return,
    };
    record.started_utc_ns = record.started_utc_ns.saturating_sub(ahead_ns);
    record.ended_utc_ns = record.ended_utc_ns.saturating_sub(ahead_ns);
    let way = if ahead_ns > 0 { "ahead" } else { "behind" };
    record
        .noise
        .warnings
        .push(format!("its clock is {} {way}, which was set right here", words(ahead_ns.unsigned_abs())));
}

/// Returns a duration in nanoseconds as text, rounded down to a suitable unit.
fn words(ns: u64) -> String {
    let s = ns / 1_000_000_000;
    match s {
        0..120 => format!("{s} s"),
        120..7200 => format!("{} min", s / 60),
        7200..172_800 => format!("{} h", s / 3600),
        _ => format!("{} days", s / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_model::{NodeOrder, NodePlan};

    use super::*;

    const S: i64 = 1_000_000_000;

    fn asked() -> Asked {
        let plan = NodePlan { definition_sha256: "ab".into(), seed: 7 };
        let order =
            NodeOrder { fleet: "f".into(), plan, fauxplat_version: "1.0".into(), ..NodeOrder::default() };
        Asked { order, ..Asked::default() }
    }

    fn task() -> Task {
        Task { number: 0, node: "n1".into(), round: 0, attempt: 1, token: "t".into() }
    }

    fn record() -> NodeRecord {
        let asked = asked();
        NodeRecord {
            schema: NodeRecord::SCHEMA.into(),
            fleet: "f".into(),
            node: "n1".into(),
            plan: asked.order.plan,
            attempt: 1,
            fauxplat_version: "1.0".into(),
            started_utc_ns: 1000 * S,
            ended_utc_ns: 1010 * S,
            ..NodeRecord::default()
        }
    }

    fn check(record: &NodeRecord) -> Result<NodeRecord, Refusal> {
        checked(&serde_json::to_string(record).unwrap(), &task(), &asked(), (999 * S, 1011 * S))
    }

    #[test]
    fn only_the_record_that_was_asked_for_counts() {
        assert_eq!(check(&record()).unwrap(), record());
        // A tool that sends one order to all hosts tells none of them its name, so their records have none.
        assert_eq!(check(&NodeRecord { node: String::new(), ..record() }).unwrap().node, "n1");
        let state = |record: NodeRecord| check(&record).unwrap_err().0;
        assert_eq!(state(NodeRecord { schema: "x".into(), ..record() }), DeliveryState::Garbage);
        assert_eq!(state(NodeRecord { fleet: "g".into(), ..record() }), DeliveryState::Garbage);
        assert_eq!(state(NodeRecord { plan: NodePlan::default(), ..record() }), DeliveryState::Garbage);
        assert_eq!(state(NodeRecord { round: 1, ..record() }), DeliveryState::Garbage);
        assert_eq!(state(NodeRecord { node: "n2".into(), ..record() }), DeliveryState::ForAnother);
        let (state, why) = check(&NodeRecord { fauxplat_version: "0.9".into(), ..record() }).unwrap_err();
        assert_eq!(state, DeliveryState::Failed);
        assert!(why.contains("0.9") && why.contains("1.0"));
        assert_eq!(checked("{}x", &task(), &asked(), (0, 0)).unwrap_err().0, DeliveryState::Garbage);
    }

    /// The refusal is shown to the user, so its control characters must not reach the terminal.
    #[test]
    fn a_refusal_does_not_drive_a_terminal() {
        let text = serde_json::to_string(&record()).unwrap();
        let clear = "\u{1b}[2J\u{7}";
        let version = NodeRecord { fauxplat_version: format!("0.9{clear}"), ..record() };
        let strange = [
            serde_json::to_string(&version).unwrap(),
            serde_json::to_string(&NodeRecord { schema: clear.into(), ..record() }).unwrap(),
            text.replacen(r#""blocks":[]"#, r#""blocks":[{"place":"\u001b[2J"}]"#, 1),
            text.replacen(r#""failures":[]"#, r#""failures":["\u001b[2J"]"#, 1),
        ];
        for text in strange {
            let (_, why) = checked(&text, &task(), &asked(), (999 * S, 1011 * S)).unwrap_err();
            assert!(!why.is_empty() && !why.contains(char::is_control), "{why:?}");
        }
    }

    #[test]
    fn a_clock_that_is_wrong_by_a_day_is_told_and_set_right() {
        for (day, way) in [(86_400, "24 h ahead"), (-86_400, "24 h behind")] {
            let shifted =
                NodeRecord { started_utc_ns: (1000 + day) * S, ended_utc_ns: (1010 + day) * S, ..record() };
            let right = check(&shifted).unwrap();
            assert!(
                right.noise.warnings[0].contains(way) || right.noise.warnings[0].contains("23 h"),
                "{right:?}"
            );
            assert!((990 * S..1020 * S).contains(&right.started_utc_ns), "{right:?}");
            assert_eq!(right.ended_utc_ns - right.started_utc_ns, 10 * S);
        }
        assert!(check(&record()).unwrap().noise.warnings.is_empty());
        let nonsense = NodeRecord { started_utc_ns: i64::MIN, ended_utc_ns: i64::MAX, ..record() };
        assert!(check(&nonsense).is_ok());
    }
}
