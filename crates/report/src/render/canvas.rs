//! Series drawn with characters: a braille character has two columns and four rows of dots.

use unicode_width::UnicodeWidthStr;

use crate::parts::{Line, Point, Series, Tone, Values};
use crate::render::chart::Lines;
use crate::render::pen::Pen;
use crate::words::{Scale, change, percent, round_number};

/// Height of a plot in lines of characters.
const PLOT_ROWS: usize = 10;
/// Maximum width of a plot in characters. More on a wide terminal would only stretch it.
const PLOT_COLUMNS_MAX: usize = 110;
/// Number of characters between the labels and the plot.
const GAP: usize = 2;

/// The plots of a series, one for each of its lines, with common axes; each with its caption.
pub(crate) fn plots(of: &Series, pen: Pen) -> Vec<(String, Lines)> {
    if of.values == Values::Change && of.across.names.is_some() {
        return of.lines.iter().map(|line| (of.caption.clone(), forest(of, line, pen))).collect();
    }
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
    match y.0 > 0.0 {
        true => format!("{}{name}; the axis spans {}", of.caption, percent(y.1 / y.0 - 1.0)),
        // The ends of an axis that begins at zero have no ratio.
        false => format!("{}{name}", of.caption),
    }
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

/// Changes at a few named positions in rows below one another, each with its interval, relative to the value that means
/// no change (a forest plot).
fn forest(of: &Series, line: &Line, pen: Pen) -> Lines {
    let names = of.across.names.as_deref().unwrap_or_default();
    let name = |point: &Point| pen.spell(names.get(point.x as usize).map_or("", String::as_str));
    let room = line.points.iter().map(|point| name(point).width()).max().unwrap_or(0);
    let values: Vec<String> = line.points.iter().map(|point| pen.spell(&change(point.median))).collect();
    let behind = values.iter().map(|value| value.width()).max().unwrap_or(0);
    let columns = pen.width.saturating_sub(room + behind + 2).clamp(10, FOREST_COLUMNS_MAX);
    let scale = Scaled::around(&line.points, columns);
    let row = |(point, value): (&Point, &String)| {
        let (name, bar) = (name(point), scale.bar(point, pen));
        let gap = " ".repeat(room - name.width());
        let pad = " ".repeat(behind - value.width());
        (Tone::Plain, format!("{gap}{name} {bar} {pad}{value}"))
    };
    let mut lines: Lines = line.points.iter().zip(&values).map(row).collect();
    lines.push((Tone::Faint, pen.spell(&of.across.label)));
    lines
}

/// Maximum width of the intervals of a forest plot in characters. More on a wide terminal would only stretch them.
const FOREST_COLUMNS_MAX: usize = 60;

/// Mapping of ratios to character columns. The range includes one, which means equality.
struct Scaled {
    low: f64,
    high: f64,
    columns: usize,
}

impl Scaled {
    fn around(points: &[Point], columns: usize) -> Self {
        let (low, high) =
            points.iter().fold((1.0_f64, 1.0_f64), |(low, high), it| (low.min(it.low), high.max(it.high)));
        Scaled { low, high, columns }
    }

    fn column(&self, ratio: f64) -> usize {
        let share = (ratio - self.low) / (self.high - self.low);
        match share.is_finite() {
            true => (share.clamp(0.0, 1.0) * (self.columns - 1) as f64).round() as usize,
            false => self.columns / 2,
        }
    }

    fn bar(&self, point: &Point, pen: Pen) -> String {
        let [inside, at, equal] = if pen.unicode { ['─', '●', '│'] } else { ['-', 'o', '|'] };
        let (from, to) = (self.column(point.low), self.column(point.high));
        let character = |column: usize| match column {
            column if column == self.column(point.median) => at,
            column if column == self.column(1.0) => equal,
            column if (from..=to).contains(&column) => inside,
            _ => ' ',
        };
        (0..self.columns).map(character).collect()
    }
}

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

    /// Marks a point, given as shares of the axes (0 to 1) from the lower left corner; points outside are ignored.
    fn mark(&mut self, x: f64, y: f64) {
        if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
            return;
        }
        let column = (x * (self.columns * 2 - 1) as f64).round() as usize;
        let row = ((1.0 - y) * (self.rows * 4 - 1) as f64).round() as usize;
        self.dots[row / 4 * self.columns + column / 2] |= BITS[row % 4][column % 2];
    }

    fn lines(&self, unicode: bool) -> Vec<String> {
        let character = |&dots: &u8| match (dots, unicode) {
            (0, _) => ' ',
            (dots, true) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or('*'),
            // With ASCII characters, only the height of the dots within the character's cell can be shown.
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
    fn a_forest_shows_which_intervals_miss_equality() {
        let point = |x: f64, low: f64, high: f64| Point {
            x,
            median: (low + high) / 2.0,
            low,
            high,
            hint: String::new(),
            weight: 0,
        };
        let points = vec![point(0.0, 0.9, 1.1), point(1.0, 1.1, 1.5)];
        let scale = Scaled::around(&points, 13);
        let plain = Pen { unicode: false, width: 40 };
        let bars: Vec<String> = points.iter().map(|point| scale.bar(point, plain)).collect();
        assert_eq!(bars, ["--o--        ", "  | ----o----"]);
        // A drawing of points without any differences still has a line.
        let none = [point(0.0, 1.0, 1.0)];
        assert_eq!(Scaled::around(&none, 5).bar(&none[0], plain), "  o  ");
    }

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
