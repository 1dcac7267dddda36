//! Series in characters: braille has two columns and four rows of dots in each.

use crate::parts::{Line, Series, Tone, Values};
use crate::render::chart::Lines;
use crate::render::pen::Pen;
use crate::words::{Scale, change, percent, round_number};

/// Lines of the plot.
const PLOT_ROWS: usize = 10;
/// Columns of the plot: on a wide terminal more would only stretch it.
const PLOT_COLUMNS_MAX: usize = 110;
/// Columns between the labels and what stands at the right.
const GAP: usize = 2;

/// Each line of a series as a plot of its own over the axes that all share: what it is, and the plot.
pub(crate) fn plots(of: &Series, pen: Pen) -> Vec<(String, Lines)> {
    let points = || of.lines.iter().flat_map(|line| &line.points);
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let x = ends(&mut points().map(|point| point.x));
    let y = ends(&mut points().map(|point| point.median));
    if !(y.1 > y.0 && x.1 > x.0) {
        return Vec::new();
    }
    of.lines.iter().map(|line| (caption(of, line, y), plot(of, line, x, y, pen))).collect()
}

fn caption(of: &Series, line: &Line, y: (f64, f64)) -> String {
    let name = if line.name.is_empty() { String::new() } else { format!(" at {}", line.name) };
    format!("{}{name}; the axis spans {}", of.caption, percent(y.1 / y.0 - 1.0))
}

fn plot(of: &Series, line: &Line, x: (f64, f64), y: (f64, f64), pen: Pen) -> Lines {
    let label = |value: f64| match of.values {
        Values::Metric(metric) => Scale::of(metric, y.1).with_unit(value),
        Values::Change => change(value),
    };
    let labels = [pen.spell(&label(y.1)), pen.spell(&label(y.0))];
    let margin = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let columns = pen.width.saturating_sub(margin + GAP).clamp(10, PLOT_COLUMNS_MAX);
    let mut canvas = Canvas::new(columns, PLOT_ROWS);
    let share = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
    for point in &line.points {
        canvas.mark(share(point.x, x), share(point.median, y));
    }
    let mut lines: Lines = Vec::new();
    for (row, dots) in canvas.lines(pen.unicode).iter().enumerate() {
        let label = match row {
            0 => labels[0].as_str(),
            row if row + 1 == PLOT_ROWS => &labels[1],
            _ => "",
        };
        let indent = " ".repeat(margin - label.chars().count());
        lines.push((Tone::Plain, format!("{indent}{label} {dots}")));
    }
    let (low, high) = (round_number(x.0), round_number(x.1));
    let gap = " ".repeat(columns.saturating_sub(low.len() + high.len()).max(1));
    lines.push((Tone::Faint, format!("{}{low}{gap}{high}", " ".repeat(margin + 1))));
    lines
}

/// A drawing of points in characters.
struct Canvas {
    columns: usize,
    rows: usize,
    dots: Vec<u8>,
}

/// The bit of each dot in a braille character (Unicode, "Braille Patterns"), by row and column.
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

impl Canvas {
    fn new(columns: usize, rows: usize) -> Self {
        Canvas { columns, rows, dots: vec![0; columns * rows] }
    }

    /// Marks a point; both are shares of the axes, from the lower left corner.
    fn mark(&mut self, x: f64, y: f64) {
        if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
            return;
        }
        let column = (x * (self.columns * 2 - 1) as f64).round() as usize;
        let row = ((1.0 - y) * (self.rows * 4 - 1) as f64).round() as usize;
        self.dots[row / 4 * self.columns + column / 2] |= BITS[row % 4][column % 2];
    }

    /// The lines, top first.
    fn lines(&self, unicode: bool) -> Vec<String> {
        let character = |&dots: &u8| match (dots, unicode) {
            (0, _) => ' ',
            (dots, true) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or('*'),
            // Where in the cell the dots stand is all that ASCII can say.
            (dots, false) if dots & 0xe4 == 0 => '\'',
            (dots, false) if dots & 0x1b == 0 => '.',
            (_, false) => ':',
        };
        self.dots.chunks(self.columns).map(|row| row.iter().map(character).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_where_they_belong() {
        let mut canvas = Canvas::new(3, 2);
        for (x, y) in [(0.0, 0.0), (1.0, 1.0), (0.5, 2.0)] {
            canvas.mark(x, y);
        }
        assert_eq!(canvas.lines(true), ["  ⠈", "⡀  "]);
        assert_eq!(canvas.lines(false), ["  '", ".  "]);
    }
}
