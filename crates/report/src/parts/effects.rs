//! Changes with their intervals, one below the other: a forest plot.

use super::Tone;

/// Changes of several things between A and B, drawn on one axis.
pub struct Effects {
    pub title: String,
    /// Description for screen readers.
    pub description: String,
    /// The largest change that counts as none, as a share; drawn as a band around zero.
    pub margin: f64,
    pub rows: Vec<Effect>,
}

/// A change as a ratio B over A, with its interval.
pub struct Effect {
    pub name: String,
    pub tone: Tone,
    pub ratio: f64,
    /// Low end of the interval; `None` if nothing is excluded.
    pub low: Option<f64>,
    /// High end of the interval; `None` if nothing is excluded.
    pub high: Option<f64>,
}
