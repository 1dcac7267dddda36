//! Hazards of a machine for measurements: a declaration for each, read from a root path and judged.
//!
//! Nothing is ever written. The root is `/` on the machine itself, and otherwise a capture: a tree of files. A file
//! that is missing, may not be read or has invalid contents makes only its own hazard *unknown* or *not applicable*,
//! with the reason. A file that a capture lacks may well be on its machine, so that its hazard is *unknown*. All
//! counters are read twice, an interval apart, for all hazards together.

mod explain;
mod finding;
mod groups;
mod hazard;
mod read;
mod tree;
mod view;
mod warn;

use std::path::Path;
use std::thread;
use std::time::Duration;

use fauxplat_sys::clock;
use fauxplat_units::{CpuSet, Nanos};

use crate::hazard::{Judged, Verdict};
use crate::read::counters::Counters;
use crate::tree::{Missing, Tree};
use crate::view::View;

pub use explain::{all_hazards, explain};
pub use finding::{CpuHazard, Examination, HazardFinding, HazardGroup, Severity};
pub use groups::hazards;
pub use hazard::{Hazard, Neutralised};
pub use warn::warnings;

/// The error for a name that is not a hazard's.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a hazard; {suggestion} (fauxplat doctor --all lists them)")]
pub struct UnknownHazard {
    name: String,
    suggestion: String,
}

/// Returns the hazard of this name.
///
/// # Errors
/// Fails where there is no hazard of this name; the error suggests similar names.
pub fn find(name: &str) -> Result<&'static Hazard, UnknownHazard> {
    let unknown = || UnknownHazard { name: name.escape_debug().to_string(), suggestion: suggestion(name) };
    hazards().find(|hazard| hazard.name == name).ok_or_else(unknown)
}

/// Similarity, from 0 to 1, from which on a name is suggested; 0.7 finds transposed and forgotten letters.
const LIKENESS_MIN: f64 = 0.7;

fn suggestion(name: &str) -> String {
    // The comparison takes quadratic time, so a long name is cut.
    let word: String = name.chars().take(40).collect::<String>().to_lowercase();
    let likeness = |hazard: &Hazard| match hazard.name.contains(&word) && word.len() > 2 {
        true => 1.0,
        false => strsim::jaro_winkler(&word, hazard.name),
    };
    let mut near: Vec<(f64, &str)> = hazards()
        .map(|hazard| (likeness(hazard), hazard.name))
        .filter(|(like, _)| *like >= LIKENESS_MIN)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    match near.as_slice() {
        [] => "there is nothing like it".to_owned(),
        near => {
            let names: Vec<String> = near.iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
            format!("did you mean {}?", names.join(" or "))
        }
    }
}

/// Examines the machine below a root path; counters are read twice, the interval apart.
///
/// A root other than `/` shows one moment of another machine: it is read once, and hazards that need two readings are
/// unknown. `cpus` are the CPUs to be measured on; by default all on which this process may run.
pub fn examine(root: &Path, cpus: Option<&CpuSet>, interval: Nanos) -> Examination {
    let started_ns = clock::monotonic_ns();
    let tree = Tree::new(root);
    let counted = counted_cpus(root, cpus);
    let first = Counters::read(&tree, &counted);
    let mut found = match tree.is_live() && interval.0 > 0 {
        true => {
            thread::sleep(Duration::from_nanos(interval.0));
            let second = Counters::read(&tree, &counted);
            judge(View::new(&tree, root, cpus, &second).since(&first))
        }
        false => judge(View::new(&tree, root, cpus, &first)),
    };
    found.elapsed_ns = clock::monotonic_ns().saturating_sub(started_ns);
    found
}

/// Examines one machine by two captures, which are copies of its files, that were taken this time apart.
pub fn examine_captures(before: &Path, after: &Path, cpus: Option<&CpuSet>, apart: Nanos) -> Examination {
    let (early, late) = (Tree::new(before), Tree::new(after));
    let mut first = Counters::read(&early, &counted_cpus(before, cpus));
    let mut second = Counters::read(&late, &counted_cpus(after, cpus));
    (first.at_ns, second.at_ns) = (0, apart.0);
    judge(View::new(&late, after, cpus, &second).since(&first))
}

fn counted_cpus(root: &Path, cpus: Option<&CpuSet>) -> CpuSet {
    cpus.cloned().unwrap_or_else(|| fauxplat_topology::allowed(root))
}

/// Judges every hazard and sorts them by severity, worst first; hazards of one severity keep the order of the groups.
fn judge(view: View<'_>) -> Examination {
    let locked = view.locked();
    let mut hazards: Vec<HazardFinding> =
        hazards().map(|hazard| finding(hazard, verdict(hazard, &view), &locked, &view)).collect();
    hazards.sort_by_key(|found| found.severity);
    Examination {
        hazards,
        cpus: view.cpus.clone(),
        interval_ns: (view.seconds * 1e9) as u64,
        ..Examination::default()
    }
}

