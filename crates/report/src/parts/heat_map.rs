//! Heat maps: pairs, such as of CPUs, as squares whose intensity shows a value.

/// Panels of squares, all with the same rows and columns.
pub(crate) struct HeatMap {
    pub(crate) title: String,
    pub(crate) description: String,
    /// Names of the rows of each panel, which are also those of its columns.
    pub(crate) names: Vec<String>,
    pub(crate) panels: Vec<Panel>,
    pub(crate) legend: &'static str,
}

pub(crate) struct Panel {
    pub(crate) title: String,
    /// Squares row by row; `None` for a pair of which nothing was measured.
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
    /// Coloured by the kind of the pair, given as the number of the colour.
    Kind(usize),
    /// Coloured by a ratio: the further above one, the stronger.
    Ratio(f64),
}
