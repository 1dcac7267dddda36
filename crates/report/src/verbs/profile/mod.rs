//! The report of `profile`: the distribution of a program's time over functions and their callers.

mod differences;
mod flame;
mod functions;
mod quality;
mod rows;
mod tree;
mod views;
mod words;

use fauxplat_model::{Profile, ProfileFindings};

use crate::View;
use crate::parts::{Medium, Part, Piece};

pub(super) use rows::rows;

pub(super) fn parts(found: &ProfileFindings, view: &View) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let compared = found.differences.iter().filter(|it| differences::pair(found, it).is_some());
    pieces.extend(compared.clone().map(|it| differences::answer(found, it)));
    pieces.extend(found.profiles.iter().map(functions::answer));
    pieces.extend(flame::drawings(found).into_iter().map(|it| Piece::new(Part::Flame(it))));
    pieces.extend(compared.flat_map(|it| differences::pieces(found, it)));
    for (place, profile) in found.profiles.iter().enumerate() {
        pieces.extend(of_profile(found, place, profile, view));
    }
    pieces.extend(found.views.iter().flat_map(|it| views::pieces(found, it)));
    pieces.extend(quality::names(found));
    pieces
}

/// Where the difference of a comparison lies in the profiles: the answer, and the evidence. `timed` is the change of
/// the CPU time of timed runs as a share; `None` if it is not significant.
pub(super) fn located(found: &ProfileFindings, timed: Option<f64>) -> [Vec<Piece>; 2] {
    let Some(of) = found.differences.first() else { return [Vec::new(), Vec::new()] };
    let answer = differences::located(found, of, timed).into_iter().collect();
    let mut grounds: Vec<Piece> = Vec::new();
    grounds.extend(flame::drawings(found).into_iter().map(|it| Piece::new(Part::Flame(it))));
    grounds.extend(differences::pieces(found, of));
    for profile in &found.profiles {
        grounds.push(Piece::plain(format!("{}:", words::named(&profile.name))).in_full());
        grounds.extend(quality::pieces(profile).into_iter().map(Piece::joined));
    }
    grounds.extend(quality::names(found));
    [answer, grounds]
}

/// Pieces about one profile: its functions, and its quality.
fn of_profile(found: &ProfileFindings, place: usize, profile: &Profile, view: &View) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if found.profiles.len() > 1 {
        pieces.push(Piece::heading(words::named(&profile.name)));
    }
    pieces.extend(functions::pieces(found, profile));
    if view.tree {
        let tree = tree::listing(found, place);
        pieces.extend(tree.map(|it| Piece::new(Part::Listing(it)).only(&[Medium::Terminal])));
    }
    pieces.extend(quality::pieces(profile));
    pieces.extend(quality::processes(profile));
    pieces
}
