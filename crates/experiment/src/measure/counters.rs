//! Finds out which events can be counted on this machine, by trying every known name.

use fauxplat_counters::{Availability, Catalog, available, cachegrind, parse};
use fauxplat_model::{CounterFinding, CountersFindings, Definition, WatchedProcess};
use fauxplat_sys::clock;
use fauxplat_units::Nanos;

use crate::counters::{Counters, can_open, circumstances, in_user_mode};
use crate::meter::{all_accounts, simulator};
use crate::series::{Process, watched};
use crate::{Failure, Machine};

/// Tries to open every named event for this process, and returns which of them can be counted.
pub fn counters(machine: &Machine) -> CountersFindings {
    let catalog = Catalog::read(machine.root());
    let tried = available(&catalog, &circumstances(machine, &catalog));
    let mut counters: Vec<CounterFinding> = tried.into_iter().map(|one| found(one, &catalog)).collect();
    // Processor events come first, whichever other events have names.
    counters.sort_by_key(|counter| counter.source != "pmu");
    let missing = simulator().err().map(|failure| failure.to_string());
    counters.extend(cachegrind::names().map(|name| CounterFinding {
        name: name.to_owned(),
        source: cachegrind::SOURCE.to_owned(),
        available: missing.is_none(),
        reason: missing.clone(),
    }));
    counters.extend(accounts(machine));
    CountersFindings { counters, watched: None }
}

/// Counts events of a running process: those that the request lists, or the available default ones.
///
/// # Errors
/// Fails if the process does not exist, or an event cannot be counted for it.
pub fn watch(machine: &Machine, asked: &Watching) -> Result<CountersFindings, Failure> {
    let process = Process::find(asked.pid)?;
    let named = if asked.counters.is_empty() { vec!["default".to_owned()] } else { asked.counters.clone() };
    let definition = Definition { counters: named, ..Definition::default() };
    let counters = Counters::open(&definition, machine)?;
    let begun = clock::monotonic_ns();
    let (series, has_ended) = watched(&process, &counters, asked.every, asked.longest)?;
    let missing = counters.not_measured(&[]).into_iter().map(|why| format!("not counted: {why}"));
    let watched = WatchedProcess {
        pid: asked.pid,
        name: process.name,
        threads: process.threads.len(),
        elapsed_ns: clock::monotonic_ns() - begun,
        has_ended,
        series,
        not_counted: counters.notes.iter().cloned().chain(missing).collect(),
    };
    Ok(CountersFindings { counters: Vec::new(), watched: Some(watched) })
}

#[derive(Clone, Debug)]
pub struct Watching {
    pub pid: u32,
    /// Events to count; the default set if empty.
    pub counters: Vec<String>,
    pub every: Nanos,
    /// Time for which the process is watched; `None` to watch until it ends.
    pub longest: Option<Nanos>,
}

/// Findings about the metrics that meters read before and after each run.
fn accounts(machine: &Machine) -> impl Iterator<Item = CounterFinding> {
    all_accounts(machine.root()).into_iter().map(|(name, reason)| CounterFinding {
        name,
        source: "machine".to_owned(),
        available: reason.is_none(),
        reason,
    })
}

fn found(tried: Availability, catalog: &Catalog) -> CounterFinding {
    let Availability { name, source, is_available, reason, cure, .. } = tried;
    let asked = parse(&name).ok().and_then(|mut all| all.pop());
    let user = asked.as_ref().and_then(in_user_mode).filter(|user| !is_available && can_open(user, catalog));
    let reason = match (&user, reason, cure) {
        (Some(_), ..) => Some(USER_ALONE.to_owned()),
        (None, Some(why), Some(cure)) => Some(format!("{why}; {cure}")),
        (None, why, _) => why,
    };
    CounterFinding {
        name,
        source: source.word().to_owned(),
        available: is_available || user.is_some(),
        reason,
    }
}

/// Note about an event that the user may count in user mode alone.
const USER_ALONE: &str =
    "user mode alone: the kernel's own part takes root, CAP_PERFMON, or a kernel.perf_event_paranoid below 2";
