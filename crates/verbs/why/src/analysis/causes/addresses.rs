//! Placement in memory as a cause: the difference is gone if stack, heap and libraries have random addresses instead of
//! fixed ones, or the reverse, or if the programs are run from copies of their files.

use super::super::differences::{Differs, differences};
use super::{Case, time};
use crate::evidence::{Amount, Readdressed};
use crate::findings::{Account, Cause, Kind};

/// Share of the difference that may remain at the other addresses, or in copied files, if placement is to be the cause.
const LEFT_MAX: f64 = 0.5;

pub(super) fn causes(case: &Case<'_>) -> Option<Cause> {
    // If only one of the programs has random addresses, that is a difference of conditions, and `conditions` reports
    // it.
    let is_condition = |it: &Differs| it.kind == Kind::Place;
    let of_addresses =
        case.evidence.readdressed.filter(|_| !differences(case.evidence).iter().any(is_condition));
    let by_addresses = of_addresses.and_then(|there| {
        let words = "has its stack, heap or libraries at addresses that suit it less";
        gone(case, there.more_wall_ns, (words, told(&there)))
    });
    let by_copies = || {
        let there = case.evidence.copied?;
        let words = "has a file whose pages lie in memory where they suit it less";
        gone(case, there, (words, told_of_copies(there)))
    };
    by_addresses.or_else(by_copies)
}

/// Placement as a cause; `None` if half of the difference, or more, may remain at the other placement.
fn gone(case: &Case<'_>, left_ns: Amount, (what, because): (&str, String)) -> Option<Cause> {
    if left_ns.high >= LEFT_MAX * case.whole() {
        return None;
    }
    let explains_ns = case.whole() - left_ns.value.max(0.0);
    let mut cause = case.cause(Kind::Place, Account::Whole, explains_ns);
    cause.what = what.to_owned();
    cause.because = vec![because];
    cause.next = format!("fauxplat explain {}", case.both());
    Some(cause)
}

/// Phrase of the report about the difference at the other addresses.
pub(in super::super) fn told(there: &Readdressed) -> String {
    let how = if there.is_random { "random addresses" } else { "fixed addresses" };
    left(how, there.more_wall_ns)
}

/// Phrase of the report about the difference between copies of the files of both programs.
pub(in super::super) fn told_of_copies(left_ns: Amount) -> String {
    left("fresh copies of both files", left_ns)
}

fn left(how: &str, amount: Amount) -> String {
    let [value, low, high] = [amount.value, amount.low, amount.high].map(time);
    format!("with {how} the difference is {value} ({low} to {high})")
}

/// Whether surely more than half of the difference remains at the other placement.
pub(in super::super) fn is_there(left_ns: Amount, whole_ns: f64) -> bool {
    left_ns.low > LEFT_MAX * whole_ns
}
