//! The report of `limit`: events of each control group, its use of resources, and the effective limits.

use std::io::Write;

use fauxplat_model::{
    CpuShare, LimitEvent, LimitEventKind, LimitFindings, LimitedGroup, LimitsHeld, Outcome, Victim,
};
use fauxplat_units::{Bytes, Nanos};
use serde::Serialize;

use crate::parts::spans::{code, named};
use crate::parts::{Grid, Note, Notes, Part, Piece, Tone};
use crate::words::{counted, percent, visible};

pub(crate) fn parts(found: &LimitFindings) -> Vec<Piece> {
    let mut parts = vec![Piece::answer(Tone::Title, answer(found))];
    parts.extend(found.groups.iter().flat_map(|group| happened(found, group)));
    if !found.groups.is_empty() {
        parts.push(Piece::table(table(found)));
        parts.push(Piece::new(Part::Notes(limits(found))));
        parts.push(Piece::new(Part::Notes(places(found))));
    }
    parts
}

/// The answer: the group that was killed or paused if there is one, otherwise the shares of the CPUs, or that nothing
/// happened.
fn answer(found: &LimitFindings) -> String {
    let killed = found.groups.iter().find_map(|group| Some((group, event(group, LimitEventKind::OomKill)?)));
    if let Some((group, event)) = killed {
        return format!("{} was killed for want of memory{}", who(group, event), met(group));
    }
    if let Some(group) = found.groups.iter().find(|group| event(group, LimitEventKind::Paused).is_some()) {
        return format!("{} was paused for want of memory{}", named(&group.name), met(group));
    }
    match found.groups.as_slice() {
        [] => "Nothing ran".to_owned(),
        [one] => alone(one),
        several => shared(found, several),
    }
}

fn event(group: &LimitedGroup, kind: LimitEventKind) -> Option<&LimitEvent> {
    group.events.iter().find(|event| event.kind == kind)
}

fn who(group: &LimitedGroup, event: &LimitEvent) -> String {
    match &event.victim {
        Some(victim) => format!("{}{}", named(&victim.name), victim_words(victim)),
        None => format!("A process of {}", named(&group.name)),
    }
}

fn victim_words(victim: &Victim) -> String {
    let held = victim.anonymous_bytes.map(|bytes| format!(", which held {}", Bytes(bytes)));
    format!(" (process {}{})", victim.pid, held.unwrap_or_default())
}

fn met(group: &LimitedGroup) -> String {
    let limit = group.limits.memory_bytes.or(group.limits.memory_high_bytes);
    limit.map_or(String::new(), |limit| {
        format!(" when {} met its limit of {}", named(&group.name), Bytes(limit))
    })
}

fn alone(group: &LimitedGroup) -> String {
    let peak = group.peak_memory_bytes.or(group.used.memory_bytes);
    let memory = peak.map(|bytes| format!("{} of memory at most", Bytes(bytes)));
    let cpu = group.used.cpu_ns.map(|ns| format!("{} of CPU time", Nanos(ns)));
    let used: Vec<String> = [memory, cpu].into_iter().flatten().collect();
    let used = if used.is_empty() { "what it used is not known".to_owned() } else { used.join(", ") };
    match event(group, LimitEventKind::Throttled) {
        Some(event) => {
            let of = group.used.periods.map_or(String::new(), |periods| format!(" of {periods}"));
            let word = if event.times == 1 && of.is_empty() { "period" } else { "periods" };
            format!("{} used up its quota in {}{of} {word}: {used}", named(&group.name), event.times)
        }
        None => format!("{}: {used}", held(group)),
    }
}

/// Clause about which limits of memory and processes a group has reached.
fn held(group: &LimitedGroup) -> String {
    let has_met = |kind| event(group, kind).is_some();
    let processes = has_met(LimitEventKind::PidsMax).then_some("processes");
    let memory =
        (has_met(LimitEventKind::MemoryMax) || has_met(LimitEventKind::MemoryHigh)).then_some("memory");
    let met: Vec<&str> = processes.into_iter().chain(memory).collect();
    match met.is_empty() {
        true if limit_words(&group.limits).is_empty() => format!("{} had no limit", named(&group.name)),
        true => format!("{} stayed within its limits", named(&group.name)),
        false => format!("{} met its limit of {}", named(&group.name), met.join(" and of ")),
    }
}

fn shared(found: &LimitFindings, groups: &[LimitedGroup]) -> String {
    let shares: Vec<String> = groups
        .iter()
        .filter_map(|group| Some(format!("{} had {}", named(&group.name), percent(group.share?.share))))
        .collect();
    match shares.is_empty() {
        true => format!("{} groups ran, but never all at the same time", groups.len()),
        false => {
            format!("{} of the CPU time in the {:.1} s in which all ran", shares.join(", "), found.together_s)
        }
    }
}

