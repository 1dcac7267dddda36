//! The report of `sweep`: the conclusion first, then shares, peaks and the plot.

mod grids;
mod plot;
mod sentences;

use fauxplat_model::SweepFindings;
use fauxplat_units::Nanos;

use crate::parts::{Medium, Part, Piece, Tone};

/// Up to so many levels are read better in a table than in a plot.
const TABLE_LEVELS_MAX: usize = 24;

pub(super) fn parts(found: &SweepFindings) -> Vec<Piece> {
    let finding = &found.finding;
    let (tone, conclusion) = sentences::conclusion(found);
    let mut parts = vec![Piece::answer(tone, conclusion)];
    parts.extend(sentences::failing(found).into_iter().map(|it| Piece::answer(Tone::Bad, it).joined()));
    parts.extend(sentences::period(found).map(|it| Piece::plain(it).joined()));
    parts.push(Piece::plain(sentences::shares(finding)).in_full());
    parts.extend(sentences::parts(finding).map(|it| Piece::plain(it).joined().in_full()));
    parts.extend(sentences::peaks(finding).map(|it| Piece::plain(it).joined()));
    if !finding.peaks.is_empty() {
        parts.push(Piece::table(grids::peaks(found)).joined());
    }
    parts.extend(levels(found));
    parts.push(Piece::said(Tone::Faint, sentences::plan(found)).in_full());
    parts.push(Piece::said(Tone::Faint, took(found)).joined().in_full());
    parts
}

/// The levels as a plot and as a table. Where there is no room for both, many levels are a plot and few a table.
fn levels(found: &SweepFindings) -> Vec<Piece> {
    let words: &'static [Medium] = &Medium::ALL;
    let page: &'static [Medium] = &[Medium::Page];
    let whole = plot::whole(found).map(|series| Piece::new(Part::Series(series)));
    let is_plot = plot::is_numeric(found) && found.levels.len() > TABLE_LEVELS_MAX && plot::differs(found);
    let (plots, tables) = if is_plot { (words, page) } else { (page, words) };
    let mut pieces: Vec<Piece> = whole.map(|piece| piece.only(plots)).into_iter().collect();
    let zooms = found.finding.peaks.iter().filter_map(|peak| plot::zoom(found, peak));
    pieces.extend(zooms.map(|series| Piece::new(Part::Series(series)).only(page)));
    pieces.push(Piece::table(grids::levels(found)).only(tables));
    pieces
}

/// How long it took, and what starting a process costs.
fn took(found: &SweepFindings) -> String {
    let elapsed = Nanos::from_secs_f64(found.elapsed_s);
    match found.floor_ns {
        Some(floor) => format!("Took {elapsed}; an empty program takes {} here.", Nanos::display_f64(floor)),
        None => format!("Took {elapsed}."),
    }
}
