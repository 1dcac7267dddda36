//! Flame graphs of one profile or of two.

use fauxplat_model::ProfileFindings;

use super::differences::pair;
use super::words::{share, whole};
use crate::calls::{Call, CallTree, Kind, unit};
use crate::parts::{Bar, Flame};
use crate::words::{counted, grouped, visible};

/// Share of the drawing's width below which a bar is left out, since it would be invisible.
const SHARE_MIN: f64 = 0.0005;
/// Maximum depth of drawn calls. A deeper drawing is not readable.
const DEPTH_MAX: usize = 300;

/// A flame graph for each difference between two profiles, or for each profile if nothing was compared.
pub(super) fn drawings(found: &ProfileFindings) -> Vec<Flame> {
    let pairs = found.differences.iter().filter(|it| pair(found, it).is_some());
    let mut of: Vec<Vec<usize>> = pairs.map(|it| vec![usize::from(it.a), usize::from(it.b)]).collect();
    if of.is_empty() {
        of = (0..found.profiles.len()).map(|profile| vec![profile]).collect();
    }
    of.iter().filter_map(|profiles| flame(found, profiles)).collect()
}

fn flame(found: &ProfileFindings, profiles: &[usize]) -> Option<Flame> {
    let tree = CallTree::of(found, profiles);
    let totals = tree.trunk().events.clone();
    if totals.iter().all(|&total| total == 0) {
        return None;
    }
    let names: Vec<String> = profiles.iter().map(|&profile| found.profiles[profile].name.clone()).collect();
    let whole = whole(&found.profiles[profiles[0]].quality);
    let (bars, left_out) = bars(&tree, &totals);
    let unit = unit(found);
    Some(Flame {
        title: title(&names),
        description: description(&tree, &totals, &whole, unit[1]),
        notes: notes(&left_out),
        names,
        totals,
        whole,
        unit,
        bars,
    })
}

fn title(names: &[String]) -> String {
    match names {
        [one] => format!("Flame graph of {}", visible(one)),
        [a, .., b] => format!("Flame graph of {} against {}", visible(b), visible(a)),
        [] => "Flame graph".to_owned(),
    }
}

/// Description of a flame graph for screen readers: the path of calls with the most samples.
fn description(tree: &CallTree, totals: &[u64], whole: &str, unit: &str) -> String {
    let (mut at, mut way) = (0, Vec::new());
    let last = totals.len() - 1;
    while way.len() < WAY_MAX {
        let callees = tree.calls[at].callees.iter().copied();
        let Some(most) = callees.max_by_key(|&callee| tree.calls[callee].events[last]) else { break };
        at = most;
        way.push(visible(tree.calls[at].name));
    }
    let samples = grouped(totals[last]);
    format!("{samples} {unit} as shares of the {whole}; most of it is in {}", way.join(", which calls "))
}

/// Maximum number of calls in the path that the description of a flame graph names.
const WAY_MAX: usize = 5;

#[derive(Default)]
struct LeftOut {
    narrow: usize,
    deep: usize,
}

/// The bars of a flame graph, each after its caller and with callees ordered by name, so that equal profiles give equal
/// drawings; and the numbers of calls that are left out.
fn bars(tree: &CallTree, totals: &[u64]) -> (Vec<Bar>, LeftOut) {
    let (mut bars, mut left_out) = (Vec::new(), LeftOut::default());
    let mut open = vec![(0, vec![0; totals.len()])];
    while let Some((place, starts)) = open.pop() {
        let call = &tree.calls[place];
        if !is_seen(call, totals) {
            left_out.narrow += 1;
            continue;
        }
        if call.depth > DEPTH_MAX {
            left_out.deep += 1;
            continue;
        }
        let mut callees = call.callees.clone();
        callees.sort_by_key(|&callee| (tree.calls[callee].name, tree.calls[callee].kind));
        let mut next = starts.clone();
        let first = open.len();
        for callee in callees {
            open.push((callee, next.clone()));
            next.iter_mut().zip(&tree.calls[callee].events).for_each(|(at, samples)| *at += samples);
        }
        // Calls are taken from the end of `open`, so the last one to be drawn comes first.
        open[first..].reverse();
        bars.push(Bar {
            name: call.name.to_owned(),
            kind: if place == 0 { Kind::Frame } else { call.kind },
            depth: call.depth,
            spans: starts.into_iter().zip(call.events.iter().copied()).collect(),
        });
    }
    (bars, left_out)
}

fn is_seen(call: &Call, totals: &[u64]) -> bool {
    let share = |(&samples, &total): (&u64, &u64)| samples as f64 / total.max(1) as f64;
    call.events.iter().zip(totals).map(share).fold(0.0, f64::max) >= SHARE_MIN
}

fn notes(left_out: &LeftOut) -> Vec<String> {
    let mut notes = Vec::new();
    if left_out.narrow > 0 {
        let many = counted(left_out.narrow, "bar", "bars");
        notes.push(format!(
            "{many} narrower than {} of the width left out, with all frames above them",
            share(SHARE_MIN)
        ));
    }
    if left_out.deep > 0 {
        let many = counted(left_out.deep, "bar", "bars");
        notes.push(format!("{many} deeper than {DEPTH_MAX} calls left out, with all frames above them"));
    }
    notes
}
