//! Conditions that are not the same for both programs.

use crate::evidence::{Evidence, Held};
use crate::findings::{Difference, Kind};

/// A condition that differs, with the kind of cause that it can be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Differs {
    pub(super) kind: Kind,
    pub(super) told: Difference,
    /// Whether the slower program is the one with less: a smaller quota, fewer CPUs, a lower priority.
    pub(super) is_worse: bool,
}

/// Most characters of a value that are shown.
const SHOWN: usize = 60;

/// All conditions that differ.
pub(super) fn differences(evidence: &Evidence) -> Vec<Differs> {
    let Some([fast, slow]) = evidence.held() else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |kind, what: &str, fast: String, slow: String, is_worse| {
        if fast != slow {
            found.push(Differs { kind, told: Difference { what: what.to_owned(), fast, slow }, is_worse });
        }
    };
    let quota = |held: &Held| match held.quota_milli_cpus {
        Some(milli) => format!("{:.2} CPUs", milli as f64 / 1000.0),
        None => "none".to_owned(),
    };
    let quota_of = |held: &Held| held.quota_milli_cpus.unwrap_or(u64::MAX);
    add(Kind::Quota, "CPU quota", quota(fast), quota(slow), quota_of(slow) < quota_of(fast));
    add(Kind::Affinity, "CPUs", fast.cpus.clone(), slow.cpus.clone(), slow.cpu_count < fast.cpu_count);
    add(Kind::Priority, "nice value", fast.nice.to_string(), slow.nice.to_string(), slow.nice > fast.nice);
    let policy = |held: &Held| match held.policy {
        0 => "other".to_owned(),
        1 => "fifo".to_owned(),
        2 => "rr".to_owned(),
        3 => "batch".to_owned(),
        5 => "idle".to_owned(),
        number => number.to_string(),
    };
    add(Kind::Priority, "scheduling policy", policy(fast), policy(slow), slow.policy > fast.policy);
    let on = |is_off: bool| if is_off { "off" } else { "on" }.to_owned();
    add(Kind::Place, "address space randomisation", on(fast.is_aslr_off), on(slow.is_aslr_off), true);
    let pages = [fast, slow].map(|held| on(held.are_huge_pages_off));
    let [fast_pages, slow_pages] = pages;
    add(Kind::HugePages, "huge pages", fast_pages, slow_pages, slow.are_huge_pages_off);
    for (kind, told) in variables(fast, slow) {
        found.push(Differs { kind, told, is_worse: true });
    }
    found
}

/// Variables of the environment that differ.
fn variables(fast: &Held, slow: &Held) -> Vec<(Kind, Difference)> {
    let mut names: Vec<&String> = fast.environment.keys().chain(slow.environment.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let shown = |held: &Held, name: &String| match held.environment.get(name) {
        None => "unset".to_owned(),
        Some(value) if is_harmless(name) => value.chars().take(SHOWN).collect(),
        Some(value) => format!("{} bytes", value.len()),
    };
    let differs = |name: &&String| fast.environment.get(*name) != slow.environment.get(*name);
    let told = |name: &String| {
        let kind = if is_of_locale(name) { Kind::Locale } else { Kind::Environment };
        let what = format!("variable {name}");
        (kind, Difference { what, fast: shown(fast, name), slow: shown(slow, name) })
    };
    names.into_iter().filter(differs).map(told).collect()
}

/// Whether the value of a variable may be shown: others may hold what nobody should read in a report.
fn is_harmless(name: &str) -> bool {
    const BEGINNINGS: [&str; 8] = ["LC_", "LANG", "MALLOC_", "OMP_", "PYTHON", "GO", "GLIBC_", "LD_"];
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

fn is_of_locale(name: &str) -> bool {
    name.starts_with("LC_") || name == "LANG" || name == "LANGUAGE"
}

/// Whether both run the same program with the same arguments, so that only a condition can make the difference.
pub(super) fn is_same_program(evidence: &Evidence) -> bool {
    let Some([fast, slow]) = evidence.held() else { return false };
    !slow.program.is_empty() && fast.program == slow.program && fast.arguments == slow.arguments
}
