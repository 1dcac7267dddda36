//! Latencies by percentile: curves on which the tail has as much room as the bulk.

/// Curves over axes that are both logarithmic.
pub(crate) struct Quantiles {
    /// Title of the drawing.
    pub(crate) title: String,
    pub(crate) description: String,
    /// Curves of the tests, in their order.
    pub(crate) curves: Vec<Curve>,
    /// Legend of the dashed curves.
    pub(crate) legend: &'static str,
}

/// The curve of a test.
pub(crate) struct Curve {
    pub(crate) name: String,
    /// As it was seen: how rare (the logarithm of one over the share that is later) and the logarithm of how late.
    pub(crate) seen: Vec<(f64, f64)>,
    /// The curve with missed activations; `None` where none was missed.
    pub(crate) corrected: Option<Vec<(f64, f64)>>,
}
