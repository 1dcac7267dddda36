//! Gates of comparisons (`--fail-if`): which comparisons fail them, and how messages name those.

use fauxplat_model::{Comparison, FailIf, GateQuestion, GateState};

/// A comparison that fails a gate, with what a message about it needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alarm {
    gate: FailIf,
    a: String,
    b: String,
    /// The metric as words for a message, such as ` in wall time`; empty where all comparisons have the same metric.
    within: String,
    /// Whether the second command was better than the first; `None` where the gate fails because this is not decided.
    b_is_better: Option<bool>,
}

impl std::fmt::Display for Alarm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "--fail-if {}: {} against {}{}", self.gate.word(), self.b, self.a, self.within)
    }
}

impl Alarm {
    /// Whether the alarm is about this comparison.
    pub(super) fn is_of(&self, comparison: &Comparison) -> bool {
        let is_metric = self.within.is_empty() || self.within == within(comparison);
        self.a == comparison.a && self.b == comparison.b && is_metric
    }

    /// Whether the gate fails because the comparison has not decided its question.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.gate, FailIf::Undecided | FailIf::Inconclusive)
    }
}

/// The comparisons that fail a gate, each with the first gate that it fails.
pub(super) fn alarms(gates: &[FailIf], comparisons: &[Comparison]) -> Vec<Alarm> {
    let is_one = comparisons.windows(2).all(|two| two[0].metric == two[1].metric);
    let words = |comparison: &Comparison| if is_one { String::new() } else { within(comparison) };
    comparisons.iter().filter_map(|comparison| alarm(gates, comparison, words(comparison))).collect()
}

/// The metric of a comparison as words for a message, such as ` in wall time`.
fn within(comparison: &Comparison) -> String {
    format!(" in {}", comparison.metric.title())
}

/// A message about the first comparison that leaves the question of the gates undecided; `None` if all decide it.
pub(super) fn undecided(gates: &[FailIf], comparisons: &[Comparison]) -> Option<String> {
    let asked = FailIf::question(gates).unwrap_or(GateQuestion::Different);
    let open = comparisons.iter().find(|comparison| comparison.gate_state(asked) == GateState::Undecided)?;
    Some(format!("{} against {} is not decided", open.b, open.a))
}

fn alarm(gates: &[FailIf], comparison: &Comparison, within: String) -> Option<Alarm> {
    let gate = comparison.failed(gates)?;
    let is_side = !matches!(gate, FailIf::Undecided | FailIf::Inconclusive);
    let (a, b) = (comparison.a.clone(), comparison.b.clone());
    Some(Alarm { gate, a, b, within, b_is_better: is_side.then_some(comparison.b_is_better()) })
}

/// Alarms of the second measurement that the first raised, too: for the same commands, in the same direction.
pub(super) fn agreed(first: &[Alarm], second: Vec<Alarm>) -> Vec<Alarm> {
    second.into_iter().filter(|alarm| first.contains(alarm)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alarm(gate: FailIf, b: &str, b_is_better: Option<bool>) -> Alarm {
        Alarm { gate, a: "a".to_owned(), b: b.to_owned(), within: String::new(), b_is_better }
    }

    #[test]
    fn only_the_same_finding_confirms() {
        let slower = alarm(FailIf::Different, "b", Some(false));
        let others = [
            alarm(FailIf::Different, "b", Some(true)),
            alarm(FailIf::Different, "c", Some(false)),
            alarm(FailIf::Inconclusive, "b", None),
        ];
        for other in others {
            assert_eq!(agreed(std::slice::from_ref(&slower), vec![other]), []);
        }
        assert_eq!(
            agreed(&[alarm(FailIf::Slower, "c", Some(false)), slower.clone()], vec![slower.clone()]),
            [slower]
        );
    }
}
