//! How late how rarely: curves in which the tail is as large as the bulk.

/// Curves over axes that are both logarithmic.
pub(crate) struct Quantiles {
    /// What it is, and what a screen reader says instead of it.
    pub(crate) title: String,
    pub(crate) description: String,
    /// One per test, in their order.
    pub(crate) curves: Vec<Curve>,
    /// What a dashed curve is.
    pub(crate) legend: &'static str,
}

/// One test.
pub(crate) struct Curve {
    pub(crate) name: String,
    /// As it was seen: how rare (the logarithm of one over the share that is later) and the logarithm of how late.
    pub(crate) seen: Vec<(f64, f64)>,
    /// With what was missed, where something was.
    pub(crate) corrected: Option<Vec<(f64, f64)>>,
}
