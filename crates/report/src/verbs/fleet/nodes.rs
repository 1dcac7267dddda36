//! Tables of a fleet's machines.

use std::collections::BTreeMap;

use fauxplat_model::{FleetFindings, FleetNode, GroupRule, NodeState};

use super::facts::{interval, slower_words, title};
use crate::parts::{Grid, Medium, Note, Notes, Part, Piece, Tone};
use crate::words::{Scale, change, counted, percent, quantity, significant, visible};

/// Maximum number of odd machines that a terminal lists.
const ROWS_MAX: usize = 30;

/// Media in which the table of odd machines is shortened.
const SHORTENED: &[Medium] = &[Medium::Terminal, Medium::Comment];

/// Number of machines from which on a group's speed is not given relative to the whole fleet.
const FEW: usize = 8;

/// Maximum number of differing facts in a machine's row.
const FACTS_MAX: usize = 3;

/// Tables of the odd machines: all of them on a page, the worst in a terminal.
pub(super) fn odd(found: &FleetFindings) -> Vec<Piece> {
    let odd: Vec<&FleetNode> = found.nodes.iter().filter(|node| node.state != NodeState::Normal).collect();
    if odd.is_empty() {
        return Vec::new();
    }
    let worst = &odd[..odd.len().min(ROWS_MAX)];
    let mut parts = vec![
        Piece::table(grid(found, worst)).only(SHORTENED),
        Piece::table(grid(found, &odd)).only(&[Medium::Page]),
    ];
    if odd.len() > ROWS_MAX {
        let more = counted(odd.len() - ROWS_MAX, "more machine is", "more machines are");
        let more = format!("{more} listed in the page and in the other formats.");
        parts.push(Piece::plain(more).only(SHORTENED));
    }
    parts
}

fn grid(found: &FleetFindings, nodes: &[&FleetNode]) -> Grid {
    let mut grid = Grid::named(&["machine", "state", "effect", "95 % interval", "z", "why"], &[4, 3]);
    for node in nodes {
        // A machine whose program gave another answer did different work, so its figures are not comparable.
        let comparable = node.state != NodeState::WrongAnswer;
        let z = node.z.filter(|_| comparable).map_or("–".to_owned(), significant);
        let effect = node.effect_ratio.filter(|_| comparable).map_or("–".to_owned(), change);
        let interval = if comparable { interval(node.low, node.high) } else { "–".to_owned() };
        let state = node.state.word().to_owned();
        let cells = vec![visible(&node.node), state, effect, interval, z, why(found, node)];
        grid.push(tone(node.state), cells);
    }
    grid
}

fn tone(state: NodeState) -> Tone {
    match state {
        NodeState::WrongAnswer | NodeState::Confirmed => Tone::Bad,
        NodeState::Suspect | NodeState::Noisy | NodeState::Missing | NodeState::Uncompared => Tone::Doubt,
        NodeState::Unreached | NodeState::Cleared => Tone::Faint,
        NodeState::Normal => Tone::Plain,
    }
}

/// Maximum number of listed warnings, and of machines that are named with each.
const WARNINGS_MAX: usize = 10;
const NAMED: usize = 3;

/// Warnings that odd machines reported about noise during their measurement, each with the names of the machines.
pub(super) fn warnings(found: &FleetFindings) -> Option<Piece> {
    let mut machines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for node in found.nodes.iter().filter(|node| node.state != NodeState::Normal) {
        // If a warning is also the reason for the machine's state, it is shown once.
        for warning in node.warnings.iter().filter(|it| node.reason.as_ref() != Some(it)) {
            machines.entry(warning).or_default().push(visible(&node.node));
        }
    }
    let line = |(warning, names): (&&str, &Vec<String>)| {
        let more = names.len().saturating_sub(NAMED);
        let named = names[..names.len() - more].join(", ");
        let who = if more == 0 { named } else { format!("{named} and {more} more") };
        Note { tone: Tone::Doubt, ..Note::fact("", vec![format!("{who}: {}", visible(warning))]) }
    };
    let mut lines: Vec<Note> = machines.iter().take(WARNINGS_MAX).map(line).collect();
    let more = machines.len().saturating_sub(WARNINGS_MAX);
    lines.extend((more > 0).then(|| Note::fact("", vec![format!("and {more} more")])));
    let title = "Warnings of machines".to_owned();
    (!lines.is_empty()).then(|| Piece::new(Part::Notes(Notes { title, folded: true, lines })))
}

