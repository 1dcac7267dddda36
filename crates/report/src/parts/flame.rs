//! Flame graphs: calls as bars upon those of their callers, as wide as their shares.

use crate::calls::Kind;

/// A flame graph of one profile, or of two whose difference is coloured.
pub(crate) struct Flame {
    /// Title of the graph.
    pub(crate) title: String,
    pub(crate) description: String,
    /// The one or two profiles. The widths are those of the last.
    pub(crate) names: Vec<String>,
    /// The whole width of each.
    pub(crate) totals: Vec<u64>,
    /// The quantity whose shares the samples are, in words.
    pub(crate) whole: String,
    /// The unit of the widths, singular and plural: samples, or events where samples stand for different numbers of
    /// them.
    pub(crate) unit: [&'static str; 2],
    /// The bars: every one after its caller, and those of one caller sorted by name.
    pub(crate) bars: Vec<Bar>,
    /// Notes about bars that are too small to be drawn.
    pub(crate) notes: Vec<String>,
}

/// A call.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Calls above it; 0 for the trunk.
    pub(crate) depth: usize,
    /// Where it begins and how long it is, for each profile.
    pub(crate) spans: Vec<(u64, u64)>,
}

impl Flame {
    /// The share of a bar in one of the profiles.
    pub(crate) fn share(&self, bar: &Bar, profile: usize) -> f64 {
        match (self.totals.get(profile), bar.spans.get(profile)) {
            (Some(&total), Some(&(_, samples))) if total > 0 => samples as f64 / total as f64,
            _ => 0.0,
        }
    }

    /// Difference of the bar's share between the last profile and the first; `None` for a single profile.
    pub(crate) fn change(&self, bar: &Bar) -> Option<f64> {
        (self.names.len() > 1).then(|| self.share(bar, self.names.len() - 1) - self.share(bar, 0))
    }
}
