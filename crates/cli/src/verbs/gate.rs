//! `--fail-if` of a comparison.

use fauxplat_experiment::Failure;
use fauxplat_model::{Comparison, GateQuestion, GateState, Verdict};

use fauxplat_options::Gate;

/// A comparison that fails a gate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alarm {
    gate: Gate,
    a: String,
    b: String,
    /// ` in wall time`, where there are several metrics.
    within: String,
    /// Whether the second command was better; `None` where that is not decided.
    b_is_better: Option<bool>,
}

impl std::fmt::Display for Alarm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = format!("{:?}", self.gate).to_lowercase();
        write!(f, "--fail-if {word}: {} against {}{}", self.b, self.a, self.within)
    }
}

impl From<Alarm> for Failure {
    fn from(alarm: Alarm) -> Self {
        Failure::gate(alarm.to_string())
    }
}

/// The question that the gates ask together; sampling continues until it is answered.
pub(super) fn question(gates: &[Gate]) -> Option<GateQuestion> {
    let has = |gate| gates.contains(&gate);
    match (has(Gate::Slower), has(Gate::Faster), has(Gate::Different)) {
        (_, _, true) | (true, true, _) => Some(GateQuestion::Different),
        (true, ..) => Some(GateQuestion::Slower),
        (_, true, _) => Some(GateQuestion::Faster),
        _ => has(Gate::Undecided).then_some(GateQuestion::Different),
    }
}

/// The comparisons that fail a gate, each with the first gate that it fails.
pub(super) fn alarms(gates: &[Gate], comparisons: &[Comparison]) -> Vec<Alarm> {
    let is_one = comparisons.windows(2).all(|two| two[0].metric == two[1].metric);
    let within = |comparison: &Comparison| match is_one {
        true => String::new(),
        false => format!(" in {}", comparison.metric.title()),
    };
    comparisons.iter().filter_map(|comparison| alarm(gates, comparison, within(comparison))).collect()
}

/// Words about the first comparison in which the question of the gates has no answer.
pub(super) fn undecided(gates: &[Gate], comparisons: &[Comparison]) -> Option<String> {
    let asked = question(gates).unwrap_or(GateQuestion::Different);
    let open = comparisons.iter().find(|comparison| comparison.gate_state(asked) == GateState::Undecided)?;
    Some(format!("{} against {} is not decided", open.b, open.a))
}

fn alarm(gates: &[Gate], comparison: &Comparison, within: String) -> Option<Alarm> {
    let asked = question(gates).unwrap_or(GateQuestion::Different);
    let state = comparison.gate_state(asked);
    let is_beyond = state == GateState::Beyond;
    let is_better = comparison.b_is_better();
    let fails = |gate: &&Gate| match gate {
        Gate::Slower => is_beyond && (asked != GateQuestion::Different || !is_better),
        Gate::Faster => is_beyond && (asked != GateQuestion::Different || is_better),
        Gate::Different => is_beyond,
        Gate::Undecided => state == GateState::Undecided,
        Gate::Inconclusive => comparison.verdict == Verdict::Inconclusive,
    };
    let gate = *gates.iter().find(fails)?;
    let (a, b) = (comparison.a.clone(), comparison.b.clone());
    Some(Alarm { gate, a, b, within, b_is_better: is_beyond.then_some(is_better) })
}

/// Alarms of the second measurement that the first raised, too: for the same commands, in the same direction.
pub(super) fn agreed(first: &[Alarm], second: Vec<Alarm>) -> Vec<Alarm> {
    second.into_iter().filter(|alarm| first.contains(alarm)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alarm(gate: Gate, b: &str, b_is_better: Option<bool>) -> Alarm {
        Alarm { gate, a: "a".to_owned(), b: b.to_owned(), within: String::new(), b_is_better }
    }

    #[test]
    fn only_the_same_finding_confirms() {
        let slower = alarm(Gate::Different, "b", Some(false));
        let others = [
            alarm(Gate::Different, "b", Some(true)),
            alarm(Gate::Different, "c", Some(false)),
            alarm(Gate::Inconclusive, "b", None),
        ];
        for other in others {
            assert_eq!(agreed(std::slice::from_ref(&slower), vec![other]), []);
        }
        assert_eq!(
            agreed(&[alarm(Gate::Slower, "c", Some(false)), slower.clone()], vec![slower.clone()]),
            [slower]
        );
    }
}
