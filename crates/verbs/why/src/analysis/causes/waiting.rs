//! Waits as causes: the calls in which the slower program waits longer.

use std::collections::BTreeMap;

use super::{Case, change, number, time};
use crate::evidence::{Traced, Wait};
use crate::findings::{Account, Cause, Grade, Kind};

/// Reasons of waits that can be causes, each with the kind of the cause and its words in the report.
const WAITS: [(Wait, Kind, &str); 7] = [
    (Wait::Sleep, Kind::Sleep, "sleeps longer"),
    (Wait::Sync, Kind::Sync, "waits longer until data are on a disk"),
    (Wait::Lock, Kind::Lock, "waits longer for a lock or a condition"),
    (Wait::Pipe, Kind::Pipe, "waits longer for a pipe, a socket or an event"),
    (Wait::Signal, Kind::Signal, "waits longer for a signal"),
    (Wait::File, Kind::DiskRead, "waits longer for files"),
    (Wait::Other, Kind::Calls, "waits longer in a call"),
];

/// Reasons for which threads of a run wait for one another.
const MUTUAL: [Wait; 2] = [Wait::Lock, Wait::Pipe];

pub(super) fn causes(case: &Case<'_>) -> Vec<Cause> {
    let blocked_ns = case.more(Account::Blocked);
    if blocked_ns <= 0.0 {
        return Vec::new();
    }
    let is_sampled = case.evidence.off_cpu.is_some();
    let mut found = match &case.evidence.traced {
        // A program that looks whether it is traced may wait in untraced runs only.
        Some(both) if !is_sampled || shows(both, blocked_ns) => traced(case, both, blocked_ns),
        _ => sampled(case, blocked_ns),
    };
    if let Some(mut disk) = disk(case) {
        let others = found.iter().filter(|it| it.kind != Kind::DiskRead);
        let others_ns: f64 = others.map(|it| it.explains_ns).sum();
        disk.explains_ns = (blocked_ns - others_ns).max(0.0);
        disk.share = disk.explains_ns / case.whole().max(f64::MIN_POSITIVE);
        // System calls that read files wait for the same disk, so their evidence joins that of the disk.
        let calls = found.iter().filter(|it| it.kind == Kind::DiskRead && it.explains_ns > 0.0);
        disk.because.extend(calls.flat_map(|it| it.because.iter().cloned()));
        found.retain(|it| it.kind != Kind::DiskRead);
        found.push(disk);
    }
    found
}

/// Share of the additional wait that traced runs have to show to tell its reason.
const SHOWN_FROM: f64 = 0.3;

/// Whether the traced runs show the additional wait `blocked_ns`, too.
fn shows([fast, slow]: &[Traced; 2], blocked_ns: f64) -> bool {
    more(fast, slow).values().sum::<f64>() >= SHOWN_FROM * blocked_ns
}

/// Reasons of waits in calls that others can prolong: a thread may lose its CPU in any call.
const BY_CHANCE: [Wait; 2] = [Wait::File, Wait::Other];

/// Additional time in which no thread worked, in nanoseconds, by the reason of the wait.
///
/// The time of a reason grows by at most what all threads together wait longer for it. Where it grows by more, as many
/// waits as before no longer overlap, because threads wait for one another: the rest belongs to those waits.
fn more(fast: &Traced, slow: &Traced) -> BTreeMap<Wait, f64> {
    let of = |times: &BTreeMap<Wait, f64>, wait| times.get(&wait).copied().unwrap_or(0.0);
    let risen = |times: fn(&Traced) -> &BTreeMap<Wait, f64>, wait| {
        (of(times(slow), wait) - of(times(fast), wait)).max(0.0)
    };
    let idle = |wait| risen(|traced| &traced.idle_ns, wait);
    let all = |wait| risen(|traced| &traced.waits, wait);
    // A call in which one of several runs lost its CPU is longer in that run alone, and its median is not.
    let named = |wait| ranked(fast, slow, wait).iter().map(|it| it.1.max(0.0)).sum::<f64>();
    let limit = |wait| if BY_CHANCE.contains(&wait) { all(wait).min(named(wait)) } else { all(wait) };
    let mut found: BTreeMap<Wait, f64> =
        WAITS.iter().map(|&(wait, ..)| (wait, idle(wait).min(limit(wait)))).collect();
    let rest_ns: f64 = WAITS.iter().map(|&(wait, ..)| idle(wait)).sum::<f64>() - found.values().sum::<f64>();
    let mutual_ns: f64 = MUTUAL.map(all).iter().sum();
    for wait in MUTUAL.into_iter().filter(|_| mutual_ns > 0.0) {
        *found.entry(wait).or_default() += rest_ns.min(mutual_ns) * all(wait) / mutual_ns;
    }
    found
}

