//! The reports of `fleet`: who is odd among machines that should be the same, two programs on all of them, changes.

use std::io::Write;

use fauxplat_model::{FleetCompareFindings, FleetFindings, FleetWatchFindings, NodeState};

use crate::parts::{Grid, Piece, Tone};
use crate::words::{change, counted, visible};

/// The report of `fleet run` and `fleet report`.
pub(crate) fn parts(found: &FleetFindings) -> Vec<Piece> {
    let said: Vec<String> = NodeState::ALL.iter().filter_map(|&state| counted_state(found, state)).collect();
    let machines = counted(found.nodes.len(), "machine", "machines");
    vec![Piece::answer(Tone::Title, format!("{machines}: {}.", said.join(", "))), Piece::table(odd(found))]
}

fn counted_state(found: &FleetFindings, state: NodeState) -> Option<String> {
    let count = found.nodes.iter().filter(|node| node.state == state).count();
    (count > 0).then(|| format!("{count} {}", state.word()))
}

fn odd(found: &FleetFindings) -> Grid {
    let mut grid = Grid::named(&["machine", "effect", "state"], &[]);
    for node in found.nodes.iter().filter(|node| node.state != NodeState::Normal) {
        let effect = node.effect_ratio.map_or("–".to_owned(), change);
        grid.push(Tone::Doubt, vec![visible(&node.node), effect, node.state.word().to_owned()]);
    }
    grid
}

/// The report of `fleet compare`.
pub(crate) fn parts_of_comparison(found: &FleetCompareFindings) -> Vec<Piece> {
    let machines = counted(found.machines, "machine", "machines");
    let effect = found.effect_ratio.map_or("no figure".to_owned(), change);
    let (a, b) = (visible(&found.a), visible(&found.b));
    vec![Piece::answer(Tone::Title, format!("{b} against {a} on {machines}: {effect}."))]
}

/// The report of `fleet watch`.
pub(crate) fn parts_of_watch(found: &FleetWatchFindings) -> Vec<Piece> {
    let changed = found.nodes.iter().filter(|node| !node.changes.is_empty()).count();
    let machines = counted(found.nodes.len(), "machine", "machines");
    vec![Piece::answer(Tone::Title, format!("{changed} of {machines} changed."))]
}

/// A machine as a row of a spreadsheet.
#[derive(serde::Serialize)]
struct Row<'a> {
    node: &'a str,
    group: Option<usize>,
    runs: usize,
    median: Option<f64>,
    z: Option<f64>,
    effect_ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    state: NodeState,
    reason: Option<&'a str>,
}

/// One row per machine.
pub(crate) fn rows(found: &FleetFindings, rows: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    found.nodes.iter().try_for_each(|node| {
        rows.serialize(Row {
            node: &node.node,
            group: node.group,
            runs: node.runs,
            median: node.median,
            z: node.z,
            effect_ratio: node.effect_ratio,
            low: node.low,
            high: node.high,
            state: node.state,
            reason: node.reason.as_deref(),
        })
    })
}