/// Calls the function that judges a hazard, and applies two rules that hold for all hazards: some are meaningless in a
/// virtual machine, and a missing file makes a hazard not applicable.
fn verdict(hazard: &Hazard, view: &View<'_>) -> Judged {
    let nothing_here = |why: &str| format!("in a virtual machine this is meaningless: {why}");
    let _of_another_hazard = view.tree.take_cut();
    let judged = (hazard.judge)(view).and_then(|judged| shown(judged, view));
    match (judged, hazard.in_vm.filter(|_| view.is_virtual())) {
        (Ok(judged), None) => judged,
        (Ok(judged), Some(why)) => Judged::not_applicable(judged.value, nothing_here(why)),
        (Err(_), Some(why)) => Judged::not_applicable("", nothing_here(why)),
        (Err(missing @ Missing::Absent(_)), None) if view.tree.is_live() || !missing.is_of_file() => {
            Judged::not_applicable("", missing.to_string())
        }
        (Err(missing), None) => Judged::new(Severity::Unknown, "").because(missing.to_string()),
    }
}

/// Returns a judgement as far as the files show it: a capture that names no CPU, or that lacks a file which the
/// hazard's function consulted, does not show that a hazard is harmless.
fn shown(judged: Judged, view: &View<'_>) -> Verdict {
    match view.tree.take_cut() {
        _ if view.tree.is_live() || !judged.severity.is_harmless() => Ok(judged),
        _ if view.cpus.is_empty() => Err(no_cpu()),
        Some(path) => Err(Missing::Absent(path.to_owned())),
        None => Ok(judged),
    }
}

/// The reason why a hazard cannot be judged where no CPU is known to be online.
pub(crate) fn no_cpu() -> Missing {
    Missing::garbage("sys/devices/system/cpu/online", "it names no CPU")
}

const READ_ONLY: &str = "The setting is mounted read-only here: it can be changed only on the host.";

fn finding(hazard: &Hazard, judged: Judged, locked: &[&str], view: &View<'_>) -> HazardFinding {
    let Judged { severity, value, reason, mut cpus, knob } = judged;
    cpus.iter_mut().for_each(|found| found.value = printable(&found.value));
    let (neutralised_by_us, how) = match hazard.neutralised {
        Neutralised::No => (false, None),
        Neutralised::Partly(how) => (false, Some(how)),
        Neutralised::Yes(how) => (true, Some(how)),
    };
    let knob = knob.or_else(|| hazard.knob.map(str::to_owned)).map(|knob| for_cpus(&knob, view));
    let is_harmless = severity.is_harmless();
    let is_below = |word: &str| locked.iter().any(|point| word.starts_with(point));
    let is_locked = hazard.reads.split([' ', ',']).any(is_below);
    let can_tune = knob.is_some() && !is_locked && severity != Severity::NotApplicable;
    let advice = match (is_harmless, knob.is_some() && is_locked) {
        (true, _) => "Nothing to do.".to_owned(),
        (false, true) => format!("{} {READ_ONLY}", hazard.advice),
        (false, false) => hazard.advice.to_owned(),
    };
    HazardFinding {
        name: hazard.name.to_owned(),
        title: hazard.title.to_owned(),
        group: hazard.group,
        value: Some(printable(&value)).filter(|value| !value.is_empty()),
        severity,
        reason: reason.as_deref().map(printable),
        cost: hazard.cost.to_owned(),
        neutralised_by_us,
        neutralised_how: how.map(str::to_owned),
        can_tune,
        tune: knob.filter(|_| can_tune && !is_harmless).map(|knob| explain::command(&knob)),
        advice,
        cpus,
    }
}

/// Escapes control characters: processes and groups choose their own names, and a terminal would interpret escape
/// sequences in them.
fn printable(text: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_debug().to_string(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// Returns an argument for `tune --set`. If the user chose CPUs, they replace `CPUS` in the argument, and the first of
/// them replaces `N`.
fn for_cpus(knob: &str, view: &View<'_>) -> String {
    match (view.cpus == view.allowed, view.cpus.first()) {
        (false, Some(first)) => {
            knob.replace("CPUS", &view.cpus.to_string()).replace(":N=", &format!(":{first}="))
        }
        _ => knob.to_owned(),
    }
}

/// Returns why hazards are unknown: one line for each reason, which begins with the names of the hazards.
pub fn not_measured(examination: &Examination) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for found in examination.hazards.iter().filter(|found| found.severity == Severity::Unknown) {
        let reason = found.reason.as_deref().unwrap_or("unknown");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(&found.name),
            None => reasons.push((reason, vec![&found.name])),
        }
    }
    reasons.into_iter().map(|(reason, names)| format!("{} ({reason})", names.join(", "))).collect()
}
