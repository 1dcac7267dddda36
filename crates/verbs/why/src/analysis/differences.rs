//! Conditions that differ between the two programs.

use std::collections::BTreeMap;

use crate::evidence::{Evidence, Quota};
use crate::findings::{Difference, Kind};

/// A condition that differs between the programs, with the kind of cause that it can be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Differs {
    pub(super) kind: Kind,
    pub(super) told: Difference,
    /// Whether the slower program is the one with less: a smaller quota, fewer CPUs, a lower priority.
    pub(super) is_worse: bool,
}

/// Beginning of the name of a condition that is an environment variable, before the variable's own name.
pub(super) const VARIABLE: &str = "variable ";

/// Maximum number of characters of a variable's value that a report shows.
const SHOWN: usize = 60;

/// Values of a condition for the faster and the slower program, if both are known and they differ.
fn both<T: PartialEq>(fast: Option<T>, slow: Option<T>) -> Option<(T, T)> {
    fast.zip(slow).filter(|(fast, slow)| fast != slow)
}

/// All conditions that differ between the programs. A condition that is unknown for either program counts as equal.
pub(super) fn differences(evidence: &Evidence) -> Vec<Differs> {
    let Some([fast, slow]) = evidence.held() else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |kind, what: &str, (fast, slow): (String, String), is_worse| {
        found.push(Differs { kind, told: Difference { what: what.to_owned(), fast, slow }, is_worse });
    };
    if let Some((fast, slow)) = both(fast.quota, slow.quota) {
        add(Kind::Quota, "CPU quota", (quota(fast), quota(slow)), slow < fast);
    }
    if let Some(cpus) = both(fast.cpus.clone(), slow.cpus.clone()) {
        let is_worse = fast.cpu_count.zip(slow.cpu_count).is_some_and(|(fast, slow)| slow < fast);
        add(Kind::Affinity, "CPUs", cpus, is_worse);
    }
    if let Some((fast, slow)) = both(fast.nice, slow.nice) {
        add(Kind::Priority, "nice value", (fast.to_string(), slow.to_string()), slow > fast);
    }
    if let Some((fast, slow)) = both(fast.policy, slow.policy) {
        add(Kind::Priority, "scheduling policy", (policy(fast), policy(slow)), slow > fast);
    }
    let on = |is_off: bool| if is_off { "off" } else { "on" }.to_owned();
    if let Some((fast, slow)) = both(fast.is_aslr_off, slow.is_aslr_off) {
        add(Kind::Place, "address space randomisation", (on(fast), on(slow)), true);
    }
    if let Some((fast, slow)) = both(fast.are_huge_pages_off, slow.are_huge_pages_off) {
        add(Kind::HugePages, "huge pages", (on(fast), on(slow)), slow);
    }
    if let Some((fast, slow)) = fast.environment.as_ref().zip(slow.environment.as_ref()) {
        let all = variables(fast, slow).into_iter();
        found.extend(all.map(|(kind, told)| Differs { kind, told, is_worse: true }));
    }
    found
}

fn quota(quota: Quota) -> String {
    match quota {
        Quota::MilliCpus(milli) => format!("{:.2} CPUs", milli as f64 / 1000.0),
        Quota::Unlimited => "none".to_owned(),
    }
}

/// The name of a scheduling policy, see sched(7).
fn policy(number: u64) -> String {
    match number {
        0 => "other".to_owned(),
        1 => "fifo".to_owned(),
        2 => "rr".to_owned(),
        3 => "batch".to_owned(),
        5 => "idle".to_owned(),
        number => number.to_string(),
    }
}

/// Variables of an environment, by their names.
type Variables = BTreeMap<String, String>;

/// Environment variables that differ between the programs, each with the kind of cause that it can be.
fn variables(fast: &Variables, slow: &Variables) -> Vec<(Kind, Difference)> {
    let mut names: Vec<&String> = fast.keys().chain(slow.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let shown = |variables: &Variables, name: &String| match variables.get(name) {
        None => "unset".to_owned(),
        Some(value) if is_harmless(name) => value.chars().take(SHOWN).collect(),
        Some(value) => format!("{} bytes", value.len()),
    };
    let differs = |name: &&String| fast.get(*name) != slow.get(*name);
    let told = |name: &String| {
        let kind = if is_of_locale(name) { Kind::Locale } else { Kind::Environment };
        let what = format!("{VARIABLE}{name}");
        (kind, Difference { what, fast: shown(fast, name), slow: shown(slow, name) })
    };
    names.into_iter().filter(differs).map(told).collect()
}

/// Whether the value of an environment variable may be shown in a report; other variables may hold secrets.
fn is_harmless(name: &str) -> bool {
    const BEGINNINGS: [&str; 8] = ["LC_", "LANG", "MALLOC_", "OMP_", "PYTHON", "GO", "GLIBC_", "LD_"];
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

fn is_of_locale(name: &str) -> bool {
    name.starts_with("LC_") || name == "LANG" || name == "LANGUAGE"
}

/// Whether both commands run the same program with the same arguments, in as many processes and after as many other programs, so that only a condition
/// can cause the difference.
pub(super) fn is_same_program(evidence: &Evidence) -> bool {
    let Some([fast, slow]) = &evidence.traced else { return false };
    let is_whole = !fast.is_partial && !slow.is_partial;
    let [a, b] = [&fast.held, &slow.held];
    let is_same = a.program.is_some() && a.program == b.program;
    is_whole
        && is_same
        && a.arguments.is_some()
        && a.arguments == b.arguments
        && fast.processes == slow.processes
        && fast.programs_before == slow.programs_before
}
