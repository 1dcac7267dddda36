//! Pieces for the shift function of two commands: by how much they differ at each quantile.

use fauxplat_model::{Comparison, Metric, QuantileShift};

use crate::parts::{Across, Line, Part, Piece, Point, Rule, Series, Tone, Values};
use crate::relation::is_time;
use crate::verdict::end;
use crate::words::{change, listed, round_percent, visible};

/// A sentence about the quantiles that differ, and the drawing below; empty with too few pairs.
pub(super) fn pieces(comparison: &Comparison) -> Vec<Piece> {
    let shifts = &comparison.quantiles;
    if shifts.is_empty() {
        return Vec::new();
    }
    let sentence = sentence(comparison);
    let drawing = Piece::new(Part::Series(series(comparison, &sentence)));
    vec![Piece::said(Tone::Plain, sentence), drawing.joined()]
}

/// Sentence about the quantiles at which equality of the two commands is excluded.
fn sentence(comparison: &Comparison) -> String {
    let quantiles = &comparison.quantiles;
    let band = format!("simultaneous {} band", round_percent(1.0 - comparison.level));
    let places = match is_time(comparison.metric) {
        true => "from the fastest runs to the slowest",
        false => "from the least to the most",
    };
    let apart: Vec<&QuantileShift> = quantiles.iter().filter(|it| it.is_apart()).collect();
    let found = match (apart.len(), apart.len() == quantiles.len()) {
        (0, _) => "no difference is shown".to_owned(),
        (_, true) => "different everywhere".to_owned(),
        _ => format!("different at {}", listed(&runs(quantiles).collect::<Vec<_>>())),
    };
    format!("Quantile by quantile, {places} ({band}): {found}.")
}

/// Ranges of neighbouring quantiles that differ in the same direction, in words.
fn runs(quantiles: &[QuantileShift]) -> impl Iterator<Item = String> {
    let way = |it: &QuantileShift| it.is_apart().then_some(it.ratio > 1.0);
    let same = quantiles.chunk_by(move |one, next| way(one) == way(next));
    same.filter(move |run| way(&run[0]).is_some()).map(|run| match run {
        [one] => format!("{} ({})", round_percent(one.quantile), change(one.ratio)),
        [first, .., last] => format!(
            "{} to {} ({} to {})",
            round_percent(first.quantile),
            round_percent(last.quantile),
            change(first.ratio),
            change(last.ratio)
        ),
        [] => String::new(),
    })
}

fn series(comparison: &Comparison, sentence: &str) -> Series {
    let (a, b) = (visible(&comparison.a), visible(&comparison.b));
    let title = format!("{}: {b} against {a}, quantile by quantile", comparison.metric.title());
    let points = comparison.quantiles.iter().enumerate().map(|(place, it)| point(place, it)).collect();
    Series {
        caption: title.clone(),
        title,
        description: sentence.to_owned(),
        values: Values::Change,
        across: Across {
            label: label(comparison.metric).to_owned(),
            names: Some(comparison.quantiles.iter().map(|it| round_percent(it.quantile)).collect()),
        },
        lines: vec![Line { name: String::new(), points, is_drawn_through: true }],
        rules: vec![Rule { value: 1.0, low: 1.0, high: 1.0, name: "equal".to_owned(), is_reference: true }],
        is_zoom: false,
    }
}

fn label(metric: Metric) -> &'static str {
    match is_time(metric) {
        true => "quantile: share of runs that were faster",
        false => "quantile: share of runs with lower readings",
    }
}

fn point(place: usize, it: &QuantileShift) -> Point {
    let hint = format!(
        "{}: {} ({} to {})",
        round_percent(it.quantile),
        change(it.ratio),
        end(it.low_ratio),
        end(it.high_ratio)
    );
    Point {
        x: place as f64,
        median: it.ratio,
        low: it.low_ratio,
        high: it.high_ratio,
        hint,
        weight: u8::from(it.is_apart()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shift(quantile: f64, ratio: f64, half: f64) -> QuantileShift {
        QuantileShift { quantile, ratio, low_ratio: ratio - half, high_ratio: ratio + half }
    }

    #[test]
    fn neighbours_that_are_apart_alike_are_said_together() {
        let quantiles = [
            shift(0.1, 0.9, 0.01),
            shift(0.2, 0.95, 0.01),
            shift(0.5, 1.0, 0.01),
            shift(0.8, 1.1, 0.2),
            shift(0.9, 1.2, 0.1),
            shift(0.95, 1.3, 0.1),
        ];
        let said: Vec<String> = runs(&quantiles).map(|run| run.replace('\u{a0}', " ")).collect();
        assert_eq!(said, ["10 % to 20 % (−10.0 % to −5.00 %)", "90 % to 95 % (+20.0 % to +30.0 %)"]);
    }
}
