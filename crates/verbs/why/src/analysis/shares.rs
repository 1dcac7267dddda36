//! The times of causes, so that no time is told twice: causes of one account share it, and all of them the whole.

use super::account::Difference;
use crate::findings::{Account, Cause, Grade, Kind};

/// Share of the difference from which on a condition stands behind all of it.
const ALL: f64 = 0.9;

/// Accounts of time, loading and linking among them.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    Cpu,
    RunQueue,
    Blocked,
}

/// Reduces the times of causes to what is theirs alone. What stands behind the whole difference, as a condition, acts by
/// the others, whose times are then parts of its own.
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

/// Whether a cause is one of the surroundings that acts by whatever a program does.
fn is_behind(cause: &Cause, whole: f64) -> bool {
    match cause.grade {
        Grade::Condition => cause.account == Account::Whole || cause.explains_ns >= ALL * whole,
        _ => cause.account == Account::Whole && !is_of_starting(cause),
    }
}

/// Whether a cause is the start of processes or threads, whose time is of all accounts.
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

/// Time of a group's accounts.
fn room(difference: &Difference, group: Group) -> f64 {
    let more = |account| difference.of(account).value.max(0.0);
    match group {
        Group::Cpu => more(Account::User) + more(Account::System),
        // A condition that takes CPUs away shows in both accounts of waiting.
        Group::RunQueue => more(Account::RunQueue) + more(Account::Blocked),
        Group::Blocked => more(Account::Blocked),
    }
}

/// Shares out the time of a group. A start that was timed, and work of a known kind, come before counts from which time is
/// reckoned: these count the same work.
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

/// Whether work is of a kind that functions of widespread libraries tell.
fn is_of_a_kind(kind: Kind) -> bool {
    matches!(kind, Kind::Allocation | Kind::Exceptions | Kind::Patterns | Kind::Locale | Kind::BusyWait)
}

fn sum(causes: &[&mut Cause]) -> f64 {
    causes.iter().map(|it| it.explains_ns).sum()
}

/// Makes times smaller by one factor where they are longer than a time together.
fn fit<'c, 'r: 'c>(causes: impl Iterator<Item = &'c mut &'r mut Cause>, room: f64) {
    let causes: Vec<&mut &mut Cause> = causes.collect();
    let all: f64 = causes.iter().map(|it| it.explains_ns).sum();
    if all > room && all > 0.0 {
        causes.into_iter().for_each(|it| it.explains_ns *= room.max(0.0) / all);
    }
}

/// Share of the difference that the causes leave.
pub(super) fn unexplained(difference: &Difference, causes: &[Cause]) -> f64 {
    let whole = difference.whole.value;
    if whole <= 0.0 {
        return 1.0;
    }
    let all: f64 = causes.iter().filter(|it| !it.is_part).map(|it| it.explains_ns).sum();
    (1.0 - all / whole).clamp(0.0, 1.0)
}

/// Whether the evidence carries a cause: its account is shown to take more, or its own evidence is certain.
pub(super) fn is_shown(cause: &Cause, difference: &Difference) -> bool {
    let is_one = |account| difference.of(account).is_more();
    let is_sure = match cause.account {
        Account::User => is_one(Account::User),
        // Where the kernel tells user and system time apart by ticks only, the kernel counts a part of system time as user time.
        Account::System | Account::Start => is_one(Account::User) || is_one(Account::System),
        Account::RunQueue => is_one(Account::RunQueue),
        Account::Blocked => is_one(Account::Blocked),
        Account::Whole => true,
    };
    is_sure || cause.is_certain
}
