//! Drawing of pairs as coloured squares, with panels side by side.

use maud::{Markup, html};

use super::Drawing;
use crate::parts::{HeatMap, Panel, Tint};
use crate::svg::{self, Anchor, TEXT_SIZE, text_width};

const WIDTH: f64 = 960.0;
const GAP: f64 = 28.0;
/// Room for the names beside a panel, and for its title, in pixels.
const MARGIN: f64 = 34.0;
/// Sizes of a square in pixels: the largest, the smallest, and the smallest with a number in it. Squares shrink with
/// their number.
const SQUARE_MAX: f64 = 46.0;
const SQUARE_MIN: f64 = 7.0;
const NUMBERED: f64 = 30.0;
/// Number of steps of the colour. The last step stands for a ratio of two or more.
const STEPS: usize = 8;

pub(super) fn draw(of: &HeatMap) -> Drawing {
    let count = of.names.len();
    let square = ((WIDTH - MARGIN) / count.max(1) as f64 - 1.0).clamp(SQUARE_MIN, SQUARE_MAX);
    let titles = of.panels.iter().map(|panel| text_width(&panel.title, TEXT_SIZE)).fold(0.0, f64::max);
    let side = (square * count as f64).max(titles) + MARGIN;
    let per_row = (((WIDTH + GAP) / (side + GAP)) as usize).max(1);
    let height = square * count as f64 + MARGIN;
    let place = |index: usize| {
        let (column, row) = (index % per_row, index / per_row);
        (column as f64 * (side + GAP), row as f64 * (height + GAP))
    };
    let rows = of.panels.len().div_ceil(per_row) as f64;
    let body = html! {
        @for (index, panel) in of.panels.iter().enumerate() {
            @let (x, y) = place(index);
            g transform=(format!("translate({x:.0} {y:.0})")) { (squares(of, panel, square)) }
        }
        (svg::text(0.0, rows * (height + GAP) + TEXT_SIZE, Anchor::Start, TEXT_SIZE, "faint", of.legend))
    };
    Drawing::new(WIDTH.max(side), rows * (height + GAP) + 2.0 * TEXT_SIZE, &of.title, &of.description, body)
}

fn squares(of: &HeatMap, panel: &Panel, square: f64) -> Markup {
    let at = |index: usize| MARGIN + square * index as f64;
    let middle = |index: usize| at(index) + square / 2.0;
    // A name for every row if there is room, otherwise for every nth.
    let step = (18.0 / square).ceil().max(1.0) as usize;
    html! {
        (svg::text(MARGIN, TEXT_SIZE, Anchor::Start, TEXT_SIZE, "strong", &panel.title))
        @for (index, name) in of.names.iter().enumerate().step_by(step) {
            (svg::text(middle(index), MARGIN - 5.0, Anchor::Middle, TEXT_SIZE - 2.0, "faint", name))
            (svg::text(MARGIN - 5.0, middle(index) + 4.0, Anchor::End, TEXT_SIZE - 2.0, "faint", name))
        }
        @for (index, found) in panel.squares.iter().enumerate() {
            @if let Some(found) = found {
                @let (row, column) = (index / of.names.len(), index % of.names.len());
                (svg::rect(at(column), at(row), square - 1.0, square - 1.0, &class(found.tint), &found.hint))
                @if square >= NUMBERED {
                    (svg::text(middle(column), middle(row) + 4.0, Anchor::Middle, TEXT_SIZE - 1.0, "", &found.word))
                }
            }
        }
    }
}

fn class(tint: Tint) -> String {
    match tint {
        Tint::Kind(kind) => format!("box tint{kind}"),
        Tint::Ratio(ratio) => format!("box heat{}", heat(ratio)),
    }
}

/// The step of the colour for a ratio, from 0 for one to the last for two or more.
fn heat(ratio: f64) -> usize {
    if ratio.is_finite() { ((ratio - 1.0).clamp(0.0, 0.999) * STEPS as f64) as usize } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_grows_from_nothing_to_twice_the_time() {
        assert_eq!([0.9, 1.0, 1.13, 1.5, 2.0, 9.0, f64::NAN].map(heat), [0, 0, 1, 4, 7, 7, 0]);
    }
}
