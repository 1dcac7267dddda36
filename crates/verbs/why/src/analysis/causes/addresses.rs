//! Addresses as a cause: the difference is gone where they are chosen in the other way.

use super::super::differences::{Differs, differences};
use super::{Case, time};
use crate::evidence::Readdressed;
use crate::findings::{Account, Cause, Kind};

/// Share of the difference that may be left at other addresses if addresses are the cause.
const LEFT_MAX: f64 = 0.5;

pub(super) fn causes(case: &Case<'_>) -> Option<Cause> {
    let there = case.evidence.readdressed?;
    let is_gone = there.more_wall_ns.high < LEFT_MAX * case.whole();
    // If one program alone has random addresses, this condition is the cause and stands among the conditions.
    let is_condition = |it: &Differs| it.kind == Kind::Place;
    if !is_gone || differences(case.evidence).iter().any(is_condition) {
        return None;
    }
    let explains_ns = case.whole() - there.more_wall_ns.value.max(0.0);
    let mut cause = case.cause(Kind::Place, Account::Whole, explains_ns);
    cause.what = "has its stack, heap or libraries at addresses that suit it less".to_owned();
    cause.because = vec![told(&there)];
    cause.next = format!("fauxplat explain {}", case.both());
    Some(cause)
}

/// The difference at other addresses, in words.
pub(in super::super) fn told(there: &Readdressed) -> String {
    let amount = there.more_wall_ns;
    let how = if there.is_random { "random addresses" } else { "fixed addresses" };
    format!(
        "with {how} the difference is {} ({} to {})",
        time(amount.value),
        time(amount.low),
        time(amount.high)
    )
}

/// Whether at least half of the difference is still there at other addresses.
pub(in super::super) fn is_there(there: &Readdressed, whole_ns: f64) -> bool {
    there.more_wall_ns.low > LEFT_MAX * whole_ns
}
