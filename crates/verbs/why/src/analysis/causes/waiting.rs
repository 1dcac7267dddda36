//! Waits: the calls in which the slower program waits longer.

use super::{Case, change, number, time};
use crate::evidence::{Traced, Wait};
use crate::findings::{Account, Cause, Grade, Kind};

/// Waits that are causes, with the words for each.
const WAITS: [(Wait, Kind, &str); 6] = [
    (Wait::Sleep, Kind::Sleep, "sleeps longer"),
    (Wait::Sync, Kind::Sync, "waits longer until data are on a disk"),
    (Wait::Lock, Kind::Lock, "waits longer for a lock or a condition"),
    (Wait::Pipe, Kind::Pipe, "waits longer for a pipe, a socket or an event"),
    (Wait::File, Kind::DiskRead, "waits longer for files"),
    (Wait::Other, Kind::Calls, "waits longer in a call"),
];

pub(super) fn causes(case: &Case<'_>) -> Vec<Cause> {
    let blocked_ns = case.more(Account::Blocked);
    if blocked_ns <= 0.0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let Some([fast, slow]) = &case.evidence.traced {
        for (wait, kind, words) in WAITS {
            let of = |traced: &Traced, side: usize| {
                traced.waits.get(&wait).copied().unwrap_or(0.0) / case.lanes[side].max(1.0)
            };
            let more_ns = of(slow, 1) - of(fast, 0);
            let explains_ns = more_ns.clamp(0.0, blocked_ns);
            let mut cause = case.cause(kind, Account::Blocked, explains_ns);
            cause.what = format!("{words}{}", in_call(fast, slow, wait));
            cause.place = caller(case);
            cause.because =
                vec![format!("traced: {} in such calls against {}", time(of(slow, 1)), time(of(fast, 0)))];
            cause.because.extend(calls(fast, slow, wait));
            cause.next = format!("fauxplat profile -e off-cpu {}", case.both());
            found.push(cause);
        }
    }
    if case.evidence.traced.is_none() {
        found.extend(sampled(case, blocked_ns));
    }
    found.extend(disk(case, blocked_ns));
    found
}

/// Waits by the functions of the kernel in which they were sampled, where runs could not be traced.
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
    WAITS.iter().filter_map(cause).collect()
}

/// Pages that had to come from a disk: no call waits for them.
fn disk(case: &Case<'_>, blocked_ns: f64) -> Option<Cause> {
    let input = case.evidence.count("block-input")?;
    let faults = case.evidence.count("major-faults")?;
    let is_read = input.more.is_more() && input.more.value >= 4096.0;
    let is_faulted = faults.more.is_more() && faults.more.value >= 1.0;
    if !(is_read || is_faulted) {
        return None;
    }
    let mut cause = case.cause(Kind::DiskRead, Account::Blocked, blocked_ns);
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

/// Names of calls that belong to a wait.
fn belongs(name: &str, wait: Wait) -> bool {
    let names: &[&str] = match wait {
        Wait::Sleep => &["nanosleep", "clock_nanosleep"],
        Wait::Sync => &["fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync"],
        Wait::Lock => &["futex", "flock"],
        Wait::Pipe => &[
            "read",
            "write",
            "ppoll",
            "pselect6",
            "epoll_pwait",
            "recvfrom",
            "recvmsg",
            "connect",
            "accept4",
        ],
        Wait::File => &["read", "write", "pread64", "pwrite64", "openat", "close", "getdents64", "sendfile"],
        Wait::Tasks | Wait::Other => &[],
    };
    names.contains(&name)
}

/// The calls of a wait, the one with the largest rise of its time first.
fn ranked<'t>(fast: &'t Traced, slow: &'t Traced, wait: Wait) -> Vec<(&'t str, f64, f64, f64)> {
    let of = |name: &String| fast.calls.get(name).copied().unwrap_or_default();
    let own = slow.calls.iter().filter(|(name, _)| belongs(name, wait));
    let mut all: Vec<(&str, f64, f64, f64)> =
        own.map(|(name, sum)| (name.as_str(), sum.ns - of(name).ns, of(name).count, sum.count)).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

fn in_call(fast: &Traced, slow: &Traced, wait: Wait) -> String {
    ranked(fast, slow, wait).first().map_or_else(String::new, |(name, ..)| format!(" ({name})"))
}

fn calls(fast: &Traced, slow: &Traced, wait: Wait) -> Vec<String> {
    let told = |(name, more_ns, few, many): &(&str, f64, f64, f64)| {
        format!(
            "{name}: {} against {} ({}), {} more in them",
            super::calls(*many),
            number(*few),
            change(*few, *many),
            time(*more_ns)
        )
    };
    ranked(fast, slow, wait).iter().filter(|it| it.1 > 0.0).take(2).map(told).collect()
}

/// The user's function that waits more, where waits were sampled.
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
