//! Drawings of values along an axis: points with their intervals, and lines through them.

use maud::{Markup, html};

use super::Drawing;
use crate::parts::{Line, Point, Rule, Series, Values};
use crate::svg::{self, Anchor, Axis, TEXT_SIZE};
use crate::words::{Scale, change, round_number};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 380.0;
const ZOOM_WIDTH: f64 = 420.0;
const ZOOM_HEIGHT: f64 = 220.0;
/// Room for numbers and titles around the plot, in pixels.
const LEFT: f64 = 78.0;
const BELOW: f64 = 44.0;
const ABOVE: f64 = 28.0;
const RIGHT: f64 = 16.0;
/// Number of line colours in the style sheet.
const COLOURS: usize = 6;
/// Maximum number of points whose intervals are drawn as lines; the intervals of more points are drawn as a band.
const BARS_MAX: usize = 40;

pub(super) fn draw(of: &Series) -> Drawing {
    let (width, height) = if of.is_zoom { (ZOOM_WIDTH, ZOOM_HEIGHT) } else { (WIDTH, HEIGHT) };
    Drawing::new(width, height, &of.title, &of.description, body(of, width, height))
}

/// How labels of the vertical axis show its values: in a unit, or as changes in per cent.
#[derive(Clone, Copy)]
enum Reading {
    In(Scale),
    Change,
}

impl Reading {
    fn number(self, value: f64) -> String {
        match self {
            Reading::In(scale) => scale.number(value),
            Reading::Change => change(value),
        }
    }
}

fn body(of: &Series, width: f64, height: f64) -> Markup {
    let points = || of.lines.iter().flat_map(|line| &line.points);
    let x = Axis::around(points().map(|point| point.x), LEFT, width - RIGHT);
    let rules = of.rules.iter().flat_map(|rule| [rule.value, rule.low, rule.high]);
    let y =
        Axis::around(points().flat_map(|point| [point.low, point.high]).chain(rules), height - BELOW, ABOVE);
    let reading = match of.values {
        Values::Metric(metric) => {
            Reading::In(Scale::of(metric, points().map(|point| point.median).fold(0.0, f64::max)))
        }
        Values::Change => Reading::Change,
    };
    html! {
        (svg::text(LEFT, ABOVE - 12.0, Anchor::Start, TEXT_SIZE, "strong",
            &svg::fitting(&heading(of, reading), TEXT_SIZE, width - LEFT - RIGHT)))
        (y.vertical(LEFT, width - RIGHT, 5, |value| reading.number(value)))
        (names(of, &x, height))
        @for rule in &of.rules { (across(rule, &x, &y)) }
        @for (index, line) in of.lines.iter().enumerate() {
            (drawn(line, index % COLOURS + 1, &x, &y))
            @if of.lines.len() > 1 {
                (svg::text(LEFT + 110.0 + 90.0 * index as f64, ABOVE - 12.0, Anchor::Start, TEXT_SIZE, "",
                    &format!("{} {}", LEGEND[index % COLOURS], line.name)))
            }
        }
    }
}

/// Marks that identify the lines in the legend, besides their colours.
const LEGEND: [&str; COLOURS] = ["①", "②", "③", "④", "⑤", "⑥"];

fn heading(of: &Series, reading: Reading) -> String {
    match (of.values, reading) {
        (Values::Metric(metric), Reading::In(scale)) if !scale.unit.is_empty() => {
            format!("{} in {}", metric.title(), scale.unit)
        }
        (Values::Metric(metric), _) => metric.title().to_owned(),
        (Values::Change, _) => of.title.clone(),
    }
}

/// Draws a horizontal line at a value, with the band of its interval.
fn across(rule: &Rule, x: &Axis, y: &Axis) -> Markup {
    let band = [
        (x.from, y.at(rule.high)),
        (x.to, y.at(rule.high)),
        (x.to, y.at(rule.low)),
        (x.from, y.at(rule.low)),
    ];
    html! {
        @if rule.high > rule.low { (svg::polygon(&band, "band dot2")) }
        @let (class, at, anchor) = match rule.is_reference {
            true => ("ink", x.from + 4.0, Anchor::Start),
            false => ("line line2", x.to, Anchor::End),
        };
        (svg::line((x.from, y.at(rule.value)), (x.to, y.at(rule.value)), class))
        (svg::text(at, y.at(rule.value) - 4.0, anchor, TEXT_SIZE, "", &rule.name))
    }
}

/// Labels below the horizontal axis: round numbers, or names.
fn names(of: &Series, x: &Axis, height: f64) -> Markup {
    let base = height - BELOW;
    html! {
        @match &of.across.names {
            None => (x.horizontal(base, 8, round_number)),
            Some(names) => {
                (svg::line((x.from, base), (x.to, base), "ink"))
                @for place in of.lines.iter().flat_map(|line| &line.points).map(|point| point.x as usize) {
                    @if has_room(names, place) {
                        (svg::text(x.at(place as f64), base + 16.0, Anchor::Middle, TEXT_SIZE, "", &names[place]))
                    }
                }
            }
        }
        (svg::text((x.from + x.to) / 2.0, height - 8.0, Anchor::Middle, TEXT_SIZE, "faint", &of.across.label))
    }
}

/// Whether there is room for the name at a place: if there are too many names, only every nth is written.
fn has_room(names: &[String], place: usize) -> bool {
    let longest = names.iter().map(|name| svg::text_width(name, TEXT_SIZE)).fold(1.0, f64::max);
    let fit = ((WIDTH - LEFT - RIGHT) / (longest + 8.0)).max(1.0);
    place < names.len() && place.is_multiple_of((names.len() as f64 / fit).ceil().max(1.0) as usize)
}

/// Draws a line of the series: the band or the bars of its intervals, its medians (connected if neighbours belong
/// together), and its points.
fn drawn(line: &Line, colour: usize, x: &Axis, y: &Axis) -> Markup {
    let points = &line.points;
    let upper = points.iter().map(|point| (x.at(point.x), y.at(point.high)));
    let lower = points.iter().rev().map(|point| (x.at(point.x), y.at(point.low)));
    let band: Vec<(f64, f64)> = upper.chain(lower).collect();
    let medians: Vec<(f64, f64)> = points.iter().map(|point| (x.at(point.x), y.at(point.median))).collect();
    let many = points.len() > BARS_MAX;
    html! {
        @if line.is_drawn_through && many { (svg::polygon(&band, &format!("band dot{colour}"))) }
        @if line.is_drawn_through { (svg::polyline(&medians, &format!("line line{colour}"))) }
        @for point in points {
            @if !line.is_drawn_through || !many {
                (svg::line((x.at(point.x), y.at(point.low)), (x.at(point.x), y.at(point.high)),
                    &format!("line line{colour}")))
            }
            @if point.weight > 0 || !many || !line.is_drawn_through { (dot(point, colour, x, y)) }
        }
    }
}

fn dot(point: &Point, colour: usize, x: &Axis, y: &Axis) -> Markup {
    let (radius, colour) = match point.weight {
        0 => (2.5, colour),
        1 => (4.0, 2),
        _ => (5.0, 2),
    };
    svg::dot(x.at(point.x), y.at(point.median), radius, &format!("dot{colour}"), &point.hint)
}
