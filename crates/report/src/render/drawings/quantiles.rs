//! Drawing of latencies by percentile: the tail is drawn as large as the bulk.

use fauxplat_model::Metric;
use maud::{Markup, html};

use super::Drawing;
use crate::parts::Quantiles;
use crate::svg::{self, Anchor, Axis, TEXT_SIZE};
use crate::words::quantity;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 78.0;
/// Room at the right in pixels: enough for half of the longest percentile's label.
const RIGHT: f64 = 28.0;
const ABOVE: f64 = 28.0;
const BELOW: f64 = 44.0;
const LINE: f64 = 18.0;
const COLOURS: usize = 6;

struct Stroke<'p> {
    points: &'p [(f64, f64)],
    colour: usize,
    dashed: bool,
}

/// Draws all curves on logarithmic axes: rarer to the right, later upwards.
pub(super) fn draw(of: &Quantiles) -> Drawing {
    let curves = strokes(of);
    let points = || curves.iter().flat_map(|curve| curve.points);
    let rarest = points().map(|point| point.0).fold(1.0, f64::max);
    let x = Axis { low: 0.0, high: rarest.ceil(), from: LEFT, to: WIDTH - RIGHT };
    let y = Axis::around(points().map(|point| point.1), HEIGHT - BELOW, ABOVE);
    let body = html! {
        (svg::text(LEFT, ABOVE - 12.0, Anchor::Start, TEXT_SIZE, "strong", &of.title.to_lowercase()))
        (decades(&y))
        (percentiles(&x))
        @for curve in &curves {
            @let dash = if curve.dashed { " off" } else { "" };
            (svg::polyline(&curve.points.iter().map(|&(rare, late)| (x.at(rare), y.at(late))).collect::<Vec<_>>(),
                &format!("line line{}{dash}", curve.colour)))
        }
        (legend(of))
    };
    let height = HEIGHT + LINE * of.curves.len() as f64 + 2.0 * LINE;
    Drawing::new(WIDTH, height, &of.title, &of.description, body)
}

/// The curves to draw for each test: of served activations and, if some were missed, the corrected curve.
fn strokes(of: &Quantiles) -> Vec<Stroke<'_>> {
    let mut strokes = Vec::new();
    for (index, curve) in of.curves.iter().enumerate() {
        let colour = index % COLOURS + 1;
        strokes.push(Stroke { points: &curve.seen, colour, dashed: false });
        strokes.extend(curve.corrected.iter().map(|points| Stroke { points, colour, dashed: true }));
    }
    strokes.retain(|stroke| stroke.points.len() > 1);
    strokes
}

/// Draws lines and labels at powers of ten within the axis, and also at their doubles and fives if there are few.
fn decades(y: &Axis) -> Markup {
    let factors: &[f64] = if y.high - y.low > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let values = (0..=13).flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
    let inside: Vec<f64> = values.filter(|value| (y.low..=y.high).contains(&value.log10())).collect();
    html! {
        @for value in inside {
            @let at = y.at(value.log10());
            (svg::line((LEFT, at), (WIDTH - RIGHT, at), "rule"))
            (svg::text(LEFT - 8.0, at + 4.0, Anchor::End, TEXT_SIZE, "", &quantity(Metric::WALL, value)))
        }
    }
}

fn percentiles(x: &Axis) -> Markup {
    let bottom = HEIGHT - BELOW;
    html! {
        (svg::line((LEFT, bottom), (WIDTH - RIGHT, bottom), "ink"))
        @for nines in 0..=(x.high as i32) {
            @let at = x.at(f64::from(nines));
            (svg::line((at, ABOVE), (at, bottom), "rule"))
            (svg::text(at, bottom + 4.0 + TEXT_SIZE, Anchor::Middle, TEXT_SIZE, "", &percentile(nines)))
        }
    }
}

fn percentile(nines: i32) -> String {
    let digits = (nines - 2).max(0) as usize;
    format!("{:.digits$} %", 100.0 * (1.0 - 10f64.powi(-nines)))
}

fn legend(of: &Quantiles) -> Markup {
    html! {
        @for (index, curve) in of.curves.iter().enumerate() {
            @let y = HEIGHT + LINE * index as f64;
            (svg::line((LEFT, y - 4.0), (LEFT + 24.0, y - 4.0), &format!("line line{}", index % COLOURS + 1)))
            (svg::text(LEFT + 32.0, y, Anchor::Start, TEXT_SIZE, "", &curve.name))
        }
        @if of.curves.iter().any(|curve| curve.corrected.is_some()) {
            (svg::text(LEFT, HEIGHT + LINE * of.curves.len() as f64, Anchor::Start, TEXT_SIZE, "faint", of.legend))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_have_as_many_nines_as_it_takes() {
        assert_eq!([0, 1, 2, 3, 5].map(percentile), ["0 %", "90 %", "99 %", "99.9 %", "99.999 %"]);
    }
}
