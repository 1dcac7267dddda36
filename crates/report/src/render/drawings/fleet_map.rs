//! Drawing of machines as coloured squares, with a row for each rack.

use maud::{Markup, html};

use super::Drawing;
use crate::parts::{FleetMap, MapMachine, MapRow, Patch};
use crate::svg::{self, Anchor, TEXT_SIZE, fitting, text_width};

const WIDTH: f64 = 960.0;
/// Maximum width for the names of rows, in pixels.
const NAMES_MAX: f64 = 220.0;
/// Largest and smallest size of a square, in pixels. Squares shrink with the length of the longest row.
const SQUARE_MAX: f64 = 20.0;
const SQUARE_MIN: f64 = 12.0;
const GAP: f64 = 2.0;
/// Slowdown as a share from which on a square has the full intensity.
const STRONGEST: f64 = 0.2;
const STEPS: f64 = 8.0;

pub(super) fn draw(of: &FleetMap) -> Drawing {
    let names = of.rows.iter().map(|row| text_width(&row.name, TEXT_SIZE)).fold(0.0, f64::max).min(NAMES_MAX);
    let margin = if names > 0.0 { names + 10.0 } else { 0.0 };
    let longest = of.rows.iter().map(|row| row.machines.len()).max().unwrap_or(1).max(1);
    let square = ((WIDTH - margin) / longest as f64 - GAP).clamp(SQUARE_MIN, SQUARE_MAX);
    let step = square + GAP;
    let below = of.rows.len() as f64 * step + 2.0 * TEXT_SIZE;
    let body = html! {
        @for (index, row) in of.rows.iter().enumerate() {
            (machines(row, index as f64 * step, margin, square))
        }
        @for (index, (patch, words)) in of.legend.iter().enumerate() {
            @let y = below + index as f64 * (SQUARE_MAX + GAP);
            (machine(0.0, y, SQUARE_MAX, *patch, ""))
            (svg::text(SQUARE_MAX + 8.0, y + SQUARE_MAX * 0.72, Anchor::Start, TEXT_SIZE, "faint", words))
        }
    };
    let width = (margin + longest as f64 * step).max(WIDTH / 2.0);
    let height = below + of.legend.len() as f64 * (SQUARE_MAX + GAP) + TEXT_SIZE;
    Drawing::new(width, height, &of.title, &of.description, body)
}

fn machines(row: &MapRow, y: f64, margin: f64, square: f64) -> Markup {
    let name = fitting(&row.name, TEXT_SIZE, NAMES_MAX);
    html! {
        @if !row.name.is_empty() {
            (svg::text(margin - 8.0, y + square * 0.8, Anchor::End, TEXT_SIZE, "faint", &name))
        }
        @for (index, MapMachine { patch, hint }) in row.machines.iter().enumerate() {
            (machine(margin + index as f64 * (square + GAP), y, square, *patch, hint))
        }
    }
}

fn machine(x: f64, y: f64, square: f64, patch: Patch, hint: &str) -> Markup {
    let class = match patch {
        Patch::Slower(share) => format!("box heat{}", heat(share)),
        Patch::Absent => "box off tint0".to_owned(),
        Patch::Marked(kind, _) => format!("dot{kind}"),
    };
    html! {
        (svg::rect(x, y, square, square, &class, hint))
        @if let Patch::Marked(_, letter) = patch {
            (svg::text(x + square / 2.0, y + square * 0.75, Anchor::Middle, square * 0.7, "strong", &letter.to_string()))
        }
    }
}

fn heat(share: f64) -> usize {
    if share.is_finite() { ((share / STRONGEST).clamp(0.0, 0.999) * STEPS) as usize } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_grows_up_to_a_fifth() {
        assert_eq!([-0.3, 0.0, 0.03, 0.1, 0.2, 9.0, f64::NAN].map(heat), [0, 0, 1, 4, 7, 7, 0]);
    }
}
