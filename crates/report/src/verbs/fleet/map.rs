//! The machines of a fleet as a map that follows the structure of their names.

use fauxplat_model::{FleetFindings, FleetNode, NodeState};

use super::facts::{slower, slower_words};
use crate::parts::fleet_map::rows_of;
use crate::parts::{FleetMap, MapMachine, MapRow, Part, Patch, Piece};
use crate::words::{counted, visible};

/// The map of the machines; `None` for a fleet without machines.
pub(super) fn part(found: &FleetFindings) -> Option<Piece> {
    if found.nodes.is_empty() {
        return None;
    }
    let names: Vec<&str> = found.nodes.iter().map(|node| node.node.as_str()).collect();
    let row = |(name, members): (String, Vec<usize>)| MapRow {
        name: visible(&name),
        machines: members.into_iter().map(|index| machine(found, &found.nodes[index])).collect(),
    };
    let rows: Vec<MapRow> = rows_of(&names).into_iter().map(row).collect();
    let odd = found.nodes.iter().filter(|node| node.state != NodeState::Normal).count();
    let description = format!(
        "{} in rows by their names; {odd} of them are marked.",
        counted(names.len(), "machine", "machines")
    );
    let title = "The fleet by the names of its machines".to_owned();
    Some(Piece::new(Part::FleetMap(FleetMap { title, description, rows, legend: legend(found) })))
}

fn machine(found: &FleetFindings, node: &FleetNode) -> MapMachine {
    let share = node.effect_ratio.map(|ratio| slower(found.metric, ratio));
    let effect =
        node.effect_ratio.map_or(String::new(), |ratio| format!(", {}", slower_words(found.metric, ratio)));
    let hint = format!("{}: {}{effect}", visible(&node.node), node.state.word());
    MapMachine { patch: patch(node.state, share.unwrap_or(0.0)), hint }
}

fn patch(state: NodeState, share: f64) -> Patch {
    match state {
        NodeState::WrongAnswer => Patch::Marked(4, '!'),
        NodeState::Confirmed => Patch::Marked(2, 'C'),
        NodeState::Suspect => Patch::Marked(5, 'S'),
        NodeState::Noisy => Patch::Marked(6, 'N'),
        NodeState::Missing | NodeState::Unreached => Patch::Absent,
        NodeState::Uncompared => Patch::Marked(6, '?'),
        NodeState::Cleared | NodeState::Normal => Patch::Slower(share),
    }
}

/// Legend of the map for the states of machines that occur.
fn legend(found: &FleetFindings) -> Vec<(Patch, String)> {
    let words = |state| match state {
        NodeState::WrongAnswer => "its program gave a different answer than most of its group",
        NodeState::Confirmed => "confirmed: slower, also when it was measured again",
        NodeState::Suspect => "suspect: slower by one measurement",
        NodeState::Noisy => "noisy: slower, and too variable to tell",
        NodeState::Missing | NodeState::Unreached => "missing: it gave no figure",
        NodeState::Uncompared => "no machine of the same hardware to compare it with",
        NodeState::Cleared | NodeState::Normal => {
            "the stronger the colour, the slower the machine, up to 20 %"
        }
    };
    let has = |state: &NodeState| found.nodes.iter().any(|node| node.state == *state);
    let mut legend: Vec<(Patch, String)> = Vec::new();
    for state in NodeState::ALL.into_iter().filter(has) {
        let entry = (patch(state, 0.1), words(state).to_owned());
        if !legend.contains(&entry) {
            legend.push(entry);
        }
    }
    legend
}
