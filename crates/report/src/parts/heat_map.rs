//! Pairs as squares whose strength says how much.

/// Panels over the same rows and columns.
pub(crate) struct HeatMap {
    /// What it is, and what a screen reader says instead of it.
    pub(crate) title: String,
    pub(crate) description: String,
    /// Names of the rows, which are those of the columns too.
    pub(crate) names: Vec<String>,
    pub(crate) panels: Vec<Panel>,
    /// What the numbers are.
    pub(crate) legend: &'static str,
}

/// One panel.
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Row by row; what was not measured is absent.
    pub(crate) squares: Vec<Option<Square>>,
}

/// One square.
pub(crate) struct Square {
    pub(crate) tint: Tint,
    /// What stands in it where there is room.
    pub(crate) word: String,
    /// What it says when the pointer rests on it.
    pub(crate) hint: String,
}

/// How a square is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tint {
    /// By kind.
    Kind(usize),
    /// By a ratio: the more above one, the stronger.
    Ratio(f64),
}
