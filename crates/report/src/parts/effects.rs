//! Changes with their intervals, one below the other: a forest plot.

use super::Tone;

/// Changes of several things between A and B, drawn on one axis.
pub struct Effects {
    /// Title of the drawing.
    pub title: String,
    /// Description for those who do not see the drawing.
    pub description: String,
    /// The largest change that counts as none, as a share; a band about zero.
    pub margin: f64,
    /// The changes, from the top to the bottom.
    pub rows: Vec<Effect>,
}

/// A change as a ratio B over A, with its interval.
pub struct Effect {
    /// Name of the thing that changed.
    pub name: String,
    /// Meaning of the change.
    pub tone: Tone,
    /// The estimate.
    pub ratio: f64,
    /// Low end; `None` where nothing is excluded.
    pub low: Option<f64>,
    /// High end of the same interval.
    pub high: Option<f64>,
}
