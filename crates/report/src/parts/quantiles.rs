//! Latencies by percentile: curves on which the tail has as much room as the bulk.

/// A drawing of curves over two logarithmic axes.
pub struct Quantiles {
    pub title: String,
    pub description: String,
    pub curves: Vec<Curve>,
    /// Legend of the dashed curves.
    pub legend: &'static str,
}

pub struct Curve {
    pub name: String,
    /// Points of the curve of served activations: how rare a longer delay is (the logarithm of one over the share of
    /// activations with a longer delay), and the logarithm of the delay.
    pub seen: Vec<(f64, f64)>,
    /// The curve that includes missed activations, in the same coordinates; `None` if none was missed.
    pub corrected: Option<Vec<(f64, f64)>>,
}
