//! Conditions as causes: the same program under another quota, on other CPUs, in another environment.

use super::super::differences::{Differs, differences, is_same_program};
use super::Case;
use crate::findings::{Account, Cause, Grade, Kind};

pub(super) fn causes(case: &Case<'_>) -> Vec<Cause> {
    let all = differences(case.evidence);
    let is_only_difference = is_same_program(case.evidence);
    all.iter().filter_map(|differs| cause(case, differs, is_only_difference, all.len())).collect()
}

fn cause(case: &Case<'_>, differs: &Differs, is_same_program: bool, count: usize) -> Option<Cause> {
    if !differs.is_worse {
        return None;
    }
    let waits_ns = case.more(Account::RunQueue) + case.more(Account::Blocked);
    let cpu_ns = case.more(Account::User) + case.more(Account::System);
    // A condition that takes CPUs away shows in waits for them; one of memory or text in CPU time.
    let (account, fits_ns) = match differs.kind {
        Kind::Quota | Kind::Affinity | Kind::Priority => (Account::RunQueue, waits_ns),
        _ => (Account::Whole, cpu_ns + waits_ns),
    };
    let explains_ns = match (differs.kind, is_same_program) {
        // Fewer CPUs serve several threads one after the other, which no account of a single thread shows.
        (Kind::Affinity, _) if is_parallel(case) => case.whole(),
        // Nothing else differs, whatever the account.
        (_, true) if count == 1 => case.whole(),
        (Kind::Quota | Kind::Affinity | Kind::Priority, _) | (_, true) => fits_ns.min(case.whole()),
        _ => return None,
    };
    let mut cause = case.cause(differs.kind, account, explains_ns);
    cause.grade = Grade::Condition;
    let told = &differs.told;
    cause.what = match differs.kind {
        Kind::Quota => "has a smaller CPU quota".to_owned(),
        Kind::Affinity => "may use fewer CPUs".to_owned(),
        Kind::Priority => "has a lower priority".to_owned(),
        Kind::HugePages => "gets no huge pages".to_owned(),
        Kind::Locale => "runs in another locale".to_owned(),
        Kind::Place => "has its addresses drawn another way".to_owned(),
        _ => "runs in another environment".to_owned(),
    };
    cause.place = Some(told.what.clone());
    cause.because = vec![format!("{}: {} against {}", told.what, told.slow, told.fast)];
    if is_same_program {
        cause.because.push(match count {
            1 => "both run the same program with the same arguments, and nothing else differs".to_owned(),
            _ => format!("both run the same program with the same arguments; {count} conditions differ"),
        });
    }
    cause.next = next(case, differs.kind);
    Some(cause)
}

/// Whether either program has several threads or processes that work at the same time.
fn is_parallel(case: &Case<'_>) -> bool {
    case.evidence.traced.as_ref().is_some_and(|traced| traced.iter().any(|it| it.tasks > 1 && it.lanes > 1.2))
}

fn next(case: &Case<'_>, kind: Kind) -> String {
    match kind {
        Kind::Quota => format!("fauxplat run -e cgroup:throttled {}", case.both()),
        Kind::Affinity | Kind::Priority => {
            format!("fauxplat compare --metric wall,run-delay {}", case.both())
        }
        Kind::HugePages => format!("fauxplat compare -e page-faults {}", case.both()),
        Kind::Locale => format!("fauxplat sweep locale=C,C.UTF-8 {}", case.slow()),
        Kind::Place => format!("fauxplat sweep aslr=on,off {}", case.slow()),
        _ => format!("fauxplat sweep env-size=0..4096:64 {}", case.slow()),
    }
}
