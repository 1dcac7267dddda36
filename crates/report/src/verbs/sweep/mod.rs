//! The report of `sweep`: the conclusion first, then the sources of the variance, peaks and the plot.

mod grids;
mod plot;
mod sentences;

use fauxplat_model::SweepFindings;
use fauxplat_units::Nanos;

use crate::parts::{Medium, Part, Piece, Tone};

/// Maximum number of levels for which a table is more readable than a plot.
const TABLE_LEVELS_MAX: usize = 24;

pub(super) fn parts(found: &SweepFindings) -> Vec<Piece> {
    let each = found.by_metric();
    let mut parts = answers(&each);
    let several = each.len() > 1;
    for one in &each {
        parts.extend(several.then(|| heading(one)));
        parts.extend(grounds(one));
        parts.extend(several.then(|| Piece::said(Tone::Faint, sentences::stages(one)).in_full()));
    }
    let faint = |sentence| Piece::said(Tone::Faint, sentence).in_full();
    match several {
        false => parts.push(faint(sentences::plan(found))),
        true => parts.extend([faint(sentences::family(&each)), faint(sentences::runs(found)).joined()]),
    }
    parts.push(Piece::said(Tone::Faint, took(found)).joined().in_full());
    parts
}

/// Answers: the conclusion for each metric, and the levels at which the command fails, each once.
fn answers(each: &[SweepFindings]) -> Vec<Piece> {
    let mut failing: Vec<String> = Vec::new();
    for sentence in each.iter().flat_map(sentences::failing) {
        if !failing.contains(&sentence) {
            failing.push(sentence);
        }
    }
    let conclusion = |one| {
        let (tone, conclusion) = sentences::conclusion(one);
        Piece::answer(tone, conclusion)
    };
    let failing = failing.into_iter().map(|it| Piece::answer(Tone::Bad, it));
    let slow = each.iter().filter_map(sentences::slow).map(|it| Piece::answer(Tone::Bad, it));
    let all = each.iter().map(conclusion).chain(slow).chain(failing);
    all.enumerate().map(|(at, piece)| if at > 0 { piece.joined() } else { piece }).collect()
}

/// The metric's title as a heading, with an initial capital letter.
fn heading(found: &SweepFindings) -> Piece {
    let mut title = found.metric.title().chars();
    let first = title.next().into_iter().flat_map(char::to_uppercase);
    Piece::heading(first.chain(title.clone()).collect::<String>())
}

/// The evidence for the conclusion about one metric.
fn grounds(found: &SweepFindings) -> Vec<Piece> {
    let finding = &found.finding;
    let mut parts = Vec::new();
    parts.extend(sentences::period(found).map(|it| Piece::plain(it).joined()));
    parts.push(Piece::plain(sentences::shares(finding)).in_full());
    parts.extend(sentences::parts(finding).map(|it| Piece::plain(it).joined().in_full()));
    parts.extend(sentences::peaks(found).map(|it| Piece::plain(it).joined()));
    if !finding.peaks.is_empty() {
        parts.push(Piece::table(grids::peaks(found)).joined());
    }
    parts.extend(levels(found));
    parts
}

/// Pieces that show the levels as a plot and as a table. In a medium without room for both, many levels are a plot and
/// few a table.
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

/// Sentence about the duration of the sweep, and the cost of starting a process.
fn took(found: &SweepFindings) -> String {
    let elapsed = Nanos::from_secs_f64(found.elapsed_s);
    match found.floor_ns {
        Some(floor) => format!("Took {elapsed}; an empty program takes {} here.", Nanos::display_f64(floor)),
        None => format!("Took {elapsed}."),
    }
}
