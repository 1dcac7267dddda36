//! Values along an axis, each with its interval.

use fauxplat_model::Metric;

/// Points over an axis, in one line or several.
pub(crate) struct Series {
    /// Title of the drawing.
    pub(crate) title: String,
    pub(crate) description: String,
    /// Caption above a drawing in characters.
    pub(crate) caption: String,
    pub(crate) values: Values,
    pub(crate) across: Across,
    pub(crate) lines: Vec<Line>,
    /// Values to compare the points with.
    pub(crate) rules: Vec<Rule>,
    /// Whether the series enlarges a part of an earlier one.
    pub(crate) is_zoom: bool,
}

/// The quantity on the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Values {
    Metric(Metric),
    /// A ratio, read as a change in per cent.
    Change,
}

/// The horizontal axis.
pub(crate) struct Across {
    /// Label of the axis.
    pub(crate) label: String,
    /// Names of the axis's whole numbers, from 0; `None` where the axis is numeric.
    pub(crate) names: Option<Vec<String>>,
}

/// Points of one kind in the order of the axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Empty where there is only one.
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
    /// Whether neighbours belong together.
    pub(crate) is_drawn_through: bool,
}

/// A point of the series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    /// Median, and the ends of its interval.
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Tooltip of the point.
    pub(crate) hint: String,
    /// Emphasis of the point: 0 for none, 2 where the drawing is about it.
    pub(crate) weight: u8,
}

/// A value across the whole drawing.
pub(crate) struct Rule {
    pub(crate) value: f64,
    /// The ends of its interval.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) name: String,
    /// Whether the value was known before anything was measured.
    pub(crate) is_reference: bool,
}
