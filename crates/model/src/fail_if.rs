//! Gates of comparisons: findings that make a comparison fail.

use serde::{Deserialize, Serialize};

use crate::{Comparison, GateQuestion, GateState, Verdict};

/// A finding about the candidate, compared with the reference, that makes a comparison fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailIf {
    /// The candidate is worse by more than the margin.
    Slower,
    /// The candidate is better by more than the margin.
    Faster,
    /// The candidate is worse or better by more than the margin.
    Different,
    /// Whether the difference lies beyond the margin is neither shown nor excluded, on the side of the other gates or,
    /// without any, on either side.
    Undecided,
    /// The comparison has no verdict.
    Inconclusive,
    /// A benchmark of the reference is gone from the candidate, or could not be measured. Only suites have benchmarks.
    Missing,
}

impl FailIf {
    pub const ALL: [FailIf; 6] = [
        FailIf::Slower,
        FailIf::Faster,
        FailIf::Different,
        FailIf::Undecided,
        FailIf::Inconclusive,
        FailIf::Missing,
    ];

    /// The gates of a single comparison, which has no benchmarks that could be missing.
    pub const OF_COMPARISON: [FailIf; 5] =
        [FailIf::Slower, FailIf::Faster, FailIf::Different, FailIf::Undecided, FailIf::Inconclusive];

    pub fn word(self) -> &'static str {
        match self {
            FailIf::Slower => "slower",
            FailIf::Faster => "faster",
            FailIf::Different => "different",
            FailIf::Undecided => "undecided",
            FailIf::Inconclusive => "inconclusive",
            FailIf::Missing => "missing",
        }
    }

    /// The gate with a name; `None` for any other word.
    pub fn from_word(word: &str) -> Option<Self> {
        FailIf::ALL.into_iter().find(|gate| gate.word() == word)
    }

    /// The question that answers all these gates together; `None` unless at least one of them asks about the margin.
    pub fn question(gates: &[FailIf]) -> Option<GateQuestion> {
        let has = |gate| gates.contains(&gate);
        match (has(FailIf::Slower), has(FailIf::Faster), has(FailIf::Different)) {
            (_, _, true) | (true, true, _) => Some(GateQuestion::Different),
            (true, ..) => Some(GateQuestion::Slower),
            (_, true, _) => Some(GateQuestion::Faster),
            _ => has(FailIf::Undecided).then_some(GateQuestion::Different),
        }
    }
}

/// Figures of a comparison by which gates are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateAnswer {
    /// The question of all gates together, see [`FailIf::question`].
    pub question: GateQuestion,
    pub state: GateState,
    /// Whether the candidate is better by the estimate, regardless of its interval.
    pub is_better: bool,
    /// Whether the comparison has a verdict.
    pub is_concluded: bool,
}

impl GateAnswer {
    /// The first of `gates` that makes the comparison fail; `None` if none does. No comparison fails
    /// [`FailIf::Missing`], which is about benchmarks without one.
    pub fn failed(self, gates: &[FailIf]) -> Option<FailIf> {
        let is_beyond = self.state == GateState::Beyond;
        let is_of_one_side = self.question != GateQuestion::Different;
        gates.iter().copied().find(|gate| match gate {
            FailIf::Slower => is_beyond && (is_of_one_side || !self.is_better),
            FailIf::Faster => is_beyond && (is_of_one_side || self.is_better),
            FailIf::Different => is_beyond,
            FailIf::Undecided => self.state == GateState::Undecided,
            FailIf::Inconclusive => !self.is_concluded,
            FailIf::Missing => false,
        })
    }
}

impl Comparison {
    /// The first of `gates` that makes the comparison fail; `None` if none does.
    pub fn failed(&self, gates: &[FailIf]) -> Option<FailIf> {
        let question = FailIf::question(gates).unwrap_or(GateQuestion::Different);
        let (state, is_better) = (self.gate_state(question), self.b_is_better());
        let is_concluded = self.verdict != Verdict::Inconclusive;
        GateAnswer { question, state, is_better, is_concluded }.failed(gates)
    }

    /// Whether the question of the gates is neither shown nor excluded.
    pub fn is_left_open(&self, gates: &[FailIf]) -> bool {
        FailIf::question(gates).is_some_and(|question| self.gate_state(question) == GateState::Undecided)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(gates: &[FailIf], state: GateState, is_better: bool) -> Option<FailIf> {
        let question = FailIf::question(gates).unwrap_or(GateQuestion::Different);
        GateAnswer { question, state, is_better, is_concluded: state != GateState::Undecided }.failed(gates)
    }

    #[test]
    fn each_gate_fails_by_its_own_finding_alone() {
        use FailIf::{Different, Faster, Inconclusive, Slower, Undecided};
        use GateState::Beyond;
        for gate in [Undecided, Inconclusive] {
            assert_eq!(failed(&[gate], Beyond, false), None);
            assert_eq!(failed(&[gate], GateState::Undecided, false), Some(gate));
        }
        assert_eq!(failed(&[Slower, Undecided], Beyond, false), Some(Slower));
        assert_eq!(failed(&[Slower, Undecided], GateState::Undecided, true), Some(Undecided));
        assert_eq!(failed(&[Slower, Faster], Beyond, true), Some(Faster));
        assert_eq!(failed(&[Different], Beyond, true), Some(Different));
        for gate in FailIf::ALL {
            assert_eq!(failed(&[gate], GateState::Within, true), None);
            assert_eq!(FailIf::from_word(gate.word()), Some(gate));
        }
        assert_eq!(failed(&[], GateState::Undecided, true), None);
        assert_eq!(FailIf::from_word("worse"), None);
    }
}
