//! The report of `fleet watch`: changes of machines over successive visits.

use fauxplat_model::{ChangePoint, Estimand, FactChange, FleetWatchFindings, SinceFact, WatchedNode};

use super::facts::{interval, slower_words, title};
use crate::parts::spans::{emphasis, named};
use crate::parts::{Across, Grid, Line, Part, Piece, Point, Series, Tone, Values};
use crate::words::{change, counted, p_value, percent, quantity, visible};

/// Maximum number of changes that are listed.
const ROWS_MAX: usize = 40;

/// Maximum number of machines that are drawn.
const DRAWN_MAX: usize = 4;

pub(crate) fn parts(found: &FleetWatchFindings) -> Vec<Piece> {
    let changed = !found.whole.is_empty() || found.nodes.iter().any(|node| !node.changes.is_empty());
    let tone = if changed { Tone::Doubt } else { Tone::Title };
    let mut parts = vec![Piece::answer(tone, answer(found))];
    parts.extend(found.whole.iter().map(|change| Piece::said(Tone::Doubt, whole_words(change, found))));
    parts.extend(smallest(found).map(Piece::plain));
    parts.extend(found.since.iter().map(|since| Piece::said(Tone::Doubt, since_words(since, found))));
    let changes: Vec<(&WatchedNode, &ChangePoint)> =
        found.nodes.iter().flat_map(|node| node.changes.iter().map(move |change| (node, change))).collect();
    if !changes.is_empty() {
        parts.push(Piece::table(grid(found, &changes)));
    }
    if changes.len() > ROWS_MAX {
        let more = changes.len() - ROWS_MAX;
        parts.push(Piece::plain(format!("{more} more changes are listed in the other formats.")));
    }
    let changed = found.nodes.iter().filter(|node| !node.changes.is_empty());
    parts.extend(changed.take(DRAWN_MAX).map(|node| Piece::new(Part::Series(series(node, found)))));
    parts.push(Piece::plain(meaning(found)).in_full());
    parts
}

fn answer(found: &FleetWatchFindings) -> String {
    let changed: Vec<&WatchedNode> = found.nodes.iter().filter(|node| !node.changes.is_empty()).collect();
    let machines = counted(found.nodes.len(), "machine", "machines");
    let command = named(&found.command);
    let short = found.nodes.iter().filter(|node| node.reason.is_some()).count();
    let mut said = match changed.as_slice() {
        [] => vec!["none changed".to_owned()],
        [one] => vec![format!("{} changed", largest(one, found))],
        several => {
            let worst = several.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
            let worst =
                worst.map_or(String::new(), |worst| format!(", most of all {}", largest(worst, found)));
            vec![format!("{} changed{worst}", several.len())]
        }
    };
    said.extend(found.whole.last().map(|change| {
        format!(
            "the whole fleet is {} since visit {}",
            slower_words(found.metric, change.effect_ratio),
            change.at + 1
        )
    }));
    said.extend((short > 0).then(|| format!("{short} visited too rarely for a change to be seen")));
    format!("{command} on {machines}: {}.", said.join("; "))
}

/// Size of the largest change of a machine, as the absolute value of the logarithm of its ratio.
fn size(node: &WatchedNode) -> f64 {
    node.changes.iter().map(|change| change.effect_ratio.ln().abs()).fold(0.0, f64::max)
}

/// A machine with its largest change, such as "n1 (200 % slower)".
fn largest(node: &WatchedNode, found: &FleetWatchFindings) -> String {
    let by_size =
        |a: &&ChangePoint, b: &&ChangePoint| a.effect_ratio.ln().abs().total_cmp(&b.effect_ratio.ln().abs());
    let largest = node.changes.iter().max_by(by_size);
    let words = largest.map_or(String::new(), |it| slower_words(found.metric, it.effect_ratio));
    format!("{} ({words})", named(&node.node))
}

