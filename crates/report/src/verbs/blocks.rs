//! Drawings of the difference of two commands by block, in order of time, which show drift and single bad blocks.

use std::collections::BTreeMap;

use fauxplat_model::document::Record;
use fauxplat_model::{CompareFindings, Comparison, Grade, Metric};

use crate::parts::{Across, Line, Medium, Part, Piece, Point, Rule, Series, Values};
use crate::samples::{ByCommand, is_analysed};
use crate::verdict::end;
use crate::words::{change, counted, visible};

/// Maximum number of points in a drawing. More would overlap, so neighbours are then drawn as one.
const POINTS_MAX: usize = 400;

/// A drawing for each comparison that was made block by block.
pub(super) fn pieces(record: &Record, samples: &ByCommand, found: &CompareFindings) -> Vec<Piece> {
    let within = found.comparisons.iter().filter(|comparison| comparison.grade != Grade::AgainstBaseline);
    let drawn = within.filter_map(|comparison| series(record, samples, comparison));
    drawn.map(|it| Piece::new(Part::Series(it)).only(&[Medium::Page])).collect()
}

fn series(record: &Record, samples: &ByCommand, comparison: &Comparison) -> Option<Series> {
    let index = |name: &str| record.commands.iter().position(|command| command.name == name);
    let ratios = ratios(record, samples, index(&comparison.a)?, index(&comparison.b)?, comparison.metric);
    if ratios.len() < 2 {
        return None;
    }
    let (a, b) = (visible(&comparison.a), visible(&comparison.b));
    let title = format!("{}: {b} against {a}, block by block", comparison.metric.title());
    let description = format!(
        "{} of {b} against {a} in {}; overall {}, interval {} to {}",
        comparison.metric.title(),
        counted(ratios.len(), "block", "blocks"),
        change(comparison.effect_ratio),
        end(comparison.ci_low_ratio),
        end(comparison.ci_high_ratio)
    );
    let points = gathered(&ratios);
    let label = match ratios.len() == points.len() {
        true => "block, in the order of time".to_owned(),
        false => format!("block, in the order of time; a point for {}", ratios.len().div_ceil(POINTS_MAX)),
    };
    Some(Series {
        caption: title.clone(),
        title,
        description,
        values: Values::Change,
        across: Across { label, names: None },
        lines: vec![Line { name: String::new(), points, is_drawn_through: false }],
        rules: rules(comparison),
        is_zoom: false,
    })
}

/// Horizontal lines in the drawing: at equality, and at the overall effect with its interval.
fn rules(comparison: &Comparison) -> Vec<Rule> {
    let equality = Rule { value: 1.0, low: 1.0, high: 1.0, name: "equal".to_owned(), is_reference: true };
    let Comparison { effect_ratio: value, ci_low_ratio: low, ci_high_ratio: high, .. } = *comparison;
    let is_drawable = [value, low, high].into_iter().all(|ratio| ratio.is_finite() && ratio > 0.0);
    let name = || format!("overall {}", change(value));
    let overall = is_drawable.then(|| Rule { value, low, high, name: name(), is_reference: false });
    std::iter::once(equality).chain(overall).collect()
}

/// Ratio of B to A in each block in which both ran, from the geometric means of their readings.
fn ratios(record: &Record, samples: &ByCommand, a: usize, b: usize, metric: Metric) -> Vec<(u32, f64)> {
    let (a, b) = (by_block(record, samples, a, metric), by_block(record, samples, b, metric));
    let both = a.iter().filter_map(|(block, a)| Some((*block, (b.get(block)? - a).exp())));
    both.filter(|(_, ratio)| ratio.is_finite()).collect()
}

fn by_block(record: &Record, samples: &ByCommand, command: usize, metric: Metric) -> BTreeMap<u32, f64> {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for sample in samples.of(command).filter(|sample| is_analysed(sample, &record.commands[command])) {
        if let Some(reading) = sample.get(metric).filter(|&reading| reading > 0) {
            let (sum, count) = sums.entry(sample.block).or_default();
            (*sum, *count) = (*sum + (reading as f64).ln(), *count + 1.0);
        }
    }
    sums.into_iter().map(|(block, (sum, count))| (block, sum / count)).collect()
}

/// A point of the drawing for each block, or for several neighbouring blocks if there are too many.
fn gathered(ratios: &[(u32, f64)]) -> Vec<Point> {
    let step = ratios.len().div_ceil(POINTS_MAX).max(1);
    ratios.chunks(step).map(point).collect()
}

fn point(blocks: &[(u32, f64)]) -> Point {
    let mut sorted: Vec<f64> = blocks.iter().map(|block| block.1).collect();
    sorted.sort_by(f64::total_cmp);
    let (low, median, high) = (sorted[0], sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
    let first = blocks[0].0;
    let which = match blocks.len() {
        1 => format!("block {first}"),
        many => format!("blocks {first} to {}", blocks[many - 1].0),
    };
    Point { x: f64::from(first), median, low, high, hint: format!("{which}: {}", change(median)), weight: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_blocks_become_few_points_that_lose_no_extreme() {
        let mut ratios: Vec<(u32, f64)> = (0..4000).map(|block| (block, 1.0)).collect();
        ratios[1234].1 = 1.5;
        let points = gathered(&ratios);
        assert_eq!(points.len(), POINTS_MAX);
        assert_eq!((points[123].median, points[123].high, points[124].high), (1.0, 1.5, 1.0));
        assert_eq!(gathered(&ratios[..3]).len(), 3);
    }
}
