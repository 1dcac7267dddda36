//! Flame graphs: calls as bars on top of their callers' bars, with widths in proportion to their shares.

use crate::calls::Kind;

/// A flame graph of one profile, or of two whose difference is coloured.
pub(crate) struct Flame {
    pub(crate) title: String,
    pub(crate) description: String,
    /// Names of the profiles, one or two. The widths of the bars are those of the last profile.
    pub(crate) names: Vec<String>,
    /// The weight of all samples of each profile, which is the whole width of the graph.
    pub(crate) totals: Vec<u64>,
    /// Name of the quantity of which the samples show the parts, such as CPU time.
    pub(crate) whole: String,
    /// The unit of the widths, singular and plural: samples, or events if samples represent different numbers of
    /// events.
    pub(crate) unit: [&'static str; 2],
    /// The bars: each after its caller, and the callees of one caller sorted by name.
    pub(crate) bars: Vec<Bar>,
    pub(crate) notes: Vec<String>,
}

pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Number of callers below the bar; 0 for the root.
    pub(crate) depth: usize,
    /// Start and length of the bar in each profile, in the unit of the widths.
    pub(crate) spans: Vec<(u64, u64)>,
}

impl Flame {
    pub(crate) fn share(&self, bar: &Bar, profile: usize) -> f64 {
        match (self.totals.get(profile), bar.spans.get(profile)) {
            (Some(&total), Some(&(_, samples))) if total > 0 => samples as f64 / total as f64,
            _ => 0.0,
        }
    }

    /// Share of the bar in the last profile minus its share in the first; `None` for a single profile.
    pub(crate) fn change(&self, bar: &Bar) -> Option<f64> {
        (self.names.len() > 1).then(|| self.share(bar, self.names.len() - 1) - self.share(bar, 0))
    }
}