/// Whether the answer of the report already states the event.
fn is_answer(found: &LimitFindings, event: &LimitEvent) -> bool {
    let first = |kind| found.groups.iter().find_map(|group| self::event(group, kind));
    let answer = first(LimitEventKind::OomKill).or(first(LimitEventKind::Paused));
    answer.is_some_and(|answer| std::ptr::eq(answer, event))
}

/// Events of a group that the answer does not report, one sentence each.
fn happened(found: &LimitFindings, group: &LimitedGroup) -> Vec<Piece> {
    let mut told = Vec::new();
    for event in group.events.iter().filter(|event| !is_answer(found, event)) {
        let what = match event.kind {
            LimitEventKind::OomKill => format!("{} was killed for want of memory", who(group, event)),
            LimitEventKind::Paused => "all tasks waited for memory".to_owned(),
            LimitEventKind::Throttled => {
                format!("its quota was used up in {}", counted(event.times as usize, "period", "periods"))
            }
            LimitEventKind::MemoryHigh => {
                format!("slowed down {} for using more than {}", times(event), memory_high(&group.limits))
            }
            LimitEventKind::MemoryMax => {
                format!("met its limit of memory {}, and the kernel found pages to free", times(event))
            }
            LimitEventKind::PidsMax => {
                format!("the limit of processes prevented a new one, {}", times(event))
            }
        };
        told.push(format!("{}: {what}, first seen at {:.2} s.", named(&group.name), event.at_s));
    }
    for command in &group.commands {
        let how = match command.outcome {
            Some(outcome) if outcome.is_success() => continue,
            Some(Outcome::Exited(status)) => format!("ended with status {status}"),
            Some(Outcome::Signaled(signal)) => format!("was ended by signal {signal}"),
            Some(Outcome::TimedOut) => "was ended at the limit of its time".to_owned(),
            None if found.is_timed_out => "was ended when the time was over".to_owned(),
            None => "was ended".to_owned(),
        };
        told.push(format!("{} {how}.", code(&command.command)));
    }
    told.into_iter().map(Piece::plain).map(Piece::joined).collect()
}

fn times(event: &LimitEvent) -> String {
    counted(event.times as usize, "time", "times")
}

fn memory_high(limits: &LimitsHeld) -> String {
    limits.memory_high_bytes.map_or("its limit".to_owned(), |bytes| Bytes(bytes).to_string())
}

fn table(found: &LimitFindings) -> Grid {
    let header = ["group", "peak memory", "CPU time", "CPUs", "share", "95 % interval", "throttled"];
    let mut grid = Grid::named(&header, &[3, 6]);
    for group in &found.groups {
        let is_hit = group.events.iter().any(|event| event.kind == LimitEventKind::OomKill);
        grid.push(if is_hit { Tone::Bad } else { Tone::Plain }, row(group));
    }
    grid
}

/// Minimum duration in seconds for which a rate is shown; rates over shorter times are meaningless.
const RATE_FROM_S: f64 = 0.1;

fn row(group: &LimitedGroup) -> Vec<String> {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let used = &group.used;
    // For a program of a few milliseconds, CPU time that was used before its start would dominate.
    let cpus = used.cpu_ns.filter(|_| group.elapsed_s >= RATE_FROM_S);
    vec![
        group.name.clone(),
        or_none(group.peak_memory_bytes.map(|bytes| Bytes(bytes).to_string())),
        or_none(used.cpu_ns.map(|ns| Nanos(ns).to_string())),
        or_none(cpus.map(|ns| format!("{:.2}", ns as f64 / 1e9 / group.elapsed_s))),
        or_none(group.share.map(|share| percent(share.share))),
        or_none(group.share.and_then(interval)),
        or_none(used.throttled_ns.filter(|_| used.periods > Some(0)).map(|ns| Nanos(ns).to_string())),
    ]
}

fn interval(share: CpuShare) -> Option<String> {
    Some(format!("{} … {}", percent(share.low?), percent(share.high?)))
}

fn limits(found: &LimitFindings) -> Notes {
    let mut lines = Vec::new();
    for group in &found.groups {
        let words = limit_words(&group.limits);
        let words = if words.is_empty() { vec!["none".to_owned()] } else { words };
        lines.push(Note::fact("", vec![format!("{}: {}", named(&group.name), visible(&words.join(", ")))]));
        lines.extend(group.notes.iter().map(|note| Note { depth: 2, ..Note::fact("", vec![visible(note)]) }));
    }
    Notes { title: "limits that held".to_owned(), folded: false, lines }
}

