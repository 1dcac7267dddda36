//! Heat maps: pairs as squares whose intensity shows a value.

/// Panels with the same rows and columns.
pub(crate) struct HeatMap {
    pub(crate) title: String,
    pub(crate) description: String,
    /// Names of the rows, and of the columns.
    pub(crate) names: Vec<String>,
    pub(crate) panels: Vec<Panel>,
    pub(crate) legend: &'static str,
}

pub(crate) struct Panel {
    pub(crate) title: String,
    /// Squares row by row; `None` if nothing was measured.
    pub(crate) squares: Vec<Option<Square>>,
}

pub(crate) struct Square {
    pub(crate) tint: Tint,
    /// Text in the square, shown if there is room.
    pub(crate) word: String,
    pub(crate) hint: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tint {
    /// Coloured by kind, given as an index.
    Kind(usize),
    /// Coloured by a ratio: the further above one, the stronger.
    Ratio(f64),
}
