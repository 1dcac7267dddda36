//! The report of `topo`: the parts of a machine as a tree, as tables, and as nested boxes.

mod boxes;
mod nested;
mod objects;
mod pick;
mod rows;
mod tree;

use fauxplat_model::document::Header;
use fauxplat_model::{MachineFacts, TopoFindings, Topology};

use super::frame::machine;
use crate::parts::{Medium, Part, Piece, Tone, Tree};

pub(crate) use rows::csv;

pub(super) fn parts(header: &Header, found: &TopoFindings) -> Vec<Piece> {
    let topology = &found.topology;
    let drawn = Piece::new(Part::Tree(Tree::Boxes(boxes::boxes(topology, &name(&header.machine)))));
    if let Some(pick) = &found.pick {
        return pick::pieces(pick, topology).into_iter().chain([drawn]).collect();
    }
    let elsewhere: &'static [Medium] = &[Medium::Comment, Medium::Page];
    let table = Piece::table(rows::grid(topology)).at(0);
    let mut pieces = vec![Piece::answer(Tone::Title, machine(&header.machine)).only(elsewhere), drawn];
    // A terminal shows the tree first; a page or a comment shows every CPU first.
    let mut tree = tree::pieces(topology).into_iter();
    pieces.extend(tree.next().map(|branches| branches.only(&[Medium::Terminal])));
    pieces.push(table.only(elsewhere));
    pieces.extend(tree);
    pieces
}

/// The machine as nested boxes for a terminal: lines of at most `width` columns, and the sentences below.
pub(crate) fn in_characters(
    topology: &Topology,
    width: usize,
    unicode: bool,
) -> (Vec<String>, Vec<(Tone, String)>) {
    let legend = nested::legend(topology).map(|legend| (Tone::Faint, legend));
    let notes = tree::notes(topology, &[]).into_iter().map(|note| (Tone::Plain, note));
    (nested::draw(topology, width, unicode), legend.into_iter().chain(notes).collect())
}

fn name(machine: &MachineFacts) -> String {
    match machine.cpu.model.is_empty() {
        true => "machine".to_owned(),
        false => machine.cpu.model.clone(),
    }
}