/// Waits in the system calls of traced runs, as causes: the time in which no thread worked. Since a traced run takes
/// longer than others, the waits can sum to more than the account, `blocked_ns`; they are then all reduced by the same
/// factor.
fn traced(case: &Case<'_>, [fast, slow]: &[Traced; 2], blocked_ns: f64) -> Vec<Cause> {
    let sum = |traced: &Traced, wait| traced.waits.get(&wait).copied().unwrap_or(0.0);
    let more = more(fast, slow);
    let more_ns = |wait| more.get(&wait).copied().unwrap_or(0.0);
    let all_ns: f64 = WAITS.iter().map(|(wait, ..)| more_ns(*wait)).sum();
    let scale = if all_ns > blocked_ns { blocked_ns / all_ns } else { 1.0 };
    let has_threads = fast.tasks.max(slow.tasks) > 1;
    let cause = |&(wait, kind, words): &(Wait, Kind, &str)| {
        let explains_ns = scale * more_ns(wait);
        let mut cause = case.cause(kind, Account::Blocked, explains_ns);
        // The requested duration of a sleep is the same in every run, so its increase is certain.
        cause.is_certain = wait == Wait::Sleep && !has_threads;
        cause.what = format!("{words}{}", in_call(fast, slow, wait));
        cause.place = caller(case);
        let together = if has_threads { ", of all threads together" } else { "" };
        cause.because = vec![format!(
            "traced: {} in such calls against {}{together}",
            time(sum(slow, wait)),
            time(sum(fast, wait))
        )];
        cause.because.extend(calls(fast, slow, wait));
        let raw_ns = sum(slow, wait) - sum(fast, wait);
        if raw_ns > 1.05 * explains_ns && explains_ns > 0.0 {
            cause.because.push(
                match has_threads {
                    true => "threads wait at the same time, so these sums exceed the difference of run times",
                    false => "a traced run takes longer than others, and so do its calls",
                }
                .to_owned(),
            );
        }
        cause.next = format!("fauxplat profile -e off-cpu {}", case.both());
        cause
    };
    WAITS.iter().map(cause).collect()
}

/// Waits by the functions of the kernel in which they were sampled, as causes, for runs that could not be traced.
fn sampled(case: &Case<'_>, blocked_ns: f64) -> Vec<Cause> {
    let Some(sampled) = &case.evidence.off_cpu else { return Vec::new() };
    let cause = |&(_, kind, words): &(Wait, Kind, &str)| {
        let (_, more_ns) = sampled.kinds.iter().find(|(known, _)| *known == kind)?;
        let mut cause = case.cause(kind, Account::Blocked, more_ns.clamp(0.0, blocked_ns));
        cause.what = words.to_owned();
        cause.place = caller(case);
        cause.because = vec![format!("sampled: {} more in such waits", time(more_ns.max(0.0)))];
        cause.next = format!("fauxplat profile -e off-cpu {}", case.both());
        Some(cause)
    };
    let mut found: Vec<Cause> = WAITS.iter().filter_map(cause).collect();
    let all_ns: f64 = found.iter().map(|it| it.explains_ns).sum();
    let scale = if all_ns > blocked_ns { blocked_ns / all_ns } else { 1.0 };
    found.iter_mut().for_each(|it| it.explains_ns *= scale);
    found
}

/// Reading pages from a disk as a cause, from the kernel's counts, since a thread waits for such a page without a
/// system call.
fn disk(case: &Case<'_>) -> Option<Cause> {
    let input = case.evidence.count("block-input")?;
    let faults = case.evidence.count("major-faults")?;
    let is_read = input.more.is_more() && input.more.value >= 4096.0;
    let is_faulted = faults.more.is_more() && faults.more.value >= 1.0;
    if !(is_read || is_faulted) {
        return None;
    }
    let mut cause = case.cause(Kind::DiskRead, Account::Blocked, 0.0);
    cause.what = "waits longer for data that are not in memory and come from a disk".to_owned();
    cause.grade = Grade::Reckoned;
    cause.because = vec![
        format!(
            "{} bytes come from block devices against {}",
            number(input.means[1]),
            number(input.means[0])
        ),
        format!("{} major page faults against {}", number(faults.means[1]), number(faults.means[0])),
    ];
    cause.next = format!("fauxplat compare --metric block-input {}", case.both());
    Some(cause)
}

/// System calls that waited for this reason, largest increase first: name, additional nanoseconds, and number of calls
/// that waited in the faster and in the slower program.
fn ranked<'t>(fast: &'t Traced, slow: &'t Traced, wait: Wait) -> Vec<(&'t str, f64, f64, f64)> {
    let of = |name: &String| {
        let own = fast.waited_in.get(&wait).and_then(|calls| calls.get(name));
        own.copied().unwrap_or_default()
    };
    let own = slow.waited_in.get(&wait).into_iter().flatten();
    let mut all: Vec<(&str, f64, f64, f64)> =
        own.map(|(name, it)| (name.as_str(), it.ns - of(name).ns, of(name).count, it.count)).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

fn in_call(fast: &Traced, slow: &Traced, wait: Wait) -> String {
    let first = ranked(fast, slow, wait).into_iter().next().filter(|(_, more_ns, ..)| *more_ns > 0.0);
    first.map_or_else(String::new, |(name, ..)| format!(" ({name})"))
}

fn calls(fast: &Traced, slow: &Traced, wait: Wait) -> Vec<String> {
    let told = |(name, more_ns, few, many): &(&str, f64, f64, f64)| {
        format!(
            "{name}: {} that waited against {} ({}), {} more in them",
            super::calls(*many),
            number(*few),
            change(*few, *many),
            time(*more_ns)
        )
    };
    ranked(fast, slow, wait).iter().filter(|it| it.1 > 0.0).take(2).map(told).collect()
}

/// Function outside the kernel whose waiting increases most, with its caller; `None` where waits were not sampled, or
/// no increase is certain.
fn caller(case: &Case<'_>) -> Option<String> {
    let sampled = case.evidence.off_cpu.as_ref()?;
    let own = sampled.functions.iter().filter(|it| !super::super::names::is_kernel(&it.object));
    let most =
        own.filter(|it| it.own_ns.is_more()).max_by(|a, b| a.own_ns.value.total_cmp(&b.own_ns.value))?;
    Some(match &most.caller {
        Some(caller) => format!("{} called by {caller}", most.name),
        None => most.name.clone(),
    })
}
