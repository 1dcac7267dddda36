//! Drawings of values along an axis, each with its interval.

use fauxplat_model::Metric;

/// A drawing of points along an axis, in one or several lines.
pub struct Series {
    pub title: String,
    /// Description for screen readers.
    pub description: String,
    /// Caption above the drawing if it is made of characters.
    pub caption: String,
    pub values: Values,
    pub across: Across,
    pub lines: Vec<Line>,
    /// Values that are drawn as horizontal lines for comparison with the points.
    pub rules: Vec<Rule>,
    /// Whether the series enlarges a part of an earlier one.
    pub is_zoom: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// Values of a metric.
    Metric(Metric),
    /// Ratios, shown as changes in per cent.
    Change,
}

pub struct Across {
    pub label: String,
    /// Names that replace the whole numbers on the axis, from 0; `None` for a numeric axis.
    pub names: Option<Vec<String>>,
}

/// Points that form one line, in the order of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Name of the line in the legend; empty for a single line.
    pub name: String,
    pub points: Vec<Point>,
    /// Whether neighbouring points are connected.
    pub is_drawn_through: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Position on the horizontal axis.
    pub x: f64,
    pub median: f64,
    /// Low end of the interval of the value; `high` is its high end.
    pub low: f64,
    pub high: f64,
    pub hint: String,
    /// Emphasis of the point: 0 for none, and more for more, up to 2 for the subject of the drawing.
    pub weight: u8,
}

/// A value that is drawn as a line across the whole width.
pub struct Rule {
    pub value: f64,
    /// Low end of the interval of the value; `high` is its high end.
    pub low: f64,
    pub high: f64,
    pub name: String,
    /// Whether the value was known before the measurement, as equality is.
    pub is_reference: bool,
}
