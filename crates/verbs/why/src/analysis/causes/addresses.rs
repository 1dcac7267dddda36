//! Placement in memory as a cause: the difference is gone if stack, heap and libraries have random addresses instead of
//! fixed ones, or the reverse, or if the programs are run from copies of their files.

use super::super::account::Difference;
use super::super::differences::{Differs, differences};
use super::{Case, time};
use crate::evidence::{Amount, Elsewhere, Readdressed};
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
        gone(case, there.more, (words, told(&there)))
    });
    let by_copies = || {
        let there = case.evidence.copied?;
        let words = "has a file whose pages lie in memory where they suit it less";
        gone(case, there, (words, told_of_copies(there)))
    };
    by_addresses.or_else(by_copies)
}

/// Placement as a cause; `None` if half of the difference, or more, may remain at the other placement.
///
/// The pairs at the other placement run after those of the account, perhaps in a quieter time, in which each program
/// waits less for a CPU. So the difference has to go from the CPU time as well, which is the most that is explained.
fn gone(case: &Case<'_>, left: Elsewhere, (what, because): (&str, String)) -> Option<Cause> {
    let cpu_ns = cpu_ns(case.difference);
    // The account divides the CPU time by the threads that share the work.
    let left_cpu_ns = left.more_cpu_ns.high / case.lanes[1].max(1.0);
    if left.more_wall_ns.high >= LEFT_MAX * case.whole() || left_cpu_ns >= LEFT_MAX * cpu_ns {
        return None;
    }
    let explains_ns = (case.whole() - left.more_wall_ns.value.max(0.0)).min(cpu_ns);
    let mut cause = case.cause(Kind::Place, Account::Whole, explains_ns);
    cause.what = what.to_owned();
    cause.because = vec![because];
    cause.next = format!("fauxplat explain {}", case.both());
    Some(cause)
}

/// CPU time of the difference in nanoseconds per run, for which a placement in memory can be the reason.
fn cpu_ns(difference: &Difference) -> f64 {
    let more = |account| difference.of(account).value.max(0.0);
    more(Account::User) + more(Account::System)
}

/// Phrase of the report about the difference at the other addresses.
pub(in super::super) fn told(there: &Readdressed) -> String {
    let how = if there.is_random { "random addresses" } else { "fixed addresses" };
    left(how, there.more)
}

/// Phrase of the report about the difference between copies of the files of both programs.
pub(in super::super) fn told_of_copies(there: Elsewhere) -> String {
    left("fresh copies of both files", there)
}

fn left(how: &str, there: Elsewhere) -> String {
    let words = |amount: Amount| {
        let [value, low, high] = [amount.value, amount.low, amount.high].map(time);
        format!("{value} ({low} to {high})")
    };
    let [wall, cpu] = [there.more_wall_ns, there.more_cpu_ns].map(words);
    format!("with {how} the difference is {wall}, and that of CPU time {cpu}")
}

/// Whether surely more than half of the difference remains at the other placement.
pub(in super::super) fn is_there(left: Elsewhere, whole_ns: f64) -> bool {
    left.more_wall_ns.low > LEFT_MAX * whole_ns
}