/// A change of the whole fleet, such as "All machines together: 5.00 % slower from visit 9 on, with kernel 6.2, before
/// 6.1."
fn whole_words(it: &ChangePoint, found: &FleetWatchFindings) -> String {
    let facts: Vec<String> = it.facts.iter().map(words).collect();
    let with = if facts.is_empty() { String::new() } else { format!(", with {}", facts.join("; ")) };
    format!(
        "All machines together: {} from visit {} on ({}){with}.",
        emphasis(&slower_words(found.metric, it.effect_ratio)),
        it.at + 1,
        interval(Some(it.low), Some(it.high)),
    )
}

fn smallest(found: &FleetWatchFindings) -> Option<String> {
    let it = found.smallest?;
    Some(format!(
        "With {} visits a machine's change in the last {} is found in 8 of 10 cases from {} on.",
        it.visits,
        it.after,
        change(it.ratio)
    ))
}

/// A change of a fact, such as "microcode 0x2, before 0x1: 6.00 % slower since (+4.00 % … +8.00 %); the figures of 1 of
/// 3 machines changed with it".
fn since_words(since: &SinceFact, found: &FleetWatchFindings) -> String {
    let ends = match since.low {
        Some(_) => format!(" ({})", interval(since.low, since.high)),
        None => String::new(),
    };
    format!(
        "{}: {} since{ends}; the figures of {} of {} changed with it.",
        words(&since.change),
        emphasis(&slower_words(found.metric, since.effect_ratio)),
        since.with_change,
        counted(since.machines, "machine", "machines"),
    )
}

fn words(it: &FactChange) -> String {
    let value = |value: &Option<String>| value.as_deref().map_or("not known".to_owned(), named);
    format!("{} {}, before {}", title(&it.fact), value(&it.after), value(&it.before))
}

fn grid(found: &FleetWatchFindings, changes: &[(&WatchedNode, &ChangePoint)]) -> Grid {
    let header = ["machine", "at visit", "before", "after", "effect", "95 % interval", "p", "with it"];
    let mut grid = Grid::named(&header, &[6, 2, 3]);
    for (node, it) in changes.iter().take(ROWS_MAX) {
        let facts: Vec<String> = it.facts.iter().map(|fact| title(&fact.fact)).collect();
        let cells = vec![
            visible(&node.node),
            (it.at + 1).to_string(),
            quantity(found.metric, it.before),
            quantity(found.metric, it.after),
            match it.estimand {
                Estimand::Typical => change(it.effect_ratio),
                Estimand::Mean => format!("{} in the mean", change(it.effect_ratio)),
            },
            interval(Some(it.low), Some(it.high)),
            p_value(it.p_value),
            facts.join(", "),
        ];
        grid.push(Tone::Doubt, cells);
    }
    grid
}

fn series(node: &WatchedNode, found: &FleetWatchFindings) -> Series {
    let point = |(at, &median): (usize, &f64)| {
        let is_change = node.changes.iter().any(|change| change.at == at);
        let hint = format!("visit {}: {}", at + 1, quantity(found.metric, median));
        Point {
            x: (at + 1) as f64,
            median,
            low: median,
            high: median,
            hint,
            weight: if is_change { 2 } else { 0 },
        }
    };
    let line = Line {
        name: String::new(),
        points: node.medians.iter().enumerate().map(point).collect(),
        is_drawn_through: true,
    };
    let title = format!("{} over time", visible(&node.node));
    Series {
        description: format!("{title}; the visits after which it changed stand out."),
        caption: title.clone(),
        title,
        values: Values::Metric(found.metric),
        across: Across { label: "visit".to_owned(), names: None },
        lines: vec![line],
        rules: Vec::new(),
        is_zoom: false,
    }
}

fn meaning(found: &FleetWatchFindings) -> String {
    let short = found.nodes.iter().filter(|node| node.reason.is_some()).count();
    let left = match short {
        0 => String::new(),
        _ => format!(" {} visited too rarely for that.", counted(short, "machine was", "machines were")),
    };
    format!(
        "In {} of fleets without any change a false one is reported; two changes are at least {} visits apart. What \
         all machines have in common at a visit is subtracted from each of them.{left}",
        percent(found.alpha),
        found.min_segment
    )
}
