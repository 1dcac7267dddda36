//! Limits on the times of causes, so that no time is explained twice: all causes in an account explain at most the time
//! of that account, and all causes together at most the whole difference.

use super::account::Difference;
use crate::findings::{Account, Cause, Grade, Kind};

/// Share of the difference from which on a condition counts as the cause of all of it.
const ALL: f64 = 0.9;

/// Accounts that causes share; CPU time includes loading and linking.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    Cpu,
    RunQueue,
    Blocked,
}

/// Reduces the explained times of causes so that no time is explained twice. A cause of the whole difference, such as a
/// condition, acts through the other causes, which are then marked as parts of it.
pub(super) fn settle(causes: &mut [Cause], difference: &Difference) {
    let whole = difference.whole.value.max(0.0);
    let (mut behind, mut others): (Vec<&mut Cause>, Vec<&mut Cause>) =
        causes.iter_mut().partition(|it| is_behind(it, whole));
    behind.sort_by(|a, b| b.explains_ns.total_cmp(&a.explains_ns));
    behind.iter_mut().skip(1).for_each(|it| it.is_part = true);
    let has_one = !behind.is_empty();
    others.iter_mut().for_each(|it| it.is_part = has_one);
    let (mut starts, mut others): (Vec<&mut Cause>, Vec<&mut Cause>) =
        others.into_iter().partition(|it| is_of_starting(it));
    fit(starts.iter_mut(), whole);
    let rest = whole - sum(&starts);
    for group in [Group::Cpu, Group::RunQueue, Group::Blocked] {
        let mut own: Vec<&mut Cause> =
            others.iter_mut().filter(|it| group_of(it) == Some(group)).map(|it| &mut **it).collect();
        in_group(&mut own, room(difference, group).min(rest), difference);
    }
    fit(others.iter_mut(), rest);
    let all = behind.into_iter().chain(starts).chain(others);
    all.for_each(|it| it.share = it.explains_ns / whole.max(f64::MIN_POSITIVE));
}

/// Whether a cause acts on everything that a program does, and so through the other causes.
fn is_behind(cause: &Cause, whole: f64) -> bool {
    match cause.grade {
        Grade::Condition => cause.account == Account::Whole || cause.explains_ns >= ALL * whole,
        _ => cause.account == Account::Whole && !is_of_starting(cause),
    }
}

/// Whether a cause is starting processes or threads, which takes time in several accounts.
fn is_of_starting(cause: &Cause) -> bool {
    matches!(cause.kind, Kind::Processes | Kind::Threads)
}

fn group_of(cause: &Cause) -> Option<Group> {
    match cause.account {
        Account::User | Account::System | Account::Start => Some(Group::Cpu),
        Account::RunQueue => Some(Group::RunQueue),
        Account::Blocked => Some(Group::Blocked),
        Account::Whole => None,
    }
}

/// Additional time in the accounts of a group, in nanoseconds per run; no account counts less than zero.
fn room(difference: &Difference, group: Group) -> f64 {
    let more = |account| difference.of(account).value.max(0.0);
    match group {
        Group::Cpu => more(Account::User) + more(Account::System),
        // A condition that takes CPUs away increases both accounts of waiting.
        Group::RunQueue => more(Account::RunQueue) + more(Account::Blocked),
        Group::Blocked => more(Account::Blocked),
    }
}

/// Limits the explained times of the causes in one group of accounts to its additional time, `room`. A timed start and
/// work of a known kind keep their times, and counts get the rest, since they count the same work again.
fn in_group(causes: &mut [&mut Cause], room: f64, difference: &Difference) {
    let (starts, mut others): (Vec<&mut &mut Cause>, Vec<&mut &mut Cause>) =
        causes.iter_mut().partition(|it| it.account == Account::Start);
    let mut starts: Vec<&mut Cause> = starts.into_iter().map(|it| &mut **it).collect();
    fit(starts.iter_mut(), room);
    let left = room - sum(&starts);
    let user = left.min(difference.of(Account::User).value.max(0.0));
    let (kinds, works): (Vec<&mut Cause>, Vec<&mut Cause>) = others
        .iter_mut()
        .map(|it| &mut ***it)
        .filter(|it| it.account == Account::User)
        .partition(|it| is_of_a_kind(it.kind));
    let (mut kinds, mut works) = (kinds, works);
    fit(kinds.iter_mut(), user);
    let rest = user - sum(&kinds);
    fit(works.iter_mut(), rest);
    fit(others.iter_mut().map(|it| &mut **it), left);
}

/// Whether a kind of work is recognized by names of functions of widespread libraries.
fn is_of_a_kind(kind: Kind) -> bool {
    matches!(kind, Kind::Allocation | Kind::Exceptions | Kind::Patterns | Kind::Locale | Kind::BusyWait)
}

fn sum(causes: &[&mut Cause]) -> f64 {
    causes.iter().map(|it| it.explains_ns).sum()
}

/// Scales the explained times of causes down to a sum of `room` nanoseconds if they sum to more.
fn fit<'c, 'r: 'c>(causes: impl Iterator<Item = &'c mut &'r mut Cause>, room: f64) {
    let causes: Vec<&mut &mut Cause> = causes.collect();
    let all: f64 = causes.iter().map(|it| it.explains_ns).sum();
    if all > room && all > 0.0 {
        causes.into_iter().for_each(|it| it.explains_ns *= room.max(0.0) / all);
    }
}

/// Share of the difference that no cause explains, from 0 to 1.
pub(super) fn unexplained(difference: &Difference, causes: &[Cause]) -> f64 {
    let whole = difference.whole.value;
    if whole <= 0.0 {
        return 1.0;
    }
    let all: f64 = causes.iter().filter(|it| !it.is_part).map(|it| it.explains_ns).sum();
    (1.0 - all / whole).clamp(0.0, 1.0)
}

/// Whether the evidence suffices for a cause: its account surely has more time in the slower program, or the cause
/// itself is certain.
pub(super) fn is_shown(cause: &Cause, difference: &Difference) -> bool {
    let is_one = |account| difference.of(account).is_more();
    let is_sure = match cause.account {
        Account::User => is_one(Account::User),
        // A kernel that tells user and system time apart only at timer ticks counts a part of system time as user time.
        Account::System | Account::Start => is_one(Account::User) || is_one(Account::System),
        Account::RunQueue => is_one(Account::RunQueue),
        Account::Blocked => is_one(Account::Blocked),
        Account::Whole => true,
    };
    is_sure || cause.is_certain
}
