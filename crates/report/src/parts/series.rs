//! Values along an axis, each with its interval.

use fauxplat_model::Metric;

/// Points over an axis, in one line or several.
pub(crate) struct Series {
    /// What it is, and what a screen reader says instead of it.
    pub(crate) title: String,
    pub(crate) description: String,
    /// What stands above a drawing in characters.
    pub(crate) caption: String,
    pub(crate) values: Values,
    pub(crate) across: Across,
    pub(crate) lines: Vec<Line>,
    /// Values to compare the points with.
    pub(crate) rules: Vec<Rule>,
    /// Whether it is a closer look at a part of a series above.
    pub(crate) is_zoom: bool,
}

/// What the vertical axis counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Values {
    Metric(Metric),
    /// A ratio, read as a change in per cent.
    Change,
}

/// The horizontal axis.
pub(crate) struct Across {
    /// What it counts.
    pub(crate) label: String,
    /// What its whole numbers are called, from 0, where they are no numbers themselves.
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

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    /// Median, and the ends of its interval.
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// What it says when the pointer rests on it.
    pub(crate) hint: String,
    /// How much it stands out: 0 for not at all, 2 where the drawing is about it.
    pub(crate) weight: u8,
}

/// A value across the whole drawing.
pub(crate) struct Rule {
    pub(crate) value: f64,
    /// The ends of its interval.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) name: String,
    /// Whether it was there before anything was measured.
    pub(crate) is_reference: bool,
}