fn limit_words(limits: &LimitsHeld) -> Vec<String> {
    let bytes = |name: &str, bytes: Option<u64>| bytes.map(|bytes| format!("{name} {}", Bytes(bytes)));
    let words = [
        limits.cpu_percent.map(|percent| format!("CPU {percent:.0} %")),
        limits.weight.map(|weight| format!("weight {weight:.0}")),
        limits.cpus.as_ref().map(|cpus| format!("CPUs {cpus}")),
        limits.mems.as_ref().map(|mems| format!("memory nodes {mems}")),
        bytes("memory", limits.memory_bytes),
        bytes("memory high", limits.memory_high_bytes),
        bytes("swap", limits.swap_bytes),
        limits.pids.map(|pids| format!("processes {pids}")),
    ];
    words.into_iter().flatten().chain(limits.io.iter().map(|io| format!("io {io}"))).collect()
}

/// Notes with the paths of the control groups, and the way in which each was created.
fn places(found: &LimitFindings) -> Notes {
    let mut lines = Vec::new();
    for group in &found.groups {
        for place in &group.places {
            let text = format!(
                "{}: version {}, {} ({})",
                place.controllers.join(", "),
                place.version,
                place.folder,
                place.way
            );
            lines.push(Note { unbroken: false, ..Note::fact("", vec![visible(&text)]) }.in_full());
        }
    }
    Notes { title: "where the groups stood".to_owned(), folded: true, lines }
}

#[derive(Serialize)]
struct Line<'a> {
    group: &'a str,
    version: &'a str,
    peak_memory_bytes: Option<u64>,
    memory_limit_bytes: Option<u64>,
    cpu_ns: Option<u64>,
    share: Option<f64>,
    share_low: Option<f64>,
    share_high: Option<f64>,
    throttled_periods: Option<u64>,
    throttled_ns: Option<u64>,
    oom_kills: Option<u64>,
    elapsed_s: f64,
}

pub(crate) fn rows(found: &LimitFindings, rows: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    found.groups.iter().try_for_each(|group| {
        rows.serialize(Line {
            group: &group.name,
            version: &group.version,
            peak_memory_bytes: group.peak_memory_bytes,
            memory_limit_bytes: group.limits.memory_bytes,
            cpu_ns: group.used.cpu_ns,
            share: group.share.map(|share| share.share),
            share_low: group.share.and_then(|share| share.low),
            share_high: group.share.and_then(|share| share.high),
            throttled_periods: group.throttled_periods,
            throttled_ns: group.used.throttled_ns,
            oom_kills: group.used.oom_kills,
            elapsed_s: group.elapsed_s,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(kinds: &[LimitEventKind]) -> String {
        let event = |&kind: &LimitEventKind| LimitEvent { kind, at_s: 0.1, times: 1, victim: None };
        let events = kinds.iter().map(event).collect();
        let limits = LimitsHeld { memory_bytes: Some(1 << 20), ..LimitsHeld::default() };
        let group = LimitedGroup { name: "limited".into(), events, limits, ..LimitedGroup::default() };
        answer(&LimitFindings { groups: vec![group], ..LimitFindings::default() })
    }

    #[test]
    fn a_group_that_met_a_limit_did_not_stay_within_them() {
        assert!(answered(&[]).contains("stayed within its limits"));
        let free = LimitedGroup { name: "free".into(), ..LimitedGroup::default() };
        assert!(
            answer(&LimitFindings { groups: vec![free], ..LimitFindings::default() })
                .contains("had no limit")
        );
        for (kinds, says) in [
            (&[LimitEventKind::PidsMax][..], "met its limit of processes: "),
            (&[LimitEventKind::MemoryMax], "met its limit of memory: "),
            (
                &[LimitEventKind::MemoryHigh, LimitEventKind::PidsMax],
                "met its limit of processes and of memory: ",
            ),
            (&[LimitEventKind::PidsMax, LimitEventKind::Throttled], "used up its quota in 1 "),
        ] {
            let answer = answered(kinds);
            assert!(answer.contains(says) && !answer.contains("stayed"), "{answer}");
        }
    }

    #[test]
    fn what_happened_once_is_told_as_one() {
        let event = LimitEvent { kind: LimitEventKind::PidsMax, at_s: 0.1, times: 1, victim: None };
        assert!(
            times(&event).ends_with("time") && times(&LimitEvent { times: 2, ..event }).ends_with("times")
        );
    }
}
