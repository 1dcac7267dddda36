//! A forest plot: each change as a dot on its interval, all on one axis.

use maud::{Markup, html};

use super::Drawing;
use crate::parts::{Effect, Effects, Tone};
use crate::svg::{self, Anchor, TEXT_SIZE, fitting};
use crate::words::change;

const WIDTH: f64 = 900.0;
/// Widths of the names on the left and of the numbers on the right, in pixels.
const LEFT: f64 = 260.0;
const RIGHT: f64 = 90.0;
const ROW: f64 = 20.0;
const ABOVE: f64 = 34.0;
const BELOW: f64 = 40.0;
const DOT: f64 = 3.5;
/// Distances between ticks of the axis, as shares.
const STEPS: [f64; 12] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0];
/// Maximum number of ticks on each side of zero.
const TICKS: f64 = 4.0;
/// Length of the axis on each side of zero, as a multiple of the outermost estimate.
const BEYOND: f64 = 1.4;

/// The axis: logarithms of ratios, with zero in the middle and `reach` at both ends.
struct Axis {
    reach: f64,
}

impl Axis {
    /// An axis for these effects, which includes the outermost estimate and the margin. An interval that extends
    /// further is cut off at the edge.
    fn of(of: &Effects) -> Self {
        let centres = of.rows.iter().map(|row| row.ratio.ln().abs()).filter(|it| it.is_finite());
        Axis { reach: BEYOND * centres.fold(1.5 * of.margin.ln_1p(), f64::max).max(1e-3) }
    }

    fn at(&self, ratio: f64) -> f64 {
        let share = (ratio.ln() / self.reach).clamp(-1.0, 1.0);
        let middle = 0.5 * (LEFT + WIDTH - RIGHT);
        middle + share * 0.5 * (WIDTH - RIGHT - LEFT)
    }

    fn ticks(&self) -> Vec<f64> {
        let widest = self.reach.exp_m1();
        let Some(step) = STEPS.into_iter().find(|step| widest / step <= TICKS) else { return self.decades() };
        let count = (widest / step) as i32;
        let ticks = (-count..=count).map(|at| 1.0 + step * f64::from(at));
        ticks.filter(|&ratio| ratio > 0.0 && ratio.ln().abs() <= self.reach).collect()
    }

    /// Ratios at which ticks stand if equal steps would overlap: powers of ten.
    fn decades(&self) -> Vec<f64> {
        let powers = self.reach / std::f64::consts::LN_10;
        let step = (powers / TICKS).ceil().max(1.0);
        let count = (powers / step) as i32;
        (-count..=count).map(|at| 10f64.powf(step * f64::from(at))).collect()
    }
}

pub(super) fn draw(of: &Effects) -> Drawing {
    let axis = Axis::of(of);
    let bottom = ABOVE + ROW * of.rows.len() as f64;
    let band = (axis.at(1.0 / (1.0 + of.margin)), axis.at(1.0 + of.margin));
    let body = html! {
        (svg::text(0.0, TEXT_SIZE, Anchor::Start, TEXT_SIZE, "strong", &of.title))
        (svg::plain_rect(band.0, ABOVE - 6.0, band.1 - band.0, bottom - ABOVE + 6.0, "tint0"))
        @for ratio in axis.ticks() {
            @let x = axis.at(ratio);
            (svg::line((x, ABOVE - 6.0), (x, bottom), if ratio == 1.0 { "ink" } else { "rule" }))
            (svg::text(x, bottom + 4.0 + TEXT_SIZE, Anchor::Middle, TEXT_SIZE, "faint", &tick(ratio)))
        }
        @for (index, effect) in of.rows.iter().enumerate() {
            (row(effect, ABOVE + ROW * (index as f64 + 0.5), &axis))
        }
    };
    Drawing::new(WIDTH, bottom + BELOW, &of.title, &of.description, body)
}

fn tick(ratio: f64) -> String {
    if ratio == 1.0 { "0 %".to_owned() } else { change(ratio) }
}

fn row(of: &Effect, y: f64, axis: &Axis) -> Markup {
    let (low, high) = (axis.at(of.low.unwrap_or(0.0)), axis.at(of.high.unwrap_or(f64::INFINITY)));
    let number = match of.tone {
        Tone::Bad => 2,
        Tone::Good => 3,
        _ => 1,
    };
    let end = |end: Option<f64>| end.map_or_else(|| "?".to_owned(), change);
    let hint = format!("{}: {} ({} to {})", of.name, change(of.ratio), end(of.low), end(of.high));
    html! {
        (svg::text(LEFT - 10.0, y + 4.0, Anchor::End, TEXT_SIZE, "", &fitting(&of.name, TEXT_SIZE, LEFT - 10.0)))
        (svg::line((low, y), (high, y), &format!("line line{number}")))
        (svg::dot(axis.at(of.ratio), y, DOT, &format!("dot{number}"), &hint))
        (svg::text(WIDTH, y + 4.0, Anchor::End, TEXT_SIZE, "faint", &change(of.ratio)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(ratios: &[f64]) -> Effects {
        let row = |&ratio: &f64| Effect {
            name: format!("{ratio}"),
            tone: Tone::Plain,
            ratio,
            low: None,
            high: Some(ratio * 1.01),
        };
        let rows = ratios.iter().map(row).collect();
        Effects { title: String::new(), description: String::new(), margin: 0.03, rows }
    }

    #[test]
    fn the_axis_holds_every_estimate_and_cuts_endless_intervals() {
        for ratios in [&[1.0][..], &[0.5, 2.0], &[1.0001, 0.9999], &[1e6, 0.97], &[]] {
            let axis = Axis::of(&effects(ratios));
            let inside = |x: f64| (LEFT..=WIDTH - RIGHT).contains(&x);
            assert!(ratios.iter().all(|&ratio| inside(axis.at(ratio))), "{ratios:?}");
            assert_eq!([axis.at(0.0), axis.at(f64::INFINITY)], [LEFT, WIDTH - RIGHT]);
            let ticks = axis.ticks();
            assert!(ticks.contains(&1.0) && ticks.len() <= 9, "{ratios:?}: {ticks:?}");
        }
    }
}
