//! Latencies by percentile: the tail is drawn as large as the bulk, with and without the activations that were missed.

use fauxplat_model::{LatencyFindings, LatencyTest, Percentiles};
use maud::{Markup, html};

use crate::svg::{self, Anchor, Axis, TEXT_SIZE};
use crate::verbs::latency::{answer, place, time};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 16.0;
const ABOVE: f64 = 28.0;
const BELOW: f64 = 44.0;
const LINE: f64 = 18.0;
const COLOURS: usize = 6;

/// One curve: how rare (the logarithm of one over the share that is later) and how late.
struct Curve {
    points: Vec<(f64, f64)>,
    colour: usize,
    dashed: bool,
}

/// All tests as one file. Both axes are logarithmic: to the right rarer, upwards later.
pub(crate) fn document(found: &LatencyFindings) -> String {
    let curves: Vec<Curve> =
        found.tests.iter().enumerate().flat_map(|(index, test)| curves(index, test)).collect();
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let rarest = points().map(|point| point.0).fold(1.0, f64::max);
    let x = Axis { low: 0.0, high: rarest.ceil(), from: LEFT, to: WIDTH - RIGHT };
    let y = Axis::around(points().map(|point| point.1), HEIGHT - BELOW, ABOVE);
    let body = html! {
        (svg::text(LEFT, ABOVE - 12.0, Anchor::Start, TEXT_SIZE, "strong", "latency by percentile"))
        (decades(&y))
        (percentiles(&x))
        @for curve in &curves {
            @let dash = if curve.dashed { " off" } else { "" };
            (svg::polyline(&curve.points.iter().map(|&(rare, late)| (x.at(rare), y.at(late))).collect::<Vec<_>>(),
                &format!("line line{}{dash}", curve.colour)))
        }
        (legend(found))
    };
    let height = HEIGHT + LINE * found.tests.len() as f64 + 2.0 * LINE;
    svg::document(WIDTH, height, "Latency by percentile", &answer(found), &body)
}

/// As seen, and where something was missed with that too.
fn curves(index: usize, test: &LatencyTest) -> Vec<Curve> {
    let curve = |of: &Percentiles, dashed| Curve { points: points(of), colour: index % COLOURS + 1, dashed };
    let mut curves = vec![curve(&test.raw, false)];
    if test.missed > 0 {
        curves.push(curve(&test.corrected, true));
    }
    curves.retain(|curve| curve.points.len() > 1);
    curves
}

/// A step at each occupied bin. The last activation is as rare as there are activations.
fn points(of: &Percentiles) -> Vec<(f64, f64)> {
    let all: u64 = of.histogram.iter().map(|bin| bin.1).sum();
    let mut before = 0;
    let mut points = Vec::new();
    for &(late_ns, count) in &of.histogram {
        let rare = |earlier: u64| (all as f64 / (all - earlier) as f64).log10();
        let late = (late_ns.max(1) as f64).log10();
        points.push((rare(before), late));
        before += count;
        points.push((rare(before.min(all - 1)), late));
    }
    points
}

/// Powers of ten that lie within the axis, and their doubles and fives where there are few.
fn decades(y: &Axis) -> Markup {
    let factors: &[f64] = if y.high - y.low > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let values = (0..=13).flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
    let inside: Vec<f64> = values.filter(|value| (y.low..=y.high).contains(&value.log10())).collect();
    html! {
        @for value in inside {
            @let at = y.at(value.log10());
            (svg::line((LEFT, at), (WIDTH - RIGHT, at), "rule"))
            (svg::text(LEFT - 8.0, at + 4.0, Anchor::End, TEXT_SIZE, "", &time(value as u64)))
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

fn legend(found: &LatencyFindings) -> Markup {
    html! {
        @for (index, test) in found.tests.iter().enumerate() {
            @let y = HEIGHT + LINE * index as f64;
            (svg::line((LEFT, y - 4.0), (LEFT + 24.0, y - 4.0), &format!("line line{}", index % COLOURS + 1)))
            (svg::text(LEFT + 32.0, y, Anchor::Start, TEXT_SIZE, "", &place(test)))
        }
        @if found.tests.iter().any(|test| test.missed > 0) {
            (svg::text(LEFT, HEIGHT + LINE * found.tests.len() as f64, Anchor::Start, TEXT_SIZE, "faint",
                "dashed: with the activations that came due while the test was stalled"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_rises_and_ends_at_the_rarest() {
        let of = Percentiles {
            histogram: vec![(1000, 90), (10_000, 9), (1_000_000, 1)],
            ..Percentiles::default()
        };
        let points = points(&of);
        assert!(points.windows(2).all(|two| two[0].0 <= two[1].0 && two[0].1 <= two[1].1), "{points:?}");
        assert_eq!((points[0], points[5]), ((0.0, 3.0), (2.0, 6.0)));
        assert_eq!([0, 1, 2, 3, 5].map(percentile), ["0 %", "90 %", "99 %", "99.9 %", "99.999 %"]);
    }
}
