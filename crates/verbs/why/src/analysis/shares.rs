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
    // A part of the first cause explains no more than that cause does.
    let whole = behind.first().map_or(whole, |it| it.explains_ns.min(whole));
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
    let difference_ns = difference.whole.value.max(f64::MIN_POSITIVE);
    all.for_each(|it| it.share = it.explains_ns / difference_ns);
}

/// Share of the waits that would follow from the causes of CPU time, `follows` nanoseconds for each nanosecond, for which
/// the other causes leave room in the difference; 1 where there is room for all of it.
pub(super) fn part_that_fits(causes: &[Cause], difference: &Difference, follows: f64) -> f64 {
    let sum = |are_parts: bool, of: &dyn Fn(&Cause) -> f64| -> f64 {
        causes.iter().filter(|it| it.is_part == are_parts).map(of).sum()
    };
    let wanted = |it: &Cause| if is_of_cpu(it) { it.explains_ns * follows } else { 0.0 };
    let explains = |it: &Cause| it.explains_ns;
    let has_parts = causes.iter().any(|it| it.is_part);
    // Parts have the room of the cause through which they act, and all other causes that of the whole difference.
    let all_ns = if has_parts { sum(false, &explains) } else { difference.whole.value };
    let room_ns = (all_ns - sum(has_parts, &explains)).max(0.0);
    let wanted_ns = sum(has_parts, &wanted);
    if wanted_ns > room_ns { room_ns / wanted_ns } else { 1.0 }
}

/// Whether a cause lies in the accounts of CPU time.
pub(super) fn is_of_cpu(cause: &Cause) -> bool {
    matches!(cause.account, Account::User | Account::System | Account::Start)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Amount;

    fn cause(account: Account, explains_ns: f64) -> Cause {
        Cause {
            kind: Kind::MoreWork,
            what: String::new(),
            account,
            explains_ns,
            share: 0.0,
            is_part: false,
            is_certain: false,
            grade: Grade::Measured,
            place: None,
            because: Vec::new(),
            next: String::new(),
        }
    }

    #[test]
    fn waits_get_the_room_that_other_causes_leave() {
        let causes = [cause(Account::Whole, 20.0), cause(Account::User, 8.0)];
        let of = |whole: f64, causes: &[Cause]| {
            let difference = Difference {
                whole: Amount::exact(whole),
                hidden: None,
                lanes: [1.0; 2],
                parts: Vec::new(),
                fast_ns: [0.0; 4],
            };
            part_that_fits(causes, &difference, 1.0)
        };
        assert_eq!([28.0, 32.0, 40.0].map(|whole| of(whole, &causes)), [0.0, 0.5, 1.0]);
        let mut parts = causes;
        parts[1].is_part = true;
        assert_eq!(of(90.0, &parts), 1.0, "20 of the cause, of which the part has 8 and waits for 8");
        parts[0].explains_ns = 12.0;
        assert_eq!(of(90.0, &parts), 0.5);
    }
}
