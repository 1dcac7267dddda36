//! The report of `counters`: available events by source, and reasons why other events are unavailable.

use fauxplat_model::{CounterFinding, CountersFindings};

use crate::parts::{Piece, Tone};
use crate::words::{counted, visible};

pub(super) fn parts(found: &CountersFindings) -> Vec<Piece> {
    let here = found.counters.iter().filter(|it| it.available).count();
    let all = counted(found.counters.len(), "counter", "counters");
    let mut pieces = vec![Piece::answer(Tone::Title, format!("Of {all} {here} can be counted here."))];
    for (source, title) in SOURCES {
        let own: Vec<&CounterFinding> = found.counters.iter().filter(|it| it.source == *source).collect();
        if own.is_empty() {
            continue;
        }
        pieces.push(Piece::heading((*title).to_owned()));
        let (here, missing): (Vec<&CounterFinding>, Vec<&CounterFinding>) =
            own.iter().partition(|it| it.available);
        let (partly, whole): (Vec<&CounterFinding>, Vec<&CounterFinding>) =
            here.into_iter().partition(|it| it.reason.is_some());
        if !whole.is_empty() {
            pieces.push(Piece::plain(names(&whole)).at(1).joined());
        }
        for (reason, those) in by_reason(&partly) {
            pieces.push(Piece::plain(format!("{} ({})", names(&those), visible(reason))).at(1).joined());
        }
        for (reason, those) in by_reason(&missing) {
            let said = format!("not here: {} ({})", visible(reason), names(&those));
            pieces.push(Piece::said(Tone::Faint, said).at(1).joined());
        }
    }
    pieces
}

/// The sources of counters, each with its description and the prefix of its metrics' names.
const SOURCES: &[(&str, &str)] = &[
    ("pmu", "processor (pmu:NAME, asked for by -e NAME)"),
    ("software", "kernel (software:NAME, asked for by -e NAME)"),
    ("tracepoint", "tracepoints (tracepoint:NAME, asked for by -e NAME)"),
    ("machine", "whole machine (NAME, asked for by -e NAME, read around each run)"),
    ("simulated", "simulated (simulated:NAME, all of them by --simulated)"),
];

fn names(counters: &[&CounterFinding]) -> String {
    let names: Vec<String> = counters.iter().map(|it| visible(&it.name)).collect();
    names.join(", ")
}

/// Unavailable events grouped by reason, in the order of first occurrence.
fn by_reason<'f>(missing: &[&'f CounterFinding]) -> Vec<(&'f str, Vec<&'f CounterFinding>)> {
    let mut reasons: Vec<(&str, Vec<&CounterFinding>)> = Vec::new();
    for counter in missing {
        let reason = counter.reason.as_deref().unwrap_or("no reason is known");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, those)) => those.push(counter),
            None => reasons.push((reason, vec![counter])),
        }
    }
    reasons
}
