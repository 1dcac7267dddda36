//! What can be counted here: every name is tried.

use fauxplat_counters::{Availability, Catalog, available, cachegrind, parse};
use fauxplat_model::{CounterFinding, CountersFindings};

use crate::Machine;
use crate::counters::{can_open, circumstances, in_user_mode};
use crate::meter::simulator;

/// Tries every counter that has a name on this process.
pub fn counters(machine: &Machine) -> CountersFindings {
    let catalog = Catalog::read(machine.root());
    let tried = available(&catalog, &circumstances(machine, &catalog));
    let mut counters: Vec<CounterFinding> = tried.into_iter().map(|one| found(one, &catalog)).collect();
    // What the processor counts comes first, whatever else has a name behind it.
    counters.sort_by_key(|counter| counter.source != "pmu");
    let missing = simulator().err().map(|failure| failure.to_string());
    counters.extend(cachegrind::names().map(|name| CounterFinding {
        name: name.to_owned(),
        source: cachegrind::SOURCE.to_owned(),
        available: missing.is_none(),
        reason: missing.clone(),
    }));
    CountersFindings { counters }
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

/// What whoever may not see the kernel gets.
const USER_ALONE: &str =
    "user mode alone: the kernel's own part takes root, CAP_PERFMON, or a kernel.perf_event_paranoid below 2";
