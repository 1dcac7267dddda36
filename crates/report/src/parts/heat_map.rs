//! Heat maps: pairs as squares whose strength shows a value.

/// Panels over the same rows and columns.
pub(crate) struct HeatMap {
    /// Title of the map.
    pub(crate) title: String,
    pub(crate) description: String,
    /// Names of the rows, which are those of the columns too.
    pub(crate) names: Vec<String>,
    pub(crate) panels: Vec<Panel>,
    /// Legend of the numbers.
    pub(crate) legend: &'static str,
}

/// A panel of the map.
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Squares row by row; `None` where nothing was measured.
    pub(crate) squares: Vec<Option<Square>>,
}

/// A square of a panel.
pub(crate) struct Square {
    pub(crate) tint: Tint,
    /// Text in the square, shown where there is room.
    pub(crate) word: String,
    /// Tooltip of the square.
    pub(crate) hint: String,
}

/// How a square is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tint {
    /// Coloured by kind, as an index.
    Kind(usize),
    /// Coloured by a ratio: the more above one, the stronger.
    Ratio(f64),
}
