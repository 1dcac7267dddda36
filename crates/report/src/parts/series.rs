//! Values along an axis, each with its interval.

use fauxplat_model::Metric;

/// Points over an axis, in one line or several.
pub struct Series {
    /// Title of the drawing.
    pub title: String,
    /// Description for those who do not see the drawing.
    pub description: String,
    /// Caption above a drawing in characters.
    pub caption: String,
    /// The quantity on the vertical axis.
    pub values: Values,
    /// The horizontal axis.
    pub across: Across,
    /// The points, in one line or several.
    pub lines: Vec<Line>,
    /// Values to compare the points with.
    pub rules: Vec<Rule>,
    /// Whether the series enlarges a part of an earlier one.
    pub is_zoom: bool,
}

/// The quantity on the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// Values of a metric.
    Metric(Metric),
    /// A ratio, read as a change in per cent.
    Change,
}

/// The horizontal axis.
pub struct Across {
    /// Label of the axis.
    pub label: String,
    /// Names of the axis's whole numbers, from 0; `None` where the axis is numeric.
    pub names: Option<Vec<String>>,
}

/// Points of one kind in the order of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Empty where there is only one.
    pub name: String,
    /// The points.
    pub points: Vec<Point>,
    /// Whether neighbours belong together.
    pub is_drawn_through: bool,
}

/// A point of the series.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Place on the horizontal axis.
    pub x: f64,
    /// The value.
    pub median: f64,
    /// Low end of the interval of the value.
    pub low: f64,
    /// High end of the interval of the value.
    pub high: f64,
    /// Tooltip of the point.
    pub hint: String,
    /// Emphasis of the point: 0 for none, 2 where the drawing is about it.
    pub weight: u8,
}

/// A value across the whole drawing.
pub struct Rule {
    /// The value.
    pub value: f64,
    /// Low end of the interval of the value.
    pub low: f64,
    /// High end of the interval of the value.
    pub high: f64,
    /// Words beside the rule.
    pub name: String,
    /// Whether the value was known before anything was measured.
    pub is_reference: bool,
}
