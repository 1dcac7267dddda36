//! Latencies by percentile: curves on which the tail has as much room as the bulk.

/// A drawing of curves over two logarithmic axes.
pub(crate) struct Quantiles {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) curves: Vec<Curve>,
    /// Legend of the dashed curves.
    pub(crate) legend: &'static str,
}

pub(crate) struct Curve {
    pub(crate) name: String,
    /// Points of the curve of served activations: how rare a longer delay is (the logarithm of one over the share of
    /// activations with a longer delay), and the logarithm of the delay.
    pub(crate) seen: Vec<(f64, f64)>,
    /// The curve that includes missed activations, in the same coordinates; `None` if none was missed.
    pub(crate) corrected: Option<Vec<(f64, f64)>>,
}
