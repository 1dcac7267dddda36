//! Changes with their intervals, one below the other: a forest plot.

use super::Tone;

/// A drawing of the changes of several quantities between A and B, on one axis.
pub struct Effects {
    pub title: String,
    /// Description for screen readers.
    pub description: String,
    /// The largest change that counts as none (the margin), as a share; drawn as a band around zero.
    pub margin: f64,
    pub rows: Vec<Effect>,
}

/// A change as a ratio B over A, with its interval.
pub struct Effect {
    pub name: String,
    pub tone: Tone,
    pub ratio: f64,
    /// Low end of the ratio's interval; `None` if no small ratio is excluded.
    pub low: Option<f64>,
    /// High end of the ratio's interval; `None` if no large ratio is excluded.
    pub high: Option<f64>,
}
