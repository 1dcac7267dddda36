//! Latencies by percentile: curves on which the tail has as much room as the bulk.

/// Curves over two logarithmic axes.
pub(crate) struct Quantiles {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) curves: Vec<Curve>,
    /// Legend of the dashed curves.
    pub(crate) legend: &'static str,
}

pub(crate) struct Curve {
    pub(crate) name: String,
    /// Served activations: rarity (the logarithm of one over the share of later activations) and logarithm of the
    /// delay.
    pub(crate) seen: Vec<(f64, f64)>,
    /// The curve that includes missed activations; `None` if none was missed.
    pub(crate) corrected: Option<Vec<(f64, f64)>>,
}
