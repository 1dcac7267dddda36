//! The plot of a sweep's levels, and an enlarged part around each of its peaks.

use fauxplat_model::{LevelFindings, Peak, SweepFindings};

use super::sentences;
use crate::parts::{Across, Line, Point, Series, Values};
use crate::words::{quantity, spaced, visible};

/// Number of levels on each side of a peak in its enlarged plot.
const NEIGHBOURS: usize = 12;

/// Whether the levels are numbers and so have positions on an axis.
pub(super) fn is_numeric(found: &SweepFindings) -> bool {
    found.levels.iter().all(|level| level.number.is_some())
}

/// The plot of all measured levels; `None` if there are none.
pub(super) fn whole(found: &SweepFindings) -> Option<Series> {
    let title = format!("{} by {}", found.metric.title(), visible(&found.factor));
    let (_, conclusion) = sentences::conclusion(found);
    let lines = lines(found);
    (!lines.is_empty()).then(|| series(found, title, conclusion, lines, false))
}

/// Whether the medians of the levels differ at all, so that a plot would show more than a straight line.
pub(super) fn differs(found: &SweepFindings) -> bool {
    let mut medians = found.levels.iter().filter_map(|level| level.median_ns);
    let first = medians.next();
    medians.any(|median| Some(median) != first)
}

/// The plot of a peak and its neighbouring levels, enlarged.
pub(super) fn zoom(found: &SweepFindings, peak: &Peak) -> Option<Series> {
    let caption = sentences::peak_caption(found, peak);
    let place = found.levels.iter().position(|level| level.level == peak.level)?;
    let hint = hint(found, &found.levels[place]);
    let is_peak = |point: &Point| point.hint == hint;
    let mut near = lines(found).into_iter().find(|line| line.points.iter().any(is_peak))?;
    let place = near.points.iter().position(is_peak)?;
    near.points[place].weight = 2;
    let (from, to) = (place.saturating_sub(NEIGHBOURS), (place + NEIGHBOURS + 1).min(near.points.len()));
    near.points = near.points[from..to].to_vec();
    Some(series(found, caption.clone(), caption, vec![near], true))
}

fn series(
    found: &SweepFindings,
    title: String,
    description: String,
    lines: Vec<Line>,
    is_zoom: bool,
) -> Series {
    let unit = found.unit.as_ref().map_or_else(String::new, |unit| format!(" in {}", visible(unit)));
    let factor = visible(&found.factor);
    let names = || found.levels.iter().map(|level| level.level.clone()).collect();
    Series {
        title,
        description,
        caption: format!("median {} by {factor}{unit}", found.metric.title()),
        values: Values::Metric(found.metric),
        across: Across { label: format!("{factor}{unit}"), names: (!is_numeric(found)).then(names) },
        lines,
        rules: Vec::new(),
        is_zoom,
    }
}

/// The lines of the plot, each in the order of its axis: a single line, or for combinations of two factors one line per
/// level of the factor without numbers.
fn lines(found: &SweepFindings) -> Vec<Line> {
    let numeric = is_numeric(found);
    let mut all: Vec<Line> = Vec::new();
    for (index, level) in found.levels.iter().enumerate() {
        let Some(point) = point(found, index, level, numeric) else { continue };
        let name = if numeric { line_name(level) } else { String::new() };
        match all.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => all.push(Line { name, points: vec![point], is_drawn_through: numeric }),
        }
    }
    all.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    all
}

fn point(found: &SweepFindings, index: usize, level: &LevelFindings, numeric: bool) -> Option<Point> {
    let median = level.median_ns?;
    let stands_out = found.finding.peaks.iter().any(|peak| peak.level == level.level);
    Some(Point {
        x: if numeric { level.number? } else { index as f64 },
        median,
        low: level.low_ns.unwrap_or(median),
        high: level.high_ns.unwrap_or(median),
        hint: hint(found, level),
        weight: u8::from(stands_out),
    })
}

/// Name of the line to which a combination of levels belongs: the part of its name that is not the number, `off` for
/// `64 × off`.
fn line_name(level: &LevelFindings) -> String {
    let parts: Vec<&str> = level.level.split(" × ").collect();
    let number = level.number;
    let other = parts.iter().filter(|part| part.parse::<f64>().ok() != number);
    if parts.len() < 2 { String::new() } else { other.copied().collect::<Vec<_>>().join(" × ") }
}

fn hint(found: &SweepFindings, level: &LevelFindings) -> String {
    let value = |ns: Option<f64>| ns.map_or("–".to_owned(), |ns| quantity(found.metric, ns));
    let text = format!(
        "{} {}: {} ({} to {}), {} runs",
        found.factor,
        level.level,
        value(level.median_ns),
        value(level.low_ns),
        value(level.high_ns),
        level.runs
    );
    spaced(&text)
}