/// The reason for a machine's state, and the facts in which it differs from the others, as text.
fn why(found: &FleetFindings, node: &FleetNode) -> String {
    let mut said: Vec<String> = node.reason.iter().map(|reason| visible(reason)).collect();
    let differs = node.differs.iter().take(FACTS_MAX);
    said.extend(
        differs.map(|it| format!("{} {}, not {}", title(&it.fact), visible(&it.value), visible(&it.usual))),
    );
    let more = node.differs.len().saturating_sub(FACTS_MAX);
    said.extend((more > 0).then(|| format!("{} more", counted(more, "fact", "facts"))));
    if said.is_empty() && found.groups.len() > 1 {
        said.extend(node.group.map(|group| format!("group {group}")));
    }
    said.join("; ")
}

pub(super) fn groups(found: &FleetFindings) -> Piece {
    let header = ["group", "machines", "median", "between", "blocks", "runs", "max/min", "finds from"];
    let mut grid = Grid::new(&header, &[5, 4]);
    let share = |share: Option<f64>| share.map_or("–".to_owned(), percent);
    for (index, group) in found.groups.iter().enumerate() {
        let cells = vec![
            index.to_string(),
            group.machines.to_string(),
            group.median.map_or("–".to_owned(), |median| quantity(found.metric, median)),
            share(group.between),
            share(group.between_runs),
            share(group.within),
            group.max_min_ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3}")),
            group.smallest_detectable.map_or("–".to_owned(), change),
        ];
        grid.push(Tone::Plain, cells);
    }
    Piece::table(grid)
}

/// Sentences that describe the hardware of each group of machines, and the group's rule if that is unusual.
pub(super) fn hardware(found: &FleetFindings) -> Vec<String> {
    let each = found.groups.iter().enumerate().map(|(index, group)| {
        let facts: Vec<String> =
            group.facts.iter().map(|(name, value)| format!("{} {}", title(name), visible(value))).collect();
        let facts = if facts.is_empty() { "hardware not told".to_owned() } else { facts.join(", ") };
        let beside = group
            .fleet_ratio
            .filter(|_| group.machines < FEW)
            .map_or(String::new(), |ratio| format!("; {} than the fleet", slower_words(found.metric, ratio)));
        format!("group {index}: {facts}{}{beside}", rule(group.rule))
    });
    each.collect()
}

fn rule(rule: GroupRule) -> &'static str {
    match rule {
        GroupRule::Robust => "",
        GroupRule::ZeroSpread => {
            "; most machines have exactly the same median, so the spread of the runs is taken"
        }
        GroupRule::Pooled => "; few machines, so the spread within all groups of the fleet is taken",
        GroupRule::Few => {
            "; too few machines for a spread: only those that are far from the others are suspect"
        }
        GroupRule::Pair => "; of two machines it is unknown which one is odd",
        GroupRule::Alone => "; a single machine, which is compared with no other",
    }
}

pub(super) fn all(found: &FleetFindings) -> Piece {
    let mut grid =
        Grid::named(&["machine", "group", "median", "effect", "95 % interval", "z", "runs", "state"], &[]);
    let typical = found.nodes.iter().find_map(|node| node.median).unwrap_or(0.0);
    let scale = Scale::of(found.metric, typical);
    let dash = || "–".to_owned();
    for node in &found.nodes {
        let cells = vec![
            visible(&node.node),
            node.group.map_or_else(dash, |group| group.to_string()),
            node.median.map_or_else(dash, |median| scale.with_unit(median)),
            node.effect_ratio.map_or_else(dash, change),
            interval(node.low, node.high),
            node.z.map_or_else(dash, significant),
            node.runs.to_string(),
            node.state.word().to_owned(),
        ];
        grid.push(tone(node.state), cells);
    }
    Piece::new(Part::Table(grid)).only(&[Medium::Page])
}
