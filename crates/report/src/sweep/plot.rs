//! The points of a sweep's plot, and their drawing in characters.

use fauxplat_model::{LevelFindings, SweepFindings};

/// One level in a plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Its place on the axis: the level's number, or its index.
    pub(crate) x: f64,
    /// Median, and the ends of its interval.
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Index in the findings.
    pub(crate) index: usize,
}

/// The levels of one series: all, or for a product those of one level of the factor that has no numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// Whether the levels stand on an axis of numbers.
pub(crate) fn is_numeric(found: &SweepFindings) -> bool {
    found.levels.iter().all(|level| level.number.is_some())
}

/// The series of a sweep, each in the order of its axis.
pub(crate) fn series(found: &SweepFindings) -> Vec<Series> {
    let numeric = is_numeric(found);
    let mut all: Vec<Series> = Vec::new();
    for (index, level) in found.levels.iter().enumerate() {
        let Some(point) = point(index, level, numeric) else { continue };
        let name = if numeric { series_name(level) } else { String::new() };
        match all.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => all.push(Series { name, points: vec![point] }),
        }
    }
    all.iter_mut().for_each(|series| series.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    all
}

fn point(index: usize, level: &LevelFindings, numeric: bool) -> Option<Point> {
    let median = level.median_ns?;
    let x = if numeric { level.number? } else { index as f64 };
    Some(Point {
        x,
        median,
        low: level.low_ns.unwrap_or(median),
        high: level.high_ns.unwrap_or(median),
        index,
    })
}

/// Of `64 × off` the part that is not the number.
fn series_name(level: &LevelFindings) -> String {
    let parts: Vec<&str> = level.level.split(" × ").collect();
    let number = level.number;
    let other = parts.iter().filter(|part| part.parse::<f64>().ok() != number);
    if parts.len() < 2 { String::new() } else { other.copied().collect::<Vec<_>>().join(" × ") }
}

/// A drawing of points in characters: braille has two columns and four rows of dots in each.
pub(crate) struct Canvas {
    columns: usize,
    rows: usize,
    dots: Vec<u8>,
}

/// The bit of each dot in a braille character (Unicode, "Braille Patterns"), by row and column.
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

impl Canvas {
    pub(crate) fn new(columns: usize, rows: usize) -> Self {
        Canvas { columns, rows, dots: vec![0; columns * rows] }
    }

    /// Marks a point; both are shares of the axes, from the lower left corner.
    pub(crate) fn mark(&mut self, x: f64, y: f64) {
        if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
            return;
        }
        let column = (x * (self.columns * 2 - 1) as f64).round() as usize;
        let row = ((1.0 - y) * (self.rows * 4 - 1) as f64).round() as usize;
        self.dots[row / 4 * self.columns + column / 2] |= BITS[row % 4][column % 2];
    }

    /// The lines, top first.
    pub(crate) fn lines(&self, unicode: bool) -> Vec<String> {
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
