//! Candidates: what could explain a part of the difference, and how much of it.

pub(super) mod addresses;
mod conditions;
mod kernel;
mod start;
mod waiting;
pub(super) mod work;

use fauxplat_model::Metric;
use fauxplat_report::say;

use super::account::Difference;
use crate::evidence::Evidence;
use crate::findings::{Account, Cause, Grade, Kind};

/// Share of the difference below which nothing is a cause.
pub(super) const SHARE_MIN: f64 = 0.10;

/// The evidence and the account from which candidates are made.
pub(super) struct Case<'e> {
    pub(super) evidence: &'e Evidence,
    pub(super) difference: &'e Difference,
    /// Threads among which the time of each program is divided.
    pub(super) lanes: [f64; 2],
}

impl Case<'_> {
    /// Difference in an account, in nanoseconds, and no less than nothing. A difference is there, and where it is most
    /// likely is asked here; whether that is sure, its interval tells.
    pub(super) fn more(&self, account: Account) -> f64 {
        self.difference.of(account).value.max(0.0)
    }

    /// The whole difference in nanoseconds.
    pub(super) fn whole(&self) -> f64 {
        self.difference.whole.value
    }

    /// The command lines, of the faster program first, as words for a shell.
    pub(super) fn both(&self) -> String {
        self.evidence.commands.each_ref().map(|command| shell_words::quote(command).into_owned()).join(" ")
    }

    /// The command line of the slower program.
    pub(super) fn slow(&self) -> String {
        shell_words::quote(&self.evidence.commands[1]).into_owned()
    }

    /// A cause that explains this much.
    pub(super) fn cause(&self, kind: Kind, account: Account, explains_ns: f64) -> Cause {
        Cause {
            kind,
            what: String::new(),
            account,
            explains_ns,
            share: explains_ns / self.whole().max(f64::MIN_POSITIVE),
            is_part: false,
            is_certain: false,
            grade: Grade::Measured,
            place: None,
            because: Vec::new(),
            next: String::new(),
        }
    }
}

/// All candidates.
pub(super) fn candidates(case: &Case<'_>) -> Vec<Cause> {
    let all = [
        waiting::causes(case),
        kernel::causes(case),
        work::causes(case),
        start::causes(case),
        conditions::causes(case),
    ];
    let by_addresses = addresses::causes(case);
    // Work that takes longer without a reason that is counted is explained by its addresses, if they were seen to matter.
    let is_explained = |it: &Cause| by_addresses.is_some() && it.kind == Kind::Place;
    let others = all.into_iter().flatten().filter(|it| !is_explained(it));
    others.chain(by_addresses.clone()).collect()
}

/// A time in words.
pub(super) fn time(ns: f64) -> String {
    say::quantity(Metric::WALL, ns)
}

/// A count in words.
pub(super) fn number(count: f64) -> String {
    if count < 10.0 && count.fract() != 0.0 {
        return format!("{count:.1}");
    }
    say::grouped(count.max(0.0).round() as u64)
}

/// A change of a count in words: `+12 %`, or both where there was none.
pub(super) fn change(fast: f64, slow: f64) -> String {
    if fast > 0.0 { say::change(slow / fast) } else { format!("0 → {}", number(slow)) }
}

/// A number of calls in words.
pub(super) fn calls(count: f64) -> String {
    format!("{} {}", number(count), if count == 1.0 { "call" } else { "calls" })
}
