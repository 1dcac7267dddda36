//! A sweep as drawings: the whole, and a closer look at each peak.

use fauxplat_model::{Metric, Peak, SweepFindings};
use maud::{Markup, html};

use super::plot::{Series, is_numeric, series};
use super::sentences::{self, number};
use crate::svg::{self, Anchor, Axis, TEXT_SIZE};
use crate::words::{Scale, spaced, visible};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 380.0;
const ZOOM_WIDTH: f64 = 420.0;
const ZOOM_HEIGHT: f64 = 220.0;
/// Room for the numbers at the left, and for those below.
const LEFT: f64 = 78.0;
const BELOW: f64 = 44.0;
const ABOVE: f64 = 28.0;
const RIGHT: f64 = 16.0;
/// Colours that the style sheet has.
const COLOURS: usize = 6;
/// Levels on each side of a peak that a closer look shows.
const NEIGHBOURS: usize = 12;
/// Points up to this number are drawn with their intervals as lines; more as a band.
const BARS_MAX: usize = 40;

/// The whole sweep as one file.
pub(crate) fn document(found: &SweepFindings) -> String {
    let (_, conclusion) = sentences::conclusion(found);
    svg::document(
        WIDTH,
        HEIGHT,
        &title(found),
        &conclusion,
        &body(found, &series(found), WIDTH, HEIGHT, None),
    )
}

/// The neighbourhood of a peak as a drawing of its own.
pub(crate) fn zoom(found: &SweepFindings, peak: &Peak) -> Option<String> {
    let caption = sentences::peak_caption(found, peak);
    let mut near = series(found);
    near.retain(|series| series.points.iter().any(|point| found.levels[point.index].level == peak.level));
    let series = near.first_mut()?;
    let place = series.points.iter().position(|point| found.levels[point.index].level == peak.level)?;
    let (from, to) = (place.saturating_sub(NEIGHBOURS), (place + NEIGHBOURS + 1).min(series.points.len()));
    series.points = series.points[from..to].to_vec();
    let body = body(found, &near, ZOOM_WIDTH, ZOOM_HEIGHT, Some(&peak.level));
    Some(svg::document(ZOOM_WIDTH, ZOOM_HEIGHT, &caption, &caption, &body))
}

fn title(found: &SweepFindings) -> String {
    format!("{} by {}", found.metric.title(), visible(&found.factor))
}

fn body(found: &SweepFindings, all: &[Series], width: f64, height: f64, peak: Option<&str>) -> Markup {
    let points = || all.iter().flat_map(|series| &series.points);
    let x = Axis::around(points().map(|point| point.x), LEFT, width - RIGHT);
    let y = Axis::around(points().flat_map(|point| [point.low, point.high]), height - BELOW, ABOVE);
    let scale = Scale::of(found.metric, points().map(|point| point.median).fold(0.0, f64::max));
    html! {
        (svg::text(LEFT, ABOVE - 12.0, Anchor::Start, TEXT_SIZE, "strong", &heading(found.metric, scale)))
        (y.vertical(LEFT, width - RIGHT, 5, |value| scale.number(value)))
        (names(found, all, &x, height))
        @for (index, series) in all.iter().enumerate() {
            (lines(found, series, index % COLOURS + 1, &x, &y, peak))
            @if all.len() > 1 {
                (svg::text(LEFT + 110.0 + 90.0 * index as f64, ABOVE - 12.0, Anchor::Start, TEXT_SIZE, "",
                    &format!("{} {}", LEGEND[index % COLOURS], series.name)))
            }
        }
    }
}

/// Marks of the legend, which stand beside the colours.
const LEGEND: [&str; COLOURS] = ["①", "②", "③", "④", "⑤", "⑥"];

fn heading(metric: Metric, scale: Scale) -> String {
    match scale.unit {
        "" => metric.title().to_owned(),
        unit => format!("{} in {unit}", metric.title()),
    }
}

/// What stands below the horizontal axis: round numbers, or the names of the levels.
fn names(found: &SweepFindings, all: &[Series], x: &Axis, height: f64) -> Markup {
    let base = height - BELOW;
    let unit = found.unit.as_ref().map_or_else(String::new, |unit| format!(" in {unit}"));
    let label = format!("{}{unit}", visible(&found.factor));
    html! {
        @if is_numeric(found) {
            (x.horizontal(base, 8, number))
        } @else {
            (svg::line((x.from, base), (x.to, base), "ink"))
            @for point in all.iter().flat_map(|series| &series.points).filter(|point| has_room(found, point.index)) {
                (svg::text(x.at(point.x), base + 16.0, Anchor::Middle, TEXT_SIZE, "",
                    &found.levels[point.index].level))
            }
        }
        (svg::text((x.from + x.to) / 2.0, height - 8.0, Anchor::Middle, TEXT_SIZE, "faint", &label))
    }
}

/// Of many names every nth is written.
fn has_room(found: &SweepFindings, index: usize) -> bool {
    let longest =
        found.levels.iter().map(|level| svg::text_width(&level.level, TEXT_SIZE)).fold(1.0, f64::max);
    let fit = ((WIDTH - LEFT - RIGHT) / (longest + 8.0)).max(1.0);
    index.is_multiple_of((found.levels.len() as f64 / fit).ceil().max(1.0) as usize)
}

/// One series: the band or the bars of its intervals, the line of its medians where levels are neighbours, its points.
fn lines(
    found: &SweepFindings,
    series: &Series,
    colour: usize,
    x: &Axis,
    y: &Axis,
    peak: Option<&str>,
) -> Markup {
    let points = &series.points;
    let upper = points.iter().map(|point| (x.at(point.x), y.at(point.high)));
    let lower = points.iter().rev().map(|point| (x.at(point.x), y.at(point.low)));
    let band: Vec<(f64, f64)> = upper.chain(lower).collect();
    let medians: Vec<(f64, f64)> = points.iter().map(|point| (x.at(point.x), y.at(point.median))).collect();
    let numeric = is_numeric(found);
    html! {
        @if numeric && points.len() > BARS_MAX { (svg::polygon(&band, &format!("band dot{colour}"))) }
        @if numeric { (svg::polyline(&medians, &format!("line line{colour}"))) }
        @for point in points {
            @let level = &found.levels[point.index];
            @let stands_out = found.finding.peaks.iter().any(|peak| peak.level == level.level);
            @if !numeric || points.len() <= BARS_MAX {
                (svg::line((x.at(point.x), y.at(point.low)), (x.at(point.x), y.at(point.high)),
                    &format!("line line{colour}")))
            }
            @if stands_out || points.len() <= BARS_MAX {
                (svg::dot(x.at(point.x), y.at(point.median), radius(stands_out, peak, &level.level),
                    &format!("dot{}", if stands_out { 2 } else { colour }), &hint(found, point.index)))
            }
        }
    }
}

fn radius(stands_out: bool, peak: Option<&str>, level: &str) -> f64 {
    match (stands_out, peak == Some(level)) {
        (_, true) => 5.0,
        (true, false) => 4.0,
        (false, false) => 2.5,
    }
}

/// What a point says when the pointer rests on it.
fn hint(found: &SweepFindings, index: usize) -> String {
    let level = &found.levels[index];
    let value = |ns: Option<f64>| ns.map_or("–".to_owned(), |ns| Scale::of(found.metric, ns).with_unit(ns));
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
