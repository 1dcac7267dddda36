//! Causes that are open: an experiment that was interrupted could have refuted them, or named a more specific cause.

use crate::evidence::Evidence;
use crate::findings::{Account, Cause, Kind};
use crate::question::Question;

/// Whether a cause depends on one of the questions `open`, whose experiments were interrupted.
pub(in super::super) fn is_open(cause: &Cause, evidence: &Evidence, open: &[Question]) -> bool {
    // Any difference can come from a condition or from further processes, which only traced runs show.
    let is_untraced = open.contains(&Question::Calls);
    is_untraced || needs(cause, evidence).iter().any(|question| open.contains(question))
}

/// Questions on whose answers a cause depends, besides that for calls, waits and conditions.
fn needs(cause: &Cause, evidence: &Evidence) -> &'static [Question] {
    let is_counted = evidence.simulated.is_some();
    match (cause.account, cause.kind) {
        (Account::Start, _) => &[Question::Start],
        (Account::Blocked, _) if evidence.traced.is_none() => &[Question::Waits],
        (Account::User, Kind::MoreWork) if !is_counted => &[Question::Counts, Question::Functions],
        (Account::User, Kind::SlowInstructions) => &[Question::Functions, Question::OneCpu],
        (Account::User, Kind::Place) => {
            &[Question::Functions, Question::OneCpu, Question::Addresses, Question::Pages]
        }
        _ => &[],
    }
}
