//! The start of a program as a cause: loading and linking.

use super::super::names::kind_by_source;
use super::{Case, change, number, time};
use crate::findings::{Account, Cause, Grade, Kind};

/// Maximum number of names of libraries in a sentence.
const NAMED: usize = 4;

pub(super) fn causes(case: &Case<'_>) -> Vec<Cause> {
    // If the start was timed alone, that time is the upper bound for what samples and counts may attribute to the
    // start, since functions of the loader also run later: for a new thread, for `dlopen` and for the first call of a
    // function.
    let timed = case.evidence.start;
    let alone = timed.filter(|start| start.more_ns.is_more());
    if timed.is_some() && alone.is_none() {
        return Vec::new();
    }
    let at_most_ns = alone.map_or(f64::INFINITY, |start| start.more_ns.high);
    let sampled_ns = sampled(case).min(at_most_ns);
    let counted_ns = counted(case).min(at_most_ns);
    let by_time_ns = alone.map_or(0.0, |start| start.more_ns.value).max(sampled_ns);
    let explains_ns = by_time_ns.max(counted_ns).min(case.whole());
    // If the slower program starts more processes, loading their programs is part of that cause.
    let has_further =
        case.evidence.traced.as_ref().is_some_and(|[fast, slow]| slow.processes > fast.processes);
    if explains_ns <= 0.0 || has_further {
        return Vec::new();
    }
    let added: Vec<String> = case.evidence.traced.as_ref().map_or_else(Vec::new, |[fast, slow]| {
        slow.libraries.difference(&fast.libraries).filter(|path| !is_of_system(path)).cloned().collect()
    });
    let count = |side: usize| case.evidence.traced.as_ref().map_or(0, |traced| traced[side].libraries.len());
    let is_more = count(1) > count(0);
    let kind = if is_more { Kind::Libraries } else { Kind::Loading };
    let mut cause = case.cause(kind, Account::Start, explains_ns);
    cause.is_certain = alone.is_some();
    cause.what = match is_more {
        true => format!("loads {} more libraries before it begins", count(1) - count(0)),
        false if by_time_ns < counted_ns && alone.is_none() => {
            "loads and links more, at its start or later".to_owned()
        }
        false => "takes longer to load and link before it begins".to_owned(),
    };
    let names: Vec<&str> =
        added.iter().take(NAMED).map(|path| path.rsplit('/').next().unwrap_or(path)).collect();
    cause.place = (!names.is_empty()).then(|| names.join(", "));
    cause.because = alone
        .map(|start| {
            let [fast, slow] = start.medians_ns.map(time);
            format!("loading and linking alone takes {slow} against {fast}")
        })
        .into_iter()
        .collect();
    if counted_ns > by_time_ns {
        cause.grade = Grade::Reckoned;
        cause.because.push("most of the additional instructions are in the loader (simulated)".to_owned());
    }
    if sampled_ns > 0.0 {
        cause.because.push(format!("{} more in the loader and below it (sampled)", time(sampled_ns)));
    }
    if is_more {
        cause.because.push(format!("{} libraries against {}", count(1), count(0)));
    }
    if let [Some(small), Some(large)] = case.evidence.files.bytes {
        let (small, large) = (small as f64, large as f64);
        cause.because.push(format!("a file of {} bytes ({})", number(large), change(small, large)));
    }
    cause.next = format!("LD_DEBUG=statistics {}", case.evidence.commands[1]);
    vec![cause]
}

/// Functions of the loaders of the GNU C library and of musl that run before the program begins, and never later.
const AT_START: [&str; 7] =
    ["_dl_start", "_dl_start_user", "_dl_start_final", "_dl_sysdep_start", "dl_main", "_dlstart_c", "__dls3"];

/// Additional time in the loader, and in the kernel below it, in nanoseconds, from samples of functions that run only
/// before the program begins.
fn sampled(case: &Case<'_>) -> f64 {
    let Some(sampled) = &case.evidence.on_cpu else { return 0.0 };
    let own =
        sampled.functions.iter().filter(|it| AT_START.contains(&it.name.as_str()) && it.total_ns.is_more());
    own.map(|it| it.total_ns.value / case.lanes[1].max(1.0)).fold(0.0, f64::max)
}

/// Additional CPU time of the loader in nanoseconds, from its additional instructions in a simulator; zero unless these
/// are more than half of all additional instructions.
fn counted(case: &Case<'_>) -> f64 {
    let Some(simulated) = &case.evidence.simulated else { return 0.0 };
    let [few, many] = simulated.of("instructions");
    let of_loader = |name: &str, source| kind_by_source(name, source) == Some(Kind::Loading);
    let own = simulated.functions.iter().filter(|it| of_loader(&it.name, it.file.as_deref()));
    let rise: f64 = own.filter_map(|it| Some(it.counts[1].first()? - it.counts[0].first()?)).sum();
    let cpu_ns = case.more(Account::User) + case.more(Account::System);
    if rise > 0.5 * (many - few) && many > few { cpu_ns * (rise / (many - few)).min(1.0) } else { 0.0 }
}

/// Whether a library is one that almost every program loads: the C library or the loader.
fn is_of_system(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|name| ["libc.so", "ld-linux"].iter().any(|own| name.starts_with(own)))
}
