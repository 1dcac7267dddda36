//! Drawing of nested boxes.

use maud::{Markup, html};

use super::Drawing;
use crate::parts::{Boxes, TreeBox};
use crate::svg::{Anchor, TEXT_SIZE, rect, text, text_width};

/// Distance in pixels from the edge of a box to its contents, and between boxes.
const GAP: f64 = 8.0;
/// Height of a line of text in pixels.
const LINE: f64 = 16.0;
/// Size in pixels of a box without contents.
const LEAF_WIDTH: f64 = 34.0;
const LEAF_HEIGHT: f64 = 24.0;

/// A box with its computed size and the positions of its children relative to its corner.
struct Laid<'p> {
    width: f64,
    height: f64,
    of: &'p TreeBox,
    children: Vec<(f64, f64, Laid<'p>)>,
}

pub(super) fn draw(of: &Boxes) -> Drawing {
    let laid = laid(&of.whole);
    let (width, height) = (laid.width + 2.0 * GAP, laid.height + 2.0 * GAP);
    let body = html! {
        (laid.draw(GAP, GAP))
        @for (place, note) in of.notes.iter().enumerate() {
            (text(GAP, height + LINE * (place as f64 + 0.6), Anchor::Start, TEXT_SIZE, "faint", note))
        }
    };
    let noted = of.notes.iter().map(|note| text_width(note, TEXT_SIZE)).fold(0.0, f64::max) + 2.0 * GAP;
    let height = height + LINE * of.notes.len() as f64;
    Drawing::new(width.max(noted), height, &of.title, &of.description, body)
}

fn laid(of: &TreeBox) -> Laid<'_> {
    match of.is_leaf() {
        true => Laid {
            width: LEAF_WIDTH.max(text_width(&of.lines[0], TEXT_SIZE) + GAP),
            height: LEAF_HEIGHT,
            of,
            children: Vec::new(),
        },
        false => arranged(of, of.children.iter().map(laid).collect()),
    }
}

fn class(of: &TreeBox) -> String {
    format!("box tint{}{}", of.tint, if of.usable { "" } else { " off" })
}

/// Arranges the inner boxes of a box in rows so that the box is about twice as wide as high.
fn arranged<'p>(of: &'p TreeBox, children: Vec<Laid<'p>>) -> Laid<'p> {
    let area: f64 = children.iter().map(|child| (child.width + GAP) * (child.height + GAP)).sum();
    let widest = children.iter().map(|child| child.width).fold(0.0, f64::max);
    let room = (2.0 * area).sqrt().max(widest);
    let head = of.lines.len() as f64 * LINE + GAP / 2.0;
    let (mut x, mut y, mut row, mut used) = (GAP, head, 0.0_f64, 0.0_f64);
    let mut placed = Vec::with_capacity(children.len());
    for child in children {
        if x > GAP && x + child.width > room + GAP {
            (x, y, row) = (GAP, y + row + GAP, 0.0);
        }
        let at = (x, y);
        x += child.width + GAP;
        used = used.max(x);
        row = row.max(child.height);
        placed.push((at.0, at.1, child));
    }
    let words = of.lines.iter().map(|line| text_width(line, TEXT_SIZE)).fold(0.0, f64::max) + 2.0 * GAP;
    let bottom = if placed.is_empty() { head } else { y + row };
    Laid { width: used.max(words), height: bottom + GAP, of, children: placed }
}

impl Laid<'_> {
    fn draw(&self, x: f64, y: f64) -> Markup {
        html! {
            (rect(x, y, self.width, self.height, &class(self.of), &self.of.hint))
            @if self.of.is_leaf() {
                (text(x + self.width / 2.0, y + self.height / 2.0 + TEXT_SIZE / 3.0, Anchor::Middle, TEXT_SIZE, "", &self.of.lines[0]))
            } @else {
                @for (place, line) in self.of.lines.iter().enumerate() {
                    (text(x + GAP, y + LINE * (place as f64 + 0.85), Anchor::Start, TEXT_SIZE, if place == 0 { "strong" } else { "" }, line))
                }
            }
            @for (left, top, child) in &self.children {
                (child.draw(x + left, y + top))
            }
        }
    }
}
