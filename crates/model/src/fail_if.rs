//! Gates of comparisons: what fails a comparison, and whether it does.

use serde::{Deserialize, Serialize};

use crate::{Comparison, GateQuestion, GateState, Verdict};

/// A finding that fails a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailIf {
    /// The candidate is worse by more than the margin.
    Slower,
    /// The candidate is better by more than the margin.
    Faster,
    /// A difference to either side, by more than the margin.
    // Stored suites of earlier versions have the word `changed`.
    #[serde(alias = "changed")]
    Different,
    /// A difference beyond the margin on the side of the other gates, or on either side, is neither shown nor excluded.
    Undecided,
    /// There is no verdict.
    Inconclusive,
}

impl FailIf {
    pub const ALL: [FailIf; 5] =
        [FailIf::Slower, FailIf::Faster, FailIf::Different, FailIf::Undecided, FailIf::Inconclusive];

    pub fn word(self) -> &'static str {
        match self {
            FailIf::Slower => "slower",
            FailIf::Faster => "faster",
            FailIf::Different => "different",
            FailIf::Undecided => "undecided",
            FailIf::Inconclusive => "inconclusive",
        }
    }

    /// The gate with a name; `None` for any other word.
    pub fn from_word(word: &str) -> Option<Self> {
        FailIf::ALL.into_iter().find(|gate| gate.word() == word)
    }

    /// The question that gates ask together; `None` unless one of them asks about the margin.
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

/// The answer that gates are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateAnswer {
    /// The question of all gates together.
    pub question: GateQuestion,
    pub state: GateState,
    /// Whether the candidate is better, as far as the estimate says.
    pub is_better: bool,
    /// Whether there is a verdict.
    pub is_concluded: bool,
}

impl GateAnswer {
    /// The first of the gates that fails.
    pub fn failed(self, gates: &[FailIf]) -> Option<FailIf> {
        let is_beyond = self.state == GateState::Beyond;
        let is_of_one_side = self.question != GateQuestion::Different;
        gates.iter().copied().find(|gate| match gate {
            FailIf::Slower => is_beyond && (is_of_one_side || !self.is_better),
            FailIf::Faster => is_beyond && (is_of_one_side || self.is_better),
            FailIf::Different => is_beyond,
            FailIf::Undecided => self.state == GateState::Undecided,
            FailIf::Inconclusive => !self.is_concluded,
        })
    }
}

impl Comparison {
    /// The first of the gates that the comparison fails.
    pub fn failed(&self, gates: &[FailIf]) -> Option<FailIf> {
        let question = FailIf::question(gates).unwrap_or(GateQuestion::Different);
        let (state, is_better) = (self.gate_state(question), self.b_is_better());
        let is_concluded = self.verdict != Verdict::Inconclusive;
        GateAnswer { question, state, is_better, is_concluded }.failed(gates)
    }

    /// Whether the question of the gates has no answer.
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
